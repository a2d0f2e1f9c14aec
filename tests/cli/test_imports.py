"""What a command may import: nothing heavy that it does not use."""

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
import sys
from pnet_lp.cli import main

main(sys.argv[1:], standalone_mode=False)
print(*(name for name in {HEAVY} if name in sys.modules), file=sys.stderr)
"""

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


@pytest.mark.parametrize(("line", "allowed"), ALLOWED.items(), ids=ALLOWED)
def test_a_command_imports_what_it_uses(line: str, allowed: str) -> None:
    arguments = [sys.executable, "-c", PROGRAM, *line.split()]
    result = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert set(result.stderr.split()) <= set(allowed.split())
