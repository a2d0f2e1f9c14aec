"""Bounds of a value, of a percentile over many, and of what two values exceed a third one by."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import Literal, Self

from pydantic import Field, model_validator

from pnet_lp.experiment.claims.base import CaseClaim, Claim, Measured, Measurements, Verdict


class _BoundsClaim(Claim):
    """Bounds of one value.

    Attributes:
        at_least, at_most: one of them or both.
    """

    at_least: float | None = Field(None)
    at_most: float | None = Field(None)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("at_least or at_most must be given")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least={self.at_least:g} is above at_most={self.at_most:g}")
        return self

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


class BoundClaim(_BoundsClaim, CaseClaim):
    """Bounds, of a value or of a ratio in per cent."""

    kind: Literal["bound"]


class ExcessClaim(BoundClaim):
    """Bounds of ``(value - over) / (other - over)`` in per cent, where ``over`` is the value of the ideal.

    Attributes:
        over: what both values are compared with, as a slowdown with 1.
    """

    kind: Literal["excess"]  # type: ignore[assignment]
    relative_to: str
    over: float

    def _measured(self, measurements: Measurements) -> list[Measured | None]:
        one, other = (measurements.mean(case, None, self.column) for case in self.about)
        if one is None or other is None:
            return [None]
        excess, whole = one.value - self.over, other.value - self.over
        # Beside an ideal value none is worse.
        share = 100 * excess / whole if whole > 0 else math.inf if excess > 0 else 0.0
        return [Measured(self.case, share, None, f"% of {self.relative_to}, both less {self.over:g}")]


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
