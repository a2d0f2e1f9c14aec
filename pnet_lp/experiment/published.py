"""What a paper reports about the cases of an experiment, and when a measured value agrees with it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Literal

from pydantic import Field, model_validator

from pnet_lp.registry import Params


class Claim(Params):
    """A published value of a case: in ``percent`` of another case, or as it stands; or the ``range`` in which it lies.

    Attributes:
        case: the case it is about; for a statistic, a pattern in which ``*`` stands for any text.
        statistic: the number over every draw of all cases that match; None for the mean over a case's draws.
        relative_to: the case it is compared with; None where the value stands for itself.
        column: the column it is about, by default what the experiment shows.
        percent: ``case`` in per cent of ``relative_to``, as published.
        value: of ``case``, as published.
        kind: whether the published number is the value itself, or the largest or smallest one of several.
        tolerance_percent: by how many per cent of it a measured value may differ and still agree.
        range: the least and the greatest value that agree; where it is given the published one is only shown.
        recomputed: whether the number is not the paper's, but computed from what it gives.
        statement: the claim in words.
    """

    case: str
    statistic: Literal["median", "p90"] | None = None
    relative_to: str | None = None
    column: str | None = None
    percent: float | None = Field(None, gt=0)
    value: float | None = Field(None, allow_inf_nan=False)
    kind: Literal["equal", "at-most", "at-least"] = "equal"
    tolerance_percent: float = Field(1.0, ge=0, lt=100)
    range: tuple[float, float] | None = None
    recomputed: bool = False
    statement: str

    @model_validator(mode="after")
    def _says_something(self) -> Claim:
        given, other = ("value", "percent") if self.relative_to is None else ("percent", "value")
        if getattr(self, other) is not None:
            relative = "without" if other == "percent" else "beside"
            raise ValueError(f"{other} has no meaning {relative} relative_to")
        if self.statistic is not None and self.relative_to is not None:
            raise ValueError("statistic has no meaning beside relative_to")
        if self.number is None and self.range is None:
            raise ValueError(f"either {given} or range must be given")
        if self.range is not None:
            if not 0 <= self.range[0] <= self.range[1]:
                unit = "" if self.relative_to is None else " in per cent"
                raise ValueError(f"range must be [least, greatest]{unit}, found {list(self.range)}")
            if {"kind", "tolerance_percent"} & self.model_fields_set:
                raise ValueError("kind and tolerance_percent have no meaning beside a range")
        return self

    def about(self, case: str) -> bool:
        """Whether it is about a case of this name."""
        return case == self.case or (self.statistic is not None and fnmatchcase(case, self.case))

    @property
    def number(self) -> float | None:
        """What was published: the value, or the per cent."""
        return self.value if self.relative_to is None else self.percent

    @property
    def accepted(self) -> tuple[float, float]:
        """The least and the greatest value, or per cent, that agree with the claim."""
        if self.range is not None:
            return self.range
        assert self.number is not None
        slack = abs(self.number) * self.tolerance_percent / 100
        least = 0.0 if self.kind == "at-most" else self.number - slack
        greatest = float("inf") if self.kind == "at-least" else self.number + slack
        return least, greatest

    def agrees(self, measured: float) -> bool:
        """Whether a measured value, or per cent, agrees with the claim."""
        least, greatest = self.accepted
        return least <= measured <= greatest


class Published(Params):
    """What a paper reports for an experiment."""

    source: str
    claims: tuple[Claim, ...]
