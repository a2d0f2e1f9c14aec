"""What is inside servers, from the expressions and files that a user gives."""

from __future__ import annotations

from collections.abc import Callable

from pnet_lp.errors import PnetError, SpecError, TopologyError
from pnet_lp.model import Plane
from pnet_lp.model.servers import DEFAULT_RELAY, RELAYS, Relay, Servers
from pnet_lp.topology.network import build_plane, check_topology, speed_is_open
from pnet_lp.units import DEFAULT_LINK_GBPS

NO_SERVERS = "none"
"""What is said in place of a TOPOLOGY to leave out the servers of a file."""


def build_servers(
    server: str | None,
    *,
    own: Callable[[float], Plane | None] = lambda _: None,
    server_gbps: float | None = None,
    rails: int | None = None,
    relay: Relay | None = None,
    server_count: int | None = None,
    seed: int = 0,
) -> Servers | None:
    """Return what is inside the servers of a network, None where there are none.

    Args:
        server: the scale-up network of one server: a topology of one plane whose hosts or, without hosts, racks are the
            accelerators of a server.  ``none`` leaves out those of files.
        own: returns for the speed of links without one the scale-up network that files have, None for none; it counts
            where there is no ``server``.
        server_gbps: speed of its links for which the topology gives none, Gb/s in each direction; 0 is a server whose
            accelerators are not joined.  Default: 100.
        rails: accelerator i attaches to the planes p only for which i and p are equal modulo this; default 1.
        relay: which accelerators pass traffic on between scale-up network and NIC; default ``ends``.
        server_count: number of servers; hosts beyond theirs are left out.  Default: hosts fill servers.
        seed: seed of a random topology that gives none.

    Raises:
        SpecError: one of the others where there are no servers, ``none`` where there are none anyway, or
            ``server_gbps`` where each link has a speed of its own.
        PnetError: as of :func:`~pnet_lp.topology.network.build_plane`, placed at ``server``.
    """
    gbps = server_gbps or DEFAULT_LINK_GBPS
    try:
        plane = own(gbps) if server in (None, NO_SERVERS) else None
    except TopologyError:
        # What cannot be said can still be left out.
        if server is None:
            raise
    else:
        if server == NO_SERVERS and plane is None:
            raise SpecError("no file among the topologies has servers", where="server", found=server)
    if server == NO_SERVERS or (server is None and plane is None):
        given = {"server_gbps": server_gbps, "rails": rails, "relay": relay, "server_count": server_count}
        for key, value in given.items():
            if value is not None:
                raise SpecError("has no meaning without servers", where=key, found=value, allowed="server=TOPOLOGY")
        return None
    if relay is not None and relay not in RELAYS:
        raise SpecError("no such forwarding", where="relay", found=relay, allowed=", ".join(RELAYS))
    try:
        if server is not None:
            check_topology(server)
        if server_gbps is not None and not (
            _is_open(own, plane, gbps) if plane is not None else speed_is_open(str(server))
        ):
            raise SpecError("every link of the server has a speed of its own", where="server_gbps", found=server_gbps)
        plane = plane or build_plane(str(server), link_gbps=gbps, seed=seed)
        if server_gbps == 0:
            plane = plane.scaled(0.0)
    except PnetError as error:
        raise error if error.where == "server_gbps" else error.at("server") from None
    return Servers(plane, relay or DEFAULT_RELAY, 1 if rails is None else rails, count=server_count)


def _is_open(own: Callable[[float], Plane | None], plane: Plane, gbps: float) -> bool:
    """Whether some link of ``plane``, which ``own`` returns for the speed ``gbps``, has none of its own."""
    other = own(2 * gbps)
    return other is not None and other.fingerprint != plane.fingerprint


def assumed_inside(servers: Servers | None, own: Callable[[float], Plane | None]) -> tuple[str, ...]:
    """Return what is assumed of the servers of files where nothing is said of them, a sentence if anything is."""
    if servers is None or not _is_open(own, servers.scale_up, DEFAULT_LINK_GBPS):
        return ()
    said = f"links inside servers have no speed and get {DEFAULT_LINK_GBPS:g} Gb/s (--server-gbps)"
    return (f"{servers.scale_up.label}: {said}",)
