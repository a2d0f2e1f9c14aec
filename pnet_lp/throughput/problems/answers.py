"""What solvers say to a goal without a rate: how much each demand gets, along which flow, and the lengths of links."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from pnet_lp import _core
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.throughput.problems.arc_form import carried
from pnet_lp.throughput.problems.base import ColumnProblem, separated
from pnet_lp.throughput.problems.program import Form
from pnet_lp.throughput.problems.proof import Attained


class Answer(ABC):
    """A flow and lengths, feasible and optimal only up to tolerances."""

    @abstractmethod
    def attain(self, rate: FloatArray) -> Attained:
        """Return ``rate`` ``[J]``, carried along the flow and scaled down until everything fits.

        Raises:
            SolverError: the answer proves nothing, such as one with a NaN.
        """

    @abstractmethod
    def served(self) -> FloatArray:
        """Return float64 ``[J]``: what each demand gets, Gb/s, >= 0."""

    @abstractmethod
    def lengths(self) -> Lengths:
        """Return the lengths, per Gb/s, >= 0."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class ProgramAnswer(Answer):
    """The solution of a linear program.

    Attributes:
        form: the program.
        value, dual: its primal and its dual solution.
    """

    form: Form
    value: FloatArray
    dual: FloatArray

    def attain(self, rate: FloatArray) -> Attained:
        """See :meth:`Answer.attain`."""
        return self.form.attain(self.value, self.dual, rate)

    def served(self) -> FloatArray:
        """See :meth:`Answer.served`."""
        return self.form.served(self.value)

    def lengths(self) -> Lengths:
        """See :meth:`Answer.lengths`."""
        return self.form.lengths(self.dual)


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class FlowAnswer(Answer):
    """A flow over any path that was found without a program.

    Attributes:
        flow: links and demands.
        proof: the flow, as fractions, and the lengths.
        part: float64 ``[J]``, the part of each demand that is served.
        least: float64 ``[J]``, what each demand has to get, Gb/s.
    """

    flow: FlowProblem
    proof: _core.Proof
    part: FloatArray
    least: FloatArray

    def attain(self, rate: FloatArray) -> Attained:
        """See :meth:`Answer.attain`."""
        return carried(self.flow, rate, self.least, lambda _: self.proof)

    def served(self) -> FloatArray:
        """See :meth:`Answer.served`."""
        return floats(self.part * self.flow.demand)

    def lengths(self) -> Lengths:
        """See :meth:`Answer.lengths`."""
        return floats(self.proof.length), floats(self.proof.up_length), floats(self.proof.down_length)


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class SplitAnswer(Answer):
    """A flow over given paths that was found without a program.

    Attributes:
        problem: links, demands and paths.
        amount: float64 ``[N]``, Gb/s on each path.
        length: float64 ``[L]``, per Gb/s.
    """

    problem: ColumnProblem
    amount: FloatArray
    length: FloatArray

    def attain(self, rate: FloatArray) -> Attained:
        """See :meth:`Answer.attain`."""
        return self.problem.attain(self.amount, rate)

    def served(self) -> FloatArray:
        """See :meth:`Answer.served`."""
        problem = self.problem
        return floats(np.bincount(problem.demand_of_column, weights=self.amount, minlength=problem.demand_count))

    def lengths(self) -> Lengths:
        """See :meth:`Answer.lengths`."""
        return separated(self.problem.flow, self.length)
