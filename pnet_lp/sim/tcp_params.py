"""Parameters that TCP and all that is built on it have in common."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self, TypeAlias

from pydantic import Field, model_validator

from pnet_lp import _core
from pnet_lp.quantities import Bytes, Duration
from pnet_lp.sim.base import SimulationContext, TransportParams
from pnet_lp.units import format_duration

SegmentCount: TypeAlias = Annotated[int, Field(ge=1, lt=1 << 31)]


class WindowParams(TransportParams):
    """How a connection begins, how much it sends at first, and when data is acknowledged."""

    has_windows: ClassVar[bool] = True

    handshake: bool = Field(True, description="whether a flow begins with the handshake of a connection")
    syn: Bytes = Field(40, le=65535, description="size of the packet that asks for a connection")
    initial_window: SegmentCount = Field(10, description="first window, in segments")
    initial_threshold: SegmentCount | None = Field(
        None, description="first slow-start threshold, in segments; default: no bound"
    )
    receive_window: SegmentCount | None = Field(
        None, description="segments that the receiver lets be under way; default: no bound"
    )
    ack_every: SegmentCount = Field(1, description="in-order packets to one acknowledgement")
    ack_delay: Duration = Field(
        40 * 10**9, description="how long an acknowledgement waits for more packets, where ack_every > 1"
    )

    resequence: Duration | None = Field(
        None, description="how long the receiver holds back packets that came early, as DRB's does; default: not at all"
    )

    def idle(self) -> dict[str, str]:
        """See the base class."""
        found = super().idle()
        if not self.handshake:
            found["syn"] = "changes nothing with handshake=false"
        if self.ack_every == 1:
            found["ack_delay"] = "changes nothing with ack_every=1"
        return found

    @property
    def window_bound(self) -> int | None:
        """See the base class."""
        return self.receive_window

    def as_fluid(self) -> dict[str, Any]:
        """See the base class."""
        begins = "handshake," if self.handshake else ""
        return {
            "correction": f"{begins}propagation,store-and-forward,slow-start",
            "initial_window": self.initial_window,
        }

    def core(self, context: SimulationContext, **recovery: Any) -> _core.Transport:
        """Return NewReno with one subflow, but for ``recovery``: how losses are found, and what differs."""
        sizes = context.sizes
        return _core.Transport(
            "tcp",
            payload=sizes.payload,
            header=sizes.header,
            ack=sizes.ack,
            syn=self.syn if self.handshake else None,
            **self.model_dump(include=set(WindowParams.model_fields) - {"handshake", "syn"}),
            **{"congestion": "reno", "subflows": 1, "shares": False, **recovery},
        )


class TcpParams(WindowParams):
    """The same, and how losses are found; defaults are of RFCs and of Linux."""

    duplicate_threshold: SegmentCount = Field(3, description="duplicate acknowledgements that show a loss")
    sack: bool = Field(
        False, description="whether acknowledgements report what has come beyond a gap, and repair goes by that"
    )
    rto_initial: Duration = Field(10**12, ge=1, description="timeout before the first round trip is measured")
    rto_min: Duration = Field(2 * 10**11, ge=1, description="timeout at least")
    rto_max: Duration = Field(6 * 10**13, ge=1, description="timeout at most, back-off included")
    timer_granularity: Duration = Field(
        0, description="timeouts are looked at in multiples of this; 0: when they are due"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.rto_min > self.rto_max:
            least, most = format_duration(self.rto_min), format_duration(self.rto_max)
            raise ValueError(f"rto_min={least} is above rto_max={most}")
        return self

    def core(self, context: SimulationContext, **congestion: Any) -> _core.Transport:
        """See the base class; ``congestion`` is how the window is set."""
        names = set(TcpParams.model_fields) - set(WindowParams.model_fields)
        return super().core(context, **self.model_dump(include=names), **congestion)
