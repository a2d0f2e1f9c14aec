"""What a fixed split puts on links: of all demands together, and demand by demand.

The sum of the second over demands is the first, but for rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp._core import Split
from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.errors import RoutingError
from pnet_lp.memory import check_fits
from pnet_lp.model.arcs import Arcs
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.paths import PathSet, Policy
from pnet_lp.model.rounded import add_down, add_up, totals_down, totals_up
from pnet_lp.routing.searches import CORE_POLICIES, Searches

if TYPE_CHECKING:
    import scipy.sparse as sp

__all__ = ["Loads", "Split", "checked_amount", "path_loads", "path_usage", "split_loads", "split_usage"]

_BYTES_PER_ENTRY = 40
"""Of what the core finds and what it is copied to; without the rest that a solve makes of it."""

_SAMPLE = 32
"""Demands by which the entries of all are estimated."""

_BYTES_PER_HOP = 50

_BYTES_PER_PAIR, _BYTES_PER_SHARE = 60, 20
"""Upper bounds on what was measured for 1 and 4 million pairs: 93 to 149 bytes a pair in 4 planes, 182 to 205 in 8."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Loads:
    """Loads of ``J`` demands over ``P`` planes with ``A`` links in all.

    Attributes:
        arcs: the links.
        arc_load: float64 ``[A]``, in the unit of the demands, Gb/s for demands in Gb/s, rounded up.
        share: float64 ``[P, J]``, the part of each demand that is sent into each plane.  It adds up to 1 over the
            planes, and to 0 for a pair that no plane connects: such a demand loads nothing.
        least_load: as ``arc_load``, rounded down; None where that is exact.
    """

    arcs: Arcs
    arc_load: FloatArray
    share: FloatArray
    least_load: FloatArray | None = None


def checked_amount(searches: Searches, demand: npt.ArrayLike) -> FloatArray:
    """Return float64 ``[J]``: how much is sent between each pair.

    Raises:
        RoutingError: not one amount for each pair, one that is not a finite number >= 0, or loads that do not fit into
            memory.
    """
    pairs, planes = searches.pair_count, len(searches.arcs.node_count)
    check_fits(
        pairs * (_BYTES_PER_PAIR + _BYTES_PER_SHARE * planes),
        f"what each of {pairs:,} demands puts on {planes:,} {'plane' if planes == 1 else 'planes'}",
        RoutingError,
        allowed="fewer demands or planes, or level=rack",
    )
    amount = floats(np.asarray(demand, dtype=np.float64).ravel())
    if len(amount) != searches.pair_count:
        raise RoutingError(f"{len(amount)} demands for {searches.pair_count} pairs")
    if np.any(bad := ~(np.isfinite(amount) & (amount >= 0))):
        raise RoutingError("invalid demand", found=float(amount[bad][0]), allowed="finite numbers >= 0")
    return amount


def split_loads(
    searches: Searches,
    amount: FloatArray,
    split: Split,
    policy: Policy,
    seed: int,
    threads: int,
    deadline: Deadline = NEVER,
) -> Loads:
    """Return what the core's ``split`` puts on links.

    Args:
        searches: the pairs.
        amount: float64 ``[J]``.
        split: how each demand is split in a plane: equally at every switch over the next hops on shortest paths
            (``Ecmp``), or that twice, through every switch (``Vlb``).
        policy: which planes it is sent into.
        seed: what draws the plane of the policy ``single``.
        threads: 0 for all cores; the bits do not depend on it.
        deadline: when to end at the latest.

    Raises:
        TimeLimitError: the time is over.
    """
    with deadline.doing("splitting demands over shortest paths") as limit_s:
        load, least, share = _core.split_loads(
            searches.planes,
            searches.src,
            searches.dst,
            amount,
            split=split,
            policy=CORE_POLICIES[policy],
            seed=seed,
            threads=threads,
            limit_s=limit_s,
        )
    return Loads(searches.arcs, load, share, least)


def split_usage(
    searches: Searches, split: Split, policy: Policy, seed: int, threads: int, deadline: Deadline = NEVER
) -> sp.csc_array:
    """Return float64 ``[A, J]``: the part of each demand on each link, rounded up; arguments as of :func:`split_loads`.

    Raises:
        RoutingError: more entries than fit into memory, by those of some demands.
        TimeLimitError: the time is over.
    """
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    def parts(some: Searches) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], FloatArray]:
        with deadline.doing("splitting demands over shortest paths") as limit_s:
            return _core.split_usage(
                some.planes,
                some.src,
                some.dst,
                split=split,
                policy=CORE_POLICIES[policy],
                seed=seed,
                threads=threads,
                limit_s=limit_s,
            )

    links, pairs = len(searches.arcs.tail), searches.pair_count
    if pairs > _SAMPLE:
        some = searches.part(slice(None, None, pairs // _SAMPLE))
        entries = math.ceil(len(parts(some)[1]) / some.pair_count * pairs)
        check_fits(
            _BYTES_PER_ENTRY * entries,
            f"what {pairs:,} demands put on links (about {entries:,} entries)",
            RoutingError,
            allowed="fewer demands, or level=rack",
        )
    pointer, link, part = parts(searches)
    return sp.csc_array((part, link, pointer), shape=(links, pairs))


def path_loads(searches: Searches, amount: FloatArray, blocks: Iterable[tuple[slice, PathSet]], planes: int) -> Loads:
    """Return what demands put on links that go whole along the one path that each has in the ``blocks``."""
    most = least = np.zeros(len(searches.arcs.tail))
    share = np.zeros((planes, searches.pair_count))
    for pairs, paths in blocks:
        here = np.repeat(amount[pairs][paths.pair_of_path], paths.hops)
        most = add_up(most, totals_up(paths.link, here, len(most)))
        least = add_down(least, totals_down(paths.link, here, len(least)))
        share[paths.plane, pairs.start + paths.pair_of_path] = 1.0
    return Loads(searches.arcs, most, share, least)


def path_usage(paths: PathSet) -> sp.csc_array:
    """Return float64 ``[A, J]``: 1 for each link of the one path that each demand has.

    Raises:
        RoutingError: more entries than fit into memory.
    """
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    check_fits(
        _BYTES_PER_HOP * len(paths.link),
        f"what {paths.path_count:,} paths put on links",
        RoutingError,
        allowed="fewer demands, or level=rack",
    )
    entries = (np.ones(len(paths.link)), (paths.link, np.repeat(paths.pair_of_path, paths.hops)))
    return sp.csc_array(entries, shape=(len(paths.arcs.tail), paths.pair_count), dtype=np.float64)
