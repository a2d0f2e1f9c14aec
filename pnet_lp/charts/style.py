"""The style of figures on request: sized for a column of a paper or for a talk, with texts of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from pnet_lp.errors import SpecError
from pnet_lp.files import read_yaml
from pnet_lp.registry import nearest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Style: TypeAlias = Literal["paper", "talk"]

_SIZES: Mapping[Style, tuple[float, float]] = {"paper": (3.35, 7), "talk": (10, 18)}
"""Width in inches, and points of most texts."""

_LINES = 10
"""Points of text to which lines are drawn as they are; they grow with the text."""


@dataclass(frozen=True)
class Labels:
    """Texts by those of a figure in whose place they stand, and what messages call them."""

    texts: Mapping[str, str]
    source: str


@dataclass(frozen=True)
class FigureStyle:
    """Size and texts of figures.

    Attributes:
        style: their size and that of texts and lines; None for those of the chart.
        labels: other texts; None for those of the chart.
    """

    style: Style | None = None
    labels: Labels | None = None


_FIGURE_STYLE: ContextVar[FigureStyle] = ContextVar("figure_style", default=FigureStyle())  # noqa: B039 - frozen


def read_labels(path: str | Path) -> Labels:
    """Return the labels in a YAML file.

    Raises:
        SpecError: it cannot be read, or is no mapping of texts.
    """
    found = read_yaml(path)
    if not isinstance(found, dict) or not all(isinstance(text, str) for pair in found.items() for text in pair):
        raise SpecError("not a mapping of texts", where=str(path), allowed="lines of 'text of the figure: new text'")
    return Labels(found, str(path))


@contextmanager
def styled(style: FigureStyle) -> Iterator[None]:
    """Give figures that are written in the block this style."""
    token = _FIGURE_STYLE.set(style)
    try:
        yield
    finally:
        _FIGURE_STYLE.reset(token)


def apply_style(figure: Figure) -> None:
    """Give a figure the style of the block, before it is arranged.

    Raises:
        SpecError: it does not have a text that another is to stand for.
    """
    requested = _FIGURE_STYLE.get()
    if requested.style is not None:
        _size(figure, *_SIZES[requested.style])
    if requested.labels is not None:
        _rename(figure, requested.labels)


def _size(figure: Figure, width: float, points: float) -> None:
    from matplotlib.collections import PathCollection  # noqa: PLC0415 - slow to load
    from matplotlib.lines import Line2D  # noqa: PLC0415
    from matplotlib.text import Text  # noqa: PLC0415

    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_text()]
    sizes = sorted(float(text.get_fontsize()) for text in texts)
    before, (wide, high) = sizes[len(sizes) // 2] if sizes else points, figure.get_size_inches()
    grown = points / before
    figure.set_size_inches(width, width * high / wide)
    ticks: set[object] = set()
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        # Ticks are made when the figure is drawn.
        labels = axis.get_ticklabels(which="both")
        ticks.update(labels)
        axis.set_tick_params(which="both", labelsize=grown * (float(labels[0].get_fontsize()) if labels else before))
    for text in (text for text in texts if text not in ticks):
        text.set_fontsize(grown * float(text.get_fontsize()))
    for line in figure.findobj(Line2D):
        assert isinstance(line, Line2D)
        line.set_linewidth(line.get_linewidth() * points / _LINES)
        line.set_markersize(line.get_markersize() * points / _LINES)
    for dots in figure.findobj(PathCollection):
        assert isinstance(dots, PathCollection)
        dots.set_sizes([size * (points / _LINES) ** 2 for size in dots.get_sizes()])


def _rename(figure: Figure, labels: Labels) -> None:
    from matplotlib.text import Text  # noqa: PLC0415 - slow to load

    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_text()]
    known = dict.fromkeys(text.get_text() for text in texts)
    for name in labels.texts:
        if name not in known:
            raise SpecError(
                f"the figure has no text {name!r}{nearest(name, known)}", where=labels.source, allowed=", ".join(known)
            )
    for text in texts:
        text.set_text(labels.texts.get(text.get_text(), text.get_text()))
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        # Those of ticks are written again when the figure is drawn.
        words = [text.get_text() for text in axis.get_ticklabels()]
        if not labels.texts.keys().isdisjoint(words):
            axis.set_ticks(axis.get_majorticklocs(), [labels.texts.get(word, word) for word in words])
