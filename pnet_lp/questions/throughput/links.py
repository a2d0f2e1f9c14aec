"""A throughput result link by link and demand by demand."""

from __future__ import annotations

import numpy as np

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
    if network.servers is not None:
        return links_with_servers(network, traffic, result)
    flow = flow_of(network, traffic, result)
    proved = None if result.certificate is None else result.certificate.length
    rows: dict[str, list[object]] = {key: [] for key in LINK_COLUMNS if key != "utilisation"}
    for p, plane in enumerate(network.planes):
        tail, head, capacity = plane.arcs
        names = np.array(plane.switch_names, dtype=object)
        load = arc_values(flow, p, len(capacity), result.link_load)
        length = arc_values(flow, p, len(capacity), proved)
        _add(rows, p, names[tail], names[head], "core", np.arange(len(capacity)) // 2, capacity, load, length)
        if traffic.level == "host":
            hosts = np.array(network.endpoint_names("host"), dtype=object)
            attached = np.flatnonzero(plane.host_switch >= 0)
            host, switch = hosts[attached], names[plane.host_switch[attached]]
            up, down = _of_hosts(flow, p, attached, result)
            _add(rows, p, host, switch, "access", attached, plane.access_up_gbps[attached], *up)
            _add(rows, p, switch, host, "access", attached, plane.access_down_gbps[attached], *down)
    capacity, load = np.array(rows["capacity_gbps"]), np.array(rows["load_gbps"])
    used = np.divide(load, capacity, out=np.zeros(len(capacity)), where=capacity > 0)
    lengths = rows.pop("length")
    return {**rows, "utilisation": used.tolist(), "length": lengths}


def links_with_servers(network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> Columns:
    """Return the same rows for a network with servers, whose graph may have a link in two layers."""
    flow = flow_of(network, traffic, result)
    proved = None if result.certificate is None else result.certificate.length
    number = {name: i for i, name in enumerate(network.host_names)}
    found: dict[tuple[int, bool], list[tuple[object, ...]]] = {}
    for p, graph in enumerate(network.graph.planes):
        tail, head, capacity = graph.arcs
        loads, lengths = (arc_values(flow, p, len(capacity), values) for values in (result.link_load, proved))
        kinds = network.link_kinds[p].tolist()
        partner, part = graph.partner, graph.part_of
        for a, kind in enumerate(kinds):
            cable = a // 2
            of = p if part is None else int(part[cable])
            pair = partner is not None and int(partner[cable]) != cable
            access = LINK_KINDS[kind] in ("access-up", "access-down")
            # What is received is no link, the second layer's links are those of the first, and a port may be down.
            if of < 0 or (pair and partner is not None and partner[cable] < cable) or (access and capacity[a] == 0):
                continue
            ends = graph.switch_names[tail[a]], graph.switch_names[head[a]]
            rows = found.setdefault((of, access), [])
            host = number.get(ends[0], number.get(ends[1])) if access else len(rows) // 2
            copies = 2 if pair else 1
            speed, load = copies * float(capacity[a]), copies * float(loads[a])
            shown = "server" if of == network.plane_count else of
            word = "access" if access else LINK_KINDS[kind]
            rows.append((shown, *ends, word, host, speed, load, load / speed if speed else 0.0, float(lengths[a])))
        if part is None and p < network.plane_count:
            plane = network.planes[p]
            on = np.flatnonzero(plane.host_switch >= 0)
            (up, up_length), (down, down_length) = _of_hosts(flow, p, on, result)
            for i, h in enumerate(on.tolist()):
                host_name, switch = network.host_names[h], plane.switch_names[plane.host_switch[h]]
                for ends, speed, load, length in (
                    ((host_name, switch), float(plane.access_up_gbps[h]), up[i], up_length[i]),
                    ((switch, host_name), float(plane.access_down_gbps[h]), down[i], down_length[i]),
                ):
                    used = float(load) / speed if speed else 0.0
                    rows = found.setdefault((p, True), [])
                    rows.append((p, *ends, "access", h, speed, float(load), used, float(length)))
    lines = [line for key in sorted(found) for line in found[key]]
    return {key: [line[i] for line in lines] for i, key in enumerate(LINK_COLUMNS)}


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


def _add(rows: dict[str, list[object]], plane: int, *columns: object) -> None:
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
