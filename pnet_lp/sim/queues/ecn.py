"""``ecn``: drop-tail that marks data where the queue is long."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from pnet_lp import _core
from pnet_lp.quantities import Bytes
from pnet_lp.sim.base import QUEUES, PacketSizes, SimulationContext
from pnet_lp.sim.marking import Always, Chance, check_marking, marking
from pnet_lp.sim.queue_limit import LimitParams


class EcnParams(LimitParams):
    """Parameters of ``ecn``."""

    alternatives: ClassVar[tuple[frozenset[str], ...]] = (
        *LimitParams.alternatives,
        frozenset({"threshold", "threshold_bytes"}),
    )

    can_mark: ClassVar[bool] = True

    threshold: int = Field(
        65, ge=0, lt=1 << 32, description="packets in the queue from which data that comes is marked"
    )
    threshold_bytes: Bytes | None = Field(
        None, description="bytes in the queue, the packet's own included, above which it is marked; in place of packets"
    )
    marks: Literal["arriving", "leaving"] = Field(
        "arriving",
        description="which data is marked: what comes to a long queue, or what leaves one, itself counted, so that the "
        "mark does not wait in it",
    )
    always: Always = None
    chance: Chance = 1.0

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_marking(self.threshold, self.always, self.chance)
        if self.always is not None and self.threshold_bytes is not None:
            raise ValueError("always counts packets, and threshold_bytes bytes")
        if self.always is not None and self.marks == "leaving":
            raise ValueError("always marks what comes to a queue, not with marks=leaving")
        return self

    def idle(self) -> dict[str, str]:
        """See the base class."""
        found = super().idle()
        return (
            found if self.threshold_bytes is None else {**found, "threshold": "changes nothing beside threshold_bytes"}
        )

    def filled(self, sizes: PacketSizes, *, by_marks: bool) -> int:
        """See the base class."""
        if not by_marks:
            return self.filled_by_losses(sizes)
        return self.threshold if self.threshold_bytes is None else self.threshold_bytes // sizes.packet


@QUEUES.register(
    "ecn",
    params=EcnParams,
    summary="drop-tail that marks data from a length on, or with a chance that grows between two",
    source="DCTCP, SIGCOMM 2010, section 3.1; as RED on the queue's own length",
)
def ecn(params: EcnParams, context: SimulationContext) -> _core.Queue:
    """Return the discipline."""
    return _core.Queue(
        "ecn",
        **params.limit(context),
        **marking(params.threshold, params.always),
        chance=params.chance,
        threshold_bytes=params.threshold_bytes,
        leaving=params.marks == "leaving",
    )
