"""What matplotlib writes itself: PNG, SVG and PDF."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from pnet_lp.charts import CHART_FORMATS
from pnet_lp.charts.style import apply_style
from pnet_lp.errors import printable
from pnet_lp.formats import Format

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""What would tell one run from another, left out: versions and times."""


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """Return a figure as a file of ``kind``: png, svg or pdf; text stays text in the latter two."""
    from matplotlib import rc_context  # noqa: PLC0415 - slow to load

    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    _take_texts_literally(figure)
    apply_style(figure)
    temporary = io.BytesIO()
    with rc_context({"svg.hashsalt": "pnet-lp", "svg.fonttype": "none", "pdf.fonttype": 42}), warnings.catch_warnings():
        # Names may be in any script; what the font lacks is a box.
        warnings.filterwarnings("ignore", "Glyph")
        # Before 3.11 it sets letters of some scripts one by one.
        warnings.filterwarnings("ignore", "Matplotlib currently does not support")
        figure.savefig(temporary, format=kind, metadata=_METADATA[kind])
    data = temporary.getvalue()
    return printable(data.decode("utf-8", "surrogatepass"), "\n\t").encode() if kind == "svg" else data


def _take_texts_literally(figure: Figure) -> None:
    """Have no text read as a formula between dollar signs, but for the powers along logarithmic axes."""
    from matplotlib.text import Text  # noqa: PLC0415 - slow to load

    powers: set[object] = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log":
                powers.update(axis.get_ticklabels(which="both"))
    for text in figure.findobj(Text):
        if text not in powers:
            text.set_parse_math(False)


def _register(kind: str, summary: str) -> None:
    def write(figure: Figure, temporary: Path) -> None:
        temporary.write_bytes(figure_bytes(figure, kind))

    CHART_FORMATS.add(Format(kind, (f".{kind}",), write), summary=summary)


_register("png", "an image in pixels")
_register("svg", "vector graphics, text as text")
_register("pdf", "a page of vector graphics, text as text")
