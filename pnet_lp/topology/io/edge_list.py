"""Edge lists: one full-duplex cable a line, ``u v [capacity_gbps [capacity_back_gbps]] [delay=NS] [metric=M[/BACK]]``.

``u`` and ``v`` are names of switches, without blanks; the fourth column is the speed from v to u where it differs;
``delay=`` or ``length=``, in metres, says how long a bit travels where that is known; ``metric=`` is the IGP metric, of
all cables or of none.  A line that repeats a pair is a parallel cable.  ``#`` begins a comment.  What other programs
may skip stands in comments that begin with ``#:``

    #: switch NAME [tier=T] [rack=R] [box=B] [at=X,Y]      names and orders switches; racks are ordered by R
    #: host NAME [SWITCH UP_GBPS [DOWN_GBPS] [delay=NS]]   without SWITCH: a host without a link into this plane

Switches that no such line names follow in order of appearance, or by number if there is no such line at all and all
names are numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from pnet_lp.errors import TopologyError, Verbatim
from pnet_lp.formats import LAST
from pnet_lp.layouts import whole
from pnet_lp.model import Plane
from pnet_lp.model.arrays import rows
from pnet_lp.model.metrics import METRICS
from pnet_lp.topology.io.format import NETWORK_FORMATS, parse_position, parse_speed, refusal
from pnet_lp.units import DELAYS, NS_PER_METRE, are_delays, parse_number

_CABLE = Verbatim("u v [capacity_gbps [capacity_back_gbps]] [delay=NS] [metric=M[/BACK]]")
_SWITCH = "#: switch NAME [tier=T] [rack=R] [box=B] [at=X,Y]"
_HOST = "#: host NAME [SWITCH UP_GBPS [DOWN_GBPS] [delay=NS]]"
_DELAYS = {"delay": 1.0, "length": NS_PER_METRE}
"""What a last column may begin with, and the ns that a unit of it takes."""


@dataclass
class Reading:
    """What the lines read so far give; formats that have declarations as these in comments read them by it, too."""

    link_gbps: float
    switches: dict[str, int] = field(default_factory=dict)
    tiers: dict[str, int] = field(default_factory=dict)
    racks: dict[int, str] = field(default_factory=dict)
    boxes: dict[str, int] = field(default_factory=dict)
    positions: dict[str, tuple[float, float]] = field(default_factory=dict)
    cables: list[tuple[str, str, float, float, float]] = field(default_factory=list)
    metrics: list[tuple[int, int]] = field(default_factory=list)
    hosts: dict[str, tuple[str | None, float, float, float]] = field(default_factory=dict)
    host_lines: dict[str, str] = field(default_factory=dict)

    def cable(self, words: list[str], where: str) -> None:
        """Add the cable of a line, or raise TopologyError."""
        words, metric = _metric(words, where)
        words, delay = _delay(words, where)
        if not 2 <= len(words) <= 4:
            raise TopologyError("not a cable", where=where, found=" ".join(words), allowed=_CABLE)
        u, v = words[:2]
        if u == v:
            raise TopologyError(f"a cable joins switch {u!r} to itself", where=where)
        there, back = _speeds(words[2:], where) or (self.link_gbps, self.link_gbps)
        for name in (u, v):
            self.switches.setdefault(name, len(self.switches))
        self.cables.append((u, v, there, back, delay))
        self.metrics += [] if metric is None else [metric]
        if len(self.metrics) not in (0, len(self.cables)):
            raise TopologyError(
                "only some cables have a metric", where=where, allowed=Verbatim("metric=M on all lines, or on none")
            )

    def declaration(self, words: list[str], where: str) -> None:
        """Add what the words of a comment declare, or raise TopologyError."""
        delay = math.nan
        if words[:1] == ["host"] and len(words) > 4:
            words, delay = _delay(words, where)
        match words:
            case ["switch", name, *options]:
                self.switch(name, options, where)
            case ["host", name, *rest] if len(rest) in {0, 2, 3}:
                if name in self.hosts:
                    raise TopologyError(f"the name {name!r} is used by two hosts", where=where)
                up, down = _speeds(rest[1:], where) or (0.0, 0.0)
                self.hosts[name] = (rest[0] if rest else None, up, down, delay)
                self.host_lines[name] = where
            case _:
                raise TopologyError(
                    "not a declaration", where=where, found=" ".join(words), allowed=f"{_SWITCH}, {_HOST}"
                )

    def switch(self, name: str, options: list[str], where: str) -> None:
        """Add a switch, or raise TopologyError: it is there, or has no such property."""
        if name in self.tiers:
            raise TopologyError(f"the name {name!r} is used by two switches", where=where)
        self.switches.setdefault(name, len(self.switches))
        self.tiers[name] = 0
        for option in options:
            key, _, value = option.partition("=")
            if key == "at":
                self.positions[name] = parse_position(value.split(","), where)
            elif key not in {"tier", "rack", "box"} or whole(value) is None:
                raise TopologyError("not a property of a switch", where=where, found=option, allowed=_SWITCH)
            elif key == "tier":
                self.tiers[name] = int(value)
            elif key == "box":
                self.boxes[name] = int(value)
            elif int(value) in self.racks:
                raise TopologyError(f"two racks are number {int(value)}", where=where)
            else:
                self.racks[int(value)] = name

    def plane(self, label: str) -> Plane:
        """Return the plane, or raise TopologyError where its parts do not fit."""
        names = list(self.switches)
        if not self.tiers and all(name.isascii() and name.isdecimal() for name in names):
            names.sort(key=lambda name: (len(name), name))
        index = {name: i for i, name in enumerate(names)}
        for name, (switch, *_) in self.hosts.items():
            if switch is not None and switch not in index:
                raise TopologyError(f"host {name!r} is on an unknown switch", where=self.host_lines[name], found=switch)
        if self.boxes and (without := next((name for name in names if name not in self.boxes), None)):
            raise TopologyError(f"switch {without!r} has no box, and others have one", where=label)
        return Plane.from_cables(
            names,
            [index[u] for u, *_ in self.cables],
            [index[v] for _, v, *_ in self.cables],
            [there for _, _, there, *_ in self.cables],
            capacity_back_gbps=[back for *_, back, _ in self.cables],
            racks=[index[self.racks[rank]] for rank in sorted(self.racks)] or None,
            host_switch=[-1 if switch is None else index[switch] for switch, *_ in self.hosts.values()],
            access_gbps=[up for _, up, *_ in self.hosts.values()],
            access_down_gbps=[down for *_, down, _ in self.hosts.values()],
            host_names=list(self.hosts),
            tier=[self.tiers.get(name, 0) for name in names],
            label=label,
            position=[self.positions.get(name, (math.nan, math.nan)) for name in names],
            box=[self.boxes[name] for name in names] if self.boxes else None,
            delay_ns=[delay for *_, delay in self.cables],
            access_delay_ns=[delay for *_, delay in self.hosts.values()],
            metric=self.metrics or None,
        )


def _metric(words: list[str], where: str) -> tuple[list[str], tuple[int, int] | None]:
    """Return the columns before the metric that the last one may give, and that metric in both directions."""
    name, _, value = words[-1].partition("=")
    if name != "metric":
        return words, None
    there, slash, back = value.partition("/")
    metric = whole(there), whole(back if slash else there)
    if metric[0] is None or metric[1] is None:
        raise TopologyError(
            "invalid metric", where=where, found=words[-1], allowed=Verbatim(f"metric=M or metric=M/BACK, {METRICS}")
        )
    return words[:-1], (metric[0], metric[1])


def _delay(words: list[str], where: str) -> tuple[list[str], float]:
    """Return the columns before the delay that the last one may give, and that delay in ns, else NaN."""
    name, found, value = words[-1].partition("=")
    if not found or name not in _DELAYS:
        return words, math.nan
    delay = parse_number(value) * _DELAYS[name]
    if not are_delays(delay):
        raise TopologyError(
            "invalid delay", where=where, found=words[-1], allowed=f"delay=NS or length=METRES, {DELAYS}"
        )
    return words[:-1], delay


def _speeds(words: list[str], where: str) -> tuple[float, float] | None:
    """Return the speeds (there, back) in the last columns of a line; None if there are none."""
    speeds = [parse_speed(word, where) for word in words]
    return (speeds[0], speeds[-1]) if speeds else None


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    reading = Reading(link_gbps)
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        here = f"{where}:{number}"
        if words and words[0].startswith("#:"):
            reading.declaration(line.strip()[2:].split(), here)
            continue
        comment = next((i for i, word in enumerate(words) if word.startswith("#")), len(words))
        if words[:comment]:
            reading.cable(words[:comment], here)
    if not reading.switches:
        raise TopologyError("the file names no switch", where=where, allowed=f"lines {_CABLE}")
    return reading.plane(where)


def switch_lines(plane: Plane, what: str) -> list[str]:
    """Return the declarations of a plane's switches, or raise TopologyError: ``what`` cannot hold a name."""
    for name in (*plane.switch_names, *plane.host_names):
        if len(name.split()) > 1 or name.startswith("#"):
            raise refusal(plane, what, "names with blanks or a leading #", name)
    rank = {switch: i for i, switch in enumerate(plane.rack_switch.tolist())}
    lines = []
    for i, (name, tier) in enumerate(zip(plane.switch_names, plane.tier.tolist(), strict=True)):
        words = ["#: switch", name, f"tier={tier}"]
        if i in rank:
            words.append(f"rack={rank[i]}")
        if plane.box is not None:
            words.append(f"box={plane.box[i]}")
        if plane.position is not None and not math.isnan(plane.position[i, 0]):
            words.append("at={!r},{!r}".format(*plane.position[i].tolist()))
        lines.append(" ".join(words))
    return lines


def _render(plane: Plane) -> str:
    names = plane.switch_names
    lines = [f"# {_CABLE}", *switch_lines(plane, "edge lists")]
    access = (plane.access_up_gbps, plane.access_down_gbps, plane.known_delays[1])
    hosts = zip(plane.host_names, rows(plane.host_switch, *access), strict=True)
    for name, (switch, *columns) in hosts:
        lines.append(f"#: host {name}" + (f" {names[switch]} {_columns(*columns)}" if switch >= 0 else ""))
    speeds = (plane.capacity_uv_gbps, plane.capacity_vu_gbps, plane.known_delays[0])
    cables = rows(plane.cable_u, plane.cable_v, *speeds)
    metrics = (
        [""] * plane.cable_count
        if plane.metric is None
        else [f" metric={a}" if a == b else f" metric={a}/{b}" for a, b in plane.metric.tolist()]
    )
    lines += [f"{names[u]} {names[v]} {_columns(*row)}{end}" for (u, v, *row), end in zip(cables, metrics, strict=True)]
    return "\n".join(lines) + "\n"


def _columns(there: float, back: float, delay: float) -> str:
    speeds = f"{there!r}" if there == back else f"{there!r} {back!r}"
    return speeds if math.isnan(delay) else f"{speeds} delay={delay!r}"


def _matches(head: str) -> bool:
    # Two words could be anything; a declaration, or a number among them, says that they are not.
    return any(word.startswith("#:") or math.isfinite(parse_number(word)) for word in head.split())


NETWORK_FORMATS.add_text(
    "edge-list",
    (".edges", ".edgelist"),
    "a cable per line; comments declare switches and hosts",
    _parse,
    _render,
    recognise=_matches,
    order=LAST,
    vague_suffixes=(".txt",),
)
