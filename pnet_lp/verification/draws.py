"""Which plane a seed draws for each demand, found a second time.

The draw is the first of the stream of a demand: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014), which is
fed the seed and a word for each end.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.model.arrays import BoolArray
from pnet_lp.model.flow import FlowProblem

_Words: TypeAlias = npt.NDArray[np.uint64]
_LOW = np.uint64(0xFFFFFFFF)


def drawn_planes(flow: FlowProblem, available: BoolArray, *, seed: int, per_flow: bool) -> npt.NDArray[np.int64]:
    """Return int64 ``[J]``: the plane drawn for each demand among those available to it, -1 where none is.

    Args:
        flow: links and demands.
        available: bool ``[P, J]``, whether each plane has a path for each demand.
        seed: of the routing, 0 to 2^64 - 1.
        per_flow: whether the ends enter as what they are, or as the switches that they attach to.
    """
    word = flow.member.astype(np.uint64) if per_flow else _switch_words(flow)
    start = np.full(flow.demand_count, seed, dtype=np.uint64)
    state = _word(np.zeros_like(start)) ^ start
    for end in (flow.src, flow.dst):
        state = _word(state) ^ word[end]
    drawn = _below(_word(state), np.count_nonzero(available, axis=0).astype(np.uint64))
    chosen = available & (np.cumsum(available, axis=0) == drawn.astype(np.int64) + 1)
    return np.where(available.any(axis=0), chosen.argmax(axis=0), -1)


def _switch_words(flow: FlowProblem) -> _Words:
    """Return uint64 ``[E]``: one word for the switches of each endpoint, whose access links carry something."""
    attached = (flow.attach >= 0) & (flow.access_up > 0) & (flow.access_down > 0)
    state = np.zeros(flow.attach.shape[1], dtype=np.uint64)
    for switch in np.where(attached, flow.attach + 1, 0).astype(np.uint64):
        state = _word(state) ^ switch
    return _word(state)


def _word(state: _Words) -> _Words:
    """Return the word that follows each state."""
    word = state + np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def _below(word: _Words, bound: _Words) -> _Words:
    """Return the upper half of the product, of a bound below 2^32."""
    low = (word & _LOW) * bound >> np.uint64(32)
    return ((word >> np.uint64(32)) * bound + low) >> np.uint64(32)
