"""A throughput result link by link and demand by demand."""

from __future__ import annotations

import numpy as np

from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.report.tables import Columns
from pnet_lp.throughput.problem import build_problem


def link_table(network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> Columns:
    """Return one row per directed switch-to-switch link, plane by plane, in the order of ``Plane.arcs``.

    The load is that of the certificate's flow at the throughput reported; the length is the certificate's, in
    its own unit.  Where a pair has no path, nothing flows and no link has a length.
    """
    problem = build_problem(network, traffic)
    count = len(problem.capacity)
    loads = np.zeros(count) if result.link_load is None else result.link_load
    lengths = np.zeros(count) if result.certificate is None else result.certificate.length
    columns: dict[str, list[object]] = {
        key: [] for key in ("plane", "u", "v", "capacity_gbps", "load_gbps", "utilisation", "length")
    }
    for i, plane in enumerate(network.planes):
        arcs = slice(problem.arc_ptr[i], problem.arc_ptr[i + 1])
        tail, head, capacity = plane.arcs
        # Links of capacity 0 are no part of the problem; here they carry nothing.
        load, length = np.zeros(len(capacity)), np.zeros(len(capacity))
        load[problem.arc_id[arcs]] = loads[arcs]
        length[problem.arc_id[arcs]] = lengths[arcs]
        columns["plane"] += [i] * len(capacity)
        columns["u"] += [plane.switch_names[node] for node in tail]
        columns["v"] += [plane.switch_names[node] for node in head]
        columns["capacity_gbps"] += capacity.tolist()
        columns["load_gbps"] += load.tolist()
        columns["utilisation"] += np.divide(
            load, capacity, out=np.zeros(len(capacity)), where=capacity > 0
        ).tolist()
        columns["length"] += length.tolist()
    return columns


def rate_table(network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> Columns:
    """Return one row per demand: its ends, the demand, and the rate in Gb/s that it gets."""
    # Objectives that do not rate demands one by one give all the same part of what they ask.
    rates = result.rates_gbps
    if rates is None:
        rates = traffic.demand * result.throughput_gbps
    names = network.endpoint_names(traffic.level)
    return {
        "src": [names[i] for i in traffic.src],
        "dst": [names[i] for i in traffic.dst],
        "demand": traffic.demand.tolist(),
        "rate_gbps": rates.tolist(),
    }
