"""K shortest paths for all pairs of the 320-switch Jellyfish, against networkx and scipy.

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
from pnet_lp.experiment.manifest import environment
from pnet_lp.files import replacing, write_json
from pnet_lp.routing import enumerate_paths, parse_rule
from pnet_lp.topology import build_network

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
    for k in (8, 32):
        started = time.perf_counter()
        paths = enumerate_paths(network, "rack", src, dst, parse_rule(f"ksp:{k}", seed=SEED))
        total = time.perf_counter() - started
        ours = total / len(src)
        others = {
            "networkx shortest_simple_paths": seconds_per_pair(
                pairs, lambda s, t, k=k: list(islice(nx.shortest_simple_paths(graph, s, t), k))
            ),
            "scipy yen": seconds_per_pair(
                pairs, lambda s, t, k=k: yen(matrix, s, t, k, directed=False, unweighted=True)
            ),
        }
        rows.append(
            {
                "k": k,
                "search": "pnet-lp",
                "pairs": len(src),
                "paths": paths.path_count,
                "seconds_per_pair": ours,
            }
        )
        rows += [
            {
                "k": k,
                "search": name,
                "pairs": SAMPLE,
                "seconds_per_pair": seconds,
                "times_ours": seconds / ours,
            }
            for name, seconds in others.items()
        ]
    table = Table(title=f"K shortest paths, {n} switches", title_justify="left")
    for column in ("K", "search", "us per pair", "times ours"):
        table.add_column(column, justify="left" if column == "search" else "right")
    for row in rows:
        ratio = row.get("times_ours")
        table.add_row(
            str(row["k"]),
            str(row["search"]),
            f"{float(str(row['seconds_per_pair'])) * 1e6:.2f}",
            "1" if ratio is None else f"{float(str(ratio)):.0f}",
        )
    Console(width=120).print(table)
    OUT.mkdir(parents=True, exist_ok=True)
    write_json(
        OUT / "paths.json",
        {"command": "make bench", "seed": SEED, "environment": environment(), "runs": rows},
    )
    with replacing(OUT / "paths.txt") as file, file.open("w", encoding="utf-8") as stream:
        Console(file=stream, width=120).print(table)


if __name__ == "__main__":
    main()
