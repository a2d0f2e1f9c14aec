"""How processor time and memory grow with switches and planes: fitted exponents, and a plot.

Usage: python benchmarks/growth.py [--quick] [--plot FILE.svg]

Jellyfish networks of 80 to 1,280 switches, heterogeneous planes, between racks.  Each run is a process of its own with
one thread; its processor time is that of the solve, its memory what it had at most beyond what it had before.  An
exponent is the slope of a line through the logarithms.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from solving import peak_bytes

from pnet_lp import _core
from pnet_lp.memory import reset_peak
from pnet_lp.plot import COLOURS, new_figure, write_figure
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.units import MIB

RADIX = (8, 12, 16, 22, 32)
"""Ports of the switches of which there are 80, 180, 320, 605 and 1,280."""

PLANES = (1, 2, 4, 8)
TRAFFIC = ("all-to-all", "permutation")
TOLERANCE = 1e-3


def measure(k: int, planes: int, traffic: str) -> dict[str, float]:
    """Return the switches of a plane, the planes, processor seconds and MiB of a solve."""
    network = build_network([f"jellyfish:k={k}"], planes=planes, variant="heterogeneous" if planes > 1 else "serial")
    demands = build_traffic(traffic, network, "rack")
    reset_peak()
    before, begun = peak_bytes(), time.process_time()
    found = solve(network, demands, tolerance=TOLERANCE, threads=1)
    seconds = time.process_time() - begun
    if found.status != "certified":
        raise SystemExit(f"growth.py: {traffic} on k={k} x {planes} has not met the tolerance")
    return {
        "switches": len(network.planes[0].switch_names),
        "planes": planes,
        "seconds": seconds,
        "mib": (peak_bytes() - before) / MIB,
    }


def exponent(at: list[float], values: list[float]) -> float:
    """Return the slope of the line through the logarithms."""
    return float(np.polyfit(np.log(at), np.log(values), 1)[0])


def main() -> None:
    """Measure, fit, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="up to 320 switches, and 4 planes")
    parser.add_argument("--plot", type=Path, help="draw it: .png or .svg")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("growth.py: the extension is a debug build; run make bench")
    if arguments.one:
        k, planes, traffic = arguments.one
        json.dump(measure(int(k), int(planes), traffic), sys.stdout)
        return
    radix, counts = (RADIX[:3], PLANES[:3]) if arguments.quick else (RADIX, PLANES)
    figure = new_figure(9, 4)
    for column, (title, cases) in enumerate(
        (("switches, 2 planes", [(k, 2) for k in radix]), ("planes, 180 switches", [(12, planes) for planes in counts]))
    ):
        axes = figure.add_subplot(1, 2, column + 1)
        key = title.split(",")[0]
        at: list[float] = []
        for traffic, colour, marker in zip(TRAFFIC, COLOURS, "os", strict=False):
            rows = [_run(k, planes, traffic) for k, planes in cases]
            at = [row[key] for row in rows]
            print(f"{traffic} by {title}")
            for row in rows:
                print(f"  {row[key]:6.0f} {row['seconds']:8.2f} s {row['mib']:8.1f} MiB")
            grows = exponent(at, [row["seconds"] for row in rows])
            takes = exponent(at, [max(row["mib"], 0.1) for row in rows])
            print(f"  exponents: time {grows:.2f}, memory {takes:.2f}", flush=True)
            seconds = [row["seconds"] for row in rows]
            axes.loglog(at, seconds, color=colour, marker=marker, label=f"{traffic}, exponent {grows:.1f}")
        axes.set_xticks(at, [f"{value:,.0f}" for value in at])
        axes.minorticks_off()
        axes.set_xlabel(title)
        axes.set_ylabel("processor time, s")
        axes.legend(fontsize="small")
    if arguments.plot:
        write_figure(figure, arguments.plot)


def _run(k: int, planes: int, traffic: str) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", str(k), str(planes), traffic]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


if __name__ == "__main__":
    main()
