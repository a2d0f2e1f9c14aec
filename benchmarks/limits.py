"""How far commands run past `--time-limit` on problems that take far longer, and whether they give bounds all the same.

Each command has a process of its own and one thread.  Columns: seconds from its start beyond the limit, by the clock
and of processor time, which is what counts on a machine that does other work as well; exit code; bounds, of fair rates
those of the lowest level.  A case holds where it is at most two seconds late, gives bounds with 0 < lower <= upper, and
its exit code is 3 (or 0).  Those of ``NO_BOUNDS`` that end in time with an error of one sentence are counted apart.

Usage: python benchmarks/limits.py [--quick] [WORD ...]      only cases with these words
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any, Literal

from pnet_lp import _core
from pnet_lp.threads import processor_seconds

LATE_S, PATIENCE_S = 2.0, 300.0

LIMITS = {"100ms": 0.1, "1s": 1.0, "3s": 3.0}

CASES = (
    # limit, command; more than these take at least ten times the limit
    ("1s", "throughput ring:n=3000 --traffic all-to-all"),
    ("1s", "throughput ring:n=5000 --traffic all-to-all"),
    ("3s", "throughput ring:n=5000 --traffic all-to-all"),
    ("100ms", "throughput jellyfish:k=20 --traffic all-to-all"),
    ("1s", "throughput jellyfish:k=20 --planes 4 --variant heterogeneous --traffic all-to-all"),
    ("1s", "throughput jellyfish:k=32 --traffic permutation --level host"),
    ("1s", "throughput polarfly:q=31 --traffic permutation"),
    ("3s", "throughput hypercube:d=11 --traffic all-to-all"),
    ("1s", "throughput random-regular:n=1500,degree=8 --traffic random"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --routing ksp:8"),
    ("3s", "throughput jellyfish:k=20 --planes 4 --variant heterogeneous --traffic all-to-all --routing ksp:32"),
    ("1s", "throughput fat-tree:k=24 --traffic all-to-all --routing ecmp-lp"),
    ("100ms", "throughput jellyfish:k=20 --traffic permutation --routing ksp:32"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --objective min-max-utilisation"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --objective min-max-utilisation --routing ksp:8"),
    ("100ms", "throughput jellyfish:k=16 --traffic all-to-all --objective total"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --objective total"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --objective total --routing ksp:8"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --objective total:floor=0.001"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --objective min-cost"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --objective min-cost:at=0.001"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --objective min-cost --routing ksp:8"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --objective max-min"),
    ("3s", "throughput jellyfish:k=20 --traffic permutation --level host --objective max-min:cap=demand"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --objective max-min --routing ksp:8"),
    ("1s", "throughput jellyfish:k=16 --traffic all-to-all --objective max-min --routing ecmp-split"),
    ("1s", "throughput jellyfish:k=20 --traffic permutation --least-load"),
    ("1s", "throughput fat-tree:k=32 --traffic permutation --level host --objective max-min"),
    ("1s", "throughput fat-tree:k=32 --traffic permutation --level host --routing ksp:8"),
    ("1s", "throughput dragonfly:p=4,a=16,h=8 --traffic random --objective min-cost"),
    ("1s", "throughput random-regular:n=4000,degree=8 --traffic permutation --objective total"),
    ("1s", "throughput random-regular:n=4000,degree=8 --traffic permutation --objective min-cost"),
    ("1s", "throughput random-regular:n=4000,degree=8 --traffic permutation --objective max-min"),
    ("3s", "failures jellyfish:k=20 --traffic all-to-all --fail-links 0.05 --trials 20"),
    ("3s", "failures jellyfish:k=12 --traffic permutation --each link"),
    ("3s", "failures jellyfish:k=20 --traffic all-to-all --routing ksp:8 --each switch"),
)

NO_BOUNDS = (
    # what needs all lists of paths, all loads or very many rates before there is a bound
    ("1s", "throughput ring:n=5000 --traffic all-to-all --objective total"),
    ("1s", "throughput ring:n=5000 --traffic all-to-all --objective max-min"),
    ("1s", "throughput ring:n=5000 --traffic all-to-all --objective min-cost"),
    ("1s", "throughput dragonfly:p=4,a=16,h=8 --traffic all-to-all --objective max-min"),
    ("1s", "throughput ring:n=1000 --traffic all-to-all --routing ksp:4"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --routing edge-disjoint:8"),
    ("1s", "throughput jellyfish:k=24 --traffic all-to-all --objective total --routing ecmp-split"),
    ("1s", "throughput jellyfish:k=32 --traffic all-to-all --routing ecmp-split"),
    ("1s", "throughput jellyfish:k=32 --traffic all-to-all --routing vlb"),
    ("1s", "throughput jellyfish:k=20 --traffic all-to-all --objective max-min-fill --routing ecmp"),
    (
        "1s",
        "throughput jellyfish:k=20 --planes 8 --variant heterogeneous --traffic all-to-all --routing ksp:8"
        " --plane-policy round-robin",
    ),
)


def main() -> None:
    """Print one line for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="every fifth case")
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("the extension is not a release build; run `make setup`")
    chosen = [case for case in CASES + NO_BOUNDS if all(word in " ".join(case) for word in arguments.words)]
    chosen = chosen[:: 5 if arguments.quick else 1]
    print(f"{'limit':>5} {'late s':>7} {'cpu s':>7} {'exit':>4} {'lower':>10} {'upper':>10}  command")
    held = [run(limit, command) for limit, command in chosen]
    print(f"{held.count('bounds')} of {len(chosen)} hold with bounds, {held.count('sentence')} with a sentence alone")


def run(limit: str, command: str) -> Literal["bounds", "sentence", "no"]:
    """Run a command, print its line, and return how the limit holds."""
    words = [*command.split(), "--time-limit", str(LIMITS[limit]), "--threads", "1", "--json"]
    begun, used = time.monotonic(), processor_seconds()
    ended = subprocess.Popen(
        [sys.executable, "-m", "pnet_lp", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        out, said = ended.communicate(timeout=LIMITS[limit] + PATIENCE_S)
    except subprocess.TimeoutExpired:
        ended.kill()
        ended.communicate()
        print(f"{limit:>5} {f'> {PATIENCE_S:g}':>7} {'':34}  {command}", flush=True)
        return "no"
    late, past = time.monotonic() - begun - LIMITS[limit], processor_seconds() - used - LIMITS[limit]
    lower, upper = bounds(json.loads(out)) if out else (None, None)
    shown = [f"{'-' if value is None else format(value, '.4g'):>10}" for value in (lower, upper)]
    print(f"{limit:>5} {late:7.2f} {past:7.2f} {ended.returncode:4} {' '.join(shown)}  {command}", flush=True)
    if ended.returncode not in {0, 3}:
        print(" " * 26 + said.strip().rpartition("\n")[2], flush=True)
    if past > LATE_S:
        return "no"
    if ended.returncode in {0, 3} and lower is not None and 0 < lower <= (upper or math.inf):
        return "bounds"
    return "sentence" if ended.returncode == 1 and (limit, command) in NO_BOUNDS else "no"


def bounds(document: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Return the bounds of a document, those of the lowest level where it has levels."""
    found = document["levels"][0] if document.get("levels") else document
    for lower in ("lower_bound_gbps", "lower_bound_gbps_links", "lower_bound", "rate_gbps"):
        if lower in found:
            upper = "upper_bound_gbps" if lower == "rate_gbps" else lower.replace("lower", "upper")
            return found[lower], found[upper]
    return None, None


if __name__ == "__main__":
    main()
