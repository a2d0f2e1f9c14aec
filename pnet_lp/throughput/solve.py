"""From a network, a matrix and a query to a certified answer, in five steps.

``Network, TrafficMatrix -> Problem -> Optimum (proof, certificate) -> bottlenecks -> ThroughputResult``

What is optimised, and how that is proved, is the business of an objective (:mod:`pnet_lp.throughput.objectives`); what
paths there are, that of a routing (:mod:`pnet_lp.routing`).  Here both are parsed; :mod:`pnet_lp.throughput.facade`
parses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pnet_lp.deadline import GRACE_S, OVER, Deadline
from pnet_lp.errors import SpecError, TimeLimitError
from pnet_lp.model import Certificate, Interval, Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.certificates import Origin
from pnet_lp.model.connected import NAMED_PAIRS, Connected, connected_by_rule, follows_rule
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.registry import parse_expression, unknown
from pnet_lp.routing import Routing, parse_routing
from pnet_lp.routing.loads import Split
from pnet_lp.throughput.objectives import NO_SOLVER as NO_SOLVER  # noqa: PLC0414 - for those who solve
from pnet_lp.throughput.objectives import Clock, Objective, SolveContext, parse_objective
from pnet_lp.throughput.objectives.least_load import with_least_load
from pnet_lp.throughput.problems import FlowProblem, Problem, build_problem, state_problem
from pnet_lp.throughput.proofs.bottlenecks import bottlenecks
from pnet_lp.throughput.solvers import AUTO, SOLVERS, InitialPoint, SolveOptions, is_symmetric
from pnet_lp.units import format_gbps

DEFAULT_TOLERANCE = 1e-4
IDEAL = "ideal"

_SECONDS_PER_PAIR, _SECONDS_PER_RATE = 1e-7, 1.5e-6
"""What the rate of each pair of the matrix takes, and that of each demand between classes, at least."""


@dataclass(frozen=True)
class Progress:
    """The state of a running solve.

    Attributes:
        solver: its name.
        iterations: in the solver's own unit.
        lower, upper: bounds proved so far, in Gb/s per unit demand; 0 and ``inf`` until the solver proves some.
        seconds: since the solve began.
    """

    solver: str
    iterations: int
    lower: float
    upper: float
    seconds: float

    def __str__(self) -> str:
        return (
            f"{format_gbps(self.lower)} <= K <= {format_gbps(self.upper)} Gb/s, "
            f"{self.solver}, {self.iterations:,} iterations, {self.seconds:.0f} s"
        )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while a solver ran that had reached bounds.

    As a KeyboardInterrupt, it ends a program that does not catch it.

    Attributes:
        result: the bounds reached.
    """

    def __init__(self, result: ThroughputResult) -> None:
        super().__init__()
        self.result = result


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class WarmStart:
    """An earlier answer to begin from, for a network with other links up, or for other demands.

    Attributes:
        network, traffic: what the answer is for.
        result: the answer, by the requested routing.
    """

    network: Network
    traffic: TrafficMatrix
    result: ThroughputResult

    def origin(self, problem: Problem, restate: Callable[[Network, TrafficMatrix], Problem]) -> Origin[Problem]:
        """See :meth:`Certificate.origin`: the answer, and the problem stated again that it is for."""
        del problem
        result = self.result
        if result.certificate is None:
            raise SpecError("a warm start needs a certificate, and the result has none")
        return result.certificate, restate(self.network, self.traffic), result.solver, result.iterations


@brief()
@dataclass(frozen=True, repr=False)
class Query:
    """A question about a network and a matrix, and how far to solve it.

    Attributes:
        objective: what is optimised.
        routing: which paths there are.
        solver: a solver's expression, or ``auto``.
        options: how far and how long to solve.
        least_load: whether, of all optimal flows, the one whose loads add up to least is looked for.
    """

    objective: Objective
    routing: Routing
    solver: str
    options: SolveOptions
    least_load: bool = False


def check_solver(expression: str) -> None:
    """Raise SpecError unless ``expression`` is ``auto`` or a known solver with its parameters, installed or not."""
    if expression == AUTO:
        return
    name, values = parse_expression(expression)
    if name not in SOLVERS:
        raise unknown("unknown solver", name, (AUTO, *SOLVERS.names()))
    SOLVERS.get(name).validate(values)


def answer(
    network: Network,
    traffic: TrafficMatrix,
    query: Query,
    *,
    start: Certificate | WarmStart | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> ThroughputResult:
    """Return what ``query`` asks of ``traffic`` on ``network``; see :func:`pnet_lp.throughput.solve`."""
    clock = Clock("build", "solve", "certify")
    given, demands = network, traffic
    goal, tolerance = query.objective.bind(given), query.options.tolerance
    if query.least_load:
        given.check_without_servers("the least load")
    if query.routing.splitting == Split.Vlb:
        given.check_without_servers("routing over every switch")
    network, traffic = given.graph, traffic.on_graph(given)
    problem = state_problem(
        network,
        traffic,
        query.routing,
        apart=query.objective.apart,
        listed=start is not None or query.least_load or not _takes_shortest(query.solver),
        threads=query.options.threads,
    )
    clock.note("build")

    def report(name: str, iterations: int, lower: float, upper: float) -> None:
        if on_progress is not None:
            on_progress(Progress(name, iterations, lower, upper, clock.elapsed()))

    common: dict[str, Any] = {
        "headline": goal.headline,
        "tolerance": tolerance,
        "objective": goal.expression,
        "routing": query.routing.expression,
        "plane_policy": query.routing.policy,
        "routing_seed": query.routing.seed,
        "level": traffic.level,
        "network": summarise_network(given),
        "traffic": summarise_traffic(demands),
        "seconds": clock.seconds,
        "inputs": goal.inputs,
    }
    # Demands of a rule may be too many to be listed.
    rule = connected_by_rule(problem.flow, demands) if problem.form == "arc" and follows_rule(demands) else None
    lost = len(problem.disconnected) if rule is None else rule.lost_demands
    warnings = _warnings(given, traffic, query)
    if lost:
        warnings += (_disconnected(problem, given, traffic, query.objective, rule),)
    if lost and not (goal.per_demand and _some_connected(problem)):
        rates = floats(np.zeros(traffic.demand_count)) if goal.per_demand else None
        figures = dict(goal.figures_of_nothing())
        clock.note("certify")
        return ThroughputResult(
            figures=figures if rates is None else figures | {"rates_gbps": summarise_rates(rates)},
            interval=Interval(0.0, 0.0),
            status="certified",
            solver=NO_SOLVER,
            iterations=0,
            binding="disconnected",
            bottlenecks=(),
            warnings=warnings,
            rates_gbps=rates,
            **common,
        )
    kept, left = problem.connected()
    deadline = query.options.deadline
    seconds, more = kept.first_bounds_s, _seconds_for_rates(traffic, kept, deadline) if goal.rated else 0.0
    if seconds + more <= deadline.to_end_s() or not _has_classes(goal, kept, query):
        kept = kept.ready_by(deadline)
        deadline = OVER if kept.rough else deadline.reserving(seconds + more)
    initial = None if kept.rough else _initial_point(kept, start, query)
    options = replace(query.options, deadline=deadline, initial=initial)
    clock.note("build")
    context = SolveContext(query.solver, options, clock, report)
    found, load = goal.optimise(kept, context), None
    if query.least_load:
        found, load = with_least_load(goal, kept, found, context)
    stated = kept if found.stated is None else found.stated
    limits, binding = bottlenecks(stated, given, traffic.level, found.certificate.lengths)
    rates = _rates_of_pairs(problem.flow, traffic, left, found.rate) if goal.rated else None
    result = ThroughputResult(
        figures=found.figures if rates is None else {**found.figures, "rates_gbps": summarise_rates(rates)},
        interval=found.interval,
        status="certified" if found.gap <= tolerance else "bounds",
        solver=found.solver,
        iterations=found.iterations,
        binding=binding if limits else goal.unlimited,
        bottlenecks=limits,
        warnings=warnings + found.warnings,
        certificate=found.certificate,
        interrupted=found.interrupted,
        link_load=found.link_load,
        access_load=stated.access_loads(found.certificate, found.rate) if traffic.level == "host" else None,
        rates_gbps=rates,
        part=0.0 if goal.rated else float(found.rate),
        levels=found.levels,
        least_load=load,
        **common,
    )
    clock.note("certify")
    if found.interrupted:
        raise Interrupted(result)
    return result


def _takes_shortest(solver: str) -> bool:
    """Whether a solver takes flows by destination over shortest paths."""
    return solver == AUTO or "shortest" in SOLVERS.get(parse_expression(solver)[0]).build.forms


def _has_classes(goal: Objective, problem: Problem, query: Query) -> bool:
    """Whether a program on equivalence classes is solved, of which first bounds are known long before those of all."""
    return goal.of_rate and query.solver == AUTO and is_symmetric(problem, query.options.deadline)


def _seconds_for_rates(traffic: TrafficMatrix, problem: Problem, deadline: Deadline) -> float:
    """Return about how long the rates of all demands take.

    Raises:
        TimeLimitError: far longer than there is time.
    """
    seconds = _SECONDS_PER_PAIR * traffic.demand_count + _SECONDS_PER_RATE * problem.demand_count
    if seconds > deadline.to_end_s() + GRACE_S:
        raise TimeLimitError(
            f"the rates of {traffic.demand_count:,} demands alone take about {seconds:.2g} s",
            where="time_limit_s",
            found=deadline.limit_s,
            allowed="more seconds, or fewer demands",
        )
    return seconds


def _initial_point(problem: Problem, start: Certificate | WarmStart | None, query: Query) -> InitialPoint | None:
    if start is None:
        return None

    def restate(network: Network, traffic: TrafficMatrix) -> Problem:
        apart = query.objective.apart
        return state_problem(network, traffic, query.routing, apart=apart, threads=query.options.threads).connected()[0]

    certificate, earlier, solver, iterations = start.origin(problem, restate)
    return InitialPoint(problem.warm_start(certificate, earlier), solver, iterations)


def flow_of(network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> FlowProblem:
    """Return the links and demands that the arrays of a result refer to."""
    routing = parse_routing(result.routing, policy=result.plane_policy, seed=result.routing_seed)
    network, traffic = network.graph, traffic.on_graph(network)
    return build_problem(network, traffic, aggregate=not (routing.per_flow or parse_objective(result.objective).apart))


def summarise_rates(rates: FloatArray) -> dict[str, float]:
    """Return the ``rates_gbps`` object of the JSON contract."""
    return {"min": float(rates.min()), "mean": float(rates.mean()), "max": float(rates.max())}


def _some_connected(problem: Problem) -> bool:
    return len(problem.disconnected) < problem.demand_count


def _warnings(network: Network, traffic: TrafficMatrix, query: Query) -> tuple[str, ...]:
    found = list(network.warnings)
    if query.routing.draws and traffic.level == "rack":
        found.append(
            f"{query.routing.expression} draws one path for all that a rack sends to another, as if it were one flow; "
            "between hosts it draws one for each pair"
        )
    return tuple(found)


def _disconnected(
    problem: Problem, network: Network, traffic: TrafficMatrix, goal: Objective, rule: Connected | None
) -> str:
    """Return the sentence that names pairs without any path; ``rule`` knows those of one."""
    names = network.graph.endpoint_names(traffic.level)
    if rule is None:
        # The problem's demands are between classes of hosts; what a user requested are pairs.
        lost = np.flatnonzero(np.isin(problem.flow.demand_of_pairs(traffic), problem.disconnected))
        count, ends = len(lost), [(traffic.src[j], traffic.dst[j]) for j in lost[:NAMED_PAIRS]]
    else:
        count, ends = rule.lost_demands, list(rule.examples)
    pairs = [f"{names[s]} -> {names[t]}" for s, t in ends]
    more = f" and {count - len(pairs):,} more" if count > len(pairs) else ""
    noun = "pair has" if count == 1 else "pairs have"
    head = "nothing is carried of some demands" if goal.per_demand else "throughput is 0"
    return f"{head}: {count:,} {traffic.level} {noun} a demand but no path in any plane ({', '.join(pairs)}{more})"


def _rates_of_pairs(
    flow: FlowProblem, traffic: TrafficMatrix, kept: IntArray | slice, rate: FloatArray | float
) -> FloatArray:
    """Return float64 ``[demands of the matrix]``: what each pair gets of the ``rate`` of its class.

    Args:
        flow: the problem of all demands.
        traffic: the matrix.
        kept: the demands of ``flow`` that have a rate; the others get none.
        rate: Gb/s, of each of them.
    """
    found = np.zeros(flow.demand_count)
    found[kept] = rate
    demand = flow.demand_of_pairs(traffic)
    # A pair alone in its class gets the rate of the class to the last bit.
    return floats(found[demand] * (traffic.demand / flow.demand[demand]))
