"""How much a queue takes, the same for every discipline."""

from __future__ import annotations

from typing import ClassVar, TypedDict

from pydantic import Field

from pnet_lp.errors import SpecError
from pnet_lp.quantities import Bytes
from pnet_lp.sim.base import PacketSizes, QueueParams, SimulationContext

FILLED = 0.5
"""What windows keep in a queue until it loses packets, as a part of its limit: the mean of an empty and a full one."""


class Limit(TypedDict):
    """How much a queue takes: bytes where they are given, else packets."""

    packets: int
    bytes: int | None


class LimitParams(QueueParams):
    """How much a queue takes, the packet being sent included."""

    alternatives: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"packets", "bytes"}),)

    packets: int = Field(100, ge=1, lt=1 << 32, description="packets in a queue, of whatever size")
    bytes: Bytes | None = Field(None, description="bytes in a queue, in place of a number of packets")

    def idle(self) -> dict[str, str]:
        """See the base class."""
        found = super().idle()
        return found if self.bytes is None else {**found, "packets": "changes nothing beside bytes"}

    def most(self, sizes: PacketSizes) -> int:
        """Return how many full packets a queue takes."""
        return self.packets if self.bytes is None else self.bytes // sizes.packet + 1

    def filled_by_losses(self, sizes: PacketSizes) -> int:
        """Return how many full packets windows that only losses shrink keep in it, first come, first served."""
        return round(FILLED * self.most(sizes))

    def limit(self, context: SimulationContext) -> Limit:
        """Return it as the core reads it, or raise SpecError where a full packet never fits."""
        if self.bytes is not None and self.bytes < context.sizes.packet:
            raise SpecError(
                f"a packet has {context.sizes.packet} bytes and never fits", where="queue: bytes", found=self.bytes
            )
        return {"packets": self.packets, "bytes": self.bytes}
