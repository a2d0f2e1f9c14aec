"""The solve in one call, from expressions instead of objects."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from pnet_lp.deadline import Deadline
from pnet_lp.errors import SpecError
from pnet_lp.model import Certificate, Network, ThroughputResult, TrafficMatrix
from pnet_lp.routing import Policy, parse_routing
from pnet_lp.threads import check_threads
from pnet_lp.throughput.objectives import CONCURRENT, parse_objective
from pnet_lp.throughput.objectives.least_load import check_least_load
from pnet_lp.throughput.solve import (
    DEFAULT_TOLERANCE,
    IDEAL,
    Interrupted,
    Progress,
    Query,
    WarmStart,
    answer,
    check_solver,
)
from pnet_lp.throughput.solvers import AUTO, SolveOptions
from pnet_lp.throughput.solvers.general import Watch, attended

_DOING = "solving"

_PATIENCE_S = 1.6
"""Seconds between Ctrl-C and the end of what does not listen to it: more than a library has."""

_LATE_S = 0.2
"""Seconds from the end of its time until what does not look at the clock is asked to stop, and again until it is left
behind."""


def solve(
    network: Network,
    traffic: TrafficMatrix,
    *,
    objective: str = CONCURRENT,
    routing: str = IDEAL,
    plane_policy: Policy = "any",
    seed: int = 0,
    solver: str = AUTO,
    tolerance: float = DEFAULT_TOLERANCE,
    threads: int = 0,
    time_limit_s: float = math.inf,
    deadline: Deadline | None = None,
    max_iterations: int | None = None,
    start: Certificate | WarmStart | None = None,
    least_load: bool = False,
    enough_below: float = 0.0,
    on_progress: Callable[[Progress], None] | None = None,
) -> ThroughputResult:
    """Return the certified throughput of ``traffic`` on ``network``.

    Args:
        network: the planes.
        traffic: the demands, at the level they are to be solved at.
        objective: what is optimised: ``concurrent``, the largest K such that K times every demand is carried, or
            another one of :data:`~pnet_lp.throughput.objectives.OBJECTIVES`, with its parameters.
        routing: ``ideal``: any path, any split; else another one of :data:`~pnet_lp.routing.ROUTINGS`.
        plane_policy: which planes paths may come from; without meaning for ``ideal``.
        seed: what breaks ties between paths and draws them.
        solver: a registered solver, or ``auto`` (see :mod:`pnet_lp.throughput.solvers.choose`); only ``auto`` where
            routing and objective leave nothing to solve.  A solver's parameters follow its name, as in
            ``pulp:solver=CPLEX_CMD``.
        tolerance: relative gap between the bounds at which the result counts as certified, in (0, 1).
        threads: 0 for all cores; the results of ``columns`` and ``structured`` do not depend on it.
        time_limit_s: seconds after which to stop with the bounds reached, the search for paths included.
        deadline: in place of them, a deadline that other work has begun to use up.
        max_iterations: stop then, with the bounds reached; in the solver's own unit.
        start: an answer to start from, for other links or demands; where only capacities and the sizes of demands are
            others, its certificate will do.
        least_load: whether, of all optimal flows, the one whose loads add up to least is looked for, in a second stage.
        enough_below: stop, with the bounds reached, also once K is proved to be at most this; objective ``concurrent``.
        on_progress: called now and then while solving.

    Raises:
        Interrupted: Ctrl-C while a solver ran; its ``result`` has the bounds reached.
        TimeLimitError: the time was over before there was anything to bound.
        SpecError: an unknown objective, routing or solver, one that does not go with the other, a number out of
            range, or a start that is not for such a problem.
        RoutingError: more paths than fit into memory.
        TrafficError: the matrix is empty or for another network.
        SolverError: the solver is not installed or failed, or the problem does not fit into memory.
    """
    check_threads(threads)
    deadline = deadline or Deadline(time_limit_s)
    goal = parse_objective(objective)
    check_solver(solver)
    paths = parse_routing(routing, policy=plane_policy, seed=seed)
    goal.check(paths.form, solver)
    if least_load:
        check_least_load(goal, paths)
    if not 0 < tolerance < 1:
        raise SpecError("out of range", where="tolerance", found=tolerance, allowed="a number between 0 and 1")
    if not 0 <= enough_below < math.inf:
        raise SpecError("out of range", where="enough_below", found=enough_below, allowed="a finite number from 0 on")
    if enough_below and objective != CONCURRENT:
        raise SpecError("has no meaning for this objective", where="enough_below", found=objective, allowed=CONCURRENT)
    options = SolveOptions(tolerance, deadline, max_iterations, threads, enough_below=enough_below)
    query = Query(goal, paths.until(deadline), solver, options, least_load)

    def work(watch: Watch) -> ThroughputResult:
        watch.raise_here()
        try:
            return answer(network, traffic, query, start=start, on_progress=on_progress)
        except Interrupted as stopped:
            if not watch.stopped:
                raise
            return replace(stopped.result, interrupted=False)

    # It looks at the clock and hears of Ctrl-C by itself, but for long passes over a large problem.
    with deadline.doing(_DOING):
        # What looks at the clock ends by itself long before it is asked to.
        limit_s = deadline.to_end_s(_PATIENCE_S / 4)
        found, interrupted = attended(
            work,
            "answer",
            limit_s,
            patience_s=_PATIENCE_S,
            late_s=_LATE_S,
            stops=True,
            more_s=lambda: deadline.to_end_s(_PATIENCE_S / 4 + _LATE_S),
        )
    if found is None:
        raise KeyboardInterrupt if interrupted else deadline.over(_DOING)
    if interrupted:
        raise Interrupted(replace(found, interrupted=True))
    return found
