"""Latency from hops where no packet waits in a queue (P-Net, section 5.2.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pnet_lp.errors import SpecError
from pnet_lp.model import Network
from pnet_lp.model.hops import HopDistribution
from pnet_lp.units import DELAYS, are_delays

MTU_BYTES = 1500
ACCESS_LINKS = 2
"""Links of a path that are not hops: the sender's and the receiver's."""

_OPEN_BYTES, _REPLY_BYTES = 1, 40
"""The first packet of a handshake, and an acknowledgement, in the paper's simulator."""


def message_us(links: int, message_bytes: float, link_gbps: float, hop_delay_us: float) -> float:
    """Return how long a message takes over ``links`` links of one speed, in microseconds.

    It is cut into packets of :data:`MTU_BYTES`; every switch waits for a whole packet before it sends it on, so that
    the last bit arrives after ``links`` delays, the time the message takes on one link, and that of its largest packet
    on all other links.
    """
    us_per_byte = 8e-3 / link_gbps
    largest = min(message_bytes, MTU_BYTES)
    return links * hop_delay_us + (message_bytes + (links - 1) * largest) * us_per_byte


def only_speed(network: Network, *, instead: str) -> float:
    """Return the speed of all links of a network, access links included, in Gb/s.

    Args:
        network: the network.
        instead: what can be given where there are several, in words.

    Raises:
        SpecError: there are several.
    """
    speeds: set[float] = set()
    for plane in network.planes:
        attached = plane.host_switch >= 0
        for values in (
            plane.capacity_uv_gbps,
            plane.capacity_vu_gbps,
            plane.access_up_gbps[attached],
            plane.access_down_gbps[attached],
        ):
            speeds.update(values.tolist())
    speeds.discard(0.0)
    if len(speeds) != 1:
        raise SpecError(f"the network's links have {len(speeds)} speeds", where="rpc_bytes", allowed=instead)
    return speeds.pop()


@dataclass(frozen=True)
class Rpc:
    """A request and its acknowledgement after a handshake, alone in the network.

    Attributes:
        rpc_bytes: size of the request.
        rate_gbps: speed of every link, access links included, in Gb/s.
        hop_delay_us: propagation and switching of every link, in microseconds.
    """

    rpc_bytes: float = MTU_BYTES
    rate_gbps: float = 100.0
    hop_delay_us: float = 1.0

    def __post_init__(self) -> None:
        for name, value in (("rpc_bytes", self.rpc_bytes), ("rate_gbps", self.rate_gbps)):
            if not (math.isfinite(value) and value > 0):
                raise SpecError("out of range", where=name, found=value, allowed="a finite number > 0")
        if not are_delays(self.hop_delay_us * 1e3):
            raise SpecError("invalid delay", where="hop_delay_us", found=self.hop_delay_us, allowed=DELAYS)

    def time_us(self, hops: int) -> float:
        """Return how long it takes over ``hops`` hops and the two access links, in microseconds.

        The handshake crosses the path twice, request and acknowledgement once each: for one packet of B bytes
        ``4 L delay + L (1 + 40 + B + 40) bytes / speed`` over L links.
        """
        links = hops + ACCESS_LINKS
        return sum(
            message_us(links, size, self.rate_gbps, self.hop_delay_us)
            for size in (_OPEN_BYTES, _REPLY_BYTES, self.rpc_bytes, _REPLY_BYTES)
        )


def rpc_statistics(distribution: HopDistribution, rpc: Rpc) -> dict[str, Any]:
    """Return mean and percentiles of the time of ``rpc`` over all pairs, in microseconds.

    Every pair takes its shortest path in its nearest plane.  The mean is over pairs that have a path; a percentile is
    None where too many pairs have no path.
    """
    times = [rpc.time_us(hops) for hops in range(len(distribution.pairs))]
    connected = distribution.connected
    weighted = math.fsum(t * n for t, n in zip(times, distribution.pairs, strict=True))
    found: dict[str, Any] = {
        "bytes": rpc.rpc_bytes,
        "rate_gbps": rpc.rate_gbps,
        "hop_delay_us": rpc.hop_delay_us,
        "mean_us": weighted / connected if connected else None,
    }
    for percent in (50, 99):
        hops = distribution.percentile(percent)
        found[f"p{percent}_us"] = None if hops is None else times[hops]
    return found
