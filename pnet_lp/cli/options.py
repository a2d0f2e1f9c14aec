"""Options that several commands share, each declared once: what network, what traffic, how to solve, where to write."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import click
from pydantic import Field

from pnet_lp.charts import CHART_FORMATS
from pnet_lp.charts.style import FigureStyle, Style, read_labels
from pnet_lp.cli.command import OUTPUT, Number, Option, Whole, given, json_option
from pnet_lp.cli.output import Output, OutputFile
from pnet_lp.errors import PnetError, naming, printable
from pnet_lp.executors.base import DEFAULT_EXECUTOR, EXECUTORS, Executor, parse_executor
from pnet_lp.flags import RUNNING, Flag, flag_of, heading_of
from pnet_lp.model import Network
from pnet_lp.questions.keys import NetworkKeys
from pnet_lp.registry import OneOrMore, Params, validate
from pnet_lp.tables import TABLE_FORMATS
from pnet_lp.threads import MOST_THREADS
from pnet_lp.units import misread, quantity_of

Decorator = Callable[[Callable[..., None]], Callable[..., None]]

option = functools.partial(click.option, cls=Option)

_RANGE = re.compile(r"([0-9]{1,6})\.\.([0-9]{1,6})")


def say(warnings: Iterable[str]) -> None:
    """Print what was assumed of an input to stderr."""
    for warning in warnings:
        click.echo(f"Warning: {printable(warning)}", err=True)


class OnNetwork(NetworkKeys):
    """The network that the argument of a command is for."""

    topology: Annotated[tuple[str, ...], OneOrMore, Flag("--on", metavar="TOPOLOGY", several="repeated")] = Field(
        min_length=1, description="the network; repeat it for several planes"
    )


def build(keys: NetworkKeys) -> Network:
    """Return a network, with what fails in it down, and say on stderr what was assumed of it."""
    network = keys.network(keys.seed)
    say(network.warnings)
    return network


def _split(kind: type[int] | type[float] | type[str], limits: Mapping[str, float]) -> Callable[..., Any]:
    """Return the callback of an option whose value is joined by commas; the command gets a tuple.

    Numbers can be a range, too: ``1..8``; a share, which is 1 ``le``, cannot.
    """
    share = limits.get("le") == 1
    example = "0,0.5" if share else "0,2" if kind is int else "1,2.5"
    allowed = f"numbers joined by commas, such as {example}{'' if share else ', or a range such as 1..8'}"

    def parse(_: click.Context, __: click.Parameter, value: str | None) -> tuple[Any, ...]:
        if value is None:
            return ()
        if kind is str:
            return tuple(part.strip() for part in value.split(","))
        if (match := _RANGE.fullmatch(value)) and int(match[1]) <= int(match[2]):
            return tuple(range(int(match[1]), int(match[2]) + 1))
        found = []
        for part in value.split(","):
            try:
                number = float(part) if kind is float else int(part)
            except ValueError:
                number = math.nan
            if misread(part) or not 0 <= number < math.inf:
                among = "" if part == value else f" in {value!r}"
                raise click.BadParameter(f"found {part!r}{among}; allowed: {allowed}")
            found.append(number)
        return tuple(found)

    return parse


def grouped(name: str, kind: type[Any], *options: Decorator) -> Decorator:
    """Return a decorator that adds ``options`` and passes their values to the command as one ``kind``: ``name``."""
    return _grouped(name, [field.name for field in fields(kind)], lambda own: kind(**own), options)


def options_of(
    name: str, model: type[Params], *, but: Iterable[str] = ("draws",), **changed: Mapping[str, Any]
) -> Decorator:
    """Return a decorator that adds the arguments and options of a model's keys; the command gets a ``model``: ``name``.

    Args:
        name: of the command's argument.
        model: of the keys.
        but: keys that the command does not take.
        changed: as ``more`` of :func:`setting`, by key.
    """
    keys = [key for key in model.model_fields if key not in but]
    # A model tells what was given from what it is by default.
    return _grouped(
        name,
        keys,
        lambda own: validate(model, {key: own[key] for key in given(own)}),
        [setting(model, key, **changed.get(key, {})) for key in keys],
    )


def _grouped(
    name: str, keys: Sequence[str], make: Callable[[dict[str, Any]], Any], options: Sequence[Decorator]
) -> Decorator:
    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def call(**values: Any) -> None:
            own = {key: values.pop(key) for key in keys if key in values}
            function(**values, **{name: make(own)})

        decorated: Callable[..., None] = call
        for one in reversed(options):
            decorated = one(decorated)
        return decorated

    return decorate


def setting(kind: type[Params], key: str, **more: Any) -> Decorator:
    """Return the option of a setting, with the default, the range and the description of the model's field.

    Args:
        kind: the model.
        key: the field.
        more: arguments of :class:`~pnet_lp.cli.command.Option` in place of what the field says.
    """
    field = kind.model_fields[key]
    flag = flag_of(field.metadata)
    if flag.argument:
        several = get_origin(field.annotation) is tuple
        return click.argument(key, metavar=flag.argument, nargs=-1 if several else 1, required=field.is_required())
    text = flag.help or str(field.description)
    default = None if field.is_required() else field.default
    found: dict[str, Any] = {
        "default": default,
        "show_default": default is not None,
        "required": field.is_required(),
        "help": text if flag.help else f"{text[0].upper()}{text[1:]}.",
        "metavar": flag.metavar or None,
        "also": flag.also,
        "heading": heading_of(kind, key),
        "needs": flag.needs,
        "excludes": flag.excludes,
        "listed": flag.listed,
        **_click_type(field.annotation, field.metadata),
    }
    if (quantity := quantity_of(field.annotation, field.metadata)) is not None:
        found |= {"type": str, "metavar": flag.metavar or quantity.name.upper()}
        found["default"] = None if default is None else quantity.format(default)
    if field.is_required():
        # A default of None is one to click, and nothing is missing then.
        del found["default"]
    return option(flag.name or f"--{key.replace('_', '-')}", key, **{**found, **more})


def _click_type(annotation: Any, metadata: Sequence[Any]) -> dict[str, Any]:
    """Return the arguments of an option that its values settle."""
    flag, limits = flag_of(metadata), _limits(metadata)
    kinds = [one for one in get_args(annotation) if one is not NoneType]
    if flag.parse is not None:
        return {"type": str, "default": None, "callback": _parsed(flag.parse), "show_default": False}
    if flag.width > 1:
        return {"nargs": flag.width, "type": str}
    if get_origin(annotation) is Literal:
        return {"type": click.Choice(kinds)}
    if NoneType in get_args(annotation):
        return _click_type(kinds[0], metadata)
    if get_origin(annotation) is tuple:
        # What is not given is the model's own default.
        none: dict[str, Any] = {"default": None, "show_default": False}
        return {
            **none,
            **({"multiple": True} if flag.several == "repeated" else {"callback": _split(kinds[0], limits)}),
        }
    if annotation is bool:
        return {"is_flag": True, "show_default": False}
    if annotation is str:
        return {}
    least, most = limits.get("ge", limits.get("gt")), limits.get("le", limits.get("lt"))
    if annotation is int:
        return {"type": Whole(least, most)}
    return {"type": Number(least, most, min_open="gt" in limits, max_open="lt" in limits)}


def _limits(metadata: Sequence[Any]) -> dict[str, Any]:
    """Return how small and how large the value of a field may be, by pydantic's names."""
    return {name: getattr(one, name) for one in metadata for name in ("ge", "gt", "le", "lt") if hasattr(one, name)}


def _parsed(parse: Callable[[str], Any], nothing: Any = None) -> Callable[..., Any]:
    """Return the callback of an option whose value ``parse`` makes of its text, ``nothing`` where it is not given."""

    def call(_: click.Context, __: click.Parameter, value: str | None) -> Any:
        try:
            return nothing if value is None else parse(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
        except PnetError as error:
            # click names the option.
            unplaced = type(error)(error.problem, found=error.found, allowed=error.allowed)
            raise click.BadParameter(str(unplaced)) from None

    return call


def axis_option(kind: type[Params], key: str, flag: Flag, name: str, *, default: Any = None) -> Decorator:
    """Return the argument or the option with several values of a setting, joined by commas where it is an option.

    Args:
        kind: the model.
        key: the field.
        flag: how the values are given.
        name: of the parameter.
        default: values where none is given.
    """
    if flag.argument:
        return click.argument(name, metavar=flag.argument, nargs=-1, required=default is None, default=default)
    field = kind.model_fields[key]
    kinds = [one for one in get_args(field.annotation) if one is not NoneType] or [field.annotation]
    parse = flag_of(field.metadata).parse
    each = _parsed(lambda text: tuple(map(parse, text.split(","))), ()) if parse else None
    text = flag.help or str(field.description)
    return option(
        flag.name or f"--{key.replace('_', '-')}",
        name,
        metavar=flag.metavar or None,
        heading=heading_of(kind, key),
        **(
            {"multiple": True}
            if flag.several == "repeated"
            else {"callback": each or _split(kinds[0], _limits(field.metadata))}
        ),
        default=None if default is None else str(default),
        show_default=default is not None,
        excludes=flag.excludes,
        help=f"{text[0].upper()}{text[1:].rstrip('.')}.",
    )


def threads_needing(*needs: str) -> Decorator:
    """Return ``--threads`` where only another option makes something run on them."""
    return option(
        "--threads",
        type=Whole(0, MOST_THREADS),
        default=0,
        show_default=True,
        help="Number of threads; 0 for all cores.",
        heading=RUNNING,
        needs=needs,
    )


threads_option = threads_needing()


def executor_options(*needs: str) -> Decorator:
    """Return ``--jobs`` and ``--executor``, which say where many things are computed; the command gets ``executor``.

    Args:
        needs: options without which there is only one thing.
    """

    def parse(own: Mapping[str, Any]) -> Executor:
        with naming("--executor"):
            return parse_executor(own["executor"], own["jobs"])

    return _grouped(
        "executor",
        ("jobs", "executor"),
        parse,
        (
            option(
                "--jobs",
                type=Whole(1, MOST_THREADS),
                needs=needs,
                heading=RUNNING,
                help="Number of parallel processes; results do not depend on it.  [default: 1]",
            ),
            option(
                "--executor",
                metavar="NAME",
                listed=EXECUTORS.names,
                default=DEFAULT_EXECUTOR,
                show_default=True,
                needs=needs,
                heading=RUNNING,
                help="Where it is computed: {}; with an address as in dask://HOST:PORT, or parameters as in "
                "slurm:partition=batch. Results do not depend on it.",
            ),
        ),
    )


def table_option(row: str) -> Decorator:
    """Return ``--out`` of a table, of which a row is ``row``."""
    return option(
        "-o",
        "--out",
        type=OutputFile(TABLE_FORMATS),
        heading=OUTPUT,
        help=f"Write a table, one row per {row}: {{}}.",
        listed=TABLE_FORMATS.suffixes,
    )


def output_options(table: str = "") -> Decorator:
    """Return a decorator that adds ``--json`` and, if there is a ``table``, ``--out``.

    The command gets ``output``: :class:`~pnet_lp.cli.output.Output`.

    Args:
        table: what its rows are, such as ``"bound"``.
    """
    return grouped("output", Output, *([table_option(table)] if table else []), json_option)


def plot_option(what: str, **more: Any) -> Decorator:
    """Return ``--plot``, which draws ``what``, and how it looks: ``--style`` and ``--labels``."""
    plot = option(
        "--plot",
        type=OutputFile(CHART_FORMATS),
        heading=OUTPUT,
        help=f"Draw {what}: {{}}.",
        listed=CHART_FORMATS.suffixes,
        **more,
    )
    style = style_options("plot")
    return lambda function: plot(style(function))


def style_options(*needs: str) -> Decorator:
    """Return a decorator that adds ``--style`` and ``--labels`` of a figure; the command gets ``figure_style``."""
    return grouped(
        "figure_style",
        FigureStyle,
        option(
            "--style",
            type=click.Choice(get_args(Style)),
            heading=OUTPUT,
            needs=needs,
            help="Size the figure and its text for a column of a paper (3.35 inches, 7 points) or for a talk (10 "
            "inches, 18 points).  [default: as the figure is]",
        ),
        labels_option(needs),
    )


def labels_option(needs: tuple[str, ...] = ()) -> Decorator:
    """Return ``--labels`` of a figure."""
    return option(
        "--labels",
        metavar="FILE",
        callback=_parsed(read_labels),
        heading=OUTPUT,
        needs=needs,
        help="YAML file of other texts for the figure, one a line: 'text of the figure: new text'.",
    )


def file_option(what: str) -> Decorator:
    """Return ``--out`` of a command that writes ``what`` rather than a table; the command gets ``file``."""
    return option(
        "-o",
        "--out",
        "file",
        type=OutputFile(),
        heading=OUTPUT,
        help=f"Write {what} to a file; the suffix chooses the format.",
    )
