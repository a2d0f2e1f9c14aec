"""An experiment's records as a table, and next to what a paper published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from pnet_lp.experiment import Claim, Experiment, Record
from pnet_lp.report.throughput import limit_in_words
from pnet_lp.units import format_gbps


@dataclass(frozen=True)
class Row:
    """One case in comparison.

    Attributes:
        case: its name.
        throughput_gbps, upper_bound_gbps: the proved interval.
        percent: throughput in per cent of the baseline's; None while the baseline is missing or carries
            nothing.
        relative_gap: of the interval.
        status: ``certified`` or ``bounds``.
        seconds: wall time of building, solving and certifying.
        bottleneck: what limits the case.
    """

    case: str
    throughput_gbps: float
    upper_bound_gbps: float
    percent: float | None
    relative_gap: float
    status: str
    seconds: float
    bottleneck: str


@dataclass(frozen=True)
class Comparison:
    """A published claim and what was measured.

    Attributes:
        claim: the claim.
        source: where it was published.
        percent: the measured ratio in per cent.
    """

    claim: Claim
    source: str
    percent: float

    def sentence(self) -> str:
        """Return the claim and the measured value in one sentence."""
        paper = f"{'up to ' if self.claim.kind == 'at-most' else ''}{self.claim.percent:g} %"
        return (
            f"{self.claim.statement} ({self.source}): "
            f"published {paper}, here {self.percent:.1f} % of {self.claim.relative_to}"
        )


def compare(experiment: Experiment, records: Sequence[Record]) -> list[Row]:
    """Return one row per record, in per cent of the experiment's baseline."""
    values = _values(records)
    return [
        Row(
            case=record.case,
            throughput_gbps=values[record.case],
            upper_bound_gbps=record.result["upper_bound_gbps"],
            percent=_percent(values, record.case, experiment.baseline),
            relative_gap=record.result["relative_gap"],
            status=record.result["status"],
            seconds=sum(record.seconds.values()),
            bottleneck=limit_in_words(record.result),
        )
        for record in records
    ]


def compare_published(experiment: Experiment, records: Sequence[Record]) -> list[Comparison]:
    """Return each published claim whose two cases have records, with the measured ratio."""
    if experiment.published is None:
        return []
    values = _values(records)
    source = experiment.published.source
    found = [
        (claim, _percent(values, claim.case, claim.relative_to)) for claim in experiment.published.claims
    ]
    return [Comparison(claim, source, percent) for claim, percent in found if percent is not None]


def comparison_table(experiment: Experiment, rows: Sequence[Row]) -> Table:
    """Return the rows as a table to read."""
    table = Table(title=experiment.title, title_justify="left")
    table.add_column("case")
    table.add_column(experiment.unit, justify="right")
    table.add_column(f"% of {experiment.baseline}", justify="right")
    table.add_column("gap", justify="right")
    table.add_column("seconds", justify="right")
    table.add_column("bottleneck")
    for row in rows:
        table.add_row(
            row.case,
            format_gbps(row.throughput_gbps),
            "" if row.percent is None else f"{row.percent:.1f}",
            f"{row.relative_gap:.1e}",
            f"{row.seconds:.2f}",
            row.bottleneck,
        )
    return table


def sweep_document(
    experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison], files: Sequence[str]
) -> dict[str, Any]:
    """Return the JSON document of ``pnet-lp sweep``."""
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "unit": experiment.unit,
        "baseline": experiment.baseline,
        "cases": [asdict(row) for row in rows],
        "published": [
            {**item.claim.model_dump(), "source": item.source, "measured_percent": item.percent}
            for item in claims
        ],
        "files": list(files),
    }


def _values(records: Sequence[Record]) -> dict[str, float]:
    return {record.case: float(record.result["throughput_gbps"]) for record in records}


def _percent(values: Mapping[str, float], case: str, baseline: str) -> float | None:
    if case not in values or values.get(baseline, 0.0) == 0.0:
        return None
    return 100.0 * values[case] / values[baseline]
