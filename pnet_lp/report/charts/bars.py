"""A bar for each case, from left to right so that names have room."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pnet_lp.charts.kinds import CHART_KINDS, ChartParams
from pnet_lp.experiment import Experiment
from pnet_lp.plot import COLOURS
from pnet_lp.report.chart import (
    ALONG,
    COMPARABLE,
    HOLLOW,
    LONG,
    PUBLISHED_MARKERS,
    SHORT,
    ChartKind,
    Published,
    error_bars,
    published_numbers,
    scaled_axis,
    split_figure,
)
from pnet_lp.report.experiment import CaseResult, unit_label
from pnet_lp.report.lines import bar_panels
from pnet_lp.report.numbers import format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAR = COLOURS[5]


@CHART_KINDS.register("bars", params=ChartParams, summary="a bar for each case")
class Bars(ChartKind):
    """See the base class."""

    def draw(self, figure: Figure) -> list[Any]:
        """Draw a bar for each row, from left to right so that names have room, and published values as marks on it."""
        experiment, rows = self.experiment, self.rows
        panels = bar_panels(experiment, [row.case for row in rows])
        names = list(dict.fromkeys(name for _, cases in panels for name in cases))
        written = [textwrap.fill(name, LONG) for name in names]
        height = 0.155 * max((1 + name.count("\n") for name in written), default=1)
        figure.set_figheight(0.55 + height * len(names) + 0.15 * (len(panels) > 1))
        known = {row.case: row for row in rows}
        published = self.published()
        legend: dict[str, Any] = {}
        scaled = ""
        reaches: list[tuple[float, float]] = []
        parts = split_figure(figure, len(panels))
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
        if COMPARABLE * min(most for _, most in reaches) >= max(most for _, most in reaches):
            reaches = [(min(least for least, _ in reaches), max(most for _, most in reaches))] * len(reaches)
        label = unit_label(experiment, rows)
        for axes, (least, most) in zip(parts, reaches, strict=True):
            # Room for what is written at the ends.
            axes.set_xlim(1.15 * least, (1.28, 1.4, 1.6)[min(len(panels), 3) - 1] * most)
            scaled = scaled_axis(axes.xaxis, max(most for _, most in reaches), label)
        if len(panels) == 1:
            figure.axes[0].set_xlabel(textwrap.fill(scaled, ALONG))
        else:
            figure.supxlabel(scaled)
        order = list(dict.fromkeys(item.source for item in published))
        return [legend[source] for source in sorted(legend, key=order.index)]

    def caption(self) -> list[str]:
        """See the base class."""
        labels = [f"Labels: per cent of {self.experiment.baseline_label}"] if self.experiment.baseline else []
        return [*labels, *error_bars(self.experiment, self.rows)]

    def published(self) -> Sequence[Published]:
        """See the base class."""
        values = {row.case: row.shown.value for row in self.rows}
        shown = (case for _, cases in bar_panels(self.experiment, list(values)) for case in cases.values())
        return published_numbers(self.experiment, self.claims, {case: values[case] for case in shown})


def _bars_of(
    axes: Axes,
    experiment: Experiment,
    rows: Mapping[str, CaseResult],
    places: Mapping[str, float],
    published: Sequence[Published],
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
            marker=PUBLISHED_MARKERS[sources.index(item.source) % len(PUBLISHED_MARKERS)],
            color=COLOURS[1],
            # The caption names a single source.
            label="published" if len(sources) == 1 else textwrap.fill(f"published: {item.source}", 2 * SHORT),
            **HOLLOW | {"markersize": 4},
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


def _bar_label(experiment: Experiment, row: CaseResult) -> str:
    if experiment.baseline is None:
        return format_number(float(f"{row.shown.value:.4g}"))
    return "" if row.percent is None else f"{row.percent:.0f} %"
