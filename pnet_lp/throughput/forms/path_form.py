"""The path form: a variable for each path.

Columns: the flow on each path, in the order of the problem; last, K.  Rows, in this order:

    sum of the flow on the paths over l <= c_l     for each link l that a path uses and that limits; dual: length
    sum of the flow on the paths of j - K d_j = 0  for each demand j
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.forms.linear_program import MAX_ENTRIES, Form, LinearProgram
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.proof import PathProof, Proof


class PathForm(Form):
    """A :class:`PathProblem` as a linear program.

    Flows are counted in units of the mean demand at the K of an even split, and the cost makes lengths come out near
    1, so that a solver's absolute tolerances mean about the same for every network.
    """

    def __init__(self, problem: PathProblem) -> None:
        pointer, link = problem.path_link
        if (entries := len(link) + problem.flow_variables + problem.demand_count) > MAX_ENTRIES:
            raise SolverError(
                f"{entries:,} entries are too many for a linear program with 32-bit indices",
                allowed="--solver structured, or fewer paths",
            )
        self.problem = problem
        lower, _ = problem.bounds(self.nothing())
        self.rate_unit = lower
        demand = problem.flow.demand
        flow_unit = self.rate_unit * float(demand.mean())
        used = np.zeros(len(problem.capacity), dtype=bool)
        used[link] = True
        self._link = np.flatnonzero(used)
        row = np.cumsum(used) - 1
        links, paths, demands = len(self._link), problem.flow_variables, problem.demand_count
        over_links = sp.csc_array((np.ones(len(link)), row[link], pointer), shape=(links, paths))
        over_links.sort_indices()
        of_demand = sp.csc_array(
            (np.ones(paths), problem.paths.pair_of_path, np.arange(paths + 1)), shape=(demands, paths)
        )
        rate = sp.csc_array((-demand * (self.rate_unit / flow_unit))[:, None])
        nothing = sp.csc_array((links, 1))
        matrix = sp.csc_array(sp.block_array([[over_links, nothing], [of_demand, rate]]))
        matrix.sort_indices()
        cost = np.zeros(paths + 1)
        cost[-1] = -float(demand.sum()) * (self.rate_unit / flow_unit)
        self.lp = LinearProgram(
            cost=cost,
            start=matrix.indptr.astype(np.int32),
            index=matrix.indices.astype(np.int32),
            value=matrix.data,
            row_lower=np.concatenate([np.full(links, -np.inf), np.zeros(demands)]),
            row_upper=np.concatenate([problem.capacity[self._link] / flow_unit, np.zeros(demands)]),
        )

    @staticmethod
    def size(problem: PathProblem) -> tuple[int, int]:
        """Return rows and columns, without building any: every link counts."""
        return len(problem.capacity) + problem.demand_count, problem.flow_variables + 1

    def proof(self, column_value: FloatArray, row_dual: FloatArray) -> Proof:
        """See :meth:`Form.proof`."""
        length = np.zeros(len(self.problem.capacity))
        length[self._link] = np.maximum(-row_dual[: len(self._link)], 0.0)
        found = self.problem.proof(np.maximum(column_value[:-1], 0.0), length)
        return found if np.any(length > 0) else self._with_lengths_of(found)

    def nothing(self) -> PathProof:
        """Even splits, and lengths by which all links cost the same."""
        problem = self.problem
        return problem.proof(np.ones(problem.flow_variables), 1.0 / problem.capacity)

    def bounds(self, proof: Proof) -> tuple[float, float]:
        """See :meth:`Form.bounds`."""
        assert isinstance(proof, PathProof)
        return self.problem.bounds(proof)

    def _with_lengths_of(self, found: PathProof) -> PathProof:
        # On the way of a simplex method all duals can be zero, which proves nothing.
        return self.problem.proof(found.weight, self.problem.lengths(self.nothing()))
