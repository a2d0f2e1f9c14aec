"""Flows that arrive as a Poisson process at a given load."""

from __future__ import annotations

from pnet_lp.model.workload import Workload
from pnet_lp.workload.arrivals import ArrivalParams, arriving
from pnet_lp.workload.base import WORKLOADS, WorkloadContext


class PoissonParams(ArrivalParams):
    """Parameters of ``poisson``."""


@WORKLOADS.register(
    "poisson",
    params=PoissonParams,
    example="sizes=pfabric-web-search,load=0.5,flows=300",
    summary="flows arrive as a Poisson process at a load, between random hosts or by demand",
    source="pFabric, section 5.1",
)
def poisson(params: PoissonParams, context: WorkloadContext) -> Workload:
    """Return flows with exponential gaps."""
    return arriving(params, context, lambda random, count: random.standard_exponential(count))
