"""Which switches can reach each other, by the core: SciPy's search takes longer to load than most networks to solve."""

from __future__ import annotations

import numpy as np

from pnet_lp import _core
from pnet_lp.model.arrays import IntArray


def strong_components(nodes: int, tail: IntArray, head: IntArray) -> IntArray:
    """Return int32 ``[nodes]``: nodes of one number have a path to each other in both directions.

    Components are numbered from 0 in the order of their lowest nodes.  Arcs can be in any order.
    """
    order = np.argsort(tail, kind="stable")
    return _core.strong_components(nodes, tail[order].astype(np.uint32), head[order].astype(np.uint32))


def components(nodes: int, u: IntArray, v: IntArray) -> IntArray:
    """Return int32 ``[nodes]``: nodes of one number are joined by cables, which carry both directions."""
    return strong_components(nodes, np.concatenate([u, v]), np.concatenate([v, u]))
