"""The share of each demand on each path, as routers are configured: few paths, and none for a small share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pnet_lp.errors import TrafficError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.rounded import div_down, mul_up, totals_up
from pnet_lp.questions.throughput.flow_paths import switches_of
from pnet_lp.tables import Columns
from pnet_lp.throughput.carried import CarriedPaths, carried_paths
from pnet_lp.throughput.objectives import parse_objective

_BYTES_PER_ROW = 400
"""Of a row of the table with the names on its path."""


@brief("paths_kept", "scale")
@dataclass(frozen=True, eq=False, repr=False)
class Splits:
    """Shares of paths, small ones removed and the others raised in proportion.

    Attributes:
        carried: the paths that carry something.
        kept: int64, those of them that remain, sorted by demand, the largest share first.
        share: float64, the part of its demand that each of these carries.
        rate: float64, Gb/s that each carries where demands get what the result says.
        scale: the largest multiple of these rates that fits, rounded down; infinite where no link limits it.
    """

    carried: CarriedPaths
    kept: np.ndarray[Any, np.dtype[np.int64]]
    share: FloatArray
    rate: FloatArray
    scale: float

    @property
    def paths_kept(self) -> int:
        """How many paths remain."""
        return len(self.kept)

    @property
    def demand(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """int64: the demand of each path that remains."""
        return np.asarray(self.carried.demand[self.kept], dtype=np.int64)


def splits(
    network: Network,
    traffic: TrafficMatrix,
    result: ThroughputResult,
    *,
    min_share: float = 0.0,
    max_paths: int | None = None,
) -> Splits:
    """Return the shares of paths of a result.

    Args:
        network: what the result is of.
        traffic: what the result is of.
        result: the result.
        min_share: paths with a smaller share of their demand are removed, but for the largest.
        max_paths: how many paths of a demand remain at most, those with the largest shares.

    Raises:
        SpecError: as of :func:`~pnet_lp.throughput.carried.carried_paths`.
    """
    carried = carried_paths(network, traffic, result)
    flow, count = carried.flow, carried.flow.demand_count
    total = np.bincount(carried.demand, weights=carried.rate, minlength=count)
    share = carried.rate / total[carried.demand]
    order = np.lexsort((-share, carried.demand))
    first = np.searchsorted(carried.demand[order], np.arange(count))
    rank = np.arange(len(order)) - first[carried.demand[order]]
    remains = (rank == 0) | (share[order] >= min_share)
    if max_paths is not None:
        remains &= rank < max_paths
    kept = order[remains]
    demand, plane = carried.demand[kept], carried.plane[kept]
    share = share[kept] / np.bincount(demand, weights=share[kept], minlength=count)[demand]
    rate = share * total[demand]
    hops = carried.last[kept] - carried.first[kept]
    ends = np.cumsum(hops)
    place = np.repeat(carried.first[kept] - (ends - hops), hops) + np.arange(int(hops.sum()))
    arc = carried.arc[place] + np.repeat(flow.arc_ptr[plane], hops)
    planes, endpoints = flow.attach.shape
    loads = [flow.tied(totals_up(arc, np.repeat(rate, hops), len(flow.capacity)))]
    loads += [totals_up(plane * endpoints + end[demand], rate, planes * endpoints) for end in (flow.src, flow.dst)]
    load, capacity = np.concatenate(loads), flow.link_capacity
    # What a demand sends is a sum of shares that need not be 1 to the last bit.
    load = mul_up(load, 1 + 2.0**-50 * (1 + int(np.bincount(demand, minlength=count).max(initial=0))))
    limiting = (load > 0) & np.isfinite(capacity)
    scale = float(div_down(capacity[limiting], load[limiting]).min(initial=np.inf))
    return Splits(carried, kept, floats(share), floats(rate), scale)


def splits_document(result: ThroughputResult, found: Splits) -> dict[str, Any]:
    """Return what a rounded split carries, as a JSON object."""
    document: dict[str, Any] = {
        "paths": found.paths_kept,
        "most_paths": int(np.bincount(found.demand).max(initial=0)),
        "scale": found.scale if np.isfinite(found.scale) else None,
    }
    attained = 1.0
    if result.rates_gbps is None:
        document["throughput_gbps"] = result.part * found.scale if np.isfinite(found.scale) else None
        attained = result.throughput_gbps / result.part
    return document | {"lost_share": max(0.0, 1 - found.scale / attained) if attained else 0.0}


def splits_table(network: Network, traffic: TrafficMatrix, result: ThroughputResult, found: Splits) -> Columns:
    """Return one row per demand and path: ``src``, ``dst``, ``plane``, ``path`` (names of switches, with blanks
    between), ``share`` and ``rate_gbps``, at which all fit.

    Raises:
        TrafficError: the rows do not fit into memory.
    """  # noqa: D205 - names of columns are more than a line
    carried, flow = found.carried, found.carried.flow
    of_pair = flow.demand_of_pairs(traffic.on_graph(network))
    first = np.searchsorted(found.demand, np.arange(flow.demand_count + 1))
    count = np.diff(first)[of_pair]
    check_fits(
        int(count.sum()) * _BYTES_PER_ROW,
        f"a table of the paths of {traffic.demand_count:,} demands",
        TrafficError,
        allowed="level=rack, sparser traffic, or fewer paths by max_paths=n",
    )
    pair = np.repeat(np.arange(traffic.demand_count), count)
    row = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count) + first[of_pair[pair]]
    begin = flow.attach[carried.plane[found.kept], flow.src[found.demand]]
    names = np.array(switches_of(network, carried, found.kept, begin), dtype=object)
    ends = np.array(network.endpoint_names(traffic.level), dtype=object)
    rates = traffic.demand * result.part if result.rates_gbps is None else result.rates_gbps
    fits = 1.0 if parse_objective(result.objective).whole else min(1.0, found.scale)
    return {
        "src": ends[traffic.src[pair]].tolist(),
        "dst": ends[traffic.dst[pair]].tolist(),
        "plane": carried.plane[found.kept][row].tolist(),
        "path": names[row].tolist(),
        "share": found.share[row].tolist(),
        "rate_gbps": (fits * rates[pair] * found.share[row]).tolist(),
    }
