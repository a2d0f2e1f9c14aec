"""Starting from the certificate of a similar problem."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.throughput import solve

from .conftest import all_to_all, fat_tree, random_network


def scaled(traffic: TrafficMatrix, factor: object) -> TrafficMatrix:
    return TrafficMatrix.from_entries(
        traffic.level, traffic.endpoints, traffic.src, traffic.dst, traffic.demand * factor
    )


def test_scaled_demands_need_no_iteration() -> None:
    network, traffic = random_network(3)
    first = solve(network, traffic, routing="ksp:4", solver="structured", tolerance=1e-5)
    again = solve(
        network,
        scaled(traffic, 2.0),
        routing="ksp:4",
        solver="structured",
        tolerance=1e-5,
        start=first.certificate,
    )
    assert first.iterations > again.iterations == 0
    assert again.throughput_gbps == pytest.approx(first.throughput_gbps / 2, rel=1e-9)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), change=st.floats(0.0, 0.9))
def test_the_answer_does_not_depend_on_the_start(seed: int, change: float) -> None:
    network, traffic = random_network(seed)
    first = solve(network, traffic, routing="ksp:3", tolerance=1e-4)
    random = np.random.default_rng(seed)
    other = scaled(traffic, 1 + change * random.uniform(-1, 1, traffic.demand_count))
    cold = solve(network, other, routing="ksp:3", tolerance=1e-4)
    warm = solve(network, other, routing="ksp:3", tolerance=1e-4, start=first.certificate)
    assert warm.status == cold.status == "certified"
    assert max(warm.interval.lower, cold.interval.lower) <= min(warm.interval.upper, cold.interval.upper) * (
        1 + 1e-12
    )


def test_solvers_without_a_warm_start_ignore_it() -> None:
    network, traffic = random_network(3)
    first = solve(network, traffic, routing="ksp:4", tolerance=1e-5)
    cold = solve(network, traffic, routing="ksp:4", solver="highs-ipx", tolerance=1e-5)
    warm = solve(
        network, traffic, routing="ksp:4", solver="highs-ipx", tolerance=1e-5, start=first.certificate
    )
    assert warm.interval == cold.interval


def test_what_is_no_start() -> None:
    network = Network.from_planes([fat_tree(4)])
    traffic = all_to_all(network, "host")
    ideal = solve(network, traffic).certificate
    paths = solve(network, traffic, routing="ksp:2").certificate
    assert ideal is not None
    assert paths is not None
    with pytest.raises(SpecError, match=r"^a start has no meaning for this routing; allowed: routings with"):
        solve(network, traffic, start=paths)
    with pytest.raises(SpecError, match=r"^a start has no meaning for this routing; allowed: routings with"):
        solve(network, traffic, routing="ecmp-split", start=paths)
    with pytest.raises(SpecError, match=r"^a start is the certificate of a result over given paths, found"):
        solve(network, traffic, routing="ksp:2", start=ideal)
    count = len(paths.weight)  # type: ignore[union-attr]
    with pytest.raises(SpecError, match=rf"^the start is for other paths, found '{count}'; allowed: \d+$"):
        solve(network, traffic, routing="ksp:3", start=paths)
    with pytest.raises(SpecError, match=r"^the start is for other links, found '63'; allowed: 64$"):
        solve(network, traffic, routing="ksp:2", start=replace(paths, length=paths.length[:-1]))
