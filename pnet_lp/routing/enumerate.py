"""Path enumeration over all planes of a network."""

from __future__ import annotations

import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import RoutingError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network
from pnet_lp.model.network import Level
from pnet_lp.model.paths import PathSet
from pnet_lp.routing.rule import PathRule
from pnet_lp.routing.searches import options, prepare

BYTES_PER_PATH = 150
"""Measured peak: 92 to 109 bytes a path for 8 and 32 paths between 320 racks, 3 to 4 hops each; 178 for 2 paths."""


def enumerate_paths(
    network: Network,
    level: Level,
    src: npt.ArrayLike,
    dst: npt.ArrayLike,
    rule: PathRule,
    *,
    threads: int = 0,
) -> PathSet:
    """Return the paths of each pair ``(src[j], dst[j])``, the same on any number of threads.

    Args:
        network: the planes.
        level: whether the pairs are racks or hosts.
        src: index of each pair's source.
        dst: index of each pair's destination.
        rule: which paths.
        threads: 0 for all cores.

    Raises:
        RoutingError: an index out of range, a routing without a list of paths, or more paths than fit into memory.
        TopologyError: pairs of that level mean nothing on the network.
    """
    searches, wanted = prepare(network, level, src, dst), options(rule, threads)
    if not rule.equal_cost:
        check_fits(
            searches.pair_count * rule.count * BYTES_PER_PATH,
            f"{rule.count} paths for each of {searches.pair_count:,} pairs",
            RoutingError,
            allowed="fewer paths, or --level rack",
        )
    return PathSet(
        searches.arcs, *_core.enumerate_paths(searches.planes, searches.src, searches.dst, **wanted)
    )
