"""What a picture shows beside switches and cables: the sides of a cut."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pnet_lp.drawing.settings import CUT_KINDS, CutKind
from pnet_lp.drawing.words import counted, number
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.arrays import BoolArray, IntArray, booleans
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level
from pnet_lp.throughput.bounds import Bisection, Cut, compute_bounds, find_bisection
from pnet_lp.throughput.bounds.witness import cut_capacity
from pnet_lp.traffic import build_traffic

_SAME = 1e-9

_UNIFORM = "all-to-all"
"""The traffic whose sparsest cut is meant where none is given."""


@brief("kind", "proved", "cables", "caption")
@dataclass(frozen=True, eq=False, repr=False)
class CutMark:
    """A cut to show.

    Attributes:
        kind: the requested kind.
        proved: whether no other cut of the kind is better; otherwise it is the best that was found.
        cut: its sides.
        cables: how many that work join the sides, in all planes.
        caption: what it is, in words.
    """

    kind: CutKind
    proved: bool
    cut: Cut
    cables: int
    caption: str

    def to_json(self, network: Network, level: Level) -> Mapping[str, Any]:
        """Return the cut with names."""
        return {"cut_of": self.kind, "proved": self.proved, "cables": self.cables, **self.cut.to_json(network, level)}


def find_cut(network: Network, kind: CutKind, level: Level, traffic: TrafficMatrix | None = None) -> CutMark:
    """Return the cut of a kind.

    Args:
        network: any.
        kind: ``bisection`` does not depend on the traffic, ``sparsest`` does.
        level: whether hosts or racks are on the sides.
        traffic: the demands; default: all-to-all.

    Raises:
        SpecError: no such kind, or there is nothing to cut.
        TopologyError: endpoints of that level mean nothing on the network.
    """
    network.check_level(level)
    if kind not in CUT_KINDS:
        raise SpecError("no such cut", where="cut", found=kind, allowed=", ".join(CUT_KINDS))
    endpoints = len(network.endpoint_names(level))
    if kind == "bisection":
        halves = find_bisection(network, level)
        if halves is None:
            raise SpecError(
                f"one {level} cannot be halved",
                where="cut",
                found=kind,
                allowed="a network of two or more racks or hosts",
            )
        shown = _natural(network, level, _between_racks(network, level, halves))
        cables = _cables(network, shown)
        how = "no halves are joined by less: proved" if halves.proved else "the narrowest found, not proved"
        words = (
            f"bisection: {number(halves.gbps)} Gb/s in {_severed(network, level, shown, cables)} "
            f"between halves of the {endpoints:,} {level}s ({how})"
        )
        return CutMark(kind, halves.proved, shown, cables, words)
    if endpoints < 2:
        raise SpecError(
            f"one {level} cannot be divided", where="cut", found=kind, allowed="a network of two or more racks or hosts"
        )
    if traffic is None:
        traffic = build_traffic(_UNIFORM, network, level)
    bound = compute_bounds(network, traffic, ["sparsest-cut"]).found["sparsest-cut"]
    if not isinstance(bound.witness, Cut) or math.isinf(bound.value_gbps):
        raise SpecError("no cut separates the ends of a demand", where="cut", found=kind)
    shown = _natural(network, level, bound.witness)
    cables = _cables(network, shown)
    words = (
        f"sparsest cut found (a heuristic): {number(shown.capacity_gbps)} Gb/s in "
        f"{_severed(network, level, shown, cables)} for a demand of {number(shown.demand)}, so K is at most "
        f"{number(bound.value_gbps)} Gb/s per unit demand ({traffic.label or 'the traffic given'})"
    )
    return CutMark(kind, False, shown, cables, words)


def _natural(network: Network, level: Level, cut: Cut) -> Cut:
    """Return the cut with switches that are free to be on either side on that of most racks below them.

    A cut is as narrow where it leaves the racks as where it reaches the core; a pod in one colour is easier to read.
    """
    sides = tuple(
        _with_most(plane, side, {"host": plane.host_switch, "rack": plane.rack_switch}[level])
        for plane, side in zip(network.planes, cut.switches, strict=True)
    )
    other = replace(cut, switches=sides)
    capacity = cut_capacity(network, level, other)
    return replace(other, capacity_gbps=capacity) if capacity <= cut.capacity_gbps * (1 + _SAME) else cut


def _with_most(plane: Plane, side: BoolArray, ends: IntArray) -> BoolArray:
    """Return sides on which each switch is with most of the speed towards those nearer to the ends than itself."""
    tail, head, speed = plane.arcs
    known = np.zeros(plane.switch_count, dtype=np.bool_)
    known[ends[ends >= 0]] = True
    found = side.copy()
    while True:
        reached = known[tail] & ~known[head] & (speed > 0)
        new = np.unique(head[reached])
        if not len(new):
            return booleans(found)
        votes = np.zeros(plane.switch_count)
        np.add.at(votes, head[reached], np.where(found[tail[reached]], 1.0, -1.0) * speed[reached])
        found[new] = np.where(votes[new] == 0, side[new], votes[new] > 0)
        known[new] = True


def _between_racks(network: Network, level: Level, halves: Bisection) -> Cut:
    """Return, of halves of hosts that are joined by as little, those that leave racks whole, if there are any.

    Where access links are as narrow as the cables above them, a cut of the former shows nothing of the network.
    """
    racks = find_bisection(network, "rack") if level == "host" and network.common_racks else None
    if racks is None or racks.gbps > halves.gbps * (1 + _SAME):
        return halves.cut
    plane, side = network.planes[0], racks.cut.switches[0]
    endpoints = (plane.host_switch >= 0) & side[plane.host_switch]
    if abs(2 * int(endpoints.sum()) - network.host_count) > 1:
        return halves.cut
    cut = replace(
        racks.cut, endpoints=booleans(endpoints), counted=booleans(np.ones(len(endpoints))), demand=halves.cut.demand
    )
    capacity = cut_capacity(network, level, cut)
    return replace(cut, capacity_gbps=capacity) if capacity <= halves.gbps * (1 + _SAME) else halves.cut


def _cables(network: Network, cut: Cut) -> int:
    """Return how many cables that carry anything join the sides of a cut."""
    found = 0
    for plane, side in zip(network.planes, cut.switches, strict=True):
        works = (plane.capacity_uv_gbps > 0) | (plane.capacity_vu_gbps > 0)
        found += int(np.sum(works & (side[plane.cable_u] != side[plane.cable_v])))
    return found


def _severed(network: Network, level: Level, cut: Cut, cables: int) -> str:
    """Return in words what a cut severs: cables, and access links where hosts are separated from their switches."""
    if level == "rack":
        return counted(cables, "cable")
    parted = 0
    for plane, side in zip(network.planes, cut.switches, strict=True):
        there = cut.counted & (plane.host_switch >= 0)
        parted += int(np.sum(there & (side[plane.host_switch] != cut.endpoints)))
    if parted and not cables:
        # A picture of switches shows nothing of it.
        return f"{counted(parted, 'access link')} and no cable, which level=rack would cut,"
    return counted(cables, "cable") + (f" and {counted(parted, 'access link')}" if parted else "")
