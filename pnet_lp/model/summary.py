"""Networks and matrices in a few figures, as every document shows them."""

from __future__ import annotations

from typing import Any

from pnet_lp.model.network import Network
from pnet_lp.model.servers import Servers
from pnet_lp.model.traffic import TrafficMatrix


def summarise_network(network: Network) -> dict[str, Any]:
    """Return the ``network`` object of the JSON contract."""
    found = {
        "planes": network.plane_count,
        "variant": network.variant,
        "switches": network.switch_count,
        "racks": network.rack_count,
        "hosts": network.host_count,
        "links": network.cable_count,
        "fingerprint": network.fingerprint,
    }
    return found if network.servers is None else found | {"servers": summarise_servers(network, network.servers)}


def summarise_servers(network: Network, servers: Servers) -> dict[str, Any]:
    """Return what is inside servers, for documents of networks that have some."""
    return {
        "count": network.host_count // servers.size,
        "size": servers.size,
        "scale_up": servers.scale_up.label,
        "relay": servers.relay,
        "rails": servers.rails,
        **({} if servers.hops else {"hops": 0}),
    }


def summarise_traffic(traffic: TrafficMatrix) -> dict[str, Any]:
    """Return the ``traffic`` object of the JSON contract."""
    return {
        "label": traffic.label,
        "demands": traffic.demand_count,
        "total": traffic.total,
        "fingerprint": traffic.fingerprint,
    }
