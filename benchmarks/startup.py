"""How long the smallest commands take, next to ``python -c "import numpy"``: processor time, the least of several."""

from __future__ import annotations

import os
import subprocess
import sys

RUNS = 7
COMMANDS = ("--help", "throughput ring:n=4 --level rack", "topology ring:n=4", "hops ring:n=4", "cost hybrid")


def seconds(*arguments: str) -> float:
    """Return user and system time of a Python process and its children."""
    before = os.times()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    lines = {"import numpy": ("-c", "import numpy")} | {
        f"pnet-lp {text}": ("-m", "pnet_lp", *text.split()) for text in COMMANDS
    }
    found: dict[str, list[float]] = {name: [] for name in lines}
    # In turn, so that what else runs on the machine slows all of them.
    for _ in range(RUNS):
        for name, arguments in lines.items():
            found[name].append(seconds(*arguments))
    base = min(found["import numpy"])
    for name, times in found.items():
        print(f"{name:45} {min(times):6.2f} s  {min(times) / base:5.1f}x")


if __name__ == "__main__":
    main()
