"""What every claim says of itself, and what measured values say of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol, TypeAlias, get_args

from pydantic import Field

from pnet_lp.registry import Params

Verdict: TypeAlias = Literal["agrees", "trend only", "differs", "not comparable"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

Size: TypeAlias = Literal["paper", "quick"]
"""How large an experiment is: as its spec stands, or as its ``quick`` says."""

APART = 1.0
"""Per cent by which a value must differ from the one it is compared with, to lie above or below it."""


@dataclass(frozen=True)
class Measured:
    """A measured value of a case, or its ratio to another's in per cent.

    Attributes:
        case: of which case.
        value: the mean over draws.
        error: its spread, as the experiment shows it, or None of a single draw.
        unit: in words; ``% of CASE`` of a ratio.
    """

    case: str
    value: float
    error: float | None
    unit: str

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return asdict(self)


class Measurements(Protocol):
    """What was measured."""

    def mean(self, case: str, relative_to: str | None, column: str | None) -> Measured | None:
        """Return the mean of a case's draws, in per cent of another case's if one is named; None where there is none.

        A ``column`` of None stands for what the experiment shows.
        """

    def percentile(self, cases: str, percentile: float, column: str | None) -> Measured | None:
        """Return a percentile over all draws of the cases that match; None where none does."""


@dataclass(frozen=True)
class Judgement:
    """What measured values say of a claim.

    Attributes:
        verdict: in one of four words.
        reason: for it.
        measured: the values that it is about.
    """

    verdict: Verdict
    reason: str
    measured: tuple[Measured, ...]


class Claim(Params):
    """A claim about cases.

    Attributes:
        kind: of :data:`KINDS`.
        statement: in words.
        source: where it is made, by default where the others of the file are.
        origin: who says so: the paper, the program published with it, or we, from what they give.
        column: what it is about, by default what the experiment shows.
        size: of the runs that it is about.
        not_comparable: why a measured value says nothing about it; None where it does.
        cause: why measured values are others, as far as was found; said where they are.
        late: whether it was written, or what it claims was changed, when there was a result.
    """

    kind: str
    statement: str = Field(min_length=1)
    source: str | None = None
    origin: Literal["paper", "artifact", "ours"] = "paper"
    column: str | None = None
    size: Size | Literal["any"] = "paper"
    not_comparable: str | None = Field(None, min_length=1)
    cause: str | None = Field(None, min_length=1)
    late: bool = False

    @property
    @abstractmethod
    def about(self) -> tuple[str, ...]:
        """The cases that it names."""

    @property
    @abstractmethod
    def claimed(self) -> str:
        """What is claimed, in numbers."""

    @property
    @abstractmethod
    def refuted_by(self) -> str:
        """What would refute it."""

    def missing(self, cases: Collection[str]) -> str | None:
        """Return a case that it names and that is not there."""
        return next((name for name in self.about if name not in cases), None)

    @property
    def _unit(self) -> str:
        """What follows a number."""
        return ""

    @abstractmethod
    def _measured(self, measurements: Measurements) -> list[Measured | None]: ...

    @abstractmethod
    def _judged(self, values: Sequence[float]) -> tuple[Verdict, str]: ...

    def judge(self, measurements: Measurements, size: Size) -> Judgement | None:
        """Return what values measured in a run of that size say of it; None where one is missing."""
        measured = self._measured(measurements)
        found = tuple(one for one in measured if one is not None)
        if len(found) < len(measured):
            return None
        if self.not_comparable is not None:
            return Judgement("not comparable", self.not_comparable, found)
        if self.size not in (size, "any"):
            return Judgement("not comparable", f"claimed at {self.size} size, run at {size} size", found)
        verdict, reason = self._judged([one.value for one in found])
        if self.cause is not None and verdict != "agrees":
            reason = f"{reason}: {self.cause}"
        return Judgement(verdict, reason, found)


class CaseClaim(Claim):
    """A claim about one value: of a case, or of its ratio to another in per cent.

    Attributes:
        case: the case it is about.
        relative_to: the case it is compared with; None where the value stands for itself.
    """

    case: str
    relative_to: str | None = None

    @property
    def about(self) -> tuple[str, ...]:
        """The cases that it names."""
        return (self.case,) if self.relative_to is None else (self.case, self.relative_to)

    @property
    def _unit(self) -> str:
        return "" if self.relative_to is None else " %"

    def _measured(self, measurements: Measurements) -> list[Measured | None]:
        return [measurements.mean(self.case, self.relative_to, self.column)]


class CasesClaim(Claim):
    """A claim about values of several cases, in their order.

    Attributes:
        cases: at least two.
    """

    cases: tuple[str, ...] = Field(min_length=2)

    @property
    def about(self) -> tuple[str, ...]:
        """The cases that it names."""
        return self.cases

    def _measured(self, measurements: Measurements) -> list[Measured | None]:
        return [measurements.mean(case, None, self.column) for case in self.cases]
