"""Charts of what an experiment shows: bars, or lines where the spec names an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pnet_lp.experiment import CaseClaim, Claim, Experiment
from pnet_lp.report.claims import Comparison
from pnet_lp.report.experiment import Row, percents, spread_in_words, unit_in_words
from pnet_lp.report.lines import chart_lines, saturation_points
from pnet_lp.report.numbers import number_in_words
from pnet_lp.report.plot import new_figure, write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAR, _PAPER = "#4c72b0", "#c44e52"
_MARKERS = "osD^vPX*"
_MANY = 4
"""Entries from which on a legend has its place beside the lines."""

_TICKS = 12
"""Values along an axis up to which each is written."""

_Style: TypeAlias = Literal["dashed", "dotted", "dashdot"]
_STYLES: tuple[_Style, ...] = ("dashed", "dotted", "dashdot")
"""Of published values, by source."""

_LONG = 18
"""Characters of a case's name from which on the names under bars are turned, so that they do not meet."""

_PUBLISHED: dict[str, Any] = {"markersize": 9, "markerfacecolor": "none", "linestyle": "none"}
_SATURATED: dict[str, Any] = {
    "marker": "o",
    "markersize": 16,
    "markerfacecolor": "none",
    "color": "black",
    "linestyle": "none",
}
_LEGEND: dict[str, Any] = {"fontsize": "small", "labelspacing": 0.9}


def write_chart(
    experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison], path: str | Path
) -> None:
    """Draw each row's value, next to published ones, into a PNG file."""
    width = 8.5 if experiment.chart else 1.6 * len(rows) + 2
    figure = new_figure(width)
    axes = figure.add_subplot()
    draw = _draw_lines if experiment.chart else _draw_bars
    draw(axes, experiment, rows, claims)
    axes.set_title(experiment.title, fontsize="medium")
    if any(row.draws > 1 for row in rows):
        figure.supxlabel(f"Error bars: {spread_in_words(experiment, rows)}", fontsize="small")
    axes.yaxis.set_major_formatter("{x:,.12g}")
    write_figure(figure, path)


def _draw_bars(axes: Axes, experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison]) -> None:
    """Draw a bar for each row, and published values as dashes across it."""
    values = {row.case: row.shown.value for row in rows}
    errors = [row.spread or 0.0 for row in rows]
    bars = axes.bar(
        list(values), list(values.values()), yerr=errors if any(errors) else None, color=_BAR, width=0.6
    )
    axes.bar_label(bars, [_bar_label(experiment, row) for row in rows], padding=3)
    known: dict[str, _Style] = {}
    for item in claims:
        if (published := _published(experiment, item.claim)) is None:
            continue
        claim, number = published
        level = number / 100 * values[claim.relative_to] if claim.relative_to else number
        position = list(values).index(claim.case)
        # One entry in the legend for each source.
        label = "" if item.source in known else f"published: {item.source}"
        style = known.setdefault(item.source, _STYLES[len(known) % len(_STYLES)])
        axes.hlines(
            level, position - 0.38, position + 0.38, colors=_PAPER, linestyles=style, label=label or "_other"
        )
    if known:
        axes.legend(loc="best", fontsize="small")
    if max(map(len, values)) > _LONG:
        axes.tick_params(axis="x", labelrotation=20)
        for text in axes.get_xticklabels():
            text.set_horizontalalignment("right")
    axes.set_ylabel(unit_in_words(experiment, rows))
    axes.margins(y=0.12)


def _bar_label(experiment: Experiment, row: Row) -> str:
    if experiment.baseline is None:
        return number_in_words(float(f"{row.shown.value:.4g}"))
    return "" if row.percent is None else f"{row.percent:.0f} %"


def _published(experiment: Experiment, claim: Claim) -> tuple[CaseClaim, float] | None:
    """Return the claim and its number, if that was published and is of what is drawn."""
    if not isinstance(claim, CaseClaim) or claim.number is None or claim.origin == "ours":
        return None
    return (claim, claim.number) if claim.column in (None, experiment.column) else None


def _draw_lines(
    axes: Axes, experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison]
) -> None:
    """Draw the lines of the chart; hollow marks are published values, circles the first saturated cases."""
    assert experiment.chart is not None
    axis, lines = chart_lines(experiment)
    relative = experiment.baseline is not None
    drawn_values = percents(rows) if relative else {row.case: row.shown.value for row in rows}
    error = {row.case: (row.percent_spread if relative else row.spread) or 0.0 for row in rows}
    saturated = {case for _, case in saturation_points(experiment, percents(rows))}
    published = _published_points(experiment, claims, drawn_values)
    legend: list[Any] = []
    for i, line in enumerate(lines):
        points = [
            (at, case) for at, case in zip(line.places, line.cases, strict=True) if case in drawn_values
        ]
        if not points:
            continue
        colour, marker = f"C{i}", _MARKERS[i % len(_MARKERS)]
        drawn = axes.errorbar(
            [at for at, _ in points],
            [drawn_values[case] for _, case in points],
            yerr=[error[case] for _, case in points],
            color=colour,
            marker=marker,
            markersize=5,
            capsize=2,
            linewidth=1.4,
            label=line.label,
        )
        legend.append(drawn)
        for at, case in points:
            if case in published:
                axes.plot(at, published[case], marker=marker, color=colour, **_PUBLISHED)
            if case in saturated:
                axes.plot(at, drawn_values[case], **_SATURATED)
    if published:
        sources = dict.fromkeys(item.source for item in claims if _published(experiment, item.claim))
        label = f"published: {'; '.join(sources)}"
        legend += axes.plot([], [], marker="o", color="grey", label=label, **_PUBLISHED)
    if any(saturated):
        share = f"{experiment.chart.saturated_percent:g} %"
        label = f"first with {share} of planes x {experiment.baseline_in_words}"
        legend += axes.plot([], [], label=label, **_SATURATED)
    if len(axis.places) <= _TICKS:
        axes.set_xticks(axis.places, axis.labels)
    axes.set_xlabel(experiment.chart.x.replace("_", " "))
    quantity = rows[0].shown.quantity
    axes.set_ylabel(
        f"{quantity} in % of {experiment.baseline_in_words}" if relative else unit_in_words(experiment, rows)
    )
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", alpha=0.3)
    if len(legend) >= _MANY:
        axes.legend(handles=legend, loc="upper left", bbox_to_anchor=(1.01, 1), **_LEGEND)
    elif len(legend) > 1:
        axes.legend(handles=legend, loc="best", **_LEGEND)


def _published_points(
    experiment: Experiment, claims: Sequence[Comparison], drawn: Mapping[str, float]
) -> dict[str, float]:
    """Return where published numbers stand on the axis of what is drawn: per cents, or values."""
    points = {}
    for item in claims:
        if (published := _published(experiment, item.claim)) is None:
            continue
        claim, number = published
        if claim.relative_to is not None:
            if claim.relative_to in drawn:
                points[claim.case] = number / 100 * drawn[claim.relative_to]
        elif experiment.baseline is None:
            points[claim.case] = number
    return points
