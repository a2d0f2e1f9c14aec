"""The terms of a fluid that come closest to a transport over some queues; see docs/fluid.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from pnet_lp.model import Network
from pnet_lp.sim.base import PacketSizes, QueueChoice, TransportChoice
from pnet_lp.sim.fluid import OF_WINDOWS, parse_correction
from pnet_lp.sim.ports import Ports

IN_HOST = 0.75
"""What a window without bound keeps in its host's port, as a part of what that takes: it waits until half is left."""


def terms_of(
    transport: TransportChoice,
    queues: tuple[QueueChoice, QueueChoice],
    sizes: PacketSizes,
    network: Network,
    link_delay_ps: int,
) -> dict[str, Any]:
    """Return the attributes of a :class:`~pnet_lp.sim.fluid.FluidScenario` for a transport.

    Queues that windows fill are first come, first served and have a limit; of others nothing is added.

    Args:
        transport: the transport.
        queues: those of switches, and of hosts.
        sizes: sizes of packets.
        network: the network.
        link_delay_ps: delay of links without one of their own.
    """
    params, (queue, host_queue) = transport.params, (choice.params for choice in queues)
    own = params.as_fluid()
    terms = parse_correction(own.pop("correction"))
    found: dict[str, Any] = {"transport": transport.expression, "terms": terms, **own}
    by_marks = params.by_marks and queue.can_mark
    held = queue.filled(sizes, by_marks=by_marks)
    if "sharing" in own or not params.has_windows or held is None:
        return found
    if params.window_bound is not None:
        windows = OF_WINDOWS if by_marks else OF_WINDOWS[:1]
        return {**found, "terms": (*terms, *windows), "window": params.window_bound, "threshold": max(held, 1)}
    at_host = IN_HOST * host_queue.held_of_flow(sizes)
    return {
        **found,
        "terms": (*terms, "queueing"),
        "window": max(round(round_trip_packets(network, link_delay_ps, sizes) + max(at_host, held)), 1),
        "threshold": max(held, 1),
        "growing": True,
        "hosts_hold": at_host > 0,
    }


def round_trip_packets(network: Network, link_delay_ps: int, sizes: PacketSizes) -> float:
    """Return how many packets the slowest link sends in a round trip from the first host to the farthest rack."""
    plane, ports = network.planes[0], Ports.of(network)
    attached = plane.host_switch[plane.host_switch >= 0]
    links = 2 if network.servers is None else 4
    if len(attached):
        from scipy.sparse import csgraph, csr_array  # noqa: PLC0415 - packets do without

        ends, size = (plane.cable_u, plane.cable_v), plane.switch_count
        joined = csr_array((np.ones(len(plane.cable_u)), ends), shape=(size, size))
        steps = csgraph.dijkstra(joined, directed=False, unweighted=True, indices=attached[0])[attached]
        links += round(float(steps[np.isfinite(steps)].max()))
    delay = float(np.mean(ports.delays_ps(link_delay_ps)[ports.connected]))
    takes = sizes.packet * 8e12 / float(ports.rate[ports.connected].min())
    return links * (2 * delay + takes) / takes
