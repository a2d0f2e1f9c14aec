"""Flows over all shortest paths that are not listed: the values of lists, and proofs that hold."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp import _core
from pnet_lp.errors import CertificateError, SpecError
from pnet_lp.model import Network, PathCertificate, Plane, ShortestCertificate, ThroughputResult, TrafficMatrix
from pnet_lp.model.flow import build_problem
from pnet_lp.model.network import Level
from pnet_lp.routing import parse_routing
from pnet_lp.throughput import solve
from pnet_lp.throughput.carried import carried_paths
from pnet_lp.throughput.problems import state_problem
from pnet_lp.throughput.proofs.store import load_result, save_result
from pnet_lp.throughput.verify import verify, verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from ..unlisted import unlisted

OBJECTIVES = ["concurrent", "total", "min-cost:at=0.5", "max-min", "max-min:cap=demand"]


def by_destination(network: Network, traffic: TrafficMatrix, **options: Any) -> ThroughputResult:
    with unlisted():
        return solve(network, traffic, routing="ecmp-lp", **options)


def checked(folder: Path, network: Network, traffic: TrafficMatrix, found: ThroughputResult) -> None:
    assert isinstance(found.certificate, ShortestCertificate)
    save_result(path := folder / "r.json", network, traffic, found)
    assert verify_file(path).status == found.status == "certified"


def torus(level: Level = "rack") -> tuple[Network, TrafficMatrix]:
    network = build_network("torus:dims=4x4", planes=2, hosts_per_switch=2)
    return network, build_traffic("random:flows=3", network, level, seed=1)


def unlike(policy: str = "any") -> tuple[Network, TrafficMatrix]:
    """Planes that differ, in metrics too, so that policies matter."""
    rng = np.random.default_rng(len(policy))
    planes = []
    for _ in range(2):
        u, v = np.triu_indices(9, 1)
        kept = rng.random(len(u)) < 0.5
        kept[:8] = True
        u, v = u[kept], v[kept]
        planes.append(Plane.from_cables(9, u, v, rng.uniform(1, 3, len(u)), metric=rng.integers(1, 4, len(u))))
    src, dst = np.nonzero(~np.eye(9, dtype=bool))
    traffic = TrafficMatrix.from_entries("rack", 9, src, dst, rng.uniform(0.1, 1, len(src)))
    return Network.from_planes(planes), traffic


@pytest.mark.parametrize(
    ("objective", "solver"),
    # Column generation knows no caps.
    [(objective, solver) for solver in ("auto", "highs-simplex") for objective in OBJECTIVES]
    + [(objective, "columns") for objective in OBJECTIVES if "cap" not in objective],
)
def test_values_are_those_over_lists(tmp_path: Path, objective: str, solver: str) -> None:
    network, traffic = torus()
    listed = solve(network, traffic, routing="ecmp-lp", objective=objective)
    found = by_destination(network, traffic, objective=objective, solver=solver)
    assert found.value == pytest.approx(listed.value, rel=3e-4)
    checked(tmp_path, network, traffic, found)


@pytest.mark.parametrize("policy", ["any", "shortest", "round-robin"])
@pytest.mark.parametrize("objective", ["concurrent", "max-min", "min-cost"])
def test_planes_are_those_of_the_policy(tmp_path: Path, policy: Any, objective: str) -> None:
    network, traffic = unlike()
    options = {"objective": objective, "plane_policy": policy}
    listed = solve(network, traffic, routing="ecmp-lp", **options)
    found = by_destination(network, traffic, **options)
    assert found.value == pytest.approx(listed.value, rel=3e-4)
    checked(tmp_path, network, traffic, found)


def test_access_links_limit_hosts(tmp_path: Path) -> None:
    network, traffic = torus("host")
    found = by_destination(network, traffic)
    assert found.value == pytest.approx(solve(network, traffic, routing="ecmp-lp").value, rel=3e-4)
    checked(tmp_path, network, traffic, found)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_planes_of_the_same_cables_carry_different_demands(tmp_path: Path, objective: str) -> None:
    # On a line of four the first host has no link into one plane.
    planes = [
        Plane.from_cables(4, [0, 1, 2], [1, 2, 3], 1.0, host_switch=at, access_gbps=[10.0 * (s >= 0) for s in at])
        for at in ([-1, 1, 3], [0, 1, 3])
    ]
    network, traffic = Network.from_planes(planes), TrafficMatrix.from_entries("host", 3, [0, 1], [2, 2], [1.0, 1.0])
    found = by_destination(network, traffic, objective=objective)
    assert found.value == pytest.approx(solve(network, traffic, routing="ecmp-lp", objective=objective).value, rel=3e-4)
    checked(tmp_path, network, traffic, found)


def test_a_plane_is_drawn_for_each_flow_of_a_list() -> None:
    network, traffic = torus()
    found = by_destination(network, traffic, plane_policy="single")
    assert isinstance(found.certificate, PathCertificate)


@pytest.mark.parametrize("options", [{"solver": "structured"}, {"least_load": True}])
def test_what_needs_a_list_has_one(options: dict[str, Any]) -> None:
    network, traffic = torus()
    assert isinstance(by_destination(network, traffic, **options).certificate, PathCertificate)


def test_short_lists_stay_lists() -> None:
    assert isinstance(solve(*torus(), routing="ecmp-lp").certificate, PathCertificate)


def test_no_list_would_fit(tmp_path: Path) -> None:
    """In a hypercube each direction has half of all pairs, and d! paths join opposite switches."""
    network = build_network("hypercube:d=9")
    traffic = build_traffic("all-to-all", network, "rack")
    found = solve(network, traffic, routing="ecmp-lp")
    assert found.value == pytest.approx(100 / 2**8, rel=1e-9)
    checked(tmp_path, network, traffic, found)


def test_a_flow_for_k_over_shortest_paths_is_the_cheapest(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr("pnet_lp.throughput.objectives.min_cost.solve_goal", never)
    found = by_destination(*torus(), objective="min-cost")
    assert found.status == "certified"
    assert found.figures["carried_gbps"] == pytest.approx(found.figures["asked_gbps"], rel=1e-9)


def test_the_number_of_threads_changes_no_bit() -> None:
    network, traffic = unlike()
    one, two = (by_destination(network, traffic, objective="total", threads=n) for n in (1, 2))
    assert np.array_equal(one.rates_gbps, two.rates_gbps)


def test_demands_without_a_path_are_left_out(tmp_path: Path) -> None:
    plane = Plane.from_cables(5, [0, 1, 2, 0], [1, 2, 3, 3], [1.0, 2.0, 3.0, 4.0])
    traffic = TrafficMatrix.from_entries("rack", 5, [0, 1, 3], [2, 4, 1], [1.0, 1.0, 1.0])
    network = Network.from_planes([plane])
    found = by_destination(network, traffic, objective="total")
    assert found.rates_gbps is not None
    assert found.rates_gbps.tolist() == pytest.approx([1.0, 0.0, 1.0])
    checked(tmp_path, network, traffic, found)
    paths = carried_paths(network.graph, traffic, found)
    assert set(paths.demand.tolist()) == {0, 2}
    assert set((paths.last - paths.first).tolist()) == {2}
    assert paths.rate.sum() == pytest.approx(2.0)


def test_a_limit_leaves_bounds(tmp_path: Path) -> None:
    network, traffic = unlike()
    for objective in OBJECTIVES[:4]:
        found = by_destination(network, traffic, objective=objective, max_iterations=1)
        save_result(path := tmp_path / "a.json", network, traffic, found)
        assert verify_file(path).status == found.status


def test_a_start_needs_lists() -> None:
    network, traffic = torus()
    start = by_destination(network, traffic).certificate
    with pytest.raises(SpecError, match="given paths"):
        by_destination(network, traffic, start=start)


def test_what_leads_off_shortest_paths_is_refused(tmp_path: Path) -> None:
    # A ring of five: from 0 to 2 by way of 1 only.
    plane = Plane.from_cables(5, [0, 1, 2, 3, 4], [1, 2, 3, 4, 0], 1.0)
    network, traffic = Network.from_planes([plane]), TrafficMatrix.from_entries("rack", 5, [0], [2], [1.0])
    save_result(path := tmp_path / "r.json", network, traffic, by_destination(network, traffic))
    stored: Any = load_result(path)
    assert verify(stored).figures["throughput_gbps"] == pytest.approx(1.0)
    flow = build_problem(network, traffic)
    ends = zip(flow.tail.tolist(), flow.head.tolist(), strict=True)
    arcs = np.array([a for a, end in enumerate(ends) if end in {(0, 4), (4, 3), (3, 2)}], dtype=np.int32)
    forged = replace(
        stored.certificate,
        split_ptr=np.array([0, len(arcs)], dtype=np.int32),
        split_arc=arcs,
        split_fraction=np.ones(len(arcs)),
    )
    with pytest.raises(CertificateError, match="on no shortest path"):
        verify(replace(stored, certificate=forged))


@pytest.mark.parametrize("changes", [{"routing": "ksp:2"}, {"plane_policy": "single"}])
def test_other_routings_have_other_paths(tmp_path: Path, changes: dict[str, str]) -> None:
    network, traffic = torus()
    save_result(path := tmp_path / "r.json", network, traffic, by_destination(network, traffic))
    stored = load_result(path)
    with pytest.raises(CertificateError, match="does not have all shortest paths"):
        verify(replace(stored, claims={**stored.claims, **changes}))


def line_of(metric: list[int]) -> Plane:
    return Plane.from_cables(3, [0, 1], [1, 2], 1.0, metric=metric)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    ("planes", "demands"),
    [
        # No switch of the one part is near any destination in the other.
        ([Plane.from_cables(4, [0, 2], [1, 3], 1.0)], {(0, 1): 1.0}),
        # Of parallel cables one is nearer, which no step may forget.
        ([Plane.from_cables(4, [0, 0, 1, 1], [1, 1, 2, 3], 1.0, metric=[3, 1, 1, 1])], {(0, 2): 1.0, (0, 3): 1.0}),
        # The path with the fewest links is not the shortest, or is, where so little fits at once.
        ([Plane.from_cables(4, [0, 2, 3, 3], [1, 1, 2, 0], 1.0, metric=[1, 3, 3, 1])], {(2, 3): 1e-3}),
        ([Plane.from_cables(4, [0, 2, 3, 3], [1, 1, 2, 0], 1.0, metric=[1, 1, 9, 1])], {(2, 3): 1e-3}),
        # Planes of the same cables are none of the same paths.
        ([line_of([1, 1]), line_of([3, 1])], {(0, 1): 1.0, (1, 2): 1.0}),
    ],
)
def test_distances_are_by_metric(
    tmp_path: Path, planes: list[Plane], demands: dict[tuple[int, int], float], objective: str
) -> None:
    network, racks = Network.from_planes(planes), len(planes[0].switch_names)
    src, dst = zip(*demands, strict=True)
    traffic = TrafficMatrix.from_entries("rack", racks, src, dst, list(demands.values()))
    listed = solve(network, traffic, routing="ecmp-lp", objective=objective)
    found = by_destination(network, traffic, objective=objective)
    assert found.value == pytest.approx(listed.value, rel=3e-4)
    checked(tmp_path, network, traffic, found)
    early = by_destination(network, traffic, objective=objective, max_iterations=1)
    save_result(path := tmp_path / "early.json", network, traffic, early)
    assert verify_file(path).status == early.status


def test_memory_does_not_depend_on_the_unit_of_metrics() -> None:
    network = build_network("mesh:dims=6x6")
    cables = len(network.planes[0].cable_u)
    traffic = build_traffic("all-to-all", network, "rack")
    estimates = set()
    for metric in (1, 10_000):
        plane = replace(network.planes[0], metric=np.full((cables, 2), metric, dtype=np.int32))
        with unlisted():
            problem = state_problem(replace(network, planes=(plane,)), traffic, parse_routing("ecmp-lp"), listed=False)
        estimates.add(_core.estimate_columns_bytes(problem.flow.core))
    assert len(estimates) == 1
