"""``shared``: the ports of a switch share one buffer, and may pause what feeds them."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from pnet_lp import _core
from pnet_lp.errors import SpecError
from pnet_lp.quantities import Bytes
from pnet_lp.sim.base import QUEUES, PacketSizes, QueueParams, SimulationContext
from pnet_lp.sim.marking import Always, Chance, check_marking, marking


class SharedParams(QueueParams):
    """Parameters of ``shared``."""

    buffer: Bytes = Field(
        500_000, ge=1, description="bytes of buffer for each port of a switch, which all its ports share"
    )
    alpha: float = Field(1.0, gt=0, le=1024, description="what a queue may hold, as a multiple of what is free")
    pfc: bool = Field(True, description="whether a switch pauses the ports that feed it, so that no data is lost")
    headroom: Bytes | None = Field(
        None,
        description="with pfc: bytes kept for what comes by a link after it is paused; default: as much as can come",
    )
    resume: Bytes = Field(3000, description="with pfc: bytes below the threshold at which a paused port may send again")
    threshold: int | None = Field(
        None, ge=0, lt=1 << 32, description="packets in the queue of a port from which data is marked; default: none is"
    )
    always: Always = None
    chance: Chance = 1.0

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_marking(self.threshold, self.always, self.chance)
        return self

    def idle(self) -> dict[str, str]:
        """See the base class."""
        found = super().idle()
        if not self.pfc:
            found |= dict.fromkeys(("headroom", "resume"), "changes nothing with pfc=false")
        return found

    def most(self, sizes: PacketSizes) -> int:
        """See the base class."""
        return self.buffer // sizes.packet + 1


@QUEUES.register(
    "shared",
    params=SharedParams,
    summary="the ports of a switch share a buffer by dynamic thresholds, and pause what feeds them (PFC)",
    source="Choudhury and Hahne, IEEE/ACM ToN 6 (1998); IEEE 802.1Qbb",
)
def shared(params: SharedParams, context: SimulationContext) -> _core.Queue:
    """Return the discipline.

    Raises:
        SpecError: a full packet does not fit into the buffer or the headroom.
    """
    packet = context.sizes.packet
    for name, value in (("buffer", params.buffer), ("headroom", params.headroom)):
        if value is not None and value < packet:
            raise SpecError(f"a packet has {packet} bytes and never fits", where=f"queue: {name}", found=value)
    return _core.Queue(
        "shared",
        buffer=params.buffer,
        alpha=params.alpha,
        pauses=params.pfc,
        headroom=params.headroom,
        resume=params.resume,
        packet=packet,
        **marking(params.threshold, params.always),
        chance=params.chance,
    )
