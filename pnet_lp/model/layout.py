"""How a plane is drawn: what the builder of a family knows of its shape and a picture cannot infer.

Families with tiers do not need this: their ``tier`` determines it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from pnet_lp.model.arrays import FloatArray, floats

_DEPTH = (0.8, 0.5)
"""By how much the third axis of a grid is shifted in all, in the steps of the first two: less than one."""

_BETWEEN = 1.2
"""Blocks and groups stand this many times as far apart as they are wide."""


class Layout(ABC):
    """Places for the switches of a plane, about 1 apart, by their indices alone."""

    @abstractmethod
    def places(self, switches: int) -> FloatArray:
        """Return float64 ``[switches, 2]``: x and y of each switch."""


@dataclass(frozen=True)
class Circle(Layout):
    """All on one circle, clockwise from the top; switch 0 in its centre if that is the ``hub``."""

    hub: bool = False

    def places(self, switches: int) -> FloatArray:
        """See :meth:`Layout.places`."""
        ring = _circle(switches - self.hub, 1.0, 1.0 if self.hub else 0.0)
        return floats(np.concatenate([np.zeros((int(self.hub), 2)), ring]))


@dataclass(frozen=True)
class Grid(Layout):
    """A grid in row-major order, of any number of axes.

    The last axis runs to the right, the one before it downwards, the one before that into the depth; blocks of these
    stand beside and below each other along the others.

    Attributes:
        dims: switches along each axis.
    """

    dims: tuple[int, ...]

    def places(self, switches: int) -> FloatArray:
        """See :meth:`Layout.places`."""
        del switches
        extents = self.dims[::-1]
        steps = [(1.0, 0.0), (0.0, -1.0)]
        size = [extents[0] - 1.0, extents[1] - 1.0 if len(extents) > 1 else 0.0]
        if len(extents) > 2:
            steps.append((_DEPTH[0] / (extents[2] - 1), _DEPTH[1] / (extents[2] - 1)))
            size = [size[0] + _DEPTH[0], size[1] + _DEPTH[1]]
        for axis, extent in enumerate(extents[3:]):
            side = axis % 2
            step = _BETWEEN * (size[side] + 0.6)
            steps.append((0.0, -step) if side else (step, 0.0))
            size[side] += (extent - 1) * step
        index = np.indices(self.dims).reshape(len(self.dims), -1)[::-1]
        return floats(index.T @ np.array(steps[: len(extents)]))


@dataclass(frozen=True)
class Groups(Layout):
    """Circles on circles: groups of neighbours in index, and groups of these.

    Attributes:
        sizes: members of an innermost group, number of such groups in one of the next, and so on.  Switches after all
            these members stand in the centres of the innermost groups, one in each.
    """

    sizes: tuple[int, ...]

    def places(self, switches: int) -> FloatArray:
        """See :meth:`Layout.places`."""
        members = _circle(self.sizes[0], 1.0)
        centres = np.zeros((1, 2))
        across = _across(self.sizes[0], 1.0)
        for size in self.sizes[1:]:
            ring = _circle(size, _BETWEEN * across)
            members, centres = _on_each(ring, members), _on_each(ring, centres)
            across = _across(size, _BETWEEN * across)
        return floats(np.concatenate([members, centres[: switches - len(members)]]))


def _circle(count: int, step: float, least: float = 0.0) -> FloatArray:
    """Return ``[count, 2]``: places on a circle, ``step`` apart, clockwise from the top; a single one is its centre.

    The radius is ``least`` at the least.
    """
    angle = math.pi / 2 - 2 * math.pi * np.arange(count) / max(count, 1)
    return floats(max(_radius(count, step), least) * np.column_stack([np.cos(angle), np.sin(angle)]))


def _radius(count: int, step: float) -> float:
    return step / (2 * math.sin(math.pi / count)) if count > 1 else 0.0


def _across(count: int, step: float) -> float:
    """Return how much room such a circle takes, with half a step around it."""
    return 2 * _radius(count, step) + step


def _on_each(ring: FloatArray, inner: FloatArray) -> FloatArray:
    """Return ``inner`` moved to each place of ``ring``, and turned so that its top points outwards."""
    found = []
    for place in ring:
        turn = math.atan2(place[1], place[0]) - math.pi / 2 if place.any() else 0.0
        cos, sin = math.cos(turn), math.sin(turn)
        found.append(place + inner @ np.array([[cos, sin], [-sin, cos]]))
    return floats(np.concatenate(found))
