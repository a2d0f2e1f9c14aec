"""How many shortest paths between racks pass each link and each switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Plane
from pnet_lp.model.arrays import FloatArray, IntArray, floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_ENTRIES = 1 << 22  # of an array of one block of sources


def betweenness(plane: Plane) -> tuple[FloatArray, FloatArray]:
    """Return the betweenness of every link direction, ``[2 m]``, and of every switch, ``[n]``.

    It is the number of ordered pairs of racks whose path passes it, if each pair takes one of its shortest paths, all
    with equal probability; parallel cables make different paths, and a pair does not count at its own two ends.  Links
    of capacity 0 carry none.  Computed for blocks of sources at once, after U. Brandes, "A faster algorithm for
    betweenness centrality", Journal of Mathematical Sociology 25 (2001).
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to load

    n = plane.switch_count
    tail, head, capacity = plane.arcs
    live = np.flatnonzero(capacity > 0)
    tails, heads = tail[live], head[live]
    links = csr_array((np.ones(len(live)), (tails, heads)), shape=(n, n))
    target = np.zeros(n)
    target[plane.rack_switch] = 1.0
    by_arc, by_switch = np.zeros(len(capacity)), np.zeros(n)
    block = max(1, _ENTRIES // max(n, len(live), 1))
    for start in range(0, len(plane.rack_switch), block):
        sources = plane.rack_switch[start : start + block]
        hops, paths = _forward(links, sources)
        beyond = _backward(links, target, hops, paths)
        # What of each source's pairs goes through a link is split over the paths into its head.
        with np.errstate(divide="ignore", invalid="ignore"):
            per_path = np.where(hops >= 0, (target + beyond) / paths, 0.0)
        onwards = (hops[:, tails] >= 0) & (hops[:, heads] == hops[:, tails] + 1)
        by_arc[live] += np.where(onwards, paths[:, tails] * per_path[:, heads], 0.0).sum(axis=0)
        by_switch += np.where(hops > 0, beyond, 0.0).sum(axis=0)
    return floats(by_arc), floats(by_switch)


def _forward(links: csr_array, sources: IntArray) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return hops and number of shortest paths from each source to each switch, -1 and 0 where there is none."""
    rows = np.arange(len(sources))
    hops = np.full((len(sources), links.shape[0]), -1, dtype=np.int32)
    paths = np.zeros(hops.shape)
    front = paths.copy()
    hops[rows, sources], front[rows, sources] = 0, 1.0
    step = 0
    while front.any():
        paths += front
        step += 1
        front = np.where(hops < 0, front @ links, 0.0)
        hops[front > 0] = step
    return hops, paths


def _backward(
    links: csr_array, target: npt.NDArray[np.float64], hops: npt.NDArray[np.int32], paths: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return how many of each source's pairs end beyond each switch."""
    beyond = np.zeros(hops.shape)
    reverse = links.T.tocsr()
    for step in range(int(hops.max(initial=0)), 0, -1):
        at = hops == step
        share = np.divide(target + beyond, paths, out=np.zeros(hops.shape), where=at)
        beyond += np.where(hops == step - 1, paths * (share @ reverse), 0.0)
    return beyond
