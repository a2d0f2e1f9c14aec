"""From a network and a traffic matrix to a certified throughput, in five steps.

``Network, TrafficMatrix -> FlowProblem -> RawSolution -> Certified -> ThroughputResult``

What is optimised, and how that is proved, is the business of an objective (:mod:`pnet_lp.throughput.objectives`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import SpecError
from pnet_lp.model import AnyCertificate, Interval, Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.registry import nearest, parse_expression
from pnet_lp.routing import ROUTINGS, PathRule, Policy, parse_rule
from pnet_lp.throughput.certificate import bottlenecks
from pnet_lp.throughput.choose import AUTO
from pnet_lp.throughput.fixed_split import KINDS as FIXED_SPLITS
from pnet_lp.throughput.fixed_split import FixedSplit, build_fixed_split
from pnet_lp.throughput.objectives import CONCURRENT, Clock, Means, Objective, Stated, parse_objective
from pnet_lp.throughput.objectives.min_cost import MinCost
from pnet_lp.throughput.objectives.rates import connected
from pnet_lp.throughput.path_problem import build_path_problem
from pnet_lp.throughput.problem import FlowProblem, build_problem
from pnet_lp.throughput.solvers import SolveOptions, solver_names
from pnet_lp.throughput.solvers.base import SOLVERS
from pnet_lp.throughput.split_problem import build_split_problem
from pnet_lp.throughput.start import start_proof

DEFAULT_TOLERANCE = 1e-4
IDEAL = "ideal"

NO_SOLVER = "none"
"""The solver of a result that needs none, because a pair is disconnected and K is 0."""

_NAMED_PAIRS = 3
"""Disconnected pairs named in a warning."""


@dataclass(frozen=True)
class Progress:
    """The state of a running solve.

    Attributes:
        solver: its name.
        iterations: in the solver's own unit.
        lower, upper: bounds proved so far, in Gb/s per unit demand; 0 and ``inf`` where the solver proves none on its
            way.
        seconds: since the solve began.
    """

    solver: str
    iterations: int
    lower: float
    upper: float
    seconds: float


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
    max_iterations: int | None = None,
    start: AnyCertificate | None = None,
    link_cost: FloatArray | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> ThroughputResult:
    """Return the certified throughput of ``traffic`` on ``network``.

    Args:
        network: the planes.
        traffic: the demands, at the level they are to be solved at.
        objective: what is asked: ``concurrent``, the largest K such that K times every demand is carried at once, or
            another one of :data:`~pnet_lp.throughput.objectives.OBJECTIVES`, with its parameters.
        routing: ``ideal``: any path, any split; else a routing with paths (:func:`pnet_lp.routing.parse_rule`).
        plane_policy: which planes paths may come from; without meaning for ``ideal``.
        seed: what breaks ties between paths and draws them.
        solver: a registered solver, or ``auto`` (see :mod:`pnet_lp.throughput.choose`); a routing that fixes the split
            needs none.  A solver's parameters follow its name, as in ``pulp:solver=CPLEX_CMD``.
        tolerance: relative gap between the bounds at which the result counts as certified, in (0, 1).
        threads: 0 for all cores; the structured solver's result does not depend on it.
        time_limit_s: stop then, with the bounds reached.
        max_iterations: stop then, with the bounds reached; in the solver's own unit.
        start: the certificate of a result for the same paths and other capacities or demands, to start from
            (:mod:`pnet_lp.throughput.start`).
        link_cost: float64 ``[A]``, what a Gb/s on each arc of the flow problem costs, for ``min-cost``
            (:func:`pnet_lp.throughput.link_costs.read_link_costs`); without it each costs 1.
        on_progress: called now and then while solving.

    Ctrl-C while maximising K does not raise: the result then has ``interrupted`` set and the bounds reached so far.

    Raises:
        SpecError: an unknown objective or solver, one that does not go with the other, a tolerance out of range,
            or a start that is not for these paths.
        RoutingError: an unknown routing, or more paths than fit into memory.
        TrafficError: the matrix is empty or for another network.
        SolverError: the solver is not installed or failed, or the problem does not fit into memory.
    """
    goal = parse_objective(objective)
    if (name := parse_expression(solver)[0]) != AUTO and name not in SOLVERS:
        _check_choice("solver", name, (AUTO, *solver_names()))
    if link_cost is not None and not isinstance(goal, MinCost):
        raise SpecError(f"link costs have no meaning for the objective {objective!r}", allowed="min-cost")
    rule = routing_rule(routing, plane_policy, seed)
    if not 0 < tolerance < 1:
        raise SpecError("tolerance is out of range", found=tolerance, allowed="a number between 0 and 1")
    if time_limit_s <= 0 or math.isnan(time_limit_s):
        raise SpecError("time limit is out of range", found=time_limit_s, allowed="seconds > 0")

    clock = Clock("build", "solve", "certify")
    problem = state_problem(network, traffic, rule, per_demand=goal.per_demand, threads=threads)
    given = None if start is None else start_proof(problem, start)
    clock.note("build")
    common: dict[str, Any] = {
        "tolerance": tolerance,
        "objective": objective,
        "routing": routing,
        "plane_policy": plane_policy,
        "routing_seed": seed,
        "level": traffic.level,
        "network": summarise_network(network),
        "traffic": summarise_traffic(traffic),
        "seconds": clock.seconds,
    }
    warnings: tuple[str, ...] = ()
    if problem.disconnected.size:
        warnings = (_disconnected(problem, network, traffic, goal),)
        if not goal.per_demand or len(problem.disconnected) == problem.flow.demand_count:
            figures = goal.figures_of_nothing()
            clock.note("certify")
            rates = floats(np.zeros(traffic.demand_count)) if goal.per_demand else None
            return ThroughputResult(
                interval=Interval(0.0, 0.0),
                status="certified",
                solver=NO_SOLVER,
                iterations=0,
                binding="disconnected",
                bottlenecks=(),
                warnings=warnings,
                figures=_with_rates(figures, rates),
                rates_gbps=rates,
                **common,
            )

    def report(name: str, iterations: int, lower: float, upper: float) -> None:
        if on_progress is not None:
            on_progress(Progress(name, iterations, lower, upper, clock.elapsed()))

    options = SolveOptions(tolerance, time_limit_s, max_iterations, threads, given)
    kept, left = problem, ints(np.arange(problem.flow.demand_count))
    if goal.per_demand and not isinstance(problem, FixedSplit):
        kept, left = connected(problem)
    found = goal.optimise(kept, Means(solver, options, clock, report, link_cost))
    limits, binding = bottlenecks(kept, network, traffic.level, found.certificate)
    rates = None if found.rate is None else _rates_of_pairs(problem.flow, traffic, left, found.rate)
    clock.note("certify")
    return ThroughputResult(
        interval=found.interval,
        status="certified" if found.gap <= tolerance else "bounds",
        solver=found.solver,
        iterations=found.iterations,
        binding=binding if limits else found.unlimited,
        bottlenecks=limits,
        warnings=warnings + found.warnings,
        certificate=found.certificate,
        interrupted=found.interrupted,
        link_load=found.link_load,
        figures=_with_rates(found.figures, rates),
        rates_gbps=rates,
        levels=found.levels,
        **common,
    )


def routing_rule(routing: str, plane_policy: Policy, seed: int) -> PathRule | None:
    """Return the rule that a routing's name stands for, None for ``ideal``.

    Raises:
        RoutingError: no such routing.
        SpecError: a plane policy for ``ideal``, which uses all planes as it likes.
    """
    if routing == IDEAL:
        if plane_policy != "any":
            raise SpecError(
                f"plane policy {plane_policy!r} has no meaning for ideal routing, which uses every plane",
                allowed="any, or a routing with paths such as ksp:8",
            )
        return None
    if _template(routing) not in ROUTINGS:
        _check_choice("routing", routing, tuple(ROUTINGS))
    return parse_rule(routing, policy=plane_policy, seed=seed)


def _template(routing: str) -> str:
    """Return ``ksp:K`` for ``ksp:8``: how the routing is listed."""
    kind, colon, count = routing.partition(":")
    return f"{kind}:K" if colon and count.isdigit() else routing


def state_problem(
    network: Network,
    traffic: TrafficMatrix,
    rule: PathRule | None,
    *,
    per_demand: bool = False,
    threads: int = 0,
) -> Stated:
    """Return what there is to solve: over any path, over given paths, or nothing, where the routing fixes the split.

    With ``per_demand`` demands can get more or less than others, so a fixed split is stated demand by demand.
    """
    if rule is None:
        return build_problem(network, traffic)
    if rule.kind in FIXED_SPLITS and per_demand:
        return build_split_problem(network, traffic, rule, threads=threads)
    if rule.kind in FIXED_SPLITS:
        return build_fixed_split(network, traffic, rule, threads=threads)
    return build_path_problem(network, traffic, rule, threads=threads)


def summarise_network(network: Network) -> dict[str, Any]:
    """Return the ``network`` object of the JSON contract."""
    return {
        "planes": network.plane_count,
        "variant": network.variant,
        "switches": network.switch_count,
        "racks": network.rack_count,
        "hosts": network.host_count,
        "links": network.cable_count,
        "fingerprint": network.fingerprint,
    }


def summarise_traffic(traffic: TrafficMatrix) -> dict[str, Any]:
    """Return the ``traffic`` object of the JSON contract."""
    return {
        "label": traffic.label,
        "demands": traffic.demand_count,
        "total": traffic.total,
        "fingerprint": traffic.fingerprint,
    }


def _check_choice(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        close = nearest(value, dict.fromkeys(known))
        raise SpecError(f"unknown {what} {value!r}{close}", allowed=", ".join(known))


def _disconnected(stated: Stated, network: Network, traffic: TrafficMatrix, goal: Objective) -> str:
    """Return the sentence that names pairs without any path."""
    names = network.endpoint_names(traffic.level)
    problem = stated.flow
    # The problem's demands are between classes of hosts; what a user asked about are pairs.
    classes = problem.endpoint_class[traffic.src], problem.endpoint_class[traffic.dst]
    lost_classes = problem.src[stated.disconnected], problem.dst[stated.disconnected]
    endpoints = problem.attach.shape[1]
    lost = np.flatnonzero(np.isin(_pair_keys(*classes, endpoints), _pair_keys(*lost_classes, endpoints)))
    pairs = [f"{names[traffic.src[j]]} -> {names[traffic.dst[j]]}" for j in lost[:_NAMED_PAIRS]]
    more = f" and {len(lost) - _NAMED_PAIRS:,} more" if len(lost) > _NAMED_PAIRS else ""
    noun = "pair has" if len(lost) == 1 else "pairs have"
    head = "nothing is carried of some demands" if goal.per_demand else "throughput is 0"
    return (
        f"{head}: {len(lost):,} {traffic.level} {noun} a demand but no path in any plane "
        f"({', '.join(pairs)}{more})"
    )


def _rates_of_pairs(
    flow: FlowProblem, traffic: TrafficMatrix, kept: IntArray, rate: FloatArray
) -> FloatArray:
    """Return float64 ``[demands of the matrix]``: what each pair gets of the ``rate`` of its class.

    Args:
        flow: the problem of all demands.
        traffic: the matrix.
        kept: the demands of ``flow`` that have a rate; the others get none.
        rate: Gb/s, of each of them.
    """
    level = np.zeros(flow.demand_count)
    level[kept] = rate / flow.demand[kept]
    # Demands of the problem are sorted by source and destination.
    endpoints = flow.attach.shape[1]
    wanted = _pair_keys(flow.endpoint_class[traffic.src], flow.endpoint_class[traffic.dst], endpoints)
    place = np.searchsorted(_pair_keys(flow.src, flow.dst, endpoints), wanted)
    return floats(traffic.demand * level[place])


def _with_rates(figures: Mapping[str, Any] | None, rates: FloatArray | None) -> Mapping[str, Any] | None:
    """Return the figures with a summary of the rates, where there are any."""
    if figures is None or rates is None:
        return figures
    summary = {"min": float(rates.min()), "mean": float(rates.mean()), "max": float(rates.max())}
    return {**figures, "rates_gbps": summary}


def _pair_keys(src: IntArray, dst: IntArray, endpoints: int) -> npt.NDArray[np.int64]:
    return src.astype(np.int64) * endpoints + dst
