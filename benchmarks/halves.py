"""What one simulation on two cores could gain: a run over four planes beside its two halves, run at once.

Planes meet only in hosts, so two cores could have two planes each, and half of what hosts do.  A half is here a run of
its own: two of the planes, with half the bytes of each flow.  Halves share nothing and wait for nobody, so that their
times are the least that two cores could take; what these would exchange after each window, and how long they would wait
for each other, comes to it.  Times are those that the processor has worked, less what a run takes that sends a byte a
flow.

A window is the least delay of a link: no event of one core can reach the other within it.

    benchmarks/halves.py [--arity K] [--size BYTES] [--only KIND,KIND,...]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from pnet_lp import _core
from pnet_lp.sim import simulate
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

Measured = dict[str, Any]

SEED = 1
PLANES = 4
GBPS = 10
#: Of each kind, the words of the simulation, and the part of the size that its flows have.
KINDS: dict[str, tuple[dict[str, Any], float]] = {
    "tcp": ({"preset": "pnet", "transport": "tcp", "forwarding": "plane-spray"}, 0.25),
    "ndp": ({"preset": "ndp"}, 1.0),
    "nscc": ({"preset": "uec"}, 1.0),
}


def measure(kind: str, arity: int, planes: int, size: int) -> Measured:
    """Simulate in this process."""
    words, part = KINDS[kind]
    network = build_network(f"fat-tree:k={arity}", planes=planes, link_gbps=GBPS)
    traffic = build_traffic("permutation:kind=pairs", network, "host", seed=SEED)
    times = []
    for bytes_ in (1, round(part * size * planes / PLANES)):
        before = time.process_time()
        result = simulate(network, f"each:sizes={bytes_}", traffic=traffic, seed=SEED, **words)
        times.append(time.process_time() - before)
    ports = result.ports
    packets = np.array(ports["packets"])
    to_host = np.isin(ports["v"].to_pylist(), network.host_names) & (np.array(ports["kind"]) == "access")
    plane = np.array(ports["plane"])
    window = min(delay for delay in ports["delay_ps"].to_pylist() if delay)
    return {
        "seconds": times[1] - times[0],
        "hops": result.packet_hops,
        "a_window": result.events / (result.time_ps / window),
        "at_hosts": float(packets[to_host].sum() / packets.sum()),
        "of_planes": [float(packets[plane == each].sum() / packets.sum()) for each in range(planes)],
    }


def start(kind: str, arity: int, planes: int, size: int) -> subprocess.Popen[str]:
    """Simulate in a process of its own."""
    words = [sys.executable, __file__, "--one", kind, str(arity), str(planes), str(size)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def result_of(process: subprocess.Popen[str]) -> Measured:
    """Return what a process has measured."""
    out, _ = process.communicate()
    if process.returncode:
        sys.exit("a run failed")
    found: Measured = json.loads(out)
    return found


def main() -> None:
    """Run each kind as one and as halves, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arity", type=int, default=16, help="k of the fat trees")
    parser.add_argument("--size", type=int, default=4_000_000, help="bytes of a flow; TCP has a quarter of it")
    parser.add_argument("--only", default=",".join(KINDS), help="kinds")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("halves.py: the extension is a debug build; run make bench")
    if options.one:
        kind, *numbers = options.one
        json.dump(measure(kind, *map(int, numbers)), sys.stdout)
        return
    table = Table(
        title=f"Four planes of fat-tree:k={options.arity}, as one run and as two halves", title_justify="left"
    )
    for column in ("", "M hops", "events a window", "at hosts", "in planes", "seconds", "of halves", "times less"):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for kind in options.only.split(","):
        whole = result_of(start(kind, options.arity, PLANES, options.size))
        running = [start(kind, options.arity, PLANES // 2, options.size) for _ in range(2)]
        halves = [result_of(process) for process in running]
        slowest = max(half["seconds"] for half in halves)
        table.add_row(
            kind,
            f"{whole['hops'] / 1e6:.1f}",
            f"{whole['a_window']:,.0f}",
            f"{whole['at_hosts']:.1%}",
            ", ".join(f"{part:.1%}" for part in whole["of_planes"]),
            f"{whole['seconds']:.2f}",
            ", ".join(f"{half['seconds']:.2f}" for half in halves),
            f"{whole['seconds'] / slowest:.2f}",
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
