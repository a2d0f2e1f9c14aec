"""Throughput, or the value of another objective, while parts of a network are down, trial by trial."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from pnet_lp.deadline import NEVER
from pnet_lp.errors import InfeasibleError, TimeLimitError
from pnet_lp.executors.base import Executor, this_machine
from pnet_lp.failures import FailureModel, Failures, Mask, apply_mask, mean_interval
from pnet_lp.model import Interval, Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.model.connected import Connected, connected
from pnet_lp.model.result import Status
from pnet_lp.progress import counted
from pnet_lp.routing import parse_routing
from pnet_lp.seeds import check_draws
from pnet_lp.throughput.facade import solve
from pnet_lp.throughput.objectives import CONCURRENT, Objective, parse_objective
from pnet_lp.throughput.problems import state_problem
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE, IDEAL, NO_SOLVER, WarmStart
from pnet_lp.throughput.solvers import AUTO, choose_solver, get_solver
from pnet_lp.units import format_gbps


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class FailureTrial:
    """The throughput of one draw of failures.

    Attributes:
        trial: its number.
        result: the certified answer for the demands that have a path, without its proof; None where none has, or where
            what has to be carried does not fit.
        failure: what fails by its name, where single failures are gone through; empty where nothing fails.
        equivalent: such failures that symmetry maps onto each other, this one included.
        lost_demands: demands without a path, which the result leaves out.
        lost_share: their part of the sum of all demands.
        infeasible: whether what has to be carried does not fit: a floor of ``total``, or the K of ``min-cost``.
        unsolved: whether the time was over before; then nothing is known.
    """

    trial: int
    result: ThroughputResult | None
    lost_demands: int
    lost_share: float
    failure: str = ""
    equivalent: int = 1
    infeasible: bool = False
    unsolved: bool = False

    @property
    def throughput_gbps(self) -> float:
        """K of the demands that have a path, Gb/s per unit demand; 0 where none has.

        Raises:
            AttributeError: the objective has no throughput.
        """
        return 0.0 if self.result is None else self.result.throughput_gbps

    def bounds(self, objective: Objective) -> Interval:
        """Return the bounds on the objective's value, of which one is attained: both are the value where it has none.

        Where nothing is carried it is the worst: 0, or infinite where it is minimised or does not fit.  Where less is
        carried than has to be, whether that fits is not known; if it does, the value is no better than the bound.
        """
        if self.unsolved:
            return Interval(0.0, math.inf)
        if self.result is None:
            worst = math.inf if objective.minimised else -math.inf if self.infeasible else 0.0
            return Interval(worst, worst)
        if not objective.headline.bounded:
            value = float(self.result.figures[objective.headline.key])
            return Interval(value, value)
        found = self.result.interval
        if not self.undecided(objective):
            return found
        return Interval(found.lower, math.inf) if objective.minimised else Interval(-math.inf, found.upper)

    def undecided(self, objective: Objective) -> bool:
        """Whether it is not known if what has to be carried fits."""
        return self.result is not None and objective.shortfall(self.result.figures) > self.result.tolerance

    def attained(self, objective: Objective) -> float:
        """Return the value that is attained, of :meth:`bounds`."""
        bounds = self.bounds(objective)
        return bounds.upper if objective.minimised else bounds.lower

    def rank(self, objective: Objective) -> tuple[float, ...]:
        """Return what puts the worst first: what disconnects most, unless lost demands count as rates of 0.

        Values that differ in the last digits only are the same.
        """
        value = float(format_gbps(self.attained(objective)))
        lost = 0.0 if objective.per_demand else -self.lost_share
        return (-float(self.infeasible), lost, -value if objective.minimised else value, -self.lost_share)

    @property
    def limit(self) -> str | None:
        """The link with the largest share of the bound, as ``u -> v``."""
        found = () if self.result is None else self.result.bottlenecks[:1]
        return " -> ".join(found[0].link) if found else None

    @property
    def limit_plane(self) -> int | None:
        """Its plane."""
        found = () if self.result is None else self.result.bottlenecks[:1]
        return found[0].plane if found else None

    @property
    def status(self) -> Status | Literal["infeasible"]:
        """Whether the bounds on the value meet."""
        if self.unsolved:
            return "bounds"
        nothing: Literal["certified", "infeasible"] = "infeasible" if self.infeasible else "certified"
        return nothing if self.result is None else self.result.status


def failure_trials(
    network: Network,
    traffic: TrafficMatrix,
    failures: Failures,
    *,
    trials: int,
    seed: int = 0,
    executor: Executor | None = None,
    threads: int = 0,
    **options: Any,
) -> list[FailureTrial]:
    """Return the throughput of ``traffic`` in ``trials`` independent draws of ``failures``.

    One disconnected pair would make the largest common K zero.  Demands without a path are left out of the solve
    instead, and counted: read the value together with :attr:`FailureTrial.lost_share`.
    Draws in which the same is down are solved once.  Over any path, where the solver can start from another answer,
    each starts from that of the network without failures, and so from none of the other draws.  Of the time to a
    deadline, that answer has half, and each draw its part of the rest; draws for which none is left are left out.

    Args:
        network: without failures.
        traffic: the demands, those of the network without failures.
        failures: what is to fail.
        trials: number of draws; trial 0 is what ``pnet-lp throughput --fail-links`` applies.
        seed: of the draws, and of the routing.
        executor: what solves the draws; None for this process.  With solvers whose results do not depend on threads,
            these do not depend on it.
        threads: of each solve; 0 for all cores, divided among its processes.
        options: for :func:`pnet_lp.throughput.solve`.

    Raises:
        SpecError: no trial; a plane, a switch or a cable that the network does not have; a wrong option.
        TrafficError, TopologyError, SolverError: as :func:`pnet_lp.throughput.solve`.
        TimeLimitError: the time was over before the first draw was solved.
        PnetError: a process died.
    """
    masks, which = distinct_draws(network, failures, trials=trials, seed=seed)
    where = executor or this_machine()
    options = {"seed": seed, **options, "threads": where.threads(threads)}
    # One solve is short: what matters is how many there are.  A function that reports cannot go to another process.
    on_progress = options.pop("on_progress", None)
    options["start"] = intact_start(network, traffic, masks, options)
    task = functools.partial(solve_in_part, network, traffic, options)
    draws = [(math.ceil((len(masks) - i) / where.processes), mask) for i, mask in enumerate(masks)]
    found = list(counted(where.map(task, draws), len(masks), "draws solved", on_progress))
    if all(trial.unsolved for trial in found):
        raise options["deadline"].over("solving the first draw")
    return [replace(found[place], trial=trial) for trial, place in enumerate(which) if not found[place].unsolved]


def distinct_draws(network: Network, failures: Failures, *, trials: int, seed: int = 0) -> tuple[list[Mask], list[int]]:
    """Return what is down in draws 0 to ``trials``, each once, and for each draw which of these it is.

    Raises:
        SpecError: no trial; a plane, a switch or a cable that the network does not have.
        TopologyError: positions of planes that differ.
    """
    check_draws("trials", trials)
    model = FailureModel(network, failures)
    first: dict[bytes, int] = {}
    masks: list[Mask] = []
    which = []
    for trial in range(trials):
        mask = model.draw(seed, trial)
        key = b"".join(np.packbits(down).tobytes() for down in (*mask.arcs, *mask.switches, *mask.hosts, mask.inside))
        if key not in first:
            first[key] = len(masks)
            masks.append(mask)
        which.append(first[key])
    return masks, which


def throughput_interval(trials: Sequence[FailureTrial]) -> tuple[float, float] | None:
    """Return the Student-t interval of 95 % confidence of the mean throughput, None for fewer than two trials."""
    return mean_interval([trial.throughput_gbps for trial in trials])


def intact_start(
    network: Network, traffic: TrafficMatrix, masks: Sequence[Mask], options: dict[str, Any]
) -> WarmStart | None:
    """Return the answer without failures, None where no draw could start from it or it would not pay.

    Args:
        network: without failures.
        traffic: the demands.
        masks: what is down in the draws.
        options: for :func:`pnet_lp.throughput.solve`.
    """
    routing = parse_routing(options.get("routing", IDEAL))
    goal = parse_objective(options.get("objective", CONCURRENT))
    if len(masks) < 2 or routing.form != "arc" or not goal.of_rate:
        return None
    solver = options.get("solver", AUTO)
    if solver == AUTO:
        broken, _ = state_problem(apply_mask(network, masks[0]), traffic, routing).connected()
        tolerance = options.get("tolerance", DEFAULT_TOLERANCE)
        deadline = options.get("deadline", NEVER)
        solver = choose_solver(broken, tolerance, deadline) if broken.demand_count else NO_SOLVER
    if solver == NO_SOLVER or "arc" not in get_solver(solver).warm_start:
        return None
    intact = solve(network, traffic, **{**options, "solver": solver, **part_of_time(options, 2)})
    certificate = intact.certificate
    return WarmStart(network, traffic, intact) if certificate and certificate.warm_start == "arc" else None


def part_of_time(options: dict[str, Any], count: int) -> dict[str, Any]:
    """Return the deadline of the next of ``count`` equal parts of the time that is left, where there is one."""
    return {"deadline": options["deadline"].parts(count)} if "deadline" in options else {}


def solve_in_part(
    network: Network, traffic: TrafficMatrix, options: dict[str, Any], draw: tuple[int, Mask]
) -> FailureTrial:
    """Return the trial of a mask, in its part of the time for this many one after the other, unsolved without any."""
    count, mask = draw
    late = FailureTrial(0, None, 0, 0.0, unsolved=True)
    if options.get("deadline", NEVER).to_end_s() == 0:
        return late
    try:
        return solve_connected(network, traffic, options | part_of_time(options, count), mask)
    except TimeLimitError:
        return late


def solve_connected(network: Network, traffic: TrafficMatrix, options: dict[str, Any], mask: Mask) -> FailureTrial:
    """Return trial 0, in which ``mask`` is down; arguments as of :func:`intact_start`."""
    failed = apply_mask(network, mask)
    try:
        found = solve_whole(failed, traffic, options)
    except InfeasibleError:
        return trial_of(None, connected(failed, traffic), infeasible=True)
    if found.result is None:
        return found
    # A thousand proofs fit nowhere; that of one draw takes a solve of its own.
    bare = replace(
        found.result, certificate=None, link_load=None, access_load=None, rates_gbps=None, levels=(), inputs={}
    )
    return replace(found, result=bare)


def solve_whole(network: Network, traffic: TrafficMatrix, options: dict[str, Any]) -> FailureTrial:
    """Return the throughput of the demands that have a path, with its proof.

    Raises:
        InfeasibleError: what has to be carried does not fit.
    """
    left = connected(network, traffic)
    if left.traffic is None:
        return trial_of(None, left)
    return trial_of(solve(network, left.traffic, **options), left)


def trial_of(result: ThroughputResult | None, left: Connected, *, infeasible: bool = False) -> FailureTrial:
    """Return trial 0 with this result for what is ``left`` of the demands."""
    return FailureTrial(0, result, left.lost_demands, left.lost_total / left.total, infeasible=infeasible)
