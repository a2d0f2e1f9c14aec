"""A block from every rank to every other, straight."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pnet_lp.collectives.base import ALGORITHMS, GATHERING, AlgorithmParams, Operation
from pnet_lp.collectives.schedule import Schedule, Step


class PairwiseParams(AlgorithmParams):
    """Parameters of ``pairwise``."""

    operations: ClassVar[tuple[Operation, ...]] = ("all-to-all",)


@ALGORITHMS.register(
    "pairwise",
    params=PairwiseParams,
    summary="every rank sends to the next rank, then to the one after it",
    source=GATHERING,
)
def pairwise(_: PairwiseParams, operation: Operation, ranks: int) -> Schedule:
    """Return ``n - 1`` steps of a block for each rank."""
    del operation
    rank = np.arange(ranks)

    def at(time: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        dst = (rank + time + 1) % ranks
        return rank, dst, dst

    return Schedule(ranks, ranks, (Step(at, ranks, times=ranks - 1, moves=True, after="sent"),))
