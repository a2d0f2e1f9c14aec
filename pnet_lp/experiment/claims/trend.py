"""A course over cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from pydantic import Field

from pnet_lp.experiment.claims.base import APART, CasesClaim, Verdict


class TrendClaim(CasesClaim):
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
            apart = f"{100 * (greatest / least - 1):.3g} % apart" if least > 0 else "one value is not positive"
            return "agrees" if 0 < greatest <= least * (1 + share) else "differs", apart
        sign = 1 if self.direction == "rises" else -1
        first, last = values[0], values[-1]
        change = 100 * (last / first - 1) if first > 0 else float("nan")
        steps = all((after - before) * sign >= 0 for before, after in pairwise(values))
        words = f"{change:+.3g} % in all{'' if steps else ', not step by step'}"
        if first > 0 and steps and (last - first * (1 + sign * share)) * sign >= 0:
            return "agrees", words
        return "trend only" if change * sign > APART else "differs", words
