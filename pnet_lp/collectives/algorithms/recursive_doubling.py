"""Whole buffers between ranks that differ in one bit."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pnet_lp.collectives.base import ALGORITHMS, GATHERING, AlgorithmParams, Operation
from pnet_lp.collectives.schedule import Schedule, Step, bits, folded


class RecursiveDoublingParams(AlgorithmParams):
    """Parameters of ``recursive-doubling``."""

    operations: ClassVar[tuple[Operation, ...]] = ("all-reduce",)


@ALGORITHMS.register(
    "recursive-doubling",
    params=RecursiveDoublingParams,
    summary="whole buffers between ranks 1, 2, 4, ... apart; ranks beyond a power of two first give theirs to "
    "neighbours",
    source=GATHERING,
)
def recursive_doubling(_: RecursiveDoublingParams, operation: Operation, ranks: int) -> Schedule:
    """Return ``log2 n`` steps, and two more for ranks beyond a power of two."""
    del operation

    def inner(power: int) -> Schedule:
        rank = np.arange(power)

        def step(apart: int) -> Step:
            return Step(lambda _: (rank, rank ^ apart, np.zeros_like(rank)), power)

        return Schedule(power, 1, tuple(map(step, bits(power))))

    return folded(ranks, inner)
