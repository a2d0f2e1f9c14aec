"""Tamper with saved results in bulk, and hold what `verify` accepts against linear programs.

``python -m tests.tampering.campaign 10000`` tries that many and says what came of them; ``test_tampering.py`` tries
fewer.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pnet_lp.errors import PnetError
from pnet_lp.throughput.verify import verify_file

from .answers import Document, saved_results
from .judge import lies
from .mutations import mutated


@dataclass(frozen=True)
class Outcome:
    """What came of a tampering.

    Attributes:
        number: which one it was.
        text: of the file.
        error: of ``verify``, None where it accepted the file.
        lies: what is false in an accepted file.
        undecided: why nothing can be said of an accepted file, empty where something can.
    """

    number: int
    text: str
    error: PnetError | None
    lies: tuple[str, ...] = ()
    undecided: str = ""


def tampered(documents: list[Document], numbers: range, folder: Path) -> Iterator[Outcome]:
    """Yield what comes of each tampering; its number decides what it is."""
    path = folder / "tampered.json"
    for number in numbers:
        draw = random.Random(number)
        text = mutated(documents[number % len(documents)], documents, draw)
        path.write_text(text)
        try:
            verify_file(path)
        except PnetError as error:
            yield Outcome(number, text, error)
            continue
        try:
            yield Outcome(number, text, None, tuple(lies(json.loads(text), path)))
        except (AssertionError, ArithmeticError, ValueError) as error:
            yield Outcome(number, text, None, undecided=str(error))


def main(count: int, first: int = 0) -> int:
    """Try so many and print what came of them; return how many false or undecided ones were accepted."""
    start, seen = time.perf_counter(), Counter[str]()
    with TemporaryDirectory() as name:
        folder = Path(name)
        documents = list(saved_results(folder))
        for outcome in tampered(documents, range(first, first + count), folder):
            seen["refused" if outcome.error else "accepted"] += 1
            for what, found in (("false", "; ".join(outcome.lies)), ("undecided", outcome.undecided)):
                if found:
                    seen[what] += 1
                    document = documents[outcome.number % len(documents)]
                    print(what, outcome.number, document["objective"], document["routing"], found[:300], flush=True)
    print(f"{count} tamperings with {len(documents)} results in {time.perf_counter() - start:.0f} s: {dict(seen)}")
    return seen["false"] + seen["undecided"]


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
