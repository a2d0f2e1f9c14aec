"""What a shell offers for an unfinished word: registered names, then their parameters, then values of these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

KINDS_OF: Mapping[str, tuple[str, ...]] = {
    "executor": ("executors",),
    "experiment": ("experiments",),
    "flow_size": ("sizes",),
    "forwarding": ("forwardings",),
    "objective": ("objectives",),
    "powers": ("powers",),
    "preset": ("presets",),
    "prices": ("prices",),
    "question": ("questions",),
    "queue": ("queues",),
    "routing": ("routings",),
    "solver": ("solvers",),
    "text": ("architectures", "topologies"),
    "texts": ("architectures", "topologies"),
    "topologies": ("topologies",),
    "traffic": ("traffic",),
    "transport": ("transports",),
    "words": ("experiments", "topologies"),
    "workload": ("workloads",),
}
"""What ``pnet-lp list`` calls the values of a parameter, by its name, in every command."""

_FILES = {"experiments", "topologies", "traffic", "workloads", "sizes", "prices", "powers"}
"""Kinds in whose place a file may stand."""


def complete_by_name(param: click.Parameter) -> None:
    """Let a parameter that takes names complete them."""
    if param.name == "name":
        param.shell_complete = _of_kind  # type: ignore[method-assign]
    elif param.name in KINDS_OF:
        param.shell_complete = partial(_complete, KINDS_OF[param.name])  # type: ignore[method-assign]


def _complete(kinds: Sequence[str], ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """Return the words of some kinds; where there are none, files for what may be one."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - for shells only

    # Some commands have others beside them, whose names stand in place of the first argument.
    beside: Mapping[str, str] = getattr(ctx.command, "others", {})
    found = {word: line for word, line in beside.items() if word.startswith(incomplete)}
    for kind in kinds:
        found.update(words(kind, incomplete))
    if not found and ":" not in incomplete and _FILES.intersection(kinds):
        return [CompletionItem(incomplete, "file")]
    return [CompletionItem(word, help=line) for word, line in found.items()]


def _of_kind(ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """Return the names that go with the KIND before."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - for shells only

    from pnet_lp.report.registries import KINDS  # noqa: PLC0415 - only what is asked for

    documents = KINDS.get(str(ctx.params.get("kind")), list)()
    return [
        CompletionItem(document["name"], help=document["summary"])
        for document in documents
        if document["name"].startswith(incomplete)
    ]


def words(kind: str, incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield what goes on where ``incomplete`` stops, with a line about each.

    ``fat-t`` goes on as ``fat-tree:``, ``fat-tree:k=8,ho`` as ``fat-tree:k=8,hosts=``.

    Args:
        kind: one of those that ``pnet-lp list`` knows.
        incomplete: the beginning of a name or of an expression.
    """
    from pnet_lp.errors import SpecError  # noqa: PLC0415 - only what is asked for
    from pnet_lp.experiment.finished import aliases  # noqa: PLC0415
    from pnet_lp.report.registries import KINDS, experiment_specs  # noqa: PLC0415

    if kind == "experiments":
        # Their titles stand in files that take a while to read; so do aliases, but in few of them.
        specs = experiment_specs()
        found = list(specs)
        with suppress(SpecError):
            for place in {path.parents[1] for path in specs.values()}:
                found += aliases(place, incomplete)
        yield from ((name, "") for name in found if name.startswith(incomplete))
        return
    name, colon, given = incomplete.partition(":")
    for document in KINDS[kind]():
        own, parameters = document["name"].partition(":")[0], document.get("parameters", ())
        if colon and own == name:
            yield from _parameters(parameters, f"{name}:", given)
        elif not colon and own.startswith(name):
            if not any(one["required"] for one in parameters):
                yield own, document["summary"]
            if parameters:
                yield f"{own}:", document["summary"]


def _parameters(known: Sequence[Mapping[str, Any]], head: str, given: str) -> Iterator[tuple[str, str]]:
    *before, last = given.split(",")
    head += "".join(f"{item}," for item in before)
    key, equals, value = last.partition("=")
    taken = {item.partition("=")[0] for item in before}
    for one in known:
        name, line = one["name"], one["description"]
        if equals and name == key:
            choices = "false|true" if one["type"] == "bool" else one["type"]
            for choice in choices.split("|") if "|" in choices else ():
                if choice.startswith(value):
                    yield f"{head}{key}={choice}", line
        elif not equals and name.startswith(key) and name not in taken:
            yield f"{head}{name}=", line
