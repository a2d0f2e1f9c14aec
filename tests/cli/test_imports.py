"""What a command may import: nothing heavy that it does not use."""

import json
import os
import subprocess
import sys

import pytest

HEAVY = (
    "highspy",
    "matplotlib",
    "networkx",
    "numpy.ma",
    "ortools",
    "pulp",
    "pyarrow",
    "pydantic",
    "rich",
    "scipy",
    "yaml",
)

PROGRAM = f"""
import json, os, sys
import numpy
from pnet_lp.cli import main

out = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
for line in sys.stdin.read().splitlines():
    if os.fork() == 0:
        main(line.split(), standalone_mode=False)
        found = [name for name in {HEAVY} if name in sys.modules]
        os.write(out, json.dumps([line, found]).encode() + b"\\n")
        os._exit(0)
    os.wait()
"""
"""Each command in a copy of a process that has done no more than start, so that the start is paid for once."""

EXPRESSIONS = "pydantic"  # models of parameters
TEXT = "rich"
SETS = "numpy.ma"  # np.unique
SCIPY = f"scipy {SETS}"

ALLOWED = {
    "--help": EXPRESSIONS,
    "throughput --help": EXPRESSIONS,
    # HiGHS solves so small a network.
    "throughput ring:n=4 --level rack": f"{EXPRESSIONS} {TEXT} highspy",
    "throughput jellyfish:k=4 --json": f"{EXPRESSIONS} {SETS}",
    "throughput jellyfish:k=4 --routing ecmp --json": f"{EXPRESSIONS} {SETS}",
    # Cuts.
    "bounds ring:n=4 --json": f"{EXPRESSIONS} {SCIPY}",
    "topology ring:n=4 --json": f"{EXPRESSIONS} {SCIPY}",
    "topology ring:n=4": f"{EXPRESSIONS} {TEXT} {SCIPY}",
    "draw --help": EXPRESSIONS,
    "traffic stride:s=1 --on ring:n=4 --json": EXPRESSIONS,
    "paths ring:n=4 --pair 0 1 --json": EXPRESSIONS,
    "hops jellyfish:k=4 --json": f"{EXPRESSIONS} {SETS}",
    "simulate --help": EXPRESSIONS,
    "simulate fat-tree:k=4 --traffic stride:s=1 --flow-size 1kB --json": f"{EXPRESSIONS} {SETS}",
    # Books of prices.
    "cost hybrid --json": f"{EXPRESSIONS} yaml",
    "cost equal --json": f"{EXPRESSIONS} yaml",
    "cost curve --beta 1 --json": f"{EXPRESSIONS} yaml",
    # The catalogue.
    "list topologies --json": f"{EXPRESSIONS} yaml",
}


@pytest.fixture(scope="module")
def imported() -> dict[str, list[str]]:
    """What each command has imported of what is heavy."""
    arguments = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(arguments, input="\n".join(ALLOWED), capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied")
@pytest.mark.parametrize(("line", "allowed"), ALLOWED.items(), ids=ALLOWED)
def test_a_command_imports_what_it_uses(line: str, allowed: str, imported: dict[str, list[str]]) -> None:
    assert set(imported[line]) <= set(allowed.split())
