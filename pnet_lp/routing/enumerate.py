"""Path enumeration over all planes of a network, at once or in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.errors import RoutingError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.network import Level
from pnet_lp.model.paths import PathSet
from pnet_lp.routing.count import count_prepared
from pnet_lp.routing.rule import PathRule
from pnet_lp.routing.searches import Searches, options, prepare

BLOCK_BYTES = 1 << 28

BYTES_PER_PAIR = 64
BYTES_PER_PATH, BYTES_PER_HOP = 20, 5
"""Upper bounds on what was measured: 34 bytes a path of 3 to 4 hops, for 8 and 32 paths between 320 racks."""

_COUNTED_PAIRS = 1 << 18  # pairs whose shortest paths are counted at once


def enumerate_paths(
    network: Network,
    level: Level,
    src: npt.ArrayLike,
    dst: npt.ArrayLike,
    rule: PathRule,
    *,
    beside: int = 0,
    threads: int = 0,
    deadline: Deadline = NEVER,
) -> PathSet:
    """Return the paths of each pair ``(src[j], dst[j])``, the same on any number of threads.

    Args:
        network: the planes.
        level: whether the pairs are racks or hosts.
        src: index of each pair's source.
        dst: index of each pair's destination.
        rule: which paths.
        beside: bytes that the caller needs besides for each link of a path, access links counted.
        threads: 0 for all cores.
        deadline: when to end at the latest.

    Raises:
        RoutingError: an index out of range, or more paths than fit into memory.
        TimeLimitError: the time is over.
        TopologyError: pairs of that level mean nothing on the network.
    """
    searches, keywords = prepare(network, level, src, dst), options(rule, threads)
    needed = sum(float(needed.sum()) for needed in _bytes(searches, rule, threads, deadline, beside))
    _check_fits(needed, searches, rule)
    return _listed(searches, keywords, deadline)


def iterate_paths(
    network: Network,
    level: Level,
    src: npt.ArrayLike,
    dst: npt.ArrayLike,
    rule: PathRule,
    *,
    block_bytes: int = BLOCK_BYTES,
    threads: int = 0,
    deadline: Deadline = NEVER,
) -> Iterator[tuple[slice, PathSet]]:
    """Yield the paths of :func:`enumerate_paths` in blocks of consecutive pairs, so that they need not fit together.

    Args:
        network: the planes.
        level: whether the pairs are racks or hosts.
        src: index of each pair's source.
        dst: index of each pair's destination.
        rule: which paths.
        block_bytes: about how much memory the paths of a block take; a block has at least one pair.
        threads: 0 for all cores.
        deadline: when to end at the latest.

    Yields:
        The pairs of a block, as a slice of ``src`` and ``dst``, and their paths.

    Raises:
        RoutingError: an index out of range, or a pair whose paths alone do not fit into memory.
        TimeLimitError: the time is over.
        TopologyError: pairs of that level mean nothing on the network.
    """
    searches, keywords = prepare(network, level, src, dst), options(rule, threads)
    first = 0
    for needed in _bytes(searches, rule, threads, deadline):
        total = np.concatenate([[0.0], np.cumsum(needed)])
        begin = 0
        while begin < len(needed):
            fits = int(np.searchsorted(total, total[begin] + block_bytes, side="right")) - 1
            end = max(fits, begin + 1)
            block = slice(first + begin, first + end)
            part = searches.part(block)
            _check_fits(float(total[end] - total[begin]), part, rule)
            yield block, _listed(part, keywords, deadline)
            begin = end
        first += len(needed)


def _listed(searches: Searches, keywords: Mapping[str, Any], deadline: Deadline) -> PathSet:
    with deadline.doing("looking for paths") as limit_s:
        found = _core.enumerate_paths(searches.planes, searches.src, searches.dst, limit_s=limit_s, **keywords)
    return PathSet(searches.arcs, *found)


def _bytes(
    searches: Searches, rule: PathRule, threads: int, deadline: Deadline, beside: int = 0
) -> Iterator[FloatArray]:
    """Yield about how much memory the paths of each pair take, some pairs at a time."""
    for first in range(0, searches.pair_count, _COUNTED_PAIRS):
        part = searches.part(slice(first, first + _COUNTED_PAIRS))
        shortest = count_prepared(part, rule.policy, rule.seed, threads, deadline)
        hops = shortest.hops.max(axis=1)
        # A path of K that is not among the shortest is taken to be a hop longer.
        most, longer = (shortest.count.sum(axis=1), 0) if rule.equal_cost else (np.inf, 1)
        paths = np.where(hops >= 0, np.minimum(most, rule.count), 0)
        of_path = BYTES_PER_PATH + BYTES_PER_HOP * (hops + longer) + beside * (hops + longer + 2)
        yield BYTES_PER_PAIR + paths * of_path


def _check_fits(needed: float, searches: Searches, rule: PathRule) -> None:
    many = "all shortest paths" if rule.equal_cost else f"{rule.count} paths"
    pairs = f"each of {searches.pair_count:,} pairs" if searches.pair_count > 1 else "one pair"
    check_fits(int(needed), f"{many} for {pairs}", RoutingError, allowed="fewer paths or pairs, or level=rack")
