"""``mptcp``: several connections for each flow."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from pnet_lp import _core
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.tcp_params import TcpParams


class MptcpParams(TcpParams):
    """Parameters of ``mptcp``."""

    subflows: int = Field(8, ge=1, le=1024, description="connections of a flow")
    coupling: Literal["lia", "epsilon", "uncoupled"] = Field(
        "lia", description="how windows grow: as RFC 6356 says; without its cap (epsilon = 1); each by itself"
    )

    def as_fluid(self) -> dict[str, Any]:
        """Return the settings of a fluid that come closest: subflows share links, and each has a first window."""
        window = self.initial_window * self.subflows
        return {**super().as_fluid(), "sharing": "subflows", "subflows": self.subflows, "initial_window": window}


@TRANSPORTS.register(
    "mptcp",
    params=MptcpParams,
    summary="several TCP connections for each flow, each on a path of its own, whose windows grow together",
    source="RFC 6356; Wischik, Raiciu, Greenhalgh, Handley: Design, Implementation and Evaluation of Congestion "
    "Control for Multipath TCP, NSDI 2011",
)
def mptcp(params: MptcpParams, context: SimulationContext) -> _core.Transport:
    """Return the transport; a flow is complete when all its bytes are there, whichever subflow carried them."""
    return params.core(context, congestion="coupled", subflows=params.subflows, coupling=params.coupling)
