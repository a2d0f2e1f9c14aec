"""The fluid simulator as flows grow: events a second and memory, beside a solution from scratch at every change.

Poisson arrivals of web-search flows at 60 % of what hosts can send.  Times are those of the processor, of one core,
from the scenario to its records; every run has a process of its own, which shows its peak memory.
"""

from __future__ import annotations

import argparse
import json
import resource
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
from pnet_lp.sim import figures
from pnet_lp.sim.base import FORWARDINGS, choose
from pnet_lp.sim.fluid import FluidScenario
from pnet_lp.topology import build_network
from pnet_lp.units import format_bytes
from pnet_lp.workload import build_workload
from pnet_lp.writing import output_file, write_json

SEED = 1
LOAD = 0.6
NETWORKS = {1024: "fat-tree:k=16", 6144: "leaf-spine:leaves=384,spines=16,hosts_per_leaf=16"}
FLOWS = (10_000, 100_000, 1_000_000)
FROM_SCRATCH = ((1024, 1_000), (1024, 10_000))
"""Hosts and flows for which a solution from scratch ends in minutes."""

OUT = Path(__file__).resolve().parent.parent / "results" / "published" / "benchmarks"


@dataclass(frozen=True)
class Run:
    """One simulation; ``seconds`` are the processor's."""

    hosts: int
    flows: int
    method: str
    events: int
    seconds: float
    peak_bytes: int
    mean_slowdown: float


def measure(hosts: int, flows: int, method: str) -> Run:
    """Simulate in this process."""
    network = build_network([NETWORKS[hosts]], link_gbps=10.0, seed=SEED)
    text = f"poisson:sizes=pfabric-web-search,load={LOAD},flows={flows}"
    scenario = FluidScenario(
        network=network,
        workload=build_workload(text, network, seed=SEED),
        forwarding=choose(FORWARDINGS, "ecmp", {}),
        seed=SEED,
        incremental=method == "incremental",
    )
    started = time.process_time()
    result = scenario.run()
    seconds = time.process_time() - started
    # ru_maxrss counts KiB on Linux and bytes on macOS.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    slowdown = figures([result])["slowdown"]["mean"]
    return Run(hosts, flows, method, result.events, seconds, peak, slowdown)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--one", nargs=3, metavar=("HOSTS", "FLOWS", "METHOD"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("fluid.py: the extension is a debug build; run make bench")
    if arguments.one:
        hosts, flows, method = arguments.one
        json.dump(asdict(measure(int(hosts), int(flows), method)), sys.stdout)
        return
    cases = [(hosts, flows, "incremental") for hosts in NETWORKS for flows in FLOWS]
    cases += [(*size, "from scratch") for size in FROM_SCRATCH]
    cases += [(*size, "incremental") for size in FROM_SCRATCH if (*size, "incremental") not in cases]
    runs = []
    for hosts, flows, method in sorted(cases):
        if arguments.quick and (flows > 100_000 or (method, flows) == ("from scratch", 10_000)):
            continue
        sys.stderr.write(f"{hosts} hosts, {flows:,} flows, {method}\n")
        command = [sys.executable, __file__, "--one", str(hosts), str(flows), method]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        runs.append(Run(**json.loads(done.stdout)))
    table = report(runs)
    Console(width=120).print(table)
    OUT.mkdir(parents=True, exist_ok=True)
    document: dict[str, Any] = {
        "command": "make bench",
        "seed": SEED,
        "load": LOAD,
        "networks": NETWORKS,
        "environment": environment(),
        "runs": [asdict(run) for run in runs],
    }
    write_json(OUT / "fluid.json", document)
    with output_file(OUT / "fluid.txt") as file, file.open("w", encoding="utf-8") as stream:
        Console(file=stream, width=120).print(table)


def report(runs: list[Run]) -> Table:
    """Return the runs as a table."""
    table = Table(title=f"Fluid, web-search flows at {LOAD:.0%} load, one core", title_justify="left")
    for column in ("hosts", "flows", "rates", "seconds", "events/s", "peak memory", "mean slowdown"):
        table.add_column(column, justify="left" if column == "rates" else "right")
    for run in runs:
        table.add_row(
            f"{run.hosts:,}",
            f"{run.flows:,}",
            run.method,
            f"{run.seconds:.2f}",
            f"{run.events / run.seconds:,.0f}",
            format_bytes(run.peak_bytes),
            f"{run.mean_slowdown:.3f}",
        )
    return table


if __name__ == "__main__":
    main()
