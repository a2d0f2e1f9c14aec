"""The levels of max-min fairness over given columns: one program after the other, each from the basis of the last.

The level t of all free demands grows while the others keep their rates.  Where it ends is a feasible point of the next
program, in which the demands that are stuck no longer depend on t: the primal simplex goes on from there, and needs
some dozens of steps where a solve from nothing needs thousands.  The column of t leaves the basis for the row of a
demand that is stuck.

Where hundreds of demands are stuck together the simplex hardly moves.  An interior point does not see what is
degenerate, and ends in seconds; crossover makes a basis of where it ends.

Every later solution is one of this level as well, so by complementary slackness it has nothing on columns that are
longer than a shortest one of their demand: they are closed for good.  Later lengths, which need not see them, become
lengths for all columns once enough of those that closed them is added.  That changes no bound, as long as it is tight.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray
from pnet_lp.model.brief import brief
from pnet_lp.model.paths import OffsetArray
from pnet_lp.throughput.problems.columns import ColumnProblem
from pnet_lp.throughput.problems.program import LinearProgram, LpSolution
from pnet_lp.throughput.solvers.base import SolveOptions
from pnet_lp.throughput.solvers.general import Limits, Watch, attended
from pnet_lp.throughput.solvers.highs import (
    FAILED,
    HighsSimplex,
    accept,
    array_of,
    highspy_module,
    model_of,
    set_options,
    silent,
)

_LONGER = 1e-3
"""A column is closed where it is longer than a shortest one by this part of the longest length."""

_NOTHING = 1e-9
"""Of a column that carries this part of a mean demand at an even split, or less, nothing is lost when it is closed."""

_FEASIBILITY = 1e-10

_PAIRS = 1 << 18
"""Pairs of links that share a column are looked at so many at a time, or those of one link: 40 bytes each."""

_ANY_NUMBER = 2**31 - 1
"""What HiGHS takes for no limit of steps."""

_STEPS_PER_ROW = 1
"""After so many steps of the simplex for each row it has stalled: most levels take some hundreds in all."""

_DUAL, _PRIMAL = 1, 4
"""What HiGHS calls the simplex methods."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class LevelFound:
    """Where a level ends.

    Attributes:
        flow: float64 ``[N]``, Gb/s in each column.
        rate: Gb/s per unit demand that every free demand gets.
        length: float64 ``[L]``, lengths of links that prove the level.
        distance: float64 ``[J]``, of each demand's shortest column by them.
        volume: sum of capacity times length over all links.
        iterations: of this solve.
        stopped: empty where the level was solved, else what ended it.
        interrupted: whether the user did.
    """

    flow: FloatArray
    rate: float
    length: FloatArray
    distance: FloatArray
    volume: float
    iterations: int
    stopped: str
    interrupted: bool


@dataclass(frozen=True)
class _Wall:
    """Lengths by which columns were closed: of ``link``, those that have one; few do."""

    link: IntArray
    length: FloatArray


class Levels:
    """The program of one level after the other.

    Args:
        problem: the columns of each demand, all of a demand after each other.
        solver: the simplex.
        free: bool ``[J]``, the demands whose level grows.
        rate: float64 ``[J]``, Gb/s that the others get.
        crossing: whether an interior point and crossover find the first basis, and another one where the simplex
            stalls.
    """

    def __init__(
        self,
        problem: ColumnProblem,
        solver: HighsSimplex,
        free: BoolArray,
        rate: FloatArray,
        *,
        crossing: bool,
    ) -> None:
        flow, usage = problem.flow, problem.usage
        self._solver, self._usage = solver, usage
        self._capacity, self._demand = flow.link_capacity, flow.demand
        self._owner = problem.demand_of_column
        self._first = np.searchsorted(self._owner, np.arange(len(flow.demand)))
        even, _ = problem.bounds(problem.nothing())
        self._rate_unit, self._flow_unit = even, even * float(flow.demand.mean())
        self._closed = np.zeros(usage.shape[1], dtype=bool)
        self._wall_of = np.full(usage.shape[1], -1)
        self._excess = np.zeros(usage.shape[1])
        self._walls: list[_Wall] = []
        self._find_bounds(usage)
        self._highs = self._model(usage)
        self._crossing, self._begun = crossing, False
        self._steps = _STEPS_PER_ROW * (len(self._link) + len(self._demand))
        self._fix(np.flatnonzero(~free), rate)

    def solve(self, options: SolveOptions, iterations: int) -> LevelFound:
        """Return where the level ends, after ``iterations`` of earlier ones.

        Raises:
            SolverError: the solver failed.
        """
        found, interrupted = self._attend(options, iterations, crossing=self._crossing and not self._begun)
        self._begun = True
        done = found.iterations
        if self._crossing and done == self._steps and found.stopped and not interrupted:
            found, interrupted = self._attend(options, iterations + done, crossing=True)
            done += found.iterations
        if found.column_value is None or found.row_dual is None:
            raise SolverError(f"{self._solver.name}: {found.stopped or 'no solution'}")
        value = found.column_value
        length = self._lifted(found.row_dual)
        return LevelFound(
            flow=np.maximum(value[:-1], 0.0) * self._flow_unit,
            rate=max(float(value[-1]), 0.0) * self._rate_unit,
            length=length,
            distance=self.distances(length),
            volume=float((self._capacity[length > 0] * length[length > 0]).sum()),
            iterations=done,
            stopped=found.stopped,
            interrupted=interrupted,
        )

    def distances(self, length: FloatArray) -> FloatArray:
        """Return float64 ``[J]``: the length of each demand's shortest column, open or closed."""
        return np.minimum.reduceat(self._usage.T @ length, self._first)

    def hold(self, stuck: BoolArray, rate: FloatArray, found: LevelFound, most: int) -> None:
        """Let demands keep their rates from now on, and close the columns that no later solution can use.

        Args:
            stuck: bool ``[J]``, which.
            rate: float64 ``[J]``, Gb/s, of those.
            found: where the level ended.
            most: the one of them that has the largest part in its bound.
        """
        highs, status = self._highs, highspy_module().HighsBasisStatus
        columns, links = len(self._owner), len(self._link)
        basis = highs.getBasis()
        of_columns, of_rows = basis.col_status, basis.row_status
        if of_columns[columns] != status.kBasic or of_rows[links + most] == status.kBasic:
            raise SolverError("the level is at a bound of its own")
        of_columns[columns], of_rows[links + most] = status.kLower, status.kBasic
        self._fix(np.flatnonzero(stuck), rate)
        highs.changeColBounds(columns, found.rate / self._rate_unit, math.inf)
        self._close(found)
        basis.col_status, basis.row_status = of_columns, of_rows
        accept(highs.setBasis(basis), "the basis of the level before")

    def _fix(self, demands: IntArray | OffsetArray, rate: FloatArray) -> None:
        columns, links = len(self._owner), len(self._link)
        for j in demands.tolist():
            self._highs.changeCoeff(links + j, columns, 0.0)
            self._highs.changeRowBounds(links + j, rate[j] / self._flow_unit, rate[j] / self._flow_unit)

    def _find_bounds(self, usage: sp.csc_array) -> None:
        """Find the links that one column uses alone: they are bounds of columns, of which the narrowest counts."""
        rows = usage.tocsr()
        count = np.diff(rows.indptr)
        alone = np.flatnonzero((count == 1) & np.isfinite(self._capacity))
        column, part = rows.indices[rows.indptr[alone]], rows.data[rows.indptr[alone]]
        bound = self._capacity[alone] / part
        order = np.argsort(-bound, kind="stable")
        self._most = np.full(usage.shape[1], np.inf)
        self._limit = np.full(usage.shape[1], -1)
        self._most[column[order]], self._limit[column[order]] = bound[order], alone[order]
        self._limit_part = np.ones(usage.shape[1])
        self._limit_part[column[order]] = part[order]
        shared = np.flatnonzero((count > 1) & np.isfinite(self._capacity))
        # A program with fewer rows takes as many steps, but shorter ones.
        self._link = shared[~implied(sp.csr_array(rows[shared]), self._capacity[shared])]

    def _model(self, usage: sp.csc_array) -> Any:
        columns, demands, links = usage.shape[1], len(self._demand), len(self._link)
        of_demand = sp.csr_array(
            (np.ones(columns), (self._owner, np.arange(columns))), shape=(demands, columns)
        )
        rate = sp.csr_array((-self._demand * (self._rate_unit / self._flow_unit))[:, None])
        shared = sp.csr_array(usage.tocsr()[self._link])
        matrix = sp.csc_array(sp.block_array([[shared, sp.csr_array((links, 1))], [of_demand, rate]]))
        matrix.sort_indices()
        lp = LinearProgram(
            cost=np.append(np.zeros(columns), -1.0),
            start=matrix.indptr.astype(np.int32),
            index=matrix.indices.astype(np.int32),
            value=matrix.data,
            row_lower=np.append(np.full(links, -np.inf), np.zeros(demands)),
            row_upper=np.append(self._capacity[self._link] / self._flow_unit, np.zeros(demands)),
        )
        model = model_of(lp)
        model.col_upper_ = np.append(self._most / self._flow_unit, np.inf)
        highs = silent()
        options = {
            "run_crossover": "on",
            "presolve": "off",
            "primal_feasibility_tolerance": _FEASIBILITY,
            "dual_feasibility_tolerance": _FEASIBILITY,
            # All entries are near 1 already.  A step here is mostly between bounds that are met at once: moved far
            # apart they cost steps to come back, and not moved at all it is hard to get past them.
            "simplex_scale_strategy": 0,
            "primal_simplex_bound_perturbation_multiplier": 0.1,
        }
        set_options(highs, options)
        accept(highs.passModel(model), "the linear program")
        return highs

    def _attend(self, options: SolveOptions, iterations: int, *, crossing: bool) -> tuple[LpSolution, bool]:
        """Solve, by the simplex or by an interior point and crossover, and return whether the user interrupted it."""
        left = None if options.max_iterations is None else max(options.max_iterations - iterations, 0)
        if self._crossing and not crossing:
            left = self._steps if left is None else min(left, self._steps)
        limits = Limits(options.deadline.left_s(), left, 1)
        run = functools.partial(self._run, crossing, limits)
        return attended(run, self._solver, limits, lambda *_: True)

    def _run(self, crossing: bool, limits: Limits, watch: Watch) -> LpSolution:
        highs = self._highs
        if math.isfinite(limits.time_s):
            # The clock of HiGHS goes on from one run to the next.
            set_options(highs, {"time_limit": highs.getRunTime() + limits.time_s})
        most = _ANY_NUMBER if limits.iterations is None else limits.iterations
        set_options(highs, {"simplex_iteration_limit": most, "ipm_iteration_limit": most})
        set_options(highs, {"solver": "ipx" if crossing else "simplex"})
        if crossing:
            highs.clearSolver()
        for interrupt in (highs.cbSimplexInterrupt, highs.cbIpmInterrupt):
            interrupt.clear()
            interrupt.subscribe(lambda event: event.interrupt() if watch.stopped else None)
        highs.run()
        iterations = _iterations(highs)
        if crossing and highs.modelStatusToString(highs.getModelStatus()) == "Unknown":
            # What crossover rounded away takes some steps from its basis.
            set_options(highs, {"solver": "simplex", "simplex_strategy": _DUAL})
            highs.run()
            iterations += _iterations(highs)
        # The first program is solved from nothing, by the dual simplex; those after it go on.
        set_options(highs, {"simplex_strategy": _PRIMAL})
        status = highs.modelStatusToString(highs.getModelStatus())
        if status in FAILED or status == "Unknown":
            raise SolverError(f"{self._solver.name} failed on a problem that has a solution", found=status)
        solution = highs.getSolution()
        found = solution.value_valid and solution.dual_valid
        dual = np.concatenate([array_of(solution.row_dual), array_of(solution.col_dual)]) if found else None
        return LpSolution(
            column_value=array_of(solution.col_value) if found else None,
            row_dual=dual,
            iterations=iterations,
            stopped="" if status == "Optimal" else status.lower(),
        )

    def _lifted(self, dual: FloatArray) -> FloatArray:
        """Return the lengths ``[L]`` in the duals of rows and columns, under which closed columns are no shorter."""
        length = np.zeros(len(self._capacity))
        links = len(self._link)
        length[self._link] = np.maximum(-dual[:links], 0.0)
        reduced = dual[links + len(self._demand) : -1]
        full = np.flatnonzero((reduced < 0) & (self._limit >= 0) & ~self._closed)
        length[self._limit[full]] = -reduced[full] / self._limit_part[full]
        while True:
            cost = self._usage.T @ length
            distance = self._shortest(cost)
            short = np.flatnonzero(self._closed & (cost < distance[self._owner]))
            if not short.size:
                return length
            last = int(self._wall_of[short].max())
            wall = self._walls[last]
            mine = short[self._wall_of[short] == last]
            needed = (distance[self._owner[mine]] - cost[mine]) / self._excess[mine]
            # A hair more, so that rounding leaves none of them short.
            length[wall.link] += 1.000001 * float(needed.max()) * wall.length

    def _shortest(self, cost: FloatArray) -> FloatArray:
        """Return float64 ``[J]``: the least cost of each demand's open columns."""
        return np.minimum.reduceat(np.where(self._closed, np.inf, cost), self._first)

    def _close(self, found: LevelFound) -> None:
        """Close the columns that are longer than a shortest one of their demand, and empty."""
        cost = self._usage.T @ found.length
        distance = self._shortest(cost)
        excess = cost - distance[self._owner]
        longer = excess > _LONGER * found.length.max()
        shut: IntArray = np.flatnonzero(
            longer & ~self._closed & (found.flow <= _NOTHING * self._flow_unit)
        ).astype(np.int32)
        if shut.size:
            nothing = np.zeros(shut.size)
            self._highs.changeColsBounds(shut.size, shut, nothing, nothing)
            self._closed[shut] = True
            self._wall_of[shut] = len(self._walls)
            self._excess[shut] = excess[shut]
            link = np.flatnonzero(found.length > 0)
            self._walls.append(_Wall(link.astype(np.int32), found.length[link]))


def implied(usage: sp.csr_array, capacity: FloatArray) -> BoolArray:
    """Return bool ``[L]``: links that fit whenever another does, on which all of their columns weigh as much or more.

    Of links that are alike one is left.

    Args:
        usage: float64 ``[L, N]``, no link without a column.
        capacity: float64 ``[L]``, finite.
    """
    begin, count = usage.indptr[:-1], np.diff(usage.indptr)
    least = np.minimum.reduceat(usage.data, begin) / capacity
    most = np.maximum.reduceat(usage.data, begin) / capacity
    uses = sp.csr_array((np.ones(usage.nnz), usage.indices, usage.indptr), shape=usage.shape)
    users = sp.csr_array(uses.T)
    # Of dense traffic nearly all links share columns: a table of all pairs need not fit.
    pairs = np.cumsum(uses @ np.diff(users.indptr))
    _, first = np.unique(pairs // _PAIRS, return_index=True)
    implied = np.zeros(len(capacity), dtype=bool)
    for start, end in itertools.pairwise([*first.tolist(), len(capacity)]):
        both = sp.coo_array(uses[start:end] @ users)
        mine, other = both.coords
        mine = mine + start
        within = (both.data == count[mine]) & (most[mine] <= least[other]) & (mine != other)
        alike = (count[mine] == count[other]) & (most[other] <= least[mine])
        implied[mine[within & (~alike | (other < mine))]] = True
    return implied


def _iterations(highs: Any) -> int:
    """Return how many the last run took, of whichever method."""
    info = highs.getInfo()
    return max(int(info.simplex_iteration_count), 0) + max(int(info.ipm_iteration_count), 0)
