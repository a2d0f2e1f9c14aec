"""Halves, quarters, ... of buffers between ranks that differ in one bit, then back."""

from __future__ import annotations

from typing import ClassVar

from pnet_lp.collectives.base import ALGORITHMS, GATHERING, AlgorithmParams, Operation
from pnet_lp.collectives.schedule import Schedule, bits, exchanges, folded


class HalvingDoublingParams(AlgorithmParams):
    """Parameters of ``halving-doubling``."""

    operations: ClassVar[tuple[Operation, ...]] = ("all-reduce",)


@ALGORITHMS.register(
    "halving-doubling",
    params=HalvingDoublingParams,
    summary="half, quarter, ... of buffers between ranks that differ in one bit, then back; ranks beyond a power of "
    "two first give their buffers to neighbours",
    source=GATHERING,
)
def halving_doubling(_: HalvingDoublingParams, operation: Operation, ranks: int) -> Schedule:
    """Return ``2 log2 n`` steps, and two more for ranks beyond a power of two."""
    del operation

    def inner(power: int) -> Schedule:
        apart = bits(power)
        halving = exchanges(power, apart[::-1], gathers=False)
        return Schedule(power, power, (*halving, *exchanges(power, apart, gathers=True)))

    return folded(ranks, inner)
