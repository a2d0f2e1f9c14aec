"""The linear program over the paths of some demands, while all others keep their split.

Each demand has a *key*, a fixed split over its paths, which carries what its other paths leave.  So a demand needs
neither row nor column until it gets another path.  Columns: K; then the amount ``y_p`` on each such path p.  Rows, per
unit of the mean demand, where ``a_lj`` is the part of demand j that its key sends over link l:

    K sum_j d_j a_lj + sum_p y_p ([l on p] - a_lj(p)) <= c_l    for each link l; dual: length
    K d_j - sum_{p of j} y_p >= 0                               for each demand j with such a path

Generalised upper bounds: G. B. Dantzig, R. M. Van Slyke (1967).
"""

from __future__ import annotations

import numpy as np

from pnet_lp.model.arrays import BoolArray, FloatArray, floats
from pnet_lp.model.flow import FlowProblem
from pnet_lp.throughput.problems.program import LinearProgram, compressed_columns
from pnet_lp.throughput.rerouting.keys import Keys
from pnet_lp.throughput.rerouting.paths import Index, Paths
from pnet_lp.throughput.solvers.highs import CONVERGED, array_of, pass_model, set_options, silent

SOLVER = "highs-simplex"

STEPS = 2_000
"""Steps of the simplex method: where many links limit, as in a random graph, they are more, and a solve from nothing is
sooner."""

_ROUNDING = 1e-12
"""Parts of demands, and of the largest length, that are none."""


class Program:
    """The program in HiGHS.

    Attributes:
        paths: those of its columns but the first.
        steps: of the simplex method, so far.
    """

    def __init__(self, flow: FlowProblem, load: FloatArray) -> None:
        """Begin with all demands on their keys, which load the links by ``load``, float64 ``[L]``, at K = 1."""
        unit = float(flow.demand.mean())
        self.paths, self.steps = Paths.of([], []), 0
        self._weight, self._links = flow.demand / unit, len(load)
        self._row = np.full(len(flow.demand), -1)
        self._highs = silent()
        options = {"presolve": "off", "solver": "simplex", "threads": 1, "simplex_iteration_limit": STEPS}
        # From the slack basis on every basis is feasible: paths are only added.
        tolerances = {f"{side}_feasibility_tolerance": 1e-9 for side in ("primal", "dual")}
        set_options(self._highs, {**options, **tolerances, "simplex_strategy": 4})
        used = np.flatnonzero(load)
        lp = LinearProgram(
            cost=np.array([-1.0]),
            start=np.array([0, len(used)], dtype=np.int32),
            index=used.astype(np.int32),
            value=floats(load[used] / unit),
            row_lower=np.full(len(load), -np.inf),
            row_upper=floats(flow.link_capacity / unit),
        )
        pass_model(self._highs, lp)

    def add(self, keys: Keys, paths: Paths) -> None:
        """Add paths, with the rows of their demands."""
        count = len(paths.owner)
        if not count:
            return
        self.paths += paths
        new = np.unique(paths.owner[self._row[paths.owner] < 0])
        self._row[new] = self._highs.getNumRow() + np.arange(len(new))
        if len(new):
            begins, columns = np.arange(len(new), dtype=np.int32), np.zeros(len(new), dtype=np.int32)
            least, most = np.zeros(len(new)), np.full(len(new), np.inf)
            self._highs.addRows(len(new), least, most, len(new), begins, columns, self._weight[new])
        demands, column = np.unique(paths.owner, return_inverse=True)
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        own = sp.csc_array((np.ones(len(paths.link)), paths.link, paths.ptr), shape=(self._links, count))
        differ = (own - keys.columns(demands)[:, column]).tocoo()
        used = np.abs(differ.data) > _ROUNDING
        index = np.concatenate([differ.coords[0][used], self._row[paths.owner]])
        value = floats(np.concatenate([differ.data[used], np.full(count, -1.0)]))
        column = np.concatenate([differ.coords[1][used], np.arange(count)])
        start, index, value = compressed_columns(index, column, value, count)
        least, most = np.zeros(count), np.full(count, np.inf)
        self._highs.addCols(count, np.zeros(count), least, most, len(index), start[:-1], index, value)

    def users(self, links: BoolArray) -> Index:
        """Return the demands that have a path over one of these links."""
        return np.unique(self.paths.owner[self.paths.of_links(links) > 0])

    def run(self) -> tuple[FloatArray, FloatArray] | None:
        """Return an optimum: the part of its demand on each path, and lengths ``[L]``; None where it is not reached."""
        highs = self._highs
        highs.run()
        self.steps += int(highs.getInfo().simplex_iteration_count)
        if highs.modelStatusToString(highs.getModelStatus()) not in CONVERGED:
            return None
        solution = highs.getSolution()
        value = array_of(solution.col_value)
        share = np.maximum(value[1:], 0.0) / (value[0] * self._weight[self.paths.owner])
        length = -array_of(solution.row_dual)[: self._links]
        # What is left of rounding would be a length of links that limit nothing.
        return floats(share), floats(np.where(length > _ROUNDING * length.max(), length, 0.0))
