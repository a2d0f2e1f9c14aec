"""Everybody sends its buffer to one rank, which sends the sum back."""

from typing import ClassVar

import numpy as np

from pnet_lp.collectives import ALGORITHMS, AlgorithmParams, Operation, Schedule, Step


class ServerParams(AlgorithmParams):
    """Parameters of ``server``."""

    operations: ClassVar[tuple[Operation, ...]] = ("all-reduce",)


@ALGORITHMS.register("server", params=ServerParams, summary="whole buffers to rank 0, and the sum back")
def server(_: ServerParams, operation: Operation, ranks: int) -> Schedule:
    """Return two steps of a message for each other rank; a buffer is one block."""
    del operation
    others, zeros = np.arange(1, ranks), np.zeros(ranks - 1, dtype=int)
    there = Step(lambda _: (others, zeros, zeros), ranks - 1, after="came")
    back = Step(lambda _: (zeros, others, zeros), ranks - 1, after="came")
    return Schedule(ranks, 1, (there, back))
