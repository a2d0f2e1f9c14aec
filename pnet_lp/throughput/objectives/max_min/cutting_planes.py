"""All levels at once: progressive filling between cuts, and one cut more where the rates do not fit.

Any lengths l are a cut: ``sum r_j dist_l(j) <= sum c l``.  Between some cuts, progressive filling finds the fair rates.
If these fit on the links they are fair there, too, since all that fits passes the cuts.  Otherwise the largest K at
which they would fit comes with dual prices, which are a cut that they do not pass (J. E. Kelley, "The cutting-plane
method for solving convex programs", J. SIAM 8 (1960)).  The first cuts are those around endpoints: where hosts limit,
no other is needed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.model.arrays import floats
from pnet_lp.throughput.objectives.max_min.cuts import Cut, Filled, around_endpoints, cut_of, filled_between
from pnet_lp.throughput.objectives.max_min.levels import Index, Level, State
from pnet_lp.throughput.objectives.max_min.vertices import has_trees
from pnet_lp.throughput.objectives.min_cost import largest, rate_solver
from pnet_lp.throughput.objectives.program import SMALL_COLUMNS
from pnet_lp.throughput.problems import Certified
from pnet_lp.throughput.problems.base import separated
from pnet_lp.throughput.problems.merge import merge_planes
from pnet_lp.throughput.solvers import AUTO, SolveOptions
from pnet_lp.throughput.solvers.base import FRUGAL
from pnet_lp.throughput.solvers.choose import eliminates_demands
from pnet_lp.throughput.solvers.general import Best

_CLOSER, _FINEST = 0.5, 1e-11
"""What rates may lack to fit: this part of the tolerance of the demand with the least part in its cut; and the smallest
gap that is looked for."""

_ROUGH = 0.05
"""Where the rates do not fit, K is to be known up to this part of what it lacks."""

_MOST, _IDLE = 40, 3
"""Cuts that are added, at most, and how many of them in a row may not halve what K lacks."""

_MANY_LINKS = 4_000
"""With more in a cut, vertices have too many links that are tight: cuts have all of the time."""

_FEW_STEPS = 500
"""Over given paths, in tiny networks and where there are trees, within which rates have to be seen to fit: one level
after the other is sooner there than many cuts."""

_BYTES_PER_DEMAND = 300
"""Of the four cuts around its ends, and of what filling between them takes."""

_SAME = 1e-9
"""Levels that differ by less than this part are one."""


def by_cuts(state: State) -> State | None:
    """Return the state after all levels, however far proved.

    None where cuts do not fit into memory, or nothing limits a demand at its ends.

    Args:
        state: before the first level.
    """
    flow = state.problem.flow
    if state.problem.rough or flow.partner is not None:
        return None
    try:
        check_fits(
            _BYTES_PER_DEMAND * flow.demand_count,
            f"filling {flow.demand_count:,} demands between cuts",
            SolverError,
            allowed="another solver",
        )
        state = _filled(state)
    except SolverError:
        return None
    state.context.clock.note("certify")
    return state


def _filled(state: State) -> State:
    """Return the state after all levels.

    Raises:
        SolverError: nothing limits a demand at its ends, or something does not fit into memory.
    """
    problem, options = state.problem, state.context.options
    trees = problem.form == "arc" and has_trees(problem) and not np.isfinite(state.cap).any()
    many = problem.form != "path" and not trees and eliminates_demands(problem)
    # Demands that are not too many for programs over paths leave these the most of the time.
    whole = options.deadline
    options = replace(options, deadline=whole.parts(4 if problem.demand_count <= SMALL_COLUMNS else 2))
    cuts = list(around_endpoints(problem.flow))
    best: tuple[float, Filled, Best[Certified]] | None = None
    least, idle, done = np.inf, 0, 0
    copies = problem.flow.plane_count / merge_planes(problem.flow).problem.plane_count
    for _ in range(_MOST if many else 1):
        filled = filled_between(cuts, problem.flow.demand, state.cap)
        close = max(_CLOSER * state.tolerance * float(filled.part.min()), _FINEST)
        limits = [each for each in (options.max_iterations, None if many else _FEW_STEPS) if each is not None]
        left = min(limits) - done if limits else None
        rough = _ROUGH if many else np.inf
        found = _largest(state, filled, replace(options, tolerance=close, max_iterations=left), rough, done)
        done += found.iterations
        bounds = found.answer.interval
        lacks = 1 - bounds.lower
        # As far as proofs of levels depend on it.
        if best is None or lacks / close < best[0]:
            best = lacks / close, filled, found
        least, idle = (lacks, 0) if lacks <= 0.5 * least else (least, idle + 1)
        over = found.interrupted or options.deadline.left_s() <= 0 or (left is not None and found.iterations >= left)
        if lacks <= close or bounds.upper >= 1 or over or idle == _IDLE:
            break
        cuts.append(cut_of(problem, found.answer.certificate.lengths, filled.rate))
        if len(cuts[-1].link) > _MANY_LINKS * copies:
            options = replace(options, deadline=whole)
        state.context.clock.note("certify")
    assert best is not None
    _, filled, answer = best
    solver = rate_solver(problem.weighted(filled.rate), state.context) if many else FRUGAL
    return _after(replace(state, solver=solver, iterations=done, interrupted=found.interrupted), cuts, filled, answer)


def _largest(state: State, filled: Filled, options: SolveOptions, rough: float, done: int) -> Best[Certified]:
    """Return the largest K of rates, as far as it says whether they fit."""
    least = float(filled.level.min())

    def of_level(name: str, iterations: int, lower: float, upper: float) -> None:
        state.context.on_progress(name, done + iterations, lower * least, min(upper, 1.0) * least)

    # An interior point on the whole program takes as long as the levels will.
    solver = AUTO if rough == _ROUGH else FRUGAL
    context = replace(state.context, solver=solver, options=options, on_progress=of_level)
    return largest(state.problem.weighted(filled.rate), context, enough=1.0, lacking=rough)


def _after(state: State, cuts: Sequence[Cut], filled: Filled, found: Best[Certified]) -> State:
    """Return the state in which all demands get the part of the rates that fits."""
    flow = found.answer.carrying(filled.rate, min(1.0, found.answer.interval.lower))
    state = replace(state, rate=flow.rate, flow=flow, satisfied=filled.cut >= len(cuts))
    for level in _levels(state, cuts, filled, 1 - flow.factor):
        state.check_fits(len(level.distance))
        state = state.add(level)
    return replace(state, active=np.zeros_like(state.active), warnings=found.warnings)


def _levels(state: State, cuts: Sequence[Cut], filled: Filled, lacks: float) -> Iterator[Level]:
    """Yield the levels, lowest first.

    Cuts around endpoints that are filled at one level prove it together, as long as what the rates lack on all of them
    is little to each of the demands.
    """
    order = np.lexsort((filled.cut, filled.level))
    order = order[filled.cut[order] < len(cuts)]
    if not order.size:
        return
    members = np.split(order, np.flatnonzero(np.diff(filled.cut[order])) + 1)
    together, volume, smallest = [members[0]], np.inf, np.inf
    for before, own in itertools.pairwise(members):
        cut, last = cuts[filled.cut[own[0]]], cuts[filled.cut[before[0]]]
        if len(together) == 1:
            volume, smallest = last.volume, float(filled.rate[before].min())
        volume, smallest = volume + cut.volume, min(smallest, float(filled.rate[own].min()))
        same = filled.level[own[0]] <= (1 + _SAME) * filled.level[before[0]]
        if not (same and cut.around and last.around and lacks * volume <= _CLOSER * state.tolerance * smallest):
            yield _together(state, cuts, filled, together)
            together = []
        together.append(own)
    yield _together(state, cuts, filled, together)


def _together(state: State, cuts: Sequence[Cut], filled: Filled, members: Sequence[Index]) -> Level:
    problem, length = state.problem, np.zeros(len(state.problem.flow.link_capacity))
    demands = np.sort(np.concatenate(members))
    of_members = [cuts[filled.cut[own[0]]] for own in members]
    for cut in of_members:
        length[cut.link] += cut.length
    lengths = separated(problem.flow, floats(length))
    if not of_members[0].around:
        return Level(state.rate, demands, lengths, problem.distances(lengths))
    # Demands from elsewhere to elsewhere can go around: there is no need to look for their paths.
    crossing, place = np.unique(np.concatenate([cut.demand for cut in of_members]), return_inverse=True)
    takes = np.bincount(place, np.concatenate([cut.takes for cut in of_members]))
    return Level(state.rate, demands, lengths, floats(takes), crossing)
