"""K shortest and K edge-disjoint paths for all pairs of the 320-switch Jellyfish, against networkx and scipy.

Ours enumerates all ordered pairs on all cores; the others, which would take minutes, a sample of them on the one core
they use.  Ratios are per pair.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import networkx as nx
import numpy as np
import scipy.sparse as sp
from rich.console import Console
from rich.table import Table
from scipy.sparse.csgraph import yen

from pnet_lp import _core
from pnet_lp.manifest import environment
from pnet_lp.routing import parse_routing
from pnet_lp.topology import build_network
from pnet_lp.writing import output_file, write_json

SAMPLE = 200
SEED = 1
OUT = Path(__file__).resolve().parent.parent / "results" / "published" / "benchmarks"


def seconds_per_pair(pairs: list[tuple[int, int]], search: Callable[[int, int], object]) -> float:
    started = time.perf_counter()
    for source, target in pairs:
        search(source, target)
    return (time.perf_counter() - started) / len(pairs)


def main() -> None:
    if _core.build_profile != "release":
        sys.exit("paths.py: the extension is a debug build; run make bench")
    network = build_network(["jellyfish:k=16"], seed=SEED)
    plane = network.planes[0]
    n = plane.switch_count
    src, dst = np.nonzero(~np.eye(n, dtype=bool))
    drawn = np.random.default_rng(SEED).choice(len(src), SAMPLE, replace=False)
    pairs = [(int(src[j]), int(dst[j])) for j in drawn]
    graph = nx.Graph(list(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True)))
    matrix = sp.csr_array((np.ones(plane.cable_count), (plane.cable_u, plane.cable_v)), shape=(n, n))
    rows = []
    for kind, k in (("ksp", 8), ("ksp", 32), ("edge-disjoint", 8)):
        started = time.perf_counter()
        paths = parse_routing(f"{kind}:{k}", seed=SEED).paths(network, "rack", src, dst)
        total = time.perf_counter() - started
        ours = total / len(src)
        others = (
            {
                # Any K paths without a common link, not the shortest in total: an easier question.
                "networkx edge_disjoint_paths": seconds_per_pair(
                    pairs, lambda s, t, k=k: list(nx.edge_disjoint_paths(graph, s, t, cutoff=k))
                )
            }
            if kind == "edge-disjoint"
            else {
                "networkx shortest_simple_paths": seconds_per_pair(
                    pairs, lambda s, t, k=k: list(islice(nx.shortest_simple_paths(graph, s, t), k))
                ),
                "scipy yen": seconds_per_pair(
                    pairs, lambda s, t, k=k: yen(matrix, s, t, k, directed=False, unweighted=True)
                ),
            }
        )
        rows.append(
            {
                "routing": f"{kind}:{k}",
                "search": "pnet-lp",
                "pairs": len(src),
                "paths": paths.path_count,
                "seconds_per_pair": ours,
            }
        )
        rows += [
            {
                "routing": f"{kind}:{k}",
                "search": name,
                "pairs": SAMPLE,
                "seconds_per_pair": seconds,
                "times_ours": seconds / ours,
            }
            for name, seconds in others.items()
        ]
    table = Table(title=f"Paths of all pairs, {n} switches", title_justify="left")
    for column in ("routing", "search", "us per pair", "times ours"):
        table.add_column(column, justify="right" if column in ("us per pair", "times ours") else "left")
    for row in rows:
        ratio = row.get("times_ours")
        table.add_row(
            str(row["routing"]),
            str(row["search"]),
            f"{float(str(row['seconds_per_pair'])) * 1e6:.2f}",
            "1" if ratio is None else f"{float(str(ratio)):.0f}",
        )
    Console(width=120).print(table)
    OUT.mkdir(parents=True, exist_ok=True)
    write_json(OUT / "paths.json", {"command": "make bench", "seed": SEED, "environment": environment(), "runs": rows})
    with output_file(OUT / "paths.txt") as file, file.open("w", encoding="utf-8") as stream:
        Console(file=stream, width=120).print(table)


if __name__ == "__main__":
    main()
