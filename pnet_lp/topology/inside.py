"""What is inside servers, from the expressions and files that a user gives."""

from __future__ import annotations

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.model.servers import DEFAULT_RELAY, RELAYS, Relay, Servers
from pnet_lp.topology.network import build_plane, check_topology, speed_is_open
from pnet_lp.units import DEFAULT_LINK_GBPS


def build_servers(
    server: str | None,
    *,
    server_gbps: float | None = None,
    rails: int | None = None,
    relay: Relay | None = None,
    seed: int = 0,
) -> Servers | None:
    """Return what is inside the servers of a network, None where there are none.

    Args:
        server: the scale-up network of one server: a topology of one plane whose hosts or, without hosts, racks are the
            accelerators of a server.
        server_gbps: speed of its links for which the topology gives none, Gb/s in each direction; 0 is a server whose
            accelerators are not joined.  Default: 100.
        rails: accelerator i attaches to the planes p only for which i and p are equal modulo this; default 1.
        relay: which accelerators pass traffic on between scale-up network and NIC; default ``ends``.
        seed: seed of a random topology that gives none.

    Raises:
        SpecError: one of the others without ``server``, or ``server_gbps`` where each link has a speed of its own.
        PnetError: as of :func:`~pnet_lp.topology.network.build_plane`, placed at ``server``.
    """
    if server is None:
        for key, value in (("server_gbps", server_gbps), ("rails", rails), ("relay", relay)):
            if value is not None:
                raise SpecError("has no meaning without servers", where=key, found=value, allowed="server=TOPOLOGY")
        return None
    if relay is not None and relay not in RELAYS:
        raise SpecError("no such forwarding", where="relay", found=relay, allowed=", ".join(RELAYS))
    try:
        check_topology(server)
        if server_gbps is not None and not speed_is_open(server):
            raise SpecError("every link of the server has a speed of its own", where="server_gbps", found=server_gbps)
        plane = build_plane(server, link_gbps=server_gbps or DEFAULT_LINK_GBPS, seed=seed)
        if server_gbps == 0:
            plane = plane.scaled(0.0)
    except PnetError as error:
        raise error if error.where == "server_gbps" else error.at("server") from None
    return Servers(plane, relay or DEFAULT_RELAY, 1 if rails is None else rails)
