"""Boxes with whiskers: percentiles of each case, and its mean."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from pnet_lp.charts.kinds import CHART_KINDS
from pnet_lp.plot import COLOURS
from pnet_lp.report.chart import ALONG, HOLLOW, LONG, split_figure
from pnet_lp.report.charts.percentiles import SHARES, Distribution, DistributionParams, words_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@CHART_KINDS.register("box", params=DistributionParams, summary="boxes with whiskers", example="of=rate_gbps")
class Box(Distribution):
    """See the base class."""

    def draw(self, figure: Figure) -> list[Any]:
        """Draw a box for each case; hollow marks are published numbers."""
        names = list(dict.fromkeys(name for _, _, cases in self.panels for name in cases))
        written = [textwrap.fill(name, LONG) for name in names]
        height = 0.155 * max((1 + name.count("\n") for name in written), default=1)
        parts = split_figure(figure, len(self.panels))
        figure.set_figheight((0.6 + height * len(names) + 0.15) * (1 if len(self.panels) <= 3 else len(parts) / 2))
        legend: list[Any] = []
        for axes, (label, quantity, cases) in zip(parts, self.panels, strict=True):
            values, marks = self.values(quantity), self.marks(quantity)
            for name, case in cases.items():
                at, known = -names.index(name), values[case]
                for (low, high), thick in zip(self._spans(), (False, True), strict=False):
                    if low in known and high in known:
                        if thick:
                            width = known[high] - known[low]
                            axes.barh(at, width, left=known[low], height=0.6, color=COLOURS[5], zorder=2)
                        else:
                            axes.plot([known[low], known[high]], [at, at], "-|", color="black", linewidth=0.8)
                for start, marker in (("p50", "|"), ("mean", ".")):
                    if start in known:
                        axes.plot(known[start], at, marker, color="black", markersize=6, zorder=3)
                for start, one in ((start, one) for start, group in marks.items() for one in group if one.case == case):
                    # Triangles point away from the middle, as what they mark does.
                    marker = "D" if start in ("mean", "p50") else "<" if SHARES[start] < SHARES["p50"] else ">"
                    style = HOLLOW | {"markersize": 4, "clip_on": False}
                    drawn = axes.plot(one.level, at, marker, color=COLOURS[1], zorder=4, label="published", **style)
                    legend = drawn if marker == "D" or not legend else legend
            axes.set_title(textwrap.fill(label, ALONG if len(self.panels) == 1 else 12, break_long_words=False))
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.12g}")
            axes.set_yticks([-i for i in range(len(names))], written)
            axes.tick_params(axis="y", length=0)
            axes.set_ylim(0.5 - len(names), 0.5)
            axes.grid(axis="x", alpha=0.3, linewidth=0.5)
            if self.experiment.chart is not None and self.experiment.chart.scale == "log":
                axes.set_xscale("log")
            else:
                axes.set_xlim(left=0)
                axes.locator_params(axis="x", nbins=4 if len(self.panels) == 1 else 2)
        if len(self.params.quantities) == 1:
            figure.supxlabel(textwrap.fill(self.words(self.params.quantities[0]), 2 * ALONG))
        return legend

    def caption(self) -> list[str]:
        """See the base class."""
        said = [f"{words_of(low)} to {words_of(high)}" for low, high in self._spans()]
        parts = [f"{what}: {words}" for what, words in zip(("Whiskers", "boxes"), said, strict=False)]
        median = ["upright: median"] if "p50" in self.starts() else []
        return ["; ".join([*parts, *median, "dots: mean"]), *super().caption()]

    def _spans(self) -> list[tuple[str, str]]:
        """Return from which percentile to which whiskers go, and boxes, which are within them."""
        starts = self.starts()
        return list(zip(starts, reversed(starts), strict=True))[: min(len(starts) // 2, 2)]
