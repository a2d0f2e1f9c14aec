"""Starting from the certificate of a similar problem."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import SpecError
from pnet_lp.failures import Failures, fail
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.connected import lost_pairs
from pnet_lp.model.network import Variant
from pnet_lp.throughput import WarmStart, solve
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import all_to_all, fat_tree, random_network


def scaled(traffic: TrafficMatrix, factor: object) -> TrafficMatrix:
    return TrafficMatrix.from_entries(
        traffic.level, traffic.endpoints, traffic.src, traffic.dst, traffic.demand * factor
    )


def test_scaled_demands_need_no_iteration() -> None:
    network, traffic = random_network(3)
    first = solve(network, traffic, routing="ksp:4", solver="structured", tolerance=1e-5)
    again = solve(
        network, scaled(traffic, 2.0), routing="ksp:4", solver="structured", tolerance=1e-5, start=first.certificate
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
    assert max(warm.interval.lower, cold.interval.lower) <= min(warm.interval.upper, cold.interval.upper) * (1 + 1e-12)


@settings(deadline=None, max_examples=12)
@given(seed=st.integers(0, 10_000), share=st.floats(0.0, 0.6))
def test_any_links_may_fail(seed: int, share: float) -> None:
    """From the answer with all links up: the bounds hold, whatever is lost."""
    network, traffic = random_network(seed)
    first = solve(network, traffic, solver="structured", tolerance=1e-4)
    broken = fail(network, Failures(links=share), seed=seed)
    lost = lost_pairs(broken, traffic)
    if lost.all():
        return
    kept = TrafficMatrix.from_entries(
        traffic.level, traffic.endpoints, traffic.src[~lost], traffic.dst[~lost], traffic.demand[~lost]
    )
    cold = solve(broken, kept, solver="highs-ipx", tolerance=1e-4)
    warm = solve(broken, kept, solver="structured", tolerance=1e-4, start=WarmStart(network, traffic, first))
    assert warm.status == "certified"
    assert max(warm.interval.lower, cold.interval.lower) <= min(warm.interval.upper, cold.interval.upper) * (1 + 1e-12)


@pytest.mark.parametrize("variant", ["heterogeneous", "homogeneous"])
def test_its_own_answer_is_an_end(variant: Variant) -> None:
    network = build_network(["jellyfish:k=4"], planes=2, variant=variant)
    traffic = build_traffic("all-to-all", network, "rack")
    settings: dict[str, Any] = {"solver": "structured", "tolerance": 1e-4}
    first = solve(network, traffic, **settings)
    start = WarmStart(network, traffic, first)
    assert solve(network, traffic, **settings, start=start).iterations == 0


def test_solvers_without_a_warm_start_ignore_it() -> None:
    network, traffic = random_network(3)
    first = solve(network, traffic, routing="ksp:4", tolerance=1e-5)
    cold = solve(network, traffic, routing="ksp:4", solver="highs-ipx", tolerance=1e-5)
    warm = solve(network, traffic, routing="ksp:4", solver="highs-ipx", tolerance=1e-5, start=first.certificate)
    assert warm.interval == cold.interval


def test_what_is_no_start() -> None:
    network = Network.from_planes([fat_tree(4)])
    traffic = all_to_all(network, "host")
    ideal = solve(network, traffic).certificate
    paths = solve(network, traffic, routing="ksp:2").certificate
    assert ideal is not None
    assert paths is not None
    with pytest.raises(SpecError, match=r"^a warm start needs the certificate of a result over any path, as columns"):
        solve(network, traffic, start=paths)
    with pytest.raises(SpecError, match=r"^the warm start is for other demands, found '1 x 1'; allowed: 1 x 64$"):
        solve(network, traffic, start=replace(ideal, share=np.ones((1, 1))))
    other = Network.from_planes([fat_tree(2)])
    small = all_to_all(other, "host")
    with pytest.raises(SpecError, match=r"^the warm start is for a network with other planes, switches, racks or"):
        solve(network, traffic, start=WarmStart(other, small, solve(other, small)))
    nothing = replace(solve(other, small), certificate=None)
    with pytest.raises(SpecError, match=r"^a warm start needs a certificate, and the result has none$"):
        solve(other, small, start=WarmStart(other, small, nothing))
    with pytest.raises(SpecError, match=r"^a warm start is not defined for this routing; allowed: routings with"):
        solve(network, traffic, routing="ecmp-split", start=paths)
    with pytest.raises(SpecError, match=r"^a warm start needs the certificate of a result over given paths, found"):
        solve(network, traffic, routing="ksp:2", start=ideal)
    count = len(paths.weight)  # type: ignore[union-attr]
    with pytest.raises(SpecError, match=rf"^the warm start is for other paths, found '{count}'; allowed: \d+$"):
        solve(network, traffic, routing="ksp:3", start=paths)
    with pytest.raises(SpecError, match=r"^the warm start is for other links, found '63'; allowed: 64$"):
        solve(network, traffic, routing="ksp:2", start=replace(paths, length=paths.length[:-1]))
