"""Counting hops in the core, mask by mask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.failures import Mask, apply_mask
from pnet_lp.model import Network
from pnet_lp.model.arcs import Arcs, usable_arcs
from pnet_lp.model.arrays import BoolArray, IntArray, ints
from pnet_lp.model.distances import Sites, find_sites, searchable
from pnet_lp.model.hops import HopDistribution
from pnet_lp.model.network import Level

_MASK_BYTES = 1 << 26  # masks passed to the core at a time
_PAIRS = 1 << 22  # pairs of hosts in servers that are counted at a time


def count_hops(network: Network, level: Level, *, threads: int = 0) -> HopDistribution:
    """Return the hops between all ordered pairs of distinct racks or hosts; links of capacity 0 lead nowhere.

    Raises:
        TopologyError: pairs of that level mean nothing on the network.
    """
    return HopCounter(network, level, threads=threads).count(None)


@dataclass(frozen=True, eq=False)
class _Down:
    """Masks in the form that the core expects: bool ``[trials, arcs]`` and ``[trials, planes * sites]``."""

    arcs: BoolArray
    sites: BoolArray


class HopCounter:
    """Counts the hops of one network under many masks.

    Args:
        network: without failures.
        level: whether pairs are of racks or of hosts.
        threads: 0 for all cores; no result depends on it.

    Raises:
        TopologyError: pairs of that level mean nothing on the network, or are too many.
    """

    def __init__(self, network: Network, level: Level, *, threads: int = 0) -> None:
        network.check_level(level)
        self._network, self._level, self._threads = network, level, threads
        # With servers each mask makes a graph of its own, in which not all pairs are of a sender and a receiver.
        self._graphs = network.servers is not None
        network = network.graph
        self._sites: Sites = find_sites(network, level)
        self._arcs: Arcs = usable_arcs(network)
        self._attach: IntArray = ints(self._sites.switch.T)
        self._planes = searchable(self._arcs, self._sites, by_metric=True)
        size = self._sites.sizes.astype(np.int64)
        self._pairs = int(size.sum()) * (int(size.sum()) - 1)

    def count(self, mask: Mask | None) -> HopDistribution:
        """Return the hops of all pairs under one mask, or none."""
        return next(self.count_all([mask]))

    def count_all(self, masks: Iterable[Mask | None]) -> Iterator[HopDistribution]:
        """Yield the hops of all pairs under each of ``masks``, which are drawn as they are needed."""
        if self._graphs:
            yield from map(self._on_graph, masks)
            return
        for alone, group in groupby(masks, lambda mask: mask is not None and mask.host_count > 0):
            if alone:
                # Equivalent hosts are counted as one site, until one of them loses its access link.
                yield from (self._without(mask).count(None) for mask in group)
            else:
                yield from self._counted(group)

    def _counted(self, masks: Iterable[Mask | None]) -> Iterator[HopDistribution]:
        for down in self._batches(masks):
            found = _core.count_hops(self._planes, self._sites.sizes, down.arcs, down.sites, threads=self._threads)
            for row in found.tolist():
                while len(row) > 1 and row[-1] == 0:
                    row.pop()
                yield HopDistribution(tuple(row), self._pairs - sum(row))

    def between(self, src: npt.ArrayLike, dst: npt.ArrayLike, masks: Iterable[Mask | None]) -> npt.NDArray[np.int32]:
        """Return int32 ``[masks, pairs]``: the hops of pairs of distinct endpoints, -1 where there is no path."""
        if self._graphs:
            return np.stack([self._between(mask, np.asarray(src), np.asarray(dst)) for mask in masks])
        first, last = (ints(self._sites.of[np.asarray(end, dtype=np.int64)]) for end in (src, dst))
        found = [np.empty((0, len(first)), dtype=np.int32)]
        for alone, group in groupby(masks, lambda mask: mask is not None and mask.host_count > 0):
            if alone:
                found += [self._without(mask).between(src, dst, [None]) for mask in group]
            else:
                found += [
                    _core.hops_between(self._planes, first, last, down.arcs, down.sites, threads=self._threads)
                    for down in self._batches(group)
                ]
        return np.concatenate(found)

    def _on_graph(self, mask: Mask | None) -> HopDistribution:
        """Return the hops of all pairs of a network with servers."""
        hosts = np.arange(self._network.host_count)
        counts, lost = np.zeros(1, dtype=np.int64), 0
        for block in np.array_split(hosts, max(1, len(hosts) ** 2 // _PAIRS)):
            src, dst = (ends.ravel() for ends in np.meshgrid(block, hosts, indexing="ij"))
            apart = src != dst
            found = self._between(mask, src[apart], dst[apart])
            lost += int((found < 0).sum())
            more = np.bincount(found[found >= 0])
            size = max(len(counts), len(more))
            counts = np.pad(counts, (0, size - len(counts))) + np.pad(more, (0, size - len(more)))
        return HopDistribution(tuple(counts.tolist()), lost)

    def _between(
        self, mask: Mask | None, src: npt.NDArray[np.int64], dst: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int32]:
        """Return the hops of pairs of hosts of a network with servers, -1 where there is no path."""
        network = self._network if mask is None else apply_mask(self._network, mask)
        counter = HopCounter(network.graph, self._level, threads=self._threads)
        (found,) = counter.between(src, dst + network.receivers, [None])
        hops: npt.NDArray[np.int32] = np.where(found < 0, found, found - network.received)
        return hops

    def _without(self, mask: Mask | None) -> HopCounter:
        """Return the counter of the network with what is down in ``mask`` gone."""
        assert mask is not None
        return HopCounter(apply_mask(self._network, mask), self._level, threads=self._threads)

    def _batches(self, masks: Iterable[Mask | None]) -> Iterator[_Down]:
        each = len(self._arcs.tail) + self._attach.size
        source = iter(masks)
        while batch := list(islice(source, max(1, _MASK_BYTES // max(1, each)))):
            arcs = np.zeros((len(batch), len(self._arcs.tail)), dtype=np.bool_)
            sites = np.zeros((len(batch), *self._attach.shape), dtype=np.bool_)
            for i, mask in enumerate(batch):
                if mask is not None:
                    self._fill(mask, arcs[i], sites[i])
            yield _Down(arcs, sites.reshape(len(batch), -1))

    def _fill(self, mask: Mask, arcs: BoolArray, sites: BoolArray) -> None:
        ptr = self._arcs.ptr
        for p, (down, dead) in enumerate(zip(mask.arcs, mask.switches, strict=True)):
            part = slice(int(ptr[p]), int(ptr[p + 1]))
            arcs[part] = down[self._arcs.id[part]]
            at = self._attach[p]
            sites[p] = (at >= 0) & dead[at]
