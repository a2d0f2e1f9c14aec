"""The optimum with links down, from the flow and the lengths with all of them up."""

import numpy as np
import pytest

from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.arrays import BoolArray
from pnet_lp.throughput import solve
from pnet_lp.throughput.problems import build_problem
from pnet_lp.throughput.rerouting import Rerouting
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic


def rerouting(network: Network, traffic: TrafficMatrix, tolerance: float = 1e-6) -> tuple[Rerouting, bool]:
    """The optimum, and whether failures can begin there."""
    result = solve(network, traffic, solver="structured", tolerance=tolerance)
    assert result.certificate is not None
    found = Rerouting(build_problem(network, traffic), result.certificate, result.interval, tolerance)
    return found, found.optimise()


def without(found: Rerouting, *cables: int, lost: tuple[int, ...] = ()) -> tuple[float, float, int]:
    """Bounds and steps without these cables."""
    problem = found.problem
    down: BoolArray = np.zeros(len(problem.link_capacity), dtype=np.bool_)
    down[: len(problem.capacity)] = np.isin(problem.arc_id // 2, cables)
    gone = np.zeros(problem.demand_count, dtype=np.bool_)
    gone[list(lost)] = True
    answer = found.without(down, gone)
    assert answer is not None
    return answer.interval.lower, answer.interval.upper, answer.steps


# 0 and 1 are joined by a cable of 10 and, over 2, by two of 40; 3 hangs off 2 by a cable of 10.
PLANE = Plane.from_cables(4, [0, 0, 2, 2], [1, 2, 1, 3], [10.0, 40.0, 40.0, 10.0])
NETWORK = Network.from_planes([PLANE])
TRAFFIC = TrafficMatrix.from_entries("rack", 4, [0, 2], [1, 3], [20.0, 10.0])


def test_what_fits_elsewhere_keeps_its_throughput() -> None:
    found, close = rerouting(NETWORK, TRAFFIC)
    assert close
    # The cable to 3 limits; without the direct cable, 20 Gb/s fit over 2.
    assert (found.best.interval.lower, found.best.interval.upper) == pytest.approx((1, 1))
    lower, upper, _ = without(found, 0)
    assert (lower, upper) == pytest.approx((1, 1))
    # Without the path over 2 half of them remain.
    for cable in (1, 2):
        lower, upper, _ = without(found, cable)
        assert (lower, upper) == pytest.approx((0.5, 0.5))
    # The demand of the cable to 3 is lost with it: 50 Gb/s have room for 20.
    lower, upper, _ = without(found, 3, lost=(1,))
    assert (lower, upper) == pytest.approx((2.5, 2.5))
    # What was asked before changes nothing.
    assert without(found, 0)[:2] == pytest.approx((1, 1))


def test_a_link_without_flow_takes_no_step() -> None:
    # The demand has one short path with room; the detour is not used.
    plane = Plane.from_cables(5, [0, 1, 0, 3, 4], [1, 2, 3, 4, 2], [10.0] * 5)
    traffic = TrafficMatrix.from_entries("rack", 5, [0, 2], [1, 1], [1.0, 1.0])
    found, close = rerouting(Network.from_planes([plane]), traffic)
    assert close
    whole = found.best.interval
    for cable in (2, 3, 4):
        lower, upper, steps = without(found, cable)
        if steps == 0:
            break
    else:
        pytest.fail("every failure took steps")
    assert whole.lower == pytest.approx(10)
    assert lower <= whole.lower
    assert upper <= whole.upper


def test_where_all_links_limit_failures_are_solved_from_nothing() -> None:
    network = build_network("jellyfish:switches=40,ports=8,hosts=40")
    _, close = rerouting(network, build_traffic("all-to-all", network, "rack"), 1e-4)
    assert not close
