"""Blocks between ranks that differ in one bit: halving to scatter sums, doubling to gather."""

from __future__ import annotations

from typing import ClassVar

from pnet_lp.collectives.base import ALGORITHMS, GATHERING, AlgorithmParams, Operation
from pnet_lp.collectives.schedule import Schedule, bits, exchanges


class RecursiveParams(AlgorithmParams):
    """Parameters of ``recursive``."""

    operations: ClassVar[tuple[Operation, ...]] = ("all-gather", "reduce-scatter")


@ALGORITHMS.register(
    "recursive",
    params=RecursiveParams,
    summary="between ranks that differ in one bit; a power of two of ranks",
    source=GATHERING,
)
def recursive(_: RecursiveParams, operation: Operation, ranks: int) -> Schedule:
    """Return ``log2 n`` steps."""
    gathers, apart = operation == "all-gather", bits(ranks)
    return Schedule(ranks, ranks, exchanges(ranks, apart if gathers else apart[::-1], gathers=gathers))
