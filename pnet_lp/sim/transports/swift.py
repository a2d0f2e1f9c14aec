"""``swift``: the window follows the round-trip time."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from pnet_lp import _core
from pnet_lp.quantities import Duration
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.paced_params import PacedParams
from pnet_lp.sim.tcp_params import SegmentCount


class SwiftParams(PacedParams):
    """Parameters of ``swift``."""

    initial_window: float = Field(10.0, gt=0, description="first window, in packets")
    target: Duration = Field(25 * 10**6, ge=1, description="target of the round-trip time, before what is added to it")
    per_hop: Duration = Field(10**6, description="what each switch of a path adds to the target")
    flow_range: Duration = Field(100 * 10**6, description="what a small window adds to the target at most")
    flow_min: float = Field(0.1, gt=0, description="window in packets up to which it adds all of that")
    flow_max: float = Field(100.0, gt=0, description="window in packets from which it adds nothing")
    additive: float = Field(1.0, gt=0, description="packets that the window grows by in a round trip below the target")
    beta: float = Field(
        0.8, gt=0, description="part of the excess over the target, relative to the round trip, that it shrinks by"
    )
    max_decrease: float = Field(0.5, ge=0, lt=1, description="part of the window that it shrinks by at most")
    min_window: float = Field(0.001, gt=0, description="window in packets at least; below 1 it is a pause")
    max_window: float = Field(10_000.0, gt=0, description="window in packets at most")
    reset_after: SegmentCount = Field(5, description="timeouts in a row after which the window is the least")
    duplicate_threshold: SegmentCount = Field(
        3, description="packets later one was sent that has arrived, where a packet is taken for lost"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        for low, high in (("flow_min", "flow_max"), ("min_window", "max_window")):
            if getattr(self, low) >= getattr(self, high):
                raise ValueError(f"{low}={getattr(self, low):g} is not below {high}={getattr(self, high):g}")
        return self


@TRANSPORTS.register(
    "swift",
    params=SwiftParams,
    summary="the window follows the round-trip time toward a target, and may fall below one packet",
    source="Swift, SIGCOMM 2020, section 3",
)
def swift(params: SwiftParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    return params.core(
        context,
        duplicate_threshold=params.duplicate_threshold,
        control="swift",
        initial_window=params.initial_window,
        base_target=params.target,
        per_hop=params.per_hop,
        flow_range=params.flow_range,
        flow_least=params.flow_min,
        flow_most=params.flow_max,
        additive=params.additive,
        beta=params.beta,
        most_decrease=params.max_decrease,
        least_window=params.min_window,
        most_window=params.max_window,
        reset_after=params.reset_after,
    )
