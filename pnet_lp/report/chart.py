"""Charts of what an experiment shows, one column wide: bars or, over an axis, lines, in one panel or more.

Cases and lines are told apart by colour, by shape of their marks and by dashes, so that a print in grey will do.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.charts.images import figure_bytes
from pnet_lp.experiment import BoundClaim, Chart, Claim, Experiment, ValueClaim
from pnet_lp.plot import COLOURS, new_figure, write_figure
from pnet_lp.report.claims import Comparison
from pnet_lp.report.experiment import CaseResult, percents, spread_label, unit_label
from pnet_lp.report.lines import ChartAxis, ChartPanel, bar_panels, chart_panels, saturation_points
from pnet_lp.report.numbers import format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_WIDTH_IN = 3.35
"""Of one column of a page with two."""

_STYLE: Any = {
    "font.size": 7,
    "axes.labelsize": 7,
    "axes.titlesize": 7,
    "axes.titlepad": 3,
    "figure.labelsize": 7,
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

_LONG = 40
"""Characters of a bar's name on one line."""

_COMPARABLE = 10
"""How much more one panel may reach than another that has the same scale."""

_MILLIONS = 2e6
"""Value along an axis from which on it is written in millions."""

_PREFIX = re.compile(r".*[:=,]")
"""What words along an axis may have in common, up to a sign between words."""

_ALONG = 30
"""Characters beside an axis on one line."""

_OVERLAP = 0.012
"""Share of the height of a chart up to which two lines lie on each other."""

_PUBLISHED: dict[str, Any] = {"markersize": 6, "markeredgewidth": 0.9, "markerfacecolor": "none", "linestyle": "none"}
_SATURATED: dict[str, Any] = {
    "marker": "o",
    "markersize": 9,
    "markeredgewidth": 0.8,
    "markerfacecolor": "none",
    "color": "black",
    "linestyle": "none",
    "clip_on": False,
}
_CIRCLED: dict[str, Any] = _SATURATED | {"markersize": 12, "markeredgewidth": 1.6, "color": "0.65"}
_UNITS = {"gbps": "Gb/s", "s": "s", "us": "us", "bytes": "bytes", "usd": "USD", "percent": "%", "metres": "m"}
"""Units as they end the names of keys, and in words."""
_SPAN = 0.8
"""Share of the step between two words without an order on which their points stand beside each other."""


def write_chart(
    experiment: Experiment, rows: Sequence[CaseResult], claims: Sequence[Comparison], *paths: str | Path
) -> None:
    """Draw each row's value, next to published ones, into files, whose suffixes are formats: .png, .svg or .pdf."""
    with _house_style():
        # A new one for each: what is arranged a second time is not arranged the same.
        for path in paths:
            write_figure(chart(experiment, rows, claims), path)


def chart_svg(experiment: Experiment, rows: Sequence[CaseResult], claims: Sequence[Comparison]) -> str:
    """Return the chart as the text of an SVG file."""
    with _house_style():
        return figure_bytes(chart(experiment, rows, claims), "svg").decode()


def chart(experiment: Experiment, rows: Sequence[CaseResult], claims: Sequence[Comparison]) -> Figure:
    """Return the chart of the rows; what it shows is said by :func:`caption`, not in it."""
    rows = [row for row in rows if math.isfinite(row.shown.value)]
    figure = new_figure(_WIDTH_IN, 2.1, dpi=300)
    lines = _has_lines(experiment)
    legend = (_draw_lines if lines else _draw_bars)(figure, experiment, rows, claims)
    if len(legend) > 1 or (legend and not lines):
        labels = [str(entry.get_label()) for entry in legend]
        columns = 2 if max(map(len, labels)) <= _SHORT else 1
        height = sum(1 + label.count("\n") for label in labels)
        figure.legend(handles=legend, loc="outside upper left", ncols=columns, columnspacing=1.2)
        figure.set_figheight(figure.get_figheight() + 0.13 * math.ceil(height / columns))
    return figure


def caption(experiment: Experiment, rows: Sequence[CaseResult], claims: Sequence[Comparison]) -> str:
    """Return what stands under the chart: title, error bars, marks."""
    parts = [experiment.title]
    if experiment.baseline is not None and not _has_lines(experiment):
        parts.append(f"Labels: per cent of {experiment.baseline_label}")
    if any(row.draws > 1 for row in rows):
        parts.append(f"Error bars: {spread_label(experiment, rows)}")
    if sources := dict.fromkeys(item.source for item in _published(experiment, rows, claims)):
        parts.append(f"Hollow marks: published ({'; '.join(sources)})")
    if experiment.chart and experiment.chart.saturated_percent is not None:
        also = ", in grey as published" if _published_circles(experiment, claims) else ""
        parts.append(f"Circles: {_saturation(experiment)}{also}")
    return "".join(part if part.endswith(".") else f"{part}. " for part in parts).strip()


def key_label(key: str) -> str:
    """Return the name of a key or a column in words, with its unit."""
    name, _, unit = key.rpartition("_")
    return f"{name.replace('_', ' ')} ({_UNITS[unit]})" if name and unit in _UNITS else key.replace("_", " ")


@contextmanager
def _house_style() -> Iterator[None]:
    from matplotlib import rc_context  # noqa: PLC0415 - slow to load

    with rc_context(_STYLE):
        yield


def _has_lines(experiment: Experiment) -> bool:
    return experiment.chart is not None and experiment.chart.x is not None


def _draw_bars(
    figure: Figure, experiment: Experiment, rows: Sequence[CaseResult], claims: Sequence[Comparison]
) -> list[Any]:
    """Draw a bar for each row, from left to right so that names have room, and published values as marks on it."""
    panels = bar_panels(experiment, [row.case for row in rows])
    names = list(dict.fromkeys(name for _, cases in panels for name in cases))
    written = [textwrap.fill(name, _LONG) for name in names]
    height = 0.155 * max((1 + name.count("\n") for name in written), default=1)
    figure.set_figheight(0.55 + height * len(names) + 0.15 * (len(panels) > 1))
    known = {row.case: row for row in rows}
    published = _published(experiment, rows, claims)
    legend: dict[str, Any] = {}
    scaled = ""
    reaches: list[tuple[float, float]] = []
    parts = _parts(figure, len(panels))
    for axes, (label, cases) in zip(parts, panels, strict=True):
        places = {case: -names.index(name) for name, case in cases.items()}
        own = {case: known[case] for case in places}
        found, reach = _bars_of(axes, experiment, own, places, [item for item in published if item.case in places])
        legend = found | legend
        reaches.append(reach)
        axes.set_title(textwrap.fill(label, 12, break_long_words=False) if label else "")
        axes.set_yticks([-i for i in range(len(names))], written)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(0.5 - len(names), 0.5)
        axes.locator_params(axis="x", nbins=4 if len(panels) == 1 else 3)
    if _COMPARABLE * min(most for _, most in reaches) >= max(most for _, most in reaches):
        reaches = [(min(least for least, _ in reaches), max(most for _, most in reaches))] * len(reaches)
    label = unit_label(experiment, rows)
    for axes, (least, most) in zip(parts, reaches, strict=True):
        # Room for what is written at the ends.
        axes.set_xlim(1.15 * least, (1.28, 1.4, 1.6)[min(len(panels), 3) - 1] * most)
        scaled = _scaled(axes.xaxis, max(most for _, most in reaches), label)
    if len(panels) == 1:
        figure.axes[0].set_xlabel(textwrap.fill(scaled, _ALONG))
    else:
        figure.supxlabel(scaled)
    order = list(dict.fromkeys(item.source for item in published))
    return [legend[source] for source in sorted(legend, key=order.index)]


def _bars_of(
    axes: Axes,
    experiment: Experiment,
    rows: Mapping[str, CaseResult],
    places: Mapping[str, float],
    published: Sequence[_Published],
) -> tuple[dict[str, Any], tuple[float, float]]:
    """Draw the bars of one panel; return what its legend has by source, and the least and the greatest value."""
    values = [row.shown.value for row in rows.values()]
    errors = [row.spread or 0.0 for row in rows.values()]
    axes.barh(
        list(places.values()),
        values,
        xerr=[error or math.nan for error in errors] if any(errors) else None,
        error_kw={"elinewidth": 0.8},
        color=_BAR,
        height=0.68,
    )
    ends = {case: max(row.shown.value + error, 0.0) for (case, row), error in zip(rows.items(), errors, strict=True)}
    legend: dict[str, Any] = {}
    sources = list(dict.fromkeys(item.source for item in published))
    for item in published:
        (drawn,) = axes.plot(
            item.level,
            places[item.case],
            marker=_PUBLISHED_MARKERS[sources.index(item.source) % len(_PUBLISHED_MARKERS)],
            color=COLOURS[1],
            # The caption names a single source.
            label="published" if len(sources) == 1 else textwrap.fill(f"published: {item.source}", 2 * _SHORT),
            **_PUBLISHED | {"markersize": 4},
        )
        legend.setdefault(item.source, drawn)
        ends[item.case] = max(ends[item.case], item.level)
    parts = len(axes.figure.axes)
    for case, row in rows.items():
        axes.annotate(
            _bar_label(experiment, row),
            (ends[case], places[case]),
            xytext=(4 if parts == 1 else 2, 0),
            textcoords="offset points",
            va="center",
            fontsize=6 if parts == 1 else 5.5,
        )
    lowest = min(0.0, *(value - error for value, error in zip(values, errors, strict=True)), 0.0)
    return legend, (lowest, max([*ends.values(), 1e-300]))


def _parts(figure: Figure, count: int, *, shared: bool = True) -> list[Axes]:
    """Return so many panels, with a ``shared`` scale upwards or not: three beside each other, or else two."""
    columns = count if count <= 3 else 2
    grid = figure.subplots(
        max(math.ceil(count / columns), 1) if columns else 1, columns or 1, sharey=shared, squeeze=False
    )
    parts = list(grid.flat)
    for axes in parts[count:]:
        axes.remove()
    return parts[: max(count, 1)]


def _bar_label(experiment: Experiment, row: CaseResult) -> str:
    if experiment.baseline is None:
        return format_number(float(f"{row.shown.value:.4g}"))
    return "" if row.percent is None else f"{row.percent:.0f} %"


@dataclass(frozen=True)
class _Published:
    """A published number as it is drawn: in the unit of the axis."""

    case: str
    level: float
    source: str


def _published(experiment: Experiment, rows: Sequence[CaseResult], claims: Sequence[Comparison]) -> list[_Published]:
    """Return the published numbers of what is drawn; a bound is no number that came out."""
    values = _drawn(experiment, rows)
    relative = _has_lines(experiment) and experiment.in_percent
    shown = [(one.claim, one.source) for one in claims if _is_published(experiment, one.claim)]
    numbers = [(claim, source) for claim, source in shown if isinstance(claim, ValueClaim) and claim.case in values]
    own = {} if relative else {claim.case: claim.number for claim, _ in numbers if claim.relative_to is None}
    # A published ratio is one of published values, where they are known.
    known = values | own
    found = []
    for claim, source in numbers:
        if claim.relative_to is None:
            levels = [] if relative else [claim.number]
        else:
            levels = [claim.number / 100 * known[claim.relative_to]] if claim.relative_to in known else []
        found += [_Published(claim.case, level, source) for level in levels]
    return found


def _is_published(experiment: Experiment, claim: Claim) -> bool:
    """Return whether a claim is somebody else's, about what the chart shows."""
    return (
        claim.origin != "ours"
        and claim.not_comparable is None
        and claim.size in (experiment.size, "any")
        and claim.column in (None, experiment.column)
    )


def _published_circles(experiment: Experiment, claims: Sequence[Comparison]) -> set[str]:
    """Return the first case of each line that is published to be saturated: to carry as much, or more."""
    shown = [one.claim for one in claims if isinstance(one.claim, BoundClaim) and _is_published(experiment, one.claim)]
    least = {
        one.case: one.at_least for one in shown if one.at_least and one.relative_to == experiment.base_of(one.case)
    }
    return {case for _, case in saturation_points(experiment, least) if case}


def _drawn(experiment: Experiment, rows: Sequence[CaseResult]) -> dict[str, float]:
    """Return what is drawn of each case: lines may be in per cent of a baseline, bars never are."""
    values = {row.case: row.shown.value for row in rows}
    if not _has_lines(experiment):
        return {case: values[case] for _, cases in bar_panels(experiment, list(values)) for case in cases.values()}
    on_lines = {case for panel in chart_panels(experiment)[1] for line in panel.lines for case in line.cases}
    shown = percents(rows) if experiment.in_percent else values
    return {case: value for case, value in shown.items() if case in on_lines}


def _scaled(axis: Axis, largest: float, label: str) -> str:
    """Have an axis written in millions where its numbers are that large; return its label."""
    factor, words = (1e6, "million ") if largest >= _MILLIONS else (1.0, "")
    axis.set_major_formatter(lambda value, _: f"{value / factor:,.12g}")
    return f"{words}{label}"


def _saturation(experiment: Experiment) -> str:
    assert experiment.chart is not None
    return f"first with {experiment.chart.saturated_percent:g} % of planes x {experiment.baseline_label}"


def _draw_lines(
    figure: Figure, experiment: Experiment, rows: Sequence[CaseResult], claims: Sequence[Comparison]
) -> list[Any]:
    """Draw the lines of the chart; hollow marks are published values, circles the first saturated cases."""
    from matplotlib.lines import Line2D  # noqa: PLC0415 - slow to load

    assert experiment.chart is not None
    axis, panels = chart_panels(experiment)
    relative = experiment.in_percent
    values = _drawn(experiment, rows)
    error = {row.case: (row.percent_spread if relative else row.spread) or 0.0 for row in rows}
    saturated = {case for _, case in saturation_points(experiment, percents(rows))}
    circled = _published_circles(experiment, claims)
    published = {item.case: item.level for item in _published(experiment, rows, claims)}
    panels = [panel for panel in panels if any(case in values for line in panel.lines for case in line.cases)]
    legend: dict[int, Any] = {}
    levels = values | published
    most = [max(levels[case] for case in panel.cases if case in levels) for panel in panels]
    shared = relative or not most or _COMPARABLE * min(most) >= max(most)
    groups = [panels] if shared else [[panel] for panel in panels]
    own = [{case: levels[case] for panel in group for case in panel.cases if case in levels} for group in groups]
    scale = math.log10 if experiment.chart.scale == "log" else float
    depths = [
        _depths(group, {case: value for case, value in values.items() if case in shown}, scale)
        for group, shown in zip(groups, own, strict=True)
    ]
    depth = {style: max(one.get(style, 0) for one in depths) for one in depths for style in one}
    parts = _parts(figure, len(panels), shared=shared)
    figure.set_figheight(figure.get_figheight() + 1.1 * max(0, math.ceil(len(panels) / 2) - 2))
    for axes, panel in zip(parts, panels, strict=False):
        lines = [line for line in panel.lines if any(case in values for case in line.cases)]
        for number, line in enumerate(lines):
            beside = 0.0 if axis.ordered else _SPAN * ((number + 0.5) / len(lines) - 0.5)
            points = [(at + beside, case) for at, case in zip(line.places, line.cases, strict=True) if case in values]
            under = depth[line.style] if axis.ordered else 0
            colour, marker = COLOURS[line.style % len(COLOURS)], _MARKERS[line.style % len(_MARKERS)]
            drawn = axes.errorbar(
                [at for at, _ in points],
                [values[case] for _, case in points],
                yerr=[error[case] or math.nan for _, case in points] if any(error.values()) else None,
                color=colour,
                marker=marker,
                # What lies under others is wider than they are, and hollow.
                markersize=3.2 + 2.8 * under,
                markerfacecolor="white" if under else colour,
                linewidth=1.0 + 1.6 * under,
                linestyle=("-" if under else _dashes(line.style)) if axis.ordered else "none",
                alpha=0.5 if under else 1.0,
                elinewidth=0.8,
                label=line.label,
                zorder=3 - 0.1 * under,
            )
            legend.setdefault(line.style, drawn)
            for at, case in points:
                if case in published:
                    axes.plot(at, published[case], marker=marker, color=colour, zorder=4, **_PUBLISHED)
                if case in saturated:
                    axes.plot(at, values[case], zorder=5, **_SATURATED)
                if case in circled:
                    axes.plot(at, values[case], zorder=2, **_CIRCLED)
        axes.margins(x=0.08, y=0.08)
        axes.set_title(panel.label)
        axes.grid(axis="y", alpha=0.3, linewidth=0.5)
        for at in () if axis.ordered else axis.places[1:]:
            axes.axvline(at - 0.5, color="grey", alpha=0.3, linewidth=0.5)
    entries = [legend[style] for style in sorted(legend)]
    if published:
        entries.append(Line2D([], [], marker="o", color="grey", label="published", **_PUBLISHED))
    if any(saturated):
        label = f"first with {experiment.chart.saturated_percent:g} %"
        entries.append(Line2D([], [], label=label, **_SATURATED))
    if circled:
        entries.append(Line2D([], [], label="published", **_CIRCLED))
    _write_places(figure, axis, experiment.chart)
    quantity = rows[0].shown.quantity if rows else ""
    label = f"{quantity} in % of {experiment.baseline_label}" if relative else unit_label(experiment, rows)
    written = label
    largest = (max if shared else min)(most, default=0.0)
    for axes, shown in zip(parts, own, strict=False):
        written = _scaled(axes.yaxis, largest, label)
        _write_scale(axes, experiment.chart, list(shown.values()))
    written = textwrap.fill(written, _ALONG, break_on_hyphens=False)
    if shared:
        parts[0].set_ylabel(written)
    else:
        figure.supylabel(written)
    return entries


def _dashes(style: int) -> str:
    """Return the dashes of a line; the ninth has the colour and the mark of the first, but other dashes."""
    return _DASHES[(style + style // len(COLOURS)) % len(_DASHES)]


def _write_scale(axes: Axes, chart: Chart, shown: Sequence[float]) -> None:
    """Say where the scale upwards begins, and how it goes on."""
    if chart.scale == "log":
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.12g}")
        axes.yaxis.set_minor_formatter(lambda *_: "")
    # Lines need no zero, and what differs little is seen only without it.
    elif shown and min(shown) >= 0 and min(shown) < 2 / 3 * max(shown):
        axes.set_ylim(bottom=0)


def _write_places(figure: Figure, axis: ChartAxis, chart: Chart) -> None:
    """Write what stands along the axis: every word, without what all begin with; every number where there are few."""
    assert chart.x is not None
    shared = _PREFIX.match(_common(axis.labels)) if axis.words and len(axis.labels) > 1 else None
    labels = [text[shared.end() :] for text in axis.labels] if shared else list(axis.labels)
    shown = f"{key_label(chart.x)}: {shared[0]}..." if shared else key_label(chart.x)
    label = chart.words.get(chart.x, shown)
    if len(figure.axes) == 1:
        figure.axes[0].set_xlabel(label)
    else:
        figure.supxlabel(label)
    if not axis.words and len(axis.places) > _TICKS:
        return
    turned: dict[str, Any] = {}
    if len(labels) > _TICKS:
        turned = {"rotation": 90, "fontsize": 5.5}
    elif sum(map(len, labels)) * len(figure.axes) > 2 * _SHORT:
        turned = {"rotation": 30, "ha": "right"}
    if turned:
        longest = max(map(len, labels))
        figure.set_figheight(figure.get_figheight() + longest * turned["rotation"] / 2000)
    for axes in figure.axes:
        axes.set_xticks(axis.places, labels, **turned)


def _common(texts: Sequence[str]) -> str:
    """Return what all texts begin with."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in same)


def _depths(
    panels: Sequence[ChartPanel], values: Mapping[str, float], scale: Callable[[float], float]
) -> dict[int, int]:
    """Return, for each line, how many of those drawn after it lie on it, at more than half of their common places.

    Of a line that several panels have it is the most.
    """
    scaled = {case: scale(value) for case, value in values.items() if value > 0 or scale is float}
    height = max(map(abs, scaled.values()), default=0.0)
    found: dict[int, int] = {}

    def overlap(one: Mapping[float, str], other: Mapping[float, str]) -> bool:
        # A case that is on both does not count.
        both = [(one[at], other[at]) for at in one.keys() & other.keys() if one[at] != other[at]]
        same = sum(abs(scaled[a] - scaled[b]) <= _OVERLAP * height for a, b in both)
        return 2 * same > len(both)

    for panel in panels:
        places = [
            {at: case for at, case in zip(line.places, line.cases, strict=True) if case in scaled}
            for line in panel.lines
        ]
        for i, (line, own) in enumerate(zip(panel.lines, places, strict=True)):
            over = sum(overlap(own, other) for other in places[i + 1 :])
            found[line.style] = max(found.get(line.style, 0), over)
    return found
