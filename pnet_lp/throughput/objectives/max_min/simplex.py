"""Each level by the simplex over paths, from the basis of the one before.

Where the level of the active demands ends is a feasible point of the next program, in which the saturated demands no
longer depend on the level: the primal simplex continues from there, with the column of the level exchanged for the row
of a saturated demand.  Where hundreds are saturated together it hardly moves.  An interior point is not slowed by
degeneracy; crossover makes a basis of where it ends.

Every later solution is one of this level as well, so by complementary slackness it has nothing on columns that are
longer than a shortest one of their demand: they are closed for good.  Later prices, which need not see them, become
prices for all columns once enough of those that closed them is added, which changes no bound as long as it is tight.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from pnet_lp.deadline import OVER
from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.throughput.objectives.max_min.levels import Level, State, bound_of, saturated_at
from pnet_lp.throughput.objectives.max_min.own_links import OwnLinks
from pnet_lp.throughput.objectives.program import vertex_solver
from pnet_lp.throughput.problems.base import ColumnProblem
from pnet_lp.throughput.problems.program import LinearProgram, LpSolution
from pnet_lp.throughput.solvers.general import GeneralSolver, Limits, Watch, failed, run_attended
from pnet_lp.throughput.solvers.highs import FAILED, accept, array_of, highspy_module, pass_model, set_options, silent
from pnet_lp.verification.checks import SAME

_LONGER, _NOTHING = 1e-3, 1e-9
"""A column is closed where it is longer than a shortest one by this part of the highest price, and carries at most this
part of a mean demand at an even split."""

_PAIRS = 1 << 18
"""Pairs of links that share a column are looked at so many at a time, or those of one link: 40 bytes each."""

_TIED = 1e-12
"""Levels apart by this part are one."""

_ANY_NUMBER, _DUAL, _PRIMAL = 2**31 - 1, 1, 4
"""What HiGHS takes for no limit of steps, and calls the simplex methods."""

_OPTIONS = {
    "run_crossover": "on",
    "presolve": "off",
    # More would be busy waiting.
    "threads": 1,
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
    # All entries are near 1 already.  A step here is mostly between bounds that are met at once: moved far apart they
    # cost steps to come back, and not moved at all it is hard to get past them.
    "simplex_scale_strategy": 0,
    "primal_simplex_bound_perturbation_multiplier": 0.1,
}


_Bottleneck: TypeAlias = tuple[float, BoolArray, FloatArray, FloatArray]
"""Rate per unit demand, the demands ``[J]`` saturated at it, prices ``[L]`` that prove it, distances ``[J]``."""


class Simplex:
    """One program after the other, as far as that goes.

    Args:
        own: what their own links allow the demands of a problem.
        steps_per_row: steps of the simplex for each row after which it has stalled: an interior point and crossover
            find the first basis, and another one then.  None for the simplex alone.
    """

    def __init__(self, own: OwnLinks, *, steps_per_row: int | None) -> None:
        self._problem, self._own, self._steps_per_row = own.problem, own, steps_per_row

    def solve(self, state: State) -> Iterator[State]:
        """See :meth:`Strategy.solve`; the last flow is that of all its levels, so that it yields once."""
        problem, demand, own = self._problem, self._problem.flow.demand, self._own
        solver = vertex_solver()
        solver.check(problem, instead="")
        program = ColumnProgram(problem, solver, state, self._steps_per_row)
        tied: list[_Bottleneck] = []
        last = None
        while state.active.any():
            try:
                state.check_fits()
                found = program.solve(state)
            except SolverError:
                break
            state = replace(state, iterations=state.iterations + found.iterations)
            if found.stopped:
                state = replace(state, interrupted=found.interrupted)
                if last is None:
                    # What can be said without a solution is said by whoever continues from here.
                    over = replace(state.context.options, deadline=OVER)
                    state = replace(state, context=replace(state.context, options=over))
                else:
                    state = replace(state, warnings=(f"{solver.name}: {found.stopped}",))
                break
            state.context.clock.note("solve")
            rate = np.where(state.active, demand * found.rate, state.kept)
            upper, part = bound_of(demand, rate, state.active, found.volume, found.distance)
            saturated = saturated_at(found.rate, upper, part, state.active, state.tolerance)
            if not saturated.any():
                break
            last = found
            if tied and found.rate > tied[0][0] * (1 + _TIED):
                state, tied = self._add(state, tied, program), []
            tied.append((found.rate, saturated, found.price, found.distance))
            # All that are at the limit of their own links are saturated as well: programs would find one by one.
            full = state.active & ~saturated & (own.cuts.most <= demand * found.rate * (1 + SAME))
            if full.any():
                price = own.cuts.lengths(full)
                tied.append((found.rate, full, price, program.distances(price)))
            before = state.active
            state = state.fix(floats(rate), saturated | full)
            near = own.near(state, found.rate)
            if near.any():
                state, tied = own.fix(self._add(state, tied, program), state.rate, near), []
            state.context.clock.note("certify")
            try:
                program.fix(before & ~state.active, state.kept, found, int(np.argmax(part)))
            except SolverError:
                break
        if last is not None:
            state = self._add(state, tied, program) if tied else state
            flow = problem.attain(last.flow, state.rate)
            state = replace(state, solver=solver.name, flow=flow, rate=flow.rate)
        yield state

    def _add(self, state: State, tied: list[_Bottleneck], program: ColumnProgram) -> State:
        """Return the state with demands that are saturated at one rate, by several bottlenecks, as one level."""
        problem = self._problem
        price = np.zeros(len(problem.flow.link_capacity))
        for _, saturated, own_price, distance in tied:
            # In the same measure, so that all of them have a part in the bound.
            carried = float(problem.flow.demand[saturated] @ distance[saturated])
            price = price + own_price * np.count_nonzero(saturated) / carried
        fixed = np.flatnonzero(np.any([saturated for _, saturated, _, _ in tied], axis=0))
        arcs = len(problem.flow.tail)
        price[:arcs] = problem.flow.tied(price[:arcs])
        lengths = problem.proof(np.ones(problem.flow_variables), price).lengths
        return state.add(Level(state.rate, fixed, lengths, program.distances(price)))


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Vertex:
    """Where a level ends.

    Attributes:
        flow: float64 ``[N]``, Gb/s in each column.
        rate: Gb/s per unit demand that every active demand gets.
        price: float64 ``[L]``, dual prices of links that prove the level.
        distance: float64 ``[J]``, of each demand's shortest column by them.
        volume: sum of capacity times price over all links.
        iterations, stopped, interrupted: of this solve; ``stopped`` is empty where the level was solved.
    """

    flow: FloatArray
    rate: float
    price: FloatArray
    distance: FloatArray
    volume: float
    iterations: int
    stopped: str
    interrupted: bool


class ColumnProgram:
    """The program of the next level, rewritten as demands are fixed.

    Args:
        problem: the columns of each demand, all of a demand after each other.
        solver: the simplex, for messages and interrupts.
        state: of the first program.
        steps_per_row: see :class:`Simplex`.
    """

    def __init__(self, problem: ColumnProblem, solver: GeneralSolver, state: State, steps_per_row: int | None) -> None:
        flow, usage = problem.flow, problem.usage
        self._solver, self._usage = solver, usage
        self._capacity, self._demand = flow.link_capacity, flow.demand
        self._owner = problem.demand_of_column
        self._first = np.searchsorted(self._owner, np.arange(len(flow.demand)))
        even, _ = problem.bounds(problem.nothing())
        self._rate_unit, self._flow_unit = even, even * float(flow.demand.mean())
        self._closed = np.zeros(usage.shape[1], dtype=bool)
        self._closed_by = np.full(usage.shape[1], -1)
        self._excess = np.zeros(usage.shape[1])
        # Links with a price, which are few, and these prices, each time that columns were closed.
        self._closing: list[tuple[IntArray, FloatArray]] = []
        self._find_bounds(usage)
        self._highs = self._model(usage)
        rows = len(self._link) + len(self._demand)
        self._most_steps = None if steps_per_row is None else steps_per_row * rows
        self._has_basis = False
        self._keep(~state.active, state.kept)

    def solve(self, state: State) -> Vertex:
        """Return where the next level ends.

        Raises:
            SolverError: the solver failed.
        """
        most = self._most_steps
        crossover = most is not None and not self._has_basis
        found, interrupted = self._run(state, 0, crossover=crossover)
        self._has_basis = True
        done = found.iterations
        if done == most and found.stopped and not interrupted:
            found, interrupted = self._run(state, done, crossover=True)
            done += found.iterations
        if found.column_value is None or found.row_dual is None:
            raise SolverError(f"{self._solver.name}: {found.stopped or 'no solution'}")
        value = found.column_value
        price = self._lifted(found.row_dual)
        return Vertex(
            flow=np.maximum(value[:-1], 0.0) * self._flow_unit,
            rate=max(float(value[-1]), 0.0) * self._rate_unit,
            price=price,
            distance=self.distances(price),
            volume=float((self._capacity[price > 0] * price[price > 0]).sum()),
            iterations=done,
            stopped=found.stopped,
            interrupted=interrupted,
        )

    def distances(self, price: FloatArray) -> FloatArray:
        """Return float64 ``[J]``: the length of each demand's shortest column, open or closed."""
        return np.minimum.reduceat(self._usage.T @ price, self._first)

    def fix(self, saturated: BoolArray, rate: FloatArray, found: Vertex, most: int) -> None:
        """Let demands keep their rates from now on, and close the columns that no later solution can use.

        The ``saturated`` ``[J]`` keep their ``rate`` ``[J]``, Gb/s; ``most`` has the largest part in the bound.

        Raises:
            SolverError: the basis does not fit the next program.
        """
        highs, status = self._highs, highspy_module().HighsBasisStatus
        columns, row = len(self._owner), len(self._link) + most
        basis = highs.getBasis()
        of_columns, of_rows = basis.col_status, basis.row_status
        if of_columns[columns] != status.kBasic or of_rows[row] == status.kBasic:
            raise SolverError("the level is at a bound of its own")
        of_columns[columns], of_rows[row] = status.kLower, status.kBasic
        self._keep(saturated, rate)
        highs.changeColBounds(columns, found.rate / self._rate_unit, math.inf)
        self._close(found)
        basis.col_status, basis.row_status = of_columns, of_rows
        accept(highs.setBasis(basis), "the basis of the level before")

    def _keep(self, demands: BoolArray, rate: FloatArray) -> None:
        columns, links = len(self._owner), len(self._link)
        for j in np.flatnonzero(demands).tolist():
            self._highs.changeCoeff(links + j, columns, 0.0)
            self._highs.changeRowBounds(links + j, rate[j] / self._flow_unit, rate[j] / self._flow_unit)

    def _find_bounds(self, usage: sp.csc_array) -> None:
        """Find the links that one column uses alone: they are bounds of columns, of which the narrowest counts."""
        rows = usage.tocsr()
        count = np.diff(rows.indptr)
        alone = np.flatnonzero((count == 1) & np.isfinite(self._capacity))
        alone = alone[np.argsort(-self._capacity[alone], kind="stable")]
        self._most, self._limit = np.full(usage.shape[1], np.inf), np.full(usage.shape[1], -1)
        column = rows.indices[rows.indptr[alone]]
        self._most[column], self._limit[column] = self._capacity[alone], alone
        shared = np.flatnonzero((count > 1) & np.isfinite(self._capacity))
        # A program with fewer rows takes as many steps, but shorter ones.
        self._link = shared[~implied(sp.csr_array(rows[shared]), self._capacity[shared])]

    def _model(self, usage: sp.csc_array) -> Any:
        """Return a HiGHS that holds the program of all demands."""
        columns, demands, links = usage.shape[1], len(self._demand), len(self._link)
        of_demand = sp.csr_array((np.ones(columns), (self._owner, np.arange(columns))), shape=(demands, columns))
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
        highs = silent()
        set_options(highs, _OPTIONS)
        pass_model(highs, lp, np.append(self._most / self._flow_unit, np.inf))
        return highs

    def _run(self, state: State, done: int, *, crossover: bool) -> tuple[LpSolution, bool]:
        """Solve, by the simplex or by an interior point and crossover, and return whether the user interrupted it."""
        options, highs = state.context.options, self._highs
        most = math.inf if crossover or self._most_steps is None else self._most_steps
        if options.max_iterations is not None:
            most = min(most, max(options.max_iterations - state.iterations - done, 0))
        limits = Limits(options.deadline.left_s(), None if most == math.inf else int(most), 1)
        steps = _ANY_NUMBER if limits.iterations is None else limits.iterations

        def run(watch: Watch) -> LpSolution:
            if math.isfinite(limits.time_s):
                # The clock of HiGHS runs on from one run to the next.
                set_options(highs, {"time_limit": highs.getRunTime() + limits.time_s})
            set_options(highs, {"simplex_iteration_limit": steps, "ipm_iteration_limit": steps})
            set_options(highs, {"solver": "ipx" if crossover else "simplex"})
            if crossover:
                highs.clearSolver()
            for interrupt in (highs.cbSimplexInterrupt, highs.cbIpmInterrupt):
                interrupt.clear()
                interrupt.subscribe(lambda event: event.interrupt() if watch.stopped else None)
            iterations, status = _run_once(highs)
            if crossover and status == "Unknown":
                # What crossover rounded away takes some steps from its basis.
                set_options(highs, {"solver": "simplex", "simplex_strategy": _DUAL})
                more, status = _run_once(highs)
                iterations += more
            # The dual simplex solves the first program, from a cold start; those after it continue from a basis.
            set_options(highs, {"simplex_strategy": _PRIMAL})
            if status in FAILED or status == "Unknown":
                raise failed(self._solver.name, status)
            solution = highs.getSolution()
            found = solution.value_valid and solution.dual_valid
            return LpSolution(
                array_of(solution.col_value) if found else None,
                np.append(solution.row_dual, solution.col_dual) if found else None,
                iterations,
                "" if status == "Optimal" else status.lower(),
            )

        return run_attended(run, self._solver, limits, lambda *_: True)

    def _lifted(self, dual: FloatArray) -> FloatArray:
        """Return prices ``[L]`` from the duals of rows and columns, under which closed columns are no shorter."""
        price = np.zeros(len(self._capacity))
        links = len(self._link)
        price[self._link] = np.maximum(-dual[:links], 0.0)
        reduced = dual[links + len(self._demand) : -1]
        full = np.flatnonzero((reduced < 0) & (self._limit >= 0) & ~self._closed)
        price[self._limit[full]] = -reduced[full]
        while True:
            cost, distance = self._shortest_open(price)
            short = np.flatnonzero(self._closed & (cost < distance))
            if not short.size:
                return price
            last = int(self._closed_by[short].max())
            link, closing = self._closing[last]
            mine = short[self._closed_by[short] == last]
            needed = (distance[mine] - cost[mine]) / self._excess[mine]
            # A little more, so that rounding leaves none of them short.
            price[link] += 1.000001 * float(needed.max()) * closing

    def _shortest_open(self, price: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return float64 ``[N]`` twice: the length of each column, and of the shortest open one of its demand."""
        cost = self._usage.T @ price
        return cost, np.minimum.reduceat(np.where(self._closed, np.inf, cost), self._first)[self._owner]

    def _close(self, found: Vertex) -> None:
        """Close the columns that are longer than a shortest one of their demand, and empty."""
        cost, distance = self._shortest_open(found.price)
        excess = cost - distance
        longer = excess > _LONGER * found.price.max()
        shut: IntArray = np.flatnonzero(longer & ~self._closed & (found.flow <= _NOTHING * self._flow_unit)).astype(
            np.int32
        )
        if shut.size:
            nothing = np.zeros(shut.size)
            self._highs.changeColsBounds(shut.size, shut, nothing, nothing)
            self._closed[shut] = True
            self._closed_by[shut] = len(self._closing)
            self._excess[shut] = excess[shut]
            link = np.flatnonzero(found.price > 0)
            self._closing.append((link.astype(np.int32), found.price[link]))


def implied(usage: sp.csr_array, capacity: FloatArray, most_pairs: int = _PAIRS) -> BoolArray:
    """Return bool ``[L]``: links that fit whenever another does, which has all of their paths and is no wider.

    Of equivalent links one remains.

    Args:
        usage: 1 for each link of each path, ``[L, N]``, no link without a path.
        capacity: float64 ``[L]``, finite.
        most_pairs: of links that share a path are looked at together, or those of one link.
    """
    count, users = np.diff(usage.indptr), sp.csr_array(usage.T)
    # Of dense traffic nearly all links share paths: a table of all pairs need not fit.
    pairs = np.cumsum(usage @ np.diff(users.indptr))
    _, first = np.unique(pairs // most_pairs, return_index=True)
    implied = np.zeros(len(capacity), dtype=bool)
    for start, end in itertools.pairwise([*first.tolist(), len(capacity)]):
        both = sp.coo_array(usage[start:end] @ users)
        mine, other = both.coords
        mine = mine + start
        within = (both.data == count[mine]) & (capacity[mine] >= capacity[other]) & (mine != other)
        equivalent = (count[mine] == count[other]) & (capacity[mine] == capacity[other])
        implied[mine[within & (~equivalent | (other < mine))]] = True
    return implied


def _run_once(highs: Any) -> tuple[int, str]:
    """Run HiGHS, and return its iterations, of whichever method, and its status."""
    highs.run()
    info = highs.getInfo()
    iterations = max(int(info.simplex_iteration_count), 0) + max(int(info.ipm_iteration_count), 0)
    return iterations, highs.modelStatusToString(highs.getModelStatus())
