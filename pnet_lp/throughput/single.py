"""Throughput, or the value of another objective, with every single failure, the worst first."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from pnet_lp.deadline import NEVER
from pnet_lp.executors.base import Executor, this_machine
from pnet_lp.failures import Each, Mask, RiskGroup, SingleFailure, apply_mask, single_failures
from pnet_lp.model import Interval, Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.arcs import usable_arcs
from pnet_lp.model.arrays import BoolArray, ints
from pnet_lp.model.connected import connected, lost_pairs, without
from pnet_lp.model.flow import FlowProblem
from pnet_lp.model.summary import summarise_network
from pnet_lp.progress import counted
from pnet_lp.routing import parse_routing
from pnet_lp.throughput.objectives import CONCURRENT, Objective, parse_objective
from pnet_lp.throughput.orbits import orbits
from pnet_lp.throughput.problems import ArcProblem, build_problem
from pnet_lp.throughput.proofs.bottlenecks import bottlenecks
from pnet_lp.throughput.rerouting import SOLVER, Rerouted, Rerouting
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE, IDEAL
from pnet_lp.throughput.solvers import AUTO
from pnet_lp.throughput.trials import FailureTrial, intact_start, part_of_time, solve_in_part, solve_whole, trial_of

_FIRST_ORDER = "structured", "columns"
"""The solvers whose answers failures are solved from: others are for what is tiny or symmetric, and sooner."""

_TOGETHER = 16
"""Failures that a process solves with one program."""

_FEWEST = 8
"""Failures from which on a program pays: some kinds of links of a fabric are sooner solved from nothing."""


def single_failure_trials(
    network: Network,
    traffic: TrafficMatrix,
    each: Each,
    groups: Sequence[RiskGroup] = (),
    *,
    seed: int = 0,
    executor: Executor | None = None,
    threads: int = 0,
    **options: Any,
) -> list[FailureTrial]:
    """Return the throughput without failures, then with each, the worst first (:meth:`FailureTrial.rank`).

    Failures that an automorphism of network and demands maps onto each other are solved once, and named together.  A
    link that carries nothing in an optimal flow over any path is not missed: that flow still fits, and without the link
    no other one does that did not before, so it remains optimal for every objective.  Where the objective is a function
    of K, over any path and by the solver ``auto``, each is solved from the flow and the lengths without failures
    (:mod:`pnet_lp.throughput.rerouting`) where few links limit; and the K of a failure is attained without it, too.
    With servers failures of one orbit are solved once, too, but each from nothing.
    Of the time to a deadline, the answer without failures has half, and each failure its part of the rest; of failures
    for which none is left nothing is known.

    Args:
        network: without failures.
        traffic: the demands.
        each: what fails.
        groups: those of ``group``.
        seed: of the routing.
        executor: what solves failures; None for this process.
        threads: of each solve; 0 for all cores, divided among its processes.
        options: for :func:`pnet_lp.throughput.solve`.

    Raises:
        SpecError: the network has no such part, or too many; values of the objective would not compare.
        InfeasibleError: what has to be carried does not fit without failures.
        TrafficError, TopologyError, SolverError: as :func:`pnet_lp.throughput.solve`.
    """
    failures = single_failures(network, each, groups)
    routing, goal = parse_routing(options.get("routing", IDEAL)), parse_objective(options.get("objective", CONCURRENT))
    goal.check_comparable()
    drawn = routing.splitting is None or options.get("plane_policy") == "single"
    # What an objective reads from a file can tell links apart.
    plain = network.servers is None
    symmetric = (routing.form == "arc" or not drawn) and not goal.input_names
    deadline = options.get("deadline", NEVER)
    together = orbits(network, traffic, failures, deadline) if symmetric else [ints([i]) for i in range(len(failures))]
    where = executor or this_machine()
    options = {"seed": seed, **options, "threads": where.threads(threads)}
    intact = solve_whole(network, traffic, options | part_of_time(options, 2))
    firsts = [failures[orbit[0]] for orbit in together]
    carrying = _carrying(network, intact) if plain and routing.form == "arc" else None
    lost = intact.lost_demands
    needed = [
        i
        for i, failure in enumerate(firsts)
        if carrying is None or not _is_idle(network, traffic, failure, carrying, lost)
    ]
    masks = [firsts[i].mask(network) for i in needed]
    # One solve is short: what matters is how many there are.  A function that reports cannot go to another process.
    on_progress = options.pop("on_progress", None)
    rerouting = _rerouting(network, traffic, intact, len(masks), goal, options)
    if rerouting is None:
        options["start"] = intact_start(network, traffic, masks, options)
    elif intact.result is not None:
        limited = _limited(network, traffic, intact.result, rerouting.problem, rerouting.best)
        intact = replace(intact, result=goal.at_rate(limited, rerouting.best.interval))
    found = [intact] * len(firsts)
    task = functools.partial(_solve_some, network, traffic, options, intact, rerouting)
    turns = [(math.ceil((len(masks) - i) / where.processes), mask) for i, mask in enumerate(masks)]
    solved = where.map(task, [turns[i : i + _TOGETHER] for i in range(0, len(masks), _TOGETHER)])
    trials = itertools.chain.from_iterable(solved)
    for i, trial in zip(needed, counted(trials, len(masks), "failures solved", on_progress), strict=True):
        found[i] = trial
    if routing.form == "arc":
        intact, found = _nested(goal, intact, found)
    named = [
        replace(trial, failure=failure.name, equivalent=len(orbit))
        for trial, failure, orbit in zip(found, firsts, together, strict=True)
    ]
    named.sort(key=lambda trial: trial.rank(goal))
    return [intact, *(replace(trial, trial=i) for i, trial in enumerate(named))]


def _rerouting(
    network: Network, traffic: TrafficMatrix, intact: FailureTrial, count: int, goal: Objective, options: dict[str, Any]
) -> Rerouting | None:
    """Return the program that failures are solved from, or None where each had better be solved from nothing."""
    if network.servers is not None or options.get("solver", AUTO) != AUTO or count < _FEWEST:
        return None
    problem, result = build_problem(network, traffic), intact.result
    if result is None or result.solver not in _FIRST_ORDER or intact.lost_demands or not Rerouting.pays(problem):
        return None
    rate = goal.rate_of(result.figures)
    certificate = result.certificate
    if rate is None or certificate is None or certificate.warm_start != "arc" or not math.isfinite(rate.upper):
        return None
    if options.get("deadline", NEVER).left_s() == 0:
        return None
    found = Rerouting(problem, certificate, rate, options.get("tolerance", DEFAULT_TOLERANCE))
    return found if found.optimise() else None


def _solve_some(
    network: Network,
    traffic: TrafficMatrix,
    options: dict[str, Any],
    intact: FailureTrial,
    rerouting: Rerouting | None,
    turns: Sequence[tuple[int, Mask]],
) -> list[FailureTrial]:
    """Return the throughput with each of the masks, by ``rerouting`` where that leads to an answer.

    Beside a mask stands for how many failures there has to be time, one after the other.
    """
    late = options.get("deadline", NEVER)
    found = []
    for turn in turns:
        warm = rerouting if late.left_s() > 0 else None
        trial = None if warm is None else _rerouted(network, traffic, intact, warm, turn[1])
        found.append(solve_in_part(network, traffic, options, turn) if trial is None else trial)
    return found


def _rerouted(
    network: Network, traffic: TrafficMatrix, intact: FailureTrial, rerouting: Rerouting, mask: Mask
) -> FailureTrial | None:
    """Return what the program with all links up finds with some of them down."""
    flow, result = rerouting.problem, intact.result
    down = _links_down(network, traffic, flow, mask)
    if down is None or result is None:
        return None
    failed = apply_mask(network, mask)
    lost = lost_pairs(failed, traffic)
    left = without(traffic, lost)
    if left.traffic is None:
        return trial_of(None, left)
    gone = np.zeros(flow.demand_count, dtype=np.bool_)
    gone[flow.demand_of_pairs(traffic)[lost]] = True
    found = rerouting.without(down, gone)
    if found is None:
        return None
    # Of most failures the lengths are those without it.
    same = found.lengths is rerouting.best.lengths
    bare = replace(
        result if same else _limited(network, traffic, result, flow, found),
        network=summarise_network(failed),
        solver=SOLVER,
        iterations=found.steps,
        certificate=None,
        link_load=None,
        access_load=None,
    )
    return trial_of(parse_objective(result.objective).at_rate(bare, found.interval), left)


def _limited(
    network: Network, traffic: TrafficMatrix, result: ThroughputResult, flow: FlowProblem, found: Rerouted
) -> ThroughputResult:
    """Return the result with the links that have a length in ``found``."""
    limits, binding = bottlenecks(ArcProblem(flow), network, traffic.level, found.lengths)
    return replace(result, bottlenecks=limits, binding=binding)


def _links_down(network: Network, traffic: TrafficMatrix, flow: FlowProblem, mask: Mask) -> BoolArray | None:
    """Return bool ``[L]``, the links of the problem that are down; None where a class of hosts loses a part of them."""
    arcs = np.concatenate(
        [lost[flow.arc_id[slice(*ptr)]] for lost, ptr in zip(mask.arcs, pairwise(flow.arc_ptr), strict=True)]
    )
    access = np.zeros(flow.attach.shape, dtype=np.bool_)
    for p, plane in enumerate(network.planes):
        dead = mask.switches[p]
        access[p] = (flow.attach[p] >= 0) & dead[flow.attach[p]]
        if traffic.level == "host" and mask.hosts[p].any():
            cut = mask.hosts[p] & (plane.host_switch >= 0) & (flow.endpoint_class >= 0)
            classes = np.unique(flow.endpoint_class[cut])
            if np.isin(flow.endpoint_class[~cut], classes).any():
                return None
            access[p, classes] = True
    return np.concatenate([arcs, access.ravel(), access.ravel()])


def _nested(
    goal: Objective, intact: FailureTrial, found: list[FailureTrial]
) -> tuple[FailureTrial, list[FailureTrial]]:
    """Return the same with bounds that agree: over any path, the whole network attains what it does with less.

    Of a value that is not a function of K nothing changes.
    """
    if intact.result is None:
        return intact, found
    rates = [
        goal.rate_of(trial.result.figures)
        if trial.result is not None and trial.lost_demands == intact.lost_demands
        else None
        for trial in found
    ]
    known = goal.rate_of(intact.result.figures)
    if known is None:
        return intact, found
    lower = max([known.lower, *(rate.lower for rate in rates if rate is not None)])
    most = max(lower, known.upper)
    return replace(intact, result=goal.at_rate(intact.result, Interval(lower, most))), [
        replace(trial, result=goal.at_rate(trial.result, Interval(rate.lower, most)))
        if trial.result is not None and rate is not None and rate.upper > most
        else trial
        for trial, rate in zip(found, rates, strict=True)
    ]


def _carrying(network: Network, intact: FailureTrial) -> list[BoolArray] | None:
    """Return of each plane bool ``[m]``, the cables that carry anything, or None where that is not known."""
    if intact.result is None or intact.result.link_load is None:
        return None
    arcs = usable_arcs(network)
    found = [np.zeros(plane.cable_count, dtype=np.bool_) for plane in network.planes]
    for p, cables in enumerate(found):
        here = slice(arcs.ptr[p], arcs.ptr[p + 1])
        cables[arcs.id[here][intact.result.link_load[here] > 0] // 2] = True
    return found


def _is_idle(
    network: Network, traffic: TrafficMatrix, failure: SingleFailure, carrying: list[BoolArray], lost: int
) -> bool:
    """Whether only links fail, none of them carries anything, and no more demands than ``lost`` have no path then."""
    if not failure.parts or any(part.kind != "link" or carrying[part.plane][part.index] for part in failure.parts):
        return False
    # A demand that gets nothing may lose its only path.
    return connected(apply_mask(network, failure.mask(network)), traffic).lost_demands == lost
