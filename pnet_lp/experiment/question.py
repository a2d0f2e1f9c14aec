"""What a question is: a model of the keys of its cases, and a function that poses one case for one seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pnet_lp.model.brief import brief
from pnet_lp.registry import Registry
from pnet_lp.throughput import Progress

Value: TypeAlias = float | int | str | bool | None
"""What a cell of a table holds."""

AnswerStatus: TypeAlias = Literal["certified", "bounds", "exact"]
"""Whether the headline's bounds meet within the tolerance, do not, or are the value itself."""

OnProgress: TypeAlias = Callable[[Progress], None] | None


@dataclass(frozen=True)
class Headline:
    """The one value of an answer that charts and comparisons with published numbers use.

    Attributes:
        column: its name in tables, unit included: ``throughput_gbps``.
        unit: that unit, as it ends the names of its bounds and its error: ``gbps``; empty for a plain number.
        quantity: what it is, in words: ``throughput``.
        value: it; NaN where there is none.
        lower, upper: between what it is proved to lie; itself where it is exact.
        words: its unit in words, where the quantity does not say it: ``Gb/s per unit demand``.
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


@brief("headline", "status")
@dataclass(frozen=True, repr=False)
class Answer:
    """What a question gives for one seed.

    Attributes:
        headline: its one value.
        status: of that value.
        columns: what else a table says of it, by name, units included: those that the model of the case declares.
        document: everything, as a JSON object.
        limited_by: what sets the value, in a word or two; empty where nothing is to be said.
        seconds: wall time by part, where the parts are known.
        save: writes the proof into a file, for ``pnet-lp verify``; None where there is none.
    """

    headline: Headline
    status: AnswerStatus
    columns: Mapping[str, Value]
    document: Mapping[str, Any]
    limited_by: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    save: Callable[[Path], None] | None = field(default=None, compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return what is stored of it: everything but the timings and the proof."""
        return {
            "headline": asdict(self.headline),
            "status": self.status,
            "limited_by": self.limited_by,
            "columns": dict(self.columns),
            "result": dict(self.document),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], seconds: Mapping[str, float]) -> Answer:
        """Return the answer that :meth:`to_json` made a document of; numbers that JSON has not are NaN.

        Raises:
            KeyError, TypeError: it is not such a document.
        """
        given = stored["headline"]
        numbers = {
            key: float("nan") if given[key] is None else given[key] for key in ("value", "lower", "upper")
        }
        return cls(
            Headline(**{**given, **numbers}),
            stored["status"],
            stored["columns"],
            stored["result"],
            stored["limited_by"],
            seconds,
        )


@dataclass(frozen=True)
class Posed:
    """A case with everything built that it is about; what is left is to answer it.

    Attributes:
        inputs: what was read from files or drawn, by content, so that a changed file counts as a changed case.
        answer: called with the number of threads (0 for all cores) and ``on_progress``; a user's interruption raises
            KeyboardInterrupt.
    """

    inputs: tuple[str, ...]
    answer: Callable[[int, OnProgress], Answer]


Pose: TypeAlias = Callable[[Any, int], Posed]
"""``(case, seed) -> Posed``; the case is an instance of the entry's model, the seed that of one draw."""

QUESTIONS: Registry[Pose] = Registry(
    "question", package="pnet_lp.experiment.questions", group="pnet_lp.questions"
)

DEFAULT_QUESTION = "throughput"
"""What a spec asks that does not say."""
