"""A throughput result link by link and demand by demand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TrafficError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.servers import LINK_KINDS
from pnet_lp.tables import Columns
from pnet_lp.throughput import FlowProblem
from pnet_lp.throughput.solve import flow_of

LINK_COLUMNS = ("plane", "u", "v", "kind", "cable", "capacity_gbps", "load_gbps", "utilisation", "length")
"""Columns of :func:`link_table`."""

_BYTES_PER_RATE = 150
"""Measured peak of a table of rates and its file: 42 to 66 bytes a demand of 12 million, up to 143 of a million."""


def link_table(network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> Columns:
    """Return one row per directed link, plane by plane.

    Those between switches come in the order of ``Plane.arcs``, then, where demands are between hosts, the access links.
    Loads are those of the certificate's flow where demands get their rates; lengths are the certificate's, in their own
    unit.  ``cable`` is the number of a link's cable in its plane, which both directions share; access links are
    numbered by host.  Hosts that the solve did not tell apart share load and length.  Where a pair has no path, nothing
    flows and no link has a length.  Links inside servers are in the plane ``server``, after all others.
    """
    flow = flow_of(network, traffic, result)
    rows: dict[str, list[object]] = {key: [] for key in LINK_COLUMNS if key != "utilisation"}
    for p, graph in enumerate(network.graph.planes):
        _add_links(rows, network, p, flow, result)
        if graph.part_of is None and traffic.level == "host" and p < network.plane_count:
            names, hosts = np.array(graph.switch_names, dtype=object), np.array(network.host_names, dtype=object)
            attached = np.flatnonzero(graph.host_switch >= 0)
            host, switch = hosts[attached], names[graph.host_switch[attached]]
            up, down = _of_hosts(flow, p, attached, result)
            _add(rows, p, host, switch, "access", attached, graph.access_up_gbps[attached], *up)
            _add(rows, p, switch, host, "access", attached, graph.access_down_gbps[attached], *down)
    capacity, load = np.array(rows["capacity_gbps"]), np.array(rows["load_gbps"])
    used = np.divide(load, capacity, out=np.zeros(len(capacity)), where=capacity > 0)
    lengths = rows.pop("length")
    return {**rows, "utilisation": used.tolist(), "length": lengths}


def _add_links(
    rows: dict[str, list[object]], network: Network, p: int, flow: FlowProblem, result: ThroughputResult
) -> None:
    """Add the links of a plane of ``network.graph``, by the planes and servers that they are parts of."""
    graph, kind = network.graph.planes[p], network.link_kinds[p]
    names = np.array(graph.switch_names, dtype=object)
    tail, head, capacity = graph.arcs
    cable = np.arange(len(capacity)) // 2
    part = np.full(len(cable), p) if graph.part_of is None else graph.part_of[cable]
    # Of a link that is there twice, each with half of its capacity and load, the first stands for both.
    partner = cable if graph.partner is None else graph.partner[cable]
    copies = np.where(partner == cable, 1, 2)
    speed = copies * capacity
    load = copies * arc_values(flow, p, len(capacity), result.link_load)
    length = arc_values(flow, p, len(capacity), None if result.certificate is None else result.certificate.length)

    def add(on: npt.NDArray[np.int64], word: str, number: Sequence[int] | npt.NDArray[np.int64]) -> None:
        where = "server" if of == network.plane_count else of
        _add(rows, where, names[tail[on]], names[head[on]], word, number, speed[on], load[on], length[on])

    host = {name: i for i, name in enumerate(network.host_names)}
    up, down = LINK_KINDS.index("access-up"), LINK_KINDS.index("access-down")
    # What an accelerator receives passes no link (its part is -1), and a port that is down is none.
    for of in np.unique(part[part >= 0]).tolist():
        here = (part == of) & (partner >= cable)
        on = np.flatnonzero(here & (kind != up) & (kind != down))
        add(on, "server" if of == network.plane_count else "core", np.arange(len(on)) // 2)
        for direction, ends in ((up, tail), (down, head)):
            on = np.flatnonzero(here & (kind == direction) & (capacity > 0))
            add(on, "access", [host[name] for name in names[ends[on]]])


def rate_table(network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> Columns:
    """Return one row per demand: its ends, the demand, and the rate in Gb/s that it gets.

    Raises:
        TrafficError: as :func:`check_rates`.
    """
    check_rates(traffic)
    rates = result.rates_gbps
    if rates is None:
        rates = traffic.demand * result.part
    names = np.array(network.endpoint_names(traffic.level), dtype=object)
    return {"src": names[traffic.src], "dst": names[traffic.dst], "demand": traffic.demand, "rate_gbps": rates}


def sent(network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> dict[str, float | None]:
    """Return what the endpoints that send anything send, Gb/s, and which part of their access links that is.

    The parts are None where they have no access links, or none with a limit.
    """
    if result.rates_gbps is None:
        rate = result.part * traffic.demands.totals(traffic.endpoints)[0]
        sends = rate > 0
    else:
        sends = traffic.demands.totals(traffic.endpoints)[0] > 0
        rate = np.bincount(traffic.src, weights=result.rates_gbps, minlength=traffic.endpoints)
    access = np.zeros(traffic.endpoints)
    for plane in network.planes:
        if traffic.level == "host":
            access += np.where(plane.host_switch >= 0, plane.access_up_gbps, 0.0)
        else:
            up = plane.host_switch >= 0
            of = np.bincount(plane.host_switch[up], weights=plane.access_up_gbps[up], minlength=plane.switch_count)
            access += of[plane.rack_switch]
    rate, access = rate[sends], access[sends]
    # From a server there are other links, too.
    limited = bool(len(rate) and network.servers is None and np.all((access > 0) & np.isfinite(access)))
    return {
        "mean_gbps": float(rate.mean()) if len(rate) else 0.0,
        "max_gbps": float(rate.max(initial=0.0)),
        "mean_access_share": float(rate.sum() / access.sum()) if limited else None,
        "max_access_share": float((rate / access).max()) if limited else None,
    }


def check_rates(traffic: TrafficMatrix) -> None:
    """Raise TrafficError where :func:`rate_table`, and a file of it, need too much memory."""
    check_fits(
        traffic.demand_count * _BYTES_PER_RATE,
        f"a table of {traffic.demand_count:,} demands",
        TrafficError,
        allowed="the answer without it, level=rack, sparser traffic, or a smaller network",
    )


def _add(rows: dict[str, list[object]], plane: int | str, *columns: object) -> None:
    values = [np.asarray(column, dtype=object) for column in columns]
    count = len(values[0])
    for key, column in zip(rows, [np.asarray(plane, dtype=object), *values], strict=True):
        rows[key] += np.broadcast_to(column, count).tolist()


def arc_values(flow: FlowProblem, plane: int, count: int, values: FloatArray | None) -> FloatArray:
    """Return the ``values`` ``[A]`` of a problem for the ``count`` arcs of a plane, in the order of ``Plane.arcs``.

    Links of capacity 0, which no problem has, get 0; so do all where there are no values.
    """
    arcs = slice(flow.arc_ptr[plane], flow.arc_ptr[plane + 1])
    found = np.zeros(count)
    if values is not None:
        found[flow.arc_id[arcs]] = values[arcs]
    return floats(found)


def _of_hosts(
    flow: FlowProblem, plane: int, hosts: np.ndarray, result: ThroughputResult
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return loads and lengths of the access links of ``hosts`` in a plane, up and down."""
    found = []
    of = flow.endpoint_class[hosts]
    size = np.bincount(of[of >= 0], minlength=flow.attach.shape[1])
    for side in range(2):
        load, length = np.zeros(len(hosts)), np.zeros(len(hosts))
        if result.access_load is not None and result.certificate is not None:
            lengths = (result.certificate.up_length, result.certificate.down_length)[side]
            load[of >= 0] = (result.access_load[side, plane] / np.maximum(size, 1))[of[of >= 0]]
            length[of >= 0] = lengths[plane, of[of >= 0]]
        found.append((load, length))
    return found
