"""The terms of a fluid that come closest to a transport over some queues; see docs/fluid.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from pnet_lp import _core
from pnet_lp.model import Network
from pnet_lp.sim.base import Choice, PacketSizes
from pnet_lp.sim.fluid import OF_WINDOWS, parse_correction
from pnet_lp.sim.ports import Ports
from pnet_lp.sim.queue_limit import LimitParams
from pnet_lp.sim.queues.ecn import EcnParams
from pnet_lp.sim.queues.unbounded import UnboundedParams
from pnet_lp.sim.tcp_params import WindowParams

IN_QUEUES = 0.7
"""What a window without bound keeps in queues, as a part of the threshold and what its host's port takes of it."""

LONGEST = 1.4
"""The longest queue that flows wait in, as a multiple of the same: windows overshoot, and hosts hold several."""

FILLED = 0.3
"""What windows keep on average in drop-tail queues, as a part of their limit."""


def terms_of(
    transport: Choice[_core.Transport],
    queues: tuple[Choice[_core.Queue], Choice[_core.Queue]],
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
    params, (queue, host_queue) = transport.params, queues
    if not isinstance(params, WindowParams):
        return {"transport": transport.expression, "terms": parse_correction("propagation,store-and-forward")}
    own = params.as_fluid()
    terms = parse_correction(own.pop("correction"))
    found: dict[str, Any] = {"transport": transport.expression, "terms": terms, **own}
    limit, hosts = queue.params, host_queue.params
    if "sharing" in own or not isinstance(limit, LimitParams) or queue.entry.name not in ("drop-tail", "ecn"):
        return found
    marks = isinstance(limit, EcnParams) and transport.entry.name == "dctcp"
    held = limit.threshold if isinstance(limit, EcnParams) and marks else round(FILLED * limit.most(sizes))
    if params.receive_window is not None:
        windows = OF_WINDOWS if marks else OF_WINDOWS[:1]
        return {**found, "terms": (*terms, *windows), "window": params.receive_window, "threshold": max(held, 1)}
    in_host = hosts.small_queue / sizes.packet if isinstance(hosts, UnboundedParams) else 0.0
    window = round_trip_packets(network, link_delay_ps, sizes) + IN_QUEUES * (held + in_host)
    longest = LONGEST * (held + in_host)
    return {
        **found,
        "terms": (*terms, "queueing"),
        "window": max(round(window), 1),
        "threshold": max(round(longest), 1),
    }


def round_trip_packets(network: Network, link_delay_ps: int, sizes: PacketSizes) -> float:
    """Return how many packets the slowest link sends in a round trip from the first host to the farthest rack."""
    plane, ports = network.planes[0], Ports.of(network)
    joined: list[list[int]] = [[] for _ in range(plane.switch_count)]
    for u, v in zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True):
        joined[u].append(v)
        joined[v].append(u)
    first = next((switch for switch in plane.host_switch.tolist() if switch >= 0), 0)
    steps, reached = {first: 0}, [first]
    for switch in reached:
        for other in joined[switch]:
            if other not in steps:
                steps[other] = steps[switch] + 1
                reached.append(other)
    links = max((steps.get(switch, 0) for switch in plane.host_switch.tolist()), default=0) + 2
    delay = float(np.mean(ports.delays_ps(link_delay_ps)[ports.connected]))
    takes = sizes.packet * 8e12 / float(ports.rate[ports.connected].min())
    return links * (2 * delay + takes) / takes
