"""What is claimed of the cases of an experiment, in a paper or elsewhere, and what measured values say of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Any, Literal, Protocol, Self, TypeAlias

from pydantic import Field, SerializeAsAny, field_validator, model_validator

from pnet_lp.errors import SpecError
from pnet_lp.registry import Params, unknown, validate

Verdict: TypeAlias = Literal["agrees", "trend only", "differs", "not comparable"]

_APART = 1.0
"""Per cent by which a value must differ from the one it is compared with, to lie above or below it."""


@dataclass(frozen=True)
class Measured:
    """A measured value of a case, or its ratio to another's in per cent.

    Attributes:
        case: of which case.
        value: the mean over draws.
        error: its standard error, or None of a single draw.
        unit: in words; ``% of CASE`` of a ratio.
    """

    case: str
    value: float
    error: float | None
    unit: str

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"case": self.case, "value": self.value, "error": self.error, "unit": self.unit}


class Measurements(Protocol):
    """What was measured."""

    def mean(self, case: str, relative_to: str | None, column: str | None) -> Measured | None:
        """Return the mean of a case's draws, in per cent of another case's where one is named; None where there is none.

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
        not_comparable: why a measured value says nothing about it; None where it does.
    """

    kind: str
    statement: str = Field(min_length=1)
    source: str | None = None
    origin: Literal["paper", "artifact", "ours"] = "paper"
    column: str | None = None
    not_comparable: str | None = Field(None, min_length=1)

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

    @abstractmethod
    def _measured(self, measurements: Measurements) -> list[Measured | None]: ...

    @abstractmethod
    def _judged(self, values: Sequence[float]) -> tuple[Verdict, str]: ...

    def judge(self, measurements: Measurements) -> Judgement | None:
        """Return what measured values say of it; None where one is missing."""
        measured = self._measured(measurements)
        found = tuple(one for one in measured if one is not None)
        if len(found) < len(measured):
            return None
        if self.not_comparable is not None:
            return Judgement("not comparable", self.not_comparable, found)
        return Judgement(*self._judged([one.value for one in found]), found)


class CaseClaim(Claim):
    """A claim about one value: of a case, or of its ratio to another in per cent.

    Attributes:
        case: the case it is about.
        relative_to: the case it is compared with; None where the value stands for itself.
    """

    case: str
    relative_to: str | None = None

    @property
    @abstractmethod
    def number(self) -> float | None:
        """The one number that is claimed, or None where there are two."""

    @property
    def about(self) -> tuple[str, ...]:
        """The cases that it names."""
        return (self.case,) if self.relative_to is None else (self.case, self.relative_to)

    @property
    def _unit(self) -> str:
        return "" if self.relative_to is None else " %"

    def _measured(self, measurements: Measurements) -> list[Measured | None]:
        return [measurements.mean(self.case, self.relative_to, self.column)]


class ValueClaim(CaseClaim):
    """A number.

    Attributes:
        value: of the case, as claimed.
        percent: instead, where it is compared with another case: the ratio, as claimed.
        tolerance_percent: by how many per cent of it a measured value may differ and agree.
        range: instead, the least and the greatest value that agree.
    """

    kind: Literal["value"] = "value"
    value: float | None = Field(None, allow_inf_nan=False)
    percent: float | None = Field(None, gt=0)
    tolerance_percent: float = Field(1.0, ge=0, lt=100)
    range: tuple[float, float] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> ValueClaim:
        given, other = ("value", "percent") if self.relative_to is None else ("percent", "value")
        if getattr(self, other) is not None:
            relative = "without" if other == "percent" else "beside"
            raise ValueError(f"{other} has no meaning {relative} relative_to")
        if getattr(self, given) is None:
            raise ValueError(f"{given} must be given")
        if self.range is not None:
            if not self.range[0] <= self.number <= self.range[1]:
                raise ValueError(
                    f"range must be [least, greatest] around {self.number:g}, found {list(self.range)}"
                )
            if "tolerance_percent" in self.model_fields_set:
                raise ValueError("tolerance_percent has no meaning beside a range")
        return self

    @property
    def number(self) -> float:
        """What is claimed: the value, or the per cent."""
        number = self.value if self.relative_to is None else self.percent
        assert number is not None
        return number

    @property
    def accepted(self) -> tuple[float, float]:
        """The least and the greatest value, or per cent, that agree."""
        slack = abs(self.number) * self.tolerance_percent / 100
        return self.range or (self.number - slack, self.number + slack)

    @property
    def claimed(self) -> str:
        """What is claimed, in numbers."""
        return f"{self.number:.10g}{self._unit}"

    @property
    def refuted_by(self) -> str:
        """What would refute it."""
        least, greatest = self.accepted
        return f"below {least:.6g}{self._unit} or above {greatest:.6g}{self._unit}"

    def _judged(self, values: Sequence[float]) -> tuple[Verdict, str]:
        (value,) = values
        least, greatest = self.accepted
        within = (
            f"{self.tolerance_percent:g} %"
            if self.range is None
            else f"the {least:g} to {greatest:g}{self._unit} accepted"
        )
        if least <= value <= greatest:
            return "agrees", f"within {within}"
        claimed, found = self.number - 100, value - 100
        if self.relative_to is not None and min(abs(claimed), abs(found)) > _APART and claimed * found > 0:
            side = "above" if found > 0 else "below"
            return "trend only", f"outside {within}, but {side} {self.relative_to} as claimed"
        return "differs", f"outside {within}"


class _BoundsClaim(Claim):
    """Bounds of one value.

    Attributes:
        at_least, at_most: one of them or both.
    """

    at_least: float | None = Field(None, allow_inf_nan=False)
    at_most: float | None = Field(None, allow_inf_nan=False)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("at_least or at_most must be given")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least={self.at_least:g} is above at_most={self.at_most:g}")
        return self

    @property
    def _unit(self) -> str:
        return ""

    @property
    def number(self) -> float | None:
        """The bound, where there is one."""
        bounds = [bound for bound in (self.at_least, self.at_most) if bound is not None]
        return bounds[0] if len(bounds) == 1 else None

    @property
    def claimed(self) -> str:
        """What is claimed, in numbers."""
        bounds = (("at least", self.at_least), ("at most", self.at_most))
        return " and ".join(f"{words} {bound:g}{self._unit}" for words, bound in bounds if bound is not None)

    @property
    def refuted_by(self) -> str:
        """What would refute it."""
        bounds = (("below", self.at_least), ("above", self.at_most))
        return " or ".join(f"{words} {bound:g}{self._unit}" for words, bound in bounds if bound is not None)

    def _judged(self, values: Sequence[float]) -> tuple[Verdict, str]:
        (value,) = values
        for bound, broken, side in ((self.at_least, -1, "less"), (self.at_most, 1, "more")):
            if bound is not None and (value - bound) * broken > 0:
                return "differs", f"{side} than {bound:g}{self._unit}"
        return "agrees", self.claimed


class BoundClaim(CaseClaim, _BoundsClaim):
    """Bounds, of a value or of a ratio in per cent."""

    kind: Literal["bound"]


class PercentileClaim(_BoundsClaim):
    """Bounds of a percentile over every draw of several cases.

    Attributes:
        cases: which; ``*`` stands for any text.
        percentile: of their values.
    """

    kind: Literal["percentile"]
    cases: str
    percentile: float = Field(ge=0, le=100)

    @property
    def about(self) -> tuple[str, ...]:
        """The cases that it names."""
        return (self.cases,)

    def missing(self, cases: Collection[str]) -> str | None:
        """Return the pattern if no case matches."""
        return None if any(fnmatchcase(name, self.cases) for name in cases) else self.cases

    def _measured(self, measurements: Measurements) -> list[Measured | None]:
        return [measurements.percentile(self.cases, self.percentile, self.column)]


class _CasesClaim(Claim):
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


class OrderingClaim(_CasesClaim):
    """Each case has a greater value than the next.

    Attributes:
        margin_percent: by how much of the next at least; 0 lets equal values agree.
    """

    kind: Literal["ordering"]
    margin_percent: float = Field(0.0, ge=0)

    @property
    def claimed(self) -> str:
        """What is claimed, in numbers."""
        return (" > " if self.margin_percent else " >= ").join(self.cases)

    @property
    def refuted_by(self) -> str:
        """What would refute it."""
        return (
            f"a case that is not {self.margin_percent:g} % above the next"
            if self.margin_percent
            else ("a case below the next")
        )

    def _judged(self, values: Sequence[float]) -> tuple[Verdict, str]:
        more = 1 + self.margin_percent / 100
        broken = [
            f"{one} not above {other}"
            for (one, value), (other, lower) in pairwise(zip(self.cases, values, strict=True))
            if value < lower * more
        ]
        if not broken:
            return "agrees", "in this order"
        if len(values) > 2 and values[0] >= values[-1] * more:
            return "trend only", f"{', '.join(broken)}, but {self.cases[0]} above {self.cases[-1]}"
        return "differs", ", ".join(broken)


class TrendClaim(_CasesClaim):
    """Values rise or fall from case to case, or stay.

    Attributes:
        direction: which of them.
        by_percent: from the first to the last at least; of what stays, between the least and the greatest at most.
    """

    kind: Literal["trend"]
    direction: Literal["rises", "falls", "stays"]
    by_percent: float = Field(ge=0)

    @property
    def claimed(self) -> str:
        """What is claimed, in numbers."""
        words = "within" if self.direction == "stays" else "by at least"
        return f"{self.direction} {words} {self.by_percent:g} % from {self.cases[0]} to {self.cases[-1]}"

    @property
    def refuted_by(self) -> str:
        """What would refute it."""
        if self.direction == "stays":
            return f"values more than {self.by_percent:g} % apart"
        return f"a step the other way, or less than {self.by_percent:g} % in all"

    def _judged(self, values: Sequence[float]) -> tuple[Verdict, str]:
        share = self.by_percent / 100
        if self.direction == "stays":
            least, greatest = min(values), max(values)
            apart = (
                f"{100 * (greatest / least - 1):.3g} % apart" if least > 0 else "one value is not positive"
            )
            return "agrees" if 0 < greatest <= least * (1 + share) else "differs", apart
        sign = 1 if self.direction == "rises" else -1
        first, last = values[0], values[-1]
        change = 100 * (last / first - 1) if first > 0 else float("nan")
        steps = all((after - before) * sign >= 0 for before, after in pairwise(values))
        words = f"{change:+.3g} % in all{'' if steps else ', not step by step'}"
        if first > 0 and steps and (last - first * (1 + sign * share)) * sign >= 0:
            return "agrees", words
        return "trend only" if change * sign > _APART else "differs", words


KINDS: Mapping[str, type[Claim]] = {
    "value": ValueClaim,
    "bound": BoundClaim,
    "percentile": PercentileClaim,
    "ordering": OrderingClaim,
    "trend": TrendClaim,
}
"""Kinds of claims."""


class Claims(Params):
    """What is claimed of the cases of an experiment.

    Attributes:
        source: where, unless a claim says otherwise.
        claims: one after the other.
    """

    source: str = Field(min_length=1)
    claims: tuple[SerializeAsAny[Claim], ...] = Field(min_length=1)

    @field_validator("claims", mode="before")
    @classmethod
    def _of_their_kinds(cls, given: Any) -> Any:
        return [_claim(one, i) for i, one in enumerate(given)] if isinstance(given, list | tuple) else given


def _claim(given: Any, number: int) -> Claim:
    """Return the claim that an entry of a file stands for."""
    where = f"claims.{number}"
    if isinstance(given, Claim):
        return given
    if not isinstance(given, Mapping):
        raise SpecError("not a mapping", where=where, found=given, allowed="key: value")
    kind = given.get("kind", "value")
    if kind not in KINDS:
        raise unknown("no kind of claim is called", str(kind), KINDS, where=where)
    return validate(KINDS[kind], given, where)
