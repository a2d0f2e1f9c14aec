"""docs/cli.md has every option of every command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pnet_lp.cli import main

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
SECTIONS = dict(
    re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.sub(r"^```.*?^```$", "", PAGE, flags=re.M | re.S), re.M | re.S)
)


def _commands(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        yield name, found
        if isinstance(found, click.Group):
            yield from ((name, each) for _, each in _commands(found, context))


def _options(command: click.Command) -> set[str]:
    return {
        name
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden
        for name in option.opts
        if name.startswith("--")
    }


COMMANDS = list(_commands(main, click.Context(main)))


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_every_option_is_in_the_reference(name: str, command: click.Command) -> None:
    """In the command's own section, in one on what commands share, or in that of another that has the same option."""
    shared = [text for title, text in SECTIONS.items() if title not in dict(COMMANDS)]
    assert name in SECTIONS
    assert shared
    for option in _options(command):
        others = [SECTIONS[other] for other, each in COMMANDS if option in _options(each)]
        said = [text for text in (SECTIONS[name], *shared, *others) if re.search(rf"{option}(?![\w-])", text)]
        assert said, f"docs/cli.md does not describe {name} {option}"
