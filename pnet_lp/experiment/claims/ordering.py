"""An order of cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from pydantic import Field

from pnet_lp.experiment.claims.base import CasesClaim, Verdict


class OrderingClaim(CasesClaim):
    """Each case has a greater value than the next.

    Attributes:
        margin_percent: by how much of the next at least; 0 lets equal values agree.
    """

    kind: Literal["ordering"]
    margin_percent: float = Field(0.0, ge=0)

    @property
    def claimed(self) -> str:
        """What is claimed, in numbers."""
        order = (" > " if self.margin_percent else " >= ").join(self.cases)
        return f"{order}, by {self.margin_percent:g} % each" if self.margin_percent else order

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
        above = f"{self.margin_percent:g} % above" if self.margin_percent else "above"
        broken = [
            f"{one} not {above} {other}"
            for (one, value), (other, lower) in pairwise(zip(self.cases, values, strict=True))
            if value < lower * more
        ]
        if not broken:
            return "agrees", "in this order"
        if len(values) > 2 and values[0] >= values[-1] * more:
            return "trend only", f"{', '.join(broken)}, but {self.cases[0]} {above} {self.cases[-1]}"
        return "differs", ", ".join(broken)
