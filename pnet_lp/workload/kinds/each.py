"""One flow for every demand of a traffic matrix."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from pnet_lp.model.workload import Workload
from pnet_lp.quantities import Duration
from pnet_lp.seeds import OwnSeed
from pnet_lp.workload.base import WORKLOADS, SizesOf, Use, WorkloadContext, WorkloadParams


class EachParams(WorkloadParams):
    """Parameters of ``each``."""

    traffic: ClassVar[Use] = "required"
    sizes: SizesOf
    start_within: Duration = Field(0, description="flows start at random within this time from 0")
    seed: OwnSeed = None


@WORKLOADS.register(
    "each",
    params=EachParams,
    beside={"traffic": "permutation"},
    example="sizes=10MB",
    summary="one flow for every demand of a traffic matrix, whatever the demand is",
    source="P-Net, section 5.1.2 (permutation, all at once)",
)
def each(params: EachParams, context: WorkloadContext) -> Workload:
    """Return a flow for each demand."""
    traffic = context.traffic
    assert traffic is not None  # it is required
    count = traffic.demand_count
    context.check_flows(count)
    size = params.sizes.draw(count, context.random("size", params.seed))
    start = context.random("start", params.seed).integers(params.start_within + 1, size=count)
    return context.workload(traffic.src, traffic.dst, size, start)
