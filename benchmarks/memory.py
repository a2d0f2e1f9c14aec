"""Estimates of memory against what is taken: each case in a process of its own, whose peak is measured.

Usage: python benchmarks/memory.py [--quick]

Every stage is estimated when it begins, beside what the process has by then.  A line is about the stage with the
largest estimate: that, what the process took at most until the next estimate, and their ratio.  Below 1 a stage can be
begun that does not fit.  Solvers that end early, as here with a coarse tolerance, take less than they may need.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable

import numpy as np
from solving import peak_bytes

from pnet_lp import memory
from pnet_lp.errors import PnetError
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network, build_plane
from pnet_lp.traffic import build_traffic
from pnet_lp.units import format_bytes


def _solving(topology: str, planes: int, traffic: str, level: str, **options: str) -> Callable[[], object]:
    def run() -> object:
        network = build_network([topology], planes=planes, variant="heterogeneous" if planes > 1 else "homogeneous")
        return solve(network, build_traffic(traffic, network, level), tolerance=0.5, **options)

    return run


CASES: dict[str, Callable[[], object]] = {
    "build leaf-spine, 4 M cables": lambda: build_plane("leaf-spine:leaves=2048,spines=2048"),
    "build fat tree, 221,184 hosts": lambda: build_plane("fat-tree:k=96"),
    "build random graph, 127,000 cables": lambda: build_plane("jellyfish:k=64"),
    "structured, all-to-all k=20 x 2": _solving("jellyfish:k=20", 2, "all-to-all", "rack", solver="structured"),
    "columns, permutation k=16 x 4": _solving("jellyfish:k=16", 4, "permutation", "rack", solver="columns"),
    "ipx, all-to-all k=6 x 2": _solving("jellyfish:k=6", 2, "all-to-all", "rack", solver="highs-ipx"),
    "total by ipx, all-to-all fat tree k=10": _solving("fat-tree:k=10", 1, "all-to-all", "host", objective="total"),
    "paths, ksp:8 all-to-all 432 hosts": _solving("jellyfish:k=12", 2, "all-to-all", "host", routing="ksp:8"),
    "filling, ecmp 1 M flows": _solving("fat-tree:k=16", 1, "all-to-all", "host", routing="ecmp", objective="max-min"),
    "total by steps, ecmp 1 M flows": _solving(
        "fat-tree:k=16", 1, "all-to-all", "host", routing="ecmp", objective="total"
    ),
}


QUICK = [case for case in CASES if not case.endswith("1 M flows")]


def measure(case: str) -> None:
    """Print the largest estimate of a case, and what its stage took."""
    # What every run loads, so that it is not counted.
    solve(network := build_network(["fat-tree:k=4"]), build_traffic("permutation", network, "rack"))
    stages: list[tuple[int, int]] = []
    checked = memory.check_fits
    estimate, before = 0, peak_bytes()

    def done() -> None:
        stages.append((estimate, peak_bytes() - before))

    def noting(needed: int, what: str, error: type[PnetError], *, allowed: str) -> None:
        nonlocal estimate, before
        done()
        memory.reset_peak()
        estimate, before = needed, peak_bytes()
        checked(needed, what, error, allowed=allowed)

    for module in list(sys.modules.values()):
        if getattr(module, "check_fits", None) is checked:
            setattr(module, "check_fits", noting)  # noqa: B010 - modules have no such attribute to a type checker
    CASES[case]()
    done()
    print(*max(stages))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="without those of a million flows")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        measure(arguments.one)
        return
    print(f"{'case':38} {'estimate':>12} {'taken':>12} {'ratio':>6}")
    ratios = []
    for case in QUICK if arguments.quick else CASES:
        done = subprocess.run([sys.executable, __file__, "--one", case], capture_output=True, text=True, check=True)
        estimate, peak = map(int, done.stdout.split())
        ratios.append(estimate / peak)
        print(f"{case:38} {format_bytes(estimate):>12} {format_bytes(peak):>12} {ratios[-1]:6.2f}", flush=True)
    print(f"ratios from {np.min(ratios):.2f} to {np.max(ratios):.2f}")


if __name__ == "__main__":
    main()
