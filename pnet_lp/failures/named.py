"""Parts of a network by their names: a switch, a host, or a link as ``u-v``, in one plane or in all that have it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.failures.mask import Mask
from pnet_lp.model import Network, Plane
from pnet_lp.model.arrays import BoolArray
from pnet_lp.registry import nearest

_IN_PLANE = re.compile(r"([0-9]{1,4}):(.+)", re.DOTALL)
_ONE_CABLE = re.compile(r"(.+)#([0-9]{1,9})", re.DOTALL)

_ALLOWED = "a switch, a host, a link u-v, or PLANE: before one of them"


def named_parts(network: Network, names: Sequence[str]) -> Mask:
    """Return the mask of what the ``names`` stand for.

    A switch takes its links with it.  A host loses its access links, ``u-v`` is all cables between two switches or the
    access link of a host, and ``u-v#3`` the one of number 3 alone.  What comes without the number of a plane fails in
    every plane that has it.

    Raises:
        SpecError: a name that no plane, or not the plane meant, has; or that stands for several links.
    """
    planes = [_Names(network, p, plane) for p, plane in enumerate(network.planes)]
    for name in names:
        meant = planes
        if not any(one.has(name) for one in planes) and (split := _IN_PLANE.fullmatch(name)):
            plane, inner = int(split[1]), split[2]
            if plane >= len(planes):
                raise SpecError("no such plane", where="fail", found=name, allowed=f"0 to {len(planes) - 1}")
            meant, requested = [planes[plane]], inner
        else:
            requested = name
        having = [one for one in meant if one.has(requested)]
        if not having:
            known = [*meant[0].switches, *meant[0].hosts]
            raise SpecError(
                f"no switch, host or link is called {requested!r}{nearest(requested, known)}",
                where="fail",
                allowed=_ALLOWED,
            )
        for one in having:
            one.fail(requested)
    return Mask.of(network, *([getattr(one, key) for one in planes] for key in ("arcs", "down", "cut")))


class _Names:
    """The names in a plane, and what of it is down.

    Attributes:
        switches, hosts: indices by name.
        arcs, down, cut: bool over arcs, switches and hosts: what fails.
    """

    def __init__(self, network: Network, number: int, plane: Plane) -> None:
        self._plane = plane
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
            raise SpecError(f"{name!r} stands for {found} parts of plane {self._number}", where="fail")
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


def cables_between(plane: Plane, a: int, b: int) -> BoolArray:
    """Return bool ``[m]``: the cables between two switches."""
    forth = (plane.cable_u == a) & (plane.cable_v == b)
    back = (plane.cable_u == b) & (plane.cable_v == a)
    return np.asarray(forth | back, dtype=np.bool_)
