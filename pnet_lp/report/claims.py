"""What is claimed of an experiment next to what was measured, with a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from pnet_lp.experiment import Claim, Experiment, Judgement, Measured, Record, ratio
from pnet_lp.report.numbers import clean, format_number, format_percent

NOT_RUN = "not run"
"""In place of a verdict where nothing was measured."""

_WHO = {"paper": "", "artifact": "its program", "ours": "our reckoning"}
LATE = "late"
"""Beside the source of a claim that was written or changed when there was a result."""
_ORIGINS = {"paper": "published", "artifact": "the paper's program has", "ours": "by our reckoning"}


@dataclass(frozen=True)
class Comparison:
    """A claim and what measured values say of it.

    Attributes:
        claim: the claim.
        source: where it is made.
        judgement: the measured values, and the verdict.
    """

    claim: Claim
    source: str
    judgement: Judgement

    @property
    def agrees(self) -> bool:
        """Whether the measured values are what the claim says."""
        return self.judgement.verdict == "agrees"

    @property
    def measured(self) -> str:
        """The measured values in words."""
        values = [_measured_text(one) for one in self.judgement.measured]
        units = {one.unit for one in self.judgement.measured}
        unit = f" {units.pop()}" if len(units) == 1 and units != {""} else ""
        return f"{', '.join(values)}{unit}"

    def sentence(self) -> str:
        """Return claim, measured values and verdict in one sentence."""
        verdict = self.judgement.verdict.upper() if self.judgement.verdict == "differs" else self.judgement.verdict
        return (
            f"{self.claim.statement} ({self.source}): {_ORIGINS[self.claim.origin]} {self.claim.claimed}, "
            f"here {self.measured}; {verdict}: {self.judgement.reason}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the claim with measured values, verdict and reason."""
        return {
            **self.claim.model_dump(),
            "source": self.source,
            "claimed": self.claim.claimed,
            "refuted_by": self.claim.refuted_by,
            "measured": [one.to_json() for one in self.judgement.measured],
            "verdict": self.judgement.verdict,
            "reason": self.judgement.reason,
        }


@dataclass(frozen=True)
class _Records:
    """Measured values of an experiment's records, by case."""

    experiment: Experiment
    records: Mapping[str, Record]

    def mean(self, case: str, relative_to: str | None, column: str | None) -> Measured | None:
        record, base = self.records.get(case), self.records.get(relative_to or "")
        column, spread = column or self.experiment.column, self.experiment.spread
        if record is None or (relative_to and base is None):
            return None
        if base is not None:
            found = ratio(record, base, spread, column)
            if found is None:
                return None
            return Measured(case, found.percent, clean(found.spread, found.percent), f"% of {base.case}")
        mean = record.mean(column)
        error = clean(record.spread(spread, column), mean.value)
        return Measured(case, mean.value, error, mean.words or mean.unit)

    def percentile(self, cases: str, percentile: float, column: str | None) -> Measured | None:
        about = [record for name, record in self.records.items() if fnmatchcase(name, cases)]
        if not about:
            return None
        column = column or self.experiment.column
        values = [value for record in about for value in record.values(column)]
        mean = about[0].mean(column)
        unit = f"{mean.words or mean.unit} at percentile {percentile:g} of {len(values)} draws".lstrip()
        return Measured(cases, float(np.percentile(values, percentile)), None, unit)


def compare_claims(experiment: Experiment, records: Sequence[Record]) -> list[Comparison]:
    """Return each claim whose cases have records, with what these say of it."""
    if experiment.claimed is None:
        return []
    measurements = _Records(experiment, {record.case: record for record in records})
    return [
        Comparison(claim, claim.source or experiment.claimed.source, judgement)
        for claim in experiment.claimed.claims
        if (judgement := claim.judge(measurements, experiment.size)) is not None
    ]


def claim_cells(experiment: Experiment, records: Sequence[Record]) -> list[tuple[str, ...]]:
    """Return the header and the lines of a table of all claims, also of those of which nothing was measured."""
    lines: list[tuple[str, ...]] = [("claim", "source", "claimed", "here", "verdict", "reason")]
    compared = {id(item.claim): item for item in compare_claims(experiment, records)}
    known = {record.case for record in records}
    for claim in experiment.claimed.claims if experiment.claimed else ():
        assert experiment.claimed is not None
        said = ", ".join(filter(None, (_WHO[claim.origin], LATE if claim.late else "")))
        source = (claim.source or experiment.claimed.source) + (f" ({said})" if said else "")
        item = compared.get(id(claim))
        if item is None:
            found = ("", NOT_RUN, f"no result of {claim.missing(known) or 'what it is compared with'}")
        else:
            found = (item.measured, item.judgement.verdict, item.judgement.reason)
        lines.append((claim.statement, source, claim.claimed, *found))
    return lines


def _measured_text(measured: Measured) -> str:
    if measured.unit.startswith("% of "):
        return format_percent(measured.value, measured.error)
    return format_number(measured.value, measured.error)
