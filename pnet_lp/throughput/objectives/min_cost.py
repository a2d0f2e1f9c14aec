"""``min-cost``: the cheapest way to carry K times the matrix, at a cost w for each Gb/s on a link between switches.

Any lengths l >= 0 prove a bound: carrying K costs at least ``K sum d_j dist_{w+l}(j) - sum c l``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.errors import RoutingError, SpecError
from pnet_lp.model import AnyCertificate, Interval
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.registry import Params
from pnet_lp.throughput.certificate import certify
from pnet_lp.throughput.fixed_split import FixedSplit, certify_fixed_split
from pnet_lp.throughput.forms import Form, Head, formulate
from pnet_lp.throughput.objectives.base import CLOSED_FORM, Means, Objective, Optimum, Stated, register
from pnet_lp.throughput.objectives.rates import Lengths, Rated, attain, volume, with_lengths
from pnet_lp.throughput.objectives.run import LpSolution, lp_solver, solve_form
from pnet_lp.throughput.split_problem import SplitProblem


class MinCostParams(Params):
    """Parameters of ``min-cost``: how much is carried."""

    at: float | None = Field(None, gt=0, allow_inf_nan=False, description="K to carry, Gb/s per unit demand")
    fraction: float | None = Field(
        None, gt=0, le=1, description="K to carry as a part of the largest one; default 1"
    )

    @model_validator(mode="after")
    def _one(self) -> MinCostParams:
        if self.at is not None and self.fraction is not None:
            raise ValueError("at and fraction cannot both be given")
        return self


@register(
    "min-cost",
    params=MinCostParams,
    summary="the least cost, 1 for each Gb/s on a link between switches, to carry K times the matrix",
)
class MinCost(Objective):
    """Minimum-cost multicommodity flow."""

    params: MinCostParams

    def optimise(self, problem: Stated, means: Means) -> Optimum:
        """See :meth:`Objective.optimise`."""
        assert not isinstance(problem, SplitProblem)
        if isinstance(problem, FixedSplit):
            return self._fixed(problem, means)
        form = formulate(problem)

        def prove_rate(solution: LpSolution) -> tuple[Interval, float]:
            found = certify(problem, form.proof(solution.column_value, solution.row_dual)).interval
            return found, found.gap

        most, iterations, _ = solve_form(form, means, prove_rate)
        rate = self._rate(most.lower)
        demand = problem.flow.demand
        cost = _link_cost(problem, means)
        head = Head.of(
            problem.flow,
            lower=rate * demand,
            upper=rate * demand,
            arc_cost=cost,
            rate_scale=rate,
        )
        form = formulate(problem, head)

        def prove(solution: LpSolution) -> tuple[_Found, float]:
            found = _prove(problem, form, solution, rate, cost)
            return found, max(found.cost.gap, 1 - found.carried / rate)

        found, spent, message = solve_form(form, means, prove)
        # A part of the largest K is what was asked only as far as that is known.
        unknown = most.gap if self.params.at is None else 0.0
        return Optimum(
            found.cost,
            max(found.cost.gap, 1 - found.carried / rate, unknown),
            lp_solver(means),
            iterations + spent,
            found.certificate,
            found.load,
            rate=floats(found.carried * demand),
            figures=_figures(found.cost, found.carried, rate, float(demand.sum())),
            unlimited="nothing",
            warnings=(message,) if message else (),
        )

    def figures_of_nothing(self) -> None:
        """No K > 0 can be carried.

        Raises:
            RoutingError: always.
        """
        raise RoutingError(
            "min-cost: a demand has no path, so nothing can be carried whole",
            allowed="the objectives total or max-min",
        )

    def _fixed(self, problem: FixedSplit, means: Means) -> Optimum:
        certificate, most = certify_fixed_split(problem)
        rate = self._rate(most.lower)
        load = rate * problem.load
        total = float(_link_cost(problem, means) @ load)
        cost = Interval(total, total)
        means.clock.note("certify")
        figures = _figures(cost, rate, rate, float(problem.flow.demand.sum()))
        rates = floats(rate * problem.flow.demand)
        return Optimum(cost, 0.0, CLOSED_FORM, 0, certificate, load, rate=rates, figures=figures)

    def _rate(self, most: float) -> float:
        """Return the K to carry, where ``most`` can be."""
        if self.params.at is None:
            return most * (1.0 if self.params.fraction is None else self.params.fraction)
        if self.params.at > most:
            raise SpecError(
                "the matrix does not fit",
                where="min-cost: at",
                found=self.params.at,
                allowed=f"at most {most:.9g} Gb/s per unit demand",
            )
        return self.params.at


@dataclass(frozen=True, eq=False)
class _Found:
    """A flow, what it costs, and what it carries: K, a hair less than asked where rounding ate it."""

    cost: Interval
    carried: float
    certificate: AnyCertificate
    load: FloatArray


def _link_cost(problem: Stated, means: Means) -> FloatArray:
    """Return what a Gb/s on each arc costs, ``[A]``."""
    return np.ones(len(problem.flow.capacity)) if means.link_cost is None else means.link_cost


def cost_bound(problem: Rated, rate: float, lengths: Lengths, link_cost: FloatArray) -> float:
    """Return what carrying ``rate`` times every demand costs at least, as lengths prove it."""
    length, up, down = lengths
    distance = problem.distances(length + link_cost, up, down)
    return rate * float(problem.flow.demand @ distance) - volume(problem.flow, lengths)


def _prove(problem: Rated, form: Form, solution: LpSolution, rate: float, link_cost: FloatArray) -> _Found:
    attained = attain(problem, form, solution, rate * problem.flow.demand)
    carried = attained.factor * rate
    lengths = form.lengths(solution.row_dual)
    nothing: Lengths = (np.zeros_like(lengths[0]), np.zeros_like(lengths[1]), np.zeros_like(lengths[2]))
    # Without lengths: everybody takes a shortest path.  It can be the better bound, and is where all of them fit.
    lower, best = max(
        ((cost_bound(problem, carried, each, link_cost), each) for each in (lengths, nothing)),
        key=lambda pair: pair[0],
    )
    cost = float(link_cost @ attained.load)
    certificate = with_lengths(attained.certificate, best)
    return _Found(Interval(min(lower, cost), cost), carried, certificate, attained.load)


def _figures(cost: Interval, carried: float, asked: float, total: float) -> dict[str, object]:
    return {
        "cost_gbps_links": cost.upper,
        "lower_bound_gbps_links": cost.lower,
        "upper_bound_gbps_links": cost.upper,
        "relative_gap": cost.gap,
        "carried_gbps": carried,
        "asked_gbps": asked,
        "mean_links": cost.upper / (carried * total),
    }
