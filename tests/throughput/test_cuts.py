"""What the links of its own columns allow a demand, and fair rates as close to it as the tolerance."""

from pathlib import Path

import numpy as np
import pytest

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.routing import parse_routing
from pnet_lp.throughput import solve
from pnet_lp.throughput.objectives import SolveContext, max_min
from pnet_lp.throughput.objectives.max_min.interior_point import InteriorPoint
from pnet_lp.throughput.objectives.max_min.levels import Strategy
from pnet_lp.throughput.objectives.max_min.own_links import OwnLinks
from pnet_lp.throughput.objectives.max_min.simplex import Simplex
from pnet_lp.throughput.problems import Problem
from pnet_lp.throughput.problems.base import ColumnProblem
from pnet_lp.throughput.problems.cuts import Cuts
from pnet_lp.throughput.problems.state import state_problem
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import all_to_all, one_switch, random_network


def columns(network: Network, routing: str, traffic: TrafficMatrix) -> ColumnProblem:
    found = state_problem(network, traffic, parse_routing(routing)).over_columns
    assert found is not None
    return found


def test_a_cut_is_what_is_narrowest_for_the_columns_that_share_it() -> None:
    """Hosts 1 and 2 are equivalent: what both send and receive is one demand each, on links of 2 + 2 in each plane."""
    up, down = [[1.0, 2.0, 2.0], [3.0, 2.0, 2.0]], [[3.5, 2.0, 2.0], [5.0, 2.0, 2.0]]
    network = Network.from_planes([one_switch(3, u, d) for u, d in zip(up, down, strict=True)])
    cuts = Cuts.of(columns(network, "ksp:2", all_to_all(network, "host")))
    # From host 0: 1 + 3 up.  To it: 3.5 down in one plane, 4 up in the other.  Between the others: 4 + 4.
    assert cuts.most.tolist() == [4.0, 7.5, 8.0]


@pytest.mark.parametrize("seed", range(8))
def test_each_column_crosses_the_cut_of_its_demand(seed: int) -> None:
    network, traffic = random_network(seed)
    problem = columns(network, "ksp:3", traffic)
    cuts = Cuts.of(problem)
    for j in range(problem.demand_count):
        only = np.arange(problem.demand_count) == j
        lengths = cuts.lengths(only)
        mine = problem.demand_of_column == j
        assert (problem.usage.T @ lengths)[mine].min() >= 1
        assert cuts.most[j] == pytest.approx(problem.flow.link_capacity[lengths > 0].sum())
    fair = solve(network, traffic, objective="max-min", routing="ksp:3", tolerance=1e-6)
    assert np.all(fair.rates_gbps <= cuts.most * (1 + 1e-9))


@pytest.mark.parametrize("solver", ["auto", "highs-simplex", "highs-ipx"])
@pytest.mark.parametrize("seed", range(1))
def test_demands_that_their_own_links_hardly_allow_more_are_fixed(
    seed: int, solver: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tenth below what their cuts carry is close enough where a tenth is the tolerance, and is proved.

    They are looked for where a program fixes few demands, which each one here counts as.
    """

    def few_at_a_time(problem: Problem, context: SolveContext, *, capped: bool) -> tuple[list[Strategy], Strategy]:
        assert not capped
        columns = problem.over_columns
        assert columns is not None
        own = OwnLinks(columns)
        turns: dict[str, list[Strategy]] = {
            "auto": [InteriorPoint(own, many=2.0, partial=True), Simplex(own, steps_per_row=1)],
            "highs-simplex": [Simplex(own, steps_per_row=None)],
            "highs-ipx": [],
        }
        return turns[context.solver], InteriorPoint(own, many=2.0)

    network = build_network("jellyfish:k=6", planes=2, variant="heterogeneous", seed=seed)
    traffic = build_traffic("permutation:kind=pairs", network, "host", seed=seed).scaled(100)
    requested = {"objective": "max-min", "routing": "ksp:6", "solver": solver}
    monkeypatch.setattr(max_min, "strategies", few_at_a_time)
    monkeypatch.setattr(max_min, "over_trees", lambda _: None)
    monkeypatch.setattr(max_min, "at_vertices", lambda _: None)
    exact, loose = (solve(network, traffic, **requested, tolerance=tolerance) for tolerance in (1e-5, 0.1))
    assert exact.status == loose.status == "certified"
    assert np.sort(loose.rates_gbps) == pytest.approx(np.sort(exact.rates_gbps), rel=0.1)
    save_result(tmp_path / "loose.json", network, traffic, loose)
    assert 1e-3 < verify_file(tmp_path / "loose.json").gap <= 0.1
