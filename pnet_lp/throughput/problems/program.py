"""A linear program in compressed columns, as general solvers take it, and what a problem's form has to offer."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
import numpy.typing as npt

from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.throughput.problems.proof import Attained, P

if TYPE_CHECKING:
    import scipy.sparse as sp

MAX_ENTRIES = 2**31 - 1


@brief()
@dataclass(frozen=True, eq=False, repr=False)
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


def compressed_columns(
    row: npt.NDArray[np.int64], column: npt.NDArray[np.int64], value: FloatArray, width: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], FloatArray]:
    """Return a matrix of ``width`` columns as ``(start, index, value)``; entries of one place are added up.

    They are added in the order given, so that the sums are the same on every machine.
    """
    order = np.lexsort((row, column))
    row, column, value = row[order], column[order], value[order]
    first = np.ones(len(row), dtype=bool)
    first[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
    start = np.zeros(width + 1, dtype=np.int32)
    np.cumsum(np.bincount(column[first], minlength=width), out=start[1:])
    return start, row[first].astype(np.int32), floats(np.bincount(np.cumsum(first) - 1, weights=value))


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class ProgramGoal:
    """What an objective adds to the body of a program, which is what links carry.

    The body has the flows of ``J`` demands on links, ``served_j`` being what demand j gets.  The goal adds the rate K,
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
    def of(cls, problem: FlowProblem, **changed: Any) -> ProgramGoal:
        """Return the goal that asks for nothing, serves nothing and costs nothing, with some fields ``changed``."""
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
    def concurrent(cls, problem: FlowProblem) -> ProgramGoal:
        """Return that of maximum concurrent flow: every demand gets K times what it asks."""
        return cls.of(problem, weight=problem.demand, rate_cost=-float(problem.demand.sum()))

    @property
    def fixes(self) -> bool:
        """Whether K alone says what every demand gets."""
        return bool(np.array_equal(self.lower, self.upper))


@dataclass(frozen=True)
class Labels:
    """Names by the indices of a problem, for files.

    Attributes:
        switch: of each switch of each plane.
        arc: of each arc: plane, tail and head.
        endpoint: of each endpoint.
        demand: of each demand: source and destination.
    """

    switch: list[list[str]]
    arc: list[str]
    endpoint: list[str]
    demand: list[str]

    def access(self, kind: str, links: Iterable[int]) -> Iterator[str]:
        """Yield names of the rows of access links, given as places in ``[P, E]``."""
        for link in links:
            plane, endpoint = divmod(link, len(self.endpoint))
            yield f"{kind}({plane},{self.endpoint[endpoint]})"


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class LpSolution:
    """A primal and a dual solution, feasible and optimal up to tolerances; all of it is judged by what it proves.

    Attributes:
        column_value: float64 ``[columns]``, or None where the solver found none.
        row_dual: float64 ``[rows]``, those of ``<=`` rows <= 0 in a minimisation; or None.
        iterations: in the solver's own unit; 0 where it does not say.
        stopped: empty where the method met its own criteria, else what ended it, such as ``time limit reached``.
    """

    column_value: FloatArray | None
    row_dual: FloatArray | None
    iterations: int
    stopped: str = ""


class ConcurrentForm(ABC, Generic[P]):
    """Maximum concurrent flow written as a linear program, and the proof in its solutions."""

    @property
    @abstractmethod
    def lp(self) -> LinearProgram:
        """The program; SolverError where it has more entries than 32-bit indices can count."""

    @abstractmethod
    def proof(self, value: FloatArray, dual: FloatArray) -> P:
        """Return what a primal and a dual solution prove of K.

        Args:
            value: float64 ``[columns]``.
            dual: float64 ``[rows]``; those of ``<=`` rows are <= 0.
        """


class Form(ConcurrentForm[P]):
    """A problem written as a linear program of any objective, and what its solutions mean.

    Attributes:
        flow: links and demands.
        goal: the objective in it.
        rate_unit: the value of K in Gb/s per unit demand that 1 in the last column stands for.
        flow_unit: the Gb/s that 1 in the other columns stands for.
    """

    flow: FlowProblem
    goal: ProgramGoal
    rate_unit: float
    flow_unit: float

    @abstractmethod
    def attain(self, value: FloatArray, dual: FloatArray, rate: FloatArray) -> Attained:
        """Return ``rate`` ``[J]``, carried along the flow of a solution and scaled down until everything fits.

        Raises:
            SolverError: the solution proves nothing, such as one with a NaN.
        """

    @abstractmethod
    def served(self, value: FloatArray) -> FloatArray:
        """Return float64 ``[J]``: what each demand gets in a solution, Gb/s, >= 0."""

    @abstractmethod
    def lengths(self, dual: FloatArray) -> Lengths:
        """Return the lengths in a dual solution, per Gb/s, >= 0."""

    @abstractmethod
    def column_names(self, labels: Labels) -> Iterator[str]:
        """Yield a name for each column, for files."""

    @abstractmethod
    def row_names(self, labels: Labels) -> Iterator[str]:
        """Yield a name for each row, for files."""

    def rate(self, value: FloatArray) -> float:
        """Return K of a solution."""
        return max(float(value[-1]), 0.0) * self.rate_unit
