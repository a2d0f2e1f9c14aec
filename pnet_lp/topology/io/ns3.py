"""The ``topology.txt`` of the ns-3 simulators of HPCC, SimAI and Parsimon.

    NODES SWITCHES LINKS           SimAI: NODES GPUS_PER_SERVER NVSWITCHES SWITCHES LINKS GPU_TYPE
    ids of the switches            all other nodes, from 0, are hosts
    u v RATE DELAY ERROR_RATE      one full-duplex cable a line: 100Gbps 0.001ms 0

Nodes are called by their numbers.  A host has one link, an error rate must be 0, and two nodes have one cable at most,
as the programs have it.  Parts without a link between them, in each of which every host has one, are planes.  Where
all hosts have several links into one plane, each link is a host, called ``5.0`` and ``5.1``: a port of a card.  The
programs read no further than the last link; words may follow, and what begins with ``#:`` says what the format has no
place for

    #: switch NAME [tier=T] [rack=R] [box=B] [at=X,Y]    of the switches, in their order
    #: host NAME                                         of the hosts, in the order of their numbers
    #: delays are assumed                                the network has none; those of the lines are for the programs

SimAI's NVSwitches are the first of the switches.  Where hosts have a link to one beside that to the network, they are
in servers, which are no part of a plane but of a network; some may have no other link, as where servers have fewer
cards than accelerators.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import HEAD, decoded, ns3_numbers, whole
from pnet_lp.model import Plane
from pnet_lp.model.arrays import rows
from pnet_lp.model.components import components
from pnet_lp.topology.io.edge_list import Reading, switch_lines
from pnet_lp.topology.io.format import NETWORK_FORMATS, parse_speed, refusal
from pnet_lp.units import DELAYS, are_delays, parse_number

_WHAT = "topology files of ns-3"
_HEADS = {3: "NODES SWITCHES LINKS", 6: "NODES GPUS_PER_SERVER NVSWITCHES SWITCHES LINKS GPU_TYPE"}
_LINK = "u v RATE DELAY ERROR_RATE, such as 0 16 100Gbps 0.001ms 0"
_ASSUMED = "delays are assumed"
_ASSUMED_DELAY = "1000ns"

_RATE = re.compile(r"([0-9]+(?:\.[0-9]+)?)([kKMG]?)(i?)([bB])(?:ps|/s)")
_POWER = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3}
_DELAY = re.compile(r"([0-9]+(?:\.[0-9]+)?)(s|ms|us|ns|ps|fs)")
_DIGITS = {"s": 9, "ms": 6, "us": 3, "ns": 0, "ps": -3, "fs": -6}

_FIRST_LINE = re.compile(r"[0-9]{1,9}(?:[ \t]++[0-9]{1,9}){2}(?:(?:[ \t]++[0-9]{1,9}){2}[ \t]++\S++)?[ \t\r]*\n")
_LINK_LINE = re.compile(
    r"^[^\S\n]*+[0-9]{1,9}[^\S\n]++[0-9]{1,9}[^\S\n]++[0-9][0-9.]*+[kKMG]?i?[bB](?:ps|/s)[^\S\n]", re.MULTILINE
)


def _matches(head: str) -> bool:
    # A second line of more numbers than fit into the head could be nothing else.
    cut = len(head) == HEAD and head.count("\n") == 1
    return _LINK_LINE.search(head) is not None or (cut and _FIRST_LINE.match(head) is not None)


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    planes = _planes(text, where, link_gbps)
    if len(planes) > 1:
        raise TopologyError(
            f"the file holds {len(planes)} planes", where=where, allowed="one, or a TOPOLOGY of its own"
        )
    return planes[0]


def _parse_all(data: bytes, where: str, link_gbps: float) -> tuple[Plane, ...]:
    return _planes(decoded(data, where, TopologyError), where, link_gbps)


def _parse_inside(data: bytes, where: str, link_gbps: float) -> Plane | None:
    return _whole(decoded(data, where, TopologyError), where, link_gbps)[1]


def _planes(text: str, where: str, link_gbps: float) -> tuple[Plane, ...]:
    return _whole(text, where, link_gbps)[0]


def _whole(text: str, where: str, link_gbps: float) -> tuple[tuple[Plane, ...], Plane | None]:
    """Return the planes of a file, and the scale-up network of its servers.

    Planes are parts without a link between them, in each of which every host has one.
    """
    declared: list[tuple[str, list[str]]] = []
    body = _body(text, where, declared)
    nodes, switches, links, nvswitches = _counts(*next(body, (where, "")))
    here, line = next(body, (where, ""))
    numbers = [_node(word, nodes, here) for word in line.split()]
    if not len(numbers) == len(set(numbers)) == switches:
        raise TopologyError(
            f"the second line does not name {switches} switches",
            where=here,
            found=line or None,
            allowed="the number of each, once",
        )
    lines = [each for _, each in zip(range(links), body, strict=False)]
    if len(lines) < links:
        raise TopologyError(f"there are {len(lines)} links instead of {links}", where=where, allowed=_LINK)
    for here, line in body:
        words = line.split()
        if len(words) == 5 and None not in map(whole, words[:2]):
            raise TopologyError(f"there are more links than {links}", where=here, found=line)
    assumed = any(words == _ASSUMED.split() for _, words in declared)
    wiring = _Wiring(nodes, set(numbers), link_gbps, assumed)
    for here, line in lines:
        wiring.link(line.split(), here)
    hosts = [number for number in range(nodes) if number not in wiring.switches]
    if alone := [number for number in hosts if number not in wiring.access]:
        raise TopologyError(f"host {alone[0]} has no link", where=where)
    servers = wiring.without_servers(numbers[:nvswitches], where)
    kept = [number for number in numbers if number in wiring.switches]
    parts = [(wiring, kept)] if declared else wiring.parts(kept, hosts)
    planes = [part.reading(declared, own, hosts).plane(where) for part, own in parts]
    ports = planes[0].host_count // max(1, len(hosts))
    if ports > 1:
        said = f"{where}: all hosts have {ports} links into the plane, each of which is a host here (0.0 for 0)"
        if servers is None:
            speed = ports * planes[0].access_up_gbps.max()
            said += f"; --server single-switch:hosts={ports} --server-gbps {speed:g} lets traffic of one take them all"
        planes = [replace(plane, warnings=(*plane.warnings, said)) for plane in planes]
    return tuple(planes), None if servers is None else _scale_up(ports * servers[0], servers[1] / ports, where)


def _scale_up(hosts: int, gbps: float, where: str) -> Plane:
    """Return a switch that joins the hosts of a server; of several, which each has a link to, their sum."""
    return Plane.from_cables(["NVSwitch"], [], [], host_switch=[0] * hosts, access_gbps=gbps, label=where)


def _body(text: str, where: str, declared: list[tuple[str, list[str]]]) -> Iterator[tuple[str, str]]:
    """Yield each line and its place; comments are none, and those that declare something go to ``declared``."""
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if words.startswith("#:"):
            declared.append((f"{where}:{number}", words[2:].split()))
        elif words and not words.startswith("#"):
            yield f"{where}:{number}", words


@dataclass
class _Wiring:
    """What joins the nodes of a file, by their numbers: cables ``(u, v, Gb/s, ns)``, and those of each host.

    Those of a host are ``(switch, Gb/s, ns, place in the file)``.
    """

    nodes: int
    switches: set[int]
    link_gbps: float
    assumed: bool
    joined: set[frozenset[int]] = field(default_factory=set)
    cables: list[tuple[int, int, float, float]] = field(default_factory=list)
    access: dict[int, list[tuple[int, float, float, str]]] = field(default_factory=lambda: defaultdict(list))

    def link(self, words: list[str], where: str) -> None:
        """Add a link, or raise TopologyError."""
        long = len(words) == 5
        rate, delay = (_RATE.fullmatch(words[2]), _DELAY.fullmatch(words[3])) if long else (None, None)
        if rate is None or delay is None:
            raise TopologyError("not a link", where=where, found=" ".join(words), allowed=_LINK)
        if parse_number(words[4]) != 0:
            raise TopologyError("a link loses packets", where=where, found=words[4], allowed="an error rate of 0")
        unit = Decimal(1024 if rate[3] else 1000) ** _POWER[rate[2]] * (8 if rate[4] == "B" else 1)
        speed = parse_speed(str(Decimal(rate[1]) * unit / 10**9), where)
        ns = float(Decimal(delay[1]).scaleb(_DIGITS[delay[2]]))
        if not are_delays(ns):
            raise TopologyError("invalid delay", where=where, found=words[3], allowed=DELAYS)
        ns = math.nan if self.assumed else ns
        u, v = (_node(word, self.nodes, where) for word in words[:2])
        if u == v:
            raise TopologyError(f"a link joins node {u} to itself", where=where)
        if frozenset((u, v)) in self.joined:
            raise TopologyError(f"nodes {u} and {v} have a second link", where=where, allowed="one")
        self.joined.add(frozenset((u, v)))
        if {u, v} <= self.switches:
            self.cables.append((u, v, speed, ns))
            return
        switch, host = (u, v) if u in self.switches else (v, u)
        if switch not in self.switches:
            raise TopologyError(f"a link joins hosts {u} and {v}", where=where)
        self.access[host].append((switch, speed, ns, where))

    def without_servers(self, nvswitches: Sequence[int], where: str) -> tuple[int, float] | None:
        """Take away the NVSwitches of servers and their links; return how many hosts they join, and at what speed.

        Where no host has another link, NVSwitches are the network, and stay.

        Raises:
            TopologyError: servers that are not all identical, of hosts one after the other.
        """
        inside = set(nvswitches)
        if not any(switch not in inside for links in self.access.values() for switch, *_ in links):
            return None
        servers: dict[frozenset[int], list[int]] = defaultdict(list)
        speeds = set()
        for host in sorted(self.access):
            links = self.access[host]
            servers[frozenset(switch for switch, *_ in links) & inside].append(host)
            speeds.add(sum(speed for switch, speed, *_ in links if switch in inside))
            self.access[host] = [link for link in links if link[0] not in inside]
        if not any(servers):
            return None
        [size, *others] = {len(members) for members in servers.values()}
        hosts = [host for members in servers.values() for host in members]
        apart = sum(map(len, servers)) == len(inside) and not inside & {
            end for u, v, *_ in self.cables for end in (u, v)
        }
        if others or len(speeds) > 1 or hosts != sorted(hosts) or not apart or frozenset() in servers:
            raise TopologyError(
                "NVSwitches do not join identical servers", where=where, allowed="as many hosts each, in order"
            )
        self.switches -= inside
        return size, speeds.pop()

    def parts(self, switches: list[int], hosts: list[int]) -> list[tuple[_Wiring, list[int]]]:
        """Return what joins the nodes in each plane, and its switches; all of it where these are no planes."""
        linked = [host for host in hosts if self.access[host]]
        ends = np.array([cable[:2] for cable in self.cables], dtype=np.int32).reshape(-1, 2)
        part = components(self.nodes, ends[:, 0], ends[:, 1]).tolist()
        own: dict[int, list[int]] = defaultdict(list)
        for switch in switches:
            own[part[switch]].append(switch)
        if not linked or not all(
            sorted(part[switch] for switch, *_ in self.access[host]) == sorted(own) for host in linked
        ):
            return [(self, switches)]
        return [
            (
                replace(
                    self,
                    cables=[cable for cable in self.cables if part[cable[0]] == root],
                    access={host: [link for link in self.access[host] if part[link[0]] == root] for host in hosts},
                ),
                members,
            )
            for root, members in own.items()
        ]

    def reading(self, declared: list[tuple[str, list[str]]], switches: list[int], hosts: list[int]) -> Reading:
        """Return all nodes by name, and what joins them.

        Raises:
            TopologyError: some switches or hosts are named and others not, or a host has not one link.
        """
        reading = Reading(self.link_gbps)
        for here, words in declared:
            if words == _ASSUMED.split():
                continue
            if words[:1] == ["host"] and len(words) != 2:
                raise TopologyError("not a declaration", where=here, found=" ".join(words), allowed="host NAME")
            reading.declaration(words, here)
        if not reading.switches:
            for number in switches:
                reading.switch(str(number), [], "")
        called: dict[int, str] = {}
        given = list(reading.hosts)
        for kind, numbers, names in (("switches", switches, list(reading.switches)), ("hosts", hosts, given)):
            if len(names) != len(numbers) and (names or kind == "switches"):
                raise TopologyError(
                    f"{len(names)} names for {len(numbers)} {kind}", where=declared[0][0], allowed="all or none"
                )
            called |= dict(zip(numbers, names or map(str, numbers), strict=True))
        reading.cables += [(called[u], called[v], speed, speed, ns) for u, v, speed, ns in self.cables]
        several = len({len(self.access[host]) for host in hosts}) == 1 and not given
        for host in hosts:
            links = self.access[host]
            if not links:
                reading.hosts[called[host]] = (None, 0.0, 0.0, math.nan)
            if len(links) > 1 and not several:
                raise TopologyError(
                    f"host {host} has a second link",
                    where=links[1][-1],
                    allowed="as many links for each host, one if named",
                )
            for port, (switch, speed, ns, _) in enumerate(links):
                name = f"{host}.{port}" if len(links) > 1 else called[host]
                reading.hosts[name] = (called[switch], speed, speed, ns)
        return reading


def _counts(where: str, line: str) -> tuple[int, int, int, int]:
    """Return the numbers of nodes, switches, links, and NVSwitches among the switches, that the first line gives."""
    words = line.split()
    counts = [whole(word) for word in (words[:5] if len(words) == 6 else words)]
    if len(words) not in _HEADS or None in counts:
        raise TopologyError(
            "invalid first line", where=where, found=line or None, allowed=", or of SimAI ".join(_HEADS.values())
        )
    known = [count or 0 for count in counts]
    nvswitches = known[2] if len(known) == 5 else 0
    nodes, switches, links = known[0], nvswitches + known[3] if len(known) == 5 else known[1], known[-1]
    if not 0 < switches <= nodes:
        raise TopologyError("invalid number of switches", where=where, found=switches, allowed=f"1 to {nodes}")
    if nodes - switches > links:
        raise TopologyError(f"{nodes - switches} hosts need a link each", where=where, found=f"{links} links")
    return nodes, switches, links, nvswitches


def _node(word: str, nodes: int, where: str) -> int:
    node = whole(word)
    if node is None or node >= nodes:
        raise TopologyError("no such node", where=where, found=word, allowed=f"0 to {nodes - 1}")
    return node


def _render(plane: Plane) -> str:
    numbers, plain = ns3_numbers(plane.switch_names, plane.host_names)
    switches, hosts = numbers[: plane.switch_count], numbers[plane.switch_count :]
    if np.any(plane.host_switch < 0):
        raise refusal(plane, _WHAT, "hosts without a link")
    rates = [(plane.capacity_uv_gbps, plane.capacity_vu_gbps), (plane.access_up_gbps, plane.access_down_gbps)]
    if any(np.any(there != back) for there, back in rates):
        raise refusal(plane, _WHAT, "a speed for each direction")
    delays = np.concatenate(plane.known_delays[::-1])
    unknown = np.isnan(delays)
    if unknown.any() and not unknown.all():
        raise refusal(plane, _WHAT, "delays of some links only")
    cables = list(rows(plane.cable_u, plane.cable_v))
    if len({frozenset(ends) for ends in cables}) < len(cables):
        raise refusal(plane, _WHAT, "parallel cables")
    links = [
        *zip(hosts, [switches[i] for i in plane.host_switch.tolist()], strict=True),
        *((switches[u], switches[v]) for u, v in cables),
    ]
    speeds = np.concatenate([plane.access_up_gbps, plane.capacity_uv_gbps])
    lines = [f"{len(numbers)} {len(switches)} {len(links)}", " ".join(map(str, switches))]
    lines += [
        f"{u} {v} {_rate(gbps, plane)} {_delay(ns)} 0"
        for (u, v), (gbps, ns) in zip(links, rows(speeds, delays), strict=True)
    ]
    lines += switch_lines(plane, _WHAT)
    lines += [] if plain else [f"#: host {name}" for name in plane.host_names]
    lines += [f"#: {_ASSUMED}"] if unknown.any() else []
    return "\n".join(lines) + "\n"


def _rate(gbps: float, plane: Plane) -> str:
    bits = Decimal(repr(gbps)).scaleb(9)
    if bits != int(bits) or not bits:
        raise refusal(plane, _WHAT, "speeds that are not positive whole numbers of bit/s", gbps)
    return f"{int(bits) // 10**9}Gbps" if bits % 10**9 == 0 else f"{int(bits)}bps"


def _delay(ns: float) -> str:
    return _ASSUMED_DELAY if math.isnan(ns) else f"{Decimal(repr(ns)):f}ns"


NETWORK_FORMATS.add_text(
    "ns3",
    (".topology.txt", ".ns3"),
    "topology.txt of HPCC, SimAI and Parsimon",
    _parse,
    _render,
    recognise=_matches,
    order=2,
    read_all=_parse_all,
    read_inside=_parse_inside,
)
