"""Which flows there are: the same settings for options and keys of a spec."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from pnet_lp.errors import SpecError, naming
from pnet_lp.flags import Flag
from pnet_lp.model import Network, TrafficMatrix, Workload
from pnet_lp.registry import AsText, Params
from pnet_lp.traffic import build_traffic, check_traffic
from pnet_lp.workload import build_workload, check_hosts, check_workload, flows_of_size, parse_sizes


class FlowSettings(Params):
    """A traffic matrix with a size, or a workload."""

    heading = "Traffic"

    traffic: Annotated[str | None, Flag(metavar="EXPR|FILE", needs=("flow_size", "workload"))] = Field(
        None, description="traffic matrix between hosts: who sends to whom (`pnet-lp list traffic`)"
    )
    flow_size: Annotated[str | None, AsText, Flag(metavar="SIZES", needs=("traffic",))] = Field(
        None,
        description="size of the flows, one per demand, all starting at 0: 10MB, or a name of `pnet-lp list sizes`",
    )
    workload: Annotated[str | None, Flag(metavar="EXPR|FILE", excludes=("flow_size",))] = Field(
        None, description="flows with sizes and start times (`pnet-lp list workloads`)"
    )

    @model_validator(mode="after")
    def _check_flows(self) -> Self:
        if (self.flow_size is None) == (self.workload is None):
            raise SpecError(
                "no flows" if self.workload is None else "flows are of one sort",
                allowed="traffic=T and flow_size=S, or workload=W",
            )
        if self.traffic is not None:
            with naming("traffic"):
                check_traffic(self.traffic)
        if self.workload is not None:
            with naming("workload"):
                check_workload(self.workload, self.traffic)
        elif self.flow_size is not None:
            with naming("flow_size"):
                parse_sizes(self.flow_size, "flow_size")
        return self

    def build(self, network: Network, seed: int, traffic: TrafficMatrix | None = None) -> Workload:
        """Return the flows on ``network``; what is drawn is drawn from ``seed``.

        Args:
            network: the network.
            seed: of what is drawn.
            traffic: the matrix, in place of the one that the settings name.
        """
        if traffic is None and self.traffic is not None:
            # The matrix would be refused for want of another level, which flows have not.
            check_hosts(network, self.traffic)
            traffic = build_traffic(self.traffic, network, "host", seed=seed)
        if self.workload is not None:
            return build_workload(self.workload, network, traffic, seed=seed)
        assert traffic is not None
        assert self.flow_size is not None
        return flows_of_size(self.flow_size, network, traffic, seed=seed)
