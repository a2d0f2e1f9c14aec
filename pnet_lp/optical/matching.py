"""Circuits for a workload by matchings, one port of every rack at a time."""

from __future__ import annotations

import networkx as nx
import numpy as np
import numpy.typing as npt

from pnet_lp.errors import SpecError
from pnet_lp.model import TrafficMatrix
from pnet_lp.optical.circuits import Circuits, fewest_hops
from pnet_lp.seeds import generator

_PARTNERS = 4
"""Heaviest partners of a rack that a matching may choose from; those of complete graphs take minutes."""

_IDLE = 1e-3
"""What a pair without demand counts, in mean demands: spare ports are worth circuits that carry other demands."""

_TIES = 1e-6
"""Part of its weight by which a pair's is raised at random, so that equal demands do not make cliques."""


def match_circuits(traffic: TrafficMatrix, links: int, link_gbps: float, *, seed: int = 0) -> Circuits:
    """Return circuits that join all racks, at most ``links`` at each, for demands between racks.

    For each port in turn a matching of maximum weight (Edmonds 1965) among each rack's heaviest partners.  A pair
    weighs its demand in both directions times the hops it has so far, over one more than the circuits it has: pairs
    far apart come closer, and parallel circuits share the demand.  Ports that matchings leave over are joined in
    the order of weight, and separate components at last by swaps that lose the least weight.

    Args:
        traffic: demands between racks.
        links: optical ports of a rack.
        link_gbps: Gb/s of a circuit in each direction.
        seed: what breaks ties.

    Raises:
        SpecError: demands between hosts, no port, or a single port for more than two racks.
    """
    racks = traffic.endpoints
    check_ports(traffic, links)
    demand = np.asarray((traffic.to_csr() + traffic.to_csr().T).todense(), dtype=np.float64)
    demand = demand + _IDLE * demand.mean()
    noise = np.triu(generator(seed, "optical/ties").random((racks, racks)), 1)
    demand *= 1 + _TIES * (noise + noise.T)
    np.fill_diagonal(demand, 0)
    count = np.zeros((racks, racks), dtype=np.int64)
    for _ in range(links):
        for pair in _matching(_weights(demand, count)):
            _add(count, *pair, 1)
    _fill(demand, count, links)
    _connect(demand, count)
    u, v = np.nonzero(np.triu(count))
    ends = np.repeat(np.column_stack([u, v]), count[u, v], axis=0)
    return Circuits.from_ends(racks, links, ends, link_gbps)


def check_ports(traffic: TrafficMatrix, links: int) -> None:
    """Raise SpecError where no circuits can join the racks of ``traffic``."""
    if traffic.level != "rack":
        raise SpecError("circuits join racks, and the demands are between hosts", where=traffic.label or "traffic")
    least = 1 if traffic.endpoints <= 2 else 2
    if links < least:
        raise SpecError(
            f"{traffic.endpoints} racks cannot all be joined by so few optical links of each",
            where="circuits",
            found=links,
            allowed=f"at least {least}",
        )


def _weights(demand: npt.NDArray[np.float64], count: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return what one more circuit between each two racks is worth."""
    hops = fewest_hops(len(count), *np.nonzero(count))
    known = np.isfinite(hops)
    hops[~known] = hops[known].max() + 1
    return demand * hops / (1 + count)


def _matching(weight: npt.NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return a matching of maximum weight among the heaviest partners of each rack."""
    racks = len(weight)
    kept = min(_PARTNERS, racks - 1)
    partner = np.argsort(-weight, axis=1, kind="stable")[:, :kept]
    graph: nx.Graph[int] = nx.Graph()
    for u in range(racks):
        for v in partner[u].tolist():
            if u != v:
                graph.add_edge(u, v, weight=float(weight[u, v]))
    return sorted((min(u, v), max(u, v)) for u, v in nx.max_weight_matching(graph))


def _fill(demand: npt.NDArray[np.float64], count: npt.NDArray[np.int64], links: int) -> None:
    """Join racks with free ports, the heaviest pair first, until at most one rack has some."""
    while len(free := np.flatnonzero(count.sum(axis=1) < links)) > 1:
        weight = np.triu(_weights(demand, count)[np.ix_(free, free)], 1)
        i, j = np.unravel_index(int(np.argmax(weight)), weight.shape)
        _add(count, int(free[i]), int(free[j]), 1)


def _connect(demand: npt.NDArray[np.float64], count: npt.NDArray[np.int64]) -> None:
    """Join components: circuits a-b on a cycle of one and c-d of another exchange their ends.

    At most one rack has a free port, so a component has a cycle, or is that rack alone.
    """
    while True:
        graph = nx.from_numpy_array(count, parallel_edges=True, create_using=nx.MultiGraph)
        parts = sorted((sorted(part) for part in nx.connected_components(graph)), key=lambda part: (-len(part), part))
        if len(parts) == 1:
            return
        a, b = _lightest(demand, count, parts[0])
        if len(parts[-1]) == 1:
            c = d = parts[-1][0]
        else:
            c, d = _lightest(demand, count, parts[-1])
            _add(count, c, d, -1)
            if demand[a, d] + demand[b, c] > demand[a, c] + demand[b, d]:
                c, d = d, c
        _add(count, a, b, -1)
        _add(count, a, c, 1)
        _add(count, b, d, 1)


def _lightest(demand: npt.NDArray[np.float64], count: npt.NDArray[np.int64], part: list[int]) -> tuple[int, int]:
    """Return the circuit of least demand among those of ``part`` whose loss leaves it connected."""
    simple = nx.from_numpy_array((count > 0).astype(np.int64)).subgraph(part)
    bridges = {frozenset(edge) for edge in nx.bridges(simple)}
    usable = [(u, v) for u, v in simple.edges if count[u, v] > 1 or frozenset((u, v)) not in bridges]
    return min(((min(e), max(e)) for e in usable), key=lambda e: (demand[e] / count[e], e))


def _add(count: npt.NDArray[np.int64], u: int, v: int, more: int) -> None:
    count[u, v] += more
    count[v, u] += more
