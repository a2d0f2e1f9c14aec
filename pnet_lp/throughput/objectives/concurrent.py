"""``concurrent``: the largest K such that every demand d gets K d.

Maximum concurrent flow: F. Shahrokhi, D. W. Matula, "The maximum concurrent flow problem", JACM 37 (1990).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isinf
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from pnet_lp.errors import SolverError, TimeLimitError
from pnet_lp.model import Interval, ThroughputResult
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.result import Status, ValueKey
from pnet_lp.model.rounded import div_down, mul_down
from pnet_lp.throughput.objectives.base import (
    CLOSED_FORM,
    CONCURRENT,
    NO_SOLVER,
    OBJECTIVES,
    Objective,
    Optimum,
    SolveContext,
    proved,
)
from pnet_lp.throughput.objectives.program import NO_TIME, known
from pnet_lp.throughput.problems import Attained, Certified, ConcurrentProblem, Problem
from pnet_lp.throughput.solvers import AUTO, RawSolution, SolveOptions, choose_solver, get_solver, turns
from pnet_lp.units import format_gbps

if TYPE_CHECKING:
    from pnet_lp.verification.second import SavedAnswer, SecondProblem


@OBJECTIVES.register(CONCURRENT, summary="the largest K such that K times the traffic matrix can be carried")
class Concurrent(Objective):
    """Maximum concurrent flow, by any solver."""

    headline = ValueKey("throughput", "gbps", "Gb/s per unit demand")
    rated = False
    of_rate = True
    gain = "{} more throughput"
    closed_forms = frozenset({"split"})

    def optimise(self, problem: Problem, context: SolveContext) -> Optimum:
        """See :meth:`Objective.optimise`."""
        solved = problem.solved()
        if solved is None:
            answer = _solved(problem, context)
        else:
            context.clock.note("certify")
            answer = _Answer(CLOSED_FORM, problem, RawSolution(None, 0), solved)
        raw, found = answer.raw, answer.certified
        attained = found.interval.lower
        part = 1.0 if self.whole else attained
        return Optimum(
            self.value(found.interval),
            found.interval.gap,
            answer.solver,
            raw.iterations,
            found.certificate,
            found.load if part == attained else floats(found.load * (part / attained)),
            part,
            self.figures(found.interval),
            interrupted=raw.interrupted,
            warnings=(raw.message,) if raw.message else (),
            stated=answer.stated,
        )

    def carried(self, problem: Problem, found: Optimum) -> FloatArray:
        """See :meth:`Objective.carried`; not more than fits."""
        return problem.flow.rates(self.rate_of(found.figures).lower)

    def along(self, problem: Problem, found: Optimum, flow: Attained) -> Optimum:
        """See :meth:`Objective.along`: K is what that flow attains."""
        known = self.rate_of(found.figures)
        access = problem.access_loads(flow.certificate, flow.rate)
        load = np.concatenate([flow.load, access.ravel()])
        used = (load > 0) & np.isfinite(problem.flow.link_capacity)
        room = float(div_down(problem.flow.link_capacity[used], load[used]).min(initial=np.inf))
        # Loads of access links are those of parts that are rounded to the nearest.
        carried = float(div_down(flow.rate, problem.flow.demand).min()) * (1 - 2.0**-48)
        attained = problem.flow.attained(float(mul_down(carried, room)))
        part = 1.0 if self.whole else attained
        rate = Interval(attained, max(attained, known.upper))
        return replace(
            found,
            interval=self.value(rate),
            gap=rate.gap,
            certificate=flow.with_lengths(found.certificate.lengths),
            link_load=floats(flow.load * (part / (flow.factor * known.lower))),
            rate=part,
            figures=self.figures(rate),
        )

    def figures_of_nothing(self) -> Mapping[str, Any]:
        """A demand without a path: K = 0."""
        return self.figures(Interval(0.0, 0.0))

    def recheck(self, second: SecondProblem, claim: SavedAnswer) -> Mapping[str, Any]:
        """See :meth:`Objective.recheck`."""
        del claim
        return self.figures(second.rate_bounds())

    def words(self, figures: Mapping[str, Any]) -> list[tuple[str, str]]:
        """See :meth:`Objective.words`."""
        value = f"{format_gbps(figures['throughput_gbps'])} Gb/s per unit demand"
        return [("throughput", value), proved(figures, self.headline)]

    def value(self, rate: Interval) -> Interval:
        """Return the bounds on the value where those on K are ``rate``."""
        return rate

    def rate_of(self, figures: Mapping[str, Any]) -> Interval:
        """See :meth:`Objective.rate_of`."""
        return Interval(figures["lower_bound_gbps"], figures["upper_bound_gbps"])

    def at_rate(self, result: ThroughputResult, rate: Interval) -> ThroughputResult:
        """See :meth:`Objective.at_rate`."""
        figures = {**result.figures, **self.figures(rate)}
        status: Status = "certified" if rate.gap <= result.tolerance else "bounds"
        return replace(result, interval=self.value(rate), figures=figures, status=status)

    def figures(self, rate: Interval) -> dict[str, Any]:
        """Return the document's first keys; the lower bound is attained."""
        return {
            "throughput_gbps": rate.lower,
            "lower_bound_gbps": rate.lower,
            "upper_bound_gbps": rate.upper,
            "relative_gap": rate.gap,
        }


@dataclass(frozen=True, eq=False)
class _Answer:
    """Which solver solved which problem, what it returned, and what that proves."""

    solver: str
    stated: ConcurrentProblem
    raw: RawSolution
    certified: Certified


def _solved(problem: Problem, context: SolveContext) -> _Answer:
    """Return the answer of a solver, or the best one of several where the first may not end."""
    options = context.options
    if problem.rough:
        found = known(problem)
        context.clock.note("certify")
        return _Answer(NO_SOLVER, problem, RawSolution(None, 0, message=NO_TIME), found)
    if context.solver != AUTO:
        return _solved_by(context.solver, problem, context, options)
    started, most = options.initial is not None, options.max_iterations
    first = choose_solver(problem, options.tolerance, options.deadline, started=started)
    best: _Answer | None = None
    done = 0
    for name, limit in turns(first, problem, options.tolerance):
        if best is not None and not _fits(name, problem):
            continue
        left = [each for each in (limit, None if most is None else most - done) if each is not None]
        answer = _solved_by(name, problem, context, replace(options, max_iterations=min(left, default=None)))
        done += answer.raw.iterations
        interval = answer.certified.interval
        better = best is None or interval.gap <= best.certified.interval.gap
        best = answer if better or best is None else best
        over = interval.gap <= options.tolerance or interval.upper <= options.enough_below
        over |= answer.raw.interrupted or options.deadline.left_s() == 0 or (most is not None and done >= most)
        if over:
            break
    assert best is not None
    return replace(best, solver=answer.solver, raw=replace(answer.raw, iterations=done))


def _fits(name: str, problem: Problem) -> bool:
    try:
        get_solver(name).check(problem)
    except SolverError:
        return False
    return True


def _solved_by(name: str, problem: Problem, context: SolveContext, options: SolveOptions) -> _Answer:
    """Return the answer of one solver."""
    solver = get_solver(name)
    solver.check(problem)

    beaten = False

    def report(iterations: int, lower: float, upper: float) -> bool:
        nonlocal beaten
        context.on_progress(name, iterations, lower, upper)
        beaten = upper <= options.enough_below
        return not beaten

    least: Certified | None = None
    try:
        stated = solver.reduced(problem, options.deadline)
        if stated is not problem and not isinf(options.deadline.limit_s):
            # What is known of classes before anything is solved; what is solved takes as long to check.
            begun = monotonic()
            least = stated.certify(stated.nothing())
            options = replace(options, deadline=options.deadline.reserving(monotonic() - begun))
        with options.deadline.doing("solving", grace=False):
            raw = solver.solve(stated, options, report)
        raw = replace(raw, interrupted=raw.interrupted and not beaten)
        context.clock.note("solve")
        found = stated.certify(raw.proof)
    except TimeLimitError:
        raw = RawSolution(None, 0, message=f"{name}: time limit reached")
        if least is None:
            stated = first = problem.ready_by(options.deadline)
            least = known(first)
        found = least
    context.clock.note("certify")
    return _Answer(name, stated, raw, found)
