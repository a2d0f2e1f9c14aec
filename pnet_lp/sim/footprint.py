"""How much memory a run takes, and where it may be long how much time, estimated before it starts."""

from __future__ import annotations

import math
import sys

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import WorkloadError
from pnet_lp.memory import check_fits
from pnet_lp.model import Workload
from pnet_lp.routing import count_shortest
from pnet_lp.sim.base import QueueParams, SimulationContext, TransportParams
from pnet_lp.sim.traces import ROWS

_FLOW, _BYTES, _CONNECTION, _PORT, _PACKET, _ROW = 600, 24, 300, 900, 60, 120
"""Bytes of a flow's records, and of what it sent into one plane or by one subflow; of a connection under way; of a
port, of a packet in a queue, of a row of a trace."""

_FLUID_FLOW, _STREAM, _LINK = 300, 1000, 300
"""The same without packets: bytes of a flow's records, of a subflow under way, of a link."""

_LISTED_PATHS = 1 << 12
"""Paths that a source spreads a flow over at most."""

_SORTS = 3
"""Of traces."""

_SPLIT_S = 1e-8
"""Seconds that an event of the best split takes at least, for each path and square of flows under way."""


def check_memory(
    context: SimulationContext,
    forwarding: _core.Forwarding,
    *,
    queue: QueueParams,
    host_queue: QueueParams,
    transport: TransportParams,
    built: _core.Transport,
    subflows: int,
    traces: int,
    jobs: int = 1,
    runs: int = 1,
) -> None:
    """Raise WorkloadError where a run needs more memory than is free, and say what to make smaller.

    Packets under way and listed paths are those of flows that start at one time; how many more are under way at once
    only the run shows.  So many ``jobs`` run at the same time, and the records of so many ``runs`` are kept.  The core
    knows the transport as ``built``; records have so many ``subflows`` of each flow.
    """
    workload, ports = context.workload, context.ports
    together = _together(workload)
    record = _FLOW + _BYTES * (subflows + context.network.plane_count)
    parts = {
        "fewer flows": workload.flow_count * record + len(together) * subflows * _CONNECTION,
        "a smaller network": len(ports.rate) * _PORT,
        "fewer traces": _SORTS * ROWS * _ROW if traces else 0,
    }
    segments = workload.size[together] // context.sizes.payload + 1
    if transport.window_bound is not None:
        segments = np.minimum(segments, subflows * transport.window_bound)
    sent = in_hosts = int(segments.sum())
    if built.nic_packets is not None:
        in_hosts = len(together) * subflows * context.network.plane_count * built.nic_packets
    elif built.waits_for_room and (of_flow := host_queue.held_of_flow(context.sizes)):
        in_hosts = math.ceil(len(together) * subflows * of_flow)
    of_hosts = int(ports.of_host.sum())
    held = 0
    # Ports, and what they hold where the queue has no limit.
    for limit, count, unlimited in ((queue, len(ports.rate) - of_hosts, sent), (host_queue, of_hosts, in_hosts)):
        most = limit.most(context.sizes)
        held += unlimited if most is None else count * most
    parts["shorter queues"] = min(held, sent) * _PACKET
    _check(context, forwarding, parts, together, subflows, record=record, jobs=jobs, runs=runs)


def check_fluid_memory(
    context: SimulationContext, forwarding: _core.Forwarding, *, subflows: int, jobs: int = 1, runs: int = 1
) -> None:
    """The same for a run of the fluid, whose flows have so many subflows."""
    workload, ports = context.workload, context.ports
    together = _together(workload)
    record = _FLUID_FLOW + _BYTES * (subflows + context.network.plane_count)
    parts = {
        "fewer flows": workload.flow_count * record + len(together) * subflows * _STREAM,
        "a smaller network": len(ports.rate) * _LINK,
    }
    _check(context, forwarding, parts, together, 4, record=record, jobs=jobs, runs=runs)


def _check(
    context: SimulationContext,
    forwarding: _core.Forwarding,
    parts: dict[str, int],
    together: npt.NDArray[np.intp],
    lists: int,
    *,
    record: int,
    jobs: int,
    runs: int,
) -> None:
    """Raise WorkloadError where the ``parts`` of a run, and its paths, as so many ``lists``, are more than is free."""
    workload, count = context.workload, len(context.ports.rate)
    if forwarding.makes_tables:
        parts["a smaller network, or given paths"] = _table_bytes(context)
    if forwarding.lists_paths:
        parts["a forwarding with fewer paths, or fewer flows"] = lists * _path_bytes(context, together)
    hint = max(parts, key=parts.__getitem__)
    check_fits(
        jobs * sum(parts.values()) + (runs - 1) * workload.flow_count * record,
        f"a simulation of {workload.flow_count:,} flows over {count:,} ports",
        WorkloadError,
        allowed=hint if jobs == 1 else f"{hint}, or fewer jobs",
    )


def check_split_time(context: SimulationContext, paths: int, event_limit: int | None, patience_s: float) -> None:
    """Raise WorkloadError where the best split of flows over up to so many paths takes longer than that.

    How many flows are active at once only the run shows.  Taken are those that start together, or that would be on
    average if each had all that a host can send.
    """
    workload, rate = context.workload, context.ports.rate
    fastest = float(rate.max()) * context.network.plane_count
    span_s = float(np.ptp(workload.start_ps)) / 1e12
    at_once = min(workload.total_bytes * 8 / fastest / span_s, workload.flow_count) if span_s else 0.0
    active = max(at_once, len(_together(workload)))
    events = min(2 * workload.flow_count, event_limit or sys.maxsize)
    seconds = events * active**2 * paths * _SPLIT_S
    if seconds > patience_s:
        days, minutes = f"{seconds / 86400:,.0f} days", f"{seconds / 60:,.0f} minutes"
        raise WorkloadError(
            f"the best split of some {active:,.0f} flows at once over up to {paths} paths, at {events:,} events, "
            f"takes {days if seconds > 86400 else minutes} or more",
            where="sharing",
            found="best",
            allowed="fewer flows or paths, an event limit, or sharing=subflows",
        )


def _together(workload: Workload) -> npt.NDArray[np.intp]:
    """Return the flows that start at the time at which most do."""
    free = np.flatnonzero(np.diff(workload.after_ptr) == 0)
    _, time, count = np.unique(workload.start_ps[free], return_inverse=True, return_counts=True)
    chosen: npt.NDArray[np.intp] = free[time == count.argmax()]
    return chosen


def _table_bytes(context: SimulationContext) -> int:
    """Return what switches need to forward to each other: of each destination hops and next hops."""
    arcs = np.diff(context.ports.arcs.ptr)
    return sum(
        len(np.unique(plane.host_switch[context.workload.dst + context.network.receivers]))
        * (12 * plane.switch_count + 2 * int(count))
        for plane, count in zip(context.network.graph.planes, arcs, strict=True)
    )


def _path_bytes(context: SimulationContext, flows: npt.NDArray[np.intp]) -> int:
    """Return what the shortest paths of these flows need, there and back."""
    src, dst = context.workload.src[flows], context.workload.dst[flows]
    found = count_shortest(context.network.graph, "host", src, dst + context.network.receivers)
    links = np.where(found.hops < 0, 0, found.hops + 2)
    return int((np.minimum(found.count, _LISTED_PATHS) * (8 * links + 16)).sum())
