"""What only the structured solver promises: equal bits on any threads, identical planes at the price of one."""

import numpy as np
import pytest

from pnet_lp import _core
from pnet_lp.model import ArcCertificate, Network, ThroughputResult, TrafficMatrix
from pnet_lp.throughput import build_problem, solve
from pnet_lp.throughput.problems.merge import merge_planes

from .conftest import random_hosts, random_network


def structured(network: Network, traffic: TrafficMatrix, threads: int = 0) -> ThroughputResult:
    return solve(network, traffic, solver="structured", tolerance=1e-5, threads=threads)


def proof(result: ThroughputResult) -> ArcCertificate:
    assert result.certificate is not None
    return result.certificate


@pytest.mark.parametrize("seed", range(20))
def test_any_number_of_threads_gives_the_same_bits(seed: int) -> None:
    network, traffic = random_network(seed) if seed % 2 else random_hosts(seed)
    one, three = (structured(network, traffic, threads) for threads in (1, 3))
    assert one.interval == three.interval
    assert one.iterations == three.iterations
    for name in ("length", "up_length", "down_length", "share", "split_ptr", "split_arc", "split_fraction"):
        np.testing.assert_array_equal(getattr(proof(one), name), getattr(proof(three), name))


@pytest.mark.parametrize("draw", [random_network, random_hosts])
def test_proportional_planes_are_solved_as_one_and_proved_as_many(draw: type) -> None:
    network, traffic = draw(8)
    plane, *others = network.planes
    grown = Network.from_planes([plane, *others, plane.scaled(4.0), plane])
    assert merge_planes(build_problem(grown, traffic)).problem.plane_count == network.plane_count
    result = structured(grown, traffic)
    reference = solve(grown, traffic, solver="highs-ipx", tolerance=1e-6)
    assert result.interval.lower <= reference.interval.upper
    assert result.interval.upper >= reference.interval.lower
    share = proof(result).share
    np.testing.assert_allclose(share[-2], 4 * share[0])
    np.testing.assert_array_equal(share[-1], share[0])


def test_planes_that_differ_are_not_merged() -> None:
    network, traffic = random_network(1)
    problem = build_problem(network, traffic)
    assert network.plane_count > 1
    assert merge_planes(problem).problem is problem


@pytest.mark.parametrize("most", [0, 3])
def test_iteration_limit_leaves_bounds(most: int) -> None:
    network, traffic = random_network(3)
    result = solve(network, traffic, solver="structured", tolerance=1e-9, max_iterations=most)
    assert result.status == "bounds"
    assert result.iterations == most
    assert 0 < result.interval.lower < result.interval.upper
    assert not result.interrupted


def test_the_core_refuses_inconsistent_arrays() -> None:
    problem = build_problem(*random_network(0))
    flow, lengths = np.zeros(3), np.zeros(problem.access_up.shape)
    with pytest.raises(_core.CoreError, match="do not have the problem's shape"):
        _core.round_flow(problem.core, flow, flow[None, :], flow, lengths, lengths)
    with pytest.raises(_core.CoreError, match="capacity: not positive and finite"):
        _core.FlowProblem(
            problem.node_count, problem.arc_ptr, problem.tail, problem.head, -problem.capacity,
            problem.attach, problem.access_up, problem.access_down, problem.src, problem.dst, problem.demand,
        )  # fmt: skip
