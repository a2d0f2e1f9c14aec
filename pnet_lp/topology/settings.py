"""How TOPOLOGIES become a network: the same settings for options, keys of a spec and prices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from pnet_lp.errors import SpecError
from pnet_lp.flags import SPEED_WORDS, Flag
from pnet_lp.model import Network, Plane
from pnet_lp.model.network import MOST_PLANES, Variant
from pnet_lp.model.servers import Relay, Servers
from pnet_lp.registry import Params
from pnet_lp.topology.inside import assumed_inside, build_servers
from pnet_lp.topology.network import build_network, check_network, inside_of, speed_is_open
from pnet_lp.topology.source import resolve
from pnet_lp.units import DEFAULT_LINK_GBPS

_SERVERS = "Servers"


class _OfPlanes(Params):
    """What planes there are."""

    heading = "Network"

    planes: int = Field(1, ge=1, le=MOST_PLANES, description="number of planes to make from a single topology")
    variant: Variant | None = Field(None, description="how the planes relate; default for several planes: homogeneous")
    link_gbps: Annotated[float, Flag(also=SPEED_WORDS)] = Field(
        DEFAULT_LINK_GBPS, gt=0, description="speed of links for which the topology gives none"
    )
    hosts_per_switch: int = Field(0, ge=0, description="hosts to attach to each rack of a topology without hosts")


class ServerSettings(Params):
    """What is inside servers; see :func:`~pnet_lp.topology.inside.build_servers`."""

    server: Annotated[str | None, Flag(metavar="TOPOLOGY", heading=_SERVERS)] = Field(
        None,
        description="scale-up network of a server: its hosts or, without hosts, its racks are the accelerators of one, "
        "which the hosts of the network are in turn; none leaves out the servers of a file",
    )
    server_gbps: Annotated[float | None, Flag(heading=_SERVERS)] = Field(
        None, ge=0, description="speed of scale-up links for which the server's topology gives none; default: 100"
    )
    rails: Annotated[int | None, Flag(heading=_SERVERS)] = Field(
        None,
        ge=1,
        description="rails to which planes are dealt: accelerator i attaches to the planes of rail i modulo this only",
    )
    relay: Annotated[Relay | None, Flag(heading=_SERVERS)] = Field(
        None,
        description="which accelerators pass traffic on between scale-up network and NIC: none, those of the sender's "
        "server (source), of both servers (ends, the default), or of any server",
    )

    def servers(self, seed: int, own: Callable[[float], Plane | None] = lambda _: None) -> Servers | None:
        """Return what is inside servers; arguments and errors as of :func:`~pnet_lp.topology.inside.build_servers`."""
        given = self.model_dump(include={*ServerSettings.model_fields, "server_count"})
        return build_servers(own=own, **given, seed=seed)


class PlaneSettings(ServerSettings, _OfPlanes):
    """A network without failures; see :func:`~pnet_lp.topology.network.build_network`."""

    heading = "Network"

    server_count: Annotated[int | None, Flag(heading=_SERVERS)] = Field(
        None, ge=1, description="number of servers, the first ones: other hosts are left out, and their ports empty"
    )

    def intact(self, topologies: Sequence[str], seed: int) -> Network:
        """Return the network of ``topologies``.

        Raises:
            SpecError, TopologyError: as :func:`~pnet_lp.topology.network.build_network`; or a speed is given, and
                ``topologies`` state that of every link, or several heterogeneous ones are identical.
        """
        self.check_speed(topologies)
        sources = [resolve(text, link_gbps=self.link_gbps, seed=seed) for text in topologies]
        own = partial(inside_of, sources)
        servers = self.servers(seed, own)
        network = build_network(sources, seed=seed, **self.of_planes, servers=servers)
        if self.server is None and self.server_gbps is None and (said := assumed_inside(servers, own)):
            first, *others = network.planes
            network = replace(network, planes=(replace(first, warnings=(*first.warnings, *said)), *others))
        # Random planes may be identical by chance, and by rails other hosts attach to identical ones.
        named = self.variant == "heterogeneous" and len(topologies) > 1 and network.servers is None
        if named and len({plane.fingerprint for plane in network.planes}) == 1:
            raise SpecError("the given planes are all identical", where="variant", found=self.variant)
        return network

    @property
    def of_planes(self) -> dict[str, Any]:
        """The keys about planes, as arguments of :func:`~pnet_lp.topology.network.build_network`."""
        return self.model_dump(include=_FIELDS)

    def check_planes(self, topologies: Sequence[str]) -> int:
        """Return the number of planes, or raise what :meth:`intact` says before it builds anything."""
        self.check_speed(topologies)
        return check_network(topologies, planes=self.planes, variant=self.variant, link_gbps=self.link_gbps)

    def check_speed(self, topologies: Sequence[str]) -> None:
        """Raise SpecError where a speed is given that no link of ``topologies`` would have."""
        given = "link_gbps" in self.model_fields_set and not self.hosts_per_switch
        if given and not any(speed_is_open(text) for text in topologies):
            raise SpecError(
                "every link has a speed of its own",
                where="link_gbps",
                found=self.link_gbps,
                allowed="topologies that leave a speed open",
            )


_FIELDS = set(_OfPlanes.model_fields)
