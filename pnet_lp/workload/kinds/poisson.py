"""Flows that arrive at random at a given load."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from pnet_lp.errors import WorkloadError
from pnet_lp.model.workload import LONGEST_PS, Workload
from pnet_lp.workload.base import WORKLOADS, Context, Seed, SizesOf, Use, WorkloadParams


class PoissonParams(WorkloadParams):
    """Parameters of ``poisson``."""

    traffic: ClassVar[Use] = "optional"
    sizes: SizesOf
    load: float = Field(
        gt=0, le=100, allow_inf_nan=False, description="bytes offered as a part of the capacity"
    )
    flows: int = Field(ge=1, le=10**9, description="number of flows")
    capacity_gbps: float | None = Field(
        None,
        gt=0,
        allow_inf_nan=False,
        description="what the load is a part of, Gb/s; default: what all hosts can send over all planes",
    )
    seed: Seed = None


@WORKLOADS.register(
    "poisson",
    params=PoissonParams,
    summary="flows arrive as a Poisson process at a load, between random hosts or by demand",
    source="pFabric, section 5.1",
)
def poisson(params: PoissonParams, context: Context) -> Workload:
    """Return ``flows`` flows whose mean rate of arrival is ``load * capacity / mean size``."""
    context.check_flows(params.flows)
    capacity_gbps = params.capacity_gbps or context.access_gbps
    mean_gap_ps = params.sizes.mean_bytes * 8 * 1000 / (params.load * capacity_gbps)
    gaps = context.random("arrival", params.seed).exponential(mean_gap_ps, params.flows)
    if (last := float(gaps.sum())) > LONGEST_PS:
        raise WorkloadError(
            f"the last flow would come after {last / 1e12:.3g} s",
            where=f"{context.label}: load",
            found=params.load,
            allowed=f"flows within {LONGEST_PS // 10**12:,} s",
        )
    src, dst = context.draw_pairs(params.flows, context.random("pair", params.seed))
    size = params.sizes.draw(params.flows, context.random("size", params.seed))
    return context.workload(src, dst, size, np.rint(np.cumsum(gaps)).astype(np.int64))
