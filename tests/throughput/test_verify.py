"""A stored result is re-checked from its own arrays, and no part of it can be changed unnoticed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from pnet_lp import _core
from pnet_lp.errors import CertificateError, PnetError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.demands import Pairs
from pnet_lp.model.endpoint_classes import Classes
from pnet_lp.throughput import FlowProblem, build_problem, solve
from pnet_lp.throughput.proofs.document import StoredArray
from pnet_lp.throughput.proofs.store import load_result, save_result
from pnet_lp.throughput.verify import verify_file
from pnet_lp.verification.arcs import Split, propagate
from pnet_lp.verification.checks import Checks
from pnet_lp.verification.distances import demand_distances, reachable

from .conftest import INSTANCES, Instance, one_switch, plane, random_network

Document = dict[str, Any]


def stored(path: Path, network: Network, traffic: TrafficMatrix, **options: Any) -> Path:
    save_result(path, network, traffic, solve(network, traffic, **options))
    return path


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """Two unequal planes with mixed speeds and demands; several splits and shares strictly between 0 and 1."""
    network, traffic = random_network(5)
    path = stored(tmp_path_factory.mktemp("result") / "r.json", network, traffic, tolerance=1e-6)
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """Hosts in classes of two, bound by access links."""
    network = Network.from_planes(
        [Plane.from_cables(3, [0, 1], [1, 2], 9.0, host_switch=[0, 0, 1, 1, 2, 2], access_gbps=2.0)]
    )
    demand = np.ones((6, 6)) - np.eye(6)
    path = tmp_path_factory.mktemp("result") / "r.json"
    stored(path, network, TrafficMatrix.from_dense("host", demand), tolerance=1e-6)
    return json.loads(path.read_text())


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_honest_result_holds(instance: Instance, tmp_path: Path) -> None:
    path = stored(tmp_path / "r.json", instance.network, instance.traffic, solver="highs-ipx", tolerance=1e-6)
    found = verify_file(path)
    assert found.status == "certified"
    assert found.interval.lower == pytest.approx(instance.optimum, rel=1e-6)
    assert found.checks


@pytest.mark.parametrize("seed", range(30))
def test_agrees_with_the_core(seed: int, tmp_path: Path) -> None:
    network, traffic = random_network(seed)
    result = solve(network, traffic, solver="structured", tolerance=1e-2)
    save_result(tmp_path / "r.json", network, traffic, result)
    found = verify_file(tmp_path / "r.json")
    assert found.interval.lower == pytest.approx(result.interval.lower, rel=1e-12)
    assert found.interval.upper == pytest.approx(result.interval.upper, rel=1e-12)


def test_needs_neither_solver_nor_core(document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("the core was asked")

    for name in ("FlowProblem", "evaluate", "round_flow", "solve_structured", "demand_distances"):
        monkeypatch.setattr(_core, name, forbidden)
    assert verify_file(written(tmp_path, document)).status == "certified"


def written(folder: Path, document: Document) -> Path:
    path = folder / "tampered.json"
    path.write_text(json.dumps(document))
    return path


def array(document: Document, *keys: str | int) -> tuple[Document, str | int, np.ndarray]:
    """Return the parent of an encoded array, its key, and a writable copy of it."""
    parent: Any = document
    for key in keys[:-1]:
        parent = parent[key]
    return parent, keys[-1], StoredArray.model_validate(parent[keys[-1]]).decode().copy()


def change(*keys: str | int, to: Callable[[np.ndarray], np.ndarray]) -> Callable[[Document], None]:
    def apply(document: Document) -> None:
        parent, key, values = array(document, *keys)
        parent[key] = StoredArray.of(to(values)).model_dump()

    return apply


def put(key: str, value: Callable[[Any], Any], *inside: str) -> Callable[[Document], None]:
    def apply(document: Document) -> None:
        parent = document
        for name in inside:
            parent = parent[name]
        assert parent[key] != value(parent[key])
        parent[key] = value(parent[key])

    return apply


def together(*changes: Callable[[Document], None]) -> Callable[[Document], None]:
    def apply(document: Document) -> None:
        for each in changes:
            each(document)

    return apply


def at(position: Callable[[np.ndarray], Any], factor: float) -> Callable[[np.ndarray], np.ndarray]:
    """Multiply the entry that ``position`` finds."""

    def apply(values: np.ndarray) -> np.ndarray:
        values[np.unravel_index(position(values), values.shape)] *= factor
        return values

    return apply


def first_negative(values: np.ndarray) -> np.ndarray:
    values.flat[0] = -1.0
    return values


def first_nan(values: np.ndarray) -> np.ndarray:
    values.flat[0] = np.nan
    return values


def claim_more(document: Document) -> None:
    """Raise all bounds by as much, as a liar who keeps the file consistent would."""
    for key in ("throughput_gbps", "lower_bound_gbps", "upper_bound_gbps"):
        document[key] *= 2.0


def claim_tighter(document: Document) -> None:
    document["upper_bound_gbps"] = document["lower_bound_gbps"]
    document["relative_gap"] = 0.0


PLANE = ("instance", "network", "planes", 0)
LARGEST = np.argmax

TAMPERINGS: dict[str, tuple[Callable[[Document], None], str]] = {
    "throughput": (put("throughput_gbps", lambda k: k * 1.001), "throughput_gbps is claimed to be"),
    "lower bound": (put("lower_bound_gbps", lambda k: k * 1.001), "lower_bound_gbps is claimed to be"),
    "upper bound": (put("upper_bound_gbps", lambda k: k * 1.001), "upper_bound_gbps is claimed to be"),
    "gap": (put("relative_gap", lambda g: g / 2 + 1e-12), "relative_gap is claimed to be"),
    "all bounds": (claim_more, "throughput_gbps is claimed to be"),
    "bound as text": (put("lower_bound_gbps", lambda _: "1.0"), "lower_bound_gbps is claimed to be '1.0'"),
    "NaN bound": (put("upper_bound_gbps", lambda _: float("nan")), "NaN is not a JSON number"),
    "infinite bound": (put("upper_bound_gbps", lambda _: float("inf")), "Infinity is not a JSON number"),
    "negative bound": (put("lower_bound_gbps", lambda _: -1.0), "lower_bound_gbps is claimed to be -1.0"),
    "unknown key": (lambda d: d.update(extra=1), "extra is not a key of a result of this objective"),
    "missing key": (lambda d: d.pop("relative_gap"), "relative_gap is missing"),
    "bounds equal": (claim_tighter, "upper_bound_gbps is claimed to be"),
    "status": (put("status", lambda _: "bounds"), "the status is claimed to be 'bounds'"),
    "tolerance": (put("tolerance", lambda _: 1e-15), "the status is claimed to be 'certified'"),
    "objective": (put("objective", lambda _: "total"), "answer.rates_gbps is not a rate"),
    "routing": (put("routing", lambda _: "ecmp"), "routing ecmp needs LoadCertificate"),
    "level": (put("level", lambda _: "host"), "level 'host' is claimed"),
    "binding": (put("binding", lambda _: "disconnected"), "binding is claimed to be 'disconnected'"),
    "another binding": (put("binding", lambda _: "cut"), "binding is claimed to be 'cut', but the proof gives 'core"),
    "tolerance out of range": (put("tolerance", lambda _: 5.0), "tolerance: out of range, found 5.0"),
    "negative seed": (put("routing_seed", lambda _: -5), "seed: out of range, found -5"),
    "large seed": (put("routing_seed", lambda _: 1 << 64), "seed: out of range, found 18446744073709551616"),
    "rates of an objective that has none": (
        lambda d: d.update(answer={"rates_gbps": StoredArray.of(np.ones(2)).model_dump(), "levels": [], "inputs": {}}),
        "answer.rates_gbps is not what the objective 'concurrent' has",
    ),
    "levels of an objective that has none": (
        lambda d: d.update(
            answer={
                "levels": [
                    {
                        "rate": 1.0,
                        "upper": 1.0,
                        "margin": 0.0,
                        "demands": StoredArray.of(np.arange(2, dtype=np.int32)).model_dump(),
                    }
                    | {key: d["certificate"][key] for key in ("length", "up_length", "down_length")}
                ]
            }
        ),
        "answer.rates_gbps: field required",
    ),
    "inputs of an objective that has none": (
        lambda d: d.update(answer={"inputs": {"link_cost": StoredArray.of(np.ones(2)).model_dump()}}),
        "answer.rates_gbps: field required",
    ),
    "network fingerprint": (put("fingerprint", lambda f: f[:-1] + "x", "network"), "network.fingerprint is claimed"),
    "traffic fingerprint": (put("fingerprint", lambda f: f[:-1] + "x", "traffic"), "traffic.fingerprint is claimed"),
    "links": (put("links", lambda n: n + 1, "network"), "network.links is claimed"),
    "demands": (put("demands", lambda n: n + 1, "traffic"), "traffic.demands is claimed"),
    "summary key": (put("fingerprint", lambda _: None, "network"), "network.fingerprint is claimed"),
    "capacity": (change(*PLANE, "capacity_uv_gbps", to=at(LARGEST, 2.0)), "network.fingerprint is claimed"),
    "cable": (change(*PLANE, "cable_v", to=lambda v: np.roll(v, 1)), "a cable joins switch '0' to itself"),
    "rack": (change(*PLANE, "rack_switch", to=lambda r: r[::-1]), "planes.1.rack_switch: not as a solve writes it"),
    "one tier for all": (change(*PLANE, "tier", to=lambda t: t[:1]), "planes.0.tier: not as a solve writes it"),
    "null": (lambda d: d["instance"]["network"]["planes"][0].update(box=None), "planes.0: box is null, and not left"),
    "demand": (change("instance", "traffic", "demand", to=at(LARGEST, 0.5)), "traffic.fingerprint is claimed"),
    "no demand": (change("instance", "traffic", "demand", to=lambda d: 0 * d), "traffic.demands is claimed to be 10"),
    "length": (change("certificate", "length", to=at(LARGEST, 1.5)), "upper_bound_gbps is claimed to be"),
    "negative length": (change("certificate", "length", to=first_negative), "certificate.length has a negative"),
    "NaN length": (change("certificate", "length", to=first_nan), "certificate.length has a negative or infinite"),
    "no length": (change("certificate", "length", to=lambda values: 0 * values), "the lengths are zero"),
    "missing length": (
        change("certificate", "length", to=lambda values: values[1:]),
        "certificate.length has the shape",
    ),
    "access length": (
        change("certificate", "up_length", to=lambda values: values + 1.0),
        "up_length has a length on a link without a limit",
    ),
    "share": (change("certificate", "share", to=at(LARGEST, 0.5)), "the shares of a demand do not sum to 1"),
    "negative share": (change("certificate", "share", to=first_negative), "certificate.share has a negative"),
    "shares moved": (
        change("certificate", "share", to=lambda s: s[::-1]),
        "fractions at a switch that traffic passes do not sum to 1",
    ),
    "fraction": (change("certificate", "split_fraction", to=at(LARGEST, 0.5)), "do not sum to 1"),
    "fractions even": (
        change("certificate", "split_fraction", to=lambda f: f[::-1]),
        "fractions at a switch that traffic passes do not sum to 1",
    ),
    "negative fraction": (change("certificate", "split_fraction", to=first_negative), "split_fraction has a negative"),
    "arc": (change("certificate", "split_arc", to=lambda a: a[::-1]), "names an unknown arc"),
    "unknown arc": (change("certificate", "split_arc", to=lambda a: a + 10**6), "names an unknown arc"),
    "rows": (change("certificate", "split_ptr", to=lambda p: p[:-1]), "split_ptr does not describe the rows"),
    "rows shifted": (change("certificate", "split_ptr", to=lambda p: np.maximum(p - 1, 0)), "split_ptr does not"),
    "no certificate": (put("certificate", lambda _: None), "there is no certificate"),
    "zero without certificate": (
        together(
            put("certificate", lambda _: None),
            put("binding", lambda _: "disconnected"),
            *(put(key, lambda _: 0.0) for key in ("throughput_gbps", "lower_bound_gbps", "upper_bound_gbps")),
            put("relative_gap", lambda _: 0.0),
        ),
        "every demand has one",
    ),
    "bottleneck share": (
        lambda d: d["bottlenecks"][-1].update(share=d["bottlenecks"][-1]["share"] / 2),
        "bottlenecks.9 is claimed to be core",
    ),
    "bottleneck name": (
        lambda d: d["bottlenecks"][0].update(link=["x", "y"]),
        "bottlenecks.0 is claimed to be core 'x' -> 'y'",
    ),
    "bottleneck plane": (lambda d: d["bottlenecks"][0].update(plane=99), "bottlenecks.0 is claimed .* of plane 99, "),
    "bottleneck speed": (
        lambda d: d["bottlenecks"][0].update(capacity_gbps=7.0),
        "bottlenecks.0 is claimed .* at 7.0 Gb/s",
    ),
    "equivalent bottlenecks": (
        lambda d: d["bottlenecks"][0].update(equivalent=d["bottlenecks"][0]["equivalent"] + 1),
        "bottlenecks.0 is claimed .*, one of ",
    ),
    "bottleneck hidden": (lambda d: d["bottlenecks"].pop(0), "9 bottlenecks are listed, but the proof gives 10"),
    "bottlenecks cut short": (lambda d: d.update(bottlenecks=d["bottlenecks"][:1]), "1 bottlenecks are listed"),
    "bottlenecks swapped": (lambda d: d["bottlenecks"].reverse(), "bottlenecks.0 is claimed"),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_is_caught(name: str, document: Document, tmp_path: Path) -> None:
    changed = json.loads(json.dumps(document))
    tamper, sentence = TAMPERINGS[name]
    tamper(changed)
    path = written(tmp_path, changed)
    with pytest.raises(PnetError, match=sentence) as raised:
        verify_file(path)
    assert str(raised.value).startswith(str(path))


HOST_TAMPERINGS: dict[str, tuple[Callable[[Document], None], str]] = {
    "access speed": (change(*PLANE, "access_up_gbps", to=at(LARGEST, 2.0)), "network.fingerprint is claimed"),
    "host moved": (change(*PLANE, "host_switch", to=lambda s: np.roll(s, 1)), "network.fingerprint is claimed"),
    "access length": (
        change("certificate", "up_length", to=lambda values: values + 1.0),
        "1 bottlenecks are listed, but the proof gives 3",
    ),
    "negative access length": (change("certificate", "down_length", to=first_negative), "down_length has a negative"),
    "bottleneck host": (
        lambda d: d["bottlenecks"][0].update(link=["h5", "0"]),
        "bottlenecks.0 is claimed to be access-up 'h5' -> '0'",
    ),
}


@pytest.mark.parametrize("name", HOST_TAMPERINGS)
def test_tampering_with_hosts_is_caught(name: str, hosts: Document, tmp_path: Path) -> None:
    changed = json.loads(json.dumps(hosts))
    tamper, sentence = HOST_TAMPERINGS[name]
    tamper(changed)
    with pytest.raises(CertificateError, match=sentence):
        verify_file(written(tmp_path, changed))


@pytest.mark.parametrize(
    ("plane", "key"),
    [
        (Plane.from_cables(3, [0, 1], [1, 2], 9.0, racks=[0, 2]), "rack_switch"),
        (
            Plane.from_cables(3, [0, 1], [1, 2], 9.0, host_switch=[0, 2], access_gbps=2.0, host_names=["a", "b"]),
            "host_switch",
        ),
    ],
)
def test_every_plane_has_the_order_of_the_first(plane: Plane, key: str, tmp_path: Path) -> None:
    """Even where the fingerprint is that of the reordered plane."""
    level = "host" if plane.host_count else "rack"
    traffic = TrafficMatrix.from_entries(level, 2, [0], [1], 1.0)
    document = json.loads(stored(tmp_path / "r.json", Network.from_planes([plane, plane]), traffic).read_text())
    other = document["instance"]["network"]["planes"][1]
    keys = ["rack_switch"] if level == "rack" else ["host_switch", "access_up_gbps", "access_down_gbps"]
    for name in keys:
        change(name, to=lambda values: values[::-1])(other)
    other["host_names"].reverse()
    with pytest.raises(PnetError, match=f"planes.1.{key}: not as a solve writes it"):
        verify_file(written(tmp_path, document))


@pytest.mark.parametrize(("factor", "wrong"), [(0.5, "throughput_gbps"), (2.0, "upper_bound_gbps")])
def test_another_network_needs_another_proof(factor: float, wrong: str, document: Document, tmp_path: Path) -> None:
    """A fingerprint that fits the changed network does not help."""
    changed = json.loads(json.dumps(document))
    for key in ("capacity_uv_gbps", "capacity_vu_gbps"):
        change(*PLANE, key, to=lambda values: values * factor)(changed)
    changed["network"]["fingerprint"] = load_result(written(tmp_path, changed)).network.fingerprint
    with pytest.raises(CertificateError, match=f"{wrong} is claimed to be"):
        verify_file(written(tmp_path, changed))


def test_uncertified_bounds_hold(tmp_path: Path) -> None:
    network, traffic = random_network(3)
    path = stored(tmp_path / "r.json", network, traffic, solver="structured", tolerance=1e-9, max_iterations=20)
    assert verify_file(path).status == "bounds"
    changed = json.loads(path.read_text())
    changed["status"] = "certified"
    with pytest.raises(CertificateError, match="the status is claimed to be 'certified'"):
        verify_file(written(tmp_path, changed))


def islands() -> tuple[Network, TrafficMatrix]:
    network = Network.from_planes([Plane.from_cables(4, [0, 2], [1, 3])])
    return network, TrafficMatrix.from_entries("rack", 4, [0, 0], [1, 3])


def dead_access() -> tuple[Network, TrafficMatrix]:
    network = Network.from_planes([one_switch(3, [0.0, 1.0, 1.0])])
    return network, TrafficMatrix.from_entries("host", 3, [0, 1], [1, 2])


@pytest.mark.parametrize("case", [islands, dead_access])
def test_disconnection_is_recomputed(case: Callable[[], tuple[Network, TrafficMatrix]], tmp_path: Path) -> None:
    path = stored(tmp_path / "r.json", *case())
    found = verify_file(path)
    assert (found.interval.lower, found.interval.upper) == (0.0, 0.0)
    changed = json.loads(path.read_text())
    for key in ("throughput_gbps", "lower_bound_gbps", "upper_bound_gbps"):
        changed[key] = 1.0
    with pytest.raises(CertificateError, match="throughput_gbps is claimed to be"):
        verify_file(written(tmp_path, changed))
    changed = json.loads(path.read_text()) | {"binding": "cut"}
    with pytest.raises(CertificateError, match="binding is claimed to be 'cut', but the proof gives 'disconnected'"):
        verify_file(written(tmp_path, changed))


def test_wrong_classes_are_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An aggregation that joins hosts of unequal demand is not believed, whatever made it."""
    network = Network.from_planes([Plane.from_cables(1, [], [], racks=[0], host_switch=[0] * 4, access_gbps=1.0)])
    traffic = TrafficMatrix.from_entries("host", 4, [0, 1], [2, 3], [1.0, 3.0])
    path = stored(tmp_path / "r.json", network, traffic, tolerance=1e-6)

    def joined(attach: IntArray, up: FloatArray, down: FloatArray, _: TrafficMatrix, merge: bool) -> Classes:
        assert merge
        pair = [0, 2]
        return Classes(
            attach=ints(attach[:, pair]),
            access_up=floats(2 * up[:, pair]),
            access_down=floats(2 * down[:, pair]),
            demands=Pairs(ints([0]), ints([1]), floats([4.0])),
            endpoint_class=ints([0, 0, 1, 1]),
        )

    monkeypatch.setattr("pnet_lp.model.flow.endpoint_classes", joined)
    with pytest.raises(CertificateError, match="members of a class have different demands"):
        verify_file(path)


def problem_of(tail: list[int], head: list[int], length: list[float], n: int) -> tuple[FlowProblem, np.ndarray]:
    """Directed arcs 0 -> ...: cables whose direction back carries nothing."""
    network = Network.from_planes(
        [Plane.from_cables(n, tail, head, 1.0, capacity_back_gbps=[0.0] * len(tail), racks=range(n))]
    )
    traffic = TrafficMatrix.from_entries("rack", n, [0] * (n - 1), range(1, n))
    problem = build_problem(network, traffic)
    return problem, np.array(length)[problem.arc_id // 2]


def test_zero_length_arcs_are_arcs() -> None:
    problem, length = problem_of([0, 1, 2, 0], [1, 2, 3, 3], [0.0, 0.0, 2.0, 3.0], 4)
    assert demand_distances(problem, 0, length).tolist() == [0.0, 0.0, 2.0]


def test_shortest_of_parallel_arcs_counts() -> None:
    problem, length = problem_of([0, 0, 0, 1], [1, 1, 1, 2], [5.0, 2.0, 3.0, 1.0], 3)
    assert demand_distances(problem, 0, length).tolist() == [2.0, 3.0]


def test_direction_counts() -> None:
    problem, length = problem_of([0, 2], [1, 1], [1.0, 1.0], 3)
    assert demand_distances(problem, 0, length).tolist() == [1.0, np.inf]
    assert reachable(problem).tolist() == [[True, False]]


@pytest.mark.parametrize("priced", [0.05, 0.2, 0.4, 0.7, 1.0])
def test_distances_are_those_of_networkx(priced: float) -> None:
    graph = nx.random_regular_graph(4, 20, seed=1)
    network = Network.from_planes([plane(graph)])
    traffic = TrafficMatrix.from_dense("rack", np.ones((20, 20)) - np.eye(20))
    problem = build_problem(network, traffic)
    draw = np.random.default_rng(1)
    length = draw.random(len(problem.tail)) * (draw.random(len(problem.tail)) < priced)
    arcs = nx.DiGraph()
    arcs.add_weighted_edges_from(zip(problem.tail, problem.head, length, strict=True))
    exact = dict(nx.all_pairs_dijkstra_path_length(arcs))
    expected = [exact[s][t] for s, t in zip(problem.src, problem.dst, strict=True)]
    assert demand_distances(problem, 0, length) == pytest.approx(expected, abs=1e-15)


def test_propagation_joins_what_was_split() -> None:
    split = Split(np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3]), np.arange(4), np.array([0.25, 0.75, 1.0, 1.0]))
    amount = np.array([8.0, 1.0, 0.0, 0.0])
    carried, left = propagate(amount, split)
    assert left == 0
    assert carried.tolist() == [2.0, 6.0, 3.0, 6.0]
    assert amount.tolist() == [8.0, 3.0, 6.0, 9.0]


def test_propagation_reports_a_cycle() -> None:
    split = Split(np.array([0, 1, 2]), np.array([1, 2, 1]), np.arange(3), np.ones(3))
    assert propagate(np.array([1.0, 0.0, 0.0]), split)[1] == 2


def test_a_gap_of_nothing_may_be_an_integer() -> None:
    """As JavaScript writes it; what the proof gives is a bit above."""
    check = Checks("r.json")
    check.same("relative_gap", 0, 1.3e-16)
    with pytest.raises(CertificateError, match="relative_gap is claimed to be 0"):
        check.same("relative_gap", 0, 1e-6)
    with pytest.raises(CertificateError, match="demands is claimed to be 0"):
        check.same("demands", 0, 1.3e-16)
