"""A line that says how far a solve is, in terminals and notebooks."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from pnet_lp.errors import printable
from pnet_lp.questions.base import ProgressReport

_WIDTH = 100


class ProgressText:
    """Writes how far an answer is, lines over each other, and leaves nothing at the end of the block."""

    def __init__(self) -> None:
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __call__(self, progress: ProgressReport) -> None:
        """Show ``progress``."""
        print(f"\r{printable(str(progress)):<{_WIDTH}.{_WIDTH}}", end="", file=sys.stderr, flush=True)
        self._shown = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            print(f"\r{'':<{_WIDTH}}\r", end="", file=sys.stderr, flush=True)
