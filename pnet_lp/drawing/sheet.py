"""The sheet of a picture: where panels stand, and what is around them: title, legend, scale and captions."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from pnet_lp.model.arrays import FloatArray
from pnet_lp.plot import COLOURS, new_figure

SIDES = (COLOURS[0], COLOURS[1])
"""Colours of the sides A and B of a cut; the first one is that of all switches without a cut."""

CABLE, CUT = "#8a8a8a", "#000000"
"""Colours of cables, where they are not those of the scale."""

FONT = 8.0
"""Points."""

GLYPH = 0.62
"""Width of a character over the size of the font, rather too wide."""

EDGE = 0.28
"""Inches around the places of a panel."""

_WIDE, _ALONE = 11.0, 9.0
"""Inches of a picture of several panels, and of one."""

_HIGH = 6.0
"""Inches of a panel, at most."""

_NARROWEST = 5.5
_MARGIN = 0.2

_BINS = 10
"""Colours of the scale."""


@dataclass(frozen=True)
class Note:
    """What an element of a drawing stands for: its classes, and what is said of it."""

    classes: str
    words: str


@dataclass(frozen=True)
class Sheet:
    """All that is written around the panels.

    Attributes:
        title: above them.
        captions: below them, a sentence each.
        scale: what colours of cables mean; empty where they mean nothing.
        ends: labels of the two ends of the scale.
    """

    title: str
    captions: tuple[str, ...]
    scale: str
    ends: tuple[str, str] = ("0 %", "100 %")


@dataclass
class Drawn:
    """A figure, and what its elements stand for: by the identifier of each collection, in the order drawn."""

    figure: Figure
    notes: dict[str, list[Note]] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """Where panels stand: all of one size, in rows.

    Attributes:
        columns: panels in a row.
        count: panels.
        inches: of a unit of places.
        width, height: of a panel, inches.
        left: inches to the left of each panel's places.
        titled: whether panels have titles.
    """

    columns: int
    count: int
    inches: float
    width: float
    height: float
    left: float
    titled: bool


Bounds = tuple[float, float, float, float]


def bounds_of(spots: Sequence[FloatArray], at_least: tuple[float, float] = (0.0, 0.0)) -> Bounds:
    """Return the lowest and the highest x, and those of y, of all places together."""
    both = np.concatenate(spots)
    low, high = both.min(axis=0), both.max(axis=0)
    more = np.maximum(np.array(at_least) - (high - low), 0) / 2
    (left, bottom), (right, top) = (low - more).tolist(), (high + more).tolist()
    return left, right, bottom, top


def make_page(boxes: Sequence[Bounds], left: float, *, titled: bool, most: float = 1.1, high: float = _HIGH) -> Page:
    """Return where panels stand in whose places are within ``boxes``, with at ``most`` so many inches a unit.

    A single panel is at most so many inches ``high``, several a quarter less.
    """
    count = len(boxes)
    columns = count if count <= 3 else 2 if count == 4 else 3 if count <= 9 else 4
    w = max(*(box[1] - box[0] for box in boxes), 1.0)
    h = max(*(box[3] - box[2] for box in boxes), 0.4)
    total = _ALONE if count == 1 else _WIDE
    room = (total - 2 * _MARGIN) / columns - 2 * EDGE - left
    high = high if count == 1 else 0.75 * high
    inches = min(room / w, high / h, most)
    return Page(columns, count, inches, w * inches + 2 * EDGE + left, h * inches + 2 * EDGE, left, titled)


def open_page(page: Page, sheet: Sheet, legend: Sequence[Line2D]) -> tuple[Drawn, list[tuple[float, float]]]:
    """Return an empty figure with all that is around the panels, and the lower left corner of each, in inches."""
    width = max(page.columns * page.width + 2 * _MARGIN, _NARROWEST)
    characters = int((width - 2 * _MARGIN) * 72 / (GLYPH * FONT))
    lines = [line for text in sheet.captions for line in textwrap.wrap(text, characters)]
    title = textwrap.wrap(sheet.title, int(characters * FONT / (FONT + 2)), max_lines=2, placeholder=" ...")
    entry = max((len(str(one.get_label())) for one in legend), default=0) * GLYPH * FONT / 72 + 0.55
    across = max(1, min(len(legend), int((width - 2 * _MARGIN) / entry)))
    words = 0.15 * len(lines) + 0.08
    scale = 0.55 if sheet.scale else 0.0
    keys = 0.19 * math.ceil(len(legend) / across) + 0.06 if legend else 0.0
    above = 0.2 * len(title) + 0.1
    step = page.height + (0.22 if page.titled else 0.0)
    rows = math.ceil(page.count / page.columns)
    height = 2 * _MARGIN + above + rows * step + keys + scale + words
    figure = new_figure(width, height, arranged=False)
    top = height - _MARGIN
    figure.text(_MARGIN / width, top / height, "\n".join(title), fontsize=FONT + 2, va="top", parse_math=False)
    figure.text(
        _MARGIN / width, _MARGIN / height, "\n".join(lines), fontsize=FONT, va="bottom", parse_math=False,
        linespacing=1.25,
    )  # fmt: skip
    if legend:
        corner = (_MARGIN / width, (_MARGIN + words + scale) / height)
        figure.legend(
            handles=legend,
            loc="lower left",
            bbox_to_anchor=corner,
            ncols=across,
            fontsize=FONT,
            frameon=False,
            borderpad=0,
            borderaxespad=0,
            columnspacing=1.2,
        )
    drawn = Drawn(figure)
    if sheet.scale:
        _draw_scale(figure, sheet, (_MARGIN + 0.1, _MARGIN + words), (width, height))
    origins = []
    for k in range(page.count):
        row, column = divmod(k, page.columns)
        # A single narrow panel stands in the middle.
        shift = (width - 2 * _MARGIN - page.columns * page.width) / 2
        x = _MARGIN + shift + column * page.width
        y = height - _MARGIN - above - row * step - (step - page.height) - page.height
        origins.append((x, y))
    return drawn, origins


def shortened(text: str, inches: float) -> str:
    """Return as much of a text as fits."""
    most = max(int(inches * 72 / (GLYPH * FONT)), 12)
    return text if len(text) <= most else f"{text[: most - 4]} ..."


def _draw_scale(figure: Figure, sheet: Sheet, corner: tuple[float, float], size: tuple[float, float]) -> None:
    """Draw the scale of colours, with what it means beside it."""
    axes = figure.add_axes((corner[0] / size[0], (corner[1] + 0.2) / size[1], 2.4 / size[0], 0.12 / size[1]))
    for i, colour in enumerate(_shades()):
        axes.add_patch(Rectangle((i / _BINS, 0), 1 / _BINS, 1, facecolor=colour, linewidth=0))
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], [sheet.ends[0], "", sheet.ends[1]], fontsize=FONT - 1)
    axes.set_yticks([])
    axes.tick_params(length=2, pad=1)
    axes.spines[:].set_linewidth(0.5)
    axes.text(1.06, 0.5, sheet.scale, transform=axes.transAxes, va="center", fontsize=FONT)


def add_axes(figure: Figure, page: Page, origin: tuple[float, float], box: Bounds) -> Axes:
    """Return axes for a panel, in which a unit of places is ``page.inches`` in both directions."""
    width, height = figure.get_size_inches()
    axes = figure.add_axes(
        (origin[0] / width, origin[1] / height, page.width / width, page.height / height), facecolor="none"
    )
    x, y = (box[0] + box[1]) / 2, (box[2] + box[3]) / 2
    wide, high = page.width / page.inches / 2, page.height / page.inches / 2
    x -= page.left / page.inches / 2
    axes.set_xlim(x - wide, x + wide)
    axes.set_ylim(y - high, y + high)
    axes.set_axis_off()
    return axes


def shade(value: float) -> str:
    """Return the colour of a value in [0, 1]."""
    return _shades()[min(int(value * _BINS), _BINS - 1)]


@cache
def _shades() -> list[str]:
    """Return the colours of the scale, light to dark in even steps, that all can tell apart."""
    return [to_hex(colour) for colour in colormaps["viridis_r"](np.linspace(0.08, 1.0, _BINS))]


def write(axes: Axes, place: Sequence[float] | FloatArray, text: str, **style: Any) -> None:
    """Write a text as it is, be there a dollar in it or not."""
    axes.text(float(place[0]), float(place[1]), text, **{"fontsize": FONT, "parse_math": False, **style})
