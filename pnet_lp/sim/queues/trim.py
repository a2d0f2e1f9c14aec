"""``trim``: where data finds no room its payload is cut off, and the header goes on."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from pnet_lp import _core
from pnet_lp.errors import SpecError
from pnet_lp.quantities import Bytes
from pnet_lp.sim.base import QUEUES, PacketSizes, SimulationContext
from pnet_lp.sim.marking import Always, check_marking, marking
from pnet_lp.sim.queue_limit import LimitParams


class TrimParams(LimitParams):
    """Parameters of ``trim``."""

    packets: int = Field(8, ge=1, lt=1 << 32, description="packets in the queue of data, of whatever size")
    header: Bytes = Field(64, ge=1, le=65535, description="size of a packet without its payload")
    headers: Bytes = Field(
        72_000, description="bytes in the queue of what carries no data, by default those of 8 packets of 9,000 bytes"
    )
    weight: int = Field(
        10,
        ge=0,
        lt=1 << 32,
        description="packets without data per data packet while both wait; 0: all of them first, which may starve data",
    )

    threshold: int | None = Field(
        None, ge=0, lt=1 << 32, description="data packets in the queue from which data is marked; default: none is"
    )
    always: Always = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_marking(self.threshold, self.always)
        if self.headers < self.header:
            raise ValueError(f"headers={self.headers} has no room for a header of {self.header} bytes")
        return self

    def most(self, sizes: PacketSizes) -> int:
        """Return how many packets both queues take."""
        return super().most(sizes) + self.headers // self.header


@QUEUES.register(
    "trim",
    params=TrimParams,
    beside={"transport": "ndp"},
    summary="cuts the payload off data that finds no room, and sends headers ahead; for ndp",
    source="NDP, SIGCOMM 2017, section 3.1",
)
def trim(params: TrimParams, context: SimulationContext) -> _core.Queue:
    """Return the discipline.

    Raises:
        SpecError: what is left of a packet is no smaller than a full one, or smaller than its header.
    """
    sizes = context.sizes
    if not sizes.header <= params.header < sizes.packet:
        cut = params.header < sizes.header
        raise SpecError(
            f"a header has {sizes.header} bytes, and is not cut" if cut else f"cuts nothing off {sizes.packet} bytes",
            where="queue: header",
            found=params.header,
            allowed=f"at least header={sizes.header}, less than packet={sizes.packet}",
        )
    return _core.Queue(
        "trim",
        **params.limit(context),
        header=params.header,
        headers=params.headers,
        weight=params.weight or None,
        **marking(params.threshold, params.always),
    )
