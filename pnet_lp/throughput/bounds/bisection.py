"""The bisection bound: what can cross from one half of the endpoints to the other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from pnet_lp.throughput.bounds.base import BOUNDS, Bound, Instance, Silent
from pnet_lp.throughput.bounds.cutter import Cutter, EndpointGroups
from pnet_lp.throughput.bounds.program import is_small, solve_program
from pnet_lp.throughput.bounds.search import Counts
from pnet_lp.throughput.bounds.witness import Cut

_ROUNDING = 1e-6


@BOUNDS.register("bisection", summary="least capacity between two halves of the endpoints, over the demand across it")
def bisection(instance: Instance) -> Bound:
    """Return the capacity of the narrowest cut between halves, over the demand that has to cross it.

    Halves are of racks or of hosts, those without a demand included, and differ by one if the number is odd.  Each
    endpoint is on one side in all planes; switches join the side that is cheaper, in each plane for itself, so the
    capacity of a split is the sum over planes of their minimum cuts.  ``bisection_gbps`` is the smallest one, in the
    narrower direction; ``at_least_gbps`` is what is proved.  ``exact`` says that the two meet: small networks are
    solved to a proof by branch and bound; in others it is the best cut found by spectral order and exchange.

    The K of the matrix is bounded by any such cut, the narrowest or not; the narrowest need not give the best bound.
    """
    return narrowest_halves(instance)[0]


def narrowest_halves(instance: Instance) -> tuple[Bound, Cut]:
    """Return the bound, and the cut that shows it."""
    counted = np.ones(len(instance.sites.of), dtype=np.bool_)
    if len(counted) < 2:
        raise Silent(f"one {instance.level} has no two halves")
    cutter = Cutter(instance, counted)
    best, capacity = _narrowest(cutter, _splits(instance, cutter.groups))
    at_least = 0.0
    if capacity > 0 and is_small(cutter):
        found = solve_program(cutter)
        if found.sending is not None:
            # The first of equals, so that a split does not depend on which of them the program ends with.
            best, capacity = _narrowest(cutter, [best, found.sending])
        at_least = min(found.at_least, capacity)
    exact = at_least >= capacity * (1 - _ROUNDING)
    cut = cutter.cut(best)
    back = cutter.opposite(cut)
    # Both directions of the split bound K, and either may be the narrower one for the matrix.
    values = [one.capacity_gbps / one.demand if one.demand > 0 else math.inf for one in (cut, back)]
    facts = {"bisection_gbps": capacity, "at_least_gbps": capacity if exact else at_least}
    value, shown = min(zip(values, (cut, back), strict=True), key=lambda pair: pair[0])
    return Bound(value, exact=exact, witness=shown, facts=facts), shown


def _narrowest(cutter: Cutter, splits: Iterable[Counts]) -> tuple[Counts, float]:
    """Return the split that the least capacity connects, and that capacity; the first of equals."""
    best: Counts | None = None
    least = math.inf
    seen: set[bytes] = set()
    for sending in splits:
        # In small networks many orders propose the same halves.
        if (key := sending.tobytes()) in seen:
            continue
        seen.add(key)
        capacity = cutter.capacity(sending)
        if best is None or capacity < least * (1 - _ROUNDING):
            best, least = sending, capacity
    assert best is not None
    return best, least


def _splits(instance: Instance, groups: EndpointGroups) -> Iterator[Counts]:
    """Yield splits into halves, as the members of each group that send; both directions of each."""
    for half in instance.halves:
        sending = _of_groups(half, groups.site, groups.size)
        yield sending
        yield groups.size - sending


def _of_groups(members: Counts, site: np.ndarray, size: Counts) -> Counts:
    """Return how many members of each group send if so many of each site do: the first groups of a site first."""
    order = np.argsort(site, kind="stable")
    before = np.cumsum(size[order]) - size[order]
    before -= before[np.searchsorted(site[order], site[order])]
    sending = np.zeros_like(size)
    sending[order] = np.clip(members[site[order]] - before, 0, size[order])
    return sending
