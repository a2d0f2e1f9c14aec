"""Distorted input in bulk, for every reader: ``python -m tests.campaign 2000`` is the full size.

A reader answers each input with what it reads or with one sentence, within a time and within memory.  Names choose
readers: ``python -m tests.campaign 2000 result "experiment *"``.  ``python -m tests.campaign feed`` gives every reader
10 MB of blanks, of comments, of one long line and of a repeated line.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import time
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from pnet_lp.errors import CertificateError, PnetError

from .mutators import distorted
from .readers import Reader, readers

MOST_SECONDS, MOST_BYTES, LONGEST = 10.0, 500 << 20, 2000
"""CPU time and memory of one input, and characters of a sentence.

The time tells what does not end from what does: an input takes up to a second where nothing else runs, and what a
second is differs between machines.
"""

FAULTS = ("hang", "memory", "several lines", "foreign")
FED_BYTES = int(os.environ.get("PNET_LP_FED_BYTES", "10_000_000"))
FED_SECONDS = 10 + FED_BYTES // 250_000
_PEAK = Path("/proc/self/clear_refs"), Path("/proc/self/status")


def _memory(key: str) -> int:
    """Return a figure of this process's memory in bytes, 0 where the system does not say it."""
    if not _PEAK[1].exists():
        return 0
    line = next(line for line in _PEAK[1].read_text().splitlines() if line.startswith(key))
    return int(line.split()[1]) * 1024


def outcome(reader: Reader, data: bytes) -> tuple[str, str]:
    """Return what became of an input, and a word about it."""
    if _PEAK[0].exists():
        _PEAK[0].write_text("5")  # the peak starts again from here
    before, begin = _memory("VmRSS"), time.process_time()
    try:
        reader.read(data)
        found = ("read", "")
    except PnetError as error:
        text = str(error)
        one = text.isprintable() and len(text) <= LONGEST and (error.exit_code == 2 or type(error) is CertificateError)
        found = ("refused" if one else "several lines", text)
    except Exception as error:  # any at all: it is counted and shown
        found = ("foreign", f"{type(error).__name__}: {error}")
    if time.process_time() - begin > MOST_SECONDS:
        found = ("hang", f"{time.process_time() - begin:.1f} s; {found}")
    if _memory("VmHWM") - before > MOST_BYTES:
        found = ("memory", f"{_memory('VmHWM') - before >> 20} MiB; {found}")
    return found


def tried(name: str, reader: Reader, count: int, foreign: list[bytes]) -> tuple[Counter[str], list[str]]:
    """Return how often each outcome came of ``count`` distorted inputs, and the first of what is a fault."""
    rng, seen, shown = random.Random(f"distorted {name}"), Counter[str](), list[str]()
    for number in range(count):
        data = distorted(rng.choice(reader.seeds), rng, foreign)
        kind, words = outcome(reader, data)
        seen[kind] += 1
        if kind in FAULTS and len(shown) < 5:
            shown.append(f"{name}, input {number}: {kind}: {words[:300]!r} of {data[:120]!r}")
    return seen, shown


def foreign_to(found: dict[str, Reader]) -> list[bytes]:
    """Return a valid input for each reader."""
    return [reader.seeds[0] for reader in found.values()]


def large_inputs(reader: Reader) -> dict[str, bytes]:
    """Return what a reader is fed."""
    header, _, rest = reader.seeds[0].partition(b"\n")
    lines = FED_BYTES // (len(header) + 1)
    return {
        "blanks": b" \n\t\n" * (FED_BYTES // 4) + reader.seeds[0],
        "comments": b"# a comment\n" * (FED_BYTES // 12) + reader.seeds[0],
        "XML comments": b"<!-- a -->\n" * (FED_BYTES // 11) + reader.seeds[0],
        "one line": reader.seeds[0].replace(b"\n", b" ") * (FED_BYTES // len(reader.seeds[0])),
        "one word": b"a" * FED_BYTES,
        "header": (header + b"\n") * lines + rest,
    }


def feed(part: int = 0, parts: int = 1, *only: str) -> None:
    """Give every reader, or every one of a part of them, large inputs; one that takes too long ends the process.

    Args:
        part: which part.
        parts: how many there are.
        only: the inputs; default: all.
    """
    for name, reader in list(readers().items())[part::parts]:
        for what, data in large_inputs(reader).items():
            if only and what not in only:
                continue
            print(f"{name}: {what}", end=": ", flush=True)
            used = resource.getrusage(resource.RUSAGE_SELF)
            limit = int(used.ru_utime + used.ru_stime) + FED_SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
            begin = time.process_time()
            try:
                reader.read(data)
                found = "read"
            except PnetError as error:
                found = f"refused: {str(error)[:80]}"
            print(f"{time.process_time() - begin:.1f} s, {found}", flush=True)


def main(count: int, *names: str) -> int:
    """Try ``count`` inputs for each reader, or for those that ``names`` match; return how many were faults."""
    found, total, tried_of = readers(), Counter[str](), 0
    for name, reader in found.items():
        if not names or any(fnmatch(name, pattern) for pattern in names):
            tried_of += 1
            begin = time.perf_counter()
            seen, shown = tried(name, reader, count, foreign_to(found))
            total += seen
            print(f"{name:32} {time.perf_counter() - begin:6.1f} s", dict(seen), *shown, sep="\n    ", flush=True)
    print(f"{tried_of} of {len(found)} readers:", dict(total), flush=True)
    return sum(total[kind] for kind in FAULTS)


if __name__ == "__main__":
    if sys.argv[1] == "feed":
        feed(*map(int, sys.argv[2:4]), *sys.argv[4:])
    else:
        sys.exit(main(int(sys.argv[1]), *sys.argv[2:]) > 0)
