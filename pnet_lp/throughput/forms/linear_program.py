"""A linear program in compressed columns, as general solvers take it, and what a form of a problem has to offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.proof import Proof

MAX_ENTRIES = 2**31 - 1


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """Minimise ``cost . x`` with ``row_lower <= A x <= row_upper`` and ``x >= 0``.

    Attributes:
        cost: float64 ``[columns]``.
        start, index, value: ``A`` in compressed columns, row indices sorted within a column.
        row_lower, row_upper: float64 ``[rows]``, infinite where a row has no such bound.
    """

    cost: FloatArray
    start: npt.NDArray[np.int32]
    index: npt.NDArray[np.int32]
    value: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray

    @property
    def matrix(self) -> sp.csc_array:
        """``A``, ``[rows, columns]``."""
        return sp.csc_array((self.value, self.index, self.start), shape=(len(self.row_lower), len(self.cost)))


class Form(ABC):
    """A problem written as a linear program, and the way back from its solutions to proofs.

    Attributes:
        lp: the program; its optimum has K near 1.
        rate_unit: the value of K in Gb/s per unit demand that 1 in the last column stands for.
    """

    lp: LinearProgram
    rate_unit: float

    @abstractmethod
    def proof(self, column_value: FloatArray, row_dual: FloatArray) -> Proof:
        """Return what a primal and a dual solution prove, feasible and optimal as they may be up to tolerances only.

        Args:
            column_value: ``[columns]``.
            row_dual: ``[rows]``; those of ``<=`` rows are <= 0.
        """

    @abstractmethod
    def nothing(self) -> Proof:
        """Return what is proved where a solver found nothing."""

    @abstractmethod
    def bounds(self, proof: Proof) -> tuple[float, float]:
        """Return the bounds on K that a proof of this problem proves."""
