"""What a fixed split puts on links, demand by demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import RoutingError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.network import Level
from pnet_lp.routing.enumerate import enumerate_paths
from pnet_lp.routing.loads import CORE_SPLITS
from pnet_lp.routing.rule import PathRule
from pnet_lp.routing.searches import prepare

if TYPE_CHECKING:
    import scipy.sparse as sp

_BYTES_PER_ENTRY = 12


def fixed_split_usage(
    network: Network,
    level: Level,
    src: npt.ArrayLike,
    dst: npt.ArrayLike,
    rule: PathRule,
    *,
    threads: int = 0,
) -> tuple[sp.csc_array, FloatArray]:
    """Return what one unit of each demand puts on links, where the routing alone says how it is split.

    The sum over demands is :func:`~pnet_lp.routing.fixed_split_loads`, which needs a search for each destination; this
    needs one for each demand.

    Args:
        network: the planes.
        level: whether the demands are between racks or between hosts.
        src: index of each demand's source.
        dst: index of each demand's destination.
        rule: ``ecmp``, ``ecmp-split`` or ``vlb``.
        threads: 0 for all cores.

    Returns:
        float64 ``[A, J]``, the part of each demand on each link, and float64 ``[P, J]``, the part of each demand in
        each plane, 0 for a pair that no plane connects.

    Raises:
        RoutingError: an index out of range, a routing that leaves the split open, or more entries than fit into memory.
        TopologyError: demands of that level mean nothing on the network.
    """
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    searches = prepare(network, level, src, dst)
    links, pairs = len(searches.arcs.tail), searches.pair_count
    if rule.kind == "ecmp":
        paths = enumerate_paths(network, level, searches.src, searches.dst, rule, threads=threads)
        pair = paths.pair_of_path
        link = paths.path_arc + np.repeat(searches.arcs.ptr[paths.plane], paths.hops)
        usage = sp.csc_array(
            (np.ones(len(link)), (link, np.repeat(pair, paths.hops))), shape=(links, pairs), dtype=np.float64
        )
        share = np.zeros((network.plane_count, pairs))
        share[paths.plane, pair] = 1.0
        return usage, floats(share)
    if rule.kind not in CORE_SPLITS:
        raise RoutingError(
            f"{rule.kind} leaves open how demands are split",
            where="--routing",
            allowed="ecmp, ecmp-split or vlb",
        )
    check_fits(
        _BYTES_PER_ENTRY * links * pairs,
        f"what each of {pairs:,} demands puts on each of {links:,} links",
        RoutingError,
        allowed="fewer demands, or --level rack",
    )
    one = np.ones(1)
    parts, shares = [], []
    for j in range(pairs):
        part = searches.part(slice(j, j + 1))
        load, share = _core.split_loads(
            part.planes,
            part.src,
            part.dst,
            one,
            split=CORE_SPLITS[rule.kind],
            policy=rule.policy,
            seed=rule.seed,
            threads=1,
        )
        used = np.flatnonzero(load)
        parts.append((used, load[used]))
        shares.append(share)
    pointer = np.concatenate([[0], np.cumsum([len(used) for used, _ in parts])])
    link = np.concatenate([used for used, _ in parts])
    usage = sp.csc_array((np.concatenate([load for _, load in parts]), link, pointer), shape=(links, pairs))
    return usage, floats(np.hstack(shares))
