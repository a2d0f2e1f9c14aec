"""``max-min`` at vertices over a tree for each destination: the rates of the whole program, and proofs that hold."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.flow import build_problem
from pnet_lp.model.servers import Servers
from pnet_lp.routing import parse_routing
from pnet_lp.throughput import solve
from pnet_lp.throughput.objectives import max_min
from pnet_lp.throughput.objectives.base import SolveContext
from pnet_lp.throughput.objectives.max_min import vertices
from pnet_lp.throughput.objectives.max_min.levels import State
from pnet_lp.throughput.objectives.max_min.vertices import has_trees, over_trees
from pnet_lp.throughput.problems import ArcProblem, state_problem
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.solvers import SolveOptions
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from ..unlisted import unlisted
from .conftest import case_of, random_network

Case = tuple[Network, TrafficMatrix]


def always(patch: pytest.MonkeyPatch) -> None:
    """There are trees wherever paths are not given, and no other search for levels."""
    patch.setattr(vertices, "_DENSE", 0.0)
    patch.setattr(vertices, "_SPARSE", np.inf)
    for name in ("by_cuts", "at_vertices", "with_growing_paths", "by_columns", "all_levels"):
        patch.setattr(max_min, name, lambda *_: None)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """See :func:`always`."""
    always(monkeypatch)


@pytest.mark.parametrize("routing", ["ideal", "ecmp-lp"])
@pytest.mark.parametrize(
    "case",
    [
        case_of("jellyfish:k=4", "permutation"),
        case_of("jellyfish:k=4", "random:flows=2", planes=2),
        case_of("jellyfish:k=4", "random:flows=2", planes=3, equal=True),
        case_of("jellyfish:k=4", "permutation", "host"),
        case_of("jellyfish:k=4", "gravity", "host"),
        case_of("torus:dims=3x4", "skewed"),
        case_of("fat-tree:k=4", "all-to-all", planes=2, equal=True),
    ],
)
def test_rates_are_those_of_the_whole_program(tmp_path: Path, case: Case, routing: str) -> None:
    with pytest.MonkeyPatch.context() as patch, unlisted():
        always(patch)
        ours = solve(*case, objective="max-min", routing=routing)
    theirs = solve(*case, objective="max-min", routing=routing, solver="highs-simplex")
    assert ours.status == theirs.status == "certified"
    assert ours.figures["relative_gap"] <= 1e-6
    assert ours.rates_gbps == pytest.approx(theirs.rates_gbps, rel=2e-3)
    save_result(path := tmp_path / "a.json", *case, ours)
    assert verify_file(path).figures["relative_gap"] <= 1e-6


@given(seed=st.integers(0, 1_000_000), routing=st.sampled_from(["ideal", "ecmp-lp"]))
def test_rates_are_those_of_another_search(seed: int, routing: str) -> None:
    case = random_network(seed)
    with pytest.MonkeyPatch.context() as patch, unlisted():
        always(patch)
        ours = solve(*case, objective="max-min", routing=routing)
    theirs = solve(*case, objective="max-min", routing=routing, solver="highs-simplex", tolerance=1e-5)
    assert ours.status == "certified"
    if theirs.status == "certified":
        assert ours.rates_gbps is not None
        # A demand of a millionth of the others gets what these leave within the tolerance.
        little = 1e-5 * float(ours.rates_gbps.max())
        assert ours.rates_gbps == pytest.approx(theirs.rates_gbps, rel=1e-3, abs=little)


@pytest.mark.usefixtures("alone")
def test_levels_worked_out_by_hand() -> None:
    plane = Plane.from_cables(3, [0, 0, 1], [2, 1, 2], [10.0, 4.0, 4.0])
    traffic = TrafficMatrix.from_entries("rack", 3, [0, 0, 1], [1, 2, 2], [1.0, 1.0, 3.0])
    found = solve(Network.from_planes([plane]), traffic, objective="max-min")
    # Out of 1 go 8 Gb/s, half of them by way of 0, which leaves 6 of 10 Gb/s from 0 to 2: 5, and 1 of 5 from 0 to 1.
    assert found.rates_gbps == pytest.approx([5.0, 5.0, 8.0], rel=1e-11)
    assert found.figures["relative_gap"] < 1e-9


@pytest.mark.parametrize("pattern", ["gravity", "random:flows=3"])
def test_arcs_may_share_the_capacity_of_one_link(pattern: str) -> None:
    scale_up = build_network("single-switch:hosts=2").planes[0]
    network = build_network("single-switch:hosts=4", planes=2, servers=Servers(scale_up, "ends", 2))
    case = network, build_traffic(pattern, network, seed=1)
    assert build_problem(network.graph, case[1].on_graph(network)).partner is not None
    with pytest.MonkeyPatch.context() as patch:
        always(patch)
        ours = solve(*case, objective="max-min")
    theirs = solve(*case, objective="max-min", solver="highs-simplex")
    assert ours.status == theirs.status == "certified"
    assert ours.rates_gbps == pytest.approx(theirs.rates_gbps, rel=2e-3)


@pytest.mark.usefixtures("alone")
def test_the_number_of_threads_changes_no_bit() -> None:
    case = case_of("mesh:dims=5x5", "gravity")
    one, two = (solve(*case, objective="max-min", threads=n) for n in (1, 2))
    assert np.array_equal(one.rates_gbps, two.rates_gbps)
    assert [level.upper for level in one.levels] == [level.upper for level in two.levels]


@pytest.mark.usefixtures("alone")
def test_a_first_level_of_many_steps_begins_at_first_order_flows(tmp_path: Path) -> None:
    case = case_of("random-regular:n=60,degree=4", "random:flows=15")
    found = solve(*case, objective="max-min")
    assert found.status == "certified"
    # 5,000 are waited for; from nothing it takes more than three times as many.
    assert 5_000 < found.iterations < 10_000
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] < 1e-6


def test_a_limit_of_iterations_leaves_what_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    always(monkeypatch)
    problem = ArcProblem(build_problem(*case_of("torus:dims=4x4", "gravity")))
    whole = over_trees(State.zero(problem, SolveContext()))
    assert whole is not None
    assert not whole.active.any()
    some = over_trees(State.zero(problem, SolveContext(options=SolveOptions(max_iterations=whole.iterations // 2))))
    assert some is not None
    assert 0 < some.iterations <= whole.iterations // 2
    assert some.active.any()
    assert len(some.levels) > 1
    assert np.array_equal(some.levels[0].demands, whole.levels[0].demands)


def test_a_large_backbone_is_certified_where_paths_are_too_many(tmp_path: Path) -> None:
    # A tree of 60 switches with 10 more cables, all pairs: 3,540 demands, and some 180 levels.
    random = np.random.default_rng(3)
    pairs = {(int(random.integers(v)), v) for v in range(1, 60)}
    while len(pairs) < 69:
        u, v = sorted(random.choice(60, 2, replace=False).tolist())
        pairs.add((u, v))
    ends = sorted(pairs)
    speeds = random.choice([1.0, 10.0, 100.0], len(ends))
    network = Network.from_planes([Plane.from_cables(60, [u for u, _ in ends], [v for _, v in ends], list(speeds))])
    traffic = TrafficMatrix.from_dense("rack", 1.0 - np.eye(60))
    found = solve(network, traffic, objective="max-min")
    assert found.status == "certified"
    assert found.figures["relative_gap"] < 1e-6
    save_result(path := tmp_path / "a.json", network, traffic, found)
    assert verify_file(path).figures["relative_gap"] < 1e-6


@pytest.mark.parametrize(
    ("topology", "pattern", "trees"),
    [
        ("mesh:dims=5x5", "gravity", True),
        ("mesh:dims=5x5", "permutation", False),  # Most of each tree would carry nothing.
        ("hyperx:dims=5x5", "gravity", False),  # Too many links may limit.
    ],
)
def test_where_there_are_trees(topology: str, pattern: str, trees: bool) -> None:
    network, traffic = case_of(topology, pattern)
    assert has_trees(state_problem(network, traffic, parse_routing("ideal"))) == trees
    assert not has_trees(state_problem(network, traffic, parse_routing("ksp:2")))


def test_what_trees_lose_paths_may_find(tmp_path: Path) -> None:
    # Capacities over eight powers of ten: trees lose their precision at the ninth level.
    random = np.random.default_rng(45)
    n = int(random.integers(5, 14))
    ends = [(int(random.integers(v)), v) for v in range(1, n)]
    ends += [(u, v) for u, v in random.integers(0, n, (n, 2)).tolist() if u != v]
    speeds = 10.0 ** random.uniform(-3, 6, len(ends))
    demand = random.exponential(size=(n, n))
    np.fill_diagonal(demand, 0)
    network = Network.from_planes([Plane.from_cables(n, [u for u, _ in ends], [v for _, v in ends], list(speeds))])
    traffic = TrafficMatrix.from_dense("rack", demand)
    alone = over_trees(State.zero(ArcProblem(build_problem(network, traffic)), SolveContext()))
    assert alone is not None
    assert alone.active.any()
    found = solve(network, traffic, objective="max-min")
    assert found.status == "certified"
    save_result(path := tmp_path / "a.json", network, traffic, found)
    assert verify_file(path).figures["relative_gap"] < 1e-6
