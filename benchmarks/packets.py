"""The packet simulator on fat trees: packet-hops per second of one core, and memory, beside what the machine does.

Hosts send to each other in pairs, 10 MB each at 10 Gb/s, with the preset of each transport; `--large` adds SOPA at
1 Gb/s, up to 3,456 hosts, which takes minutes.  Every run has a process of its own.  Times are those that the processor
has worked, so that others on the machine disturb them little; building the network is not counted.

The last rows say how the time of a hop and the memory of a packet in the queues grow with the number of hosts n: the
power of n that fits all runs of a kind best.

`--nspy PYTHON` adds ns.py, which that Python must have (``pip install ns.py``): TCP Reno for 20 ms on the smallest fat
tree, the same pairs, each flow on one shortest path, beside our own TCP there.  What is compared is packet-hops per
second; the protocols differ in detail, and where a packet is lost ns.py's sends again at every duplicate.

    benchmarks/packets.py [--large] [--nspy PYTHON] [--size BYTES] [--arity K,K,...] [--print]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx
import numpy as np
from rich.console import Console
from rich.table import Table

from pnet_lp import _core
from pnet_lp.manifest import environment
from pnet_lp.sim import simulate
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.units import BYTES, format_bytes
from pnet_lp.writing import output_file, write_json

SEED = 1
SIZE = "10MB"
ARITIES = (4, 8, 16)
LARGE = 24

#: Of each kind of run, the rate of links in Gb/s and the words of the simulation.
KINDS: dict[str, tuple[int, dict[str, str]]] = {
    "tcp": (10, {"preset": "pnet", "transport": "tcp"}),
    "dctcp": (10, {"preset": "modern"}),
    "ndp": (10, {"preset": "ndp", "transport": "ndp"}),
    "roce": (10, {"preset": "roce-2026"}),
    "swift": (10, {"transport": "swift"}),
    "hpcc": (10, {"transport": "hpcc"}),
    "nscc": (10, {"preset": "uec"}),
    "rccc": (10, {"preset": "uec", "transport": "rccc"}),
    "mrc": (10, {"preset": "mrc"}),
    "sopa": (1, {"preset": "sopa"}),
}
ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "crates" / "pnet-core"
OUT = ROOT / "results" / "published" / "benchmarks"


@dataclass(frozen=True)
class Run:
    """One run.

    Attributes:
        arity: k of the fat tree.
        kind: what is simulated there.
        hosts: how many send.
        packet_hops: packets times the links they crossed.
        seconds: that the processor has worked.
        peak_bytes: memory that the run added to the process.
        in_flight: data packets under way at most, as far as the longest queues tell.
        end: why it ended.
    """

    arity: int
    kind: str
    hosts: int
    packet_hops: int
    seconds: float
    peak_bytes: int
    in_flight: int
    end: str

    @property
    def rate(self) -> float:
        """Packet-hops in a second."""
        return self.packet_hops / self.seconds

    @property
    def ns_per_hop(self) -> float:
        """Nanoseconds for a packet to cross a link."""
        return 1e9 / self.rate

    @property
    def bytes_per_packet(self) -> float | None:
        """Memory for each packet in the queues; ``None`` where neither was measured."""
        return self.peak_bytes / self.in_flight if self.in_flight else None


def growth(runs: list[Run], kind: str) -> tuple[float, float] | None:
    """Return the powers of the number of hosts that time per hop and memory per packet grow with.

    They are fitted to the logarithms by least squares; ``None`` where there are not two runs of the kind with both.
    """
    found = [(run.hosts, run.ns_per_hop, run.bytes_per_packet) for run in runs if run.kind == kind]
    measured = [(hosts, time, memory) for hosts, time, memory in found if memory]
    if len(measured) < 2:
        return None
    hosts, *grown = np.log(np.array(measured, dtype=float)).T
    time, memory = (float(np.polyfit(hosts, each, 1)[0]) for each in grown)
    return time, memory


def peak_bytes() -> int:
    """Return the most memory that this process has held; a process inherits no peak in this count."""
    text = Path("/proc/self/status").read_text()
    return 1024 * int(text.partition("VmHWM:")[2].split()[0])


def measure(arity: int, kind: str, size: str) -> Run:
    """Simulate in this process."""
    gbps, words = KINDS[kind]
    network = build_network(f"fat-tree:k={arity}", link_gbps=gbps)
    traffic = build_traffic("permutation:kind=pairs", network, "host", seed=SEED)
    # What is loaded at the first call belongs to no run.
    simulate(network, "each:sizes=1", traffic=traffic, seed=SEED, **words)
    held, before = peak_bytes(), time.process_time()
    result = simulate(network, f"each:sizes={size}", traffic=traffic, seed=SEED, **words)
    seconds = time.process_time() - before
    return Run(
        arity,
        kind,
        network.host_count,
        result.packet_hops,
        seconds,
        peak_bytes() - held,
        int(result.port["longest_packets"].sum()),
        result.end,
    )


def measure_nspy(arity: int, size: int, python: str) -> Run:
    """Simulate with ns.py, in a process of another Python."""
    network = build_network(f"fat-tree:k={arity}", link_gbps=10)
    traffic = build_traffic("permutation:kind=pairs", network, "host", seed=SEED)
    plane, first = network.planes[0], network.planes[0].switch_count
    cables = [*zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True)]
    cables += [(first + host, switch) for host, switch in enumerate(plane.host_switch.tolist())]
    links = [*cables, *((v, u) for u, v in cables)]
    number = {link: i for i, link in enumerate(links)}
    graph, draw = networkx.Graph(cables), random.Random(SEED)
    paths = []
    for src, dst in zip(traffic.src.tolist(), traffic.dst.tolist(), strict=True):
        there = draw.choice(list(networkx.all_shortest_paths(graph, first + src, first + dst)))
        both = pairwise(there), pairwise(there[::-1])
        paths.append([[number[link] for link in path] for path in both])
    requested = {"nodes": len(graph), "links": links, "paths": paths, "bytes": size}
    requested |= {"rate": 1e10, "queue": 100, "packet": 1500, "until": 0.02}
    script = Path(__file__).with_name("packets_nspy.py")
    done = subprocess.run(
        [python, str(script)], input=json.dumps(requested), check=True, stdout=subprocess.PIPE, text=True
    )
    found = json.loads(done.stdout)
    return Run(arity, "ns.py", network.host_count, found["packet_hops"], found["seconds"], 0, 0, "20 ms")


def machine() -> dict[str, float]:
    """Return nanoseconds of a step through 64 MiB in random order, and of a pop and push in a heap of 4,096."""
    command = ["cargo", "run", "--quiet", "--release", "--example", "packets", "--", "machine"]
    line = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=CORE).stdout
    found = re.fullmatch(r"machine: (\d+) ns a step through 64 MiB, (\d+) ns a pop .*\n", line)
    assert found is not None, line
    return {"step_64mib_ns": float(found[1]), "heap_ns": float(found[2])}


def report(runs: list[Run], machines: dict[str, float], size: str) -> Table:
    """Return the runs as a table."""
    table = Table(title=f"Packets, {size} a host; {_in_words(machines)}", title_justify="left")
    for column in ("fat tree", "hosts", "M hops", "seconds", "M hops/s", "ns/hop", "memory", "bytes/packet"):
        table.add_column(column, justify="left" if column == "fat tree" else "right", no_wrap=True)
    for run in runs:
        table.add_row(
            f"k = {run.arity}, {run.kind}" + ("" if run.end == "complete" else f" ({run.end})"),
            f"{run.hosts:,}",
            f"{run.packet_hops / 1e6:.1f}",
            f"{run.seconds:.2f}",
            f"{run.rate / 1e6:.2f}",
            f"{run.ns_per_hop:.0f}",
            format_bytes(run.peak_bytes) if run.peak_bytes else "",
            f"{run.bytes_per_packet:.0f}" if run.bytes_per_packet else "",
        )
    table.add_section()
    for kind in KINDS:
        if powers := growth(runs, kind):
            time, memory = (f"n^{power:.2f}" for power in powers)
            table.add_row(f"{kind} with n hosts", "", "", "", "", time, "", memory)
    return table


def _in_words(machines: dict[str, float]) -> str:
    return f"{machines['step_64mib_ns']:.0f} ns a step through 64 MiB, {machines['heap_ns']:.0f} ns in a heap of 4,096"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="SOPA too, up to 3,456 hosts")
    parser.add_argument("--nspy", metavar="PYTHON", help="a Python that has ns.py, to compare with it")
    parser.add_argument("--size", default=SIZE, help="bytes of a flow")
    parser.add_argument("--arity", default=",".join(map(str, ARITIES)), help="fat trees")
    parser.add_argument("--print", action="store_true", help="print only")
    parser.add_argument("--one", nargs=2, metavar=("K", "KIND"), help=argparse.SUPPRESS)
    requested = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("packets.py: the extension is a debug build; run make bench")
    if requested.one:
        json.dump(asdict(measure(int(requested.one[0]), requested.one[1], requested.size)), sys.stdout)
        return
    arities = [int(arity) for arity in requested.arity.split(",")]
    cases = [(arity, kind) for kind in KINDS if kind != "sopa" for arity in arities]
    if requested.large:
        cases += [(arity, "sopa") for arity in (*arities, LARGE)]
    runs = []
    for arity, kind in cases:
        sys.stderr.write(f"k = {arity}: {kind}\n")
        command = [sys.executable, __file__, "--size", requested.size, "--one", str(arity), kind]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        runs.append(Run(**json.loads(done.stdout)))
    if requested.nspy:
        sys.stderr.write(f"k = {arities[0]}: ns.py\n")
        runs.append(measure_nspy(arities[0], BYTES.parse(requested.size, "--size"), requested.nspy))
    machines = machine()
    table = report(runs, machines, requested.size)
    Console(width=120).print(table)
    if requested.print:
        return
    OUT.mkdir(parents=True, exist_ok=True)
    document: dict[str, Any] = {
        "command": "make bench",
        "seed": SEED,
        "bytes": requested.size,
        "environment": environment(),
        "machine": machines,
        "runs": [asdict(run) | {"packet_hops_per_second": run.rate} for run in runs],
        "growth": {
            kind: dict(zip(("time_per_hop", "memory_per_packet"), powers, strict=True))
            for kind in KINDS
            if (powers := growth(runs, kind))
        },
    }
    write_json(OUT / "packets.json", document)
    with output_file(OUT / "packets.txt") as file, file.open("w", encoding="utf-8") as stream:
        Console(file=stream, width=120).print(table)


if __name__ == "__main__":
    main()
