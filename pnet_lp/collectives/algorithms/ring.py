"""Around a ring."""

from __future__ import annotations

from typing import ClassVar

from pnet_lp.collectives.base import ALGORITHMS, AlgorithmParams, Operation
from pnet_lp.collectives.schedule import Schedule, around


class RingParams(AlgorithmParams):
    """Parameters of ``ring``."""

    operations: ClassVar[tuple[Operation, ...]] = ("all-reduce", "all-gather", "reduce-scatter")

    @property
    def pipelined(self) -> bool:
        """See the base class."""
        return True


@ALGORITHMS.register(
    "ring",
    params=RingParams,
    summary="every rank sends to the next: sums go around, then around again",
    source="Patarasuk, Yuan: Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, JPDC 69(2), 2009",
)
def ring(_: RingParams, operation: Operation, ranks: int) -> Schedule:
    """Return ``n - 1`` steps, a block in each message; an all-reduce has twice as many."""
    if operation == "all-reduce":
        # What comes last while sums are made is what a rank sends first when they are passed on.
        return Schedule(ranks, ranks, (around(ranks, 0, 2 * (ranks - 1)),))
    # Whoever gathers begins with its own block; the sum of a rank's own block comes to it last.
    return Schedule(ranks, ranks, (around(ranks, 0 if operation == "all-gather" else 1, ranks - 1),))
