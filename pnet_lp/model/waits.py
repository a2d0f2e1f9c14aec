"""Which flows wait for which."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def on_cycle(count: int, child: npt.NDArray[Any], parent: npt.NDArray[Any]) -> int | None:
    """Return a flow that waits for itself, if there is one: level by level, flows without unmet parents start."""
    waiting = np.bincount(child, minlength=count)
    order = np.argsort(parent, kind="stable")
    children = child[order]
    pointer = np.searchsorted(parent[order], np.arange(count + 1))
    ready = np.flatnonzero(waiting == 0)
    done = np.zeros(count, dtype=bool)
    while len(ready):
        done[ready] = True
        counts = pointer[ready + 1] - pointer[ready]
        first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        place = np.repeat(pointer[ready] - first, counts) + np.arange(counts.sum())
        released = children[place]
        np.subtract.at(waiting, released, 1)
        ready = np.unique(released[waiting[released] == 0])
    if done.all():
        return None
    # Each of the others waits for one of them: back along these, the first that comes twice is on a cycle.
    left = ~done[child] & ~done[parent]
    waits_for = dict(zip(child[left].tolist(), parent[left].tolist(), strict=True))
    flow, seen = int(np.argmin(done)), set[int]()
    while flow not in seen:
        seen.add(flow)
        flow = waits_for[flow]
    return flow
