"""Several workloads as one: jobs that run at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pnet_lp.model.workload import LongArray, Workload


def joined(parts: Sequence[Workload], hosts: int, label: str, members: Sequence[LongArray] | None = None) -> Workload:
    """Return the flows of all parts, those of one after those of the other, all times being from the same start.

    Flows wait for flows of their own part only.  Where a part has stages, those without any are a stage called as they
    are.

    Args:
        parts: at least one.
        hosts: number of hosts of the network.
        label: what the whole is called.
        members: for each part, the host that each of its hosts is; default: the same one.
    """
    count = [part.flow_count for part in parts]
    first, task = (
        np.cumsum([0, *before[:-1]]).tolist()
        for before in (count, [int(part.task.max(initial=-1)) + 1 for part in parts])
    )
    places = members or [np.arange(hosts)] * len(parts)
    numbered = list(zip(first, parts, strict=True))
    staged = any(part.stages for part in parts)
    whole = Workload.from_flows(
        hosts,
        np.concatenate([at[part.src] for part, at in zip(parts, places, strict=True)]),
        np.concatenate([at[part.dst] for part, at in zip(parts, places, strict=True)]),
        np.concatenate([part.size for part in parts]),
        np.concatenate([part.start_ps for part in parts]),
        after=(
            np.concatenate(
                [i + np.repeat(np.arange(part.flow_count), np.diff(part.after_ptr)) for i, part in numbered]
            ),
            np.concatenate([i + part.after for i, part in numbered]),
        ),
        acknowledged=np.concatenate([part.acknowledged for part in parts]),
        pause_ps=np.concatenate([part.pause_ps for part in parts]),
        earliest_ps=np.concatenate([part.earliest_ps for part in parts]),
        enough=np.concatenate([part.enough for part in parts]),
        connection=np.concatenate([i + part.connection for i, part in numbered]),
        connects=np.concatenate([part.connects for part in parts]),
        task=np.concatenate([i + part.task for i, part in zip(task, parts, strict=True)]),
        stage=np.concatenate([np.array(part.stages or [part.label])[part.stage] for part in parts]) if staged else None,
        weight=np.concatenate([part.weight for part in parts]),
        transport=[name for part in parts for name in part.transport_names],
        label=label,
        may_be_empty=True,
    )
    means = [part.mean_bytes for part in parts]
    known = all(mean is not None for mean in means)
    return replace(whole, mean_bytes=float(np.average(np.array(means, dtype=float), weights=count)) if known else None)
