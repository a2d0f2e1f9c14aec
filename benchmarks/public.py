"""Public instances of multicommodity flow: whether answers are the published optima, certified, and in what time.

The folder is searched for three sets:

    CommaLab    grids and planar graphs, with an optimal.csv beside them: the least cost of carrying everything
    TNTP        road networks, CITY_net.tntp and CITY_trips.tntp, packed or not, with an optimal.csv beside them: the
                least free-flow time of all trips, divided by COEFFICIENTS, within capacities
    Repetita    backbones, NAME.graph and NAME.0000.demands: without optima; how many are certified, by objective

The first two are in `data` of github.com/spoorendonk/mcfcg.  The published optima of road networks let traffic pass
through zones; `pnet-lp` refuses networks in which it must not.  So a copy is solved, with <FIRST THRU NODE> set to 1.

Each solve has a process of its own, with one thread.  Seconds are those of its processor, with start and reading;
`solving` is by the solver's own clock.  Others follow in the same run: solvers of `pnet-lp` to the same gap of 1e-4,
and the column generation of Spoorendonk and Petersen (2025), which aims at it too.  networkx and rustworkx have flows
of one commodity only, so they are absent.

An answer of `pnet-lp` may leave up to 1e-4 of all demands out: the part `missing` counts as a gap.  Cost and lower
bound are divided by the part that is carried.  The bound remains one, as the least cost is convex in that part and 0
at 0; the cost is then that of the whole to first order.  Optima are published to three digits, so one counts as
between the bounds if it is outside by at most half of the last digit, or by 1e-6 of itself.

Usage: python benchmarks/public.py FOLDER [--only grid5,planar300] [--limit S] [--solvers columns,highs-ipx,highs-pdlp]
                                   [--mcfcg BINARY] [--out FILE]
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from pnet_lp import _core
from pnet_lp.errors import PnetError

CLOCK = 1.3
"""Limits by the clock are so many times those of processor time."""
HALF_DIGIT, ROUNDING = 0.5e-3, 1e-6
COEFFICIENTS = {"Austin": 6.0, "Barcelona": 5050.0, "BerlinCenter": 0.5, "Birmingham": 0.9, "ChicagoRegional": 4.1}
COEFFICIENTS |= {"ChicagoSketch": 2.4, "Philadelphia": 7.0, "Sydney": 1.9, "Winnipeg": 2000.0}
"""What the demands of road networks are divided by, so that they fit (Spoorendonk and Petersen)."""
OBJECTIVES = ("concurrent", "total", "min-cost:at=0.1", "max-min")
COLUMNS = {"instance": "<15", "demands": ">7", "solver": "<10", "taken": "<10", "value": ">18.3f"}
COLUMNS |= {"difference": ">10.1e", "between": ">7", "gap": ">8.1e", "missing": ">8.1e", "processor": ">9.2f"}
COLUMNS |= {"solving": ">8.3f", "MiB": ">5", "ratio": ">7.2f", "said": ""}
"""What is printed of a row: `difference` of the value from the optimum, `ratio` of processor time to that of `auto`."""


@dataclass(frozen=True)
class Instance:
    """A question of least cost, and its published optimum; road networks have their demands in a file of their own."""

    name: str
    optimum: float
    network: Path
    trips: Path | None = None

    def ours(self, folder: Path) -> list[str]:
        """Return the arguments of `pnet-lp throughput`, and write the files of a road network to a folder."""
        network, traffic, costs = self.network, str(self.network), "unit_cost"
        if self.trips:
            network, trips, costs = folder / "net.tntp", folder / "trips.tntp", "free_flow_time"
            network.write_text(re.sub(r"(<FIRST THRU NODE>\s*)\d+", r"\g<1>1", text_of(self.network)))
            trips.write_text(text_of(self.trips))
            traffic = f"{1 / COEFFICIENTS[self.name]!r}*{trips}"
        return [str(network), "--traffic", traffic, "--level", "rack", "--objective", f"min-cost:at=1,costs={costs}"]

    def theirs(self) -> list[str]:
        """Return the arguments of mcfcg, which lets traffic pass through zones."""
        more = ["--trips", str(self.trips), "--coef", str(COEFFICIENTS[self.name])] if self.trips else []
        return [str(self.network), *more]


def text_of(path: Path) -> str:
    """Return the text of a file, packed or not."""
    return (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()


def find_instances(folder: Path) -> tuple[list[Instance], list[str]]:
    """Return the instances with a published optimum, smallest first, and the names of those without their files."""
    found, absent = [], []
    for table in sorted(folder.rglob("optimal.csv")):
        for row in csv.DictReader(text_of(table).splitlines()):
            name, optimum, beside = row["instance"], float(row["optimal"]), table.parent
            network, trips = (next(beside.glob(f"{name}_{part}.tntp*"), None) for part in ("net", "trips"))
            if (beside / name).is_file():
                found.append(Instance(name, optimum, beside / name))
            elif network and trips and name in COEFFICIENTS:
                found.append(Instance(name, optimum, network, trips))
            else:
                absent.append(name)
    return sorted(found, key=lambda one: (one.trips is not None, one.network.stat().st_size, one.name)), absent


def measure(command: Sequence[str], limit_s: float) -> tuple[dict[str, Any], str]:
    """Run a command; return its exit code, processor time, memory and last sentence, and what it printed."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(CLOCK * limit_s) + 5,) * 2)

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        started = subprocess.Popen(command, stdout=out, stderr=said, env=environment, preexec_fn=limit)  # noqa: PLW1509
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said.seek(0)
        printed, sentence = out.read().decode(), said.read().decode().strip().rpartition("\n")[2]
    cpu = round(used.ru_utime + used.ru_stime, 3)
    return {"exit": started.returncode, "processor": cpu, "MiB": used.ru_maxrss // 1024, "said": sentence}, printed


def solve(instance: Instance, solver: str, binary: Path | None, limit_s: float) -> dict[str, Any]:
    """Return what a solver of `pnet-lp` finds, or mcfcg, if a program is named; and how that is beside the optimum."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pnet_lp", "throughput", *instance.ours(Path(folder)), "--json"]
        command += ["--solver", solver, "--time-limit", str(CLOCK * limit_s)]
        if binary:
            command = [str(binary.resolve()), *instance.theirs()]
        row, printed = measure([*command, "--threads", "1"], limit_s)
    row |= {"instance": instance.name, "solver": solver, "optimum": instance.optimum, "finished": False}
    fields = printed.strip().rpartition("\n")[2].split(",")
    if binary and row["exit"] == 0 and len(fields) >= 11:
        # instance,formulation,iterations,columns,objective,lower_bound,optimal,time and three more times
        value, lower, optimal, seconds = map(float, fields[-7:-3])
        row |= {"gap": (value - lower) / value, "solving": seconds, "finished": optimal == 1}
    elif not binary and row["exit"] in {0, 3}:
        found = json.loads(printed)
        carried = found["carried_gbps"]
        value, lower = found["cost_gbps_links"] / carried, found["lower_bound_gbps_links"] / carried
        row |= {"gap": found["relative_gap"], "missing": 1 - carried, "finished": row["exit"] == 0}
        row |= {"taken": found["solver"], "demands": found["traffic"]["demands"]}
        row["solving"] = sum(found["seconds"].values())
    else:
        return row | {"said": f"exit {row['exit']} {row['said']}"}
    rounding = max(HALF_DIGIT, ROUNDING * instance.optimum)
    between = lower - rounding <= instance.optimum <= value + rounding
    row |= {"value": value, "lower": lower, "difference": value / instance.optimum - 1}
    row |= {"between": "yes" if between else "NO", "finished": row["finished"] and row["processor"] <= limit_s}
    return row | {"said": "" if row["finished"] else "not finished within the limit"}


def text(row: dict[str, Any]) -> str:
    """Return a row as a line, blank where it lacks something."""
    pairs = [(row.get(key, ""), form) for key, form in COLUMNS.items()]
    return " ".join(
        f"{cell:{form if isinstance(cell, float) else form.split('.')[0]}}" for cell, form in pairs
    ).rstrip()


def solve_backbones(graphs: Sequence[Path], objective: str, limit_s: float) -> dict[str, Any]:
    """Solve all networks; return how many are certified, what became of the others, and seconds of processor."""
    import pnet_lp as pn  # noqa: PLC0415 - in a process of its own

    warnings.simplefilter("ignore")
    begun, others = time.process_time(), {}
    for graph in graphs:
        given: dict[str, Any] = {"traffic": str(graph.with_suffix(".0000.demands")), "level": "rack", "threads": 1}
        try:
            answer = pn.throughput(str(graph), objective=objective, time_limit_s=CLOCK * limit_s, **given)
        except PnetError as error:
            others[graph.stem] = str(error)
        else:
            if answer.status != "certified":
                others[graph.stem] = f"gap {answer.to_json()['relative_gap']:.1e}"
    row = {"objective": objective, "networks": len(graphs), "certified": len(graphs) - len(others), "others": others}
    return row | {"processor": time.process_time() - begun}


def summarise(rows: Sequence[dict[str, Any]]) -> None:
    """Print how many answers of each solver are finished and right, and its ratios to what `auto` takes."""
    print("\nratios to auto of processor and of solving, geometric means over the instances that both finish:")
    for solver in dict.fromkeys(row["solver"] for row in rows):
        all_rows = [row for row in rows if row["solver"] == solver]
        finished = [row for row in all_rows if row["finished"]]
        both = [row for row in finished if "ratio" in row]
        ratios = [f"{geometric_mean(row[key] for row in both):.2f}" for key in ("ratio", "ratio of solving") if both]
        counts = f"{len(all_rows) - len(finished)} of {len(all_rows)} unfinished"
        between = f"optimum between the bounds in {sum(row['between'] == 'yes' for row in finished)}"
        print(f"{solver:10} {' '.join(ratios) or 'none'} in {len(both)} instances; {counts}; {between}")


def main() -> None:
    """Print a line for each instance and solver, then ratios, then a line for each objective of Repetita's networks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="names of instances, with commas")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of processor time of a solve")
    parser.add_argument("--solvers", default="", help="solvers of pnet-lp beside auto, with commas")
    parser.add_argument("--mcfcg", type=Path, metavar="BINARY", help="the program mcfcg_cli")
    parser.add_argument("--out", type=Path, help="append the rows to a file of JSON lines")
    arguments = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("the extension is not a release build; run `make setup`")
    instances, absent = find_instances(arguments.folder)
    graphs = sorted(arguments.folder.rglob("*.graph"), key=lambda graph: (graph.stat().st_size, graph.name))
    if not instances and not graphs:
        parser.error(f"{arguments.folder} has neither instances beside an optimal.csv nor .graph files")
    if arguments.mcfcg and not arguments.mcfcg.is_file():
        parser.error(f"--mcfcg: {arguments.mcfcg} is not a file")
    if only := {name for name in arguments.only.split(",") if name}:
        known = [*(one.name for one in instances), *(graph.stem for graph in graphs)]
        if unknown := only - set(known):
            parser.error(f"--only: {', '.join(sorted(unknown))}: no such instance; there are {', '.join(known)}")
        instances = [one for one in instances if one.name in only]
        graphs = [graph for graph in graphs if graph.stem in only]
    elif absent:
        print(f"left out, without files or not of a known format: {', '.join(absent)}")

    def keep(row: dict[str, Any], shown: str) -> None:
        print(shown, flush=True)
        if arguments.out:
            with arguments.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")

    rows: list[dict[str, Any]] = []
    solvers = ["auto", *filter(None, arguments.solvers.split(",")), *["mcfcg"] * bool(arguments.mcfcg)]
    if instances:
        print(text({key: key for key in COLUMNS}))
    for instance in instances:
        first: dict[str, Any] = {}
        for solver in solvers:
            row = solve(instance, solver, arguments.mcfcg if solver == "mcfcg" else None, arguments.limit)
            first = first or row
            row.setdefault("demands", first.get("demands", ""))
            if row["finished"] and first["finished"]:
                row["ratio"] = row["processor"] / first["processor"]
                row["ratio of solving"] = max(row["solving"], 1e-3) / first["solving"]
            rows.append(row)
            keep(row, text(row))
    if rows:
        summarise(rows)
    for objective in OBJECTIVES if graphs else ():
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            row = alone.submit(solve_backbones, graphs, objective, arguments.limit).result()
        ends = f"{row['certified']} of {row['networks']} certified, {row['processor']:.1f} s of processor"
        keep(row, "; ".join([f"{objective:15} {ends}", *(f"{name}: {why}" for name, why in row["others"].items())]))


if __name__ == "__main__":
    main()
