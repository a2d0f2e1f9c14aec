"""The line with the current bounds."""

import io
from functools import partial

import pytest
from rich.console import Console

from pnet_lp.cli.progress import progress_line
from pnet_lp.throughput import Progress


def shown(monkeypatch: pytest.MonkeyPatch, *, terminal: bool, seconds: float) -> str:
    buffer = io.StringIO()
    fake = partial(Console, file=buffer, force_terminal=terminal, width=100)
    monkeypatch.setattr("rich.console.Console", lambda **_: fake())
    monkeypatch.setattr(buffer, "isatty", lambda: terminal)
    monkeypatch.setattr("sys.stderr", buffer)
    with progress_line("four [planes]") as on_progress:
        on_progress(Progress("structured", 1200, 0.25, 0.5, seconds))
        on_progress(Progress("structured", 1300, 0.3, 0.4, seconds + 1))
    return buffer.getvalue()


def test_bounds_are_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, terminal=True, seconds=2)
    # Rich may wait with the one, or never show the other.
    first = "four [planes]: 0.25 <= K <= 0.5 Gb/s, structured, 1,200 iterations, 2 s"
    assert first in text or "four [planes]: 0.3 <= K <= 0.4 Gb/s, structured, 1,300 iterations, 3 s" in text


def test_nothing_is_shown_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, terminal=False, seconds=2) == ""


def test_nothing_is_shown_for_what_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, terminal=True, seconds=-0.5) == ""
