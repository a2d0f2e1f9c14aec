"""Flows that arrive in bursts at a given load."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.model.workload import Workload
from pnet_lp.workload.arrivals import ArrivalParams, arriving
from pnet_lp.workload.base import WORKLOADS, WorkloadContext


class LogNormalParams(ArrivalParams):
    """Parameters of ``log-normal``."""

    sigma: float = Field(
        1.0,
        gt=0,
        le=5,
        description="standard deviation of a gap's logarithm: 1 for gaps about as uneven as a Poisson process's, "
        "2 for bursts",
    )


@WORKLOADS.register(
    "log-normal",
    params=LogNormalParams,
    example="sizes=pfabric-web-search,load=0.5,flows=300,sigma=2",
    summary="as poisson, with log-normal gaps: many short and a few long",
    source="Parsimon, NSDI 2023, section 5",
)
def log_normal(params: LogNormalParams, context: WorkloadContext) -> Workload:
    """Return flows with log-normal gaps."""
    sigma = params.sigma
    # exp(N(mu, sigma^2)) has the mean exp(mu + sigma^2 / 2).
    return arriving(params, context, lambda random, count: random.lognormal(-(sigma**2) / 2, sigma, count))
