"""Saved results of all objectives under all routings, on small networks, to be tampered with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.store import save_result

from ..hurry import NO_TIME_S, no_time
from ..throughput.conftest import random_hosts, random_network
from ..throughput.test_objectives import few_demands

Document: TypeAlias = dict[str, Any]

ROUTINGS = ["ideal", "ksp:3", "edge-disjoint:2", "ecmp-lp", "ecmp", "ecmp-split", "vlb", "hedera"]
POLICIES = ["any", "single", "round-robin", "shortest"]
OBJECTIVES = [
    "concurrent",
    "min-max-utilisation",
    "total",
    "max-min",
    "min-cost:fraction=0.9",
    "min-cost:at=0.01",
    "min-cost:costs={costs}",
]
ONE_WAY = ["ksp:1", "ecmp", "ecmp-split", "vlb", "hedera:annealing"]


def islands() -> tuple[Network, TrafficMatrix]:
    """Two identical planes of two parts each; one of three demands has no path."""
    part = Plane.from_cables(4, [0, 2], [1, 3], [5.0, 8.0])
    return Network.from_planes([part, part]), TrafficMatrix.from_entries("rack", 4, [0, 0, 2], [1, 3, 3], 2.0)


def apart() -> tuple[Network, TrafficMatrix]:
    """Fast and slow links side by side, each with a demand that fits."""
    plane = Plane.from_cables(5, [0, 2, 3, 2], [1, 3, 4, 4], [1e3, 1e-3, 2e-3, 4e-3])
    return Network.from_planes([plane]), TrafficMatrix.from_entries("rack", 5, [0, 2, 3], [1, 4, 4], [9e2, 2e-3, 1e-3])


def alike(*, slow: bool = False) -> tuple[Network, TrafficMatrix]:
    """Four leaves with two hosts each under two spines, all sending to all; one link may be slow."""
    speed = np.full(8, 2.0)
    speed[0] = 0.5 if slow else 2.0
    plane = Plane.from_cables(
        6,
        np.repeat(np.arange(4), 2),
        np.tile([4, 5], 4),
        speed,
        host_switch=np.repeat(np.arange(4), 2),
        access_gbps=3.0,
    )
    return Network.from_planes([plane]), TrafficMatrix.from_weights("host", np.ones(8), np.ones(8))


def saved_results(folder: Path) -> Iterator[Document]:
    """Yield the documents of all results, in the order of objectives and routings."""
    drawn = [few_demands(seed, draw) for seed, draw in ((2, random_network), (1, random_hosts), (5, random_network))]
    requested = [(objective, routing, {}) for objective in OBJECTIVES for routing in ROUTINGS]
    requested += [("max-min-fill", routing, {}) for routing in ONE_WAY]
    # Stopped early: bounds that do not meet.
    requested += [("concurrent", routing, {"solver": "structured", "max_iterations": 5}) for routing in ROUTINGS[:2]]
    requested += [("max-min", routing, {"solver": "highs-simplex", "max_iterations": 6}) for routing in ROUTINGS[:2]]
    for i, (objective, routing, options) in enumerate(requested):
        policy = "any" if routing == "ideal" else POLICIES[i % len(POLICIES)]
        yield _saved(folder, *drawn[i % len(drawn)], objective, routing, plane_policy=policy, seed=i, **options)
    # By classes: traffic by rule between equivalent hosts, of one or several kinds, and pairs of which few are so.
    for network, traffic in (alike(), alike(slow=True), drawn[0]):
        for objective in ("concurrent", "min-max-utilisation"):
            yield _saved(folder, network, traffic, objective, "ideal", solver="symmetric")
    for objective in ("concurrent", "total", "max-min"):
        for routing in ("ideal", "ksp:3", "ecmp-split"):
            for network, traffic in (islands(), apart()):
                yield _saved(folder, network, traffic, objective, routing)
    # Without time: a tree and a cut, or one path of each demand.
    for i, objective in enumerate([*OBJECTIVES, "max-min:cap=demand", "total:floor=0.001"]):
        for routing in ("ideal", "ksp:3", "ecmp-lp"):
            network, traffic = (drawn[0], alike(), alike(slow=True))[i % 3]
            with no_time():
                yield _saved(folder, network, traffic, objective, routing, seed=i, time_limit_s=NO_TIME_S)


def _saved(
    folder: Path, network: Network, traffic: TrafficMatrix, objective: str, routing: str, **options: Any
) -> Document:
    costs = folder / "costs.csv"
    if not costs.exists():
        costs.write_text("plane,u,v,cost\n0,0,1,3.5\n")
    path = folder / "result.json"
    requested = objective.format(costs=costs)
    result = solve(network, traffic, objective=requested, routing=routing, tolerance=1e-5, **options)
    save_result(path, network, traffic, result)
    document: Document = json.loads(path.read_text())
    return document
