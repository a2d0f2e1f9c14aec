"""Straight to the root, or from it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pnet_lp.collectives.base import ALGORITHMS, GATHERING, AlgorithmParams, Operation
from pnet_lp.collectives.schedule import Schedule, Step


class LinearParams(AlgorithmParams):
    """Parameters of ``linear``."""

    operations: ClassVar[tuple[Operation, ...]] = ("broadcast", "reduce", "gather", "scatter")


@ALGORITHMS.register(
    "linear", params=LinearParams, summary="the root sends to all others, or they to it, all at once", source=GATHERING
)
def linear(_: LinearParams, operation: Operation, ranks: int) -> Schedule:
    """Return one step: a whole buffer between the root and each other rank, or its block of ``ranks``."""
    others = np.arange(1, ranks)
    root, whole = np.zeros_like(others), operation in ("broadcast", "reduce")
    src, dst = (root, others) if operation in ("broadcast", "scatter") else (others, root)
    step = Step(lambda _: (src, dst, root if whole else others), ranks - 1, after="none")
    return Schedule(ranks, 1 if whole else ranks, (step,))
