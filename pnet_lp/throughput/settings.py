"""How to solve: the same settings for options and keys of a spec."""

from __future__ import annotations

import math
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from pnet_lp.deadline import Deadline
from pnet_lp.errors import naming
from pnet_lp.flags import Flag
from pnet_lp.registry import Params
from pnet_lp.routing import Routing, RoutingSettings, parse_routing
from pnet_lp.throughput.objectives import CONCURRENT, parse_objective
from pnet_lp.throughput.objectives.least_load import check_least_load
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE, check_solver
from pnet_lp.throughput.solvers import AUTO, get_solver


class ToleranceSettings(Params):
    """How exact a solve has to be."""

    heading = "Solving"

    tolerance: float = Field(
        DEFAULT_TOLERANCE, gt=0, lt=1, description="relative gap between the bounds at which to stop"
    )


class SolveSettings(RoutingSettings, ToleranceSettings):
    """How to solve, and over which paths; see :func:`~pnet_lp.throughput.facade.solve`."""

    heading = "Solving"

    solver: str = Field(AUTO, description="solver with its parameters (`pnet-lp list solvers`)")
    time_limit_s: Annotated[float | None, Flag("--time-limit")] = Field(
        None, gt=0, allow_inf_nan=True, description="seconds after which to stop with the bounds reached"
    )

    @model_validator(mode="after")
    def _check_solving(self) -> Self:
        with naming("objective"):
            goal = parse_objective(self.requested_objective)
        with naming("routing"):
            paths = self.paths
        with naming("solver"):
            check_solver(self.solver)
        goal.check(paths.form, self.solver)
        with naming("solver"):
            if self.solver != AUTO:
                get_solver(self.solver)
        return self

    @property
    def follows_metric(self) -> bool:
        """Whether the routing's paths depend on which are the shortest."""
        return self.paths.form != "arc"

    @property
    def requested_objective(self) -> str:
        """The objective."""
        return CONCURRENT

    @property
    def paths(self) -> Routing:
        """The routing."""
        return parse_routing(self.routing, policy=self.plane_policy)

    def deadline(self) -> Deadline:
        """Return the deadline of an answer that is begun now."""
        return Deadline(math.inf if self.time_limit_s is None else self.time_limit_s)

    def options(self, seed: int, threads: int, deadline: Deadline | None = None) -> dict[str, Any]:
        """Return the keyword arguments of :func:`~pnet_lp.throughput.facade.solve` that the settings stand for.

        Args:
            seed: of the run.
            threads: 0 for all cores.
            deadline: where the time of the answer has begun already; default: it begins now.
        """
        return {
            "objective": self.requested_objective,
            "routing": self.routing,
            "plane_policy": self.plane_policy,
            "seed": seed,
            "solver": self.solver,
            "tolerance": self.tolerance,
            "threads": threads,
            "deadline": deadline or self.deadline(),
        }


class ObjectiveSettings(SolveSettings):
    """What to solve for, and how."""

    heading = "Solving"

    objective: str = Field(CONCURRENT, description="what to optimise (`pnet-lp list objectives`)")

    @property
    def requested_objective(self) -> str:
        """The objective."""
        return self.objective

    @property
    def headline_column(self) -> str:
        """The column of the value, as of a case of a question."""
        return parse_objective(self.objective).headline.key

    @property
    def headline_bounded(self) -> bool:
        """Whether the value has bounds: of fair rates each has its own, and their sum has none."""
        return parse_objective(self.objective).headline.bounded


class LoadSettings(ObjectiveSettings):
    """What to solve for, and how, where the loads are shown."""

    heading = "Solving"

    least_load: bool = Field(
        False,
        description="of all optimal flows, take the one whose loads add up to least: no detours in links, paths, "
        "drawings and saved results",
    )

    @model_validator(mode="after")
    def _check_flow(self) -> Self:
        if self.least_load:
            check_least_load(parse_objective(self.requested_objective), self.paths)
        return self

    def options(self, seed: int, threads: int, deadline: Deadline | None = None) -> dict[str, Any]:
        """See the base class."""
        return super().options(seed, threads, deadline) | {"least_load": self.least_load}
