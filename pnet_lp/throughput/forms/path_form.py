"""The path form: a variable for each path, or, where the split is fixed, for each demand.

Columns: the flow on each path, in the order of the problem; last, K.  Rows, in this order, the last ones with the
weights and limits of the :class:`Head`:

    sum over paths n of usage[l, n] flow_n <= c_l               for each link l that a path uses and that limits; dual:
                                                                length
    lower_j <= sum of the flow on the paths of j - K w_j <= upper_j     for each demand j
"""

from __future__ import annotations

import numpy as np

from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.throughput.forms.linear_program import MAX_ENTRIES, Form, Head, LinearProgram
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.proof import PathProof, Proof
from pnet_lp.throughput.split_problem import SplitProblem


class PathForm(Form):
    """A :class:`PathProblem` or a :class:`SplitProblem` as a linear program.

    Flows are counted in units of the mean demand at the K of an even split, and the cost makes lengths come out near
    1, so that a solver's absolute tolerances mean about the same for every network.
    """

    problem: PathProblem | SplitProblem

    def __init__(self, problem: PathProblem | SplitProblem, head: Head | None = None) -> None:
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        usage = problem.usage
        if (entries := usage.nnz + problem.flow_variables + problem.demand_count) > MAX_ENTRIES:
            raise SolverError(
                f"{entries:,} entries are too many for a linear program with 32-bit indices",
                allowed="--solver structured, or fewer paths",
            )
        self.problem = problem
        self.head = head = Head.concurrent(problem.flow) if head is None else head
        lower, _ = problem.bounds(self.nothing())
        self.rate_unit = min(lower, head.rate_scale)
        self.flow_unit = flow_unit = self.rate_unit * float(problem.flow.demand.mean())
        used = np.zeros(len(problem.capacity), dtype=bool)
        used[usage.indices] = True
        self._link = np.flatnonzero(used)
        row = np.cumsum(used) - 1
        links, paths, demands = len(self._link), problem.flow_variables, problem.demand_count
        over_links = sp.csc_array((usage.data, row[usage.indices], usage.indptr), shape=(links, paths))
        over_links.sort_indices()
        of_demand = sp.csc_array(
            (np.ones(paths), problem.demand_of_path, np.arange(paths + 1)), shape=(demands, paths)
        )
        rate = sp.csc_array((-head.weight * (self.rate_unit / flow_unit))[:, None])
        nothing = sp.csc_array((links, 1))
        matrix = sp.csc_array(sp.block_array([[over_links, nothing], [of_demand, rate]]))
        matrix.sort_indices()
        arcs = np.zeros(len(problem.capacity))
        arcs[: len(head.arc_cost)] = head.arc_cost
        self.lp = LinearProgram(
            cost=np.concatenate(
                [
                    usage.T @ arcs + head.served_cost[problem.demand_of_path],
                    [head.rate_cost * (self.rate_unit / flow_unit)],
                ]
            ),
            start=matrix.indptr.astype(np.int32),
            index=matrix.indices.astype(np.int32),
            value=matrix.data,
            row_lower=np.concatenate([np.full(links, -np.inf), head.lower / flow_unit]),
            row_upper=np.concatenate([problem.capacity[self._link] / flow_unit, head.upper / flow_unit]),
        )

    @staticmethod
    def size(problem: PathProblem | SplitProblem) -> tuple[int, int]:
        """Return rows and columns, without building any: every link counts."""
        return len(problem.capacity) + problem.demand_count, problem.flow_variables + 1

    def proof(
        self,
        column_value: FloatArray,
        row_dual: FloatArray,
        served: FloatArray | None = None,  # noqa: ARG002 - a split is that of any amount
    ) -> PathProof:
        """See :meth:`Form.proof`."""
        length = self._length(row_dual)
        if not np.any(length > 0):
            # On the way of a simplex method all duals can be zero, which proves nothing.
            length = self.problem.lengths(self.nothing())
        return self.problem.proof(np.maximum(column_value[:-1], 0.0), length)

    def served(self, column_value: FloatArray) -> FloatArray:
        """See :meth:`Form.served`."""
        flow = np.maximum(column_value[:-1], 0.0) * self.flow_unit
        return floats(
            np.bincount(self.problem.demand_of_path, weights=flow, minlength=self.problem.demand_count)
        )

    def lengths(self, row_dual: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """See :meth:`Form.lengths`."""
        proof = self.problem.proof(np.zeros(self.problem.flow_variables), self._length(row_dual))
        return proof.length, proof.up_length, proof.down_length

    def nothing(self) -> PathProof:
        """Even splits, and lengths by which all links cost the same."""
        problem = self.problem
        return problem.proof(np.ones(problem.flow_variables), 1.0 / problem.capacity)

    def bounds(self, proof: Proof) -> tuple[float, float]:
        """See :meth:`Form.bounds`."""
        assert isinstance(proof, PathProof)
        return self.problem.bounds(proof)

    def _length(self, row_dual: FloatArray) -> FloatArray:
        length = np.zeros(len(self.problem.capacity))
        length[self._link] = np.maximum(-row_dual[: len(self._link)], 0.0)
        return length
