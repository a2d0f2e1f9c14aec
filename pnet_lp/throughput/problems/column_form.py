"""The path form: a variable for each path, or, where the split is fixed, for each demand.

Columns: the flow on each path, in the order of the problem; last, K.  Rows, in this order, the last ones with the
weights and limits of the :class:`ProgramGoal`:

    sum over paths n of usage[l, n] flow_n <= c_l               for each link l that a path uses and that limits; dual:
                                                                length
    lower_j <= sum of the flow on the paths of j - K w_j <= upper_j     for each demand j
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from pnet_lp.errors import SolverError
from pnet_lp.model import PathCertificate
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.flow import Lengths
from pnet_lp.throughput.problems.base import ColumnProblem, joined
from pnet_lp.throughput.problems.program import MAX_ENTRIES, Form, Labels, LinearProgram, ProgramGoal
from pnet_lp.throughput.problems.proof import Attained

_LEAST_UNIT = 1e-15
"""Of what a demand has to get: in smaller units, HiGHS takes it for infinite, which 1e20 is to it."""


class ColumnForm(Form[PathCertificate]):
    """A :class:`ColumnProblem` as a linear program.

    Flows are counted in units of the mean demand at the K of an even split, and the cost makes lengths come out near
    1, so that a solver's absolute tolerances mean about the same for every network.
    """

    def __init__(self, problem: ColumnProblem, goal: ProgramGoal | None = None) -> None:
        usage = problem.usage
        self.problem = problem
        self.flow = flow = problem.flow
        self.goal = goal = ProgramGoal.concurrent(flow) if goal is None else goal
        lower, _ = problem.bounds(problem.nothing())
        served = float((goal.lower / flow.demand).max())
        self.rate_unit = max(min(lower, goal.rate_scale), _LEAST_UNIT * served)
        self.flow_unit = self.rate_unit * float(flow.demand.mean())
        used = np.zeros(len(flow.link_capacity), dtype=bool)
        used[usage.indices] = True
        self._link = np.flatnonzero(used)

    @property
    def column_cost(self) -> FloatArray:
        """float64 ``[N]``: what a Gb/s in each column costs by the goal."""
        arcs = np.zeros(len(self.flow.link_capacity))
        arcs[: len(self.goal.arc_cost)] = self.goal.arc_cost
        return floats(self.problem.usage.T @ arcs + self.goal.served_cost[self.problem.demand_of_column])

    @cached_property
    def lp(self) -> LinearProgram:
        """The program.

        Raises:
            SolverError: it has more entries than 32-bit indices can count.
        """
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        problem, flow, goal, usage = self.problem, self.flow, self.goal, self.problem.usage
        if (entries := usage.nnz + problem.flow_variables + problem.demand_count) > MAX_ENTRIES:
            raise SolverError(
                f"{entries:,} entries are too many for a linear program with 32-bit indices",
                allowed="fewer paths, a smaller network",
            )
        links, paths, demands = len(self._link), problem.flow_variables, problem.demand_count
        row = np.zeros(len(flow.link_capacity), dtype=np.int64)
        row[self._link] = np.arange(links)
        over_links = sp.csc_array((usage.data, row[usage.indices], usage.indptr), shape=(links, paths))
        over_links.sort_indices()
        of_demand = sp.csc_array(
            (np.ones(paths), problem.demand_of_column, np.arange(paths + 1)), shape=(demands, paths)
        )
        scale = self.rate_unit / self.flow_unit
        rate = sp.csc_array((-goal.weight * scale)[:, None])
        nothing = sp.csc_array((links, 1))
        matrix = sp.csc_array(sp.block_array([[over_links, nothing], [of_demand, rate]]))
        matrix.sort_indices()
        return LinearProgram(
            cost=np.append(self.column_cost, goal.rate_cost * scale),
            start=matrix.indptr.astype(np.int32),
            index=matrix.indices.astype(np.int32),
            value=matrix.data,
            row_lower=np.concatenate([np.full(links, -np.inf), goal.lower / self.flow_unit]),
            row_upper=np.concatenate([flow.link_capacity[self._link] / self.flow_unit, goal.upper / self.flow_unit]),
        )

    def as_solution(self, weight: FloatArray, length: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the primal and the dual solution in parts ``[N]`` of demands and lengths ``[L]``."""
        flow = weight * self.goal.upper[self.problem.demand_of_column] / self.flow_unit
        dual = np.append(-length[self._link], np.zeros(self.problem.demand_count))
        return np.append(flow, 0.0), dual

    def proof(self, value: FloatArray, dual: FloatArray) -> PathCertificate:
        """See :meth:`Form.proof`."""
        length = self._length(dual)
        if not np.any(length > 0):
            # Before the optimum all duals of a simplex method can be zero, which proves nothing.
            length = joined(self.problem.nothing().lengths)
        return self.problem.proof(np.maximum(value[:-1], 0.0), length)

    def attain(self, value: FloatArray, dual: FloatArray, rate: FloatArray) -> Attained:
        """See :meth:`Form.attain`."""
        del dual
        return self.problem.attain(value[:-1], rate)

    def served(self, value: FloatArray) -> FloatArray:
        """See :meth:`Form.served`."""
        flow = np.maximum(value[:-1], 0.0) * self.flow_unit
        owner = self.problem.demand_of_column
        return floats(np.bincount(owner, weights=flow, minlength=self.problem.demand_count))

    def lengths(self, dual: FloatArray) -> Lengths:
        """See :meth:`Form.lengths`."""
        return self.problem.proof(np.zeros(self.problem.flow_variables), self._length(dual)).lengths

    def column_names(self, labels: Labels) -> Iterator[str]:
        """See :meth:`Form.column_names`."""
        columns = np.bincount(self.problem.demand_of_column, minlength=self.problem.demand_count)
        for demand, count in zip(labels.demand, columns.tolist(), strict=True):
            for i in range(count):
                yield f"path({demand},{i})"
        yield "K"

    def row_names(self, labels: Labels) -> Iterator[str]:
        """See :meth:`Form.row_names`."""
        arcs, access = len(labels.arc), self.flow.attach.size
        used = self._link
        for arc in used[used < arcs].tolist():
            yield f"link({labels.arc[arc]})"
        yield from labels.access("up", (used[(used >= arcs) & (used < arcs + access)] - arcs).tolist())
        yield from labels.access("down", (used[used >= arcs + access] - arcs - access).tolist())
        for demand in labels.demand:
            yield f"demand({demand})"

    def _length(self, dual: FloatArray) -> FloatArray:
        length = np.zeros(len(self.flow.link_capacity))
        length[self._link] = np.maximum(-dual[: len(self._link)], 0.0)
        # Rows of two arcs that are one link are equal, and a solver may price one of them alone.
        arcs = len(self.flow.tail)
        length[:arcs] = self.flow.tied(length[:arcs])
        return length
