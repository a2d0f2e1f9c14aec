"""The fluid simulator as flows grow: events a second and memory, beside a solution from scratch at every change.

Poisson arrivals of web-search flows at 60 % of what hosts can send.  Times are those of the processor, of one core,
from the scenario to its records; every run has a process of its own, which shows its peak memory.

``--simgrid PREFIX`` adds SimGrid, whose headers and library are in ``PREFIX/include`` and below ``PREFIX/lib`` (Debian:
``apt install libsimgrid-dev g++``, then ``/usr``): its flow-level model without latencies, factors and windows,
on the same links, paths and flows, and how far its times are from the fluid's.  Its seconds are those of its simulation
alone, without the reading of the network.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from pnet_lp import _core
from pnet_lp.manifest import environment
from pnet_lp.routing import parse_routing
from pnet_lp.sim import SimulationSettings, figures
from pnet_lp.sim.fluid import FluidScenario
from pnet_lp.sim.ports import Ports
from pnet_lp.topology import build_network
from pnet_lp.units import format_bytes
from pnet_lp.workload import build_workload
from pnet_lp.writing import output_file, write_json

SEED = 1
LOAD = 0.6
SIZES = "dctcp-web-search"
NETWORKS = {128: "fat-tree:k=8", 1024: "fat-tree:k=16", 6144: "leaf-spine:leaves=384,spines=16,hosts_per_leaf=16"}
METHODS: dict[str, dict[str, Any]] = {
    "incremental": {},
    "from scratch": {},
    "8 subflows": {"routing": "ksp:8", "sharing": "subflows"},
    "best split": {"routing": "ksp:8", "sharing": "best"},
    "plain": {"routing": "ecmp", "correction": "none", "header": "0"},
}
"""How rates are found, as settings say it; *plain* is what SimGrid is compared with."""

SMALL = (1_000, 10_000)
CASES = (
    *((128, flows, method) for flows in SMALL for method in ("incremental", "8 subflows", "best split")),
    *((1024, flows, "from scratch") for flows in SMALL),
    *((hosts, flows, "incremental") for flows in (*SMALL, 100_000, 1_000_000) for hosts in (1024, 6144)),
)
SIMGRID = tuple((1024, flows, method) for flows in SMALL for method in ("plain", "SimGrid"))
LONG = 100_000
"""Flows, times 10 from scratch, beyond which a run takes minutes."""

OUT = Path(__file__).resolve().parent.parent / "results" / "published" / "benchmarks"


@dataclass(frozen=True)
class Run:
    """One simulation; ``seconds`` are the processor's, ``difference`` the largest part by which a time differs."""

    hosts: int
    flows: int
    method: str
    events: int
    seconds: float
    peak_bytes: int
    mean_slowdown: float
    difference: float | None = None


def scenario(hosts: int, flows: int, method: str) -> FluidScenario:
    """Return what is simulated."""
    network = build_network([NETWORKS[hosts]], link_gbps=10.0, seed=SEED)
    text = f"poisson:sizes={SIZES},load={LOAD},flows={flows}"
    settings = SimulationSettings(model="fluid", **METHODS[method])
    made = settings.scenario(network, build_workload(text, network, seed=SEED), seed=SEED)
    assert isinstance(made, FluidScenario)
    return replace(made, incremental=method != "from scratch")


def measure(hosts: int, flows: int, method: str) -> Run:
    """Simulate in this process."""
    made = scenario(hosts, flows, method)
    started = time.process_time()
    result = made.run()
    seconds = time.process_time() - started
    slowdown = figures([result])["slowdown"]["mean"]
    return Run(hosts, flows, method, result.events, seconds, _peak(resource.RUSAGE_SELF), slowdown)


def measure_simgrid(hosts: int, flows: int, program: str) -> Run:
    """Simulate with SimGrid in a process of its own, and compare its times with those of the fluid."""
    made = scenario(hosts, flows, "plain")
    result = made.run()
    done = subprocess.run(
        [program, "--log=root.thres:warning"],
        input="\n".join(_simgrid_lines(made)),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    *ends, seconds = (float(line) for line in done.stdout.split())
    order = np.argsort(made.workload.start_ps, kind="stable")
    taken = np.empty(flows)
    taken[order] = np.array(ends) - made.workload.start_ps[order] / 1e12
    ideal = made.workload.size * 0.8e-9
    difference = float(np.abs(taken / (result.completion_ps / 1e12) - 1).max())
    peak, slowdown = _peak(resource.RUSAGE_CHILDREN), float((taken / ideal).mean())
    return Run(hosts, flows, "SimGrid", result.events, seconds, peak, slowdown, difference)


def _simgrid_lines(made: FluidScenario) -> Iterator[str]:
    """Yield what ``fluid_simgrid.cpp`` reads; the network has one plane."""
    workload, ports = made.workload, Ports.of(made.network)
    hosts = made.network.host_count
    pairs = np.unique(np.stack([workload.src, workload.dst]), axis=1)
    src, dst = (np.ascontiguousarray(side) for side in pairs)
    paths = parse_routing("ecmp", policy=made.plane_policy, seed=SEED).paths(made.network, "host", src, dst)
    # Ports are the arcs, then those from hosts, then those to hosts.
    up, down = len(ports.rate) - 2 * hosts, len(ports.rate) - hosts
    yield f"{hosts} {len(ports.rate)} {len(src)} {workload.flow_count}"
    yield from (f"{rate / 8}" for rate in ports.rate.tolist())
    for i, (tail, head) in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
        first = int(paths.pair_ptr[i])
        arcs = paths.path_arc[paths.path_ptr[first] : paths.path_ptr[first + 1]].tolist()
        links = [up + tail, *arcs, down + head]
        yield f"{tail} {head} {len(links)} {' '.join(map(str, links))}"
    for i in np.argsort(workload.start_ps, kind="stable").tolist():
        start = int(workload.start_ps[i]) / 1e12
        yield f"{workload.src[i]} {workload.dst[i]} {workload.size[i]} {start!r}"


def _peak(who: int) -> int:
    # ru_maxrss counts KiB on Linux and bytes on macOS.
    return resource.getrusage(who).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def compile_simgrid(prefix: Path, folder: Path) -> Path:
    """Return the program, built against SimGrid."""
    program, library = folder / "fluid_simgrid", next(prefix.glob("lib/**/libsimgrid.so")).parent
    source = Path(__file__).with_name("fluid_simgrid.cpp")
    flags = ["-O2", "-std=c++17", f"-I{prefix / 'include'}", f"-L{library}", f"-Wl,-rpath,{library}"]
    command = ["g++", *flags, str(source), "-lsimgrid", "-Wl,--allow-shlib-undefined", "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--simgrid", type=Path, metavar="PREFIX", help="where SimGrid lies, to compare with it")
    parser.add_argument("--one", nargs="+", metavar="HOSTS FLOWS METHOD [PROGRAM]", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("fluid.py: the extension is a debug build; run make bench")
    if arguments.one:
        hosts, flows, *how = arguments.one
        measured = measure_simgrid if how[0] == "SimGrid" else measure
        json.dump(asdict(measured(int(hosts), int(flows), how[-1])), sys.stdout)
        return
    cases = [*(SIMGRID if arguments.simgrid else ()), *CASES]
    runs: list[Run] = []
    with TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        program = [str(compile_simgrid(arguments.simgrid, Path(folder)))] if arguments.simgrid else []
        for hosts, flows, method in cases:
            if arguments.quick and flows * (1 if method in ("incremental", "plain") else 10) > LONG:
                continue
            command = [sys.executable, __file__, "--one", str(hosts), str(flows), method]
            command += program if method == "SimGrid" else []
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            runs.append(Run(**json.loads(done.stdout)))
            sys.stderr.write(f"{hosts} hosts, {flows:,} flows, {method}: {runs[-1].seconds:.2f} s\n")
    publish(runs)


def publish(runs: list[Run]) -> None:
    """Print the runs, and write them to where the others are; after Ctrl-C those that there are."""
    table = report(runs)
    Console(width=120).print(table)
    OUT.mkdir(parents=True, exist_ok=True)
    document: dict[str, Any] = {
        "command": "make bench",
        "seed": SEED,
        "load": LOAD,
        "sizes": SIZES,
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
    for column in ("hosts", "flows", "rates", "seconds", "events/s", "peak memory", "mean slowdown", "differs by"):
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
            "" if run.difference is None else f"{run.difference:.1e}",
        )
    return table


if __name__ == "__main__":
    main()
