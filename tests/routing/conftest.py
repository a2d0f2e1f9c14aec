"""Small random networks with parallel cables, and pairs on them."""

import numpy as np
from hypothesis import strategies as st

from pnet_lp.model import Network, Plane
from pnet_lp.model.paths import PathSet
from pnet_lp.routing import parse_routing


@st.composite
def networks(draw: st.DrawFn, switches: int = 6, planes: int = 3) -> Network:
    """Up to ``planes`` planes over the same racks; cables may be parallel or one-way, racks may be cut off."""
    # The second number is added to the first, so that no cable joins a switch to itself.
    cable = st.tuples(st.integers(0, switches - 1), st.integers(1, switches - 1), st.integers(0, 3))
    built = []
    for _ in range(draw(st.integers(1, planes))):
        drawn = draw(st.lists(cable, max_size=3 * switches))
        built.append(
            Plane.from_cables(
                switches,
                [u for u, _, _ in drawn],
                [(u + d) % switches for u, d, _ in drawn],
                capacity_back_gbps=[100.0 * (back > 0) for _, _, back in drawn],
            )
        )
    return Network.from_planes(built)


def ordered_pairs(network: Network, level: str = "rack") -> tuple[np.ndarray, np.ndarray]:
    """Every source and every other destination."""
    src, dst = np.nonzero(~np.eye(len(network.endpoint_names(level)), dtype=bool))  # type: ignore[arg-type]
    return src, dst


def all_pairs(network: Network, routing: str, *, level: str = "rack", **rule: object) -> PathSet:
    """The paths of all ordered pairs."""
    expected = parse_routing(routing, **rule)  # type: ignore[arg-type]
    return expected.paths(network, level, *ordered_pairs(network, level))  # type: ignore[arg-type]


def walks(paths: PathSet, j: int) -> list[tuple[int, list[int]]]:
    """The (plane, switches) of each path of pair ``j``."""
    return [(int(paths.plane[i]), paths.switches(i).tolist()) for i in range(paths.pair_ptr[j], paths.pair_ptr[j + 1])]
