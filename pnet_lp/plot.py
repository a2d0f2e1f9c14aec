"""Figures: made without a window system, written as PNG or SVG."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from pnet_lp.writing import output_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLOT_SUFFIXES = (".png", ".svg")

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442")
"""Colours that all can tell apart, also those who see fewer (Okabe and Ito)."""

_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""What would tell one run from another, left out: versions and times."""


def new_figure(width: float, height: float = 4.5, *, arranged: bool = True, dpi: int = 150) -> Figure:
    """Return an empty figure of that size in inches, its parts ``arranged`` so that none covers another."""
    # Imported here, and without pyplot: it is slow to load, and a window system must never be asked for.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(width, height), dpi=dpi, layout="constrained" if arranged else None)
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure; its suffix, one of :data:`PLOT_SUFFIXES`, is the format.

    Equal figures give equal bytes with the same matplotlib.
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    with output_file(path) as temporary:
        temporary.write_bytes(figure_bytes(figure, kind))


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """Return a figure as a file of ``kind``: png, svg or pdf; text stays text in the latter two."""
    from matplotlib import rc_context  # noqa: PLC0415

    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    temporary = io.BytesIO()
    with (
        rc_context({"svg.hashsalt": "pnet-lp", "svg.fonttype": "none", "pdf.fonttype": 42}),
        warnings.catch_warnings(),
    ):
        # Names may be in any script; what the font lacks is a box.
        warnings.filterwarnings("ignore", "Glyph")
        figure.savefig(temporary, format=kind, metadata=_METADATA[kind])
    return temporary.getvalue()
