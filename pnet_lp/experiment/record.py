"""The record of a case: its draws, their mean and their spread."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any, Literal, TypeAlias

from pnet_lp.model.brief import brief
from pnet_lp.questions.base import Answer, AnswerStatus, Headline, Value

Spread: TypeAlias = Literal["standard-error", "standard-deviation"]
"""What ± means: the standard error of the mean over draws, or their standard deviation."""


@dataclass(frozen=True)
class Spent:
    """Time and memory that a draw took.

    Attributes:
        seconds: wall time, including the building of network and demands.
        peak_bytes: peak memory of the process; None if the system does not report it.
        processor_seconds: CPU time, child processes included; None if it was not measured.
    """

    seconds: float
    peak_bytes: int | None
    processor_seconds: float | None = None

    @property
    def work_seconds(self) -> float:
        """CPU time, which does not depend on other load; without it, wall time."""
        return self.seconds if self.processor_seconds is None else self.processor_seconds


@brief("headline", "status")
@dataclass(frozen=True, repr=False)
class RecordedAnswer:
    """The stored form of an answer.

    Attributes:
        headline, status, columns, limited_by, seconds: as of :class:`~pnet_lp.questions.base.Answer`.
        document: its JSON document, without measured times.
    """

    headline: Headline
    status: AnswerStatus
    columns: Mapping[str, Value]
    document: Mapping[str, Any]
    limited_by: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, answer: Answer) -> RecordedAnswer:
        """Return what is stored of ``answer``."""
        said, document = answer.summary(), _timeless(answer.to_json())
        return cls(said.headline, said.status, said.columns, document, said.limited_by, said.seconds)

    def to_json(self) -> dict[str, Any]:
        """Return everything except the timings."""
        return {
            "headline": asdict(self.headline),
            "status": self.status,
            "limited_by": self.limited_by,
            "columns": dict(self.columns),
            "result": dict(self.document),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], seconds: Mapping[str, float]) -> RecordedAnswer:
        """Return the answer that :meth:`to_json` made a document of; null stands for NaN.

        Raises:
            KeyError, TypeError: it is not such a document.
        """
        given = stored["headline"]
        numbers = {key: float("nan") if given[key] is None else given[key] for key in ("value", "lower", "upper")}
        return cls(
            Headline(**{**given, **numbers}),
            stored["status"],
            stored["columns"],
            stored["result"],
            stored["limited_by"],
            seconds,
        )


def _timeless(value: Any) -> Any:
    """Return a document without measured times."""
    if isinstance(value, Mapping):
        return {key: _timeless(item) for key, item in value.items() if key != "seconds"}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


@brief("case", "index", "answer")
@dataclass(frozen=True, repr=False)
class Draw:
    """A case answered for one seed.

    Attributes:
        case: the name of the case.
        index: which draw of the case, from 0.
        fingerprint: SHA-256 over everything that determines the answer.
        settings: the draw as it ran, its seed and defaults included.
        answer: the answer.
        spent: time and memory; None if they were not measured.
    """

    case: str
    index: int
    fingerprint: str
    settings: dict[str, Any]
    answer: RecordedAnswer
    spent: Spent | None = field(default=None, compare=False)

    @property
    def values(self) -> dict[str, Value]:
        """The headline's value and all other columns, by name."""
        return {self.answer.headline.column: self.answer.headline.value, **self.answer.columns}

    def shown(self, column: str | None = None) -> Headline:
        """Return the headline, or another column as a headline; NaN if it is not a number.

        Raises:
            KeyError: no such column.
        """
        if column in (None, self.answer.headline.column):
            return self.answer.headline
        assert column is not None
        value = self.values[column]
        known = isinstance(value, int | float)
        return Headline.exact(column, "", column.replace("_", " "), float(value) if known else None)  # type: ignore[arg-type]


@brief("case", "draws")
@dataclass(frozen=True, repr=False)
class Record:
    """All draws of a case.

    Attributes:
        case: its name.
        draws: one per seed, in order; at least one.
    """

    case: str
    draws: tuple[Draw, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the draws."""
        return tuple(draw.settings["seed"] for draw in self.draws)

    def values(self, column: str | None = None) -> tuple[float, ...]:
        """Return the headline's value, or a column's, of each draw."""
        return tuple(draw.shown(column).value for draw in self.draws)

    def mean(self, column: str | None = None) -> Headline:
        """Return the headline, or a column, with the means over the draws of its value and its bounds."""
        shown = [draw.shown(column) for draw in self.draws]
        value, lower, upper = (
            fmean(numbers) for numbers in zip(*((one.value, one.lower, one.upper) for one in shown), strict=True)
        )
        return replace(shown[0], value=value, lower=lower, upper=upper)

    def spread(self, kind: Spread, column: str | None = None) -> float | None:
        """Return the spread of the values over seeds; None for a single draw."""
        values = self.values(column)
        mean = fmean(values)
        return _spread(kind, [value - mean for value in values])

    @property
    def status(self) -> AnswerStatus:
        """Status of all draws; ``bounds`` if any of them has bounds that have not met."""
        found = {draw.answer.status for draw in self.draws}
        return "bounds" if "bounds" in found else self.draws[0].answer.status


@dataclass(frozen=True)
class Ratio:
    """A value of one case relative to that of another.

    Attributes:
        percent: the mean over draws in per cent of the other mean.
        spread: its spread in percentage points; None where a case has a single draw.
    """

    percent: float
    spread: float | None


def ratio(record: Record, base: Record, kind: Spread, column: str | None = None) -> Ratio | None:
    """Return the ratio of two cases' means, or None where there is none: the one below is 0, or they differ in kind.

    The spread is that of the delta method.  Draws of equal seeds share traffic and topology, so they are compared draw
    by draw, and what moves both does not spread the ratio; other draws count as independent.
    """
    over, under = record.mean(column), base.mean(column)
    above, below = over.value, under.value
    if over.column != under.column or below == 0 or math.isnan(above / below):
        return None
    quotient = above / below
    spread: float | None
    if record.seeds == base.seeds:
        paired = zip(record.values(column), base.values(column), strict=True)
        residual = _spread(kind, [a - quotient * b for a, b in paired])
        spread = None if residual is None else residual / below
    else:
        parts = [record.spread(kind, column), base.spread(kind, column)]
        known = [part for part in parts if part is not None]
        spread = math.hypot(known[0], quotient * known[1]) / below if len(known) == len(parts) else None
    return Ratio(100 * quotient, None if spread is None else 100 * spread)


def _spread(kind: Spread, deviations: Sequence[float]) -> float | None:
    """Return the spread from deviations from a mean, or None if there is only one."""
    n = len(deviations)
    if n < 2:
        return None
    variance = math.fsum(d * d for d in deviations) / (n - 1)
    return math.sqrt(variance / n if kind == "standard-error" else variance)
