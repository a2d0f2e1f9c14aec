"""Small networks with a known throughput, and ways to draw others at random."""

from dataclasses import dataclass

import networkx as nx
import numpy as np
import numpy.typing as npt

from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.network import Level, Variant
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic


@dataclass(frozen=True)
class Instance:
    """A network, its traffic, and K in closed form."""

    name: str
    network: Network
    traffic: TrafficMatrix
    optimum: float


def case_of(
    topology: str, pattern: str, level: Level = "rack", planes: int = 1, *, equal: bool = False
) -> tuple[Network, TrafficMatrix]:
    """A network of planes that are equal or drawn apart, and its traffic."""
    variant: Variant = "homogeneous" if equal or planes == 1 else "heterogeneous"
    network = build_network([topology], planes=planes, variant=variant)
    return network, build_traffic(pattern, network, level)


def plane(graph: nx.Graph, gbps: float = 1.0) -> Plane:
    return Plane.from_networkx(nx.convert_node_labels_to_integers(graph, ordering="sorted"), link_gbps=gbps)


def all_to_all(network: Network, level: Level = "rack") -> TrafficMatrix:
    n = len(network.endpoint_names(level))
    return TrafficMatrix.from_dense(level, np.ones((n, n)) - np.eye(n))


def one_switch(hosts: int, up: npt.ArrayLike, down: npt.ArrayLike | None = None) -> Plane:
    return Plane.from_cables(1, [], [], racks=[0], host_switch=[0] * hosts, access_gbps=up, access_down_gbps=down)


def fat_tree(k: int, gbps: float = 1.0) -> Plane:
    """Three tiers: (k/2)^2 cores, k pods of k/2 aggregation and k/2 edge switches, k/2 hosts an edge switch."""
    half = k // 2
    edge = np.arange(k * half)
    aggregation = len(edge) + np.arange(k * half)
    core = 2 * len(edge) + np.arange(half * half)
    pods = [(edge[p * half + i], aggregation[p * half + j]) for p in range(k) for i in range(half) for j in range(half)]
    top = [(aggregation[p * half + j], core[j * half + i]) for p in range(k) for j in range(half) for i in range(half)]
    u, v = np.array(pods + top).T
    return Plane.from_cables(2 * len(edge) + len(core), u, v, gbps, host_switch=np.repeat(edge, half), access_gbps=gbps)


def random_network(seed: int) -> tuple[Network, TrafficMatrix]:
    """1 to 4 planes of 3 to 8 racks; mixed speeds, some of them 0 one way; sparse or dense demands of mixed sizes."""
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 9))
    planes = []
    for _ in range(random.integers(1, 5)):
        # A ring keeps every pair connected; the rest is drawn, parallel cables included.
        extra = random.integers(0, n, size=(int(random.integers(0, 2 * n)), 2))
        ends = np.vstack(
            [np.column_stack([np.arange(n), np.roll(np.arange(n), -1)]), extra[extra[:, 0] != extra[:, 1]]]
        )
        back = random.choice([1.0, 10.0, 25.0, 40.0], len(ends))
        back[n:] *= random.random(len(ends) - n) < 0.8
        speed = random.choice([1.0, 10.0, 25.0, 40.0], len(ends))
        planes.append(Plane.from_cables(n, ends[:, 0], ends[:, 1], speed, capacity_back_gbps=back, racks=range(n)))
    demand = random.choice([1.0, random.exponential()]) * random.exponential(size=(n, n)) ** 2
    demand *= random.random((n, n)) < random.choice([0.2, 0.5, 1.0])
    np.fill_diagonal(demand, 0.0)
    demand[0, 1] = 1.0
    return Network.from_planes(planes), TrafficMatrix.from_dense("rack", demand)


def random_hosts(seed: int) -> tuple[Network, TrafficMatrix]:
    """1 to 3 planes that attach up to 14 hosts each in its own way, with access links of mixed speeds or none."""
    random = np.random.default_rng(seed)
    hosts = int(random.integers(2, 15))
    planes = []
    for first in [True] + [False] * int(random.integers(0, 3)):
        n = int(random.integers(1, 7))
        ends = np.column_stack([np.arange(n), np.roll(np.arange(n), -1)])[: n if n > 1 else 0]
        # The first plane attaches every host, so no pair is disconnected.
        switch = random.integers(0 if first else -1, n, size=hosts)
        access = random.choice([1.0, 10.0, 25.0], (2, hosts))
        planes.append(
            Plane.from_cables(
                n,
                ends[:, 0],
                ends[:, 1],
                random.choice([1.0, 10.0, 40.0], len(ends)),
                host_switch=switch,
                access_gbps=np.where(switch < 0, 0.0, access[0]),
                access_down_gbps=np.where(switch < 0, 0.0, access[1]),
            )
        )
    demand = random.choice([1.0, 3.0], (hosts, hosts)) * (random.random((hosts, hosts)) < random.choice([0.2, 1.0]))
    np.fill_diagonal(demand, 0.0)
    demand[0, 1] = 1.0
    return Network.from_planes(planes), TrafficMatrix.from_dense("host", demand)


def _mesh(*dims: int) -> nx.Graph:
    return nx.grid_graph(list(dims))


def _torus(*dims: int) -> nx.Graph:
    return nx.grid_graph(list(dims), periodic=True)


def _closed_forms() -> list[Instance]:
    """All-to-all with unit capacity per direction: symmetric graphs, where K = links / sum of distances; and cuts."""
    forms: list[tuple[str, nx.Graph, float]] = [
        ("K_8", nx.complete_graph(8), 1.0),
        ("C_8", nx.cycle_graph(8), 1 / 8),
        ("C_9", nx.cycle_graph(9), 1 / 10),
        ("Petersen", nx.petersen_graph(), 1 / 5),
        ("Q_3", nx.hypercube_graph(3), 2 / 8),
        ("Q_5", nx.hypercube_graph(5), 2 / 32),
        ("torus 4x4", _torus(4, 4), 8 / (16 * 4)),
        ("torus 3x3x3", _torus(3, 3, 3), 8 * 3 / (27 * 8)),
        ("star of 5", nx.star_graph(5), 1 / 5),
        # The bound by path lengths is not tight for these.
        ("P_6", nx.path_graph(6), 1 / 9),
        ("mesh 4x4", _mesh(4, 4), 1 / 16),
        ("torus 4x8", _torus(4, 8), 1 / 32),
    ]
    found = []
    for name, graph, optimum in forms:
        network = Network.from_planes([plane(graph)])
        found.append(Instance(name, network, all_to_all(network), optimum))
    return found


def _host_level() -> list[Instance]:
    tree = Network.from_planes([fat_tree(4)])
    n = tree.host_count
    rotation = TrafficMatrix.from_entries("host", n, range(n), (np.arange(n) + 5) % n)
    twins = Network.from_planes([fat_tree(4), fat_tree(4, gbps=3.0)])
    crossbar = Network.from_planes([one_switch(4, 10.0)])
    uneven = Network.from_planes([one_switch(3, [4.0, 9.0, 9.0], [9.0, 9.0, 2.0])])
    fan_in = TrafficMatrix.from_entries("host", 3, [0, 1], [2, 2])
    split = Network.from_planes([one_switch(2, 1.0), one_switch(2, 3.0)])
    line = Plane.from_cables(2, [0], [1], 5.0, host_switch=[0, 1, -1, 1], access_gbps=8.0)
    hub = one_switch(4, [0.5, 0.5, 8.0, 8.0])
    lonely = Network.from_planes([line, hub])
    pair = TrafficMatrix.from_entries("host", 2, [0, 1], [1, 0])
    mute = Network.from_planes([one_switch(2, [0.0, 1.0], 1.0), one_switch(2, 3.0)])
    return [
        Instance("fat tree, permutation", tree, rotation, 1.0),
        Instance("fat tree, all-to-all", tree, all_to_all(tree, "host"), 1 / 15),
        Instance("two fat trees", twins, all_to_all(twins, "host"), 4 / 15),
        Instance("one switch", crossbar, all_to_all(crossbar, "host"), 10 / 3),
        Instance("slow receiver", uneven, fan_in, 1.0),
        Instance("slow sender", uneven, TrafficMatrix.from_entries("host", 3, [0, 0], [1, 2], [3.0, 1.0]), 1.0),
        Instance("planes of unequal access", split, pair, 4.0),
        Instance("a dead access link", mute, pair, 3.0),
        # h0 -> h3 may take the line (5) and the hub (0.5); h2 has no link into the line.
        Instance("both planes", lonely, TrafficMatrix.from_entries("host", 4, [0], [3]), 5.5),
        Instance("a plane missed", lonely, TrafficMatrix.from_entries("host", 4, [0, 2], [2, 0]), 0.5),
        Instance("on one switch in both planes", lonely, TrafficMatrix.from_entries("host", 4, [1], [3]), 8.5),
    ]


def _rack_level() -> list[Instance]:
    rings = Network.from_planes([plane(nx.cycle_graph(8)), plane(nx.cycle_graph(8), 3.0)])
    duplex = Network.from_planes([Plane.from_cables(2, [0], [1], 2.0, capacity_back_gbps=1.0)])
    broken = Network.from_planes([Plane.from_cables(6, range(6), [1, 2, 3, 4, 5, 0], [1, 1, 1, 1, 1, 0])])
    parallel = Network.from_planes([Plane.from_cables(3, [0, 1, 0], [1, 0, 2], [1.0, 2.5, 4.0])])
    wide = Network.from_planes([plane(nx.cycle_graph(8), 1e5)])
    small = TrafficMatrix.from_dense("rack", 1e-4 * (np.ones((8, 8)) - np.eye(8)))
    lot = Network.from_planes([plane(nx.path_graph(6))])
    cars = TrafficMatrix.from_entries("rack", 6, [0, 0, 1, 2, 3, 4], [5, 1, 2, 3, 4, 5])
    line = Network.from_planes([plane(nx.path_graph(4))])
    to_end = TrafficMatrix.from_entries("rack", 4, [0, 1, 2], [3, 3, 3])
    detour = Plane.from_cables(4, [0, 0, 1, 2, 1], [1, 2, 3, 3, 2], [3.0, 2.0, 1.0, 5.0, 1.0])
    ring_and_star = Network.from_planes([plane(nx.cycle_graph(5)), plane(nx.star_graph(4))])
    opposite = TrafficMatrix.from_entries("rack", 5, [1], [3])
    return [
        Instance("rings of 1 and 3", rings, all_to_all(rings), 4 / 8),
        Instance("unequal directions", duplex, TrafficMatrix.from_entries("rack", 2, [0, 1], [1, 0]), 1.0),
        Instance("one direction", duplex, TrafficMatrix.from_entries("rack", 2, [0], [1]), 2.0),
        Instance("ring with a dead cable", broken, all_to_all(broken), 1 / 9),
        Instance("parallel cables", parallel, TrafficMatrix.from_entries("rack", 3, [0, 2], [1, 0]), 3.5),
        Instance("large speeds, small demands", wide, small, 1e9 / 8),
        Instance("parking lot", lot, cars, 0.5),
        Instance("one destination", line, to_end, 1 / 3),
        # Minimum cut {0, 1} -> rest: 2 + 1 + 1.
        Instance("maximum flow", Network.from_planes([detour]), TrafficMatrix.from_entries("rack", 4, [0], [3]), 4.0),
        Instance("different planes", ring_and_star, opposite, 3.0),
    ]


INSTANCES = [*_closed_forms(), *_host_level(), *_rack_level()]
