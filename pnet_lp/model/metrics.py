"""IGP metrics of cables: what shortest paths are the shortest by."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TopologyError
from pnet_lp.model.arrays import IntArray, checked_array, ints

LARGEST_METRIC = 10**9 - 1

METRICS = f"whole numbers from 1 to {LARGEST_METRIC}"
"""What a metric can be, for messages: lengths of paths are compared exactly."""


def metrics_of(values: npt.ArrayLike, count: int, where: str) -> IntArray:
    """Return int32 ``[count, 2]``: the metric of each cable from u to v and from v to u.

    Args:
        values: of each cable, ``[count]``, or of each direction, ``[count, 2]``.
        count: number of cables.
        where: what the metrics are of, for messages.

    Raises:
        TopologyError: another number of metrics, or one that is none.
    """
    given = checked_array(values, TopologyError, where, whole=True)
    if given.shape not in ((count,), (count, 2)):
        raise TopologyError(f"{count} cables have metrics of shape {given.shape}", where=where)
    if np.any(bad := (given < 1) | (given > LARGEST_METRIC)):
        raise TopologyError("invalid metric", where=where, found=int(given[bad][0]), allowed=METRICS)
    return ints(np.broadcast_to(given if given.ndim == 2 else given[:, None], (count, 2)))
