"""What an objective is: a name, parameters, and a function from a problem to a proved optimum."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias, TypeVar

from pnet_lp.errors import SpecError
from pnet_lp.model import AnyCertificate, Interval
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.result import FairLevel
from pnet_lp.registry import NoParams, Params, Registry, parse_expression
from pnet_lp.throughput.fixed_split import FixedSplit
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.solvers import SolveOptions
from pnet_lp.throughput.split_problem import SplitProblem

CONCURRENT = "concurrent"

CLOSED_FORM = "closed-form"
"""The solver of an optimum that needs none."""

Stated: TypeAlias = FlowProblem | PathProblem | FixedSplit | SplitProblem
"""What there is to solve: over any path, over given paths, or with a split that the routing fixes, of the whole matrix
or demand by demand."""


class Clock:
    """Adds up the wall time of each part of a query.

    Attributes:
        seconds: by part.
    """

    def __init__(self, *parts: str) -> None:
        self.seconds = dict.fromkeys(parts, 0.0)
        self._start = self._last = time.perf_counter()

    def note(self, part: str) -> None:
        """Count the time since the last note for ``part``."""
        now = time.perf_counter()
        self.seconds[part] += now - self._last
        self._last = now

    def elapsed(self) -> float:
        """Return the seconds since the clock was made."""
        return time.perf_counter() - self._start


@dataclass(frozen=True)
class Means:
    """By what to solve.

    Attributes:
        solver: a solver's name, or ``auto``.
        options: how far and how long.
        clock: what ``solve`` and ``certify`` are noted on.
        on_progress: called with the solver's name, iterations and bounds on K.
        link_cost: float64 ``[A]``, what a Gb/s on each arc costs, >= 0; None where each costs 1.
    """

    solver: str
    options: SolveOptions
    clock: Clock = field(default_factory=lambda: Clock("solve", "certify"))
    on_progress: Callable[[str, int, float, float], None] = lambda *_: None
    link_cost: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Optimum:
    """What an objective found.

    Attributes:
        interval: bounds on the objective's value; of ``max-min`` on its first level.
        gap: what decides whether the result is certified.
        solver, iterations: how.
        certificate: the flow and the lengths.
        link_load: float64 ``[A]``, Gb/s on each arc.
        rate: float64 ``[J]``, Gb/s that each demand gets, where demands are rated one by one.
        figures: what leads the JSON document.
        levels: of ``max-min``.
        unlimited: what limits the value where no link has a length.
        interrupted: whether the user stopped it.
        warnings: one sentence each.
    """

    interval: Interval
    gap: float
    solver: str
    iterations: int
    certificate: AnyCertificate
    link_load: FloatArray
    rate: FloatArray | None = None
    figures: Mapping[str, Any] | None = None
    levels: tuple[FairLevel, ...] = ()
    unlimited: str = "core link"
    interrupted: bool = False
    warnings: tuple[str, ...] = ()


class Objective(ABC):
    """Base of all objectives.

    Class attributes:
        per_demand: whether each demand has a rate of its own.  Demands without a path then get none; otherwise a single
            one makes K = 0.
    """

    per_demand: ClassVar[bool] = False

    def __init__(self, params: Params) -> None:
        self.params = params

    @abstractmethod
    def optimise(self, problem: Stated, means: Means) -> Optimum:
        """Return the optimum of a problem without disconnected demands.

        Raises:
            SpecError: the objective makes no sense for the problem, or the solver does not take it.
            SolverError: the solver failed, or the problem does not fit into memory.
        """

    def figures_of_nothing(self) -> Mapping[str, Any] | None:
        """Return what leads the JSON document where K = 0 because a demand has no path; None for the bounds on K.

        Raises:
            RoutingError: the objective has no value then.
        """
        return None


G = TypeVar("G", bound=Objective)

OBJECTIVES: Registry[type[Objective]] = Registry(
    "objective", package="pnet_lp.throughput.objectives", group="pnet_lp.objectives"
)


def register(
    name: str, *, summary: str, params: type[Params] = NoParams, source: str = ""
) -> Callable[[type[G]], type[G]]:
    """Return a decorator that registers an objective's class."""

    def decorate(objective: type[G]) -> type[G]:
        OBJECTIVES.register(name, params=params, summary=summary, source=source)(objective)
        return objective

    return decorate


def parse_objective(text: str) -> Objective:
    """Return the objective that ``name`` or ``name:key=value,...`` stands for.

    Raises:
        SpecError: no such objective or parameter; the message offers the nearest.
    """
    name, values = parse_expression(text)
    entry = OBJECTIVES.get(name)
    return entry.build(entry.validate(values))


def check_storable(objective: str) -> None:
    """Raise SpecError unless results of ``objective`` can be saved with their proof."""
    if objective != CONCURRENT:
        raise SpecError(
            f"results of the objective {objective!r} cannot be saved with their proof", allowed=CONCURRENT
        )
