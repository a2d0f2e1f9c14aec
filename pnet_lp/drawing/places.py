"""Where the switches of a plane stand in a picture."""

from __future__ import annotations

import numpy as np

from pnet_lp.model import Plane
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.components import components
from pnet_lp.model.layout import Circle
from pnet_lp.units import SMALLEST

_SPARSE = 3.0
"""Cables a switch up to which a network without a known shape is drawn by its cables; denser ones as a circle."""

_POD_GAP = 0.6
_STEEP, _HIGHEST = (0.31, 0.2), 0.65
"""Distance of two tiers, and of more, over their width; height of all tiers over it, at most."""


def find_places(plane: Plane) -> FloatArray:
    """Return float64 ``[n, 2]``: x and y of each switch, neighbours about 1 apart.

    As the family of the plane says; else by tiers, if there are several; else by the positions of a map, if all are
    known; else by cables, by forces with a fixed seed, or as a circle where there are many.
    """
    if plane.layout is not None:
        return plane.layout.places(plane.switch_count)
    if len(np.unique(plane.tier)) > 1:
        return _tiers(plane)
    if plane.position is not None and is_map(plane):
        return _spread(floats(plane.position))
    if plane.switch_count > 1 and plane.cable_count <= _SPARSE * plane.switch_count:
        return _spread(_by_forces(plane))
    return Circle().places(plane.switch_count)


def is_map(plane: Plane) -> bool:
    """Whether the places of switches are the positions of a map."""
    known = plane.position is not None and not np.isnan(plane.position).any()
    return known and plane.layout is None and len(np.unique(plane.tier)) < 2


def nearest_distances(places: FloatArray) -> FloatArray:
    """Return float64 ``[n]``: how far the next switch is; 1 where there is no other."""
    from scipy.spatial import KDTree  # noqa: PLC0415 - slow to load

    if len(places) < 2:
        return floats(np.ones(len(places)))
    distances, _ = KDTree(places).query(places, k=2)
    return floats(np.asarray(distances)[:, 1])


def _tiers(plane: Plane) -> FloatArray:
    """Return tiers as rows, from the hosts upwards, what is joined below the top tier together."""
    _, level = np.unique(plane.tier, return_inverse=True)
    top = int(level.max())
    n = plane.switch_count
    below = (level[plane.cable_u] < top) & (level[plane.cable_v] < top)
    pod = components(n, plane.cable_u[below], plane.cable_v[below])
    lower = np.flatnonzero(level < top)
    _, first, pod_of = np.unique(pod[lower], return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))[pod_of]
    counts = np.zeros((len(first), top), dtype=np.int64)
    np.add.at(counts, (order, level[lower]), 1)
    widths = counts.max(axis=1)
    gap = _POD_GAP if widths.max() > 1 and len(widths) > 1 else 0.0
    begin = np.cumsum(widths + gap) - widths - gap
    x = np.zeros(n)
    for tier in range(top):
        row = np.flatnonzero(level[lower] == tier)
        row = row[np.argsort(order[row], kind="stable")]
        own = order[row]
        rank = np.arange(len(row)) - np.searchsorted(own, own)
        x[lower[row]] = begin[own] + (rank + 0.5) * widths[own] / counts[own, tier]
    highest = np.flatnonzero(level == top)
    width = float(begin[-1] + widths[-1])
    if len(highest) > width:
        x *= len(highest) / width
        width = float(len(highest))
    x[highest] = (np.arange(len(highest)) + 0.5) * width / len(highest)
    # Steep enough that cables pass between switches, and no higher than a page.
    step = max(1.3, min(width * _STEEP[min(top, 2) - 1], width * _HIGHEST / top))
    return floats(np.column_stack([x, level * step]))


def _by_forces(plane: Plane) -> FloatArray:
    """Return places by attraction along cables and repulsion of switches (Fruchterman and Reingold 1991)."""
    import networkx as nx  # noqa: PLC0415 - slow to load

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(plane.switch_count))
    graph.add_edges_from(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True))
    found = nx.spring_layout(graph, seed=0, iterations=200)
    # Rounded: the last digits of sums differ from machine to machine.
    return floats(np.round([found[i] for i in range(plane.switch_count)], 6))


def _spread(places: FloatArray) -> FloatArray:
    """Return ``places`` in a scale in which most switches are 1 or more apart."""
    if len(places) < 2:
        return floats(np.zeros_like(places))
    extent = float(np.ptp(places, axis=0).max())
    if extent < SMALLEST:
        return floats(np.zeros_like(places))
    typical = float(np.quantile(nearest_distances(places), 0.25))
    return floats((places - places.min(axis=0)) / max(typical, extent / 40))
