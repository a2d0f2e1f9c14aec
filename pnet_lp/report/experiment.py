"""An experiment's records as tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from pnet_lp.experiment import Experiment, Record, Spread, ratio
from pnet_lp.questions.base import Case, Headline
from pnet_lp.report.claims import Comparison
from pnet_lp.report.lines import saturation_points
from pnet_lp.report.numbers import ROUNDING, clean, format_number, format_percent
from pnet_lp.tables import Columns, union

_WORDS = ("case", "limited by")
"""Columns that hold no numbers."""

_NAME = 50
"""Characters up to which the names of cases are not broken."""

_PERCENT: Mapping[Spread, str] = {"standard-error": "percent_error", "standard-deviation": "percent_deviation"}
"""Names of the columns of spreads in percentage points."""


@dataclass(frozen=True)
class CaseResult:
    """One case in comparison.

    Attributes:
        case: its name.
        keys: what the spec says of it, by key.
        draws: how many seeds it was answered for.
        shown: what is compared: the mean over draws, and of its bounds.
        spread: of the value over draws; None for a single one.
        spread_kind: what that is.
        relative: whether the experiment has a baseline.
        percent: the mean in per cent of the baseline's; None where that is missing or 0.
        percent_spread: its spread in percentage points; None where there is a single draw.
        status: ``bounds`` if any draw is, else what all draws are.
        bounded: whether what is compared is between two bounds.
        columns: means over draws of the other columns, None where one has none; words where all draws agree.
        seconds: wall time, summed over draws.
        limited_by: what sets the value; of several draws, how many are set by each.
    """

    case: str
    keys: Mapping[str, object]
    draws: int
    shown: Headline
    spread: float | None
    spread_kind: Spread
    relative: bool
    percent: float | None
    percent_spread: float | None
    status: str
    bounded: bool
    columns: Mapping[str, object]
    seconds: float
    limited_by: str

    @property
    def relative_gap(self) -> float | None:
        """``(upper - lower) / upper`` of the bounds; 0 where that is their rounding, None where there are none."""
        if not self.bounded:
            return None
        lower, upper = self.shown.lower, self.shown.upper
        gap = (upper - lower) / upper if upper > 0 else 0.0
        return 0.0 if gap <= ROUNDING else gap

    def to_json(self, *, seconds: bool = True) -> dict[str, object]:
        """Return the row of a table, one column for each number, its unit in its name."""
        shown = self.shown
        return {
            "case": self.case,
            **self.keys,
            "draws": self.draws,
            **_cells(shown, bounded=self.bounded),
            shown.named(self.spread_kind.replace("-", "_")): self.spread,
            **({"percent": self.percent, _PERCENT[self.spread_kind]: self.percent_spread} if self.relative else {}),
            **({"relative_gap": self.relative_gap} if self.bounded else {}),
            "status": self.status,
            **({"seconds": self.seconds} if seconds else {}),
            **self.columns,
            **({"limited_by": self.limited_by} if self.limited_by else {}),
        }


def compare(experiment: Experiment, records: Sequence[Record]) -> list[CaseResult]:
    """Return one row per record, in per cent of the experiment's baseline if there is one."""
    known = {record.case: record for record in records}
    column = experiment.column
    rows = []
    for record in records:
        base = known.get(experiment.base_of(record.case) or "")
        relative = ratio(record, base, experiment.spread, column) if base else None
        shown = record.mean(column)
        rows.append(
            CaseResult(
                case=record.case,
                keys=_keys(experiment, record.case),
                draws=len(record.draws),
                shown=shown,
                spread=clean(record.spread(experiment.spread, column), shown.value),
                spread_kind=experiment.spread,
                relative=experiment.baseline is not None,
                percent=relative.percent if relative else None,
                percent_spread=clean(relative.spread, relative.percent) if relative else None,
                status=record.status,
                bounded=_bounded(experiment, record.case, record.status),
                columns={
                    name: _mean([draw.values[name] for draw in record.draws])
                    for name in record.draws[0].values
                    if name != shown.column
                },
                seconds=sum(sum(draw.answer.seconds.values()) for draw in record.draws),
                limited_by=_limits(record),
            )
        )
    return rows


def comparison_table(experiment: Experiment, rows: Sequence[CaseResult]) -> Table:
    """Return the rows as a table to read on a terminal."""
    several = any(row.draws > 1 for row in rows)
    caption = f"± {spread_label(experiment, rows)}" if several else None
    table = Table(title=experiment.title, title_justify="left", caption=caption, caption_justify="left")
    header, *lines = comparison_cells(experiment, rows)
    longest = max((len(row.case) for row in rows), default=0)
    for name in header:
        table.add_column(
            name,
            justify="left" if name in _WORDS else "right",
            overflow="fold",
            no_wrap=name == "case" and longest <= _NAME,
        )
    for line in lines:
        table.add_row(*line)
    return table


def comparison_cells(
    experiment: Experiment, rows: Sequence[CaseResult], *, seconds: bool = True
) -> list[tuple[str, ...]]:
    """Return the header and the lines of a table to read, with or without timings."""
    several = any(row.draws > 1 for row in rows)
    bounded = any(row.bounded for row in rows)
    limited = any(row.limited_by for row in rows)
    relative = experiment.baseline is not None
    lines = [
        (
            "case",
            *(["draws"] if several else []),
            unit_label(experiment, rows),
            *([f"% of {experiment.baseline_label}"] if relative else []),
            *(["gap"] if bounded else []),
            *(["seconds"] if seconds else []),
            *(["limited by"] if limited else []),
        )
    ]
    for row in rows:
        # Where there are per cents, they show the spread.
        spread = None if relative else row.spread
        lines.append(
            (
                row.case,
                *([str(row.draws)] if several else []),
                format_number(row.shown.value, spread),
                *([_percent(row)] if relative else []),
                *(["" if row.relative_gap is None else f"{row.relative_gap:.1e}"] if bounded else []),
                *([f"{row.seconds:.2f}"] if seconds else []),
                *([row.limited_by] if limited else []),
            )
        )
    return lines


def result_table(rows: Sequence[CaseResult]) -> Columns:
    """Return the rows as a table to store: without seconds, so that equal specs give equal bytes."""
    return union([row.to_json(seconds=False) for row in rows])


def draw_table(experiment: Experiment, records: Sequence[Record]) -> Columns:
    """Return every draw of every case: what the spec says of it, its seed, its value with bounds, its other columns."""
    return union(
        [
            {
                "case": draw.case,
                **_keys(experiment, draw.case),
                "draw": draw.index,
                "seed": draw.settings["seed"],
                **_cells(draw.answer.headline, bounded=_bounded(experiment, draw.case, draw.answer.status)),
                "status": draw.answer.status,
                **draw.answer.columns,
                **({"limited_by": draw.answer.limited_by} if draw.answer.limited_by else {}),
            }
            for record in records
            for draw in record.draws
        ]
    )


def sweep_document(
    experiment: Experiment,
    records: Sequence[Record],
    rows: Sequence[CaseResult],
    claims: Sequence[Comparison],
    files: Sequence[str],
) -> dict[str, Any]:
    """Return the JSON document of ``pnet-lp sweep``."""
    draws = draw_table(experiment, records)
    return {
        "experiment": experiment.name,
        "size": experiment.size,
        "title": experiment.title,
        "question": experiment.question,
        "unit": unit_label(experiment, rows),
        "baseline": experiment.baseline,
        "cases": [row.to_json() for row in rows],
        "draws": [dict(zip(draws, values, strict=True)) for values in zip(*draws.values(), strict=True)],
        "saturated": [{"line": line, "case": case} for line, case in saturation_points(experiment, percents(rows))],
        "claims": [item.to_json() for item in claims],
        "files": list(files),
        **variation_document(experiment),
    }


def variation_document(experiment: Experiment) -> dict[str, Any]:
    """Return what a document says of an experiment that is not as published: ``variation``, or nothing."""
    return {"variation": experiment.variation.model_dump(mode="json")} if experiment.variation else {}


def variation_sentences(experiment: Experiment) -> list[str]:
    """Return what is said of an experiment that is not as published: what was changed, and what that does to claims."""
    found = experiment.variation
    if found is None:
        return []
    kept = len(experiment.claimed.claims) if experiment.claimed else 0
    sentences = [f"This is a variation of {found.of}: {found.text}."]
    if found.dropped:
        sentences.append(
            f"{found.dropped} of {found.dropped + kept} claims no longer apply: their cases are not there, or differ."
        )
    return sentences


def unit_label(experiment: Experiment, rows: Sequence[CaseResult]) -> str:
    """Return what heads the values: the spec's words, or the answers'."""
    return experiment.unit or ", ".join(dict.fromkeys(row.shown.label for row in rows))


def spread_label(experiment: Experiment, rows: Sequence[CaseResult]) -> str:
    """Return what stands behind ± and is drawn as error bars, and over how many draws."""
    counts = sorted({row.draws for row in rows if row.draws > 1})
    n = f"n = {counts[0]}" if len(counts) == 1 else f"n = {counts[0]} to {counts[-1]}"
    words = "one standard error of the mean" if experiment.spread == "standard-error" else "one standard deviation"
    return f"{words}, {n} draws"


def saturation_sentences(experiment: Experiment, rows: Sequence[CaseResult]) -> list[str]:
    """Return, for each line of a chart that asks for it, the first case that is saturated."""
    return [
        f"{line}: saturated from {case} on" if case else f"{line}: not saturated by any case"
        for line, case in saturation_points(experiment, percents(rows))
    ]


def percents(rows: Sequence[CaseResult]) -> dict[str, float]:
    """Return the value of each case in per cent of the baseline, where it is known."""
    return {row.case: row.percent for row in rows if row.percent is not None}


def _keys(experiment: Experiment, name: str) -> dict[str, object]:
    """Return what the spec says of a case, each key as one cell of a table."""
    case: Case = experiment.cases[name]
    return {key: case.cell(key) for key in experiment.keys}


def _bounded(experiment: Experiment, name: str, status: str) -> bool:
    """Return whether the headline of a case is between two bounds, where its draws have this status."""
    case: Case = experiment.cases[name]
    return status != "exact" and case.headline_bounded


def _cells(shown: Headline, *, bounded: bool) -> dict[str, object]:
    """Return a value and, where it is between two, its bounds, by column; None where there is no number."""
    cells = {shown.column: shown.value}
    if bounded:
        cells |= {shown.named("lower_bound"): shown.lower, shown.named("upper_bound"): shown.upper}
    return {name: None if math.isnan(value) else value for name, value in cells.items()}


def _mean(values: Sequence[object]) -> object:
    """Return the mean of a column's numbers; of anything else what all draws agree on, or None."""
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == len(values):
        return numbers[0] if len(set(numbers)) == 1 else math.fsum(numbers) / len(numbers)
    return values[0] if len(set(values)) == 1 else None


def _percent(row: CaseResult) -> str:
    return "" if row.percent is None else format_percent(row.percent, row.percent_spread)


def _limits(record: Record) -> str:
    """Return what sets a case's value; of several draws, how many are set by each."""
    found = Counter(draw.answer.limited_by for draw in record.draws)
    if len(found) == 1:
        return next(iter(found))
    return ", ".join(f"{limit} {count}" for limit, count in found.most_common()) + f" of {len(record.draws)}"
