"""``tcp``: NewReno."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from pnet_lp import _core
from pnet_lp.registry import Params
from pnet_lp.sim.base import TRANSPORTS, Context
from pnet_lp.units import format_duration
from pnet_lp.workload.base import Bytes, Duration


class TcpParams(Params):
    """What TCP and all that is built on it have in common; defaults are of RFCs and of Linux."""

    handshake: bool = Field(True, description="whether a flow begins with the handshake of a connection")
    syn: Bytes = Field(40, le=65535, description="size of the packet that asks for a connection")
    initial_window: int = Field(10, ge=1, lt=1 << 31, description="first window, in segments")
    initial_threshold: int | None = Field(
        None, ge=1, lt=1 << 31, description="first slow-start threshold, in segments; default: no bound"
    )
    receive_window: int | None = Field(
        None, ge=1, lt=1 << 31, description="segments that the receiver lets be under way; default: no bound"
    )
    duplicate_threshold: int = Field(
        3, ge=1, lt=1 << 31, description="duplicate acknowledgements that show a loss"
    )
    ack_every: int = Field(1, ge=1, lt=1 << 31, description="in-order packets to one acknowledgement")
    ack_delay: Duration = Field(
        10**9 * 40, description="how long an acknowledgement waits for more packets, where ack_every > 1"
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

    def base(self, context: Context) -> _core.TcpBase:
        """Return the core's parameters."""
        sizes = context.sizes
        values = self.model_dump(include=set(TcpParams.model_fields) - {"handshake", "syn"})
        return _core.TcpBase(
            payload=sizes.payload,
            header=sizes.header,
            ack=sizes.ack,
            syn=self.syn if self.handshake else None,
            **values,
        )


@TRANSPORTS.register(
    "tcp",
    params=TcpParams,
    summary="TCP NewReno: slow start, congestion avoidance, fast recovery with partial acknowledgements",
    source="RFC 5681, RFC 6582, RFC 6298",
)
def tcp(params: TcpParams, context: Context) -> _core.Transport:
    """Return the transport."""
    return _core.Transport.tcp(params.base(context))
