"""Cumulative distributions: which share of flows, tasks or hosts has at most so much, from stored percentiles."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from pnet_lp.charts.kinds import CHART_KINDS
from pnet_lp.plot import COLOURS, dashes
from pnet_lp.report.chart import ALONG, HOLLOW, MARKERS, split_figure
from pnet_lp.report.charts.percentiles import SHARES, Distribution, DistributionParams, words_of
from pnet_lp.report.lines import case_styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW_IN = 1.1
"""Inches of a row of panels beyond the second."""

_ENOUGH = 4
"""Percentiles from which on lines between them say where the others are, about."""


@CHART_KINDS.register("cdf", params=DistributionParams, summary="cumulative distributions", example="of=rate_gbps")
class Cdf(Distribution):
    """See the base class."""

    def draw(self, figure: Figure) -> list[Any]:
        """Draw a line for each case through its percentiles, which are marked, in one panel or more."""
        from matplotlib.lines import Line2D  # noqa: PLC0415 - slow to load

        styles = case_styles(self.experiment, [case for _, _, cases in self.panels for case in cases.values()])
        parts = split_figure(figure, len(self.panels))
        rows = -(-len(self.panels) // 2) if len(self.panels) > 3 else 1
        figure.set_figheight(figure.get_figheight() + _ROW_IN * max(0, rows - 2))
        legend: dict[int, Any] = {}
        hollow = False
        for axes, (label, quantity, cases) in zip(parts, self.panels, strict=True):
            values, marks = self.values(quantity), self.marks(quantity)
            for case in cases.values():
                number, words = styles[case]
                shown = [(values[case][start], share) for start, share in SHARES.items() if start in values[case]]
                if not shown:
                    continue
                colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
                linestyle = dashes(number) if len(shown) >= _ENOUGH else "none"
                style: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": linestyle, "label": words}
                (line,) = axes.plot(*zip(*shown, strict=True), markersize=3.2, linewidth=1, clip_on=False, **style)
                legend.setdefault(number, line)
                for start, share in SHARES.items():
                    for one in (one for one in marks[start] if one.case == case):
                        axes.plot(one.level, share, marker=marker, color=colour, zorder=4, clip_on=False, **HOLLOW)
                        hollow = True
            axes.set_title(label)
            axes.set_ylim(0, 1)
            axes.grid(alpha=0.3, linewidth=0.5)
            if self.experiment.chart is not None and self.experiment.chart.scale == "log":
                axes.set_xscale("log")
        figure.supylabel("cumulative share")
        words = self.words(self.params.quantities[0]) if len(self.params.quantities) == 1 else ""
        figure.supxlabel(textwrap.fill(words, 2 * ALONG))
        entries = [legend[number] for number in sorted(legend)]
        return [*entries, Line2D([], [], marker="o", color="grey", label="published", **HOLLOW)] if hollow else entries

    def caption(self) -> list[str]:
        """See the base class."""
        marks = ", ".join(map(words_of, self.starts()))
        return [f"Marks: shares of {marks}", *super().caption()]
