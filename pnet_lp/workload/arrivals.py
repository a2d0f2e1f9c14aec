"""Flows that arrive at random at a given load: what all such workloads have in common but the law of their gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeAlias

import numpy as np
from pydantic import Field

from pnet_lp.errors import WorkloadError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.workload import LONGEST_PS, Offered, Workload
from pnet_lp.seeds import OwnSeed
from pnet_lp.workload.base import SizesOf, Use, WorkloadContext, WorkloadParams
from pnet_lp.workload.capacity import Capacity, capacity_of

Gaps: TypeAlias = Callable[[np.random.Generator, int], FloatArray]
"""``(random, count) -> gaps``, whose mean is 1."""


class ArrivalParams(WorkloadParams):
    """Parameters of flows that arrive at random."""

    traffic: ClassVar[Use] = "optional"
    sizes: SizesOf
    load: float = Field(gt=0, le=100, description="offered load as a fraction of the capacity")
    flows: int = Field(ge=1, le=10**9, description="number of flows")
    capacity_gbps: Capacity = Field(
        "access",
        description="what the load is a fraction of: access, what all hosts can send over all planes; bisection, what "
        "the narrowest cut between halves of the hosts carries in one direction; or a number of Gb/s",
    )
    seed: OwnSeed = None


def arriving(params: ArrivalParams, context: WorkloadContext, gaps: Gaps) -> Workload:
    """Return ``flows`` flows whose mean rate of arrival is ``load * capacity / mean size``."""
    context.check_flows(params.flows)
    capacity_gbps, what = capacity_of(params.capacity_gbps, context)
    offered = Offered(params.load, capacity_gbps, what, params.sizes.mean_bytes)
    mean_gap_ps = params.sizes.mean_bytes * 8 * 1000 / (params.load * capacity_gbps)
    gap_ps = mean_gap_ps * gaps(context.random("arrival", params.seed), params.flows)
    if (last := float(gap_ps.sum())) > LONGEST_PS:
        raise WorkloadError(
            f"the last flow would come after {last / 1e12:.3g} s",
            where=f"{context.label}: load",
            found=params.load,
            allowed=f"flows within {LONGEST_PS // 10**12:,} s",
        )
    src, dst = context.draw_pairs(params.flows, context.random("pair", params.seed))
    size = params.sizes.draw(params.flows, context.random("size", params.seed))
    start_ps = np.rint(np.cumsum(gap_ps)).astype(np.int64)
    return context.workload(src, dst, size, start_ps, offered=offered)
