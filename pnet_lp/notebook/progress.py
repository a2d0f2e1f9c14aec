"""A line that says how far a solve is, in terminals and notebooks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pnet_lp.errors import printable
from pnet_lp.questions.base import ProgressReport

_WIDTH = 100


@contextmanager
def progress_text() -> Iterator[Callable[[ProgressReport], None]]:
    """Yield what writes how far an answer is, lines over each other, and leave nothing at the end of the block."""
    shown = False

    def show(progress: ProgressReport) -> None:
        nonlocal shown
        print(f"\r{printable(str(progress)):<{_WIDTH}.{_WIDTH}}", end="", file=sys.stderr, flush=True)
        shown = True

    try:
        yield show
    finally:
        if shown:
            print(f"\r{'':<{_WIDTH}}\r", end="", file=sys.stderr, flush=True)
