"""Objectives beside K on 1,024 hosts: seconds, and whether `pnet-lp verify` agrees.

Usage: python benchmarks/objectives.py [--quick]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from pnet_lp import _core
from pnet_lp.model import TrafficMatrix
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

CASES = (
    # topology, planes, traffic, times the demands, routing, objective
    ("jellyfish:k={k}", 8, "permutation", 1, "ksp:8", "max-min"),
    ("jellyfish:k={k}", 8, "permutation", 2000, "ksp:8", "total"),
    ("jellyfish:k={k}", 8, "permutation", 1, "ksp:8", "min-cost"),
    ("fat-tree:k={k}", 1, "all-to-all", 1, "ecmp", "max-min"),
    ("fat-tree:k={k}", 1, "all-to-all", 1, "ecmp", "total"),
)


def main() -> None:
    """Print one line for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="128 hosts")
    k = 8 if parser.parse_args().quick else 16
    if _core.build_profile != "release":
        sys.exit("the extension is not a release build; run `make setup`")
    print(f"{'case':62} {'wall s':>7} {'cpu s':>7} {'gap':>8} {'levels':>6} {'verify s':>8}")
    for topology, planes, pattern, factor, routing, objective in CASES:
        variant = "heterogeneous" if planes > 1 else "homogeneous"
        network = build_network([topology.format(k=k)], planes=planes, variant=variant)
        traffic = build_traffic(pattern, network, "host")
        pairs = traffic.src, traffic.dst, factor * traffic.demand
        traffic = TrafficMatrix.from_entries(traffic.level, traffic.endpoints, *pairs, label=traffic.label)
        wall, cpu = time.perf_counter(), time.process_time()
        found = solve(network, traffic, routing=routing, objective=objective)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "result.json"
            save_result(path, network, traffic, found)
            begun = time.perf_counter()
            status = verify_file(path).status
            checked = time.perf_counter() - begun
        case = f"{topology.format(k=k)} x {planes}, {pattern}, {routing}, {objective} ({found.solver})"
        gap = found.figures["relative_gap"]
        print(f"{case:62} {wall:7.1f} {cpu:7.1f} {gap:8.1e} {len(found.levels):6} {checked:8.1f} {status}")


if __name__ == "__main__":
    main()
