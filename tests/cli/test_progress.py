"""The line with the current bounds."""

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from pnet_lp.cli import progress
from pnet_lp.cli.progress import progress_line, progress_option
from pnet_lp.progress import Count, counted
from pnet_lp.throughput import Progress


def shown(monkeypatch: pytest.MonkeyPatch, *, terminal: bool, seconds: float) -> str:
    monkeypatch.setenv("TERM", "xterm")
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


def test_counts_have_a_rate_and_the_time_left() -> None:
    assert str(Count(0, 1200, "draws done", 3)) == "0 of 1,200 draws done"
    assert str(Count(300, 1200, "draws done", 60)) == "300 of 1,200 draws done, 5/s, 60 s, about 180 s left"
    assert str(Count(1200, 1200, "draws done", 240)) == "1,200 of 1,200 draws done, 5/s, 240 s"
    seen: list[Count] = []
    assert list(counted("ab", 2, "letters read", seen.append)) == ["a", "b"]
    assert [(one.done, one.total) for one in seen] == [(1, 2), (2, 2)]


def lines_of(monkeypatch: pytest.MonkeyPatch, mode: str, every_s: float) -> tuple[int, str]:
    """Exit code and stderr, which is no terminal, of a command that reports five counts."""
    monkeypatch.setattr(progress, "_LINES_EVERY_S", every_s)

    @click.command()
    @progress_option
    def command() -> None:
        with progress_line("planes") as line:
            for done in range(5):
                line(Count(done, 4, "draws done", done / 2))

    done = CliRunner().invoke(command, ["--progress", mode])
    return done.exit_code, done.stderr


def test_a_log_gets_few_lines_and_the_last_state(monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = "planes: 2 of 4 draws done, 2/s, 1 s, about 1 s left", "planes: 4 of 4 draws done, 2/s, 2 s"
    assert lines_of(monkeypatch, "lines", 1e9) == (0, f"{first}\n{last}\n")
    code, stderr = lines_of(monkeypatch, "lines", 0)
    assert (code, stderr.splitlines()[0], len(stderr.splitlines())) == (0, first, 3)


@pytest.mark.parametrize("mode", ["auto", "off"])
def test_nothing_is_written_where_it_is_off(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    assert lines_of(monkeypatch, mode, 0) == (0, "")


def test_no_line_is_redrawn_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    code, stderr = lines_of(monkeypatch, "bar", 0)
    assert code == 2
    assert "found bar, and stderr is not a terminal; allowed: auto, lines, off" in stderr


@pytest.mark.parametrize(
    ("command", "last"),
    [
        ("sweep ring:n=4 --vary planes=1,2 --traffic permutation --level rack --results {}", "2 of 2 draws done, "),
        ("failures ring:n=5 --level rack --traffic all-to-all --trials 3 --fail-links 20%", " draws solved, "),
        ("failures ring:n=5 --level rack --traffic all-to-all --each link", " failures solved, "),
        (
            "find --hosts 16 --min-gbps-per-host 1 --families leaf-spine --radix 16 --speeds 100",
            " candidates examined, ",
        ),
        ("hops fat-tree:k=4 --sweep 0,0.1", "2 of 2 cases done, "),
    ],
)
def test_commands_report_to_a_log(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., Result], tmp_path: Path, command: str, last: str
) -> None:
    monkeypatch.setattr(progress, "_SILENT_S", 0.0)
    done = run(*command.format(tmp_path).split(), "--progress", "lines")
    assert last in done.stderr
    assert last not in done.stdout
    assert run(*command.format(tmp_path).split()).stderr.count(last) == 0
