"""Islands of endpoints: which of them have a path to each other, without a look at each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pnet_lp.model.arrays import BoolArray, IntArray, ints
from pnet_lp.model.components import components, strong_components

if TYPE_CHECKING:
    from pnet_lp.model.flow import FlowProblem

_HUBS = 64
"""Sets of switches that reach each other, those with most links first, over which pairs are sought to have a path."""

_SEARCHES = 2048
"""Sources that do not reach the first hub, and destinations that it does not reach; for each there is a search."""


def islands(flow: FlowProblem) -> IntArray | None:
    """Return int32 ``[endpoints]``, numbers that are equal where a source has a path to a destination, and only there.

    Numbers of those that are on no link are from the number of endpoints on.  None where there are no such numbers, or
    where to find them takes too long.
    """
    found = np.stack([_of_plane(flow, plane) for plane in range(flow.plane_count)])
    if (found == _UNKNOWN).any():
        return None
    planes, endpoints = found.shape
    if planes == 1:
        joined = found[0]
    else:
        # What several planes join is an island if one of them joins all of it.
        some = np.nonzero(found >= 0)
        number = endpoints * (1 + some[0].astype(np.int64)) + found[some]
        joined = components(endpoints * (1 + planes), ints(some[1]), ints(number))[:endpoints]
        known = np.zeros(endpoints, dtype=bool)
        for plane in found:
            low, high = np.full(endpoints, endpoints), np.full(endpoints, -1)
            np.minimum.at(low, joined, plane)
            np.maximum.at(high, joined, plane)
            known |= (low == high)[joined] & (plane >= 0)
        alone = np.bincount(joined, minlength=endpoints)[joined] == 1
        if not (known | alone).all():
            return None
    lonely = (found < 0).all(axis=0)
    return ints(np.where(lonely, endpoints + np.arange(endpoints), joined))


_UNKNOWN = -2


def _of_plane(flow: FlowProblem, plane: int) -> npt.NDArray[np.int64]:
    """Return int64 ``[endpoints]``: the island of each in a plane, -1 where it is alone; or all unknown."""
    attach, up, down = flow.attach[plane], flow.access_up[plane] > 0, flow.access_down[plane] > 0
    arcs, nodes = slice(*flow.arc_ptr[plane : plane + 2]), int(flow.node_count[plane])
    tail, head = flow.tail[arcs], flow.head[arcs]
    component = strong_components(nodes, tail, head).astype(np.int64)
    on = attach >= 0
    if (up[on] != down[on]).any():
        return np.full(len(attach), _UNKNOWN)
    on &= up
    if (component[tail] == component[head]).all():
        found = np.where(on, component[attach], -1)
        return np.where(on, np.unique(found, return_inverse=True)[1].ravel(), -1)
    return _through_hubs(flow, on, (nodes, tail, head, component), plane)


def _through_hubs(
    flow: FlowProblem, on: BoolArray, graph: tuple[int, IntArray, IntArray, npt.NDArray[np.int64]], plane: int
) -> npt.NDArray[np.int64]:
    """Return the same in a graph in layers, where endpoints send or receive."""
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load
    from scipy.sparse.csgraph import breadth_first_order  # noqa: PLC0415 - the same

    nodes, tail, head, component = graph
    attach = flow.attach[plane]
    unknown = np.full(len(attach), _UNKNOWN)
    groups = flow.demands.groups
    if groups is None:
        return unknown
    sends, receives = (on & (weight > 0) for weight in groups[:2])
    for part in flow.demands.parts[1:]:
        pairs = part.listed("the matrix")
        sends[pairs.src], receives[pairs.dst] = on[pairs.src], on[pairs.dst]
    if (sends & receives).any():
        return unknown
    there = sp.csr_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(nodes, nodes))
    back = there.T.tocsr()

    def met(graph: sp.csr_array, switch: int) -> BoolArray:
        seen = np.zeros(nodes, dtype=bool)
        seen[breadth_first_order(graph, switch, return_predecessors=False)] = True
        return np.asarray(seen[attach])

    source = reached = np.zeros(len(attach), dtype=bool)
    links = np.bincount(np.concatenate([component[tail], component[head]]), minlength=int(component.max()) + 1)
    for hub in np.argsort(-links, kind="stable")[:_HUBS].tolist():
        switch = int(np.argmax(component == hub))
        before = met(back, switch) & sends
        if not source.any():
            source = before
        if before.any() and before[source].all():
            reached = reached | (met(there, switch) & receives)
            if reached[receives].all():
                break
    found = np.where(source | reached, 0, -1)
    others, unreached = np.flatnonzero(sends & ~source), np.flatnonzero(receives & ~reached)
    if max(len(others), len(unreached)) > _SEARCHES:
        return unknown
    for number, endpoint in enumerate(others.tolist(), start=1):
        onto = met(there, int(attach[endpoint])) & receives
        known = np.unique(found[onto])
        if len(known) == 0:
            continue
        # All destinations of an island are new to it, or all are those of one.
        if len(known) > 1 or known[0] == 0 or (known[0] > 0 and (onto != ((found == known[0]) & receives)).any()):
            return unknown
        found[onto] = found[endpoint] = number if known[0] < 0 else known[0]
    for endpoint in unreached.tolist():
        before = met(back, int(attach[endpoint])) & sends
        if before.any() and (found[endpoint] < 0 or (found[before] != found[endpoint]).any()):
            return unknown
    return found
