"""From a network and a traffic matrix to a certified throughput, in five steps.

``Network, TrafficMatrix -> FlowProblem -> RawSolution -> Certified -> ThroughputResult``
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import SpecError
from pnet_lp.model import AnyCertificate, Interval, Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import IntArray
from pnet_lp.registry import nearest, parse_expression
from pnet_lp.routing import ROUTINGS, PathRule, Policy, parse_rule
from pnet_lp.throughput.certificate import bottlenecks, certify
from pnet_lp.throughput.choose import AUTO, choose_solver
from pnet_lp.throughput.fixed_split import KINDS as FIXED_SPLITS
from pnet_lp.throughput.fixed_split import FixedSplit, build_fixed_split, certify_fixed_split
from pnet_lp.throughput.path_problem import PathProblem, build_path_problem
from pnet_lp.throughput.problem import FlowProblem, build_problem
from pnet_lp.throughput.solvers import SolveOptions, get_solver, solver_names
from pnet_lp.throughput.start import start_proof

DEFAULT_TOLERANCE = 1e-4
OBJECTIVES = ("concurrent",)
IDEAL = "ideal"

NO_SOLVER = "none"
"""The solver of a result that needs none, because a pair is disconnected and K is 0."""

CLOSED_FORM = "closed-form"
"""The solver of a result whose routing leaves nothing to optimise."""

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
    objective: str = "concurrent",
    routing: str = IDEAL,
    plane_policy: Policy = "any",
    seed: int = 0,
    solver: str = AUTO,
    tolerance: float = DEFAULT_TOLERANCE,
    threads: int = 0,
    time_limit_s: float = math.inf,
    max_iterations: int | None = None,
    start: AnyCertificate | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> ThroughputResult:
    """Return the certified throughput of ``traffic`` on ``network``.

    Args:
        network: the planes.
        traffic: the demands, at the level they are to be solved at.
        objective: ``concurrent``: the largest K such that K times every demand is carried at once.
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
        on_progress: called now and then while solving.

    Ctrl-C while solving does not raise: the result then has ``interrupted`` set and the bounds reached so far.

    Raises:
        SpecError: an unknown objective or solver, a tolerance out of range, or a start that is not for these paths.
        RoutingError: an unknown routing, or more paths than fit into memory.
        TrafficError: the matrix is empty or for another network.
        SolverError: the solver is not installed or failed, or the problem does not fit into memory.
    """
    _check_choice("objective", objective, OBJECTIVES)
    _check_choice("solver", parse_expression(solver)[0], (AUTO, *solver_names()))
    rule = routing_rule(routing, plane_policy, seed)
    if not 0 < tolerance < 1:
        raise SpecError("tolerance is out of range", found=tolerance, allowed="a number between 0 and 1")
    if time_limit_s <= 0 or math.isnan(time_limit_s):
        raise SpecError("time limit is out of range", found=time_limit_s, allowed="seconds > 0")

    clock = _Clock()
    problem = state_problem(network, traffic, rule, threads=threads)
    given = None if start is None else start_proof(problem, start)
    seconds = {"build": clock.lap()}
    common: dict[str, Any] = {
        "tolerance": tolerance,
        "objective": objective,
        "routing": routing,
        "plane_policy": plane_policy,
        "routing_seed": seed,
        "level": traffic.level,
        "network": summarise_network(network),
        "traffic": summarise_traffic(traffic),
        "seconds": seconds,
    }
    if problem.disconnected.size:
        seconds.update(solve=0.0, certify=clock.lap())
        return ThroughputResult(
            interval=Interval(0.0, 0.0),
            status="certified",
            solver=NO_SOLVER,
            iterations=0,
            binding="disconnected",
            bottlenecks=(),
            warnings=(_disconnected(problem, network, traffic),),
            **common,
        )
    if isinstance(problem, FixedSplit):
        seconds["solve"] = 0.0
        certificate, interval = certify_fixed_split(problem)
        found, binding = bottlenecks(problem, network, traffic.level, certificate)
        seconds["certify"] = clock.lap()
        return ThroughputResult(
            interval=interval,
            status="certified",
            solver=CLOSED_FORM,
            iterations=0,
            binding=binding,
            bottlenecks=found,
            certificate=certificate,
            link_load=problem.load,
            **common,
        )

    name = choose_solver(problem) if solver == AUTO else solver
    chosen = get_solver(name)
    chosen.check(problem)

    def report(iterations: int, lower: float, upper: float) -> bool:
        if on_progress is not None:
            on_progress(Progress(name, iterations, lower, upper, clock.elapsed()))
        return True

    options = SolveOptions(tolerance, time_limit_s, max_iterations, threads, given)
    raw = chosen.solve(problem, options, report)
    seconds["solve"] = clock.lap()
    certified = certify(problem, raw.proof)
    found, binding = bottlenecks(problem, network, traffic.level, certified.certificate)
    seconds["certify"] = clock.lap()
    return ThroughputResult(
        interval=certified.interval,
        status="certified" if certified.interval.gap <= tolerance else "bounds",
        solver=name,
        iterations=raw.iterations,
        binding=binding,
        bottlenecks=found,
        warnings=(raw.message,) if raw.message else (),
        certificate=certified.certificate,
        interrupted=raw.interrupted,
        link_load=certified.load,
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
    _check_choice("routing", _template(routing), tuple(ROUTINGS))
    return parse_rule(routing, policy=plane_policy, seed=seed)


def _template(routing: str) -> str:
    """Return ``ksp:K`` for ``ksp:8``: how the routing is listed."""
    kind, colon, count = routing.partition(":")
    return f"{kind}:K" if colon and count.isdigit() else routing


def state_problem(
    network: Network, traffic: TrafficMatrix, rule: PathRule | None, *, threads: int = 0
) -> FlowProblem | PathProblem | FixedSplit:
    """Return what there is to solve: over any path, over given paths, or nothing, where the routing fixes the split."""
    if rule is None:
        return build_problem(network, traffic)
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


class _Clock:
    """Wall time since the start and since the last lap, in seconds."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()

    def lap(self) -> float:
        now = time.perf_counter()
        seconds, self._last = now - self._last, now
        return seconds

    def elapsed(self) -> float:
        return time.perf_counter() - self._last


def _check_choice(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        close = nearest(value, dict.fromkeys(known))
        raise SpecError(f"unknown {what} {value!r}{close}", allowed=", ".join(known))


def _disconnected(
    stated: FlowProblem | PathProblem | FixedSplit, network: Network, traffic: TrafficMatrix
) -> str:
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
    return (
        f"throughput is 0: {len(lost):,} {traffic.level} {noun} a demand but no path in any plane "
        f"({', '.join(pairs)}{more})"
    )


def _pair_keys(src: IntArray, dst: IntArray, endpoints: int) -> npt.NDArray[np.int64]:
    return src.astype(np.int64) * endpoints + dst
