"""``unbounded``: nothing is lost, as in what a host's operating system holds for its ports."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Bytes
from pnet_lp.sim.base import QUEUES, PacketSizes, QueueParams, SimulationContext


class UnboundedParams(QueueParams):
    """Parameters of ``unbounded``."""

    of_hosts: ClassVar[frozenset[str]] = frozenset({"small_queue"})

    small_queue: Bytes = Field(
        131_072,
        description="of hosts: bytes that a TCP connection puts into their ports before it waits until half have left",
    )

    def held_of_flow(self, sizes: PacketSizes) -> float:
        """See the base class."""
        return self.small_queue / sizes.packet


@QUEUES.register(
    "unbounded",
    params=UnboundedParams,
    summary="first come, first served, without a limit; for hosts, whose TCP waits for room",
    source="small queues of Linux 3.6: 128 KiB a socket",
)
def unbounded(params: UnboundedParams, context: SimulationContext) -> _core.Queue:
    """Return the discipline."""
    del context
    return _core.Queue("unbounded", small_queue=params.small_queue)
