"""On how many questions, drawn over all that can be combined, the answer is certified within a limit of processor time.

Families, sizes, planes, patterns, routings, objectives, failures and speeds of links are drawn by seed; every ninth
network is irregular: scale-free, small world, geographic, a grid, a tree with chords.  Each case has a process of its
own with one thread, a limit of processor time and one of memory.  It ends as

    certified   the bounds met within 1e-4, within the limit, or K or floors are proved to be less than was requested
    refused     in a sentence, within two seconds: it names what does not fit into memory or time, or what has no path
    failed      all else; the gap that was reached stands beside it

Usage: python benchmarks/breadth.py [--seed S] [--cases N] [--limit S] [--memory GIB] [--only I,J,...] [--busy B]
                                       [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from pnet_lp import _core
from pnet_lp.seeds import derive_seed, generator

REFUSED_S = 2.0
BUSY = 1.3
"""Limits by the clock are so many times those of processor time; more on a machine that does much other work."""
GRACE_S = 5.0
INFEASIBLE = ("the matrix does not fit", "the floors do not fit together")
EVERY = 9
"""Every so many cases have an irregular network."""

FAMILIES: dict[str, Sequence[str]] = {
    # of about 50 to 5,000 switches
    "jellyfish": [f"jellyfish:k={k}" for k in (8, 10, 12, 14, 16, 20, 24, 32)],
    "random-regular": [
        f"random-regular:n={n},degree={d}" for n, d in ((60, 4), (200, 8), (600, 6), (1500, 8), (4000, 8))
    ],
    "xpander": [f"xpander:d={d},k={k}" for d, k in ((5, 10), (8, 20), (11, 40), (16, 60))],
    "fat-tree": [f"fat-tree:k={k}" for k in (8, 12, 16, 24, 32)],
    "leaf-spine": [f"leaf-spine:leaves={n},spines={s},hosts_per_leaf=8" for n, s in ((40, 10), (128, 32), (512, 64))],
    "vl2": [f"vl2:d_a={a},d_i={i}" for a, i in ((8, 16), (16, 24), (24, 48))],
    "slim-fly": [f"slim-fly:q={q},p=0" for q in (5, 7, 11, 17, 25)],
    "polarfly": [f"polarfly:q={q},p=0" for q in (7, 11, 17, 31, 64)],
    "dragonfly": [f"dragonfly:h={h}" for h in (2, 3, 4, 5)],
    "hyperx": [f"hyperx:dims={d}" for d in ("8x8", "6x6x6", "16x16", "10x10x10")],
    "torus": [f"torus:dims={d}" for d in ("8x8", "6x6x6", "20x20", "12x12x12")],
    "mesh": [f"mesh:dims={d}" for d in ("8x8", "15x15", "30x30")],
    "hypercube": [f"hypercube:d={d}" for d in (6, 8, 10, 12)],
    "fat-clique": [
        f"fat-clique:s_c={c},s_b={b},n_b={n},block_ports=2,global_ports=2" for c, b, n in ((4, 4, 4), (6, 6, 8))
    ],
    "bcube": [f"bcube:n={n},k={k}" for n, k in ((6, 1), (8, 2))],
    "dcell": [f"dcell:n={n},k=1" for n in (6, 12, 20)],
}
SPARSE = ("permutation", "random", "random:flows=3", "stride:s=7", "longest-matching", "hotspot", "random:flows=8")
DENSE = ("all-to-all", "gravity", "bimodal", "exponential", "skewed")
DENSE_UP_TO = 1300
"""Switches of a network that dense traffic is drawn for."""
OBJECTIVES = (*("concurrent",) * 4, *("total", "total:floor=0.1"), "min-cost", "min-cost", "max-min", "max-min")
ROUTINGS = (*("ideal",) * 6, "ksp:8", "ksp:32", "ecmp-lp", "ecmp-split", "edge-disjoint:4")


@dataclass(frozen=True)
class Case:
    """A question: of what family, and how it is put."""

    family: str
    objective: str
    routing: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(Path(word).name for word in self.arguments)


def irregular(index: int, random: np.random.Generator, folder: Path) -> tuple[str, str, int]:
    """Write a network; return its kind, its file, and its switches."""
    kinds: Sequence[tuple[str, Callable[[int, int], nx.Graph[Any]]]] = (
        ("scale-free", lambda n, seed: nx.barabasi_albert_graph(n, 2, seed=seed)),
        ("small-world", lambda n, seed: nx.connected_watts_strogatz_graph(n, 6, 0.1, seed=seed)),
        ("geographic", _geographic),
        ("grid", lambda n, _: nx.grid_2d_graph(math.isqrt(n), math.isqrt(n))),
        ("tree-with-chords", lambda n, seed: _with_chords(nx.random_labeled_tree(n, seed=seed), n // 4, seed)),
    )
    kind, make = kinds[index // EVERY % len(kinds)]
    seed = int(random.integers(1 << 31))
    graph = nx.convert_node_labels_to_integers(make(round(50 * 20 ** random.random()), seed))
    # Of one speed, of the few that links are bought with, or spread over four powers of ten.
    speeds = ((100.0,), (10.0, 40.0, 100.0, 400.0), tuple(10.0**e for e in range(5)))[int(random.integers(3))]
    lines = [f"{u} {v} {random.choice(speeds):g}" for u, v in sorted(graph.edges)]
    path = folder / f"{kind}-{graph.number_of_nodes()}-{index}.edges"
    path.write_text("\n".join(lines) + "\n")
    return kind, str(path), graph.number_of_nodes()


def _geographic(count: int, seed: int) -> nx.Graph[Any]:
    """Return points in a square, joined by the shortest tree and short edges of their Delaunay triangulation."""
    from scipy.spatial import Delaunay  # noqa: PLC0415 - slow to load

    points = np.random.default_rng(seed).random((count, 2))
    graph: nx.Graph[Any] = nx.Graph()
    for corners in Delaunay(points).simplices:
        for u, v in zip(corners, np.roll(corners, 1), strict=True):
            graph.add_edge(int(u), int(v), length=float(np.hypot(*(points[u] - points[v]))))
    tree = nx.minimum_spanning_tree(graph, weight="length")
    rest = sorted((d["length"], u, v) for u, v, d in graph.edges(data=True) if not tree.has_edge(u, v))
    tree.add_edges_from((u, v) for _, u, v in rest[: count // 2])
    return tree


def _with_chords(graph: nx.Graph[Any], count: int, seed: int) -> nx.Graph[Any]:
    random = np.random.default_rng(seed)
    for _ in range(count):
        u, v = random.choice(graph.number_of_nodes(), 2, replace=False)
        graph.add_edge(int(u), int(v))
    return graph


def switches_of(expression: str) -> int:
    """Return the number of switches of a family's network."""
    from pnet_lp.topology import build_network  # noqa: PLC0415 - not where a file is one

    return build_network([expression]).planes[0].switch_count


def draw(seed: int, index: int, folder: Path) -> Case:
    """Return a case; the same for every run with the seed."""
    random = generator(seed, "breadth", index)

    def one_of(values: Sequence[str]) -> str:
        return values[int(random.integers(len(values)))]

    words: list[str] = []
    if index % EVERY == EVERY // 2:
        family, network, switches = irregular(index, random, folder)
    else:
        family = one_of(list(FAMILIES))
        network = one_of(FAMILIES[family])
        switches = switches_of(network)
        if random.random() < 0.3:
            several = one_of(("2", "4", "8"))
            words += ["--planes", several]
            if family in {"jellyfish", "random-regular", "xpander"}:
                words += ["--variant", one_of(("homogeneous", "heterogeneous"))]
        if random.random() < 0.25:
            words += ["--fail-links", one_of(("0.01", "0.05", "0.1"))]
    dense = switches <= DENSE_UP_TO and random.random() < 0.4
    objective, routing = one_of(OBJECTIVES), one_of(ROUTINGS)
    if objective == "min-cost" and random.random() < 0.5:
        objective = f"min-cost:at={one_of(('0.1', '1', '10'))}"
    words += ["--traffic", one_of(DENSE if dense else SPARSE), "--objective", objective, "--routing", routing]
    words += ["--level", "rack", "--seed", str(derive_seed(seed, "breadth case", index) % 1000)]
    return Case(family, objective.partition(":")[0], routing.partition(":")[0], (network, *words))


def run(case: Case, limit_s: float, memory_gib: float, busy: float = BUSY) -> dict[str, Any]:
    """Return how a case ended, in how much processor time and memory, and the gap reached."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (int(memory_gib * 2**30),) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(BUSY * limit_s + GRACE_S),) * 2)

    command = [sys.executable, "-m", "pnet_lp", "throughput", *case.arguments, "--json", "--threads", "1"]
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        started = subprocess.Popen(
            [*command, "--time-limit", str(busy * limit_s)],
            stdout=out,
            stderr=said,
            preexec_fn=limit,  # noqa: PLW1509 - of one thread
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        _, status, used = os.wait4(started.pid, 0)
        out.seek(0)
        said.seek(0)
        document, sentence = out.read(), said.read().decode().strip().rpartition("\n")[2]
    code, cpu = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
    row: dict[str, Any] = {
        "exit": code,
        "cpu_s": round(cpu, 2),
        "wall_s": round(time.monotonic() - began, 2),
        "memory_mib": used.ru_maxrss // 1024,
        "gap": None,
        "end": "failed",
        "said": sentence,
    }
    if code in {0, 3} and document:
        found = json.loads(document)
        row |= {"gap": found["relative_gap"], "solver": found["solver"], "iterations": found["iterations"]}
        row |= {"value": next(iter(found.values())), "said": ""}
    if (code == 0 or (code == 2 and any(words in sentence for words in INFEASIBLE))) and cpu <= limit_s:
        row["end"] = "certified"
    elif code in {1, 2} and cpu <= REFUSED_S:
        row["end"] = "refused"
    return row


def table(rows: Sequence[dict[str, Any]], keys: Sequence[str]) -> None:
    """Print how cases ended, by some of their keys."""
    ends: dict[str, Counter[str]] = {}
    for row in rows:
        ends.setdefault(" ".join(row[key] for key in keys), Counter())[row["end"]] += 1
    print(f"\n{', '.join(keys):28} {'certified':>9} {'refused':>8} {'failed':>7}")
    for name, count in [*sorted(ends.items()), ("all", Counter(row["end"] for row in rows))]:
        print(f"{name:28} {count['certified']:9} {count['refused']:8} {count['failed']:7}")


def main() -> None:
    """Print a line for each case, then tables by objective and by family."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=250)
    parser.add_argument("--limit", type=float, default=30.0, help="seconds of processor time of a case")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB of address space of a case")
    parser.add_argument("--busy", type=float, default=BUSY, help="seconds by the clock for each of processor time")
    parser.add_argument("--only", type=str, default="", help="numbers of cases, with commas")
    parser.add_argument("--out", type=Path, help="append the rows to a file of JSON lines")
    arguments = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("the extension is not a release build; run `make setup`")
    chosen = [int(number) for number in arguments.only.split(",") if number] or range(arguments.cases)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for index in chosen:
            case = draw(arguments.seed, index, Path(folder))
            row = {"case": index, "family": case.family, "objective": case.objective, "routing": case.routing}
            row |= run(case, arguments.limit, arguments.memory, arguments.busy) | {"command": str(case)}
            rows.append(row)
            gap = "" if row["gap"] is None else f"{row['gap']:.1e}"
            print(
                f"{index:3} {row['end']:9} {row['cpu_s']:6.1f} s {row['memory_mib']:6} MiB {row['exit']:3} {gap:>7}"
                f"  {row.get('solver', ''):12} {case}  {row['said']}",
                flush=True,
            )
            if arguments.out:
                with arguments.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
    for keys in (("objective",), ("objective", "routing"), ("family",)):
        table(rows, keys)


if __name__ == "__main__":
    main()
