"""A message that goes from host to host until all have it."""

import numpy as np

from pnet_lp.model import Workload
from pnet_lp.workload.base import WORKLOADS, SizesOf, WorkloadContext, WorkloadParams


class RelayParams(WorkloadParams):
    """Parameters of ``relay``."""

    sizes: SizesOf


@WORKLOADS.register("relay", params=RelayParams, summary="host i sends to host i + 1 when it has the message itself")
def relay(params: RelayParams, context: WorkloadContext) -> Workload:
    """Return one flow for each host but the last; all flows are one task."""
    count = context.hosts - 1
    context.check_flows(count)
    host = np.arange(count)
    size = params.sizes.draw(1, context.random("size", None))
    later = host[1:]
    return context.workload(
        host, host + 1, np.repeat(size, count), after=(later, later - 1), task=np.zeros(count, dtype=int)
    )
