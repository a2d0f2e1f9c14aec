"""Metrics of links: where they come from, what follows them, and published and other loads by them."""

from collections import Counter
from itertools import permutations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import pnet_lp as pn
from pnet_lp.cli import main
from pnet_lp.errors import PnetError, SpecError, TopologyError
from pnet_lp.model import Network, Plane
from pnet_lp.routing import parse_routing
from pnet_lp.throughput.facade import solve
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network, read_plane, write_plane
from pnet_lp.topology.links import by_metric
from pnet_lp.traffic import build_traffic

DATA = Path(__file__).parents[1] / "data"

# Cities, and the loads of their link in both directions in per cent of the fullest: SNDlib's `polska` as TopoHub 1.5.1
# publishes it (Jurkiewicz, SoftwareX 2023), equal demands split equally over paths of fewest hops.
POLSKA = [
    ("Gdansk", "Warsaw", 66.67, 66.67),
    ("Gdansk", "Kolobrzeg", 76.67, 76.67),
    ("Gdansk", "Bialystok", 48.0, 48.0),
    ("Bydgoszcz", "Kolobrzeg", 45.0, 44.67),
    ("Bydgoszcz", "Poznan", 68.33, 66.0),
    ("Bydgoszcz", "Warsaw", 97.33, 100.0),
    ("Kolobrzeg", "Szczecin", 57.67, 57.33),
    ("Katowice", "Krakow", 67.33, 66.0),
    ("Katowice", "Lodz", 31.33, 30.0),
    ("Katowice", "Wroclaw", 55.33, 58.0),
    ("Krakow", "Rzeszow", 50.0, 48.0),
    ("Krakow", "Warsaw", 75.33, 76.0),
    ("Bialystok", "Rzeszow", 52.0, 54.0),
    ("Bialystok", "Warsaw", 64.0, 62.0),
    ("Lodz", "Warsaw", 89.33, 88.0),
    ("Lodz", "Wroclaw", 48.0, 48.0),
    ("Poznan", "Szczecin", 56.33, 56.67),
    ("Poznan", "Wroclaw", 82.0, 79.33),
]


def ecmp_loads(network: Network) -> dict[tuple[str, str], float]:
    """The load of each link under one unit between all racks, split equally at every hop; parallel links together."""
    plane = network.planes[0]
    src, dst = np.nonzero(~np.eye(len(plane.rack_switch), dtype=bool))
    found = parse_routing("ecmp-split").loads(network, "rack", src, dst, np.ones(len(src)))
    loads: Counter[tuple[str, str]] = Counter()
    for tail, head, load in zip(found.arcs.tail, found.arcs.head, found.arc_load, strict=True):
        loads[plane.switch_names[tail], plane.switch_names[head]] += float(load)
    return dict(loads)


def test_loads_by_hops_are_those_that_topohub_publishes() -> None:
    names = sorted({name for row in POLSKA for name in row[:2]})
    ends = [[names.index(row[i]) for row in POLSKA] for i in (0, 1)]
    loads = ecmp_loads(Network.from_planes([Plane.from_cables(names, *ends)]))
    most = max(loads.values())
    for u, v, there, back in POLSKA:
        assert (100 * loads[u, v] / most, 100 * loads[v, u] / most) == pytest.approx((there, back), abs=0.005)


def split(graph: nx.DiGraph, source: int, target: int, amount: float, loads: Counter[tuple[str, str]]) -> None:
    """Send ``amount`` by equal parts at every hop over shortest paths, as networkx finds them."""
    far = nx.single_source_dijkstra_path_length(graph.reverse(), target)
    waiting = Counter({source: amount})
    for node in sorted(far, key=lambda node: -far[node]):
        onward = [v for v in graph[node] if v in far and far[node] == far[v] + graph[node][v]["weight"]]
        for v in onward if waiting[node] else []:
            loads[str(node), str(v)] += waiting[node] / len(onward)
            waiting[v] += waiting[node] / len(onward)


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=6, max_size=15), st.data())
def test_loads_by_metric_are_those_of_networkx(cables: set[tuple[int, int]], data: st.DataObject) -> None:
    ends = sorted({(min(pair), max(pair)) for pair in cables if pair[0] != pair[1]} | {(i, i + 1) for i in range(6)})
    metric = [data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5))) for _ in ends]
    graph = nx.DiGraph()
    for (u, v), (there, back) in zip(ends, metric, strict=True):
        graph.add_weighted_edges_from([(u, v, there), (v, u, back)])
    loads: Counter[tuple[str, str]] = Counter()
    for source, target in permutations(range(7), 2):
        split(graph, source, target, 1.0, loads)
    plane = Plane.from_cables(7, [u for u, _ in ends], [v for _, v in ends], metric=metric)
    found = ecmp_loads(Network.from_planes([plane]))
    assert {link: load for link, load in found.items() if load} == pytest.approx(dict(loads))


def square(metric: object = None) -> Plane:
    """A square in which the path 0 1 2 3 is shorter by metric than the link 0 3."""
    return Plane.from_cables(4, [0, 1, 2, 0], [1, 2, 3, 3], attributes={"km": [1, 1, 1, 5]}, metric=metric)


@pytest.mark.parametrize("routing", ["ecmp", "ecmp-split", "ecmp-lp", "ksp:1", "edge-disjoint:1", "vlb"])
def test_routings_follow_the_metric_and_verify_checks_it(routing: str, tmp_path: Path) -> None:
    network = by_metric(Network.from_planes([square()]), "km")
    traffic = build_traffic("all-to-all", network)
    result = solve(network, traffic, routing=routing)
    by_hops = solve(Network.from_planes([square()]), traffic, routing=routing)
    assert result.status == "certified"
    assert result.throughput_gbps < by_hops.throughput_gbps
    save_result(tmp_path / "result.json", network, traffic, result)
    assert verify_file(tmp_path / "result.json").status == "certified"
    # By hops these are not the paths.
    content = (tmp_path / "result.json").read_text()
    start = content.index('"metric": {')
    end = content.index("}", start)
    (tmp_path / "hops.json").write_text(content[:start] + '"metric": null' + content[end + 1 :])
    with pytest.raises(PnetError):
        verify_file(tmp_path / "hops.json")


def test_columns_of_a_file_are_no_options_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "f.edges").write_text("a b 1 2 3\n")
    with pytest.raises(TopologyError) as caught:
        read_plane(tmp_path / "f.edges")
    assert caught.value.sentence({"metric": "--metric"}).endswith("[delay=NS] [metric=M[/BACK]]")


def test_metrics_of_the_file_are_a_number_of_that_name() -> None:
    given = Network.from_planes([square(metric=[1, 1, 1, 5])])
    assert by_metric(given, "metric").fingerprint == given.fingerprint
    assert pn.build_network(square(), metric="km").fingerprint == given.fingerprint
    with pytest.raises(
        SpecError, match=r"no such number \(did you mean 'metric'\?\), found 'metrics'; allowed: km, metric, or"
    ):
        by_metric(given, "metrics")


def test_hops_are_those_of_shortest_paths_by_metric() -> None:
    # 0-1, 1-2, 2-3: 1 each; 0-2 and 1-3: 2 each; 0-3: 3.  By hops 0-3 is 1.
    assert pn.hops(square(), level="rack").to_json()["histogram"] == {"1": 8, "2": 4}
    assert pn.hops(square(), level="rack", metric="km").to_json()["histogram"] == {"1": 6, "2": 4, "3": 2}


@pytest.mark.parametrize("routing", ["ecmp", "ksp:1", "edge-disjoint:1"])
def test_listed_paths_are_the_shortest_by_metric(routing: str) -> None:
    requested = {"level": "rack", "routing": routing, "pair": ("0", "3")}
    assert [path["switches"] for path in pn.paths(square(), **requested).to_json()["paths"]] == [["0", "3"]]  # type: ignore[arg-type]
    found = pn.paths(square(), metric="km", **requested).to_json()  # type: ignore[arg-type]
    assert [path["switches"] for path in found["paths"]] == [["0", "1", "2", "3"]]


def test_packets_and_fluid_follow_the_metric(tmp_path: Path) -> None:
    lines = ["#: host a 0 100", "#: host b 3 100", "0 1 100", "1 2 100", "2 3 100", "0 3 100"]
    path = tmp_path / "net.edges"
    (tmp_path / "metric.csv").write_text("plane,u,v,metric\n0,0,3,5\n0,3,0,5\n")
    path.write_text("\n".join(lines).replace(" 100", " 100 100", 2).replace("0 100 100", "0 100 100") + "\n")
    for model in ("packets", "fluid"):
        given = {"traffic": "all-to-all", "flow_size": "1MB", "model": model, "link_delay": "100us"}
        direct, around = (
            pn.simulate(str(path), **given, **more) for more in ({}, {"metric": str(tmp_path / "metric.csv")})
        )  # type: ignore[arg-type]
        assert around.to_json()["fct_us"]["mean"] > direct.to_json()["fct_us"]["mean"] + 190


@pytest.mark.parametrize(
    ("name", "file", "metric"),
    [
        ("weight", "small.graph", [[1, 1], [2, 2], [2, 2]]),
        ("delay", "small.graph", [[1913, 1913], [700, 700], [700, 700]]),
        ("dist", "small.topohub.json", [[3769, 3769], [5051, 5051]]),
    ],
)
def test_numbers_of_files_are_metrics(name: str, file: str, metric: list[list[int]]) -> None:
    network = by_metric(build_network(str(DATA / file)), name)
    assert network.planes[0].metric is not None
    assert network.planes[0].metric.tolist() == metric
    assert network.fingerprint != build_network(str(DATA / file)).fingerprint


@pytest.mark.parametrize("suffix", [".edges", ".json", ".graphml", ".gml"])
@given(st.lists(st.tuples(st.integers(1, 10**9 - 1), st.integers(1, 9)), min_size=4, max_size=4))
def test_metrics_come_back_from_files(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, metric: list[object]
) -> None:
    plane = square(metric)
    path = tmp_path_factory.mktemp("metrics") / f"net{suffix}"
    write_plane(plane, path)
    again = read_plane(path)
    assert again.fingerprint == plane.fingerprint
    assert Plane.from_networkx(plane.to_networkx()).fingerprint == plane.fingerprint


@pytest.mark.parametrize(
    ("values", "whole"),
    [
        ([[1], [10, 65535]], [[1], [10, 65535]]),
        ([[376.9], [505.0, 1]], [[3769], [5050, 10]]),
        ([[0.25, 1e-3], [2]], [[250, 1], [2000]]),
        ([[1 / 3], [2 / 3, 1e-9]], [[500_000], [1_000_000, 1]]),
    ],
)
def test_metrics_keep_their_proportions_over_planes(values: list[list[float]], whole: list[list[int]]) -> None:
    planes = [Plane.from_cables(2, [0] * len(km), [1] * len(km), attributes={"km": km}) for km in values]
    for plane, metric in zip(by_metric(Network.from_planes(planes), "km").planes, whole, strict=True):
        assert plane.metric is not None
        assert plane.metric.tolist() == [[one, one] for one in metric]


@pytest.mark.parametrize("metric", [[0], [1.5], [10**9], [1, 2], [float("nan")], ["x"], [[1, 2, 3]]])
def test_metrics_of_a_plane_are_whole_numbers(metric: list[object]) -> None:
    with pytest.raises(TopologyError, match=r"metric|not a list of whole numbers"):
        Plane.from_cables(2, [0], [1], metric=metric)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["throughput", "small.graph", "--metric", "wieght", "--routing", "ecmp-split"], "did you mean 'weight'"),
        (["throughput", "small.graph", "--metric", "weight"], "the routing takes any path"),
        (["bounds", "small.graph", "--metric", "weight"], "No such option '--metric'"),
        (["hops", "ring:n=5", "--metric", "weight"], "allowed: a file with the columns plane, u, v and metric"),
        (["hops", "small.sndlib", "--metric", "routing_cost"], "small.sndlib has an invalid routing_cost, found 0"),
        (
            ["hops", "ring:n=5", "--metric", "bad.csv"],
            "bad.csv:2: not a metric, found '0'; allowed: finite numbers > 0",
        ),
        (["hops", "ring:n=5", "--metric", "far.csv"], "far.csv:2: plane 0 has no link from '0' to '2'"),
    ],
)
def test_what_is_no_metric_is_refused(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("small.graph", "small.sndlib"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    (tmp_path / "bad.csv").write_text("plane,u,v,metric\n0,0,1,0\n")
    (tmp_path / "far.csv").write_text("plane,u,v,metric\n0,0,2,7\n")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_metric_of_some_cables_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.edges"
    path.write_text("a b 1 metric=3\nb c 1\n")
    with pytest.raises(PnetError, match="only some cables have a metric"):
        read_plane(path)
    plane = Plane.from_cables(3, [0, 1], [1, 2], attributes={"km": [1.0, float("nan")]})
    network = Network.from_planes([plane])
    with pytest.raises(SpecError, match="2 of 4 links of plane have none"):
        by_metric(network, "km")
