"""`--fast-forward` beside full runs: how many times less the processor works, and how far completion times are off.

Each case is run twice, packet by packet and with steady state skipped.  Times are those that the processor has worked;
building the network is not counted.  Errors are those of the mean and of the largest completion time, and the largest
of any flow's.  `--large` adds 128 hosts with 1 GB each, of which the full run takes minutes.

    benchmarks/fast_forward.py [--large] [--only NAME;NAME;...] [--print]
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from pnet_lp import _core
from pnet_lp.manifest import environment
from pnet_lp.sim import SimulationResult, simulate
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.writing import output_file, write_json

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "results" / "published" / "benchmarks"
SEED = 1


@dataclass(frozen=True)
class Case:
    """What is run twice."""

    name: str
    network: str
    link_gbps: int
    planes: int
    size: str
    words: dict[str, str]


@dataclass(frozen=True)
class Row:
    """What came of it.

    Attributes:
        case: its name.
        full_s, fast_s: processor time of both runs.
        events: times as many events in the full run.
        mean, most, flow: relative errors of the mean and the largest completion time, and the largest error of a flow.
    """

    case: str
    full_s: float
    fast_s: float
    events: float
    mean: float
    most: float
    flow: float


TREE, SPINE = "fat-tree:k=4", "leaf-spine:leaves=4,spines=4,hosts_per_leaf=4"
CASES = (
    Case("nscc", TREE, 100, 1, "200MB", {"preset": "uec"}),
    Case("nscc, four planes", SPINE, 100, 4, "200MB", {"preset": "uec"}),
    Case("rccc", TREE, 100, 1, "200MB", {"preset": "uec", "transport": "rccc"}),
    Case("mrc, four planes", SPINE, 100, 4, "200MB", {"preset": "mrc"}),
    Case("swift", TREE, 10, 1, "100MB", {"transport": "swift"}),
    Case("hpcc", TREE, 10, 1, "100MB", {"transport": "hpcc"}),
    Case("roce", TREE, 25, 1, "100MB", {"preset": "roce-2026"}),
    Case("ndp", TREE, 10, 1, "100MB", {"preset": "ndp"}),
    Case("dctcp", TREE, 10, 1, "100MB", {"preset": "modern"}),
    Case("tcp", TREE, 10, 1, "100MB", {"preset": "pnet-tcp"}),
    Case("mptcp", TREE, 10, 1, "100MB", {"transport": "mptcp", "routing": "ksp:8"}),
)
LARGE = (Case("nscc, 128 hosts", "fat-tree:k=8", 100, 1, "1GB", {"preset": "uec"}),)


def timed(case: Case, **words: Any) -> tuple[float, SimulationResult]:
    """Return the processor time of a run, and the run."""
    network = build_network(case.network, planes=case.planes, link_gbps=case.link_gbps)
    traffic = build_traffic("permutation", network, seed=SEED)
    began = time.process_time()
    result = simulate(network, f"each:sizes={case.size}", traffic=traffic, seed=SEED, **case.words, **words)
    return time.process_time() - began, result


def measured(case: Case) -> Row:
    """Return how a run that skips differs from one that does not."""
    (full_s, full), (fast_s, fast) = timed(case), timed(case, fast_forward=True)
    if (full.end, fast.end) != ("complete", "complete"):
        sys.exit(f"{case.name}: a run is not complete")
    took, found = (result.flow["end_ps"] - result.flow["start_ps"] for result in (full, fast))
    return Row(
        case=case.name,
        full_s=full_s,
        fast_s=fast_s,
        events=full.events / fast.events,
        mean=float(found.mean() / took.mean() - 1),
        most=float(found.max() / took.max() - 1),
        flow=float(np.abs(found / took - 1).max()),
    )


def main() -> None:
    """Run all cases, and print or write what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="128 hosts with 1 GB each too")
    parser.add_argument("--only", help="names of cases")
    parser.add_argument("--print", action="store_true", help="write no file")
    options = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("build the core with optimisation")
    cases = [*CASES, *(LARGE if options.large else ())]
    if options.only:
        cases = [case for case in (*CASES, *LARGE) if case.name in options.only.split(";")]
    table = Table("case", "full", "skipped", "times less", "events", "mean", "largest", "a flow's", box=None)
    rows = []
    for case in cases:
        row = measured(case)
        rows.append(row)
        print(row, file=sys.stderr, flush=True)
        errors = (f"{100 * error:+.2f} %" for error in (row.mean, row.most))
        seconds = (f"{row.full_s:.3g} s", f"{row.fast_s:.3g} s", f"{row.full_s / row.fast_s:.3g}")
        table.add_row(row.case, *seconds, f"{row.events:.3g}", *errors, f"{100 * row.flow:.2f} %")
    Console(width=120).print(table)
    if not options.print:
        OUT.mkdir(parents=True, exist_ok=True)
        with output_file(OUT / "fast_forward.txt") as file, file.open("w", encoding="utf-8") as stream:
            Console(file=stream, width=120).print(table)
        write_json(OUT / "fast_forward.json", {"environment": environment(), "rows": [asdict(row) for row in rows]})


if __name__ == "__main__":
    main()
