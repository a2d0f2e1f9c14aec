"""What a question is: a model of the keys of its cases, and a function that poses one case for one seed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

from pydantic import Field, PrivateAttr

from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.errors import SpecError
from pnet_lp.flags import Flag
from pnet_lp.registry import Params, Registry, parse_expression
from pnet_lp.seeds import MOST_DRAWS, Seed, derive_seed
from pnet_lp.units import quantity_of

Value: TypeAlias = float | int | str | bool | None
"""What a cell of a table holds."""

AnswerStatus: TypeAlias = Literal["certified", "bounds", "exact"]
"""Whether the headline's bounds meet within the tolerance, do not, or are the value itself."""

NAME_OF = "name"
"""What a chart calls the name of an expression, beside its parameters."""


class ProgressReport(Protocol):
    """How far an answer is; ``str`` of it is a line for whoever waits."""

    @property
    def seconds(self) -> float:
        """Since it began."""


@dataclass(frozen=True)
class ProgressStep:
    """What is done next, of an answer or of one of several.

    Attributes:
        text: about it.
        progress: how far that is; None where nothing measures it.
    """

    text: str
    progress: ProgressReport | None = None

    @property
    def seconds(self) -> float:
        """Since it began; where nothing measures it, as long as it takes to be shown."""
        return self.progress.seconds if self.progress else float("inf")

    def __str__(self) -> str:
        return f"{self.text}: {self.progress}" if self.progress else self.text


ProgressCallback: TypeAlias = Callable[[Any], None] | None
"""Called now and then with a :class:`ProgressReport`."""


@dataclass(frozen=True)
class Run:
    """How a case is answered; no figure depends on it.

    Attributes:
        threads: of each solve; 0 for all cores.
        jobs: processes that work in parallel, where a question has parts that can.
        kept: answers that are held in memory at the same time.
        on_progress: called now and then.
        deadline: when the answer is wanted; None for what the case says, from the moment it is asked.
        keep_partial: whether Ctrl-C ends it with what was reached, in place of a KeyboardInterrupt.
    """

    threads: int = 0
    jobs: int = 1
    kept: int = 1
    on_progress: ProgressCallback = None
    deadline: Deadline | None = None
    keep_partial: bool = False

    def until(self, deadline: Deadline) -> Run:
        """Return the same with a moment at which the answer is wanted."""
        return replace(self, deadline=deadline)


@dataclass(frozen=True)
class OutputOption:
    """A file or a folder that a command writes on request; ``words.write_<key>(answer, path)`` writes it.

    Attributes:
        help: one sentence.
        suffixes: the allowed ones, which choose the format; empty for any.
        folder: whether it is a folder.
        excludes: keys of the case beside which it has no meaning.
    """

    help: str
    suffixes: tuple[str, ...] = ()
    folder: bool = False
    excludes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Series:
    """A short form of a sweep: a command that answers for several values of some keys, in one document.

    For a series called ``compare`` the module ``answer`` of the question has ``compare(points, answers)``, which gives
    the document, and ``words`` has ``compare_report(document)``, ``compare_table(points, answers)`` and, where it is
    drawn, ``write_compare_plot(points, answers, title, path)``; for one without a name, ``series`` takes its place.  A
    point is the values of the axes by key.

    Attributes:
        name: of a command beside the question's own; where that is empty, its own answers so where an axis is given.
        axes: how the values of each key are given, in place of one value; the last key varies fastest.
        summary: one line about the command.
        help: its help text; the question's own where empty.
        example: as of :class:`Case`.
        rows, plot: as of :class:`Case`.
        defaults: values of keys that are not given.
    """

    name: str
    axes: Mapping[str, Flag]
    summary: str = ""
    help: str = ""
    example: str = ""
    rows: str = ""
    plot: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)


class Case(Params):
    """Base of all cases, whose fields are the keys that a spec, a command and a Python call may give.

    A case is answered for ``draws`` seeds, each of them deciding all that ``seed`` decides.  Files are looked for from
    where the command runs.

    Class attributes:
        columns: by name, what an answer says besides its headline.
        headline: the name of its headline; empty where that is another from case to case, see :attr:`headline_column`.
        example: arguments of a command that runs as it stands.
        rows: what a row of its table is; empty where it has none.
        plot: what ``--plot`` draws; empty where it draws nothing.
        outputs: other files that the command writes, by key.
        series: short forms of sweeps.
        instead: keys of another question, which the command asks where they are given, by key.
        threads, jobs: keys of which one must be given for ``--threads`` and ``--jobs`` to have a meaning; empty where
            they always have one, None where they never have.
        pooled: whether the draws of a case make one answer, so that the command takes ``--draws``.
    """

    columns: ClassVar[tuple[str, ...]] = ()
    headline: ClassVar[str] = ""
    example: ClassVar[str] = ""
    rows: ClassVar[str] = ""
    plot: ClassVar[str] = ""
    outputs: ClassVar[Mapping[str, OutputOption]] = {}
    instead: ClassVar[Mapping[str, str]] = {}
    series: ClassVar[tuple[Series, ...]] = ()
    threads: ClassVar[tuple[str, ...] | None] = ()
    jobs: ClassVar[tuple[str, ...] | None] = None
    pooled: ClassVar[bool] = False

    seed: Seed = Field(0, description="seed of all random choices")
    draws: int = Field(
        1, ge=1, le=MOST_DRAWS, description="seeds the case is answered for: seed, and others derived from it"
    )

    _warnings: tuple[str, ...] = PrivateAttr(())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What :meth:`check` has found to be assumed of files, one sentence each."""
        return self._warnings

    @property
    def headline_column(self) -> str:
        """The name of the headline of this case; empty where it is not declared."""
        return self.headline

    @property
    def headline_bounded(self) -> bool:
        """Whether the headline of this case has two bounds, one of which is attained, where it is not exact."""
        return True

    def deadline(self) -> Deadline:
        """Return when an answer is wanted that is begun now."""
        return NEVER

    @classmethod
    def point(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return those values of the axes of a series that a case of them has."""
        return dict(values)

    def check_alone(self) -> None:
        """Raise what has no meaning for a case by itself; in a sweep, a key may be there for the sake of others."""

    def check(self) -> None:
        """Raise what building would raise that can be known before: a sweep is not to fail after hours of solving."""

    def cell(self, key: str) -> Any:
        """Return the value of a key as a table has it: several joined by +, times and sizes as they are written."""
        value, field = getattr(self, key), type(self).model_fields[key]
        quantity = quantity_of(field.annotation, field.metadata)
        if quantity is not None and isinstance(value, int):
            return quantity.format(value)
        return " + ".join(map(str, value)) if isinstance(value, tuple) else value

    def chart_value(self, key: str) -> Any:
        """Return the value of a key by which charts tell cases apart, None where the case has none.

        ``workload.load`` is the parameter ``load`` of the expression ``workload``, and ``topology.name`` the name of
        one; a number as such.
        """
        name, _, parameter = key.partition(".")
        value = getattr(self, name)
        if not parameter or value is None:
            return value
        if isinstance(value, tuple):
            return (
                tuple(_part(item, parameter) for item in value)
                if len(value) > 1
                else _part(value[0], parameter)
            )
        return _part(value, parameter)

    def draw_seed(self, index: int) -> int:
        """Return the seed of a draw: of the first one ``seed`` itself, so that more draws keep those there are."""
        return derive_seed(self.seed, "draw", index) if index else self.seed

    def draw_settings(self, index: int) -> dict[str, Any]:
        """Return the settings of one draw as JSON values: those of the case, with the draw's own seed."""
        return self.model_dump(mode="json", exclude={"draws"}) | {"seed": self.draw_seed(index)}


def _part(expression: object, parameter: str) -> Any:
    """Return the name of an expression, or a parameter that it gives; None where it gives none."""
    try:
        name, values = parse_expression(str(expression))
    except SpecError:
        # A file has no parameters, and those of ksp:8 have no names.
        name, values = str(expression).partition(":")[0], {}
    if parameter == NAME_OF:
        return name
    found = values.get(parameter)
    try:
        return None if found is None else int(found) if found.isdecimal() else float(found)
    except ValueError:
        return found


@dataclass(frozen=True)
class Headline:
    """The one value of an answer that charts and comparisons with published numbers use.

    Attributes:
        column: its name in tables, unit included: ``throughput_gbps``.
        unit: that unit, as it ends the names of its bounds and its error: ``gbps``; empty for a plain number.
        quantity: what it is: ``throughput``.
        value: it; NaN where there is none.
        lower, upper: between what it is proved to lie; itself where it is exact.
        words: its unit to read, where the quantity does not say it: ``Gb/s per unit demand``.
    """

    column: str
    unit: str
    quantity: str
    value: float
    lower: float
    upper: float
    words: str = ""

    @classmethod
    def exact(cls, column: str, unit: str, quantity: str, value: float | None, words: str = "") -> Headline:
        """Return the headline of a number that needs no bounds; None is no number."""
        number = float("nan") if value is None else float(value)
        return cls(column, unit, quantity, number, number, number, words)

    @property
    def label(self) -> str:
        """What heads a column or an axis of it."""
        return self.words or self.quantity

    def named(self, prefix: str) -> str:
        """Return the name of what is said about the value: ``upper_bound_gbps``."""
        return f"{prefix}_{self.unit}" if self.unit else prefix


@dataclass(frozen=True)
class Summary:
    """What tables, charts and sweeps show of an answer.

    Attributes:
        headline: its one value.
        columns: what else a table says of it, by name, units included: those that the model of the case declares.
        status: of the headline.
        limited_by: what sets the value, in a word or two; empty where nothing is to be said.
        seconds: wall time by part, where the parts are known.
    """

    headline: Headline
    columns: Mapping[str, Value] = field(default_factory=dict)
    status: AnswerStatus = "exact"
    limited_by: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)


class Answer(ABC):
    """What a question gives for one case and seed: typed values, and one JSON document of them.

    The document is what the command prints with ``--json``, what a sweep stores, and what Python returns.
    """

    @abstractmethod
    def summary(self) -> Summary:
        """Return what tables, charts and sweeps show of it."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return everything, as a JSON object; what a clock measured stands under ``seconds`` alone."""

    @property
    def headline(self) -> Headline:
        """Its one value."""
        return self.summary().headline

    @property
    def columns(self) -> Mapping[str, Value]:
        """What else a table says of it."""
        return self.summary().columns

    @property
    def status(self) -> AnswerStatus:
        """Of the headline."""
        return self.summary().status

    @property
    def warnings(self) -> Sequence[str]:
        """What was noticed while answering, a sentence each."""
        return ()

    @property
    def save(self) -> Callable[[Path], object] | None:
        """What writes the proof into a file, for ``pnet-lp verify``; None where there is none."""
        return None

    @property
    def partial(self) -> bool:
        """Whether it is less than what was requested: a limit or Ctrl-C has ended it, or bounds have not met."""
        return self.status == "bounds"

    @classmethod
    def pooled(cls, answers: Sequence[Any], *, stopped: bool) -> Answer:
        """Return one answer of several draws of a case, or of those done where it was ``stopped``."""
        raise NotImplementedError


@dataclass(frozen=True)
class Posed:
    """A case with everything built that it is about; what is left is to answer it.

    Attributes:
        inputs: what was read from files or drawn, by content, so that a changed file counts as a changed case.
        answer: answers it; a user's interruption raises KeyboardInterrupt.
        warnings: what was assumed of the input, a sentence each.
        prepare: called before answering with the files that are to be written, by key: writes what is known by then,
            and raises what writing the others would.
    """

    inputs: tuple[str, ...]
    answer: Callable[[Run], Answer]
    warnings: Sequence[str] = ()
    prepare: Callable[[Mapping[str, Path]], None] = lambda _: None


Pose: TypeAlias = Callable[..., Posed]
"""``(case, seed) -> Posed``; the case is an instance of the entry's model, the seed that of one draw.  Where a network
or demands can be given as values, they are a third argument: :class:`~pnet_lp.questions.keys.Built`."""

QUESTIONS: Registry[Pose] = Registry(
    "question", package="pnet_lp.questions", group="pnet_lp.questions", part="answer"
)


def model_of(question: str) -> type[Case]:
    """Return the model of a question's cases.

    Raises:
        SpecError: there is no such question.
    """
    model = QUESTIONS.get(question).params
    assert issubclass(model, Case)
    return model


DEFAULT_QUESTION = "throughput"
"""What a spec asks that does not say."""
