"""htsim's ``.topo`` files: the parameters of a fat tree of two or three tiers.

    Nodes n                    hosts
    Tiers t
    Podsize p                  hosts of a pod
    Tier i                     for each tier from 0, the switches that hosts are on
    Downlink_speed_Gbps s      whole Gb/s of every cable to the tier below
    Radix_Down d, Radix_Up u   ports; the top tier has no Radix_Up
    Bundle b                   parallel cables to each switch below, default 1
    Oversubscribed o           checked against the ports and speeds, if given

The tree has the wiring and the names of the family ``fat-tree``, so uplink y of aggregation switch a of any pod
ends at core switch ``a * uplinks + y``.  htsim numbers core switches in the opposite order.  Latencies and queues are
not kept; the usual ones are written.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import whole, word_lines
from pnet_lp.model import Plane
from pnet_lp.topology.family import LARGEST
from pnet_lp.topology.io.format import NETWORK_FORMATS, refusal

_HEADS = ("Nodes", "Tiers", "Podsize")
_KEYS = ("Oversubscribed", "Downlink_speed_Gbps", "Radix_Down", "Radix_Up", "Bundle")
_IGNORED = ("Downlink_Latency_ns", "Switch_Latency_ns", "Queue_Up", "Queue_Down")
_SPELT = {key.lower(): key for key in (*_HEADS, *_KEYS, *_IGNORED, "Tier")}
_TIER_NAMES = {2: ("edge", "core"), 3: ("edge", "agg", "core")}


@dataclass
class _Tree:
    """The values of a file; each with the line that it is in."""

    where: str
    head: dict[str, tuple[int, str]] = field(default_factory=dict)
    tiers: dict[int, dict[str, tuple[int, str]]] = field(default_factory=dict)

    def get(self, key: str, tier: int | None = None, default: int | None = None) -> int:
        values = self.head if tier is None else self.tiers.get(tier, {})
        if key in values:
            return values[key][0]
        if default is not None:
            return default
        place = "" if tier is None else f" of tier {tier}"
        raise TopologyError(f"{key}{place} is missing", where=self.where)

    def line(self, key: str, tier: int) -> str:
        return self.tiers[tier].get(key, (0, self.where))[1]

    def check(self, key: str, tier: int, expected: float) -> None:
        if key in self.tiers[tier] and self.get(key, tier) != expected:
            raise TopologyError(
                f"{key} of tier {tier} does not fit the rest",
                where=self.line(key, tier),
                found=self.get(key, tier),
                allowed=f"{expected:g}",
            )

    def quotient(self, number: int, by: int, what: str, where: str) -> int:
        if number % by:
            raise TopologyError(f"{number} {what} cannot be divided by {by}", where=where)
        return number // by


def _matches(head: str) -> bool:
    keys = [line.split(maxsplit=1)[0].lower() for line in head.split("\n") if len(line.split(maxsplit=1)) > 1]
    return keys[:1] in ([key.lower()] for key in _HEADS) and not {"tiers", "tier", "podsize"}.isdisjoint(keys)


def _parse(text: str, where: str, _: float) -> Plane:
    tree = _read(text, where)
    count = tree.get("Tiers")
    if count not in _TIER_NAMES:
        raise TopologyError("unsupported number of tiers", where=tree.head["Tiers"][1], found=count, allowed="2 or 3")
    hosts, pod = tree.get("Nodes"), tree.get("Podsize")
    down = [tree.get("Radix_Down", tier) for tier in range(count)]
    up = [tree.get("Radix_Up", tier) for tier in range(count - 1)]
    bundle = [tree.get("Bundle", tier, 1) for tier in range(count)]
    speed = [tree.get("Downlink_speed_Gbps", tier) for tier in range(count)]
    tree.check("Bundle", 0, 1)
    pods = tree.quotient(hosts, pod, "nodes", tree.head["Podsize"][1])
    edges = tree.quotient(pod, down[0], "hosts of a pod", tree.line("Radix_Down", 0))
    children = [pods * edges] if count == 2 else [edges, pods]
    # Switches of each tier, switches of a pod of the current tier, and the ends of the cables above each tier.
    switches, per_pod = [pods * edges], 1
    u, v = [], []
    for tier, below in enumerate(children):
        fan = tree.quotient(up[tier], bundle[tier + 1], "uplinks", tree.line("Radix_Up", tier))
        tree.check("Radix_Down", tier + 1, below * bundle[tier + 1])
        if max(switches[tier] * up[tier], hosts) > LARGEST:
            raise TopologyError("the tree is too large", where=where, allowed=f"{LARGEST} cables and hosts")
        group, place, link = np.indices((switches[tier] // per_pod, per_pod, fan))
        above = group // below * per_pod * fan + place * fan + link
        first = sum(switches[:tier])
        u.append(np.repeat((group * per_pod + place).ravel() + first, bundle[tier + 1]))
        v.append(np.repeat(above.ravel() + first + switches[tier], bundle[tier + 1]))
        per_pod *= fan
        switches.append(switches[tier] * fan // below)
        tree.check("Oversubscribed", tier, down[tier] * speed[tier] / (up[tier] * speed[tier + 1]))
    names = zip(_TIER_NAMES[count], switches, strict=True)
    return Plane.from_cables(
        [f"{name}{i}" for name, total in names for i in range(total)],
        np.concatenate(u),
        np.concatenate(v),
        np.repeat(speed[1:], [len(ends) for ends in u]),
        host_switch=np.arange(hosts) // down[0],
        access_gbps=speed[0],
        tier=np.repeat(np.arange(count), switches),
        label=where,
    )


def _read(text: str, where: str) -> _Tree:
    tree = _Tree(where)
    values = tree.head
    for here, words in word_lines(text, where):
        key, value = _SPELT.get(words[0].lower(), ""), whole(words[1]) if len(words) == 2 else None
        if value is None:
            raise TopologyError(
                "not a key and a value", where=here, found=" ".join(words), allowed="a key and a whole number >= 0"
            )
        if key == "Tier":
            if value in tree.tiers:
                raise TopologyError(f"tier {value} is given twice", where=here)
            values = tree.tiers.setdefault(value, {})
        elif key in (_HEADS if values is tree.head else (*_KEYS, *_IGNORED)):
            if key in values:
                raise TopologyError(f"{key} is given twice", where=here)
            if value < 1 and key not in _IGNORED:
                raise TopologyError(f"invalid {key}", where=here, found=value, allowed="at least 1")
            values[key] = (value, here)
        else:
            known = (*_HEADS, "Tier") if values is tree.head else (*_KEYS, *_IGNORED, "Tier")
            raise TopologyError("not a key", where=here, found=words[0], allowed=", ".join(known))
    return tree


def _render(plane: Plane) -> str:
    what = "htsim's format"
    tiers = int(plane.tier.max()) + 1
    if tiers not in _TIER_NAMES or plane.host_count == 0:
        raise refusal(plane, what, "networks other than fat trees of two or three tiers with hosts")
    if plane.position is not None:
        raise refusal(plane, what, "positions")
    if plane.box is not None:
        raise refusal(plane, what, "boxes")
    if plane.delay_ns is not None or plane.access_delay_ns is not None:
        raise refusal(plane, what, "delays")
    lower, upper = np.minimum(plane.cable_u, plane.cable_v), np.maximum(plane.cable_u, plane.cable_v)
    switches = np.bincount(plane.tier, minlength=tiers)
    above = [np.flatnonzero(plane.tier[lower] == tier) for tier in range(tiers - 1)]
    if not all(map(len, (*above, *(np.flatnonzero(plane.tier == tier) for tier in range(tiers))))):
        raise refusal(plane, what, "tiers without cables between them")
    speed = [float(plane.access_up_gbps[0]), *(float(plane.capacity_uv_gbps[cables[0]]) for cables in above)]
    if any(value < 1 or value != int(value) for value in speed):
        raise refusal(plane, what, "speeds that are not whole Gb/s")
    bundle = [1, *(_bundle(lower[cables], upper[cables]) for cables in above)]
    up = [len(cables) // switches[tier] for tier, cables in enumerate(above)]
    down = [plane.host_count // switches[0], *(len(cables) // switches[i + 1] for i, cables in enumerate(above))]
    lines = [f"Nodes {plane.host_count}", f"Tiers {tiers}", f"Podsize {down[1] // bundle[1] * down[0]}"]
    for tier in range(tiers):
        lines += ["", f"Tier {tier}", f"Downlink_speed_Gbps {int(speed[tier])}", f"Radix_Down {down[tier]}"]
        if tier < tiers - 1:
            lines.append(f"Radix_Up {up[tier]}")
        lines += [f"Bundle {bundle[tier]}", "Downlink_Latency_ns 1000", "Switch_Latency_ns 0"]
    return "\n".join(lines) + "\n"


def _bundle(lower: npt.NDArray[np.int32], upper: npt.NDArray[np.int32]) -> int:
    """Return how many of the cables between ``lower`` and ``upper`` join the ends of the first."""
    return int(np.sum((lower == lower[0]) & (upper == upper[0])))


NETWORK_FORMATS.add_text("htsim", (".topo",), "a fat tree of htsim", _parse, _render, recognise=_matches, order=1)
