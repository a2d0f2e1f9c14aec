"""Charts of what an experiment shows, one column wide: bars, or lines where the spec names an axis.

Cases and lines are told apart by colour, by shape of their marks and by dashes, so that a print in grey will do.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.experiment import CaseClaim, Experiment
from pnet_lp.report.claims import Comparison
from pnet_lp.report.experiment import Row, percents, spread_in_words, unit_in_words
from pnet_lp.report.lines import Axis as LineAxis
from pnet_lp.report.lines import Line, chart_lines, saturation_points
from pnet_lp.report.numbers import number_in_words
from pnet_lp.report.plot import COLOURS, figure_bytes, new_figure, write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_WIDTH_IN = 3.35
"""Of one column of a page with two."""

_STYLE: Any = {
    "font.size": 7,
    "axes.labelsize": 7,
    "axes.linewidth": 0.6,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 6.5,
    "legend.frameon": False,
    "legend.borderaxespad": 0.2,
    "hatch.linewidth": 0.5,
    "errorbar.capsize": 1.8,
}
_BAR = COLOURS[5]
_MARKERS = "osD^vPX*"
_DASHES = ("-", "--", "-.", ":")
_PUBLISHED_MARKERS = "Ds^v"
_TICKS = 12
"""Values along an axis up to which each is written."""

_SHORT = 26
"""Characters up to which two entries of a legend stand side by side."""

_MILLIONS = 2e6
"""Value along an axis from which on it is written in millions."""

_BEGINNING = re.compile(r".*[:=,]")
"""What words along an axis may have in common, up to a sign between words."""

_ALONG = 30
"""Characters beside an axis on one line."""

_ALIKE = 0.012
"""Share of the height of a chart up to which two lines lie on each other."""

_PANELS_ACROSS = 3

_PUBLISHED: dict[str, Any] = {
    "markersize": 6,
    "markeredgewidth": 0.9,
    "markerfacecolor": "none",
    "linestyle": "none",
}
_SATURATED: dict[str, Any] = {
    "marker": "o",
    "markersize": 9,
    "markeredgewidth": 0.8,
    "markerfacecolor": "none",
    "color": "black",
    "linestyle": "none",
}
_UNITS = {"gbps": "Gb/s", "s": "s", "us": "us", "bytes": "bytes", "usd": "USD", "percent": "%", "metres": "m"}
"""Units as they end the names of keys, and in words."""


def write_chart(
    experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison], *paths: str | Path
) -> None:
    """Draw each row's value, next to published ones, into files, whose suffixes are formats: .png, .svg or .pdf."""
    with _house_style():
        # A new one for each: what is arranged a second time is not arranged the same.
        for path in paths:
            write_figure(chart(experiment, rows, claims), path)


def chart_svg(experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison]) -> str:
    """Return the chart as the text of an SVG file."""
    with _house_style():
        return figure_bytes(chart(experiment, rows, claims), "svg").decode()


def chart(experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison]) -> Figure:
    """Return the chart of the rows; what it shows is said by :func:`caption`, not in it."""
    rows = [row for row in rows if math.isfinite(row.shown.value)]
    figure = new_figure(_WIDTH_IN, 2.1, dpi=300)
    if experiment.chart:
        legend = _draw_lines(figure, experiment, rows, claims)
    else:
        legend = _draw_bars(figure.add_subplot(), experiment, rows, claims)
    if len(legend) > 1 or (legend and not experiment.chart):
        labels = [str(entry.get_label()) for entry in legend]
        columns = round(figure.get_figwidth() / _WIDTH_IN) * (2 if max(map(len, labels)) <= _SHORT else 1)
        lines = sum(1 + label.count("\n") for label in labels)
        figure.legend(handles=legend, loc="outside upper left", ncols=columns, columnspacing=1.2)
        figure.set_figheight(figure.get_figheight() + 0.13 * math.ceil(lines / columns))
    return figure


def caption(experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison]) -> str:
    """Return what stands under the chart: title, error bars, marks."""
    parts = [experiment.title]
    if experiment.baseline is not None and not experiment.chart:
        parts.append(f"Labels: per cent of {experiment.baseline_in_words}")
    if any(row.draws > 1 for row in rows):
        parts.append(f"Error bars: {spread_in_words(experiment, rows)}")
    if sources := dict.fromkeys(item.source for item in _published(experiment, rows, claims)):
        parts.append(f"Hollow marks: published ({'; '.join(sources)})")
    if experiment.chart and experiment.chart.saturated_percent is not None:
        parts.append(f"Circles: {_saturation(experiment)}")
    return "".join(part if part.endswith(".") else f"{part}. " for part in parts).strip()


def words_of(key: str) -> str:
    """Return the name of a key or a column in words, with its unit."""
    name, _, unit = key.rpartition("_")
    return f"{name.replace('_', ' ')} ({_UNITS[unit]})" if name and unit in _UNITS else key.replace("_", " ")


@contextmanager
def _house_style() -> Iterator[None]:
    from matplotlib import rc_context  # noqa: PLC0415 - slow to load

    with rc_context(_STYLE):
        yield


def _draw_bars(
    axes: Axes, experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison]
) -> list[Any]:
    """Draw a bar for each row, from left to right so that names have room, and published values as marks on it."""
    axes.figure.set_figheight(0.55 + 0.155 * len(rows))  # type: ignore[union-attr]
    places = {row.case: -i for i, row in enumerate(rows)}
    values = {row.case: row.shown.value for row in rows}
    errors = [row.spread or 0.0 for row in rows]
    axes.barh(
        list(places.values()),
        list(values.values()),
        xerr=errors if any(errors) else None,
        error_kw={"elinewidth": 0.8},
        color=_BAR,
        height=0.68,
    )
    ends = {row.case: max(row.shown.value + error, 0.0) for row, error in zip(rows, errors, strict=True)}
    legend: dict[str, Any] = {}
    published = _published(experiment, rows, claims)
    sources = list(dict.fromkeys(item.source for item in published))
    for item in published:
        (drawn,) = axes.plot(
            item.level,
            places[item.case],
            marker=_PUBLISHED_MARKERS[sources.index(item.source) % len(_PUBLISHED_MARKERS)],
            color=COLOURS[1],
            # The caption names a single source.
            label="published"
            if len(sources) == 1
            else textwrap.fill(f"published: {item.source}", 2 * _SHORT),
            **_PUBLISHED | {"markersize": 4},
        )
        legend.setdefault(item.source, drawn)
        ends[item.case] = max(ends[item.case], item.level)
    for row in rows:
        axes.annotate(
            _bar_label(experiment, row),
            (ends[row.case], places[row.case]),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=6,
        )
    axes.set_yticks(list(places.values()), list(places))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(0.5 - len(rows), 0.5)
    lowest = min(0.0, *(value - error for value, error in zip(values.values(), errors, strict=True)), 0.0)
    axes.set_xlim(1.15 * lowest, 1.28 * max([*ends.values(), 1e-300]))
    axes.locator_params(axis="x", nbins=4)
    label = _scaled(axes.xaxis, max(ends.values(), default=0.0), unit_in_words(experiment, rows))
    axes.set_xlabel(textwrap.fill(label, _ALONG))
    return list(legend.values())


def _bar_label(experiment: Experiment, row: Row) -> str:
    if experiment.baseline is None:
        return number_in_words(float(f"{row.shown.value:.4g}"))
    return "" if row.percent is None else f"{row.percent:.0f} %"


@dataclass(frozen=True)
class _Published:
    """A published number as it is drawn: in the unit of the axis."""

    case: str
    level: float
    source: str


def _published(experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison]) -> list[_Published]:
    """Return the published numbers of what is drawn."""
    values = _drawn(experiment, rows)
    found = []
    for item in claims:
        claim = item.claim
        if (
            not isinstance(claim, CaseClaim)
            or claim.number is None
            or claim.case not in values
            or claim.origin == "ours"
            or claim.size not in (experiment.size, "any")
            or claim.column not in (None, experiment.column)
        ):
            continue
        if claim.relative_to is not None:
            if claim.relative_to in values:
                level = claim.number / 100 * values[claim.relative_to]
                found.append(_Published(claim.case, level, item.source))
        elif not (experiment.chart and experiment.in_percent):
            found.append(_Published(claim.case, claim.number, item.source))
    return found


def _drawn(experiment: Experiment, rows: Sequence[Row]) -> dict[str, float]:
    """Return what is drawn of each case: lines may be in per cent of a baseline, bars never are."""
    if not experiment.chart:
        return {row.case: row.shown.value for row in rows}
    on_lines = {case for line in chart_lines(experiment)[1] for case in line.cases}
    values = percents(rows) if experiment.in_percent else {row.case: row.shown.value for row in rows}
    return {case: value for case, value in values.items() if case in on_lines}


def _scaled(axis: Axis, largest: float, label: str) -> str:
    """Have an axis written in millions where its numbers are that large; return its label."""
    factor, words = (1e6, "million ") if largest >= _MILLIONS else (1.0, "")
    axis.set_major_formatter(lambda value, _: f"{value / factor:,.12g}")
    return f"{words}{label}"


def _saturation(experiment: Experiment) -> str:
    assert experiment.chart is not None
    return f"first with {experiment.chart.saturated_percent:g} % of planes x {experiment.baseline_in_words}"


def _draw_lines(
    figure: Figure, experiment: Experiment, rows: Sequence[Row], claims: Sequence[Comparison]
) -> list[Any]:
    """Draw the lines of the chart, a panel for each value of its facet, and return the entries of the legend."""
    assert experiment.chart is not None
    axis, lines = chart_lines(experiment)
    values = _drawn(experiment, rows)
    lines = [line for line in lines if any(case in values for case in line.cases)]
    styles = {label: i for i, label in enumerate(dict.fromkeys(line.label for line in lines))}
    panels = list(dict.fromkeys(line.panel for line in lines)) or [""]
    across = 2 if len(panels) == 2 * 2 else min(len(panels), _PANELS_ACROSS)
    down = math.ceil(len(panels) / across)
    if across > 1:
        figure.set_size_inches(2 * _WIDTH_IN, 0.3 + 1.8 * down)
    places = figure.subplots(down, across, squeeze=False, sharex=True, sharey=experiment.in_percent)
    legend: dict[str, Any] = {}
    for i, place in enumerate(places.flat):
        if i >= len(panels):
            place.set_visible(False)
            continue
        within = [line for line in lines if line.panel == panels[i]]
        legend |= _draw_panel(place, experiment, rows, claims, within, styles)
        if panels[i]:
            place.set_title(textwrap.fill(panels[i], _ALONG), fontsize=7)
    quantity = rows[0].shown.quantity if rows else ""
    words = (
        f"{quantity} in % of {experiment.baseline_in_words}"
        if experiment.in_percent
        else unit_in_words(experiment, rows)
    )
    levels = values | {item.case: item.level for item in _published(experiment, rows, claims)}
    for panel, place in zip(panels, places.flat, strict=False):
        # Only when all is drawn: an axis that is shared would not grow any more.
        shown = [
            levels[case]
            for line in lines
            for case in line.cases
            if case in levels and (experiment.in_percent or line.panel == panel)
        ]
        # Lines need no zero, and what differs little is seen only without it.
        if shown and min(shown) >= 0 and min(shown) < 2 / 3 * max(shown):
            place.set_ylim(bottom=0)
        label = _scaled(place.yaxis, max(levels.values(), default=0.0), words)
    for place in places[:, 0]:
        place.set_ylabel(textwrap.fill(label, _ALONG))
    # The last row may have fewer panels than the one above it.
    lowest = [[place for place in column if place.get_visible()][-1] for column in places.T]
    _write_places(lowest, axis, words_of(experiment.chart.x))
    return [legend[label] for label in (*styles, *(name for name in legend if name not in styles))]


def _draw_panel(
    axes: Axes,
    experiment: Experiment,
    rows: Sequence[Row],
    claims: Sequence[Comparison],
    lines: Sequence[Line],
    styles: Mapping[str, int],
) -> dict[str, Any]:
    """Draw lines into one panel; hollow marks are published values, circles the first saturated cases.

    Returns:
        entries of the legend, by what they say.
    """
    within = {case for line in lines for case in line.cases}
    values = {case: value for case, value in _drawn(experiment, rows).items() if case in within}
    error = {row.case: (row.percent_spread if experiment.in_percent else row.spread) or 0.0 for row in rows}
    saturated = {case for _, case in saturation_points(experiment, percents(rows))}
    published = {item.case: item.level for item in _published(experiment, rows, claims)}
    legend: dict[str, Any] = {}
    for line, under in zip(lines, _depths(lines, values), strict=True):
        i = styles[line.label]
        points = [(at, case) for at, case in zip(line.places, line.cases, strict=True) if case in values]
        colour, marker = COLOURS[i % len(COLOURS)], _MARKERS[i % len(_MARKERS)]
        legend[line.label] = axes.errorbar(
            [at for at, _ in points],
            [values[case] for _, case in points],
            yerr=[error[case] for _, case in points] if any(error.values()) else None,
            color=colour,
            marker=marker,
            # What lies under others is wider than they are, and hollow.
            markersize=3.2 + 2.8 * under,
            markerfacecolor="white" if under else colour,
            linewidth=1.0 + 1.6 * under,
            linestyle="-" if under else _DASHES[i % len(_DASHES)],
            alpha=0.75 if under else 1.0,
            elinewidth=0.8,
            label=line.label,
            zorder=3 - 0.1 * under,
        )
        for at, case in points:
            if case in published:
                axes.plot(at, published[case], marker=marker, color=colour, zorder=4, **_PUBLISHED)
            if case in saturated:
                axes.plot(at, values[case], zorder=5, **_SATURATED)
    if published:
        (legend["published"],) = axes.plot([], [], marker="o", color="grey", label="published", **_PUBLISHED)
    if any(saturated):
        words = _saturation(experiment)
        (legend[words],) = axes.plot([], [], label=words, **_SATURATED)
    axes.grid(axis="y", alpha=0.3, linewidth=0.5)
    return legend


def _write_places(panels: Sequence[Axes], axis: LineAxis, label: str) -> None:
    """Write what stands along the axis: every word, without what all begin with; every number where there are few."""
    for axes in panels:
        axes.set_xlabel(label)
        axes.tick_params(labelbottom=True)
    if not axis.words and len(axis.places) > _TICKS:
        return
    shared = _BEGINNING.match(_common(axis.labels)) if axis.words and len(axis.labels) > 1 else None
    labels = [text[shared.end() :] for text in axis.labels] if shared else list(axis.labels)
    if shared:
        for axes in panels:
            axes.set_xlabel(f"{label}: {shared[0]}...")
    longest = max(map(len, labels), default=0)
    turned: dict[str, Any] = {}
    if len(labels) > _TICKS:
        turned = {"rotation": 90, "fontsize": 5.5}
    elif sum(map(len, labels)) > 2 * _SHORT * min(1, 2 / len(panels)):
        turned = {"rotation": 30, "ha": "right"}
    if turned:
        figure = panels[0].figure
        figure.set_figheight(figure.get_figheight() + longest * turned["rotation"] / 2000)  # type: ignore[union-attr]
    for axes in panels:
        axes.set_xticks(axis.places, labels, **turned)


def _common(texts: Sequence[str]) -> str:
    """Return what all texts begin with."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in same)


def _depths(lines: Sequence[Line], values: Mapping[str, float]) -> list[int]:
    """Return, for each line, how many of those drawn after it lie on it, at half of their common places or more."""
    height = max(map(abs, values.values()), default=0.0)
    places = [
        {at: values[case] for at, case in zip(line.places, line.cases, strict=True) if case in values}
        for line in lines
    ]

    def alike(one: Mapping[float, float], other: Mapping[float, float]) -> bool:
        shared = one.keys() & other.keys()
        same = sum(abs(one[at] - other[at]) <= _ALIKE * height for at in shared)
        return same > 1 and 2 * same >= len(shared)

    return [sum(alike(one, other) for other in places[i + 1 :]) for i, one in enumerate(places)]
