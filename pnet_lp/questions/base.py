"""What a question is: a model of the keys of its cases, and a function that poses one case for one seed."""

from __future__ import annotations

import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

from pydantic import Field, PrivateAttr

from pnet_lp.deadline import NEVER, Deadline, Ending, going_on
from pnet_lp.errors import SpecError
from pnet_lp.executors.base import Executor, this_machine
from pnet_lp.flags import RUNNING, Flag
from pnet_lp.formats import Formats
from pnet_lp.registry import Params, Registry, parse_expression
from pnet_lp.seeds import MOST_DRAWS, Seed, derive_seed
from pnet_lp.units import Quantity, format_bounds, quantity_of

if TYPE_CHECKING:
    import pandas as pd

Value: TypeAlias = float | int | str | bool | None
"""What a cell of a table holds."""

AnswerStatus: TypeAlias = Literal["certified", "bounds", "exact"]
"""Whether the headline's bounds meet within the tolerance, do not, or are the value itself."""

NAME_OF = "name"
"""What a chart calls the name of an expression, beside its parameters."""


class ProgressReport(Protocol):
    """How far a computation is; its text form is a line to show."""

    @property
    def seconds(self) -> float:
        """Wall time since it began."""


@dataclass(frozen=True)
class ProgressStep:
    """The current step of an answer.

    Attributes:
        text: its name.
        progress: how far it is.
    """

    text: str
    progress: ProgressReport

    @property
    def seconds(self) -> float:
        """Wall time since it began."""
        return self.progress.seconds

    def __str__(self) -> str:
        return f"{self.text}: {self.progress}"


ProgressCallback: TypeAlias = Callable[[Any], None] | None
"""Called now and then with a :class:`ProgressReport`."""


@dataclass(frozen=True)
class Run:
    """How a case is answered; no figure depends on it.

    Attributes:
        threads: threads of each solve; 0 for all cores.
        executor: what works off the independent parts of a question.
        jobs: such answers that share the memory of this machine.
        kept: number of answers that are kept in memory at the same time.
        on_progress: called now and then.
        deadline: when the answer is due; None for the time limit of the case, which begins with the call.
        keep_partial: whether Ctrl-C returns the partial answer instead of raising KeyboardInterrupt.
        ending: returns the context in which what does not look at the clock ends with a deadline, by what it does.
    """

    threads: int = 0
    executor: Executor = field(default_factory=this_machine)
    jobs: int = 1
    kept: int = 1
    on_progress: ProgressCallback = None
    deadline: Deadline | None = None
    keep_partial: bool = False
    ending: Ending = going_on


@dataclass(frozen=True)
class OutputOption:
    """A file or a folder that a command writes on request; ``words.write_<key>(answer, path)`` writes it.

    Attributes:
        help: one sentence.
        formats: of which it has to be one; default: any.
        suffixes: the allowed ones where there is no registry of formats.
        folder: whether it is a folder.
        excludes: keys of the case beside which it has no meaning.
    """

    help: str
    formats: Formats[Any] | None = None
    suffixes: tuple[str, ...] = ()
    folder: bool = False
    excludes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Series:
    """A short form of a sweep: a command that answers a question for several values of some keys in one document.

    For a series called ``compare`` the module ``answer`` of the question has ``compare(points, answers)``, which gives
    the document; ``words`` has ``compare_report(document)``, ``compare_table(document, answers)`` and, if there is a
    chart, ``write_compare_plot(document, answers, title, path)``.  Without a name, ``series`` is used instead.  A point
    maps each axis to its value.

    Attributes:
        name: name of a subcommand; empty if the question's own command accepts the axes.
        axes: for each key, the option that takes several values; the last key varies fastest.
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
        columns: the columns of an answer besides its headline, and where each is in its document: ``fct_us.mean``,
            ``front.0.watts``; empty where that is its name, or where the answer says otherwise.
        headline: name of the headline column; empty if it depends on the case, see :attr:`headline_column`.
        example: arguments of a complete example command.
        rows: what a row of its table stands for; empty without a table.
        plot: what ``--plot`` draws; empty without a plot.
        outputs: other files that the command can write, by key.
        series: short forms of sweeps.
        instead: other questions by key: if the key is given, the command asks that question.
        threads, jobs: keys, one of which ``--threads``, and ``--jobs`` and ``--executor``, need; empty if they are
            always allowed, None if never.
        progress: whether an answer reports how much of it is done; the command then takes ``--progress``.
        pooled: whether all draws of a case are combined into one answer; the command then takes ``--draws``.
    """

    heading: ClassVar[str] = RUNNING
    columns: ClassVar[Mapping[str, str]] = {}
    headline: ClassVar[str] = ""
    example: ClassVar[str] = ""
    rows: ClassVar[str] = ""
    plot: ClassVar[str] = ""
    outputs: ClassVar[Mapping[str, OutputOption]] = {}
    instead: ClassVar[Mapping[str, str]] = {}
    series: ClassVar[tuple[Series, ...]] = ()
    threads: ClassVar[tuple[str, ...] | None] = ()
    jobs: ClassVar[tuple[str, ...] | None] = None
    progress: ClassVar[bool] = True
    pooled: ClassVar[bool] = False

    seed: Seed = Field(0, description="seed of all random choices")
    draws: int = Field(
        1, ge=1, le=MOST_DRAWS, description="seeds the case is answered for: seed, and others derived from it"
    )

    _warnings: tuple[str, ...] = PrivateAttr(())

    @classmethod
    def columns_in(cls, document: Mapping[str, Any]) -> dict[str, Value]:
        """Return the columns, each from its place in the document of an answer; None where there is none."""
        return {name: _value_at(document, place or name) for name, place in cls.columns.items()}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Assumptions about files that :meth:`check` made, one sentence each."""
        return self._warnings

    @property
    def headline_column(self) -> str:
        """Name of the headline column of this case; empty if it is not declared."""
        return self.headline

    @property
    def headline_bounded(self) -> bool:
        """Whether an inexact headline of this case has a lower and an upper bound."""
        return True

    def deadline(self) -> Deadline:
        """Return the deadline of an answer that begins now."""
        return NEVER

    @classmethod
    def point(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keys of the case at a point of a series."""
        return dict(values)

    @classmethod
    def formerly(cls, ran: Mapping[str, Any]) -> dict[str, Any]:
        """Return keys of a run that had another value than their default before they were there, or are named anew."""
        del ran
        return {}

    @classmethod
    def stated(cls, given: Mapping[str, Any]) -> Collection[str]:
        """Return the keys that others state among those ``given``, as a preset does."""
        del given
        return ()

    def check_alone(self) -> None:
        """Raise SpecError for a key without effect in a single case; in a sweep, other cases may need it."""

    def check(self) -> None:
        """Raise early what building would raise, so that a sweep does not fail after hours of solving."""

    @classmethod
    def quantity(cls, key: str) -> Quantity | None:
        """Return what the whole numbers of a key, or of a parameter of it, count: bytes or times; None if nothing."""
        field = cls.model_fields.get(key)
        return None if field is None else quantity_of(field.annotation, field.metadata)

    def cell(self, key: str) -> Any:
        """Return the value of a key as in a table: several joined by +, times and sizes with their unit."""
        value, quantity = getattr(self, key), self.quantity(key)
        if quantity is not None and isinstance(value, int):
            return quantity.format(value)
        return " + ".join(map(str, value)) if isinstance(value, tuple) else value

    def chart_value(self, key: str) -> Any:
        """Return the value of a key or of a parameter of it, by which charts distinguish cases; None if it has none.

        ``workload.load`` is the parameter ``load`` of the expression ``workload``, and ``topology.name`` the name of
        one; a number as such.
        """
        name, _, parameter = key.partition(".")
        value = getattr(self, name)
        if not parameter or value is None:
            return value
        found = tuple(_part(item, parameter) for item in (value if isinstance(value, tuple) else [value]))
        return found if len(found) > 1 else found[0]

    def draw_seed(self, index: int) -> int:
        """Return the seed of a draw: ``seed`` itself for the first, so that more draws keep the existing ones."""
        return derive_seed(self.seed, "draw", index) if index else self.seed

    def draw_settings(self, index: int) -> dict[str, Any]:
        """Return the settings of one draw as JSON values: those of the case, with the draw's own seed."""
        return self.model_dump(mode="json", exclude={"draws"}) | {"seed": self.draw_seed(index)}


def _value_at(document: Any, place: str) -> Value:
    for key in place.split("."):
        if document is None:
            return None
        document = document.get(key) if isinstance(document, Mapping) else document[int(key)]
    found: Value = document
    return found


def _part(expression: object, parameter: str) -> Any:
    """Return the name of an expression, or one of its parameters; None if that is not given."""
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
    """The main value of an answer, used in charts and comparisons with published numbers.

    Attributes:
        column: name of its column, with the unit: ``throughput_gbps``.
        unit: the unit, as in the columns of its bounds and error: ``gbps``; empty for a plain number.
        quantity: what is measured: ``throughput``.
        value: the value; NaN if there is none.
        lower, upper: proved bounds on it; equal to it if it is exact.
        words: the unit to print, if the quantity does not imply it: ``Gb/s per unit demand``.
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
        """Return an exact headline; None stands for a missing number."""
        number = float("nan") if value is None else float(value)
        return cls(column, unit, quantity, number, number, number, words)

    @property
    def label(self) -> str:
        """Title of its column or axis."""
        return self.words or self.quantity

    def named(self, prefix: str) -> str:
        """Return the name of a column about the value: ``upper_bound_gbps``."""
        return f"{prefix}_{self.unit}" if self.unit else prefix


@dataclass(frozen=True)
class Summary:
    """What tables, charts and sweeps show of an answer.

    Attributes:
        headline: its main value.
        columns: other columns by name, with units; those that the model of the case declares.
        status: of the headline.
        limited_by: what limits the value, in a word or two; empty if unknown.
        seconds: wall time by part, if measured.
    """

    headline: Headline
    columns: Mapping[str, Value] = field(default_factory=dict)
    status: AnswerStatus = "exact"
    limited_by: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)


class Answer(ABC):
    """The answer to a question for one case and seed: typed values and one JSON document.

    The document is what the command prints with ``--json``, what a sweep stores, and what Python returns.

    Class attributes:
        rows_at: where the rows of its table are in the document, unless ``words`` has a function ``table``; see
            :mod:`pnet_lp.questions.shown`, which knows what is shown of an answer.
    """

    rows_at: ClassVar[str] = ""

    @abstractmethod
    def summary(self) -> Summary:
        """Return its headline, columns and status."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the JSON document; measured times are under ``seconds`` only."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return self.to_json()

    def to_frame(self) -> pd.DataFrame:
        """Return as a DataFrame the table that the command writes with ``--out``.

        Raises:
            SpecError: the question has none.
        """
        found: pd.DataFrame = sibling(__name__, "shown").table_frame(self)
        return found

    def __repr__(self) -> str:
        shown = self.headline
        value = format_bounds(shown.lower, shown.upper) if shown.lower < shown.upper else f"{shown.value:.9g}"
        return f"<{shown.quantity} {' '.join(filter(None, (value, shown.words)))} ({self.status})>"

    def _repr_html_(self) -> str:
        """Show in a notebook what the command prints."""
        found: str = sibling(__name__, "shown").report_html(self)
        return found

    @property
    def headline(self) -> Headline:
        """Its main value."""
        return self.summary().headline

    @property
    def columns(self) -> Mapping[str, Value]:
        """Its other columns."""
        return self.summary().columns

    @property
    def status(self) -> AnswerStatus:
        """Status of the headline."""
        return self.summary().status

    @property
    def warnings(self) -> Sequence[str]:
        """Warnings, one sentence each."""
        return ()

    @property
    def save(self) -> Callable[[Path], object] | None:
        """Function that writes the proof to a file for ``pnet-lp verify``; None without a proof."""
        return None

    @property
    def partial(self) -> bool:
        """Whether it is incomplete: ended by a limit or Ctrl-C, or with bounds that have not met."""
        return self.status == "bounds"

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it, so that the command ends as one that was interrupted."""
        return False

    @classmethod
    def pooled(cls, answers: Sequence[Any], *, stopped: bool) -> Answer:
        """Return the combined answer of several draws of a case; if ``stopped``, of those that are done."""
        raise NotImplementedError


def sibling(module: str, name: str) -> ModuleType:
    """Return the module ``name`` of a question, beside another of its modules; of a question in one file, that file."""
    own = f"{module.rpartition('.')[0]}.{name}"
    return importlib.import_module(own if importlib.util.find_spec(own) else module)


@dataclass(frozen=True)
class Posed:
    """A case with its network, demands and settings built, ready to be answered.

    Attributes:
        inputs: fingerprints of what was read or drawn, so that a changed file counts as a changed case.
        answer: computes the answer; Ctrl-C raises KeyboardInterrupt.
        warnings: assumptions about the input, one sentence each.
        prepare: called before answering with the requested output files by key; writes those that are known already,
            and raises early what writing the others would.
    """

    inputs: tuple[str, ...]
    answer: Callable[[Run], Answer]
    warnings: Sequence[str] = ()
    prepare: Callable[[Mapping[str, Path]], None] = lambda _: None


Pose: TypeAlias = Callable[..., Posed]
"""``(case, seed) -> Posed``; the case is an instance of the entry's model, the seed that of one draw.  Where a network
or demands can be given as values, they are a third argument: :class:`~pnet_lp.questions.keys.Built`."""

QUESTIONS: Registry[Pose] = Registry("question", package="pnet_lp.questions", group="pnet_lp.questions", part="answer")


def model_of(question: str) -> type[Case]:
    """Return the model of a question's cases.

    Raises:
        SpecError: there is no such question.
    """
    model = QUESTIONS.get(question).params
    assert issubclass(model, Case)
    return model


DEFAULT_QUESTION = "throughput"
"""Question of a spec that names none."""
