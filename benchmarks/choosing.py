"""The solver that `auto` takes against the better one of `columns` and `structured`.

Usage: python benchmarks/choosing.py [--quick] [--sample I N] [--out FILE.jsonl]

Over families, densities of traffic, planes and failures: ideal throughput between racks to a certified gap of 1e-4 with
one thread, processor time from the network to the certificate.  Cases that neither solver has to do anything for are
left out.  A solver that takes several times as long as the other is stopped, and counts as slower.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pnet_lp import _core
from pnet_lp.failures import Failures, fail
from pnet_lp.model import Network
from pnet_lp.model.flow import build_problem
from pnet_lp.model.network import Variant
from pnet_lp.throughput import solve
from pnet_lp.throughput.problems import ArcProblem
from pnet_lp.throughput.solvers import choose_solver
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

TOLERANCE = 1e-4
SEED = 1
SOLVERS = ("columns", "structured")

STOP, STOP_S = 3.0, 3.0
"""A run is stopped after so many times what the other one took by the clock, and after so many seconds at least."""
LIMIT_S = 600.0

NEAR = 1.3
"""A choice that takes at most so many times as long as the better one is a good one."""

SMALL = (
    "jellyfish:k=8",
    "fat-tree:k=12",
    "leaf-spine:leaves=64,spines=32",
    "slim-fly:q=7",
    "torus:dims=10x10",
    "dragonfly:h=3",
)
LARGE = (
    "jellyfish:k=12",
    "jellyfish:k=16",
    "fat-tree:k=16",
    "leaf-spine:leaves=128,spines=64",
    "slim-fly:q=11",
    "torus:dims=8x8x4",
    "dragonfly:h=4",
)

TRAFFIC = (
    "permutation",
    "stride",
    "longest-matching",
    "random 1/20",
    "random 1/5",
    "random 1/2",
    "random 1/1",
    "random 2/1",
    "gravity",
    "all-to-all",
)
"""Random flows from each rack are so many parts of all racks; some meet at one."""

PLANES = (1, 4, 8)
FAILED = (0.0, 0.02, 0.1)

Case = tuple[str, str, int, float]
"""Topology, traffic, planes, and the part of the links that failed."""


def expression(traffic: str, racks: int) -> str:
    """Return the traffic pattern for so many racks."""
    name, _, part = traffic.partition(" ")
    if name == "stride":
        return f"stride:s={racks // 2 + 1}"
    if not part:
        return name
    parts, whole = map(int, part.split("/"))
    return f"random:flows={parts * racks // whole}"


def network_of(topology: str, planes: int, failed: float) -> Network:
    """Return it, with planes drawn apart where they are random."""
    several: Variant = "heterogeneous" if topology.startswith("jellyfish") else "homogeneous"
    network = build_network([topology], planes=planes, variant=several if planes > 1 else "serial", seed=SEED)
    return fail(network, Failures(links=failed), seed=SEED)


def measure(case: Case) -> dict[str, Any] | None:
    """Return what a case is like, and the processor seconds of each solver; None where there is nothing to do."""
    topology, pattern, planes, failed = case
    network = network_of(topology, planes, failed)
    racks = len(network.endpoint_names("rack"))
    traffic = build_traffic(expression(pattern, racks), network, "rack", seed=SEED)
    flow = build_problem(network, traffic)
    if choose_solver(ArcProblem(flow), TOLERANCE) == "symmetric":
        return None
    row: dict[str, Any] = {
        "case": case,
        "racks": racks,
        "demands": flow.demand_count,
        "rows": len(flow.rows),
        "flow_variables": flow.flow_variables,
        "auto": choose_solver(ArcProblem(flow), TOLERANCE),
    }
    # The one that dense traffic is for begins with it, so that the other is stopped where it is slower.
    limit = LIMIT_S
    for solver in SOLVERS if flow.demand_count < racks * racks / 2 else SOLVERS[::-1]:
        wall, cpu = time.perf_counter(), time.process_time()
        found = solve(network, traffic, solver=solver, tolerance=TOLERANCE, threads=1, time_limit_s=limit)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        if found.iterations == 0:
            return None
        row |= {solver: cpu, f"{solver}_iterations": found.iterations, f"{solver}_gap": found.interval.gap}
        limit = min(limit, max(STOP * wall, STOP_S))
    return row


def cases(quick: bool) -> Iterator[Case]:
    """Yield them all, or the small ones."""
    for topologies in (SMALL,) if quick else (SMALL, LARGE):
        yield from itertools.product(topologies, TRAFFIC, PLANES, FAILED)


def main() -> None:
    """Print a line for each case, then how many choices are good, and the worst ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="networks of about 100 racks only")
    parser.add_argument(
        "--sample", type=int, nargs=2, metavar=("I", "N"), default=(0, 1), help="each N-th case from the I-th on"
    )
    parser.add_argument("--out", type=Path, help="append the rows, and leave out those that it has")
    arguments = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("choosing.py: the extension is a debug build; run make bench")
    rows = []
    if arguments.out and arguments.out.exists():
        rows = [json.loads(line) for line in arguments.out.read_text().splitlines()]
    known = {tuple(row["case"]) for row in rows}
    first, step = arguments.sample
    for case in itertools.islice(cases(arguments.quick), first, None, step):
        if case in known or (row := measure(case)) is None:
            continue
        rows.append(row)
        if arguments.out:
            with arguments.out.open("a") as file:
                file.write(json.dumps(row) + "\n")
        times = " ".join(f"{solver} {row[solver]:8.2f} s {row[f'{solver}_iterations']:6}" for solver in SOLVERS)
        print(f"{case[0]:32} {case[1]:17} x {case[2]} {100 * case[3]:3.0f} % {times}  auto: {row['auto']}", flush=True)
    summarise(rows)


def _taken(row: dict[str, Any], solver: str) -> float:
    return float(row[solver]) if row[f"{solver}_gap"] <= TOLERANCE else np.inf


def summarise(rows: list[dict[str, Any]]) -> None:
    """Print how far the choices are from the better ones."""
    chosen = [row for row in rows if row["auto"] in SOLVERS]
    taken = [{solver: _taken(row, solver) for solver in SOLVERS} for row in chosen]
    loss = np.array([times[row["auto"]] / min(times.values()) for row, times in zip(chosen, taken, strict=True)])
    print(f"{len(loss)} cases, {np.count_nonzero(loss <= NEAR)} within {NEAR:g} times the better one; the worst:")
    for i in np.argsort(-loss)[:10]:
        print(f"  {loss[i]:5.1f} {chosen[i]['case']} {chosen[i]['auto']}")


if __name__ == "__main__":
    main()
