"""Lines over an axis of a key, in one panel or more; words without an order have points and no lines."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar

from pnet_lp.charts.kinds import CHART_KINDS, ChartParams
from pnet_lp.experiment import BoundClaim, Chart
from pnet_lp.plot import COLOURS, dashes
from pnet_lp.report.chart import (
    ALONG,
    COMPARABLE,
    HOLLOW,
    MARKERS,
    SHORT,
    ChartKind,
    Published,
    error_bars,
    is_published,
    key_label,
    published_numbers,
    scaled_axis,
    split_figure,
)
from pnet_lp.report.experiment import percents, unit_label
from pnet_lp.report.lines import ChartAxis, ChartPanel, chart_panels, saturation_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TICKS = 12
"""Values along an axis up to which each is written."""

_PREFIX = re.compile(r".*[:=,]")
"""What words along an axis may have in common, up to a sign between words."""

_OVERLAP = 0.012
"""Share of the height of a chart up to which two lines lie on each other."""

_SPAN = 0.8
"""Share of the step between two words without an order on which their points stand beside each other."""

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


class LinesParams(ChartParams):
    """Parameters of ``lines``."""

    along: ClassVar[bool] = True


@CHART_KINDS.register("lines", params=LinesParams, summary="lines over an axis of a key, `x`")
class Lines(ChartKind):
    """See the base class."""

    def draw(self, figure: Figure) -> list[Any]:
        """Draw the lines of the chart; hollow marks are published values, circles the first saturated cases."""
        from matplotlib.lines import Line2D  # noqa: PLC0415 - slow to load

        experiment, rows = self.experiment, self.rows
        assert experiment.chart is not None
        axis, panels = chart_panels(experiment)
        relative = experiment.in_percent
        values = self._drawn()
        error = {row.case: (row.percent_spread if relative else row.spread) or 0.0 for row in rows}
        saturated = {case for _, case in saturation_points(experiment, percents(rows))}
        circled = self._published_circles()
        published = {item.case: item.level for item in self.published()}
        panels = [panel for panel in panels if any(case in values for line in panel.lines for case in line.cases)]
        legend: dict[int, Any] = {}
        levels = values | published
        most = [max(levels[case] for case in panel.cases if case in levels) for panel in panels]
        shared = relative or not most or COMPARABLE * min(most) >= max(most)
        groups = [panels] if shared else [[panel] for panel in panels]
        own = [{case: levels[case] for panel in group for case in panel.cases if case in levels} for group in groups]
        scale = math.log10 if experiment.chart.scale == "log" else float
        depths = [
            _depths(group, {case: value for case, value in values.items() if case in shown}, scale)
            for group, shown in zip(groups, own, strict=True)
        ]
        depth = {style: max(one.get(style, 0) for one in depths) for one in depths for style in one}
        parts = split_figure(figure, len(panels), shared=shared)
        figure.set_figheight(figure.get_figheight() + 1.1 * max(0, math.ceil(len(panels) / 2) - 2))
        for axes, panel in zip(parts, panels, strict=False):
            lines = [line for line in panel.lines if any(case in values for case in line.cases)]
            for number, line in enumerate(lines):
                beside = 0.0 if axis.ordered else _SPAN * ((number + 0.5) / len(lines) - 0.5)
                points = [
                    (at + beside, case) for at, case in zip(line.places, line.cases, strict=True) if case in values
                ]
                under = depth[line.style] if axis.ordered else 0
                colour, marker = COLOURS[line.style % len(COLOURS)], MARKERS[line.style % len(MARKERS)]
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
                    linestyle=("-" if under else dashes(line.style)) if axis.ordered else "none",
                    alpha=0.5 if under else 1.0,
                    elinewidth=0.8,
                    label=line.label,
                    zorder=3 - 0.1 * under,
                )
                legend.setdefault(line.style, drawn)
                for at, case in points:
                    if case in published:
                        axes.plot(at, published[case], marker=marker, color=colour, zorder=4, **HOLLOW)
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
            entries.append(Line2D([], [], marker="o", color="grey", label="published", **HOLLOW))
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
            written = scaled_axis(axes.yaxis, largest, label)
            _write_scale(axes, experiment.chart, list(shown.values()))
        written = textwrap.fill(written, ALONG, break_on_hyphens=False)
        if shared:
            parts[0].set_ylabel(written)
        else:
            figure.supylabel(written)
        return entries

    def caption(self) -> list[str]:
        """See the base class."""
        chart, parts = self.experiment.chart, error_bars(self.experiment, self.rows)
        if chart is not None and chart.saturated_percent is not None:
            also = ", in grey as published" if self._published_circles() else ""
            of = f"planes x {self.experiment.baseline_label}"
            parts.append(f"Circles: first with {chart.saturated_percent:g} % of {of}{also}")
        return parts

    def published(self) -> Sequence[Published]:
        """See the base class."""
        return published_numbers(self.experiment, self.claims, self._drawn(), relative=self.experiment.in_percent)

    def _drawn(self) -> dict[str, float]:
        """Return what is drawn of each case: its value, or its per cent of the baseline."""
        on_lines = {case for panel in chart_panels(self.experiment)[1] for line in panel.lines for case in line.cases}
        values = {row.case: row.shown.value for row in self.rows}
        shown = percents(self.rows) if self.experiment.in_percent else values
        return {case: value for case, value in shown.items() if case in on_lines}

    def _published_circles(self) -> set[str]:
        """Return the first case of each line that is published to be saturated: to carry as much, or more."""
        experiment, claims = self.experiment, [one.claim for one in self.claims]
        shown = [one for one in claims if isinstance(one, BoundClaim) and is_published(experiment, one)]
        least = {
            one.case: one.at_least for one in shown if one.at_least and one.relative_to == experiment.base_of(one.case)
        }
        return {case for _, case in saturation_points(experiment, least) if case}


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
        for axes in figure.axes:
            axes.xaxis.set_major_formatter(lambda value, _: axis.write(value))
        return
    turned: dict[str, Any] = {}
    if len(labels) > _TICKS:
        turned = {"rotation": 90, "fontsize": 5.5}
    elif sum(map(len, labels)) * len(figure.axes) > 2 * SHORT:
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
