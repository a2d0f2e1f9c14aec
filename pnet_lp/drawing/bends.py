"""Which cables are drawn as arcs: those that others, or switches in between, would hide."""

from __future__ import annotations

import numpy as np

from pnet_lp.model.arrays import FloatArray, IntArray, floats

_CLEAR = 0.3
"""Distance from a switch, in distances of neighbours, below which a straight cable would seem to end there."""

_RISES = (0.32, 0.44, 0.7, 1.0, 1.4)
"""How high arcs rise, in distances of neighbours: the first that is clear of switches on one of its sides."""

_PARALLEL = 0.16
"""Distance of parallel cables."""

SHOULDER = 0.15
"""An arc is a cubic curve whose control points stand at this part of its length from either end."""

_CHUNK = 1 << 21


def find_bends(places: FloatArray, u: IntArray, v: IntArray, step: float) -> FloatArray:
    """Return float64 ``[m]``: how far to the left of the line from u to v the middle of each cable is.

    Args:
        places: of the switches, ``[n, 2]``.
        u: one end of each cable.
        v: the other end.
        step: how far neighbours are apart.
    """
    bends = np.zeros(len(u))
    clear = _clearance(places, u, v, floats(np.zeros(len(u))), pieces=1).copy()
    along = places[v] - places[u]
    normal = np.column_stack([-along[:, 1], along[:, 0]])
    outwards = np.einsum("mk,mk->m", normal, places[u] + along / 2 - places.mean(axis=0))
    side = np.where(outwards < -1e-9, -1.0, 1.0)
    for rise in _RISES:
        for shift in (step * rise, -step * rise):
            hidden = np.flatnonzero(clear < _CLEAR * step)
            bend = floats(shift * side[hidden])
            found = _clearance(places, u[hidden], v[hidden], bend)
            # Only what is plainly better, so that lower arcs win, and those on the outside.
            better = found > clear[hidden] + 0.02 * step
            bends[hidden[better]], clear[hidden[better]] = bend[better], found[better]
    return floats(bends + _aside(len(places), u, v) * step)


def arc(begin: FloatArray, end: FloatArray, bend: FloatArray) -> FloatArray:
    """Return ``[4, m, 2]``: the points of cubic curves whose middles are ``bend`` to the left of their chords."""
    along = end - begin
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-12)
    aside = np.column_stack([-along[:, 1], along[:, 0]]) * (bend * 4 / 3 / length)[:, None]
    return floats(np.stack([begin, begin + SHOULDER * along + aside, end - SHOULDER * along + aside, end]))


def _clearance(places: FloatArray, u: IntArray, v: IntArray, bend: FloatArray, pieces: int = 16) -> FloatArray:
    """Return float64 ``[m]``: how near each arc, as so many straight pieces, comes to a switch other than its ends."""
    found = np.full(len(u), np.inf)
    n = len(places)
    at = np.linspace(0.0, 1.0, pieces + 1)
    weight = np.stack([(1 - at) ** 3, 3 * at * (1 - at) ** 2, 3 * at**2 * (1 - at), at**3])
    rows = max(1, _CHUNK // max(n * len(at), 1))
    for first in range(0, len(u), rows):
        part = slice(first, first + rows)
        own = np.arange(len(u[part]))
        curve = np.einsum("ks,kmx->msx", weight, arc(places[u[part]], places[v[part]], bend[part]))
        gap = np.full((len(own), n), np.inf)
        for begin, end in zip(curve.swapaxes(0, 1)[:-1], curve.swapaxes(0, 1)[1:], strict=True):
            piece = (end - begin)[:, None]
            away = places[None] - begin[:, None]
            length = np.maximum((piece**2).sum(axis=2), 1e-18)
            share = np.clip((away * piece).sum(axis=2) / length, 0.0, 1.0)
            np.minimum(gap, np.hypot(*np.moveaxis(away - share[:, :, None] * piece, 2, 0)), out=gap)
        gap[own, u[part]] = gap[own, v[part]] = np.inf
        found[part] = gap.min(axis=1)
    return floats(found)


def _aside(n: int, u: IntArray, v: IntArray) -> FloatArray:
    """Return float64 ``[m]``: how far parallel cables are moved apart, to the left of each."""
    pair = np.minimum(u, v).astype(np.int64) * n + np.maximum(u, v)
    _, bundle, size = np.unique(pair, return_inverse=True, return_counts=True)
    order = np.argsort(bundle, kind="stable")
    rank = np.empty(len(u))
    rank[order] = np.arange(len(u)) - np.searchsorted(bundle[order], bundle[order])
    spread = min(_PARALLEL, 0.6 / max(int(size.max(initial=1)), 1))
    # The left of a cable depends on its direction, and parallel cables may have either.
    return floats((rank - (size[bundle] - 1) / 2) * spread * np.where(u < v, 1.0, -1.0))
