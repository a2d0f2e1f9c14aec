"""An experiment's records as tables, and next to what a paper published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from pnet_lp.experiment import Claim, Experiment, Record, ratio
from pnet_lp.report.lines import saturation_points
from pnet_lp.report.tables import Columns, from_rows
from pnet_lp.report.throughput import limit_in_words
from pnet_lp.units import format_gbps


@dataclass(frozen=True)
class Row:
    """One case in comparison.

    Attributes:
        case: its name.
        draws: how many seeds it was solved for.
        throughput_gbps, upper_bound_gbps: the proved interval of the mean over draws.
        standard_error_gbps: of the mean; None for a single draw.
        percent: throughput in per cent of the baseline's; None while the baseline is missing or carries nothing.
        percent_error: its standard error in percentage points; None where there is a single draw.
        relative_gap: of the interval.
        status: ``certified`` if all draws are, else ``bounds``.
        seconds: wall time of building, solving and certifying, summed over draws.
        bottleneck: what limits the case.
    """

    case: str
    draws: int
    throughput_gbps: float
    upper_bound_gbps: float
    standard_error_gbps: float | None
    percent: float | None
    percent_error: float | None
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
        percent_error: its standard error in percentage points, or None.
    """

    claim: Claim
    source: str
    percent: float
    percent_error: float | None = None

    @property
    def agrees(self) -> bool:
        """Whether the measured ratio is one that the claim accepts."""
        return self.claim.agrees(self.percent)

    def sentence(self) -> str:
        """Return the claim and the measured value in one sentence."""
        claim = self.claim
        return (
            f"{claim.statement} ({self.source}): published {published_in_words(claim)}, "
            f"here {_with_error(self.percent, self.percent_error)} % of {claim.relative_to}, "
            f"{verdict_in_words(claim, self.agrees)}"
        )


def compare(experiment: Experiment, records: Sequence[Record]) -> list[Row]:
    """Return one row per record, in per cent of the experiment's baseline."""
    known = {record.case: record for record in records}
    base = known.get(experiment.baseline)
    rows = []
    for record in records:
        relative = ratio(record, base) if base else None
        interval = record.interval
        rows.append(
            Row(
                case=record.case,
                draws=len(record.draws),
                throughput_gbps=interval.lower,
                upper_bound_gbps=interval.upper,
                standard_error_gbps=record.standard_error_gbps,
                percent=relative.percent if relative else None,
                percent_error=relative.error if relative else None,
                relative_gap=interval.gap,
                status=record.status,
                seconds=sum(sum(draw.seconds.values()) for draw in record.draws),
                bottleneck=_bottleneck(record),
            )
        )
    return rows


def compare_published(experiment: Experiment, records: Sequence[Record]) -> list[Comparison]:
    """Return each published claim whose two cases have records, with the measured ratio."""
    if experiment.published is None:
        return []
    known = {record.case: record for record in records}
    found = []
    for claim in experiment.published.claims:
        if claim.case in known and claim.relative_to in known:
            relative = ratio(known[claim.case], known[claim.relative_to])
            if relative:
                found.append(Comparison(claim, experiment.published.source, relative.percent, relative.error))
    return found


def comparison_table(experiment: Experiment, rows: Sequence[Row]) -> Table:
    """Return the rows as a table to read."""
    several = any(row.draws > 1 for row in rows)
    table = Table(title=experiment.title, title_justify="left")
    table.add_column("case")
    if several:
        table.add_column("draws", justify="right")
    table.add_column(experiment.unit, justify="right")
    table.add_column(f"% of {experiment.baseline}", justify="right")
    table.add_column("gap", justify="right")
    table.add_column("seconds", justify="right")
    table.add_column("bottleneck")
    for row in rows:
        table.add_row(
            row.case,
            *([str(row.draws)] if several else []),
            format_gbps(row.throughput_gbps),
            "" if row.percent is None else _with_error(row.percent, row.percent_error),
            f"{row.relative_gap:.1e}",
            f"{row.seconds:.2f}",
            row.bottleneck,
        )
    return table


def result_table(rows: Sequence[Row]) -> Columns:
    """Return the rows as a table to store: without seconds, so that equal specs give equal bytes."""
    return from_rows([{key: value for key, value in asdict(row).items() if key != "seconds"} for row in rows])


def draw_table(records: Sequence[Record]) -> Columns:
    """Return every draw of every case: seed, proved interval in Gb/s per unit demand, status, solver, limit."""
    return from_rows(
        [
            {
                "case": draw.case,
                "draw": draw.index,
                "seed": draw.settings["seed"],
                "throughput_gbps": draw.interval.lower,
                "upper_bound_gbps": draw.interval.upper,
                "status": draw.result["status"],
                "solver": draw.result["solver"],
                "binding": draw.result["binding"],
            }
            for record in records
            for draw in record.draws
        ]
    )


def sweep_document(
    experiment: Experiment,
    records: Sequence[Record],
    rows: Sequence[Row],
    claims: Sequence[Comparison],
    files: Sequence[str],
) -> dict[str, Any]:
    """Return the JSON document of ``pnet-lp sweep``."""
    draws = draw_table(records)
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "unit": experiment.unit,
        "baseline": experiment.baseline,
        "cases": [asdict(row) for row in rows],
        "draws": [dict(zip(draws, values, strict=True)) for values in zip(*draws.values(), strict=True)],
        "saturated": [
            {"line": line, "case": case} for line, case in saturation_points(experiment, percents(rows))
        ],
        "published": [
            {
                **item.claim.model_dump(),
                "source": item.source,
                "measured_percent": item.percent,
                "measured_percent_error": item.percent_error,
                "agrees": item.agrees,
            }
            for item in claims
        ],
        "files": list(files),
    }


def saturation_sentences(experiment: Experiment, rows: Sequence[Row]) -> list[str]:
    """Return, for each line of a chart that asks for it, the first case that is saturated."""
    return [
        f"{line}: saturated from {case} on" if case else f"{line}: not saturated by any case"
        for line, case in saturation_points(experiment, percents(rows))
    ]


def percents(rows: Sequence[Row]) -> dict[str, float]:
    """Return the throughput of each case in per cent of the baseline, where it is known."""
    return {row.case: row.percent for row in rows if row.percent is not None}


def published_in_words(claim: Claim) -> str:
    """Return what was published: ``179 %``, ``up to 160 %``, ``90 to 100 %``."""
    if claim.percent is None:
        assert claim.range is not None
        return f"{claim.range[0]:g} to {claim.range[1]:g} %"
    bound = {"equal": "", "at-most": "up to ", "at-least": "at least "}[claim.kind]
    return f"{bound}{claim.percent:g} %"


def verdict_in_words(claim: Claim, agrees: bool) -> str:
    """Return whether a measured value agrees: ``within 8 %``, ``OUTSIDE the 100 to 250 % accepted``."""
    place = "within" if agrees else "OUTSIDE"
    if claim.range is None:
        return f"{place} {claim.tolerance_percent:g} %"
    return f"{place} the {claim.range[0]:g} to {claim.range[1]:g} % accepted"


def _with_error(percent: float, error: float | None) -> str:
    return f"{percent:.1f}" if error is None else f"{percent:.1f} ± {error:.1f}"


def _bottleneck(record: Record) -> str:
    """Return what limits a case; of several draws, how many have each limit."""
    if len(record.draws) == 1:
        return limit_in_words(record.draws[0].result)
    found = Counter(str(draw.result["binding"]) for draw in record.draws)
    if len(found) == 1:
        return next(iter(found))
    return ", ".join(f"{limit} {count}" for limit, count in found.most_common()) + f" of {len(record.draws)}"
