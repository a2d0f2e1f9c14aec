from collections.abc import Callable

import numpy as np
import pytest

from pnet_lp.model import Network, Plane


def ring_of(n: int, *, hosts_per_switch: int = 0, names: list[str] | None = None) -> Network:
    """Return a ring of ``n`` switches, or two joined ones, or one."""
    u = np.arange(n if n > 2 else n - 1)
    hosts = np.repeat(np.arange(n), hosts_per_switch)
    return Network.from_planes([Plane.from_cables(names or n, u, (u + 1) % n, 10.0, host_switch=hosts)])


@pytest.fixture
def ring() -> Callable[..., Network]:
    return ring_of
