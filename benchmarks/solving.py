"""What the benchmarks of solvers share: every run in a process of its own, the same certified gap for all, a table.

A process of its own shows its peak memory, and all runs of one case follow each other on the same machine.
"""

from __future__ import annotations

import argparse
import json
import os
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

from pnet_lp import _core, memory
from pnet_lp.failures import Failures, fail
from pnet_lp.manifest import environment
from pnet_lp.model.network import Level, Variant
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.units import format_bytes
from pnet_lp.writing import output_file, write_json

TOLERANCE = 1e-4
SEED = 1
LIMIT_S = 1200.0
REPEATS = 3
"""Runs of the solver that the others are compared with, of which the median counts; those take too long for more than
one."""

WIDTH = 140
"""Of the table."""

OUT = Path(__file__).resolve().parent.parent / "results" / "published" / "benchmarks"


def peak_bytes() -> int:
    """Return the most memory that this process has had, on Linux since :func:`pnet_lp.memory.reset_peak`."""
    found = memory.peak_bytes()
    if found is None:
        # In KiB, but for macOS; on Linux it is at least what the process had that started this one.
        found = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return found


@dataclass(frozen=True)
class Case:
    """A question, and the solvers that are compared on it; those named in ``slow`` take minutes.

    ``fail_links`` is the share of the links that has failed.
    """

    name: str
    topology: str
    planes: int
    solvers: tuple[str, ...]
    variant: Variant = "heterogeneous"
    traffic: str = "all-to-all"
    level: Level = "rack"
    routing: str = "ideal"
    slow: tuple[str, ...] = ()
    tolerance: float = TOLERANCE
    fail_links: float = 0.0


@dataclass(frozen=True)
class Run:
    """One solve, up to the evaluated certificate: ``seconds`` by the clock, ``processor_s`` of all threads."""

    case: str
    solver: str
    iterations: int
    lower_gbps: float
    upper_gbps: float
    gap: float
    certified: bool
    seconds: float
    processor_s: float
    peak_bytes: int


@dataclass(frozen=True)
class Benchmark:
    """Cases in one file.

    Attributes:
        file: the script, run again for each solve.
        title: heads the table.
        cases: what is solved.
        counts_build: whether times count from network and traffic, paths included, or from the arrays of the problem;
            processor time always counts from the former.
        ours: the solver that the others are compared with, by processor time: what the clock says depends on what else
            the machine does.
        limit_s: time limit of a run.
    """

    file: str
    title: str
    cases: tuple[Case, ...]
    counts_build: bool
    ours: str = "structured"
    limit_s: float = LIMIT_S

    def main(self) -> None:
        """Run what the command line asks for."""
        parser = argparse.ArgumentParser(description=self.title)
        parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
        parser.add_argument("--one", nargs=2, metavar=("CASE", "SOLVER"), help=argparse.SUPPRESS)
        arguments = parser.parse_args()
        name = Path(self.file).stem
        if _core.build_profile != "release":
            sys.exit(f"{name}.py: the extension is a debug build; run make bench")
        if arguments.one:
            index, solver = arguments.one
            json.dump(asdict(self._measure(self.cases[int(index)], solver)), sys.stdout)
            return
        runs, loads = [], []
        for index, case in enumerate(self.cases):
            for solver in case.solvers:
                if arguments.quick and solver in case.slow:
                    continue
                sys.stderr.write(f"{case.name}: {solver}\n")
                repeats = REPEATS if solver == self.ours else 1
                runs.append(_median([self._in_own_process(index, solver) for _ in range(repeats)]))
                loads.append(os.getloadavg()[0])
        self._report(name, runs, round(statistics.fmean(loads), 1))

    def _measure(self, case: Case, solver: str) -> Run:
        """Solve in this process."""
        network = build_network(
            [case.topology],
            planes=case.planes,
            variant=case.variant if case.planes > 1 else "serial",
            link_gbps=10.0,
            seed=SEED,
        )
        network = fail(network, Failures(links=case.fail_links), seed=SEED)
        traffic = build_traffic(case.traffic, network, case.level, seed=SEED)
        started, processor = time.perf_counter(), time.process_time()
        result = solve(
            network,
            traffic,
            routing=case.routing,
            seed=SEED,
            solver=solver,
            tolerance=case.tolerance,
            time_limit_s=self.limit_s,
        )
        total, processor = time.perf_counter() - started, time.process_time() - processor
        return Run(
            case=case.name,
            solver=solver,
            iterations=result.iterations,
            lower_gbps=result.interval.lower,
            upper_gbps=result.interval.upper,
            gap=result.interval.gap,
            certified=result.status == "certified",
            seconds=total if self.counts_build else total - result.seconds["build"],
            processor_s=processor,
            peak_bytes=peak_bytes(),
        )

    def _in_own_process(self, index: int, solver: str) -> Run:
        """Run one solve in a fresh interpreter."""
        command = [sys.executable, self.file, "--one", str(index), solver]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        return Run(**json.loads(done.stdout))

    def _report(self, name: str, runs: list[Run], busy: float) -> None:
        """Print the table and write it, with what it depends on, to results/published/benchmarks."""
        ours = {run.case: run.processor_s for run in runs if run.solver == self.ours}
        table = self._table(runs, ours, busy)
        Console(width=WIDTH).print(table)
        OUT.mkdir(parents=True, exist_ok=True)
        document: dict[str, Any] = {
            "command": "make bench",
            "tolerance": TOLERANCE,
            "seed": SEED,
            "environment": environment(),
            "load_average": busy,
            "runs": [asdict(run) | {f"times_{self.ours}": run.processor_s / ours[run.case]} for run in runs],
        }
        write_json(OUT / f"{name}.json", document)
        with output_file(OUT / f"{name}.txt") as file, file.open("w", encoding="utf-8") as stream:
            Console(file=stream, width=WIDTH).print(table)
        sys.stdout.write(f"written to {OUT.relative_to(OUT.parents[2])}/{name}.json and {name}.txt\n")

    def _table(self, runs: list[Run], ours: dict[str, float], busy: float) -> Table:
        """Return the runs, each with its processor time as a multiple of ours on the same case."""
        shown = Table(
            title=f"{self.title}, certified gap {TOLERANCE:g} where none is named; "
            f"{busy:g} processes at a time on {os.cpu_count()} cores",
            title_justify="left",
        )
        ratio = f"times {self.ours}"
        for column in ("case", "solver", "K Gb/s", "gap", "seconds", "processor s", ratio, "peak memory"):
            shown.add_column(column, justify="left" if column in ("case", "solver") else "right", no_wrap=True)
        for run in runs:
            shown.add_row(
                run.case,
                run.solver,
                f"{run.lower_gbps:.6f}",
                f"{run.gap:.1e}" + ("" if run.certified else " (not certified)"),
                f"{run.seconds:.2f}",
                f"{run.processor_s:.2f}",
                f"{run.processor_s / ours[run.case]:.1f}",
                format_bytes(run.peak_bytes),
            )
        return shown


def _median(runs: list[Run]) -> Run:
    """Return the run with the median processor time (of an odd number)."""
    middle = statistics.median(run.processor_s for run in runs)
    return next(run for run in runs if run.processor_s == middle)
