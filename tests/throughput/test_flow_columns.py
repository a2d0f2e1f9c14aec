"""``total`` and ``min-cost`` by column generation: the values of HiGHS, proofs that hold, the same bits again."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import InfeasibleError
from pnet_lp.model import Network, Plane, ThroughputResult, TrafficMatrix
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import random_network

TOLERANCE = 1e-6


@st.composite
def cases(draw: st.DrawFn) -> tuple[Network, TrafficMatrix]:
    """Up to three planes on up to nine racks: links dead one way, parallel ones, ties, demands without a path."""
    racks = draw(st.integers(2, 9))
    rack = st.integers(0, racks - 1)
    speed = st.sampled_from([0.0, 1.0, 1.0, 10.0, 1e4])
    planes = []
    for _ in range(draw(st.integers(1, 3))):
        cables = draw(st.lists(st.tuples(rack, rack, speed, speed), min_size=1, max_size=3 * racks))
        cables = [cable for cable in cables if cable[0] != cable[1]] or [(0, 1, 1.0, 1.0)]
        u, v, there, back = np.array(cables).T
        planes.append(
            Plane.from_cables(racks, u.astype(int), v.astype(int), there, capacity_back_gbps=back, racks=range(racks))
        )
    pairs = st.tuples(rack, rack).filter(lambda pair: pair[0] != pair[1])
    chosen = draw(st.lists(pairs, min_size=1, max_size=20, unique=True))
    sizes = [draw(st.sampled_from([1e-3, 1.0, 1.0, 2.5, 40.0])) for _ in chosen]
    src, dst = np.array(chosen).T
    return Network.from_planes(planes), TrafficMatrix.from_entries("rack", racks, src, dst, sizes)


def checked(case: tuple[Network, TrafficMatrix], path: Path, **options: Any) -> ThroughputResult:
    result = solve(*case, **options)
    save_result(path, *case, result)
    assert verify_file(path).figures.keys() == result.figures.keys()
    return result


@settings(max_examples=30, deadline=None)
@given(cases())
def test_the_total_is_that_of_highs(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[Network, TrafficMatrix]
) -> None:
    path = tmp_path_factory.mktemp("total") / "a.json"
    ours = checked(case, path, objective="total", solver="columns", tolerance=TOLERANCE)
    theirs = solve(*case, objective="total", solver="highs-ipx", tolerance=TOLERANCE)
    assert ours.status == "certified"
    assert ours.figures["total_gbps"] == pytest.approx(theirs.figures["total_gbps"], rel=3 * TOLERANCE, abs=1e-12)


def connected(case: tuple[Network, TrafficMatrix]) -> float:
    """K, which is 0 where a demand has no path."""
    return solve(*case, tolerance=1e-7).throughput_gbps


@settings(max_examples=40, deadline=None)
@given(cases(), st.sampled_from([0.1, 0.7, 1.0]))
def test_floors_are_met(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[Network, TrafficMatrix], part: float
) -> None:
    floor = part * min(connected(case), 1.0)
    if floor == 0:
        return
    objective, path = f"total:floor={floor!r}", tmp_path_factory.mktemp("floor") / "a.json"
    ours = checked(case, path, objective=objective, solver="columns", tolerance=1e-5)
    theirs = solve(*case, objective=objective, solver="highs-ipx", tolerance=1e-5)
    if theirs.status == "certified":
        assert ours.status == "certified"
        assert ours.figures["total_gbps"] == pytest.approx(theirs.figures["total_gbps"], rel=1e-4)


@pytest.mark.parametrize("seed", [8, 18, 20, 43])
def test_a_program_that_does_not_move_begins_anew(seed: int) -> None:
    """New paths and rows had left it at the boundary, where these ended with gaps of up to 0.6."""
    case = random_network(seed)
    rate = 0.9 * connected(case)
    assert solve(*case, objective=f"min-cost:at={rate!r}", solver="columns", tolerance=1e-6).status == "certified"


@pytest.mark.parametrize("objective", ["total", "total:floor=0.1"])
def test_many_full_links_take_few_steps(tmp_path: Path, objective: str) -> None:
    """An interior point, which had a row for each of the 400 links, ended with a gap of 0.6 after ten seconds."""
    network = build_network(["jellyfish:k=8"])
    result = checked(
        (network, build_traffic("skewed", network, "rack", seed=1)), tmp_path / "a.json", objective=objective
    )
    assert result.status == "certified"
    assert result.iterations < 1000


@pytest.mark.parametrize("part", [0.9, 0.999])
def test_a_demand_over_hundreds_of_thin_paths(part: float) -> None:
    """Numbers overflowed where little was left beside its 300 paths; and each of these carries little of it."""
    thin, racks, random = 300, 308, np.random.default_rng(1)
    rows = [row for at in range(2, 2 + thin) for row in ((0, at, 1.0), (at, 1, 1.0))]
    for other in range(2 + thin, racks):
        ends = random.choice(thin, 8, replace=False)
        rows += [(other, 2 + end, random.choice([1.0, 5.0, 20.0])) for end in ends]
    u, v, speed = np.array(rows).T
    plane = Plane.from_cables(racks, u.astype(int), v.astype(int), speed, racks=range(racks))
    sources, targets, sizes = [0, *range(2 + thin, racks)], [1, *[1, 0] * 3], [float(thin), *[3.0] * 6]
    case = Network.from_planes([plane]), TrafficMatrix.from_entries("rack", racks, sources, targets, sizes)
    objective = f"min-cost:at={part * solve(*case).throughput_gbps!r}"
    ours = solve(*case, objective=objective, solver="columns")
    theirs = solve(*case, objective=objective, solver="highs-ipx")
    assert ours.status == "certified"
    assert ours.figures["cost_gbps_links"] == pytest.approx(theirs.figures["cost_gbps_links"], rel=2e-4)


def test_where_few_links_limit_an_interior_point_is_first() -> None:
    """First-order steps before it took 120 of its own, for nothing."""
    network = build_network(["dcell:n=12,k=1"])
    traffic = build_traffic("random:flows=8", network, "rack", seed=411)
    result = solve(network, traffic, objective="min-cost:at=6.4", solver="columns")
    assert result.status == "certified"
    assert result.iterations < 60


def test_first_order_steps_follow_an_interior_point_in_vain() -> None:
    """It ends with a gap of 0.2, as more than half of all links limit at the largest K."""
    network = build_network(["fat-clique:s_c=4,s_b=4,n_b=4,block_ports=2,global_ports=2"], planes=4)
    traffic = build_traffic("random:flows=8", network, "rack", seed=1)
    result = solve(network, traffic, objective="min-cost", solver="columns")
    assert result.status == "certified"


@settings(max_examples=30, deadline=None)
@given(cases(), st.sampled_from([1e-3, 0.5, 0.99]), st.integers(0, 2**32 - 1))
def test_the_cost_is_that_of_highs(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[Network, TrafficMatrix], part: float, seed: int
) -> None:
    most = connected(case)
    if most == 0:
        return
    path = tmp_path_factory.mktemp("cost")
    random = np.random.default_rng(seed)
    ends = {
        (p, *pair)
        for p, plane in enumerate(case[0].planes)
        for u, v in zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True)
        for pair in ((u, v), (v, u))
    }
    rows = [f"{p},{u},{v},{random.choice([0.0, 1.0, 1.0, 7.0, 1e3])}\n" for p, u, v in sorted(ends)]
    (path / "costs.csv").write_text("plane,u,v,cost\n" + "".join(rows))
    objective = f"min-cost:at={part * most!r},costs={path / 'costs.csv'}"
    ours = checked(case, path / "a.json", objective=objective, solver="columns", tolerance=1e-5)
    theirs = solve(*case, objective=objective, solver="highs-ipx", tolerance=1e-5)
    assert ours.status == "certified"
    assert ours.figures["cost_gbps_links"] == pytest.approx(theirs.figures["cost_gbps_links"], rel=1e-4)


@pytest.mark.parametrize(
    "objective", ["total", "total:floor=0.05", "min-cost", "min-cost:at=0.5", "min-cost:fraction=0.5"]
)
@pytest.mark.parametrize("level", ["rack", "host"])
def test_datacenters(tmp_path: Path, objective: str, level: Any) -> None:
    network = build_network(["jellyfish:k=6"], planes=2, variant="heterogeneous")
    traffic = build_traffic("permutation", network, level)
    scale = 300 if objective.startswith("total") else 1
    traffic = TrafficMatrix.from_entries(level, traffic.endpoints, traffic.src, traffic.dst, scale * traffic.demand)
    result = checked((network, traffic), tmp_path / "a.json", objective=objective)
    assert result.status == "certified"
    assert result.solver == "columns"


def test_the_same_bits_on_any_number_of_threads() -> None:
    network = build_network(["jellyfish:k=6"])
    traffic = build_traffic("permutation", network, "rack")
    one, two = (solve(network, traffic, objective="min-cost", threads=threads) for threads in (1, 2))
    assert one.figures == two.figures


def test_more_than_fits_is_refused() -> None:
    network = build_network(["ring:n=4"], link_gbps=1)
    traffic = build_traffic("all-to-all", network, "rack")
    most = solve(network, traffic).throughput_gbps
    with pytest.raises(InfeasibleError, match="the matrix does not fit"):
        solve(network, traffic, objective=f"min-cost:at={1.1 * most}", solver="columns")


def test_what_is_left_out_of_the_largest_k_counts() -> None:
    # Steps for a little less than K ended with a gap that, with this little, was more than the tolerance.
    network = build_network("hyperx:dims=10x10x10")
    found = solve(network, build_traffic("hotspot", network, "rack", seed=867), objective="min-cost")
    assert found.status == "certified"
    assert 1 - found.figures["carried_gbps"] / found.figures["asked_gbps"] <= found.tolerance
