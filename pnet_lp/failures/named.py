"""Parts of a network by their names: a switch, a host, or a link as ``u-v``, in one plane or in all that have it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.failures.mask import Mask, nothing_inside
from pnet_lp.model import Network, Plane
from pnet_lp.model.arrays import BoolArray
from pnet_lp.model.servers import Inside
from pnet_lp.registry import nearest

_IN_PLANE = re.compile(r"([0-9]{1,4}):(.+)", re.DOTALL)
_ONE_CABLE = re.compile(r"(.+)#([0-9]{1,9})", re.DOTALL)

_ALLOWED = "a switch, a host, a link u-v, or PLANE: before one of them"
_WITH_SERVERS = "a server such as s0, a scale-up switch, a link inside a server, "


def named_parts(network: Network, names: Sequence[str], where: str = "fail") -> Mask:
    """Return the mask of what the ``names`` stand for.

    A switch takes its links with it.  A host loses its access links, ``u-v`` is all cables between two switches or the
    access link of a host, and ``u-v#3`` the one of number 3 alone.  What comes without the number of a plane fails in
    every plane that has it.  With servers, ``s3`` is the fourth of them, with all NICs and links inside it; scale-up
    switches and the links inside servers have names, too.

    Args:
        network: what the parts are of.
        names: of the parts.
        where: the key that gives them, for messages.

    Raises:
        SpecError: a name that no plane, or not the plane meant, has; or that stands for several links.
    """
    planes = [_Names(network, p, plane, where) for p, plane in enumerate(network.planes)]
    servers = ServerParts(network)
    for name in names:
        meant = planes
        if not any(one.has(name) for one in planes) and (split := _IN_PLANE.fullmatch(name)):
            plane, inner = int(split[1]), split[2]
            if plane >= len(planes):
                raise SpecError("no such plane", where=where, found=name, allowed=f"0 to {len(planes) - 1}")
            meant, requested = [planes[plane]], inner
        else:
            requested = name
        having = [one for one in meant if one.has(requested)]
        if meant is planes and servers.has(requested):
            if having:
                raise SpecError(f"{name!r} stands for a part of a plane and for one inside servers", where=where)
            servers.fail(requested)
        elif not having:
            known = [*meant[0].switches, *meant[0].hosts, *servers.names]
            raise SpecError(
                f"no switch, host or link is called {requested!r}{nearest(requested, known)}",
                where=where,
                allowed=(_WITH_SERVERS if servers.names else "") + _ALLOWED,
            )
        for one in having:
            one.fail(requested)
    cut = [one.cut | (servers.cut & (one.attached >= 0)) for one in planes]
    return Mask.of(network, [one.arcs for one in planes], [one.down for one in planes], cut, servers.links)


class _Names:
    """The names in a plane, and what of it is down.

    Attributes:
        switches, hosts: indices by name.
        attached: int32 ``[hosts]``, the switch of each, -1 for none.
        arcs, down, cut: bool over arcs, switches and hosts: what fails.
    """

    def __init__(self, network: Network, number: int, plane: Plane, where: str) -> None:
        self._plane, self._where = plane, where
        self.attached = plane.host_switch
        self.switches = {name: i for i, name in enumerate(plane.switch_names)}
        names = network.endpoint_names("host") if plane.host_count else []
        self.hosts = {name: i for i, name in enumerate(names) if plane.host_switch[i] >= 0}
        self._number = number
        self.arcs = np.zeros(2 * plane.cable_count, dtype=np.bool_)
        self.down = np.zeros(plane.switch_count, dtype=np.bool_)
        self.cut = np.zeros(plane.host_count, dtype=np.bool_)

    def has(self, name: str) -> bool:
        """Whether the plane has a part of this name."""
        return name in self.switches or name in self.hosts or next(self._links(name), None) is not None

    def fail(self, name: str) -> None:
        """Take a part down; see :func:`named_parts`."""
        links = list(self._links(name))
        found = len(links) + (name in self.switches) + (name in self.hosts)
        if found > 1:
            raise SpecError(f"{name!r} stands for {found} parts of plane {self._number}", where=self._where)
        if name in self.switches:
            self.down[self.switches[name]] = True
        elif name in self.hosts:
            self.cut[self.hosts[name]] = True
        else:
            ((cables, host),) = links
            self.arcs |= np.repeat(cables, 2)
            if host is not None:
                self.cut[host] = True

    def _links(self, name: str) -> Iterator[tuple[BoolArray, int | None]]:
        """Yield the links that a name can stand for: their cables, or the host whose access link it is."""
        one = _ONE_CABLE.fullmatch(name)
        nothing = np.zeros(self._plane.cable_count, dtype=np.bool_)
        for text, number in [(name, None)] + ([(one[1], int(one[2]))] if one else []):
            for place in (i for i, letter in enumerate(text) if letter == "-"):
                u, v = text[:place].strip(), text[place + 1 :].strip()
                if u in self.switches and v in self.switches:
                    between = cables_between(self._plane, self.switches[u], self.switches[v])
                    if number is not None:
                        between = between & (np.arange(len(between)) == number)
                    if between.any():
                        yield between, None
                for host, switch in ((u, v), (v, u)):
                    index, at = self.hosts.get(host), self.switches.get(switch)
                    if number is None and None not in (index, at) and self._plane.host_switch[index] == at:
                        yield nothing, index


class ServerParts:
    """Servers and what is inside them, and what of that is down.

    Attributes:
        names: of servers and scale-up switches, with their numbers among nodes; servers have those below 0.
        cut: bool ``[hosts]``, accelerators whose NICs are down.
        links: bool over the links inside servers.
    """

    def __init__(self, network: Network) -> None:
        self.names: dict[str, int] = {}
        self.cut = np.zeros(network.host_count, dtype=np.bool_)
        self.links = nothing_inside(network)
        if network.servers is None:
            return
        self._size = network.servers.size
        self._inside = Inside.of(network.servers, network.host_count)
        count = network.host_count // self._size
        self.names = {f"s{k}": -1 - k for k in range(count)}
        self.names |= {name: network.host_count + i for i, name in enumerate(self._inside.names)}
        self._nodes = {name: i for i, name in enumerate(network.host_names)} | self.names

    def has(self, name: str) -> bool:
        """Whether there is a server, a scale-up switch or a link inside a server of this name."""
        return name in self.names or bool(self._between(name).any())

    def fail(self, name: str) -> None:
        """Take it down; a server with all that is in it."""
        node = self.names.get(name)
        if node is None:
            self.links |= self._between(name)
        elif node < 0:
            self.fail_servers(np.arange(len(self.cut) // self._size) == -1 - node)
        else:
            self.links |= (self._inside.links.u == node) | (self._inside.links.v == node)

    def fail_servers(self, lost: BoolArray) -> None:
        """Take servers down, bool ``[servers]``, with all that is in them."""
        self.cut |= np.repeat(lost, self._size)
        self.links |= np.repeat(lost, len(self.links) // len(lost))

    def _between(self, name: str) -> BoolArray:
        """Return the links inside servers that ``u-v`` stands for."""
        found = np.zeros(len(self.links), dtype=np.bool_)
        if not self.names:
            return found
        u, v = self._inside.links.u, self._inside.links.v
        for place in (i for i, letter in enumerate(name) if letter == "-"):
            ends = [self._nodes.get(end.strip(), -1) for end in (name[:place], name[place + 1 :])]
            if min(ends) >= 0:
                found |= ((u == ends[0]) & (v == ends[1])) | ((u == ends[1]) & (v == ends[0]))
        return found


def cables_between(plane: Plane, a: int, b: int) -> BoolArray:
    """Return bool ``[m]``: the cables between two switches."""
    forth = (plane.cable_u == a) & (plane.cable_v == b)
    back = (plane.cable_u == b) & (plane.cable_v == a)
    return np.asarray(forth | back, dtype=np.bool_)
