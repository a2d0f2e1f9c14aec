"""Path enumeration over all planes of a network."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import RoutingError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network
from pnet_lp.model.arcs import usable_arcs
from pnet_lp.model.arrays import ints
from pnet_lp.model.network import Level
from pnet_lp.model.paths import PathSet
from pnet_lp.routing.rule import PathRule

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
        RoutingError: an index out of range, or more paths than fit into memory.
        TopologyError: pairs of that level mean nothing on the network.
    """
    network.check_level(level)
    count = len(network.endpoint_names(level))
    pairs = np.asarray(src, dtype=np.int64).ravel(), np.asarray(dst, dtype=np.int64).ravel()
    for ends in pairs:
        if np.any(bad := (ends < 0) | (ends >= count)):
            raise RoutingError(f"no such {level}", found=int(ends[bad][0]), allowed=f"0 to {count - 1}")
    if len(pairs[0]) != len(pairs[1]):
        raise RoutingError(f"{len(pairs[0])} sources and {len(pairs[1])} destinations")
    if not rule.equal_cost:
        check_fits(
            len(pairs[0]) * rule.count * BYTES_PER_PATH,
            f"{rule.count} paths for each of {len(pairs[0]):,} pairs",
            RoutingError,
            allowed="fewer paths, or --level rack",
        )
    arcs = usable_arcs(network)
    attach = [plane.host_switch if level == "host" else plane.rack_switch for plane in network.planes]
    pair_ptr, plane, path_ptr, path_arc = _core.enumerate_paths(
        arcs.node_count,
        arcs.ptr,
        arcs.tail,
        arcs.head,
        ints(np.stack(attach)),
        ints(pairs[0]),
        ints(pairs[1]),
        count=rule.count,
        equal_cost=rule.equal_cost,
        policy=rule.policy,
        seed=rule.seed,
        threads=threads,
    )
    return PathSet(arcs, pair_ptr, plane, path_ptr, path_arc)
