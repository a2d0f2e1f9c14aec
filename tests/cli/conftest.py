import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pnet_lp.cli import ask, main

REPOSITORY = Path(__file__).parents[2]


_command_of = functools.cache(ask.command_of)


@pytest.fixture(autouse=True)
def _built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build a command once for all these tests: it takes a fifth of what a small network does."""
    monkeypatch.setattr(ask, "command_of", _command_of)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty working directory with the repository's experiments in it."""
    (tmp_path / "experiments").symlink_to(REPOSITORY / "experiments")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(here: Path) -> Callable[..., Result]:  # noqa: ARG001 - commands run in an empty directory
    """Return a function that runs a command line and checks its exit code."""

    def invoke(*arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(main, list(arguments), prog_name="pnet-lp")
        assert result.exit_code == code, result.output
        return result

    return invoke


@pytest.fixture
def run_json(run: Callable[..., Result]) -> Callable[..., Any]:
    """Return a function that runs a command line with ``--json`` and returns the one document on stdout."""

    def invoke(*arguments: str, code: int = 0) -> Any:
        result = run(*arguments, "--json", code=code)
        # What was assumed of a file is said there, and nothing else.
        assert all(line.startswith("Warning: ") for line in result.stderr.splitlines()), result.stderr
        return json.loads(result.stdout, parse_constant=pytest.fail)

    return invoke
