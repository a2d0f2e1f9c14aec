"""Which flows wait for which, and for how many of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import WorkloadError
from pnet_lp.model.arrays import checked_array


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


def checked_enough(
    pointer: npt.NDArray[np.int64],
    enough: npt.ArrayLike | None,
    pauses: npt.NDArray[np.int64],
    where: str,
    flow_at: Callable[[int], str],
) -> npt.NDArray[np.int64]:
    """Return how many of the flows that each one waits for have to be done; WorkloadError for what cannot be."""
    all_: npt.NDArray[np.int64] = np.diff(pointer)
    if enough is None:
        return all_
    needed = checked_array(enough, WorkloadError, where, whole=True)
    if needed.shape != all_.shape:
        raise WorkloadError(f"{len(all_)} flows have {needed.size} values of enough", where=where)
    if np.any(wrong := (needed > all_) | (needed < np.minimum(all_, 1))):
        flow = int(np.argmax(wrong))
        allowed = f"1 to {all_[flow]}" if all_[flow] else "0: it waits for none"
        raise WorkloadError(
            "invalid number of flows that are enough", where=flow_at(flow), found=int(needed[flow]), allowed=allowed
        )
    paused = np.add.reduceat(np.append(pauses, 0) > 0, pointer[:-1]) * (all_ > 0)
    if np.any(wrong := (needed < all_) & (paused > 0)):
        raise WorkloadError(
            "a flow has pauses after flows that do not all have to be done", where=flow_at(int(np.argmax(wrong)))
        )
    return needed
