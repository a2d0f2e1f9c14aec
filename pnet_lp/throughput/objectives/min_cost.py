"""``min-cost``: the least cost of carrying K times the matrix, at a cost w for each Gb/s on a link between switches.

Any lengths l >= 0 prove a bound: carrying K costs at least ``K sum d_j dist_{w+l}(j) - sum c l``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.errors import InfeasibleError, RoutingError, SpecError
from pnet_lp.model import Certificate, Interval, Network
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.result import ValueKey
from pnet_lp.model.rounded import add_down, div_down, mul_down, mul_up, sub_down, sum_down, sum_up
from pnet_lp.registry import Params
from pnet_lp.routing import Form as RoutingForm
from pnet_lp.throughput.objectives.base import (
    CLOSED_FORM,
    NO_SOLVER,
    OBJECTIVES,
    Objective,
    Optimum,
    SolveContext,
    missing,
    proved,
)
from pnet_lp.throughput.objectives.link_costs import read_link_costs
from pnet_lp.throughput.objectives.program import (
    NO_TIME,
    check_program_solver,
    known,
    lp_solver,
    solve_again,
    solve_flow,
    solve_goal,
    solve_program,
)
from pnet_lp.throughput.problems import Certified, Lengths, Problem
from pnet_lp.throughput.problems.answers import Answer
from pnet_lp.throughput.problems.program import Form, ProgramGoal
from pnet_lp.throughput.solvers import AUTO, choose_solver, get_solver
from pnet_lp.throughput.solvers.choose import FLOW_SOLVER
from pnet_lp.throughput.solvers.general import Best
from pnet_lp.units import format_gbps
from pnet_lp.verification.checks import SAME

if TYPE_CHECKING:
    from pnet_lp.verification.second import SavedAnswer, SecondProblem


_ROUNDING = 1e-4
"""Part of the requested K that may be missing without a warning; the status says whether it is within the tolerance."""

_ROOM = 0.2
"""Part of the tolerance by which less than the largest K is looked for."""

_SURELY = 1e-9
"""Beyond what part a bound on K has to be from what was requested for the solve to end."""

_CANCELLED = 1e-6
"""A lower bound that is a smaller part than this of the volume subtracted in it has too few digits left."""


class MinCostParams(Params):
    """Parameters of ``min-cost``: how much is carried."""

    at: float | None = Field(None, gt=0, allow_inf_nan=False, description="K to carry, Gb/s per unit demand")
    fraction: float | None = Field(None, gt=0, le=1, description="K to carry as a part of the largest one; default 1")
    costs: Path | None = Field(
        None,
        description="table plane,u,v,cost of what a Gb/s on a link costs, links not named cost 1; or a number that "
        "files give links, such as unit_cost",
    )

    @model_validator(mode="after")
    def _one(self) -> MinCostParams:
        if self.at is not None and self.fraction is not None:
            raise ValueError("at and fraction cannot both be given")
        return self


@OBJECTIVES.register(
    "min-cost",
    params=MinCostParams,
    example="fraction=0.9",
    summary="the least cost, 1 for each Gb/s on a link between switches, to carry K times the matrix",
)
class MinCost(Objective):
    """Minimum-cost multicommodity flow."""

    headline = ValueKey("cost", "gbps_links", "Gb/s times links")
    minimised = True
    closed_forms = frozenset({"split"})
    unlimited = "nothing"
    params: MinCostParams

    def check(self, form: RoutingForm, solver: str) -> None:
        """See :meth:`Objective.check`."""
        super().check(form, solver)
        check_program_solver(solver, form)

    def check_comparable(self) -> None:
        """See :meth:`Objective.check_comparable`: a part of the largest K is another K in each network."""
        if self.params.at is None:
            raise SpecError(
                "each failure would be asked for another K, and costs would not compare",
                where="objective",
                found=self.expression,
                allowed="min-cost:at=K",
            )

    def bind(self, network: Network) -> Self:
        """Return the objective with the costs of its file; see :meth:`Objective.bind`."""
        # Where there are layers, some arcs are no links, and some are two of one.
        network.check_without_servers("a cost of links")
        if self.params.costs is None:
            return self
        return self.with_inputs({"link_cost": read_link_costs(self.params.costs, network)})

    @property
    def input_names(self) -> frozenset[str]:
        """See :attr:`Objective.input_names`."""
        return frozenset({"link_cost"} if self.params.costs else ())

    def optimise(self, problem: Problem, context: SolveContext) -> Optimum:
        """See :meth:`Objective.optimise`."""
        cost = self._link_cost(problem.flow.capacity)
        solved = problem.solved()
        if solved is not None:
            return self._solved(problem, solved, cost, context)
        at, demand = self.params.at, problem.flow.demand

        def goal(rate: float) -> ProgramGoal:
            return ProgramGoal.of(
                problem.flow, lower=rate * demand, upper=rate * demand, arc_cost=cost, rate_scale=rate
            )

        def proving(rate: float, least: float | None = None) -> Callable[[Answer], tuple[_Found, float]]:
            return lambda answer: _judged(_prove(problem, answer, rate, cost), rate if least is None else least)

        if at is not None and problem.form != "arc" and context.solver == AUTO:
            # Where little is carried an even split of it fits, and is the cheapest over paths of one length.
            even, gap = _judged(_along(problem, known(problem), at, cost), at)
            if gap <= context.options.tolerance:
                context.clock.note("certify")
                return self._optimum(problem, Best(even, 0, "", interrupted=False), NO_SOLVER, at, 0.0)
        tried = None
        if at is not None and lp_solver(context, problem) == FLOW_SOLVER:
            # Whether so much fits shows by itself.
            tried = solve_flow(
                problem, goal(at), context, proving(at), lambda: _judged(_along(problem, known(problem), at, cost), at)
            )
            over = tried.best.interrupted or context.options.deadline.left_s() <= 0
            if tried.gap <= context.options.tolerance or over:
                return self._optimum(problem, tried.best, FLOW_SOLVER, at, 0.0)
        search = largest(problem, context, enough=np.inf if at is None else at)
        most = search.answer.interval
        stopped = search.interrupted or context.options.deadline.left_s() <= 0
        rate = self._rate(most)

        def along() -> tuple[_Found, float]:
            return _judged(_along(problem, search.answer, rate, cost), rate)

        # Between the bounds nothing says whether what was requested fits.
        name = lp_solver(context, problem)
        flow, gap = along()
        if stopped or rate > most.lower or gap <= context.options.tolerance:
            cheapest = Best(flow, 0, search.message, search.interrupted)
            context.clock.note("certify")
        elif tried is not None:
            cheapest, name = solve_again(problem, goal(rate), context, proving(rate), tried)
        else:
            # At the largest K itself no flow has room on either side of it.
            tolerance = context.options.tolerance
            sought = min(rate, most.upper * (1 - _ROOM * tolerance))
            # What is left out counts, too.
            closer = replace(context.options, tolerance=tolerance - missing(sought, rate))
            nearer = replace(context, options=closer)
            cheapest, name = solve_goal(problem, goal(sought), nearer, proving(rate, sought), along)
        # A part of the largest K is the requested one only as far as that is known.
        found = replace(cheapest, iterations=search.iterations + cheapest.iterations)
        return self._optimum(problem, found, name, rate, most.gap if at is None else 0.0)

    def _optimum(self, problem: Problem, best: Best[_Found], name: str, rate: float, unknown: float) -> Optimum:
        """Return what was found for carrying ``rate``, which is known within the relative gap ``unknown``."""
        found, demand = best.answer, problem.flow.demand
        return Optimum(
            found.cost,
            max(found.cost.gap, missing(found.carried, rate), unknown),
            name,
            best.iterations,
            found.certificate,
            found.load,
            floats(found.carried * demand),
            _figures(found.cost, found.carried, rate, float(demand.sum())),
            interrupted=best.interrupted,
            warnings=best.warnings,
        )

    def figures_of_nothing(self) -> Mapping[str, Any]:
        """No K > 0 can be carried.

        Raises:
            RoutingError: always.
        """
        raise RoutingError(
            "min-cost: a demand has no path, so nothing can be carried whole", allowed="the objectives total or max-min"
        )

    def recheck(self, second: SecondProblem, claim: SavedAnswer) -> Mapping[str, Any]:
        """See :meth:`Objective.recheck`; of a part of the largest K only that it is carried is proved."""
        rates, check = claim.rates, second.check
        assert rates is not None
        carried, most = float(rates.least.min()), float(rates.most.max())
        check.require(
            carried > 0 and most <= carried * (1 + SAME),
            "all demands get the same part",
            "demands get nothing, or different parts of what they ask",
        )
        requested = self.params.at
        if requested is None:
            requested = claim.figures.get("asked_gbps", carried)
            check.trust("the largest K, of which asked_gbps is a part, is taken as it stands")
        check.require(
            isinstance(requested, float) and carried <= requested * (1 + SAME),
            "no more is carried than was requested",
            f"asked_gbps is {requested!r}, and {carried!r} is carried",
        )
        # What carries more than was requested has room for what was, at no more cost.
        carried = min(carried, requested)
        link_cost = self._link_cost(second.flow.capacity)
        check.require(
            link_cost.shape == second.flow.capacity.shape and bool(np.all(np.isfinite(link_cost) & (link_cost >= 0))),
            "every link has a cost",
            "the costs are not a finite number >= 0 for each link",
        )
        check.magnitudes("answer.inputs.link_cost", link_cost)
        cost = second.merged_up(sum_up(mul_up(link_cost, second.carry(rates))))
        # Without lengths every demand takes a cheapest path.  It can be the better bound.
        length, up, down = second.lengths
        without = second.takes((link_cost, np.zeros_like(up), np.zeros_like(down)))
        through = second.takes((add_down(length, link_cost), up, down))
        least = max(mul_down(carried, without), sub_down(mul_down(carried, through), second.volume(second.lengths)))
        total = second.merged_up(sum_up(second.flow.demand))
        found = second.ordered(float(least), float(cost))
        return _figures(found, carried, requested, float(total))

    def gap(self, figures: Mapping[str, Any]) -> float:
        """See :meth:`Objective.gap`."""
        return max(super().gap(figures), self.shortfall(figures))

    def shortfall(self, figures: Mapping[str, Any]) -> float:
        """See :meth:`Objective.shortfall`."""
        return missing(figures["carried_gbps"], figures["asked_gbps"])

    @property
    def proves_gap(self) -> bool:
        """Whether K itself was given: how far the largest K is known is not a part of the proof."""
        return self.params.at is not None

    def words(self, figures: Mapping[str, Any]) -> list[tuple[str, str]]:
        """See :meth:`Objective.words`."""
        total, mean = format_gbps(figures["cost_gbps_links"]), figures["mean_links"]
        carried, requested = (format_gbps(figures[key]) for key in ("carried_gbps", "asked_gbps"))
        cost = ("cost", f"{total} Gb/s times links, {mean:.4g} links on average")
        if not _falls_short(figures):
            said = [cost, ("carried", f"{carried} Gb/s per unit demand")]
        else:
            said = [
                ("carried", f"only {carried} of the requested {requested} Gb/s per unit demand, at this cost"),
                cost,
            ]
        return [*said, proved(figures, self.headline)]

    def outstanding(self, document: Mapping[str, Any]) -> str:
        """See :meth:`Objective.outstanding`."""
        if _falls_short(document):
            return "all that was requested was carried"
        if document["relative_gap"] > document["tolerance"]:
            return super().outstanding(document)
        return f"the largest K was known within a gap of {document['tolerance']:g}"

    def _solved(self, problem: Problem, solved: Certified, link_cost: FloatArray, context: SolveContext) -> Optimum:
        """Return what it costs along the only flow there is."""
        requested, demand = self._rate(solved.interval), problem.flow.demand
        attained = solved.carrying(demand, requested)
        carried = float(mul_down(attained.factor, requested))
        assert solved.least_load is not None
        least = mul_down(div_down(carried, solved.interval.lower), solved.least_load)
        lower = problem.flow.merged_down(sum_down(mul_down(link_cost, least)))
        cost = Interval(lower, _cost(problem, link_cost, attained.load))
        context.clock.note("certify")
        return Optimum(
            cost,
            max(1 - attained.factor, cost.gap),
            CLOSED_FORM,
            0,
            solved.certificate,
            attained.load,
            attained.rate,
            _figures(cost, carried, requested, float(demand.sum())),
        )

    def _link_cost(self, capacity: FloatArray) -> FloatArray:
        """Return what a Gb/s on each arc costs, ``[A]``."""
        return self.inputs.get("link_cost", np.ones(len(capacity)))

    def _rate(self, most: Interval) -> float:
        """Return the K to carry, where the largest is between the bounds ``most``."""
        if self.params.at is None:
            return most.lower * (1.0 if self.params.fraction is None else self.params.fraction)
        if self.params.at > most.upper:
            raise InfeasibleError(
                "the matrix does not fit",
                where="min-cost: at",
                found=self.params.at,
                allowed=f"at most {most.lower:.9g} Gb/s per unit demand",
            )
        return self.params.at


@dataclass(frozen=True, eq=False)
class _Found:
    """A flow, what it costs, and what it carries: K, reduced by rounding from the requested one."""

    cost: Interval
    carried: float
    certificate: Certificate
    load: FloatArray


def _judged(found: _Found, rate: float) -> tuple[_Found, float]:
    return found, max(found.cost.gap, missing(found.carried, rate))


def largest(
    problem: Problem, context: SolveContext, *, enough: float = np.inf, lacking: float = 0.0
) -> Best[Certified]:
    """Return a flow for the largest K, and bounds on it.

    Args:
        problem: the problem.
        context: by what to solve it.
        enough: the K that the flow needs to have.
        lacking: where no flow has it, what K lacks need be known up to this part of it only; 0 for what options say.
    """
    solved = problem.solved()
    if solved is not None or problem.rough:
        message = NO_TIME if solved is None else ""
        return Best(known(problem) if solved is None else solved, 0, message, interrupted=False)
    # So close that what is not known of K is no more than a part of the tolerance.
    options = replace(context.options, tolerance=0.5 * context.options.tolerance)
    name = rate_solver(problem, replace(context, options=options))
    solver = get_solver(name)
    if solver.takes_rate and bool(solver.programs):
        chosen = replace(context, solver=name)

        def prove(form: Form, value: FloatArray, dual: FloatArray) -> tuple[Certified, float]:
            return judged(problem.certify(form.proof(value, dual)))

        def judged(found: Certified) -> tuple[Certified, float]:
            return found, found.interval.gap

        return solve_program(problem, None, chosen, prove, lambda: judged(known(problem)))
    solver.check(problem)
    decided = False

    def report(iterations: int, lower: float, upper: float) -> bool:
        nonlocal decided
        context.on_progress(name, iterations, lower, upper)
        decided = lower >= enough * (1 + _SURELY) or (
            upper < enough * (1 - _SURELY) and upper - lower < lacking * (enough - upper)
        )
        return not decided

    raw = solver.solve(problem, options, report)
    context.clock.note("solve")
    certified = problem.certify(raw.proof)
    context.clock.note("certify")
    late = options.deadline.left_s() <= 0 and not decided and certified.interval.gap > options.tolerance
    message = f"{name}: {NO_TIME}" if late else raw.message
    return Best(certified, raw.iterations, message, raw.interrupted and not decided)


def rate_solver(problem: Problem, context: SolveContext) -> str:
    """Return the name of the solver by which :func:`largest` looks for K."""
    if problem.form != "arc":
        return lp_solver(context, problem)
    if context.solver != AUTO:
        return context.solver
    # A flow on equivalence classes is none that can be continued from.
    return choose_solver(problem, context.options.tolerance, classes=False)


def cost_bound(problem: Problem, rate: FloatArray, lengths: Lengths, link_cost: FloatArray) -> float:
    """Return what carrying the ``rate`` ``[J]`` of every demand, Gb/s, costs at least, as lengths prove it.

    Rounded down.  It is 0 where so few digits are left of the difference that sums in another order, as in ``verify``,
    give another one.
    """
    length, up, down = lengths
    distance = problem.distances((floats(add_down(length, link_cost)), up, down))
    takes, volume = problem.flow.merged_down(sum_down(mul_down(rate, distance))), problem.flow.volume(lengths)
    least = float(sub_down(takes, volume))
    return least if least > _CANCELLED * volume else 0.0


def _cost(problem: Problem, link_cost: FloatArray, load: FloatArray) -> float:
    """Return what a ``load`` ``[A]`` costs, rounded up."""
    return problem.flow.merged_up(sum_up(mul_up(link_cost, load)))


def no_lengths(problem: Problem) -> Lengths:
    """Return lengths of 0."""
    access = np.zeros(problem.flow.attach.shape)
    return np.zeros(len(problem.flow.capacity)), access, access


def _along(problem: Problem, flow: Certified, rate: float, link_cost: FloatArray) -> _Found:
    """Return what ``rate`` costs along a known flow, and at least along shortest paths."""
    attained, nothing = flow.carrying(problem.flow.demand, rate), no_lengths(problem)
    carried = float(mul_down(attained.factor, rate))
    cost = Interval(cost_bound(problem, attained.rate, nothing, link_cost), _cost(problem, link_cost, attained.load))
    return _Found(cost, carried, attained.with_lengths(nothing), attained.load)


def _prove(problem: Problem, answer: Answer, rate: float, link_cost: FloatArray) -> _Found:
    attained = answer.attain(floats(mul_up(rate, problem.flow.demand)))
    carried = float(mul_down(attained.factor, rate))
    served = floats(mul_down(carried, problem.flow.demand))
    lengths = answer.lengths()
    # Without lengths every demand takes a shortest path.  It can be the better bound, and is where all of them fit; of
    # equal bounds the first is saved.
    lower, best = max(
        ((cost_bound(problem, served, each, link_cost), each) for each in (no_lengths(problem), lengths)),
        key=lambda pair: pair[0],
    )
    cost = Interval(lower, _cost(problem, link_cost, attained.load))
    return _Found(cost, carried, attained.with_lengths(best), attained.load)


def _falls_short(figures: Mapping[str, Any]) -> bool:
    """Whether less is carried than was requested, beyond rounding."""
    return bool(figures["carried_gbps"] < figures["asked_gbps"] * (1 - _ROUNDING))


def _figures(cost: Interval, carried: float, requested: float, total: float) -> dict[str, object]:
    return {
        "cost_gbps_links": cost.upper,
        "lower_bound_gbps_links": cost.lower,
        "upper_bound_gbps_links": cost.upper,
        "relative_gap": cost.gap,
        "carried_gbps": carried,
        "asked_gbps": requested,
        "mean_links": cost.upper / (carried * total),
    }
