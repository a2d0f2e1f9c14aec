"""Traffic in the formats of other programs: what hand-made files mean, what comes back whole, what is refused."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.traffic import read_traffic, write_traffic

from .conftest import ring_of

DATA = Path(__file__).parents[1] / "data"
NAMES = ["North", "East", "South"]


def entries(matrix: TrafficMatrix) -> list[tuple[int, int, float]]:
    return list(zip(matrix.src.tolist(), matrix.dst.tolist(), matrix.demand.tolist(), strict=True))


@st.composite
def instances(draw: st.DrawFn, suffix: str) -> tuple[Network, TrafficMatrix]:
    words = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,5}", fullmatch=True)
    names = draw(st.lists(words, min_size=2, max_size=8, unique=True))
    n = len(names)
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1])
    demands = st.integers(1, 5) if suffix == ".cm" else st.floats(1e-15, 1e15)
    drawn = draw(st.dictionaries(pairs, demands, max_size=20))
    if suffix == ".topohub.json":
        drawn = {**drawn, **{(t, s): demand for (s, t), demand in drawn.items()}}
        drawn = {(s, t): drawn[min(s, t), max(s, t)] for s, t in drawn}
    src, dst = [s for s, _ in drawn], [t for _, t in drawn]
    return ring_of(n, names=names), TrafficMatrix.from_entries("rack", n, src, dst, list(drawn.values()))


@pytest.mark.parametrize("suffix", [".sndlib", ".sndlib.xml", ".demands", ".topohub.json", ".cm"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_what_is_written_is_read_back(suffix: str, data: st.DataObject) -> None:
    network, matrix = data.draw(instances(suffix))
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"matrix{suffix}"
        write_traffic(matrix, network, path)
        assert read_traffic(path, network, "rack").fingerprint == matrix.fingerprint
        bare = path.rename(Path(folder) / "matrix")
        assert read_traffic(bare, network, "rack").fingerprint == matrix.fingerprint


@pytest.mark.parametrize("name", ["small.sndlib", "small.sndlib.xml", "small.demands"])
def test_demands_in_megabits_or_kilobits(name: str) -> None:
    network = ring_of(3, names=NAMES)
    found = entries(read_traffic(DATA / name, network, "rack"))
    assert found == [(0, 2, pytest.approx(0.3)), (2, 0, 0.5)]


def test_topohub_demands_go_in_both_directions() -> None:
    matrix = read_traffic(DATA / "small.topohub.json", ring_of(3, names=NAMES), "rack").to_csr().toarray()
    assert matrix.tolist() == [[0, 195, 158], [195, 0, 179], [158, 179, 0]]


def test_a_connection_counts_one() -> None:
    assert entries(read_traffic(DATA / "tree.cm", ring_of(16), "rack")) == [(0, 5, 2), (3, 15, 1), (15, 3, 1)]


def test_json_lists_with_indices(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text('[{"src": 0, "dst": 2, "demand": 1.5}, {"src": 0, "dst": 2, "demand": 1}]')
    assert entries(read_traffic(path, ring_of(3, names=["2", "1", "0"]), "rack")) == [(0, 2, 2.5)]


@pytest.mark.parametrize(
    ("matrix", "suffix", "message"),
    [
        ([[0, 1.5], [0, 0]], ".cm", "holds whole numbers of connections, found 1.5; allowed: at most 10000000"),
        ([[0, 1e9], [0, 0]], ".cm", "holds whole numbers of connections, found 1000000000.0"),
        ([[0, 1], [2, 0]], ".topohub.json", "cannot hold demands that differ by direction, found 'a b -> c'"),
        ([[0, 1], [2, 0]], ".sndlib", "cannot hold names of other than letters, digits, - and _, found 'a b'"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(
    tmp_path: Path, matrix: list[list[float]], suffix: str, message: str
) -> None:
    traffic = TrafficMatrix.from_dense("rack", np.array(matrix))
    with pytest.raises(TrafficError) as caught:
        write_traffic(traffic, ring_of(2, names=["a b", "c"]), tmp_path / f"m{suffix}")
    assert message in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DEMANDS 1\nlabel src dest bw\nd 0 9 1\n", ":3: the matrix is larger than the network: rack 9 needs 10"),
        (
            "DEMANDS 1\nlabel src dst bw\n",
            ":2: table DEMANDS has an invalid header, found 'label src dst bw'; allowed:",
        ),
        ("DEMANDS 2\nlabel src dest bw\nd 0 1 1\n", ": table DEMANDS has 1 rows instead of 2"),
        ("Nodes 4\nConnections 2\n0->1 start 0\n", ": 1 connections instead of 2"),
        ("Nodes 4\nConnections 1\n0->1 begin 0\n", ":3: not a property of a connection, found 'begin'; allowed: "),
        ("Nodes 9\nConnections 0\n", ": the matrix is larger than the network: it is for 9 racks"),
        ('{"level": "host", "demands": []}', ": level: the matrix is not between racks, found 'host'"),
        ('[{"src": 0, "dst": 1}]', ": demands[0]: not a demand, found {'src': 0, 'dst': 1}; allowed: an object"),
        ('[{"src": 0, "dst": 1, "demand": NaN}]', ": demands[0]: invalid demand, found nan; allowed: 0, or"),
        ('{"graph": {"demands": {"0": {"1": 1}, "1": {"0": 1}}}, "nodes": []}', ": demands['1']: demands of '1'"),
        ("<network/>", ": demands are missing; allowed: SNDlib's network files"),
        ("PAR1", ": not Parquet ("),
    ],
)
def test_broken_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "matrix"
    path.write_text(text)
    with pytest.raises(TrafficError) as caught:
        read_traffic(path, ring_of(4), "rack")
    assert str(caught.value).startswith(f"{path}{message}")
