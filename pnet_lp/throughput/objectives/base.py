"""What an objective is: a name, parameters, a function from a problem to a proved optimum, and how that is checked."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pnet_lp.errors import SpecError
from pnet_lp.model import Certificate, Interval, Network, ThroughputResult
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.brief import brief
from pnet_lp.model.result import FairLevel, ValueKey
from pnet_lp.model.rounded import div_down, sub_up
from pnet_lp.registry import Params, Registry, parse_expression, write_expression
from pnet_lp.routing import Form
from pnet_lp.throughput.problems import Attained, ConcurrentProblem, Problem
from pnet_lp.throughput.solvers import AUTO, SolveOptions
from pnet_lp.units import format_bounds, format_gap, format_short

if TYPE_CHECKING:
    from pnet_lp.verification.second import SavedAnswer, SecondProblem

CONCURRENT = "concurrent"

CLOSED_FORM, NO_SOLVER = "closed-form", "none"
"""The solver of an optimum that needs none, and of bounds for which there was no time for one."""


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


@brief()
@dataclass(frozen=True, repr=False)
class SolveContext:
    """By what to solve, and where to report.

    Attributes:
        solver: a solver's name, or ``auto``.
        options: how far and how long.
        clock: what ``solve`` and ``certify`` are noted on.
        on_progress: called with the solver's name, iterations and bounds on K.
    """

    solver: str = AUTO
    options: SolveOptions = field(default_factory=SolveOptions)
    clock: Clock = field(default_factory=lambda: Clock("solve", "certify"))
    on_progress: Callable[[str, int, float, float], None] = lambda *_: None


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Optimum:
    """What an objective found.

    Attributes:
        interval: bounds on the objective's value; of ``max-min`` on its first level.
        gap: what decides whether the result is certified.
        solver, iterations: how.
        certificate: the flow and the lengths.
        link_load: float64 ``[A]``, Gb/s on each arc.
        rate: float64 ``[J]``, Gb/s that each demand gets, or one number: the part that all get of what they ask.
        figures: what leads the JSON document.
        levels: of ``max-min``.
        interrupted: whether the user stopped it.
        warnings: one sentence each.
        stated: the problem that the certificate is of, where it is a reduced one.
    """

    interval: Interval
    gap: float
    solver: str
    iterations: int
    certificate: Certificate
    link_load: FloatArray
    rate: FloatArray | float
    figures: Mapping[str, Any]
    levels: tuple[FairLevel, ...] = ()
    interrupted: bool = False
    warnings: tuple[str, ...] = ()
    stated: ConcurrentProblem | None = None


class Objective(ABC):
    """Base of all objectives.

    Class attributes:
        headline: the figure that answers the question.
        per_demand: whether each demand has a rate of its own.  Demands without a path then get none; otherwise a single
            one makes K = 0.
        rated: whether a result lists the rate of each demand.
        levelled: whether a result lists levels of rates.
        minimised: whether the least value is looked for; then the upper bound is attained.
        of_rate: whether the value is a function of K: see :meth:`rate_of` and :meth:`at_rate`.
        whole: whether loads, rates and paths are those of the matrix itself, whatever links carry then; otherwise those
            at the value that is attained.
        gain: what 1 % more capacity of a limiting link gives at most, ``{}`` being a percentage; empty where its dual
            price does not say.
        unlimited: what limits the value where no link has a length.
        closed_forms: the forms of routings under which it needs no solver.

    Attributes:
        params: its parameters.
        expression: as it was written, without blanks.
        inputs: arrays that it reads beside network and traffic, by name; a saved result holds them.
    """

    headline: ClassVar[ValueKey]
    per_demand: ClassVar[bool] = False
    rated: ClassVar[bool] = True
    levelled: ClassVar[bool] = False
    minimised: ClassVar[bool] = False
    of_rate: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    gain: ClassVar[str] = ""
    unlimited: ClassVar[str] = "core link"
    closed_forms: ClassVar[frozenset[Form]] = frozenset()

    def __init__(self, params: Params, expression: str = "") -> None:
        self.params = params
        self.expression = expression
        self.inputs: Mapping[str, FloatArray] = {}

    def check(self, form: Form, solver: str) -> None:
        """Raise SpecError where the objective does not go with a form of routing, or with a solver or ``auto``."""
        if solver != AUTO and form in self.closed_forms:
            raise SpecError(
                "a solver has no meaning here: routing and objective leave nothing to solve",
                where="solver",
                found=solver,
                allowed=AUTO,
            )

    def check_comparable(self) -> None:  # noqa: B027 - for most, any two compare
        """Raise SpecError where values of two networks do not compare, because each is asked for something else."""

    def bind(self, network: Network) -> Self:
        """Return the objective with what it reads beside the network, such as a file that its parameters name.

        Raises:
            SpecError: that cannot be read, or does not fit the network.
        """
        del network
        return self

    @property
    def apart(self) -> bool:
        """Whether equivalent hosts are solved one by one, because a demand between two is more than a part of a sum."""
        return False

    @property
    def input_names(self) -> frozenset[str]:
        """The names of what :meth:`bind` reads."""
        return frozenset()

    def with_inputs(self, inputs: Mapping[str, FloatArray]) -> Self:
        """Return the objective with what it read before."""
        bound = type(self)(self.params, self.expression)
        bound.inputs = inputs
        return bound

    @abstractmethod
    def optimise(self, problem: Problem, context: SolveContext) -> Optimum:
        """Return the optimum of a problem without disconnected demands.

        Raises:
            SpecError: the objective makes no sense for the problem, or the solver does not take it.
            SolverError: the solver failed, or the problem does not fit into memory.
        """

    def rate_of(self, figures: Mapping[str, Any]) -> Interval | None:
        """Return the bounds on K, given the document's first keys; None where the value is not a function of K."""
        del figures
        return None

    def at_rate(self, result: ThroughputResult, rate: Interval) -> ThroughputResult:
        """Return a result with these bounds on K, where the value is a function of it."""
        raise NotImplementedError(f"the value of {self.expression} is not a function of K")

    def carried(self, problem: Problem, found: Optimum) -> FloatArray:
        """Return float64 ``[J]``: Gb/s that each demand gets in the flow of an optimum."""
        return problem.flow.rates(found.rate)

    def along(self, problem: Problem, found: Optimum, flow: Attained) -> Optimum:
        """Return an optimum with another flow, of the same rates up to rounding.

        An objective that does not define it chooses the flow itself.
        """
        raise NotImplementedError

    @abstractmethod
    def figures_of_nothing(self) -> Mapping[str, Any]:
        """Return what leads the JSON document where nothing is carried because demands have no path.

        Raises:
            RoutingError: the objective has no value then.
        """

    @abstractmethod
    def recheck(self, second: SecondProblem, claim: SavedAnswer) -> Mapping[str, Any]:
        """Return the figures that a saved claim proves, computed without solver, core or :meth:`optimise`.

        Args:
            second: the second implementation of the problem, with the claim's certificate.
            claim: what was saved.

        Raises:
            CertificateError: the claim proves nothing.
        """

    def gap(self, figures: Mapping[str, Any]) -> float:
        """Return the relative gap that decides whether an answer is certified."""
        return float(figures["relative_gap"])

    def shortfall(self, figures: Mapping[str, Any]) -> float:
        """Return the part that is missing of what has to be carried; the bounds are for what is carried."""
        del figures
        return 0.0

    @property
    def proves_gap(self) -> bool:
        """Whether :meth:`gap` is all of that gap; otherwise a part of it was known when solving only."""
        return True

    def outstanding(self, document: Mapping[str, Any]) -> str:
        """Return what had not come about when the solve of an answer ended that is not certified."""
        return f"they met within a gap of {document['tolerance']:g}"

    @abstractmethod
    def words(self, figures: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the first lines of an answer to a person, labels and texts, given the JSON document."""


OBJECTIVES: Registry[type[Objective]] = Registry(
    "objective", package="pnet_lp.throughput.objectives", group="pnet_lp.objectives"
)


def parse_objective(text: str) -> Objective:
    """Return the objective that ``name`` or ``name:key=value,...`` stands for.

    Raises:
        SpecError: no such objective or parameter; the message offers the nearest.
    """
    name, values = parse_expression(text, OBJECTIVES)
    entry = OBJECTIVES.get(name)
    return entry.build(entry.validate(values), write_expression(name, values))


def missing(part: float, whole: float) -> float:
    """Return what a part lacks of the whole, as a part of it, rounded up."""
    return float(sub_up(1.0, div_down(part, whole)))


def proved(figures: Mapping[str, Any], headline: ValueKey) -> tuple[str, str]:
    """Return the line that says between which bounds a value is."""
    bounds = format_bounds(*(figures[key] for key in headline.bounds))
    return "proved", f"{bounds}; relative gap {format_gap(figures['relative_gap'])}"


def rates_in_words(figures: Mapping[str, Any]) -> tuple[str, str]:
    """Return the line that sums up the rates of demands."""
    rates = figures["rates_gbps"]
    low, mean, high = (format_short(rates[key]) for key in ("min", "mean", "max"))
    return "rates", f"{low} to {high} Gb/s, {mean} on average"
