"""What a picture shows of each plane, in arrays and in words; planes that show the same share a panel."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from pnet_lp.drawing.loads import CableLoads, utilisation
from pnet_lp.drawing.marks import CutMark
from pnet_lp.drawing.words import counted
from pnet_lp.model import Network, Plane
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, booleans, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.units import format_gbps


@brief("planes")
@dataclass(frozen=True, eq=False, repr=False)
class PlanePanel:
    """A plane to draw, with what is shown of it.

    Attributes:
        planes: the planes that look like this.
        plane: one of them.
        side: bool ``[n]``, switches on the sending side of the cut; None without a cut.
        load: float64 ``[m, 2]``, Gb/s of both directions of each cable; None without loads.
        length: the same of lengths.
        value: float64 ``[m]``, what cables are coloured by, in [0, 1]: the fuller direction, or the longer one as a
            share of the longest link in all planes; None without loads.
        colour: of cables, where they have no value; empty where all have the same.
        frames: boxes around switches, with their names.
        keys: of the legend, what each of these colours stands for.
    """

    planes: tuple[int, ...]
    plane: Plane
    side: BoolArray | None
    load: FloatArray | None
    length: FloatArray | None
    value: FloatArray | None
    colour: tuple[str, ...] = field(default=(), kw_only=True)
    frames: tuple[tuple[str, IntArray], ...] = field(default=(), kw_only=True)
    keys: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)

    @property
    def kinds(self) -> tuple[str, str]:
        """What switches with and without endpoints are called in the legend."""
        return "rack", "switch without a rack"

    def cable_place(self, cable: int) -> str:
        """Return where a cable is."""
        del cable
        return self.name

    @property
    def name(self) -> str:
        """Which planes these are."""
        if len(self.planes) == 1:
            return f"plane {self.planes[0]}"
        first, last = self.planes[0], self.planes[-1]
        whole = last - first + 1 == len(self.planes)
        return f"planes {f'{first} to {last}' if whole else ', '.join(map(str, self.planes))}, identical"

    @cached_property
    def level(self) -> IntArray:
        """int32 ``[n]``, the tier of each switch, those that no switch is in left out."""
        return ints(np.unique(self.plane.tier, return_inverse=True)[1])

    @cached_property
    def rack(self) -> BoolArray:
        """Bool ``[n]``, whether a switch is a rack."""
        found = np.zeros(self.plane.switch_count, dtype=np.bool_)
        found[self.plane.rack_switch] = True
        return booleans(found)

    @cached_property
    def hosts(self) -> IntArray:
        """int32 ``[n]``, hosts at each switch."""
        there = self.plane.host_switch[self.plane.host_switch >= 0]
        return ints(np.bincount(there, minlength=self.plane.switch_count))

    @cached_property
    def speed(self) -> FloatArray:
        """float64 ``[m, 2]``, Gb/s of both directions of each cable."""
        return floats(np.column_stack([self.plane.capacity_uv_gbps, self.plane.capacity_vu_gbps]))

    @cached_property
    def failed(self) -> IntArray:
        """int32 ``[m]``, how many directions of each cable carry nothing."""
        return ints((self.speed == 0).sum(axis=1))

    @cached_property
    def dead(self) -> BoolArray:
        """Bool ``[n]``, switches that have cables, none of which carries anything."""
        alive = np.zeros(self.plane.switch_count, dtype=np.bool_)
        works = self.failed < 2
        alive[self.plane.cable_u[works]] = alive[self.plane.cable_v[works]] = True
        return booleans(~alive & (self.plane.degree > 0))

    @cached_property
    def crossing(self) -> BoolArray:
        """Bool ``[m]``, cables that work and join the two sides of the cut."""
        if self.side is None:
            return booleans(np.zeros(self.plane.cable_count))
        return booleans((self.side[self.plane.cable_u] != self.side[self.plane.cable_v]) & (self.failed < 2))

    @cached_property
    def tier_names(self) -> tuple[str, ...]:
        """The name of each tier, from the hosts upwards: the common beginning of its switches' names."""
        if len(np.unique(self.level)) == 1:
            return ("switch",)
        found = []
        for tier in range(int(self.level.max()) + 1):
            names = [self.plane.switch_names[i] for i in np.flatnonzero(self.level == tier)]
            name = _common_prefix(names)
            found.append(name.rstrip("0123456789.-_ ") or f"tier {tier}")
        return tuple(found) if len(set(found)) == len(found) else tuple(f"tier {t}" for t in range(len(found)))

    def switch_words(self) -> list[str]:
        """Return the description of each switch."""
        tiers, names = self.tier_names, self.plane.switch_names
        found = []
        for i, name in enumerate(names):
            facts = [f"{self.name}, switch {name}"]
            if len(tiers) > 1:
                facts.append(f"tier {self.level[i]}")
            facts.append("a rack" if self.rack[i] else "no rack")
            facts.append(f"{counted(int(self.hosts[i]), 'host')}, {counted(int(self.plane.degree[i]), 'cable')}")
            if self.side is not None:
                facts.append(f"side {'A' if self.side[i] else 'B'} of the cut")
            if self.dead[i]:
                facts.append("cut off: none of its cables works")
            found.append("; ".join(facts))
        return found

    def cable_words(self) -> list[str]:
        """Return the description of each cable."""
        names, plane = self.plane.switch_names, self.plane
        found = []
        for i, (u, v) in enumerate(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True)):
            there, back = self.speed[i]
            speed = format_gbps(there) if there == back else f"{format_gbps(there)} and {format_gbps(back)} back"
            facts = [f"{self.cable_place(i)}, cable {names[u]} - {names[v]}", f"{speed} Gb/s"]
            if self.load is not None and self.length is not None:
                shares = self.load[i] / np.where(self.speed[i] > 0, self.speed[i], 1.0)
                there, back = (
                    f"{load:.4g} Gb/s ({share:.1%})" for load, share in zip(self.load[i], shares, strict=True)
                )
                facts.append(f"carries {there}, back {back}")
                facts.append(f"length {self.length[i, 0]:.3g}, back {self.length[i, 1]:.3g}")
            if self.crossing[i]:
                facts.append("in the cut")
            if self.failed[i]:
                facts.append("failed" if self.failed[i] == 2 else "one direction failed")
            found.append("; ".join(facts))
        return found


def make_panels(
    network: Network, cut: CutMark | None, loads: CableLoads | None, *, lengths: bool, apart: bool
) -> list[PlanePanel]:
    """Return the panels that show a cut and loads; with ``apart`` even planes that show the same have a panel each.

    With ``lengths`` cables are coloured by length instead of utilisation.
    """
    most = loads.most(network, lengths=lengths) if loads else 1.0
    found: dict[object, PlanePanel] = {}
    for p, plane in enumerate(network.planes):
        side = None if cut is None else cut.cut.switches[p]
        load = length = value = None
        if loads is not None:
            load, length = (floats(one[p].reshape(-1, 2)) for one in (loads.gbps, loads.length))
            shown = length if lengths else utilisation(plane, loads.gbps[p]).reshape(-1, 2)
            value = floats(np.clip(shown.max(axis=1, initial=0.0) / most, 0.0, 1.0))
        seen: tuple[object, ...] = (plane.fingerprint, *map(_bytes, (side, load, length)))
        key = p if apart else seen
        known = found.get(key) or PlanePanel((), plane, side, load, length, value)
        found[key] = replace(known, planes=(*known.planes, p))
    return list(found.values())


def _bytes(values: FloatArray | BoolArray | None) -> bytes | None:
    # Rounded: planes that are the same are loaded the same up to the last digits only.
    return None if values is None else np.round(values.astype(np.float64), 9).tobytes()


def _common_prefix(names: Sequence[str]) -> str:
    """Return the common prefix of all names."""
    same = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(first for first, *_ in same)


def labels_in_words(planes: Sequence[Plane]) -> str:
    """Return the label of the first plane, and how many planes have other labels."""
    labels = [plane.label or "network" for plane in planes]
    others = len(set(labels)) - 1
    return labels[0] if not others else f"{labels[0]} and {others:,} other{'s' if others > 1 else ''}"
