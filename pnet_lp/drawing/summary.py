"""A network too large to draw switch by switch: its tiers, or sides of a cut, as boxes with counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pnet_lp.drawing.panels import PlanePanel
from pnet_lp.drawing.words import counted, number
from pnet_lp.model.arrays import FloatArray, floats


@dataclass(frozen=True)
class Bundle:
    """All cables between two boxes, or within one.

    Attributes:
        ends: the boxes.
        words: how many there are, and how fast and full, a line each.
        value: the largest value of a cable in it; None without loads.
        crossing: whether the bundle is in the cut.
    """

    ends: tuple[int, int]
    words: str
    value: float | None
    crossing: bool


@dataclass(frozen=True)
class Box:
    """All switches of a tier, on one side of the cut if there is one.

    Attributes:
        tier: counted from the hosts.
        side: 0 without a cut.
        words: what is in it, a line each.
    """

    tier: int
    side: int
    words: str


@dataclass(frozen=True)
class BoxSummary:
    """Boxes of switches, and the bundles of cables between them.

    Attributes:
        planes: the planes of which this holds.
        boxes: tier by tier.
        bundles: by their ends.
    """

    planes: tuple[int, ...]
    boxes: tuple[Box, ...]
    bundles: tuple[Bundle, ...]

    @property
    def name(self) -> str:
        """Which planes these are."""
        one = len(self.planes) == 1
        return f"plane {self.planes[0]}" if one else f"{len(self.planes):,} planes with these numbers"

    @cached_property
    def places(self) -> FloatArray:
        """float64 ``[boxes, 2]``: a row for each tier, a column for each side."""
        return floats([[box.side, box.tier] for box in self.boxes])


def summarise(panels: Sequence[PlanePanel]) -> list[BoxSummary]:
    """Return the summaries of panels, one for those that have the same numbers."""
    found: dict[object, BoxSummary] = {}
    for panel in panels:
        one = _summary(panel)
        key = (one.boxes, one.bundles)
        found[key] = one if key not in found else replace(one, planes=found[key].planes + one.planes)
    return list(found.values())


def _summary(panel: PlanePanel) -> BoxSummary:
    plane, tiers = panel.plane, panel.tier_names
    side = np.zeros(plane.switch_count, dtype=np.int64) if panel.side is None else 1 - panel.side.astype(np.int64)
    kinds, box = np.unique(panel.level * 2 + side, return_inverse=True)
    boxes = []
    for i, kind in enumerate(kinds.tolist()):
        tier, where = divmod(kind, 2)
        inside = box == i
        lines = [f"{inside.sum():,} x {tiers[tier]}"]
        if panel.side is not None:
            lines[0] += f", side {'AB'[where]}"
        held = {"rack": int(panel.rack[inside].sum()), "host": int(panel.hosts[inside].sum())}
        if any(held.values()):
            lines.append(", ".join(counted(count, what) for what, count in held.items()))
        if dead := int(panel.dead[inside].sum()):
            lines.append(f"{dead:,} cut off")
        boxes.append(Box(tier, where, "\n".join(lines)))
    ends = np.sort(np.column_stack([box[plane.cable_u], box[plane.cable_v]]), axis=1)
    pairs, bundle = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True)
    bundles = []
    for i, (a, b) in enumerate(pairs.tolist()):
        own = bundle.ravel() == i
        lines = [counted(int(own.sum()), "cable")]
        if down := int((panel.failed[own] == 2).sum()):
            lines[0] += f", {down:,} failed"
        lines.append(f"{number(panel.speed[own].sum() / 2)} Gb/s")
        value = None
        if panel.value is not None:
            value = float(panel.value[own].max())
            lines.append(f"{panel.value[own].mean():.0%} on average, at most {value:.0%}")
        bundles.append(Bundle((a, b), "\n".join(lines), value, bool(panel.crossing[own].any())))
    return BoxSummary(panel.planes, tuple(boxes), tuple(bundles))
