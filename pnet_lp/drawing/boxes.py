"""A network drawn as boxes: its tiers, or the sides of a cut, with counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from pnet_lp.drawing.sheet import (
    CABLE,
    CUT,
    FONT,
    SIDES,
    Drawn,
    Sheet,
    add_axes,
    bounds_of,
    make_page,
    open_page,
    shade,
    write,
)
from pnet_lp.drawing.summary import BoxSummary
from pnet_lp.model.arrays import FloatArray


def draw_summaries(summaries: Sequence[BoxSummary], sheet: Sheet) -> Drawn:
    """Return the drawing of networks by their boxes."""
    stretched = [one.places * np.array([3.6, 1.5]) for one in summaries]
    boxes = [bounds_of([spot], at_least=(1.8, 0.6)) for spot in stretched]
    page = make_page(boxes, 0.5, titled=len(summaries) > 1 or len(summaries[0].planes) > 1, most=1.0)
    drawn, origins = open_page(page, sheet, [])
    for k, one in enumerate(summaries):
        axes = add_axes(drawn.figure, page, origins[k], boxes[k])
        if page.titled:
            axes.set_title(one.name, fontsize=FONT, loc="left", x=0, pad=2)
        _draw_summary(axes, one, stretched[k])
    return drawn


def _draw_summary(axes: Axes, one: BoxSummary, spot: FloatArray) -> None:
    """Draw boxes and the bundles between them; what is within a box is written below it."""
    within = {bundle.ends[0]: bundle for bundle in one.bundles if bundle.ends[0] == bundle.ends[1]}
    for bundle in one.bundles:
        a, b = bundle.ends
        if a == b:
            continue
        colour = shade(bundle.value) if bundle.value is not None else CUT if bundle.crossing else CABLE
        axes.plot(*spot[[a, b]].T, color=colour, linewidth=3.0 if bundle.crossing else 1.6, zorder=1, clip_on=False)
        # Bundles that cross each other have their words nearer to the lower end.
        share = 0.5 if spot[a, 0] == spot[b, 0] or spot[a, 1] == spot[b, 1] else 0.27
        write(
            axes,
            spot[a] + share * (spot[b] - spot[a]),
            bundle.words,
            fontsize=FONT - 1,
            ha="center",
            va="center",
            zorder=2,
            bbox={"facecolor": "white", "linewidth": 0, "pad": 1.5},
        )
    for i, box in enumerate(one.boxes):
        words = box.words
        if i in within:
            words += f"\nwithin: {within[i].words}".replace("\n", ", ").replace(", within", "\nwithin", 1)
        write(
            axes,
            spot[i],
            words,
            fontsize=FONT,
            ha="center",
            va="center",
            color="white",
            zorder=3,
            bbox={"boxstyle": "round,pad=0.5", "facecolor": SIDES[box.side], "linewidth": 0},
        )
