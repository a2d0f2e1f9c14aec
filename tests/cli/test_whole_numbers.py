"""Whole numbers of any size, in every option of every command that asks a question, are taken or refused."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pnet_lp.cli import main
from pnet_lp.cli.commands import OTHERS, commands

NUMBERS = (-(2**200), -1, 2**64, 2**200, "9" * 5000)


def options() -> Iterator[tuple[str, str]]:
    """Yield the example of each command that asks a question, with each of its options for a whole number."""
    context = click.Context(main)
    for name in commands():
        command = None if name in OTHERS else main.get_command(context, name)
        if command is not None:
            for option in command.params:
                if isinstance(option.type, click.types.IntParamType):
                    yield command.example, option.opts[-1]  # type: ignore[attr-defined]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{len(str(number))} digits, {str(number)[0]}")
def test_a_number_of_any_size_is_taken_or_refused(
    number: int | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tried = list(options())
    assert len(tried) > 40
    for example, option in tried:
        result = CliRunner().invoke(main, [*shlex.split(example)[1:], option, str(number)])
        assert result.exit_code in {0, 2}, (example, option, result.output)
        assert "unexpected" not in result.stderr
