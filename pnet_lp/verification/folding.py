"""A network with its twins folded, and what a destination sees of it, a second time.

Twins are switches, or endpoints with the switches that they attach to, whose links lead to the same places: exchanging
two of them changes nothing.  Nothing here calls the core.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem

_Index = npt.NDArray[np.int64]
_Hash = npt.NDArray[np.uint64]

CORE, UP, DOWN = range(3)
"""Sorts of links."""

_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Links:
    """Directed links; ``[links]`` each.

    Attributes:
        tail, head: int64, nodes.
        sort: int64, of :data:`CORE`, :data:`UP`, :data:`DOWN`.
        capacity: float64, Gb/s.
        place: int64, among all arcs, then all access links up and down.
    """

    tail: _Index
    head: _Index
    sort: _Index
    capacity: FloatArray
    place: _Index


def links_of(flow: FlowProblem) -> Links:
    """Return the links of a problem between its nodes: switches, counted through over the planes, then endpoints."""
    first = np.r_[0, np.cumsum(flow.node_count, dtype=np.int64)]
    plane = np.repeat(np.arange(flow.plane_count), np.diff(flow.arc_ptr))
    arcs = len(flow.tail)
    tails, heads = [first[plane] + flow.tail], [first[plane] + flow.head]
    sorts, capacities, places = [np.full(arcs, CORE)], [flow.capacity], [np.arange(arcs)]
    for sort, speed in ((UP, flow.access_up), (DOWN, flow.access_down)):
        p, e = np.nonzero((flow.attach >= 0) & (speed > 0))
        ends = [first[-1] + e, first[p] + flow.attach[p, e]]
        tails.append(ends[sort == DOWN])
        heads.append(ends[sort == UP])
        sorts.append(np.full(len(p), sort))
        capacities.append(speed[p, e])
        places.append(arcs + (sort - 1) * flow.attach.size + p * flow.attach.shape[1] + e)
    return Links(*(np.concatenate(parts) for parts in (tails, heads, sorts, capacities, places)))


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Folding:
    """A network of which one node stands for all of its twins.

    Attributes:
        flow: the problem.
        links: of the network.
        of: int64 ``[nodes of the network]``, the folded node of each.
        unit: int64 ``[nodes of the network]``, which of them are exchanged together.
        first: int64 ``[nodes]``, a node of the network that each stands for.
        group: int64 ``[nodes]``, equal for the nodes of a unit.
        count: int64 ``[nodes]``, how many nodes each stands for.
        link_of: int64 ``[links of the network]``, the folded link of each.
        tail, head: int64 ``[folded links]``, nodes.
        parallel: int64 ``[folded links]``, links from one node of the tail to one of the head.
        inside: bool ``[folded links]``, whether they are of one unit; otherwise they are from every node to every node.
    """

    flow: FlowProblem
    links: Links
    of: _Index
    unit: _Index
    first: _Index
    group: _Index
    count: _Index
    link_of: _Index
    tail: _Index
    head: _Index
    parallel: _Index
    inside: npt.NDArray[np.bool_]


def fold(flow: FlowProblem) -> Folding:
    """Return the network of a problem with its twins folded."""
    links, switches = links_of(flow), int(flow.node_count.sum())
    nodes = switches + flow.attach.shape[1]
    access = links.sort != CORE
    joined = sp.csr_array(
        (np.ones(access.sum()), (links.tail[access], links.head[access])), shape=(nodes, nodes)
    )
    unit: _Index = connected_components(joined, directed=False)[1].astype(np.int64)
    order = np.argsort(unit, kind="stable")
    begin = np.searchsorted(unit[order], np.arange(unit.max() + 2))
    local = np.empty(nodes, dtype=np.int64)
    local[order] = np.arange(nodes) - begin[unit[order]]
    group = _twins(flow, links, unit, local, switches)[unit]
    # Nodes are named by the twins that they are of, and their place in the unit.
    key = group * (int(local.max()) + 1) + local
    names, first, of, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    tail, head = of[links.tail], of[links.head]
    pair = tail * len(names) + head
    # Of capacities only whether they are the same counts.
    speed = np.unique(links.capacity, return_inverse=True)[1]
    order = np.lexsort((links.sort, speed, pair))
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([np.diff(values[order]) != 0 for values in (links.sort, speed, pair)], axis=0)
    link_of = np.empty(len(order), dtype=np.int64)
    link_of[order] = np.cumsum(new) - 1
    example = order[new]
    tail, head = tail[example], head[example]
    inside = unit[links.tail[example]] == unit[links.head[example]]
    pairs = np.where(inside, count[tail], count[tail] * count[head])
    return Folding(
        flow=flow,
        links=links,
        of=of,
        unit=unit,
        first=first,
        group=group[first],
        count=count,
        link_of=link_of,
        tail=tail,
        head=head,
        parallel=np.bincount(link_of) // pairs,
        inside=inside,
    )


def _twins(flow: FlowProblem, links: Links, unit: _Index, local: _Index, switches: int) -> _Index:
    """Return a number for each unit, the same for twins."""
    speed = np.unique(links.capacity, return_inverse=True)[1]
    ends = [(links.tail, links.head, 2 * links.sort), (links.head, links.tail, 2 * links.sort + 1)]
    rows = []
    for own, other, side in ends:
        inside = unit[own] == unit[other]
        rows.append(
            np.stack([unit[own], local[own], side, np.where(inside, -1 - local[other], other), speed])
        )
    seen = np.concatenate(rows, axis=1)
    seen = seen[:, np.lexsort(seen[::-1])]
    # A switch is of its plane, an endpoint of its weights; one with demands of its own is like no other.
    planes = np.repeat(np.arange(flow.plane_count), flow.node_count)
    weights = flow.demands.weights(flow.attach.shape[1])
    look = np.concatenate([np.stack([planes, *np.zeros((len(weights) - 1, switches))]), weights], axis=1)
    order = np.argsort(unit, kind="stable")
    count = int(unit.max()) + 1
    nodes_at = np.searchsorted(unit[order], np.arange(count + 1))
    links_at = np.searchsorted(seen[0], np.arange(count + 1))
    look, seen = np.ascontiguousarray(look[:, order].T), np.ascontiguousarray(seen[1:].T)
    is_switch = order < switches
    known: dict[object, int] = {}
    found = np.empty(count, dtype=np.int64)
    for u in range(count):
        mine, near = slice(*nodes_at[u : u + 2]), slice(*links_at[u : u + 2])
        of_planes = look[mine][is_switch[mine], 0]
        # Two switches of one plane may have links between each other; such a unit is left alone.
        alone = u if len(np.unique(of_planes)) < len(of_planes) else -1
        key = alone, is_switch[mine].tobytes(), look[mine].tobytes(), seen[near].tobytes()
        found[u] = known.setdefault(key, len(known))
    return found


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class View:
    """What one destination sees: the folded network with its own unit set apart from its twins.

    Attributes:
        target: the destination's node.
        of: int64 ``[nodes of the network]``, the node of each.
        is_switch: bool ``[nodes]``.
        count: int64 ``[nodes]``, how many nodes of the network each stands for.
        demand: float64 ``[nodes]``, what one of them sends to the destination.
        link: int64 ``[links]``, the folded link of each.
        tail, head: int64 ``[links]``, nodes.
        out, into: int64 ``[links]``, how many leave one node of the tail, and enter one of the head.
        seen: int64 ``[links]``, how many of the destination and its twins see them so, from one link of the network.
    """

    target: int
    of: _Index
    is_switch: npt.NDArray[np.bool_]
    count: _Index
    demand: FloatArray
    link: _Index
    tail: _Index
    head: _Index
    out: _Index
    into: _Index
    seen: _Index


def look_from(folding: Folding, endpoint: int) -> View:
    """Return what ``endpoint`` of the problem sees."""
    switches = int(folding.flow.node_count.sum())
    node, nodes = switches + endpoint, len(folding.first)
    target, of, count, first = int(folding.of[switches + endpoint]), folding.of, folding.count, folding.first
    twins = int(count[target])
    tail, head, link = folding.tail, folding.head, np.arange(len(folding.tail))
    own = np.flatnonzero(folding.group == folding.group[target])
    touches = np.isin(tail, own) | np.isin(head, own)
    seen = np.full(len(tail), twins)
    if twins > 1:
        apart = np.arange(nodes)
        apart[own] = nodes + np.arange(len(own))
        seen = np.r_[np.where(touches, twins - 1, twins), np.ones(touches.sum(), dtype=np.int64)]
        tail = np.r_[tail, apart[tail[touches]]]
        head = np.r_[head, apart[head[touches]]]
        link = np.r_[link, link[touches]]
        of = np.where(folding.unit == folding.unit[node], apart[of], of)
        first = np.r_[first, first[own]]
        count = np.r_[count, np.ones(len(own), dtype=np.int64)]
        count[own] -= 1
        target = int(apart[target])
    parallel, inside = folding.parallel[link], folding.inside[link]
    demand = np.zeros(len(first))
    ends = np.flatnonzero(first >= switches)
    rule = folding.flow.demands
    demand[ends] = rule.sent_to(endpoint, folding.flow.attach.shape[1])[first[ends] - switches]
    demand[target] = rule.sent_to_itself(endpoint)
    return View(
        target=target,
        of=of,
        is_switch=first < switches,
        count=count,
        demand=demand,
        link=link,
        tail=tail,
        head=head,
        out=parallel * np.where(inside, 1, count[head]),
        into=parallel * np.where(inside, 1, count[tail]),
        seen=seen,
    )


def names(view: View, link_class: _Index) -> tuple[_Hash, int]:
    """Return a name for each node of a view, equal for nodes that see the same, and one for all that is seen.

    Names of views from different destinations can be compared.

    Args:
        view: of one destination.
        link_class: int64 ``[folded links]``.
    """
    with np.errstate(over="ignore"):
        look = np.where(view.is_switch, 1, 2).astype(np.uint64)
        look[view.target] = 3
        name = _mixed(look, view.demand.view(np.uint64))
        links = _mixed(link_class[view.link].astype(np.uint64), np.uint64(7))
        out, into = view.out.astype(np.uint64), view.into.astype(np.uint64)
        different = len(np.unique(name))
        while True:
            seen = np.zeros(len(name), dtype=np.uint64)
            np.add.at(seen, view.tail, out * _mixed(links, name[view.head]))
            np.add.at(seen, view.head, into * _mixed(~links, name[view.tail]))
            name = _mixed(name, seen)
            now = len(np.unique(name))
            if now == different:
                break
            different = now
        whole = (view.count.astype(np.uint64) * _mixed(name, np.uint64(5))).sum(dtype=np.uint64)
        return name, int(whole)


def _mixed(a: _Hash, b: _Hash | np.uint64) -> _Hash:
    """Return a hash of each pair (Steele, Lea, Flood: SplitMix)."""
    first, second, third = (np.uint64(value) for value in _MULTIPLIERS)
    z = a * first + (b ^ (b >> np.uint64(29))) * second
    z = (z ^ (z >> np.uint64(32))) * third
    z = (z ^ (z >> np.uint64(29))) * first
    return np.asarray(z ^ (z >> np.uint64(32)), dtype=np.uint64)
