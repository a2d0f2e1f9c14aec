"""The exact programs of the tests themselves, against closed forms and programs for SciPy."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from pnet_lp.model import Network, Plane, TrafficMatrix

from .exact import program
from .simplex import maximum
from .throughput.conftest import random_hosts, random_network
from .throughput.reference import over_any_path, over_paths
from .throughput.test_objectives import few_demands


def test_what_has_no_bound_or_does_not_fit_is_found_out() -> None:
    one = Fraction(1)
    assert maximum([one], [{0: -one}], [one]) is None
    with pytest.raises(ValueError, match="nothing fits"):
        maximum([one], [{0: one}, {0: -one}], [one, -one - one])


def test_a_cycle_of_the_simplex_method_ends() -> None:
    """E. M. L. Beale's program (1955), on which the largest gain first goes round in a circle."""
    matrix = [["1/4", "-8", "-1", "9"], ["1/2", "-12", "-1/2", "3"], ["0", "0", "1", "0"]]
    rows = [{n: Fraction(each) for n, each in enumerate(row) if each != "0"} for row in matrix]
    gain = [Fraction(each) for each in ("3/4", "-20", "1/2", "-6")]
    found = maximum(gain, rows, [Fraction(0), Fraction(0), Fraction(1)])
    assert found is not None
    assert found.value == Fraction(5, 4)


def test_thirds_are_thirds() -> None:
    """Three cables of 0.1 Gb/s between two switches: three times that double, not a rounded sum."""
    network = Network.from_planes([Plane.from_cables(2, [0] * 3, [1] * 3, 0.1)])
    traffic = TrafficMatrix.from_entries("rack", 2, [0], [1], 0.7)
    for routing in ("ideal", "ecmp-split"):
        found = program(network, traffic, routing)
        assert found.concurrent() == 3 * Fraction(0.1) / Fraction(0.7)
        assert found.total() == 3 * Fraction(0.1)
        assert found.cost(Fraction(1, 3)) == Fraction(0.7) / 3
        assert found.cost(Fraction(1)) is None
        assert found.most([0], [Fraction(0)]) == 3 * Fraction(0.1)


@pytest.mark.parametrize("draw", [random_network, random_hosts])
@pytest.mark.parametrize("seed", range(1, 4))
def test_optima_are_those_of_programs_in_doubles(
    seed: int, draw: Callable[[int], tuple[Network, TrafficMatrix]]
) -> None:
    network, traffic = few_demands(seed, draw)
    for routing in ("ideal", "ksp:3"):
        exact = program(network, traffic, routing)
        other = over_any_path(network, traffic) if routing == "ideal" else over_paths(network, traffic, routing)
        assert float(exact.total()) == pytest.approx(other.total(), rel=1e-7)
        if len(exact.connected) == traffic.demand_count:
            rate = exact.concurrent()
            assert float(rate) == pytest.approx(other.concurrent(), rel=1e-7)
            cost = exact.cost(rate / 2)
            assert cost is not None
            assert float(cost) == pytest.approx(other.min_cost(float(rate / 2)), rel=1e-7)
            fair = [Fraction(float(each)) for each in other.max_min() * (1 - 1e-6)]
            assert exact.fits(fair)
            lowest = int(np.argmin(other.max_min() / traffic.demand))
            most = exact.most([lowest], fair)
            assert most is not None
            assert float(most) == pytest.approx(float(fair[lowest]), rel=1e-3)
