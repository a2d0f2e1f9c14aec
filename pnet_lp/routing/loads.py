"""What the routings with a fixed split put on links, without a linear program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import RoutingError
from pnet_lp.model import Network
from pnet_lp.model.arcs import Arcs
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level
from pnet_lp.routing.enumerate import iterate_paths
from pnet_lp.routing.rule import PathRule
from pnet_lp.routing.searches import prepare

CORE_SPLITS = {"ecmp-split": "ecmp", "vlb": "vlb"}
"""What the core calls the splits that it computes."""


@brief()
@dataclass(frozen=True, eq=False)
class Loads:
    """Loads of ``J`` demands over ``P`` planes with ``A`` links in all.

    Attributes:
        arcs: the links.
        arc_load: float64 ``[A]``, in the unit of the demands, Gb/s for demands in Gb/s.
        share: float64 ``[P, J]``, the part of each demand that is sent into each plane.  It adds up to 1 over the
            planes, and to 0 for a pair that no plane connects: such a demand loads nothing.
    """

    arcs: Arcs
    arc_load: FloatArray
    share: FloatArray


def fixed_split_loads(
    network: Network,
    level: Level,
    src: npt.ArrayLike,
    dst: npt.ArrayLike,
    demand: npt.ArrayLike,
    rule: PathRule,
    *,
    threads: int = 0,
) -> Loads:
    """Return what demands put on links where the routing alone says how they are split.

    - ``ecmp``: all of a demand on the path that :func:`~pnet_lp.routing.enumerate_paths` draws.
    - ``ecmp-split``: at every switch equal parts over the next hops on shortest paths, parallel cables counted each.
      Under the policies ``any`` and ``shortest`` the source does the same over all planes in which the pair is nearest
      together; ``round-robin`` sends equal parts into all planes that connect the pair, ``single`` all into one.
    - ``vlb`` (Valiant, STOC 1981): equal parts to all switches of the plane that source and destination can both
      exchange traffic with, these two among them, and from there to the destination, on both legs as ``ecmp-split``.  A
      pair on one switch of a plane stays there.  All planes that the policy allows get equal parts.

    The time is that of a search per destination and plane, for ``vlb`` of one per switch too, and does not depend on
    the number of paths.  The result has the same bits on any number of threads.

    Args:
        network: the planes.
        level: whether the demands are between racks or hosts.
        src: index of each demand's source.
        dst: index of each demand's destination.
        demand: how much, finite and at least 0.
        rule: ``ecmp``, ``ecmp-split`` or ``vlb``.
        threads: 0 for all cores.

    Raises:
        RoutingError: an index out of range, a demand that is no amount, or a routing that leaves the split open.
        TopologyError: demands of that level mean nothing on the network.
    """
    searches = prepare(network, level, src, dst)
    amount = floats(np.asarray(demand, dtype=np.float64).ravel())
    if len(amount) != searches.pair_count:
        raise RoutingError(f"{len(amount)} demands for {searches.pair_count} pairs")
    if np.any(bad := ~(np.isfinite(amount) & (amount >= 0))):
        raise RoutingError("a demand is wrong", found=float(amount[bad][0]), allowed="finite numbers >= 0")
    if rule.kind == "ecmp":
        load = np.zeros(len(searches.arcs.tail))
        share = np.zeros((network.plane_count, searches.pair_count))
        for pairs, paths in iterate_paths(network, level, searches.src, searches.dst, rule, threads=threads):
            here = amount[pairs][paths.pair_of_path]
            arcs = paths.path_arc + np.repeat(paths.arcs.ptr[paths.plane], paths.hops)
            load += np.bincount(arcs, weights=np.repeat(here, paths.hops), minlength=len(load))
            share[paths.plane, pairs.start + paths.pair_of_path] = 1.0
        return Loads(searches.arcs, load, share)
    if rule.kind not in CORE_SPLITS:
        raise RoutingError(
            f"{rule.kind} leaves open how demands are split",
            where="--routing",
            allowed="ecmp, ecmp-split or vlb",
        )
    load, share = _core.split_loads(
        searches.planes,
        searches.src,
        searches.dst,
        amount,
        split=CORE_SPLITS[rule.kind],
        policy=rule.policy,
        seed=rule.seed,
        threads=threads,
    )
    return Loads(searches.arcs, load, share)
