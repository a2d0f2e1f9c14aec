"""What of a matrix has a path: pair by pair, or where pairs are too many to list, by the rule that they follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp.model.arrays import BoolArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.demands import LISTED_PAIRS, Demands, Grouped, Pairs, Product, Rule, Summed
from pnet_lp.model.flow import FlowProblem, build_problem
from pnet_lp.model.network import Network
from pnet_lp.model.traffic import TrafficMatrix

NAMED_PAIRS = 3
"""Pairs without a path that are named."""


@brief("lost_demands", "lost_total")
@dataclass(frozen=True, eq=False, repr=False)
class Connected:
    """The demands of a matrix that have a path, and what the others are.

    Attributes:
        traffic: those that have one, the matrix itself where all have; None where none has.
        lost_demands: how many have none.
        lost_total, total: their sum, and that of all.
        examples: some of those without one: sources and destinations.
    """

    traffic: TrafficMatrix | None
    lost_demands: int
    lost_total: float
    total: float
    examples: tuple[tuple[int, int], ...] = ()


def connected(network: Network, traffic: TrafficMatrix) -> Connected:
    """Return what of the demands has a path.

    A rule of more than a million pairs stays one where what fails cuts endpoints off, by themselves or in islands.

    Raises:
        TrafficError: the pairs have to be listed, and do not fit into memory.
    """
    if follows_rule(traffic):
        found = connected_by_rule(build_problem(network.graph, traffic.on_graph(network)), traffic)
        if found is not None:
            return found
    return without(traffic, lost_pairs(network, traffic))


def follows_rule(traffic: TrafficMatrix) -> bool:
    """Whether the demands follow a rule, and are too many to be listed without need."""
    demands = traffic.demands
    return isinstance(demands, Rule) and demands.count > LISTED_PAIRS


def without(traffic: TrafficMatrix, lost: BoolArray) -> Connected:
    """Return a matrix whose demands ``lost``, bool ``[J]``, have no path."""
    if not lost.any():
        return Connected(traffic, 0, 0.0, traffic.total)
    kept, first = ~lost, np.flatnonzero(lost)[:NAMED_PAIRS]
    examples = tuple(zip(traffic.src[first].tolist(), traffic.dst[first].tolist(), strict=True))
    rest = None
    if kept.any():
        pairs = traffic.src[kept], traffic.dst[kept], traffic.demand[kept]
        label = f"{traffic.label} between connected {traffic.level}s"
        rest = TrafficMatrix.from_entries(traffic.level, traffic.endpoints, *pairs, label=label)
    return Connected(rest, int(lost.sum()), float(traffic.demand[lost].sum()), float(traffic.demand.sum()), examples)


def lost_pairs(network: Network, traffic: TrafficMatrix) -> BoolArray:
    """Return bool ``[demands of the matrix]``: those without a path; errors as of :func:`build_problem`."""
    network, traffic = network.graph, traffic.on_graph(network)
    flow = build_problem(network, traffic)
    return np.isin(flow.demand_of_pairs(traffic), flow.disconnected)


def connected_by_rule(flow: FlowProblem, traffic: TrafficMatrix) -> Connected | None:
    """Return what of a rule has a path in the problem made of it; None where that follows no rule."""
    found = flow.islands
    if found is None:
        return None
    of = np.append(found, -1)[flow.endpoint_class]
    # Hosts on no link are one endpoint, and have no path to each other.
    of = np.where(of < len(found), of, 2 * len(found) + np.arange(len(of)))
    # In layers an endpoint receives with a number of its own.
    sending, receiving = of[: traffic.endpoints], of[-traffic.endpoints :]
    kept = _within(traffic.demands, sending, receiving)
    if kept is None:
        return None
    lost = traffic.demand_count - kept.count
    if not lost:
        return Connected(traffic, 0, 0.0, traffic.total)
    label = f"{traffic.label} between connected {traffic.level}s"
    rest = TrafficMatrix(traffic.level, traffic.endpoints, kept, label) if kept.count else None
    return Connected(rest, lost, traffic.total - kept.total, traffic.total, _examples(traffic, sending, receiving))


def _examples(traffic: TrafficMatrix, sending: IntArray, receiving: IntArray) -> tuple[tuple[int, int], ...]:
    """Return some pairs of different islands, of which one end is in a small one."""
    ends = []
    for of in (sending, receiving):
        rare = np.argsort(np.bincount(of - of.min())[of - of.min()], kind="stable")[: NAMED_PAIRS + 1]
        ends.append(np.union1d(np.arange(min(NAMED_PAIRS + 1, len(of))), rare))
    s, t = (one.ravel() for one in np.meshgrid(*ends, indexing="ij"))
    sent = {int(b): traffic.demands.sent_to(int(b), traffic.endpoints) for b in np.unique(t)}
    some = np.array([a != b and sent[b][a] > 0 for a, b in zip(s.tolist(), t.tolist(), strict=True)])
    lost = np.flatnonzero((sending[s] != receiving[t]) & some)[:NAMED_PAIRS]
    return tuple(zip(s[lost].tolist(), t[lost].tolist(), strict=True))


def _within(demands: Demands, sending: IntArray, receiving: IntArray) -> Demands | None:
    """Return a rule without the demands between islands, of which endpoints have numbers."""
    if isinstance(demands, Summed):
        rule, pairs = _within(demands.rule, sending, receiving), demands.beside
        here = sending[pairs.src] == receiving[pairs.dst]
        beside = Pairs(ints(pairs.src[here]), ints(pairs.dst[here]), floats(pairs.demand[here]))
        return Summed(rule, beside) if isinstance(rule, Product | Grouped) else None
    groups, factors = demands.groups, demands.factors
    if groups is not None:
        sends, receives, group, owner, outside = groups
    elif factors is not None and not factors[2].any():
        sends, receives, _ = factors
    else:
        return None
    number, many = np.unique(sending[sends > 0], return_counts=True)
    main = number[np.argmax(many)]
    others = np.intersect1d(sending[(sends > 0) & (sending != main)], receiving[(receives > 0) & (receiving != main)])
    alone = len(np.flatnonzero(np.isin(sending, others))) == len(others) and np.array_equal(
        np.isin(sending, others), np.isin(receiving, others)
    )
    if alone:
        sends, receives = floats(sends * (sending == main)), floats(receives * (receiving == main))
        return Product(sends, receives) if groups is None else Grouped(sends, receives, group, owner, outside)
    if not np.array_equal(sending, receiving):
        return None
    if groups is None:
        island = np.unique(sending, return_inverse=True)[1].ravel()
        return Grouped(sends, receives, ints(island), ints(np.arange(len(sends))))
    if outside:
        return None
    both = np.unique(np.stack([group, sending]), axis=1, return_inverse=True)[1].ravel()
    return Grouped(sends, receives, ints(both), owner)
