"""What a shell offers for an unfinished word: registered names, then their parameters, then values of these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

AXIS = "axis_"
"""Begins the names of parameters that hold several values of a key of a case."""

KINDS_OF: Mapping[str, tuple[str, ...]] = {
    "architecture": ("architectures", "topologies"),
    "arrivals": ("workloads",),
    "bound": ("bounds",),
    "bounds": ("bounds",),
    "collective": ("collectives",),
    "executor": ("executors",),
    "experiment": ("experiments",),
    "flow_size": ("sizes",),
    "flow_sizes": ("sizes",),
    "forwarding": ("forwardings",),
    "host_queue": ("queues",),
    "objective": ("objectives",),
    "powers": ("powers",),
    "preset": ("presets",),
    "prices": ("prices",),
    "question": ("questions",),
    "queue": ("queues",),
    "routing": ("routings",),
    "size": ("sizes",),
    "solver": ("solvers",),
    "topologies": ("topologies",),
    "topology": ("topologies",),
    "traffic": ("traffic",),
    "traffics": ("traffic",),
    "transport": ("transports",),
    "workload": ("workloads",),
}
"""What ``pnet-lp list`` calls the values of a parameter or of a key of a case, by its name, in every command."""

_FILES = {"experiments", "topologies", "traffic", "workloads", "sizes", "prices", "powers"}
"""Kinds in whose place a file may stand."""


def complete_by_name(param: click.Parameter) -> None:
    """Let a parameter that takes names complete them."""
    # One of several values is completed as one of them.
    name = str(param.name).removeprefix(AXIS)
    if name in OWN:
        param.shell_complete = OWN[name]  # type: ignore[assignment]
    elif name in KINDS_OF:
        param.shell_complete = partial(_complete, KINDS_OF[name])  # type: ignore[method-assign]
    elif param.metavar == "FILE":
        param.shell_complete = _files  # type: ignore[assignment]


def _files(_: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    return [CompletionItem(incomplete, "file")]


def _complete(kinds: Sequence[str], ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """Return the words of some kinds; where there are none, files for what may be one."""
    # Some commands have others beside them, whose names stand in place of the first argument.
    beside: Mapping[str, str] = getattr(ctx.command, "others", {})
    found = {word: line for word, line in beside.items() if word.startswith(incomplete)}
    for kind in kinds:
        found.update(words(kind, incomplete))
    if not found and ":" not in incomplete and _FILES.intersection(kinds):
        return [CompletionItem(incomplete, "file")]
    return _items(found.items())


def _items(found: Iterable[tuple[str, str]]) -> list[CompletionItem[str]]:
    return [CompletionItem(word, help=line) for word, line in found]


def _of_kind(ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """Return the names that go with the KIND before."""
    from pnet_lp.report.registries import KINDS  # noqa: PLC0415 - only what is asked for

    documents = KINDS.get(str(ctx.params.get("kind")), list)()
    return _items((one["name"], one["summary"]) for one in documents if one["name"].startswith(incomplete))


def _families(_: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """Return the families that come in sizes, after those that are there already."""
    from pnet_lp.topology.family import topologies  # noqa: PLC0415 - only what is asked for
    from pnet_lp.topology.sizing import sizings  # noqa: PLC0415 - only what is asked for

    *before, last = incomplete.split(",")
    head = "".join(f"{name}," for name in before)
    return _items(
        (head + name, topologies.get(name).summary)
        for name in sizings.names()
        if name.startswith(last) and name not in before
    )


def _axis(ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """Return keys of cases; after one, its values."""
    from pnet_lp.experiment.axes import PARAMETER  # noqa: PLC0415 - only what is asked for

    name, equals, given = incomplete.partition("=")
    known = dict(_keys(ctx, name))
    if not equals:
        return _items((f"{key}=", one["description"]) for key, one in known.items())
    if name not in known:
        return []
    *before, last = given.split(",")
    head = "".join(f"{value}," for value in before)
    values = _values(known[name], last)
    found = [(f"{name}={head}{word}", line) for word, line in values if word not in before]
    # What is last may be a parameter of the value before it.
    start = max((i for i, value in enumerate(before) if not PARAMETER.match(value)), default=0)
    expression = ",".join([*before[start:], last])
    if before and ":" in expression:
        head = "".join(f"{value}," for value in before[:start])
        found += [(f"{name}={head}{word}", line) for word, line in _values(known[name], expression)]
    return _items(found)


def _varied(ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """Return the keys that vary."""
    keys = (text.partition("=")[0] for text in ctx.params.get("vary") or ())
    return _items((key, "") for key in keys if key.startswith(incomplete))


def _words_of_sweep(ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """Return experiments and topologies; after an option of another command, its values."""
    given: Sequence[str] = ctx.params.get("words") or ("",)
    last = given[-1]
    key = last.removeprefix("--")
    one = dict(_keys(ctx, key)).get(key) if key != last else None
    if one and one["type"] != "bool":
        return _items(_values(one, incomplete))
    return _complete(("experiments", "topologies"), ctx, incomplete)


OWN: Mapping[str, Callable[[click.Context, str], list[CompletionItem[str]]]] = {
    "baseline": _axis,
    "facet": _varied,
    "families": _families,
    "name": _of_kind,
    "settings": _axis,
    "vary": _axis,
    "words": _words_of_sweep,
}
"""What completes parameters whose values are not of one kind."""


def other_options(ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """Return options of other commands that a command takes as keys of cases."""
    if not ctx.ignore_unknown_options or not incomplete.startswith("--"):
        return []
    own = {name for param in ctx.command.params for name in param.opts}
    keys = _keys(ctx, incomplete.removeprefix("--"))
    return _items((f"--{key}", one["description"]) for key, one in keys if f"--{key}" not in own)


def _keys(ctx: click.Context, begins: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield keys of cases as options are called, each with what is known of it."""
    from pnet_lp.experiment.axes import GUESSED  # noqa: PLC0415 - only what is asked for
    from pnet_lp.report.registries import KINDS  # noqa: PLC0415 - only what is asked for

    question = ctx.params.get("question") or _question(ctx)
    found: dict[str, Mapping[str, Any]] = {}
    for document in KINDS["questions"]():
        if document["name"] in ([question] if question else GUESSED):
            for one in document["parameters"]:
                found.setdefault(one["name"].removesuffix("_s").replace("_", "-"), one)
    yield from ((key, one) for key, one in found.items() if key.startswith(begins))


def _question(ctx: click.Context) -> str | None:
    """Return the question of the experiment that is given, or None where there is none that can be read."""
    from pnet_lp.errors import PnetError  # noqa: PLC0415 - only what is asked for
    from pnet_lp.experiment import load_experiment  # noqa: PLC0415 - only what is asked for
    from pnet_lp.experiment.finished import find_experiment  # noqa: PLC0415 - only what is asked for

    # Arguments before an option without a value are not parsed yet.
    given = [ctx.params.get("experiment"), *(ctx.params.get("words") or ()), *ctx.args]
    try:
        return next((load_experiment(find_experiment(str(name))).question for name in given if name), None)
    except PnetError:
        return None


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
            yield from ((f"{head}{key}={choice}", line) for choice in _choices(one, value))
        elif not equals and name.startswith(key) and name not in taken:
            yield f"{head}{name}=", line


def _values(one: Mapping[str, Any], incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the values of a key of a case."""
    for kind in KINDS_OF.get(one["name"], ()):
        yield from words(kind, incomplete)
    yield from ((choice, "") for choice in _choices(one, incomplete))


def _choices(one: Mapping[str, Any], incomplete: str) -> Iterator[str]:
    choices = "false|true" if one["type"] == "bool" else one["type"]
    if "|" in choices:
        yield from (choice for choice in choices.split("|") if choice.startswith(incomplete))
