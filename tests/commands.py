"""Commands on faulty files: what is read is also built, drawn, solved, simulated or priced; no error is unexpected.

``python -m tests.commands 600`` draws files for so many seconds; ``test_input.py`` draws a few.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from pnet_lp.cli import main as program
from pnet_lp.topology.io import NETWORK_FORMATS
from pnet_lp.traffic.io import MATRIX_FORMATS
from pnet_lp.workload.io import WORKLOAD_FORMATS

from .mutators import distorted
from .readers import Reader, readers
from .structures import structure

MOST_SECONDS = 20.0
_HOSTS = "--hosts-per-switch 1"
_TREE = "parallel:hosts=128,radix=16,planes=2"
COMMANDS: dict[str, tuple[str, ...]] = {
    "network": (
        "topology {}",
        "throughput {} --level rack --time-limit 2 --links out.csv",
        "bounds {}",
        "hops {}",
        "draw {} -o out.svg",
        "paths {} --routing ksp:2 --stats",
    ),
    "matrix": ("traffic {} --on ring:n=3", "throughput ring:n=3 --traffic {}", "throughput ring:n=16 --traffic {}"),
    "workload": (
        f"workload {{}} --on ring:n=4 {_HOSTS}",
        f"simulate ring:n=4 {_HOSTS} --workload {{}} --model fluid --time-limit 1s",
    ),
    "result": ("verify {}", "draw ring:n=4 --planes 2 --hosts-per-switch 1 --load {} -o out.svg"),
    "sizes": (f"workload poisson:load=0.5,sizes={{}},flows=50 --on ring:n=4 {_HOSTS}",),
    "price": (f"cost {_TREE} --prices {{}}",),
    "power": (f"cost {_TREE} --power {{}}",),
    "failure": ("failures ring:n=4 --each group --groups {}",),
    "link": ("throughput ring:n=4 --objective min-cost:costs={}",),
    "traffic": ("throughput ring:n=4 --traffic {}",),
}
"""What is run on a file, by the first word of its reader's name."""

SUFFIXES = {
    "network spec": ".yaml",
    "result": ".json",
    "sizes file": ".csv",
    "price book": ".yaml",
    "power book": ".yaml",
    "failure groups": ".yaml",
    "link costs": ".csv",
    "traffic spec": ".yaml",
    **{f"network {one.name}": "".join(one.suffixes[:1]) for one in NETWORK_FORMATS.formats if one.read},
    **{f"matrix {one.name}": "".join(one.suffixes[:1]) for one in MATRIX_FORMATS.formats if one.read},
    **{f"workload {one.name}": "".join(one.suffixes[:1]) for one in WORKLOAD_FORMATS.formats if one.read},
}
"""Readers whose files commands take, and the suffix of these."""


def ran(found: Mapping[str, Reader], rng: random.Random, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Run the commands for one faulty file; yield what each was, what is wrong with it (or nothing), and its errors."""
    while True:
        name = rng.choice(sorted(SUFFIXES))
        seeds = found[name].seeds
        data = structure(rng.choice(seeds), rng)
        if rng.random() < 0.3:
            data = distorted(data, rng, [seeds[0]])
        path = folder / f"f{SUFFIXES[name]}"
        path.write_bytes(data)
        for command in COMMANDS[name.partition(" ")[0]]:
            words = [str(folder / word) if word.startswith("out.") else word.format(path) for word in command.split()]
            begin = time.process_time()
            result = CliRunner().invoke(program, words, prog_name="pnet-lp")
            wrong = ""
            if result.exit_code == 1 and "Error: unexpected" in result.stderr:
                wrong = "unexpected"
            elif result.exit_code not in (0, 1, 2, 3):
                wrong = f"exit code {result.exit_code}"
            elif any(not c.isprintable() and c != "\n" for c in result.output):
                wrong = "unprintable"
            elif time.process_time() - begin > MOST_SECONDS:
                wrong = "hang"
            yield f"{name}: {command} ({result.exit_code})", wrong, result.stderr


def main(seconds: float, seed: int = 0) -> int:
    """Draw files for so many seconds and print what came of them; return how many commands went wrong."""
    until, seen, wrongs = time.monotonic() + seconds, Counter[str](), Counter[str]()
    with TemporaryDirectory() as name:
        for what, wrong, errors in ran(readers(), random.Random(seed), Path(name)):
            seen[what.partition(" ")[0] + what[-4:]] += 1
            if wrong:
                wrongs[f"{wrong}: {what}"] += 1
                if wrongs[f"{wrong}: {what}"] == 1:
                    print(wrong, what, errors[-300:], flush=True)
            if time.monotonic() > until:
                break
    print(f"{seen.total()} commands:", dict(sorted(seen.items())), dict(wrongs))
    return wrongs.total()


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), *map(int, sys.argv[2:])) > 0)
