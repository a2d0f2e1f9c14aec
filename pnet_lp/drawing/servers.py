"""A network with servers as one panel: servers as boxes in a row, planes above them, rails in colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp.drawing.panels import PlanePanel
from pnet_lp.drawing.picture import Picture, inner_switches
from pnet_lp.drawing.sheet import CABLE
from pnet_lp.drawing.words import counted
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, ThroughputResult
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.servers import Servers
from pnet_lp.plot import COLOURS

_INSIDE = "#444444"
"""Colour of links inside servers."""


@brief("planes")
@dataclass(frozen=True, eq=False, repr=False)
class ServersPanel(PlanePanel):
    """Accelerators, scale-up switches and the switches of all planes, in this order.

    Attributes:
        part: int32 ``[m]``, the plane of each cable; the number of planes inside servers.
        place: of each switch, what it is and where, in words.
    """

    part: IntArray
    place: tuple[str, ...]

    @property
    def name(self) -> str:
        """See the base class."""
        return f"{counted(len(self.planes), 'plane')} and what is inside servers"

    @property
    def kinds(self) -> tuple[str, str]:
        """See the base class."""
        return "accelerator", "switch"

    def cable_place(self, cable: int) -> str:
        """See the base class."""
        plane = int(self.part[cable])
        return "inside a server" if plane == len(self.planes) else f"plane {plane}"

    def switch_words(self) -> list[str]:
        """See the base class."""
        cables = self.plane.degree.tolist()
        return [f"{place}; {counted(count, 'cable')}" for place, count in zip(self.place, cables, strict=True)]


def servers_panel(network: Network, servers: Servers, picture: Picture, panel: PlanePanel) -> ServersPanel:
    """Return the panel of a network with servers, of which ``panel`` is that of the picture."""
    rails = servers.rails
    named = range(rails if 1 < rails <= len(COLOURS) else 0)
    return ServersPanel(
        tuple(range(network.plane_count)),
        panel.plane,
        None,
        panel.load,
        panel.length,
        panel.value,
        colour=tuple(
            _INSIDE if p == network.plane_count else _of_rail(p % rails, rails) for p in picture.part.tolist()
        ),
        frames=_frames(network, servers),
        keys=(*((f"rail {i}", _of_rail(i, rails)) for i in named), ("link inside a server", _INSIDE)),
        part=picture.part,
        place=_words(network, servers, panel.plane.switch_names),
    )


def check_picture(cut: object, load: object, traffic: object, *, layers: bool, large: bool) -> None:
    """Raise SpecError for what a picture with servers, perhaps too large to draw part by part, does not show."""
    for key, given, why in (
        ("cut", cut is not None, "halves of hosts would divide servers"),
        ("load", load is not None and not isinstance(load, ThroughputResult), "a file of loads has no servers to show"),
        ("layers", layers, "servers and planes are one picture"),
    ):
        if given:
            raise SpecError(why, where=key, allowed="a network without servers")
    for key, loads in (("traffic", traffic), ("load", load)):
        if large and loads is not None:
            raise SpecError(
                "a network with servers this large is drawn as the tiers of its planes, without loads",
                where=key,
                allowed="a smaller network, or none",
            )


def _of_rail(rail: int, rails: int) -> str:
    return COLOURS[rail % len(COLOURS)] if rails > 1 else CABLE


def _frames(network: Network, servers: Servers) -> tuple[tuple[str, IntArray], ...]:
    """Return the name of each server, and the accelerators and scale-up switches in its box."""
    size, inner = servers.size, inner_switches(servers)
    return tuple(
        (
            f"s{k}",
            ints(
                np.concatenate(
                    [k * size + np.arange(size), network.host_count + k * inner + np.arange(inner, dtype=np.int64)]
                )
            ),
        )
        for k in range(network.host_count // size)
    )


def _words(network: Network, servers: Servers, names: tuple[str, ...]) -> tuple[str, ...]:
    hosts, inner, size = network.host_count, inner_switches(servers), servers.size
    rail = [f", rail {i % size % servers.rails}" if servers.rails > 1 else "" for i in range(hosts)]
    found = [f"server {i // size}, accelerator {names[i]}{rail[i]}" for i in range(hosts)]
    found += [f"server {i // inner}, scale-up switch {names[hosts + i]}" for i in range(hosts // size * inner)]
    for p, plane in enumerate(network.planes):
        found += [f"plane {p}, switch {name}" for name in plane.switch_names]
    return tuple(found)
