"""``mptcp``: several connections for each flow."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Duration
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.tcp_params import TcpParams
from pnet_lp.sim.transports.dctcp import EstimateParams


class MptcpParams(TcpParams, EstimateParams):
    """Parameters of ``mptcp``."""

    subflows: int = Field(8, ge=1, le=1024, description="connections of a flow")
    coupling: Literal["lia", "epsilon", "uncoupled"] = Field(
        "lia", description="how windows grow: as RFC 6356 says; without its cap (epsilon = 1); each by itself"
    )
    rtt_unit: Duration = Field(
        0,
        description="round-trip times count in whole multiples of this, at least one, as windows grow; 0: as they are",
    )
    inner: Literal["tcp", "dctcp"] = Field(
        "tcp", description="what subflows are: TCP, or DCTCP, whose windows shrink by the marked part, for ecn queues"
    )
    split: Literal["pool", "shares"] = Field(
        "pool",
        description="how they divide a flow: each takes of all that is left; or each delivers an equal share, and "
        "sends on, up to the whole flow, until all have, with one subflow a path",
    )

    def idle(self) -> dict[str, str]:
        """See the base class."""
        found = super().idle()
        if self.inner == "tcp":
            found |= dict.fromkeys(EstimateParams.model_fields, "changes nothing without inner=dctcp")
        if self.coupling == "uncoupled":
            found["rtt_unit"] = "changes nothing with coupling=uncoupled"
        return found

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
    """Return the transport."""
    congestion = {"tcp": {"congestion": "coupled"}, "dctcp": {"congestion": "dctcp", **params.estimate()}}
    return params.core(
        context,
        subflows=params.subflows,
        shares=params.split == "shares",
        coupling=params.coupling,
        rtt_unit=params.rtt_unit,
        **congestion[params.inner],
    )
