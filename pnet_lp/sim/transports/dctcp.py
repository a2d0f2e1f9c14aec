"""``dctcp``: the window shrinks by the part of packets that were marked."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from pnet_lp import _core
from pnet_lp.registry import Params
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.tcp_params import TcpParams


class EstimateParams(Params):
    """How the marked part of packets is estimated, and what follows from it."""

    g: float = Field(1 / 16, gt=0, le=1, description="weight of the last window in the estimate of the marked part")
    alpha: float = Field(1.0, ge=0, le=1, description="the estimate at first")
    shrinks: Literal["marked", "always"] = Field(
        "marked",
        description="those with a mark shrink, or, as in htsim, all at their end while the estimate is above 0",
    )

    def estimate(self) -> dict[str, Any]:
        """Return it as the core reads it."""
        return {"gain": self.g, "alpha": self.alpha, "always": self.shrinks == "always"}


class DctcpParams(TcpParams, EstimateParams):
    """Parameters of ``dctcp``."""

    by_marks: ClassVar[bool] = True


@TRANSPORTS.register(
    "dctcp",
    params=DctcpParams,
    summary="TCP whose window shrinks, once per window, in proportion to marked packets; for ecn queues",
    source="RFC 8257; DCTCP, SIGCOMM 2010",
)
def dctcp(params: DctcpParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    return params.core(context, congestion="dctcp", coupling="uncoupled", rtt_unit=0, **params.estimate())
