import numpy as np
from hypothesis import strategies as st

from pnet_lp.model import Plane

SPEEDS = st.just(0.0) | st.floats(1e-15, 1e9)
_COORDINATES = st.floats(-1e6, 1e6, allow_subnormal=False)
PLACES = st.tuples(_COORDINATES, _COORDINATES) | st.just((np.nan, np.nan))


def delays(count: int) -> st.SearchStrategy[list[float] | None]:
    known = st.floats(0, 1e9, allow_subnormal=False) | st.just(np.nan)
    return st.none() | st.lists(known, min_size=count, max_size=count)


@st.composite
def planes(draw: st.DrawFn, names: st.SearchStrategy[str] | None = None) -> Plane:
    """Multigraphs with parallel cables, unequal speeds and delays, racks, tiers, places, boxes, hosts without links."""
    printable = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=5)
    called = draw(st.lists(printable if names is None else names, min_size=1, max_size=9, unique=True))
    n = draw(st.integers(1, len(called)))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1])
    cables = np.array(draw(st.lists(ends, max_size=12 if n > 1 else 0)), dtype=int).reshape(-1, 2)
    hosts = len(called) - n

    def speeds(count: int) -> list[float]:
        return draw(st.lists(SPEEDS, min_size=count, max_size=count))

    return Plane.from_cables(
        called[:n],
        cables[:, 0],
        cables[:, 1],
        speeds(len(cables)),
        capacity_back_gbps=speeds(len(cables)) if draw(st.booleans()) else None,
        racks=draw(st.none() | st.permutations(range(n)).map(lambda order: order[: max(1, n // 2)])),
        host_switch=draw(st.lists(st.integers(-1, n - 1), min_size=hosts, max_size=hosts)),
        access_gbps=speeds(hosts),
        access_down_gbps=speeds(hosts),
        host_names=called[n:],
        tier=draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)),
        position=draw(st.none() | st.lists(PLACES, min_size=n, max_size=n)),
        box=draw(st.none() | st.lists(st.integers(0, 9), min_size=n, max_size=n)),
        delay_ns=draw(delays(len(cables))),
        access_delay_ns=draw(delays(hosts)),
    )


def same(a: Plane, b: Plane) -> bool:
    """Return whether two planes agree in all but their labels; boxes and delays are part of the fingerprint."""
    return (
        a.fingerprint == b.fingerprint
        and np.array_equal(a.tier, b.tier)
        and (a.position is None) == (b.position is None)
        and (a.position is None or np.array_equal(a.position, b.position, equal_nan=True))
    )
