"""What a paper reports about the cases of an experiment, and when a measured value agrees with it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from pnet_lp.registry import Params


class Claim(Params):
    """A published ratio of two cases: the value in ``percent``, or the ``range`` in which it lies, or both.

    Attributes:
        case: the case it is about.
        relative_to: the case it is compared with.
        percent: throughput of ``case`` in per cent of ``relative_to``, as published.
        kind: whether ``percent`` is the value itself, or the largest or smallest one of several.
        tolerance_percent: by how many per cent of ``percent`` a measured value may differ and still agree.
        range: the least and the greatest value that agree; where it is given ``percent`` is only shown.
        statement: the claim in words.
    """

    case: str
    relative_to: str
    percent: float | None = Field(None, gt=0)
    kind: Literal["equal", "at-most", "at-least"] = "equal"
    tolerance_percent: float = Field(1.0, ge=0, lt=100)
    range: tuple[float, float] | None = None
    statement: str

    @model_validator(mode="after")
    def _says_something(self) -> Claim:
        if self.percent is None and self.range is None:
            raise ValueError("either percent or range must be given")
        if self.range is not None:
            if not 0 <= self.range[0] <= self.range[1]:
                raise ValueError(f"range must be [least, greatest] in per cent, found {list(self.range)}")
            if {"kind", "tolerance_percent"} & self.model_fields_set:
                raise ValueError("kind and tolerance_percent have no meaning beside a range")
        return self

    @property
    def accepted(self) -> tuple[float, float]:
        """The least and the greatest value, in per cent, that agree with the claim."""
        if self.range is not None:
            return self.range
        assert self.percent is not None
        slack = self.percent * self.tolerance_percent / 100
        least = 0.0 if self.kind == "at-most" else self.percent - slack
        greatest = float("inf") if self.kind == "at-least" else self.percent + slack
        return least, greatest

    def agrees(self, percent: float) -> bool:
        """Whether a measured value, in per cent, agrees with the claim."""
        least, greatest = self.accepted
        return least <= percent <= greatest


class Published(Params):
    """What a paper reports for an experiment."""

    source: str
    claims: tuple[Claim, ...]
