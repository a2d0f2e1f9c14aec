"""Small random networks with hosts, and failures of them."""

import numpy as np
from hypothesis import strategies as st

from pnet_lp.failures import Failures
from pnet_lp.model import Network, Plane


@st.composite
def networks(draw: st.DrawFn, switches: int = 6, planes: int = 3) -> Network:
    """Up to ``planes`` planes over the same hosts; cables may be parallel or one-way, hosts may miss a plane."""
    # The second number is added to the first, so that no cable joins a switch to itself.
    cable = st.tuples(st.integers(0, switches - 1), st.integers(1, switches - 1), st.integers(0, 3))
    hosts = draw(st.integers(2, 9))
    built = []
    for _ in range(draw(st.integers(1, planes))):
        drawn = draw(st.lists(cable, max_size=3 * switches))
        built.append(
            Plane.from_cables(
                switches,
                [u for u, _, _ in drawn],
                [(u + d) % switches for u, d, _ in drawn],
                capacity_back_gbps=[100.0 * (back > 0) for _, _, back in drawn],
                racks=range(switches),
                host_switch=draw(st.lists(st.integers(-1, switches - 1), min_size=hosts, max_size=hosts)),
                box=np.arange(switches) // 2,
            )
        )
    return Network.from_planes(built)


shares = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.8, "100%"])


@st.composite
def failures(draw: st.DrawFn) -> Failures:
    """Failures that fit every network of :func:`networks`."""
    unit = draw(st.sampled_from(["cable", "direction", "box"]))
    mode = draw(st.sampled_from(["random", "independent"]))
    return Failures(draw(shares), draw(shares), draw(st.sampled_from([(), (0,)])), unit, mode, ports=draw(shares))
