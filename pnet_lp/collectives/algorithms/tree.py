"""Up a binary tree, down, or both."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pnet_lp.collectives.base import ALGORITHMS, AlgorithmParams, Operation
from pnet_lp.collectives.schedule import Schedule, Step


class TreeParams(AlgorithmParams):
    """Parameters of ``tree``."""

    operations: ClassVar[tuple[Operation, ...]] = ("all-reduce", "broadcast", "reduce")

    @property
    def pipelined(self) -> bool:
        """See the base class."""
        return True


@ALGORITHMS.register("tree", params=TreeParams, summary="whole buffers up a binary tree, down, or both")
def tree(_: TreeParams, operation: Operation, ranks: int) -> Schedule:
    """Return the steps of a tree in which rank i is below rank ``(i - 1) // 2``: a reduce goes up, a broadcast down.

    Chunk after chunk goes over each edge; a rank passes a chunk up when it has come from all below.
    """
    depths = (ranks - 1).bit_length() + 1
    # At each depth but the root's, the ranks there; the next line is the deepest.
    below = [np.arange((1 << depth) - 1, min((2 << depth) - 1, ranks)) for depth in range(1, depths)]
    below = [lows for lows in below if len(lows)]
    up = [_edges(lows[::-1], (lows[::-1] - 1) // 2, inner=number > 0) for number, lows in enumerate(below[::-1])]
    down = [_edges((lows - 1) // 2, lows, inner=number > 0) for number, lows in enumerate(below)]
    return Schedule(ranks, 1, (*(up if operation != "broadcast" else ()), *(down if operation != "reduce" else ())))


def _edges(src: np.ndarray, dst: np.ndarray, *, inner: bool) -> Step:
    return Step(lambda _: (src, dst, np.zeros_like(src)), len(src), after="came", inner=inner)
