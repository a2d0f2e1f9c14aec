"""In what time demands of bytes are moved."""

from __future__ import annotations

import math

import pytest

import pnet_lp as pn
from pnet_lp.errors import SpecError


def test_a_collective_takes_what_its_closed_form_says() -> None:
    # A ring of 8 sends 2 * 7/8 of 1 GB over each access link of 100 Gb/s: 14e9 bits at 1e11 bit/s.
    found = pn.throughput(
        "single-switch:hosts=16", traffic="groups:size=8,of=all-reduce", link_gbps=100, demand_size="1GB"
    )
    least = found.least_time
    assert least is not None
    assert least.lower <= 0.14 <= least.upper
    assert least.upper == pytest.approx(0.14, rel=1e-9)
    assert found.to_json()["time"] == {"demand_size": 10**9, "attained_s": least.upper, "lower_bound_s": least.lower}


@pytest.mark.parametrize("routing", ["ideal", "ecmp", "ksp:2"])
def test_the_bounds_are_those_of_k_rounded_outwards(routing: str) -> None:
    found = pn.throughput("jellyfish:k=4", routing=routing, demand_size=1500, tolerance=1e-2)
    least = found.least_time
    assert least is not None
    assert least.lower * found.upper * 1e9 <= 12000 * (1 + 1e-15)
    assert least.upper * found.lower * 1e9 >= 12000 * (1 - 1e-15)
    assert least.lower == pytest.approx(12000 / (found.upper * 1e9), rel=1e-12)


def test_what_has_no_path_is_never_moved() -> None:
    found = pn.throughput("path:n=4", traffic="all-to-all", fail_links=3, level="rack", demand_size="1MB")
    assert found.least_time == pn.model.Interval(math.inf, math.inf)
    assert found.to_json()["time"] == {"demand_size": 10**6, "attained_s": None, "lower_bound_s": None}


def test_without_a_size_there_is_no_time() -> None:
    found = pn.throughput("fat-tree:k=4")
    assert found.least_time is None
    assert "time" not in found.to_json()


@pytest.mark.parametrize("objective", ["total", "max-min", "min-cost", "min-max-utilisation"])
def test_only_equal_shares_end_at_one_time(objective: str) -> None:
    with pytest.raises(SpecError, match="demand_size: has a meaning for equal shares of all demands"):
        pn.throughput("fat-tree:k=4", objective=objective, demand_size="1MB")
