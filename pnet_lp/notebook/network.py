"""Networks, demands and flows by themselves, of whatever stands for them."""

from __future__ import annotations

from typing import Any

from pnet_lp.failures import FailureSettings, fail
from pnet_lp.model import Network, TrafficMatrix, Workload
from pnet_lp.model.network import Level, Variant
from pnet_lp.model.servers import Relay
from pnet_lp.notebook.inputs import TopologyLike, TrafficLike, WorkloadLike, given, matrix_of, network_of, workload_of
from pnet_lp.topology.links import by_metric
from pnet_lp.topology.settings import PlaneSettings


def build_network(
    topology: TopologyLike,
    *,
    planes: int | None = None,
    variant: Variant | None = None,
    link_gbps: float | None = None,
    hosts_per_switch: int | None = None,
    server: str | None = None,
    server_gbps: float | None = None,
    rails: int | None = None,
    relay: Relay | None = None,
    server_count: int | None = None,
    server_hops: int | None = None,
    capacity: str | None = None,
    metric: str | None = None,
    seed: int = 0,
    **failing: Any,
) -> Network:
    """Return the network that :func:`pnet_lp.throughput` makes of the same arguments.

    Args:
        topology: an expression, a file, a ``Network`` or ``Plane``, a networkx graph, a square array of Gb/s from
            switch to switch, or a DataFrame of cables (``u``, ``v``, ``capacity_gbps``); or a list of these with one
            entry per plane.
        planes: number of planes to make from a single topology.
        variant: how the planes relate.
        link_gbps: speed of links without one, in Gb/s; without it, a graph with such links is refused.
        hosts_per_switch: hosts to attach to each rack of a topology without hosts.
        server: scale-up network of a server, a topology: hosts are accelerators of such servers; by default that of a
            file, which ``none`` leaves out.
        server_gbps: speed of its links for which it gives none, in Gb/s; 100 by default.
        rails: rails to which planes are dealt: accelerator i attaches to the planes of rail i modulo this only.
        relay: which accelerators pass traffic on: ``none``, ``source``, ``ends`` (the default) or ``any``.
        server_count: number of servers, the first ones: other hosts are left out, and their ports empty.
        server_hops: 0 where links inside servers do not count as hops of paths.
        capacity: name of the edge attribute, or of the column, that holds the Gb/s of links.
        metric: by what paths are the shortest instead of hops: a number that files give links, or a table.
        seed: seed of random families, and of failures.
        failing: what of it fails: ``fail_links``, ``fail``, ... as of :func:`pnet_lp.throughput`.

    Raises:
        PnetError: an argument is wrong; the text says which, what was found and what is allowed.
    """
    settings = given(
        PlaneSettings,
        planes=planes,
        variant=variant,
        link_gbps=link_gbps,
        hosts_per_switch=hosts_per_switch,
        server=server,
        server_gbps=server_gbps,
        rails=rails,
        relay=relay,
        server_count=server_count,
    )
    network = network_of(topology, settings, capacity=capacity, seed=seed)
    if metric is not None:
        network = by_metric(network, metric)
    if server_hops is not None and server_hops != 1:
        network = network.with_server_hops(server_hops)
    return fail(network, given(FailureSettings, **failing).failures, seed=seed)


def build_traffic(
    traffic: TrafficLike, network: Network, level: Level | None = None, *, seed: int = 0
) -> TrafficMatrix:
    """Return the traffic matrix that :func:`pnet_lp.throughput` makes of the same arguments.

    Args:
        traffic: an expression, a file, a ``TrafficMatrix``, a square array (row to column), or a DataFrame (``src``,
            ``dst``, ``demand``).
        network: the network that the demands are on.
        level: whether demands are between racks (``rack``) or hosts (``host``); default: as the traffic says, else
            hosts if the network has any.
        seed: seed of random patterns.

    Raises:
        PnetError: an argument is wrong; the text says which, what was found and what is allowed.
    """
    return matrix_of(traffic, network, level, seed=seed)


def build_workload(workload: WorkloadLike, network: Network, *, seed: int = 0) -> Workload:
    """Return the flows that :func:`pnet_lp.simulate` makes of the same arguments.

    Args:
        workload: an expression, a file, a ``Workload``, or a DataFrame (``src``, ``dst``, ``bytes``, ``start_s``, ...).
        network: the network whose hosts send them.
        seed: seed of random workloads.

    Raises:
        PnetError: an argument is wrong; the text says which, what was found and what is allowed.
    """
    return workload_of(workload, network, seed=seed)
