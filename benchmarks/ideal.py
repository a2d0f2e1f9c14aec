"""The structured solver against HiGHS on dense traffic, for the same certified gap.

Rack-level all-to-all on equal-equipment Jellyfish networks.  Every run is a process of its own, so that its peak
memory can be read, and all runs of one case follow each other on the same machine.  ``--quick`` leaves out HiGHS IPM,
which takes minutes.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from pnet_lp import _core
from pnet_lp.experiment.manifest import environment
from pnet_lp.files import replacing, write_json
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.units import format_bytes

TOLERANCE = 1e-4
SEED = 1
LIMIT_S = 1200.0
REPEATS = {"structured": 3}
"""Runs per solver, of which the median counts; the others take too long for more than one."""

OUT = Path(__file__).resolve().parent.parent / "results" / "published" / "benchmarks"


@dataclass(frozen=True)
class Case:
    """A network and the solvers that are compared on it."""

    name: str
    topology: str
    planes: int
    solvers: tuple[str, ...]


CASES = (
    Case("245 switches, 1 plane", "jellyfish:k=14", 1, ("structured", "highs-pdlp", "highs-ipx")),
    Case("320 switches, 4 heterogeneous planes", "jellyfish:k=16", 4, ("structured", "highs-pdlp")),
    Case("320 switches, 8 heterogeneous planes", "jellyfish:k=16", 8, ("structured",)),
)


@dataclass(frozen=True)
class Run:
    """One solve.  Times count from the arrays of the problem to the evaluated certificate."""

    case: str
    solver: str
    variables: int
    iterations: int
    lower_gbps: float
    upper_gbps: float
    gap: float
    certified: bool
    seconds: float
    peak_bytes: int


def measure(case: Case, solver: str) -> Run:
    """Solve in this process."""
    variant = "heterogeneous" if case.planes > 1 else "serial"
    network = build_network([case.topology], planes=case.planes, variant=variant, link_gbps=10.0, seed=SEED)
    traffic = build_traffic("all-to-all", network, "rack")
    started = time.perf_counter()
    result = solve(network, traffic, solver=solver, tolerance=TOLERANCE, time_limit_s=LIMIT_S)
    total = time.perf_counter() - started
    switches = network.planes[0].switch_count
    return Run(
        case=case.name,
        solver=solver,
        variables=switches * 2 * network.cable_count,
        iterations=result.iterations,
        lower_gbps=result.interval.lower,
        upper_gbps=result.interval.upper,
        gap=result.interval.gap,
        certified=result.status == "certified",
        seconds=total - result.seconds["build"],
        # ru_maxrss counts KiB on Linux and bytes on macOS.
        peak_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        * (1 if sys.platform == "darwin" else 1024),
    )


def in_own_process(index: int, solver: str) -> Run:
    """Run one solve in a fresh interpreter."""
    command = [sys.executable, __file__, "--one", str(index), solver]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Run(**json.loads(done.stdout))


def median(runs: list[Run]) -> Run:
    """Return the run with the median time (of an odd number)."""
    middle = statistics.median(run.seconds for run in runs)
    return next(run for run in runs if run.seconds == middle)


def table(runs: list[Run]) -> Table:
    """Return the runs, each with its time as a multiple of ours on the same case."""
    ours = {run.case: run.seconds for run in runs if run.solver == "structured"}
    shown = Table(title=f"ideal throughput, all-to-all, certified gap {TOLERANCE:g}", title_justify="left")
    for column in ("case", "solver", "K Gb/s", "gap", "seconds", "times ours", "peak memory"):
        shown.add_column(column, justify="left" if column in ("case", "solver") else "right", no_wrap=True)
    for run in runs:
        shown.add_row(
            run.case,
            run.solver,
            f"{run.lower_gbps:.6f}",
            f"{run.gap:.1e}" + ("" if run.certified else " (not certified)"),
            f"{run.seconds:.2f}",
            f"{run.seconds / ours[run.case]:.1f}",
            format_bytes(run.peak_bytes),
        )
    return shown


def report(runs: list[Run]) -> None:
    """Print the table and write it, with what it depends on, to results/published/benchmarks."""
    Console(width=120).print(table(runs))
    OUT.mkdir(parents=True, exist_ok=True)
    ours = {run.case: run.seconds for run in runs if run.solver == "structured"}
    document: dict[str, Any] = {
        "command": "make bench",
        "tolerance": TOLERANCE,
        "seed": SEED,
        "environment": environment(),
        "runs": [asdict(run) | {"times_structured": run.seconds / ours[run.case]} for run in runs],
    }
    write_json(OUT / "ideal.json", document)
    with replacing(OUT / "ideal.txt") as file, file.open("w", encoding="utf-8") as stream:
        Console(file=stream, width=120).print(table(runs))
    sys.stdout.write(f"written to {OUT.relative_to(OUT.parents[2])}/ideal.json and ideal.txt\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out HiGHS IPM")
    parser.add_argument("--one", nargs=2, metavar=("CASE", "SOLVER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("ideal.py: the extension is a debug build; run make bench")
    if arguments.one:
        index, solver = arguments.one
        json.dump(asdict(measure(CASES[int(index)], solver)), sys.stdout)
        return
    runs = []
    for index, case in enumerate(CASES):
        for solver in case.solvers:
            if arguments.quick and solver == "highs-ipx":
                continue
            sys.stderr.write(f"{case.name}: {solver}\n")
            runs.append(median([in_own_process(index, solver) for _ in range(REPEATS.get(solver, 1))]))
    report(runs)


if __name__ == "__main__":
    main()
