"""Each level over any path by programs over the paths in use, to which its prices add shorter ones.

An interior point that ends amid all optimal solutions gives all links that limit a level a price, so that one program
often fixes hundreds of demands.  Over any path its variables are flows on arcs, which are many; over the paths worth
having (column generation: G. B. Dantzig, P. Wolfe, "Decomposition principle for linear programs", Oper. Res. 8 (1960))
they are few.  Distances over all paths, not over these, prove each level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.model import PathCertificate
from pnet_lp.model.arcs import Arcs
from pnet_lp.model.arrays import FloatArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.paths import PathSet
from pnet_lp.throughput.objectives.max_min.driver import further
from pnet_lp.throughput.objectives.max_min.interior_point import solve_level
from pnet_lp.throughput.objectives.max_min.levels import PART, Level, State
from pnet_lp.throughput.objectives.program import SMALL_COLUMNS, VERTEX_SOLVER
from pnet_lp.throughput.problems import Attained
from pnet_lp.throughput.problems.answers import FlowAnswer
from pnet_lp.throughput.problems.merge import merge
from pnet_lp.throughput.problems.paths import PathProblem
from pnet_lp.throughput.solvers.choose import PROGRAM_SOLVER
from pnet_lp.throughput.solvers.general import Best

_RELAXATION = 0.2
"""Part of what their bounds leave to demands that are fixed by which these are relaxed: later programs need room."""

_LOST = 0.01
"""Part of that relaxation by which a flow may have to be scaled down until it fits."""


@brief("demand_count", "flow_variables")
@dataclass(frozen=True, eq=False, repr=False)
class OverPathsInUse(PathProblem):
    """The problem over the paths in use; by lengths, demands are as near as over any path."""

    @property
    def over_columns(self) -> None:  # type: ignore[override]
        """See :attr:`Problem.over_columns`: not all columns are known."""
        return None

    @classmethod
    def now(cls, flow: FlowProblem, in_use: _core.PathsInUse) -> Self:
        """Return the problem over the paths that are in use now.

        Raises:
            SolverError: they are too many.
        """
        pair_ptr, plane, path_ptr, arc = in_use.listed()
        if len(plane) > SMALL_COLUMNS:
            raise SolverError(f"more than {SMALL_COLUMNS:,} paths are in use")
        arcs = Arcs(flow.node_count, flow.arc_ptr, flow.tail, flow.head, flow.capacity, flow.arc_id)
        return cls(flow, PathSet(arcs, pair_ptr, ints(plane), path_ptr, ints(arc)))

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`Problem.distances`."""
        return _core.demand_distances(self.flow.core, *lengths)


def with_growing_paths(state: State) -> State | None:
    """Return the state after as many levels as are found and proved; None where there is none.

    Args:
        state: before the first level.

    Raises:
        SolverError: the solver failed, or the program does not fit into memory, before there was one.
    """
    state = further(state, _GrowingPaths(state))
    return None if state.flow is None else state


class _GrowingPaths:
    """The paths in use, and levels over these."""

    def __init__(self, state: State) -> None:
        self._flow = state.problem.flow
        self._merged = merge(self._flow)
        merged = self._merged.problem
        if merged.demand_count > SMALL_COLUMNS:
            raise SolverError(f"more than {SMALL_COLUMNS:,} demands")
        check_fits(
            _core.estimate_fair_flow_bytes(merged.core),
            f"paths of {merged.demand_count:,} demands",
            SolverError,
            allowed="level=rack, fewer planes, a smaller network",
        )
        self._in_use = _core.PathsInUse(merged.core, **state.context.options.of_core(lambda *_: True))
        self._relaxation = _RELAXATION * PART * state.tolerance / merged.demand_count
        state.context.clock.note("solve")

    def solve(self, state: State) -> Iterator[State]:
        """See :meth:`Strategy.solve`."""
        while not state.ended:
            state.check_fits()
            found = self._next(state)
            level, flow, proved = found.answer
            state = replace(state, iterations=state.iterations + found.iterations, interrupted=found.interrupted)
            if not proved:
                if state.flow is not None:
                    unknown = found.warnings or (f"levels beyond the {len(state.levels)} found are not known",)
                    yield replace(state, warnings=unknown)
                return
            assert isinstance(flow.certificate, PathCertificate)
            proof = self._merged.expand(self._in_use.proof(flow.certificate.weight, flow.rate))
            answer = FlowAnswer(self._flow, proof, floats(flow.rate / self._flow.demand), flow.rate)
            if level.satisfied:
                state = state.satisfy(level)
            else:
                lengths = self._merged.lengths(*level.lengths)
                level = replace(level, lengths=lengths, distance=state.problem.distances(lengths))
                state = state.add(level).fix(level.rate, level.demands, self._relaxation)
            carried = answer.attain(flow.rate)
            state = replace(state, flow=carried, rate=carried.rate)
            state.context.clock.note("certify")
            yield state

    def _next(self, state: State) -> Best[tuple[Level, Attained, bool]]:
        """Return the next level as :func:`solve_level` does, after adding paths until it is proved or none is missing.

        Raises:
            SolverError: the solver failed, or the program does not fit into memory.
        """
        done, vertex = 0, False
        while True:
            problem = OverPathsInUse.now(self._merged.problem, self._in_use)
            options, solver = state.context.options, VERTEX_SOLVER if vertex else PROGRAM_SOLVER
            if options.max_iterations is not None:
                options = replace(options, max_iterations=max(options.max_iterations - state.iterations - done, 0))
            context = replace(state.context, solver=solver, options=options)
            over = replace(state, problem=problem, context=context)
            found = solve_level(over, vertex=False, by=self._relaxation)
            done += found.iterations
            level, flow, proved = found.answer
            proved = proved and 1 - level.factor <= _LOST * self._relaxation
            found = replace(found, answer=(level, flow, proved), iterations=done)
            if proved or found.interrupted or options.deadline.left_s() <= 0 or options.max_iterations == 0:
                return found
            missing = self._in_use.add(*level.lengths)
            context.clock.note("solve")
            if vertex and not missing:
                return found
            # Where an interior point has found all paths, and does not prove the level, it lacks digits.
            vertex |= not missing
