"""Figures, made without a window system."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from pnet_lp.charts import CHART_FORMATS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442")
"""Colours that all can tell apart, also those who see fewer (Okabe and Ito)."""

_DASHES = ("-", "--", "-.", ":")


def new_figure(width: float, height: float = 4.5, *, arranged: bool = True, dpi: int = 150) -> Figure:
    """Return an empty figure of that size in inches, its parts ``arranged`` so that none covers another."""
    # Imported here, and without pyplot: it is slow to load, and a window system must never be asked for.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(width, height), dpi=dpi, layout="constrained" if arranged else None)
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure in the format of the suffix, one of :data:`~pnet_lp.charts.CHART_FORMATS`."""
    CHART_FORMATS.save(figure, path)


@contextmanager
def one_chart(path: str | Path, title: str = "", width: float = 6, height: float = 4) -> Iterator[Axes]:
    """Yield the axes of a figure with a single chart, which is written to ``path`` at the end of the block."""
    figure = new_figure(width, height)
    axes = figure.add_subplot()
    yield axes
    axes.set_title(title, fontsize="medium")
    write_figure(figure, path)


def dashes(number: int) -> str:
    """Return the dashes of a line; the ninth has the colour of the first, but other dashes."""
    return _DASHES[(number + number // len(COLOURS)) % len(_DASHES)]


def scale_of(*values: npt.NDArray[Any]) -> Literal["linear", "log"]:
    """Return the scale of an axis for positive values: logarithmic if they span a power of ten; else labels collide."""
    drawn = np.concatenate(values)
    return "log" if drawn.size and drawn.max() >= 10 * drawn.min() else "linear"


def draw_shares(axes: Axes, values: npt.ArrayLike, total: int | None = None, **style: Any) -> None:
    """Draw which share of ``total`` values is at most how large: an empirical distribution function.

    Args:
        axes: where to.
        values: those that are known, in any order.
        total: how many there are; default: all are known.
        style: of the line.
    """
    known = np.sort(np.asarray(values))
    shares = np.arange(1, len(known) + 1) / (len(known) if total is None else total)
    axes.step(known, shares, where="post", **style)
    axes.set_ylim(0, 1)
