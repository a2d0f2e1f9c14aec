"""A number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, model_validator

from pnet_lp.experiment.claims.base import APART, CaseClaim, Verdict

FAR = 1.5
"""Factor between a ratio and the claimed one beyond which it is none of its trend either."""


class ValueClaim(CaseClaim):
    """A number.

    Attributes:
        value: of the case, as claimed.
        percent: instead, where it is compared with another case: the ratio, as claimed.
        tolerance_percent: by how many per cent of it a measured value may differ and agree.
        range: instead, the least and the greatest value that agree.
    """

    kind: Literal["value"] = "value"
    value: float | None = Field(None)
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
                raise ValueError(f"range must be [least, greatest] around {self.number:g}, found {list(self.range)}")
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
        if self.relative_to is not None and value > 0 and max(value / self.number, self.number / value) <= FAR:
            claimed, found = self.number - 100, value - 100
            if min(abs(claimed), abs(found)) > APART and claimed * found > 0:
                side = "above" if found > 0 else "below"
                return "trend only", f"outside {within}, but {side} {self.relative_to} as claimed"
        return "differs", f"outside {within}"
