from collections.abc import Callable

import numpy as np
import pytest

from pnet_lp.model import Network, Plane
from pnet_lp.traffic import traffics

# The patterns are imported here, so that no example of a property has to do it within its deadline.
traffics.names()


def ring_of(n: int, *, hosts_per_switch: int = 0, names: list[str] | None = None) -> Network:
    """Return a ring of ``n`` switches, or two joined ones, or one."""
    u = np.arange(n if n > 2 else n - 1)
    hosts = np.repeat(np.arange(n), hosts_per_switch)
    return Network.from_planes([Plane.from_cables(names or n, u, (u + 1) % n, 10.0, host_switch=hosts)])


@pytest.fixture
def ring() -> Callable[..., Network]:
    return ring_of


def fat_tree(k: int) -> Network:
    """Return the k-ary fat tree of three tiers, k/2 hosts at an edge switch."""
    m = k // 2
    pod, i, j = (axis.ravel() for axis in np.indices((k, m, m)))
    edges = k * m
    edge, agg, core = pod * m + i, edges + pod * m + j, 2 * edges + j * m + i
    u, v = np.r_[edge, edges + pod * m + j], np.r_[agg, core]
    tier = np.repeat([0, 1, 2], [edges, edges, m * m])
    hosts = np.repeat(np.arange(edges), m)
    return Network.from_planes([Plane.from_cables(len(tier), u, v, 10.0, host_switch=hosts, tier=tier)])
