"""A linear program in compressed columns, as general solvers take it, and what a form of a problem has to offer."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.proof import Proof
from pnet_lp.throughput.split_problem import SplitProblem

if TYPE_CHECKING:
    import scipy.sparse as sp

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
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        return sp.csc_array((self.value, self.index, self.start), shape=(len(self.row_lower), len(self.cost)))


@dataclass(frozen=True, eq=False)
class Head:
    """What an objective adds to the body of a form, which is what links carry.

    The body has the flows of ``J`` demands on links, ``served_j`` being what demand j gets.  The head adds the rate K,
    the last column, and states

        minimise    rate_cost K + sum_j served_cost_j served_j + sum_a arc_cost_a load_a
        subject to  lower_j <= served_j - weight_j K <= upper_j    for each demand j

    Attributes:
        weight: float64 ``[J]``, >= 0; where all are 0 there is no rate.
        lower, upper: float64 ``[J]``, Gb/s.
        rate_cost: a number.
        served_cost: float64 ``[J]``.
        arc_cost: float64 ``[A]``, >= 0.
        rate_scale: about how large ``served`` becomes, as a multiple of the demands, where the objective knows: the
            unit that flows are counted in.
    """

    weight: FloatArray
    lower: FloatArray
    upper: FloatArray
    served_cost: FloatArray
    arc_cost: FloatArray
    rate_cost: float = 0.0
    rate_scale: float = math.inf

    @classmethod
    def of(cls, problem: FlowProblem, **changed: Any) -> Head:
        """Return the head that asks for nothing, serves nothing and costs nothing, with some fields ``changed``."""
        nothing = np.zeros(problem.demand_count)
        fields: dict[str, Any] = {
            "weight": nothing,
            "lower": nothing,
            "upper": nothing,
            "served_cost": nothing,
            "arc_cost": np.zeros(len(problem.capacity)),
        }
        return cls(**(fields | changed))

    @classmethod
    def concurrent(cls, problem: FlowProblem) -> Head:
        """Return the head of maximum concurrent flow: every demand gets K times what it asks."""
        return cls.of(problem, weight=problem.demand, rate_cost=-float(problem.demand.sum()))

    @property
    def fixes(self) -> bool:
        """Whether K alone says what every demand gets."""
        return bool(np.array_equal(self.lower, self.upper))


class Form(ABC):
    """A problem written as a linear program, and the way back from its solutions to proofs.

    Attributes:
        problem: the problem.
        lp: the program.
        head: the objective in it.
        rate_unit: the value of K in Gb/s per unit demand that 1 in the last column stands for.
        flow_unit: the Gb/s that 1 in the other columns stands for.
    """

    problem: FlowProblem | PathProblem | SplitProblem
    lp: LinearProgram
    head: Head
    rate_unit: float
    flow_unit: float

    @abstractmethod
    def proof(
        self, column_value: FloatArray, row_dual: FloatArray, served: FloatArray | None = None
    ) -> Proof:
        """Return what a primal and a dual solution prove, feasible and optimal as they may be up to tolerances only.

        Args:
            column_value: ``[columns]``.
            row_dual: ``[rows]``; those of ``<=`` rows are <= 0.
            served: float64 ``[J]``, > 0, what the flow of the proof carries; in place of the demands.
        """

    @abstractmethod
    def served(self, column_value: FloatArray) -> FloatArray:
        """Return float64 ``[J]``: what each demand gets in a solution, Gb/s, >= 0."""

    @abstractmethod
    def lengths(self, row_dual: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the lengths of arcs ``[A]`` and of access links up and down ``[P, E]``: duals, per Gb/s, >= 0."""

    @abstractmethod
    def nothing(self) -> Proof:
        """Return what is proved where a solver found nothing."""

    @abstractmethod
    def bounds(self, proof: Proof) -> tuple[float, float]:
        """Return the bounds on K that a proof of this problem proves."""

    def rate(self, column_value: FloatArray) -> float:
        """Return K of a solution."""
        return max(float(column_value[-1]), 0.0) * self.rate_unit
