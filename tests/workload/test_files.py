"""Workloads in files: what is written is read back, what a format cannot hold is refused, every fault has its place."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import SpecError, WorkloadError
from pnet_lp.model import Network, Plane, Workload
from pnet_lp.topology import build_network, read_plane
from pnet_lp.workload import WORKLOADS, build_workload, check_workload, parse_sizes, read_workload, write_workload
from pnet_lp.workload.io import WORKLOAD_FORMATS

from .test_workloads import ALL, build

FIVE = Network.from_planes([Plane.from_cables(2, [0], [1], host_switch=[0, 0, 1, 1, 1])])
DATA = Path(__file__).parents[1] / "data"


@st.composite
def workloads(draw: st.DrawFn, *, plain: bool) -> Workload:
    """Any workload of five hosts; a plain one is of flows that wait for nothing and share nothing."""
    pairs = st.tuples(st.integers(0, 4), st.integers(1, 4)).map(lambda p: (p[0], (p[0] + p[1]) % 5))
    src, dst = zip(*draw(st.lists(pairs, min_size=1, max_size=8)), strict=True)
    count = len(src)

    def each(values: st.SearchStrategy[int]) -> list[int]:
        return draw(st.lists(values, min_size=count, max_size=count))

    size = each(st.integers(1, 2**31 - 1))
    start = each(st.integers(0, 10**12).map(lambda ns: 1000 * ns))
    if plain:
        return Workload.from_flows(5, src, dst, size, sorted(start))
    # Flow i is started before those of a lower rank; so nothing waits for itself.
    rank = draw(st.permutations(range(count)))
    flow = st.integers(0, count - 1)
    waits = draw(st.lists(st.tuples(flow, flow), max_size=10, unique=True))
    after = [(a, b) for a, b in waits if rank[a] > rank[b]]
    known = draw(st.lists(st.booleans(), min_size=len(after), max_size=len(after)))
    moments = st.integers(0, 10**15)
    paused = draw(st.booleans())
    waited = np.bincount([child for child, _ in after], minlength=count).tolist()
    enough = [draw(st.integers(min(1, all_), all_)) for all_ in waited]
    # Only flows between the same two hosts can share a connection.
    ends = [min(p) * 5 + max(p) for p in zip(src, dst, strict=True)]
    return Workload.from_flows(
        5,
        src,
        dst,
        each(st.integers(1, 2**59 - 1)),
        each(st.integers(0, 10**15)),
        after=tuple(np.array(after, dtype=int).reshape(-1, 2).T),
        acknowledged=known,
        pause_ps=draw(st.lists(moments, min_size=len(after), max_size=len(after))) if paused else 0,
        enough=None if paused else enough,
        earliest_ps=[draw(moments) if any(child == i for child, _ in after) else 0 for i in range(count)],
        connection=ends if draw(st.booleans()) else None,
        connects=draw(st.lists(st.booleans(), min_size=count, max_size=count)),
        task=np.unique(each(flow), return_inverse=True)[1],
        stage=[f"stage {i}, of five" for i in each(st.integers(0, 4))] if draw(st.booleans()) else None,
        weight=draw(st.lists(st.floats(1e-3, 1e3), min_size=count, max_size=count)) if draw(st.booleans()) else 1.0,
        # Flows of one connection have one transport.
        transport=["", "tcp:rto_min=1ms,sack=true", "dctcp"][draw(st.integers(0, 2))] if draw(st.booleans()) else "",
    )


def come_back(workload: Workload, suffix: str, network: Network = FIVE) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"flows{suffix}"
        write_workload(workload, network, path)
        again = read_workload(path, network)
        assert again.fingerprint == workload.fingerprint
        assert again.label == str(path)
        # By content, not only by suffix.
        assert read_workload(path.rename(Path(folder) / "flows"), network).fingerprint == workload.fingerprint


@pytest.mark.parametrize("suffix", WORKLOAD_FORMATS.suffixes())
@given(workload=workloads(plain=True))
@settings(max_examples=20, deadline=None)
def test_plain_lists_come_back_from_every_format(suffix: str, workload: Workload) -> None:
    come_back(workload, suffix)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@given(workload=workloads(plain=False))
@settings(max_examples=30, deadline=None)
def test_tables_hold_every_workload(suffix: str, workload: Workload) -> None:
    come_back(workload, suffix)


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_what_rules_make_can_be_written(text: str) -> None:
    network = build_network("fat-tree:k=4", link_gbps=10)
    come_back(build(text, network), ".csv", network)
    come_back(build(text, network), ".parquet", network)


@given(workload=workloads(plain=False))
@settings(max_examples=30, deadline=None)
def test_every_format_holds_a_workload_or_refuses_it(workload: Workload) -> None:
    """And leaves no file."""
    with TemporaryDirectory() as folder:
        for suffix in (".cm", ".txt", ".json"):
            path = Path(folder) / f"flows{suffix}"
            refused = ""
            try:
                write_workload(workload, FIVE, path)
            except WorkloadError as error:
                refused = str(error)
            assert path.exists() == (not refused)
            assert "cannot hold" in refused or read_workload(path, FIVE).fingerprint == workload.fingerprint


@pytest.mark.parametrize("acknowledged", [False, True])
def test_triggers_come_back(acknowledged: bool) -> None:
    """Two flows, then three that wait for both, then one that waits for one of these."""
    waits = [(2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (4, 1), (5, 3)]
    after = tuple(np.array(waits).T)
    come_back(
        Workload.from_flows(5, [0, 1, 2, 2, 2, 3], [1, 2, 3, 4, 0, 0], 9, after=after, acknowledged=acknowledged), ".cm"
    )


def written(folder: Path, text: str, suffix: str) -> Path:
    path = folder / f"flows{suffix}"
    path.write_text(text)
    return path


def test_a_table(tmp_path: Path) -> None:
    """Columns in any order, ids of any kind, both sorts of waits, a call and its answer over one connection."""
    text = (
        "# of three hosts\n"
        "bytes, start_s,src,dst,id,after,after_acknowledged,connection,connects,task\n"
        "1500,1e-6,h0,h1,ask,,,c,true,4\n"
        "\n"
        "20,0.25,h1,h0,answer,ask,,c,false,4\n"
        "7,0,h2,h1,x,answer,ask answer,,,9\n"
    )
    found = read_workload(written(tmp_path, text, ".csv"), FIVE)
    assert found.src.tolist() == [0, 1, 2]
    assert found.dst.tolist() == [1, 0, 1]
    assert found.start_ps.tolist() == [10**6, 25 * 10**10, 0]
    assert found.after_ptr.tolist() == [0, 0, 1, 4]
    assert found.after.tolist() == [0, 0, 1, 1]
    assert found.acknowledged.tolist() == [False, True, False, True]
    assert found.connection.tolist() == [0, 0, 2]
    assert found.connects.tolist() == [True, False, True]
    assert found.task.tolist() == [0, 0, 1]


def test_weights_of_a_table(tmp_path: Path) -> None:
    text = "src,dst,weight,bytes,start_s\nh0,h1,2.5,5,0\nh0,h2,,5,0\nh0,h3,1e-3,5,0\n"
    found = read_workload(written(tmp_path, text, ".csv"), FIVE)
    assert found.weight.tolist() == [2.5, 1, 1e-3]
    columns = {"src": [0, 0], "dst": [1, 2], "bytes": [5, 5], "start_s": [0, 0], "weight": [3, None]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    assert read_workload(tmp_path / "a.parquet", FIVE).weight.tolist() == [3, 1]
    pq.write_table(pa.table({**columns, "weight": [3, 0]}), tmp_path / "b.parquet")
    with pytest.raises(WorkloadError) as caught:
        read_workload(tmp_path / "b.parquet", FIVE)
    assert str(caught.value) == (
        f"{tmp_path / 'b.parquet'}: row 1: invalid flow weight, found 0.0; allowed: 0.001 to 1000"
    )


def test_columns_of_other_types(tmp_path: Path) -> None:
    columns = {
        "dst": [1, 2],
        "src": [0, 0],
        "bytes": pa.array([5, 6], pa.uint32()),
        "start_s": [0, 1],
        "after": pa.array([None, ["0"]], pa.list_(pa.string())),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    found = read_workload(tmp_path / "a.parquet", FIVE)
    assert (found.dst.tolist(), found.after.tolist(), found.start_ps.tolist()) == ([1, 2], [0], [0, 10**12])


def test_a_connection_matrix(tmp_path: Path) -> None:
    """A ring's step as htsim's generator has it, a barrier, and a chain behind one trigger."""
    text = (
        "Nodes 5\nConnections 7\nTriggers 3\n"
        "0->1 id 1 start 0 size 2000000 send_done_trigger 1\n"
        "1->2 id 2 trigger 1 size 2000000 recv_done_trigger 2\n"
        "3->4 id 3 start 5000 size 10 recv_done_trigger 2\n"
        "2->3 id 4 trigger 2 size 10 send_done_trigger 3\n"
        "2->4 id 5 trigger 3 size 10 send_done_trigger 3\n"
        "2->0 id 6 trigger 3 size 10 recv_done_trigger 3\n"
        "4->0 start 7 size 3\n"
        "trigger id 1 oneshot\ntrigger id 2 barrier count 2\ntrigger id 3 multishot\n"
    )
    found = read_workload(written(tmp_path, text, ".cm"), FIVE)
    pairs = zip(np.repeat(np.arange(7), np.diff(found.after_ptr)).tolist(), found.after.tolist(), strict=True)
    assert list(pairs) == [(1, 0), (3, 1), (3, 2), (4, 3), (5, 4)]
    assert found.acknowledged.tolist() == [True, False, False, True, True]
    assert found.start_ps.tolist() == [0, 0, 5000, 0, 0, 0, 7]


def test_flows_of_ns3_are_between_nodes_of_its_topology(tmp_path: Path) -> None:
    """Where switches come first, host 1 is not the second host; Parsimon's copy numbers the flows."""
    network = Network.from_planes([read_plane(DATA / "rack.topology.txt")])
    assert network.host_names == ("1", "2", "3")
    text = "2\n1 2 3 100 5000 2\n3 1 3 100 7000 2.000001\n\nFirst line: # of flows\n"
    found = read_workload(written(tmp_path, text, ".txt"), network)
    assert (found.src.tolist(), found.dst.tolist()) == ([0, 2], [1, 0])
    assert found.start_ps.tolist() == [2 * 10**12, 2000001 * 10**6]
    numbered = text.replace("1 2 3 100 5", "0 1 2 3 100 5").replace("3 1 3", "1 3 1 3")
    assert read_workload(written(tmp_path, numbered, ".txt"), network).fingerprint == found.fingerprint
    listed = (
        '[{"id": 4, "size": 5000, "start": 2000000000, "src": 1, "dst": 2},'
        ' {"id": 0, "src": 3, "dst": 1, "size": 7000, "start": 2000001000}]'
    )
    assert read_workload(written(tmp_path, listed, ".json"), network).fingerprint == found.fingerprint
    for suffix in (".txt", ".json"):
        come_back(found, suffix, network)


CM = "Nodes 5\nConnections 1\n"
FAULTS = [
    (
        ".csv",
        "src,dst,bytes\n",
        ":1: invalid columns, found 'src,dst,bytes'; allowed: src,dst,bytes,start_s and any of",
    ),
    (".csv", "src,dst,bytes,start_s\nh0,h9,5,0\n", ":2: unknown host, found 'h9'; allowed: 0 to 4"),
    (".csv", "src,dst,bytes,start_s\n0,5,5,0\n", ":2: the network has 5 hosts, found '5'; allowed: 0 to 4"),
    (".csv", "src,dst,bytes,start_s\nh0,h0,5,0\n", ":2: host 'h0' sends to itself"),
    (".csv", "src,dst,bytes,start_s\nh0,h1,0,0\n", ":2: invalid flow size in bytes, found '0'; allowed: 1 to"),
    (".csv", "src,dst,bytes,start_s\nh0,h1,5,-1\n", ":2: invalid flow start, found '-1'; allowed: 0 to 1000000"),
    (".csv", "src,dst,bytes,start_s,after\nh0,h1,5,0,7\n", ":2: unknown flow to wait for, found '7'"),
    (".csv", "src,dst,bytes,start_s,after\nh0,h1,5,0,0\n", ":2: circular dependency between flows"),
    (".csv", "src,dst,bytes,start_s,id\nh0,h1,5,0,a\nh0,h1,5,0,a\n", ":3: two flows have the same id, found 'a'"),
    (".csv", "src,dst,bytes,start_s,task\nh0,h1,5,0,1\nh0,h1,5,0,\n", ":3: a flow has no task, and others have"),
    (".csv", "src,dst,bytes,start_s,connects\nh0,h1,5,0,no\n", ":2: invalid value of connects, found 'no'"),
    (
        ".csv",
        "src,dst,bytes,start_s,weight\nh0,h1,5,0,-1\n",
        ":2: invalid flow weight, found '-1'; allowed: 0.001 to 1000",
    ),
    (".csv", "src,dst,bytes,start_s,weight\nh0,h1,5,0,nan\n", ":2: invalid flow weight, found 'nan'"),
    (
        ".csv",
        "src,dst,bytes,start_s,after,enough\nh0,h1,5,0,,\nh0,h1,5,0,0,x\n",
        ":3: invalid number of flows that are enough, found 'x'; allowed: a whole number",
    ),
    (
        ".csv",
        "src,dst,bytes,start_s,after,enough\nh0,h1,5,0,,\nh0,h1,5,0,0,2\n",
        ":3: invalid number of flows that are enough, found 2; allowed: 1 to 1",
    ),
    (".csv", "src,dst,bytes,start_s\n", ": the workload has no flows"),
    (".cm", CM + "0->1 start 0 size 0\n", ":3: invalid flow size in bytes, found '0'"),
    (".cm", CM + "0->1 start 0 size 5 prio 3\n", ":3: not a connection, found 'start 0 size 5 prio 3'"),
    (".cm", CM + "failure switch_type TOR\n", ":3: not a connection or a trigger, found 'failure switch_type TOR'"),
    (".cm", CM + "0->1 id 1 start 0 trigger 2 size 5\n", ":3: a connection starts once"),
    (".cm", CM + "0->1 trigger 2 size 5\n", ":3: a connection that a trigger starts has an id"),
    (".cm", CM + "0->1 id 1 trigger 2 size 5\n", ":3: trigger 2 is not defined"),
    (".cm", CM + "Triggers 1\n0->1 id 1 trigger 2 size 5\ntrigger id 2 oneshot\n", ":5: trigger 2 is activated by 0"),
    (".cm", "Nodes 4\nConnections 1\n0->1 start 0 size 5\n", ": Nodes does not fit, found 4; allowed: 5, the hosts"),
    (".cm", "Nodes 5\nConnections 2\n0->1 start 0 size 5\n", ": Connections does not fit, found 2; allowed: 1, those"),
    (
        ".cm",
        "Nodes 5\nConnections 3\nTriggers 1\n0->1 start 0 size 5 send_done_trigger 1\n"
        "0->2 start 0 size 5 send_done_trigger 1\n0->3 id 3 trigger 1 size 5\ntrigger id 1 multishot\n",
        ":7: what trigger 1 starts depends on the run",
    ),
    (
        ".cm",
        "Nodes 5\nConnections 3\nTriggers 1\n0->1 start 0 size 5 send_done_trigger 1\n"
        "0->2 id 2 trigger 1 size 5\n0->3 id 3 trigger 1 size 5\ntrigger id 1 multishot\n",
        ":6: nothing starts the connection that waits for trigger 1",
    ),
    (".txt", "2\n0 1 3 100 5 2\n", ": there are 1 flows instead of 2; allowed: src dst pg dport size start_s"),
    (".txt", "1\n0 1 3 100 5 2\n1 0 3 100 5 2\n", ":3: there are more flows than 1, found '1 0 3 100 5 2'"),
    (".txt", "1\n0 1 3 x 5 2\n", ":2: not a flow, found '0 1 3 x 5 2'"),
    (".json", '{"flows": []}', ": not a list of flows; allowed: [{id, src, dst, size, start}, ...]"),
    (".json", '[{"id": 0, "src": 0, "dst": 1, "size": 5}]', ": [0]: not a flow"),
    (".json", '[{"id": 0, "src": 0, "dst": 1, "size": 5, "start": 0.5}]', ": [0]: not a flow"),
    (".parquet", "PAR1", ": not Parquet ("),
]


@pytest.mark.parametrize(("suffix", "text", "sentence"), FAULTS)
def test_faults_are_named_where_they_are(tmp_path: Path, suffix: str, text: str, sentence: str) -> None:
    path = written(tmp_path, text, suffix)
    with pytest.raises(WorkloadError) as caught:
        read_workload(path, FIVE)
    assert str(caught.value).startswith(f"{path}{sentence}")


@pytest.mark.parametrize(
    ("suffix", "workload", "obstacle"),
    [
        (".cm", {"after": ([1], [0]), "start_ps": [0, 5]}, "flow 1: connection matrices of htsim cannot hold a pause"),
        (".cm", {"task": [0, 0]}, "flow 1: connection matrices of htsim cannot hold tasks of several flows"),
        (
            ".cm",
            {"after": ([1, 1], [0, 0]), "enough": [0, 1]},
            "flow 1: connection matrices of htsim cannot hold flows that wait for some of several others",
        ),
        (".cm", {"size": 1 << 31}, "flow 0: connection matrices of htsim cannot hold flows of more than 2147483647"),
        (
            ".cm",
            {"connects": [True, False]},
            "flow 1: connection matrices of htsim cannot hold flows over an existing connection",
        ),
        (".txt", {"after": ([1], [0])}, "flow 1: flow files of ns-3 cannot hold flows that wait for others"),
        (".txt", {"start_ps": [5, 0]}, "flow 1: flow files of ns-3 cannot hold flows that are not in the order"),
        (".txt", {"size": 1 << 32}, "flow 0: flow files of ns-3 cannot hold flows of more than 4294967295 bytes"),
        (
            ".json",
            {"start_ps": [0, 5]},
            "flow 1: Parsimon's flow lists cannot hold starts that are not whole nanoseconds",
        ),
        (".cm", {"weight": [1, 2]}, "flow 1: connection matrices of htsim cannot hold weights of flows"),
        (".txt", {"weight": [1, 2]}, "flow 1: flow files of ns-3 cannot hold weights of flows"),
        (".cm", {"transport": ["", "ndp"]}, "flow 1: connection matrices of htsim cannot hold transports of flows"),
        (".json", {"weight": 2}, "flow 0: Parsimon's flow lists cannot hold weights of flows"),
        (".xls", {}, "unknown workload format, found '.xls'; allowed: .cm, .csv, .json, .parquet, .txt"),
    ],
)
def test_what_a_format_cannot_hold(tmp_path: Path, suffix: str, workload: dict[str, object], obstacle: str) -> None:
    flows = Workload.from_flows(5, [0, 1], [1, 2], **{"size": 9, **workload})  # type: ignore[arg-type]
    with pytest.raises(WorkloadError) as caught:
        write_workload(flows, FIVE, tmp_path / f"flows{suffix}")
    assert obstacle in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_waits_that_triggers_cannot_say(tmp_path: Path) -> None:
    flows = Workload.from_flows(5, [0, 1, 2, 3], [1, 2, 3, 4], 9, after=([2, 3, 3], [0, 0, 1]))
    with pytest.raises(WorkloadError) as caught:
        write_workload(flows, FIVE, tmp_path / "a.cm")
    assert (
        "flow 3: connection matrices of htsim cannot hold flows that wait for one common flow and for different"
        in str(caught.value)
    )


def test_a_file_is_a_workload(tmp_path: Path) -> None:
    path = written(tmp_path, "src,dst,bytes,start_s\n0,1,5,0\n", ".csv")
    assert build_workload(str(path), FIVE).label == str(path)
    with pytest.raises(SpecError) as caught:
        check_workload(str(path), "permutation")
    assert str(caught.value).startswith(f"traffic: the file {path} says who sends to whom")
    with pytest.raises(WorkloadError) as missing:
        check_workload(str(tmp_path / "none.csv"))
    assert "none.csv: cannot read the file" in str(missing.value)


def test_a_registered_name_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("incast").write_text("src,dst,bytes,start_s\n0,1,5,0\n")
    assert "incast" in WORKLOADS
    assert build_workload("incast:senders=3,sizes=9", FIVE).flow_count == 3
    assert build_workload("./incast", FIVE).flow_count == 1


@pytest.mark.parametrize("name", ["a.csv", "a+b.csv", "./a.csv", "plain"])
def test_a_sum_may_begin_with_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("src,dst,bytes,start_s\n0,1,5,0\n")
    sizes = [5] if "+" in name else [5, 9, 9, 9]
    assert build_workload(name if "+" in name else f"{name} + incast:senders=3,sizes=9", FIVE).size.tolist() == sizes
    Path("a.goal").write_text("num_ranks 2\nrank 0 {\nsend 7b to 1\n}\nrank 1 {\nrecv 7b from 0\n}\n")
    assert build_workload("a.goal:hosts=1-2+incast:senders=3,sizes=9", FIVE).size.tolist() == [7, 9, 9, 9]


def test_percentiles_are_those_of_the_generators(tmp_path: Path) -> None:
    """Their curve is straight between the points; the mean by hand, but for the first byte."""
    path = tmp_path / "sizes.txt"
    path.write_text("0 0\n10000 15\r\n30000 100\n")
    found = parse_sizes(str(path))
    assert found.quantile([0.15, 0.575]).tolist() == [10000, 20000]
    assert found.mean_bytes == pytest.approx(0.15 * 5000 + 0.85 * 20000, abs=0.1)
    assert parse_sizes(f"{path}:interpolation=log").interpolation == "log"
    for text, sentence in (
        ("1 2 3\n", ":1: not bytes and per cent, found '1 2 3'"),
        ("100 0.5\n1000 1\n", ": the shares are fractions of 1, found '1'; allowed: per cent, the last one 100"),
        ("5 50\n9 90\n", ": the last share does not cover all flows, found 0.9; allowed: 1"),
        ("# none\n", ": there are no points"),
    ):
        path.write_text(text)
        with pytest.raises(WorkloadError) as caught:
            parse_sizes(str(path))
        assert str(caught.value) == f"{path}{sentence}"


def test_flows_reach_other_formats_without_tasks_connections_and_picoseconds(tmp_path: Path) -> None:
    network = build_network("fat-tree:k=4")
    calls, everyone = build_workload("rpc:rounds=2", network), build_workload("all-to-all:size=1MB", network)
    for workload in (calls, everyone):
        with pytest.raises(WorkloadError, match="cannot hold tasks of several flows"):
            write_workload(workload, network, tmp_path / "flows.cm")
    with pytest.raises(WorkloadError, match="cannot hold flows over an existing connection"):
        write_workload(calls.without_tasks(), network, tmp_path / "flows.cm")
    for bare in (calls.without_tasks().without_connections(), everyone.without_tasks()):
        write_workload(bare, network, tmp_path / "flows.cm")
        assert read_workload(tmp_path / "flows.cm", network).fingerprint == bare.fingerprint
        assert len(bare.after) > 0
    burst = build_workload("incast:senders=5,sizes=64kB", network).without_tasks()
    write_workload(burst, network, tmp_path / "burst.json")
    assert read_workload(tmp_path / "burst.json", network).flow_count == 5


def test_starts_are_rounded_to_the_nearest_nanosecond(tmp_path: Path) -> None:
    odd = Workload.from_flows(5, [0, 1, 2], [1, 2, 3], 100, [1, 1499, 1500])
    with pytest.raises(WorkloadError, match="starts that are not whole nanoseconds"):
        write_workload(odd, FIVE, tmp_path / "odd.json")
    write_workload(odd.in_nanoseconds(), FIVE, tmp_path / "odd.json")
    assert read_workload(tmp_path / "odd.json", FIVE).start_ps.tolist() == [0, 1000, 2000]
