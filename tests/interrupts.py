"""Ctrl-C at random moments of commands that take minutes; run as ``python -m tests.interrupts COUNT [SEED]`` for many.

Every try must end within seconds, with exit code 130 and one line that says so, or, where a solver was at work, with
exit code 3 and the bounds that it had reached; a sweep must leave whole files only, and go on from there.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

END_S, END_TIMES = 20.0, 10.0
"""A process that takes longer than so many seconds, and than so many commands that have hardly anything to do, has lost
the signal; a machine that does nothing else needs a second or two."""

MOMENTS = 4.0
"""The signal comes up to so many times as late as a command that has hardly anything to do takes, imports included."""

# The first thing that the command does is to listen; this says when.
_BEGIN = """
import pathlib, pnet_lp.interrupts as interrupts
install = interrupts.install
interrupts.install = lambda: (install(), pathlib.Path("begun").touch())
from pnet_lp.__main__ import run
run()
"""

_SPEC = """
title: Many short solves
baseline: one
common: {topology: "jellyfish:switches=24,ports=6", level: rack, draws: 500, tolerance: 1.0e-5}
cases:
  one: {}
  two: {planes: 2, variant: heterogeneous}
  total: {objective: total}
"""

_FAILURES = """
title: Trials of failures
question: failures
baseline: one
common: {topology: "jellyfish:switches=24,ports=6", level: rack, fail_links: 0.1, trials: 2000}
cases:
  one: {}
  ksp: {routing: "ksp:8"}
"""

_NETWORK = shlex.split("jellyfish:switches=150,ports=8 --planes 2 --variant heterogeneous --level rack")
_SOLVE = ["throughput", *_NETWORK, "--tolerance", "1e-12", "--json"]


@dataclass(frozen=True)
class Command:
    """What is interrupted.

    Attributes:
        arguments: of ``pnet-lp``.
        bounds: whether there may be some to report.
        sweeps: whether results are stored.
    """

    arguments: list[str]
    bounds: bool = False
    sweeps: bool = False


COMMANDS = {
    "structured": Command([*_SOLVE, "--solver", "structured", "--tolerance", "1e-15"], bounds=True),
    "structured over paths": Command(
        [*_SOLVE, "--routing", "ksp:32", "--solver", "structured", "--tolerance", "1e-15"], bounds=True
    ),
    "utilisation": Command([*_SOLVE, "--objective", "min-max-utilisation", "--solver", "structured"], bounds=True),
    "highs-ipx": Command([*_SOLVE, "--solver", "highs-ipx"], bounds=True),
    "highs-simplex": Command([*_SOLVE, "--solver", "highs-simplex"], bounds=True),
    "scipy": Command([*_SOLVE, "--solver", "scipy"], bounds=True),
    "pulp": Command([*_SOLVE, "--solver", "pulp"], bounds=True),
    "total": Command([*_SOLVE, "--objective", "total", "--solver", "highs-ipx"], bounds=True),
    "max-min": Command([*_SOLVE, "--objective", "max-min", "--routing", "ksp:4"], bounds=True),
    "min-cost": Command([*_SOLVE, "--objective", "min-cost"], bounds=True),
    "bounds": Command(
        [
            "bounds",
            "jellyfish:k=24",
            "--level",
            "rack",
            "--bound",
            "moore",
            "--solve",
            "--tolerance",
            "1e-15",
            "--json",
        ],
        bounds=True,
    ),
    "listing paths": Command(["throughput", "jellyfish:k=24", "--level", "rack", "--routing", "ksp:48"]),
    "counting paths": Command(["paths", "jellyfish:k=24", "--routing", "ksp:64", "--stats"]),
    "disjoint paths": Command(["paths", "star:n=2001", "--routing", "edge-disjoint:4", "--stats"]),
    "splitting": Command(
        ["throughput", "jellyfish:k=16", "--level", "rack", "--routing", "vlb", "--objective", "total"]
    ),
    "hops": Command(["hops", "jellyfish:k=16", "--trials", "100000", "--fail-links", "0.1"]),
    "building": Command(["topology", "jellyfish:switches=30000,ports=16"]),
    "reading": Command(["topology", "large.edges"]),
    "matching": Command(["traffic", "longest-matching", "--on", "jellyfish:k=64", "--level", "rack"]),
    "speed-up": Command(["cost", "speedup", "--traffic", "mpi-fft", "--search", "100000"]),
    "sweep": Command(["sweep", "trial", "--threads", "1"], sweeps=True),
    "sweep of failures": Command(["sweep", "failures"], sweeps=True),
    "sweep by two": Command(["sweep", "trial", "--jobs", "2"], sweeps=True),
    "verify": Command(["verify", "saved.json"]),
}


def prepare(folder: Path) -> None:
    """Write the files that commands read."""
    for name, text in (("trial", _SPEC), ("failures", _FAILURES)):
        (folder / name).mkdir()
        (folder / name / "spec.yaml").write_text(text)
    draw = random.Random(1)
    nodes = 20_000
    edges = [f"{i} {(i + draw.randrange(1, nodes)) % nodes}" for i in range(nodes) for _ in range(20)]
    (folder / "large.edges").write_text("\n".join(edges))


def save(folder: Path) -> None:
    """Save a result that takes seconds to check."""
    solve = ["throughput", "jellyfish:k=12", "--planes", "2", "--level", "rack", "--routing", "ksp:32"]
    arguments = [sys.executable, "-m", "pnet_lp", *solve, "--tolerance", "0.5", "--save", "saved.json"]
    subprocess.run(arguments, cwd=folder, check=True, capture_output=True)


def least_s(folder: Path) -> float:
    """Return the seconds that a small command takes on this machine now."""
    begin = time.monotonic()
    command = [sys.executable, "-m", "pnet_lp", "throughput", "ring:n=4", "--routing", "ksp:2"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return time.monotonic() - begin


def interrupted(command: Command, moment_s: float, folder: Path, end_s: float = END_S) -> tuple[str, float]:
    """Send Ctrl-C to a command as a terminal does, to its whole group; return how it ended, and after how long.

    It has ``end_s`` seconds for that.
    How it ended is ``130``, ``3``, ``0`` where the bounds met just then, or what is wrong with it in words.
    """
    (folder / "begun").unlink(missing_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", _BEGIN, *command.arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        start_new_session=True,
    )
    try:
        while not (folder / "begun").exists() and process.poll() is None:
            time.sleep(0.005)
        time.sleep(moment_s)
        if process.poll() is not None:
            return f"ended too soon: {process.communicate()[1].strip()}", 0.0
        os.killpg(process.pid, signal.SIGINT)
        begin = time.monotonic()
        try:
            output, errors = process.communicate(timeout=end_s)
        except subprocess.TimeoutExpired:
            return "lost", end_s
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return _judged(command, process.returncode, output, errors, folder), time.monotonic() - begin


def _judged(command: Command, code: int, output: str, errors: str, folder: Path) -> str:
    told = f"exit code {code}, {len(output)} characters of output, and said {errors!r}"
    if command.sweeps and list((folder / "results").rglob(".*")):
        return "half-written files"
    if code == 130:
        one_line = errors.startswith("Error: interrupted") and errors.count("\n") == 1
        return "130" if one_line and not output else told
    if code not in {0, 3} or not command.bounds or errors:
        return told
    document = json.loads(output)
    found = document.get("throughput") or document
    status = {0: "certified", 3: "bounds"}[code]
    return str(code) if found["interrupted"] and found["status"] == status else told


def main(count: int, seed: int) -> None:
    """Interrupt all commands in turn, ``count`` times in all, and print how they ended."""
    # A shell has what it runs in the background ignore Ctrl-C, and so would all that is started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        save(folder)
        ends: Counter[str] = Counter()
        least = slowest = 0.0
        for i in range(count):
            chosen = list(COMMANDS)[i % len(COMMANDS)]
            if i % len(COMMANDS) == 0:
                least = least_s(folder)
            moment = draw.uniform(0.0, MOMENTS) * least
            ended, seconds = interrupted(COMMANDS[chosen], moment, folder, max(END_S, END_TIMES * least))
            ends[ended] += 1
            slowest = max(slowest, seconds)
            print(f"{i + 1:4}  {chosen:22} at {moment:4.1f} s, {seconds:4.1f} s later: {ended}", flush=True)
        print(f"slowest {slowest:.1f} s; ", ", ".join(f"{number} x {ended}" for ended, number in ends.items()))
        sys.exit(0 if set(ends) <= {"130", "3", "0"} else 1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
