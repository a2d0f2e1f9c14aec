"""Charts of what an experiment shows, one column wide, of a kind of :data:`~pnet_lp.charts.kinds.CHART_KINDS`.

Cases and lines are told apart by colour, by shape of their marks and by dashes, so that a print in grey will do.
"""

from __future__ import annotations

import math
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.charts.images import figure_bytes
from pnet_lp.charts.kinds import ChartParams, parse_chart
from pnet_lp.experiment import Claim, Experiment, ValueClaim
from pnet_lp.plot import new_figure, write_figure
from pnet_lp.report.claims import Comparison
from pnet_lp.report.experiment import CaseResult, spread_label

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
MARKERS = "osD^vPX*"
PUBLISHED_MARKERS = "Ds^v"
SHORT = 26
"""Characters up to which two entries of a legend stand side by side."""

_MOST_LINES = 4
"""Of what is written along the height of a figure."""

LONG = 40
"""Characters of a bar's name on one line."""

COMPARABLE = 10
"""How much more one panel may reach than another that has the same scale."""

ALONG = 30
"""Characters beside an axis on one line."""

_MILLIONS = 2e6
"""Value along an axis from which on it is written in millions."""

HOLLOW: dict[str, Any] = {"markersize": 6, "markeredgewidth": 0.9, "markerfacecolor": "none", "linestyle": "none"}
"""How published values are marked."""

UNITS = {"gbps": "Gb/s", "s": "s", "us": "us", "bytes": "bytes", "usd": "USD", "percent": "%", "metres": "m"}
"""Units as they end the names of keys, and in words."""


@dataclass(frozen=True)
class ChartKind(ABC):
    """A kind of chart, of one experiment.

    Attributes:
        params: its parameters.
        experiment: what is drawn.
        rows: its cases.
        claims: those about it.
    """

    params: ChartParams
    experiment: Experiment
    rows: Sequence[CaseResult]
    claims: Sequence[Comparison]

    @abstractmethod
    def draw(self, figure: Figure) -> list[Any]:
        """Draw the rows, next to published values; return the entries of a legend."""

    @abstractmethod
    def caption(self) -> list[str]:
        """Return what stands under the chart, but for its title and published values: sentences."""

    @abstractmethod
    def published(self) -> Sequence[Published]:
        """Return the published numbers of what is drawn; a bound is no number that came out."""


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
    kind = _kind(experiment, [row for row in rows if math.isfinite(row.shown.value)], claims)
    figure = new_figure(_WIDTH_IN, 2.1, dpi=300)
    legend = kind.draw(figure)
    if len(legend) > 1 or (legend and not kind.params.along):
        labels = [str(entry.get_label()) for entry in legend]
        columns = 2 if max(map(len, labels)) <= SHORT else 1
        height = sum(1 + label.count("\n") for label in labels)
        figure.legend(handles=legend, loc="outside upper left", ncols=columns, columnspacing=1.2)
        figure.set_figheight(figure.get_figheight() + 0.13 * math.ceil(height / columns))
    _put_beside_panels(figure)
    return figure


def _put_beside_panels(figure: Figure) -> None:
    """Centre what is written along the figure's height beside its panels, in lines that are no longer than these.

    Above the panels is the legend.
    """
    for label in figure.texts:
        if label.get_rotation() != 90:
            continue
        words = label.get_text().replace("\n", " ")
        for width in range(len(words) - 1, len(words) // _MOST_LINES, -2):
            # Each line takes room from the panels.
            figure.draw_without_rendering()
            low, high = (end(getattr(axes.bbox, of) for axes in figure.axes) for end, of in ((min, "y0"), (max, "y1")))
            label.set_y((low + high) / 2 / figure.bbox.height)
            if label.get_window_extent().height <= high - low:
                break
            label.set_text(textwrap.fill(words, width, break_on_hyphens=False))


def caption(experiment: Experiment, rows: Sequence[CaseResult], claims: Sequence[Comparison]) -> str:
    """Return what stands under the chart: title, error bars, marks."""
    kind = _kind(experiment, rows, claims)
    parts = [experiment.title, *kind.caption()]
    if sources := dict.fromkeys(item.source for item in kind.published()):
        parts.append(f"Hollow marks: published ({'; '.join(sources)})")
    return "".join(part if part.endswith(".") else f"{part}. " for part in parts).strip()


def _kind(experiment: Experiment, rows: Sequence[CaseResult], claims: Sequence[Comparison]) -> ChartKind:
    entry, params = parse_chart(experiment.chart.shown_as if experiment.chart else "bars")
    kind: ChartKind = entry.build(params, experiment, rows, claims)
    return kind


def error_bars(experiment: Experiment, rows: Sequence[CaseResult]) -> list[str]:
    """Return what error bars are, where there are any."""
    return [f"Error bars: {spread_label(experiment, rows)}"] if any(row.draws > 1 for row in rows) else []


def key_label(key: str) -> str:
    """Return the name of a key or a column in words, with its unit."""
    name, _, unit = key.rpartition("_")
    return f"{name.replace('_', ' ')} ({UNITS[unit]})" if name and unit in UNITS else key.replace("_", " ")


@contextmanager
def _house_style() -> Iterator[None]:
    from matplotlib import rc_context  # noqa: PLC0415 - slow to load

    with rc_context(_STYLE):
        yield


def split_figure(figure: Figure, count: int, *, shared: bool = True) -> list[Axes]:
    """Return so many panels, with a ``shared`` scale upwards or not: three beside each other, or else two."""
    columns = count if count <= 3 else 2
    grid = figure.subplots(
        max(math.ceil(count / columns), 1) if columns else 1, columns or 1, sharey=shared, squeeze=False
    )
    parts = list(grid.flat)
    for axes in parts[count:]:
        axes.remove()
    return parts[: max(count, 1)]


@dataclass(frozen=True)
class Published:
    """A published number as it is drawn.

    Attributes:
        case: of which case.
        level: the number, in the unit of the axis.
        source: where it is published.
    """

    case: str
    level: float
    source: str


def published_numbers(
    experiment: Experiment,
    claims: Sequence[Comparison],
    values: Mapping[str, float],
    *,
    relative: bool = False,
    column: str | None = None,
) -> list[Published]:
    """Return the published numbers of cases.

    Args:
        experiment: what they are about.
        claims: all that there are.
        values: what is drawn of each case.
        relative: whether that is in per cent of a baseline.
        column: which column that is; default: the one that the experiment shows.
    """
    shown = [(one.claim, one.source) for one in claims if is_published(experiment, one.claim, column)]
    numbers = [(claim, source) for claim, source in shown if isinstance(claim, ValueClaim) and claim.case in values]
    own = {} if relative else {claim.case: claim.number for claim, _ in numbers if claim.relative_to is None}
    # A published ratio is one of published values, where they are known.
    known = {**values, **own}
    found = []
    for claim, source in numbers:
        if claim.relative_to is None:
            levels = [] if relative else [claim.number]
        else:
            levels = [claim.number / 100 * known[claim.relative_to]] if claim.relative_to in known else []
        found += [Published(claim.case, level, source) for level in levels]
    return found


def is_published(experiment: Experiment, claim: Claim, column: str | None = None) -> bool:
    """Return whether a claim is somebody else's, about a column, by default the one that the experiment shows."""
    return (
        claim.origin != "ours"
        and claim.not_comparable is None
        and claim.size in (experiment.size, "any")
        and (claim.column or experiment.column) == (column or experiment.column)
    )


def scaled_axis(axis: Axis, largest: float, label: str) -> str:
    """Have an axis written in millions where its numbers are that large; return its label."""
    factor, words = (1e6, "million ") if largest >= _MILLIONS else (1.0, "")
    axis.set_major_formatter(lambda value, _: f"{value / factor:,.12g}")
    return f"{words}{label}"
