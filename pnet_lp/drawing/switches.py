"""A network drawn switch by switch, planes side by side or as layers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.path import Path

from pnet_lp.drawing.bends import arc, find_bends
from pnet_lp.drawing.panels import PlanePanel
from pnet_lp.drawing.places import find_places, is_map, nearest_distances
from pnet_lp.drawing.sheet import (
    CABLE,
    CUT,
    EDGE,
    FONT,
    GLYPH,
    SIDES,
    Drawn,
    Note,
    Page,
    Sheet,
    add_axes,
    bounds_of,
    make_page,
    open_page,
    shade,
    shortened,
    write,
)
from pnet_lp.model.arrays import BoolArray, FloatArray, booleans, floats

_DARK, _FAILED, _DEAD, _FRAME = "#444444", "#b0b0b0", "#9a9a9a", "#f3f3f3"
_DASHES, _DOTS = (0, (3, 2)), (0, (1, 1.5))

_SHEAR, _FLATTEST = 0.35, 0.5
"""Layers lean by this part of their height, and are at least this part as high as seen from above."""

_LAYERS_HIGH = 8.5
"""Inches of all layers together, at most."""

_BESIDE_FONT = 6.0
"""Points of names beside the switches of a map."""

_SMALLEST_FONT = 5.0
"""Points below which switches have no names in the picture."""


def draw_panels(panels: Sequence[PlanePanel], sheet: Sheet, *, layers: bool) -> Drawn:
    """Return the drawing of ``panels``, switch by switch."""
    places = [find_places(panel.plane) for panel in panels]
    leaning = _layered(places) if layers else [(place, None) for place in places]
    scenes = [_scene(panel, spot, ground) for panel, (spot, ground) in zip(panels, leaning, strict=True)]
    boxes = (
        [bounds_of([corner for one in scenes for corner in one.extent])]
        if layers
        else [bounds_of(one.extent) for one in scenes]
    )
    # Names of tiers stand to the left of them.
    tiers = [panel.plane.layout is None and len(panel.tier_names) > 1 for panel in panels]
    left = 0.75 if any(tiers) and not layers else 0.0
    titled = not layers and (len(panels) > 1 or panels[0].planes != (0,))
    page = make_page(boxes, left, titled=titled, **({"high": _LAYERS_HIGH} if layers else {}))
    legend = _legend(panels)
    drawn, origins = open_page(page, sheet, legend)
    labels = {panel.plane.label for panel in panels}
    for k, (panel, scene) in enumerate(zip(panels, scenes, strict=True)):
        where = 0 if layers else k
        axes = add_axes(drawn.figure, page, origins[where], boxes[where])
        name = panel.name if len(labels) == 1 else f"{panel.name}: {panel.plane.label}"
        name = shortened(name, page.width)
        if scene.ground is not None:
            _draw_ground(axes, scene.ground, name)
        elif page.titled:
            axes.set_title(name, fontsize=FONT, loc="left", x=0, pad=2, parse_math=False)
        if tiers[k] and not layers:
            _name_tiers(axes, panel, scene.spot, page)
        _draw_frames(axes, panel, scene, page.inches)
        _draw_cables(drawn, axes, panel, scene, page.inches, k)
        _draw_switches(drawn, axes, panel, scene, page.inches, k)
    return drawn


@dataclass(frozen=True)
class _Scene:
    """Where a panel's switches and cables are drawn.

    Attributes:
        spot: float64 ``[n, 2]``, of switches.
        step: how far neighbours are apart.
        curve: float64 ``[4, m, 2]``, the points of each cable's curve.
        straight: bool ``[m]``, cables that are a line from the first of these to the last.
        ground: float64 ``[4, 2]``, the corners of what a layer lies on.
    """

    spot: FloatArray
    step: float
    curve: FloatArray
    straight: BoolArray
    ground: FloatArray | None

    @property
    def extent(self) -> list[FloatArray]:
        """Points between which everything is."""
        begin, left, right, end = self.curve
        middle = (begin + 3 * left + 3 * right + end) / 8
        return [self.spot, middle] if self.ground is None else [self.spot, middle, self.ground]


def _scene(panel: PlanePanel, spot: FloatArray, ground: FloatArray | None) -> _Scene:
    step = float(np.quantile(nearest_distances(spot), 0.1)) or 1.0
    u, v = panel.plane.cable_u, panel.plane.cable_v
    bends = find_bends(spot, u, v, step)
    return _Scene(spot, step, arc(spot[u], spot[v], bends), booleans(np.abs(bends) < 1e-9), ground)


def _layered(places: Sequence[FloatArray]) -> list[tuple[FloatArray, FloatArray]]:
    """Return the places of planes seen from the side and above, one over the other, and what each lies on."""
    found, base = [], 0.0
    for place in places:
        low, high = place.min(axis=0) - (0.8, 1.2), place.max(axis=0) + 0.8
        wide, deep = high - low
        # What is wide and shallow, as tiers are, stays as it is.
        flat = float(np.clip(0.45 * wide / deep, _FLATTEST, 1.0))
        corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
        leaning = []
        for points in (place, corners):
            x, y = (points - low).T
            leaning.append(floats(np.column_stack([x + _SHEAR * y, base + flat * y])))
        found.append((leaning[0], leaning[1]))
        base += flat * float(deep) + 0.3
    return found


def _draw_ground(axes: Axes, corners: FloatArray, name: str) -> None:
    """Draw what a layer lies on, with its name."""
    axes.add_patch(Polygon(corners, facecolor="#f3f3f3", edgecolor="#d0d0d0", linewidth=0.6, clip_on=False))
    write(axes, corners[0], f"  {name}", va="bottom", color="#555555")


def _name_tiers(axes: Axes, panel: PlanePanel, spot: FloatArray, page: Page) -> None:
    left = float(spot[:, 0].min()) - (EDGE + 0.1) / page.inches
    for tier, name in enumerate(panel.tier_names):
        row = panel.level == tier
        words = f"{row.sum():,}\n{textwrap.shorten(name, 14, placeholder='...')}"
        y = float(spot[row, 1].mean())
        write(axes, (left, y), words, fontsize=FONT - 1, ha="right", va="center", color="#555555")


def _draw_frames(axes: Axes, panel: PlanePanel, scene: _Scene, inches: float) -> None:
    """Draw boxes around switches, with their names below where these fit."""
    for name, members in panel.frames:
        low, high = scene.spot[members].min(axis=0) - 0.45, scene.spot[members].max(axis=0) + 0.45
        corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
        axes.add_patch(Polygon(corners, facecolor=_FRAME, edgecolor=_FAILED, linewidth=0.6, zorder=0, clip_on=False))
        if GLYPH * (FONT - 1) * len(name) <= (high[0] - low[0]) * inches * 72:
            spot = ((low[0] + high[0]) / 2, low[1])
            write(axes, spot, name, fontsize=FONT - 1, ha="center", va="top", color="#555555", zorder=3)


def _draw_cables(drawn: Drawn, axes: Axes, panel: PlanePanel, scene: _Scene, inches: float, k: int) -> None:
    """Draw the cables of a panel as one collection."""
    m = panel.plane.cable_count
    if not m:
        return
    codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    paths = [Path(scene.curve[[0, 3], i]) if scene.straight[i] else Path(scene.curve[:, i], codes) for i in range(m)]
    # No wider than so many can be told apart at a switch.
    step = scene.step * inches * 72
    thin = float(np.clip(min(0.045 * step, 0.4 * step / max(panel.plane.degree.mean(), 1.0)), 0.25, 1.3))
    # What matters most lies on top: the cut, then what works, the fullest last.
    order = np.lexsort((np.zeros(m) if panel.value is None else panel.value, panel.crossing, panel.failed < 2))
    # Many cables are a haze in which their bundles are darker.
    haze = float(np.clip((300 / m) ** 0.5, 0.35, 1.0))
    colours: list[str | tuple[str, float]] = []
    widths, styles = [], []
    for i in order.tolist():
        value = None if panel.value is None else float(panel.value[i])
        failed, crossing = int(panel.failed[i]), bool(panel.crossing[i])
        if failed == 2:
            colours.append(_FAILED)
        elif value is not None:
            colours.append(shade(value))
        else:
            colours.append(CUT if crossing else (panel.colour[i] if panel.colour else CABLE, haze))
        width = thin * (1.0 if value is None else 0.8 + 1.4 * value)
        widths.append(max(2.0 * width, 1.4) if crossing else width)
        styles.append(_DASHES if failed == 2 else _DOTS if failed == 1 else "-")
    name = f"cables-{k}"
    axes.add_collection(
        PathCollection(
            [paths[i] for i in order.tolist()],
            facecolors="none",
            edgecolors=colours,
            linewidths=widths,
            linestyles=styles,
            gid=name,
            clip_on=False,
            zorder=1,
        )
    )
    words = panel.cable_words()
    drawn.notes[name] = [
        Note(
            " ".join(
                ["cable"]
                + ["cut"] * bool(panel.crossing[i])
                + [["", "half-failed", "failed"][panel.failed[i]]] * bool(panel.failed[i])
            ),
            words[i],
        )
        for i in order.tolist()
    ]


def _draw_switches(drawn: Drawn, axes: Axes, panel: PlanePanel, scene: _Scene, inches: float, k: int) -> None:
    """Draw the switches of a panel as one collection, and their names where these fit into them."""
    spot = scene.spot
    diameter = float(np.clip(0.5 * scene.step * inches * 72, 2.5, 26.0))
    names = panel.plane.switch_names
    transit = ~panel.rack
    faces, edges, styles = [], [], []
    for i in range(len(names)):
        colour = SIDES[0 if panel.side is None or panel.side[i] else 1]
        if panel.dead[i]:
            colour = _DEAD
        faces.append("white" if transit[i] or panel.dead[i] else colour)
        edges.append(colour)
        styles.append(":" if panel.dead[i] else "-")
    name = f"switches-{k}"
    axes.scatter(
        spot[:, 0],
        spot[:, 1],
        s=diameter**2,
        c=faces,
        edgecolors=edges,
        linewidths=float(np.clip(0.07 * diameter, 0.4, 1.2)),
        linestyles=styles,
        gid=name,
        clip_on=False,
        zorder=2,
    )
    words = panel.switch_words()
    drawn.notes[name] = [
        Note(
            " ".join(
                ["switch", "transit" if transit[i] else "rack"]
                + ([] if panel.side is None else [f"side-{'a' if panel.side[i] else 'b'}"])
                + ["dead"] * bool(panel.dead[i])
            ),
            words[i],
        )
        for i in range(len(names))
    ]
    font = min(0.9 * diameter / (GLYPH * max(map(len, names))), FONT)
    if font < _SMALLEST_FONT:
        if is_map(panel.plane):
            degree = np.bincount(np.concatenate([panel.plane.cable_u, panel.plane.cable_v]), minlength=len(names))
            _name_beside(axes, spot, names, np.argsort(-degree, kind="stable"), diameter, inches)
        return
    for i, text in enumerate(names):
        write(
            axes,
            spot[i],
            text,
            fontsize=font,
            ha="center",
            va="center_baseline",
            color=edges[i] if faces[i] == "white" else "white",
            zorder=3,
        )


def _name_beside(
    axes: Axes, spot: FloatArray, names: Sequence[str], order: Iterable[int], diameter: float, inches: float
) -> None:
    """Write names beside switches, in this order, where they cover no switch and no name that is there already.

    Args:
        axes: where to.
        spot: as of :class:`_Scene`.
        names: of switches.
        order: of their indices.
        diameter: of a switch, in points.
        inches: of a unit of ``spot``.
    """
    points = spot * inches * 72
    high, gap = 1.2 * _BESIDE_FONT, diameter / 2 + 1
    lower, upper = points - diameter / 2, points + diameter / 2
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    page = np.array([[left, bottom], [right, top]]) * inches * 72
    for i in order:
        size = np.array([wide := GLYPH * _BESIDE_FONT * len(names[i]), high])
        for side, up in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            corner = points[i] + (side * gap + (side - 1) * wide / 2, up * gap + (up - 1) * high / 2)
            covers = ((lower < corner + size) & (upper > corner)).all(axis=1).any()
            if not covers and (page[0] <= corner).all() and (corner + size <= page[1]).all():
                lower, upper = np.vstack([lower, corner]), np.vstack([upper, corner + size])
                write(
                    axes,
                    (corner + size / 2) / (inches * 72),
                    names[i],
                    fontsize=_BESIDE_FONT,
                    ha="center",
                    va="center_baseline",
                    color="#333333",
                    zorder=3,
                    bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.2},
                )
                break


def _legend(panels: Sequence[PlanePanel]) -> list[Line2D]:
    """Return the entries of the legend: only what occurs."""

    def dot(label: str, edge: str, face: str) -> Line2D:
        return Line2D([], [], linestyle="none", marker="o", markersize=6, color=edge, markerfacecolor=face, label=label)

    def line(label: str, colour: str, **style: Any) -> Line2D:
        return Line2D([], [], color=colour, label=label, **style)

    cut = any(panel.side is not None for panel in panels)
    some_transit = any((~panel.rack).any() for panel in panels)
    loaded = any(panel.value is not None for panel in panels)
    entries = []
    if cut:
        there = {bool(side) for panel in panels if panel.side is not None for side in panel.side}
        entries += [
            dot(f"side {name} of the cut", colour, colour)
            for name, colour, side in zip("AB", SIDES, (True, False), strict=True)
            if side in there
        ]
        if any(panel.crossing.any() for panel in panels):
            entries.append(line("cable in the cut", CABLE if loaded else CUT, linewidth=2.4))
    elif some_transit:
        entries.append(dot(panels[0].kinds[0], SIDES[0], SIDES[0]))
    if some_transit:
        entries.append(dot(panels[0].kinds[1], _DARK if cut else SIDES[0], "white"))
    entries += [line(words, colour, linewidth=1.2) for words, colour in ([] if loaded else panels[0].keys)]
    if any((panel.failed == 2).any() for panel in panels):
        entries.append(line("failed cable", _FAILED, linewidth=1.2, linestyle=_DASHES))
    if any((panel.failed == 1).any() for panel in panels):
        entries.append(line("one direction failed", CABLE, linewidth=1.2, linestyle=_DOTS))
    if any(panel.dead.any() for panel in panels):
        entries.append(dot("switch cut off", _DEAD, "white"))
    return entries
