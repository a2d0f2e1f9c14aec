"""What a table of an experiment says of one run: one value for each column."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from pnet_lp.model.arrays import FloatArray
from pnet_lp.sim.result import SimulationResult

RunColumns: TypeAlias = dict[str, float | None]

FLOWS = ("resent_share", "reordered_share", "fast_retransmits", "retransmitting_flows", "timeouts", "dropped")
_OF_RATES = {"p5": 5, "p10": 10, "p25": 25, "p50": 50, "p75": 75, "p90": 90, "p99": 99}
"""Percentiles of rates that are columns."""

RATES = (
    *(f"{what}_{of}_gbps" for of in ("rate", "source") for what in ("mean", "min", *_OF_RATES, "max")),
    "total_gbps",
)
QUEUES = ("longest_queue",)
TRACED = (
    "min_delay_us",
    "mean_delay_us",
    "max_delay_us",
    "mean_traced_queue",
    "longest_traced_queue",
    "least_queue_share",
    "greatest_queue_share",
    "uneven_500",
)
_WINDOW = 500
"""Packets one after the other, of which SOPA's figure 5 shows how many took which path."""


COLUMNS = (*RATES, *FLOWS, *QUEUES, *TRACED)
"""The names of all, in the order of :func:`run_columns`."""


def run_columns(result: SimulationResult, before: SimulationResult | None = None) -> RunColumns:
    """Return a value, or None, for each of :data:`COLUMNS`.

    Args:
        result: the run.
        before: the same run up to an earlier time, which rates leave out.
    """
    return {**_rates(result, before), **_flows(result), **_queues(result), **_traced(result)}


def _flows(result: SimulationResult) -> RunColumns:
    """Return what is counted of packets of all flows; nothing of a fluid, which has none."""
    if result.packet_hops is None:
        return dict.fromkeys(FLOWS)
    flow = result.flow
    data = max(int(flow["data_packets"].sum()), 1)
    return {
        "resent_share": int(flow["resent"].sum()) / data,
        "reordered_share": int(flow["out_of_order"].sum()) / data,
        "fast_retransmits": int(flow["fast_retransmits"].sum()),
        "retransmitting_flows": int((flow["fast_retransmits"] > 0).sum()),
        "timeouts": int(flow["timeouts"].sum()),
        "dropped": int(flow["packets_dropped"].sum()),
    }


def _rates(result: SimulationResult, before: SimulationResult | None) -> RunColumns:
    """Return the rates of flows, of hosts that send, and of all; of flows not complete, what has arrived counts."""
    flow = result.flow
    came, start, begin = flow["received_bytes"], flow["start_ps"], 0
    last = np.where(result.done, flow["end_ps"], result.time_ps)
    if before is not None:
        came, begin = came - before.flow["received_bytes"], before.time_ps
    since = np.maximum(start, begin)
    counts = (start >= 0) & (last > since)
    bits, since, last = came[counts] * 8000.0, since[counts], last[counts]
    sources, place = np.unique(flow["src"][counts], return_inverse=True)
    first, end = np.full(len(sources), np.iinfo(np.int64).max), np.zeros(len(sources), dtype=np.int64)
    np.minimum.at(first, place, since)
    np.maximum.at(end, place, last)
    return {
        **_spread("rate_gbps", bits / (last - since), _OF_RATES),
        **_spread("source_gbps", np.bincount(place, bits, len(sources)) / (end - first), _OF_RATES),
        "total_gbps": float(came.sum()) * 8000 / max(result.time_ps - begin, 1),
    }


def _queues(result: SimulationResult) -> RunColumns:
    """Return the longest queue of all ports of switches, in packets, the one being sent included."""
    if result.packet_hops is None:
        return dict.fromkeys(QUEUES)
    return {"longest_queue": int(result.port["longest_packets"][~result.places.of_host].max(initial=0))}


def _traced(result: SimulationResult) -> RunColumns:
    """Return the delays of packets of flows that were traced, and how those that came to traced queues are spread.

    ``uneven_500`` is by what part of an even share a queue had more or less than it, at most, of any 500 packets
    one after the other.
    """
    found: RunColumns = dict.fromkeys(TRACED)
    arrivals, queues = result.traces.get("arrivals", {}), result.traces.get("queues", {})
    if len(delay := arrivals.get("delay_ps", ())):
        found |= _spread("delay_us", np.asarray(delay) / 1e6)
    if len(port := queues.get("port", ())):
        ports, place = np.unique(port, return_inverse=True)
        share = np.bincount(place) / len(place)
        whole = place[: len(place) - len(place) % _WINDOW].reshape(-1, _WINDOW)
        even = _WINDOW / len(ports)
        uneven = [np.abs(np.bincount(window, minlength=len(ports)) / even - 1).max() for window in whole]
        found |= {
            "mean_traced_queue": float(queues["packets"].mean()),
            "longest_traced_queue": int(queues["packets"].max()),
            "least_queue_share": float(share.min()),
            "greatest_queue_share": float(share.max()),
            "uneven_500": float(max(uneven)) if uneven else None,
        }
    return found


def _spread(name: str, values: FloatArray, percentiles: Mapping[str, float] = MappingProxyType({})) -> RunColumns:
    """Return the mean, the extremes and percentiles, each the least value that so many per cent do not exceed."""
    if not len(values):
        return {f"{what}_{name}": None for what in ("mean", "min", "max", *percentiles)}
    found = {"mean": values.mean(), "min": values.min(), "max": values.max()}
    found |= {what: np.percentile(values, share, method="inverted_cdf") for what, share in percentiles.items()}
    return {f"{what}_{name}": float(value) for what, value in found.items()}
