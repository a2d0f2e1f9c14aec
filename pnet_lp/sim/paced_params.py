"""Parameters that the transports of network cards have in common."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Duration
from pnet_lp.sim.base import SimulationContext, TransportParams


class PacedParams(TransportParams):
    """How a card finds losses that nothing else shows."""

    rto: Duration = Field(
        10**9,
        ge=1,
        description="time without an answer after which a packet is taken for lost, doubled while none comes",
    )

    def core(self, context: SimulationContext, **rest: Any) -> _core.Transport:
        """Return the transport; ``rest`` is its recovery, and how window and pace are set."""
        sizes = context.sizes
        return _core.Transport(
            "paced",
            payload=sizes.payload,
            header=sizes.header,
            ack=sizes.ack,
            timeout=self.rto,
            **{"recovery": "selective", "notify": None, "reorder": None, **rest},
        )
