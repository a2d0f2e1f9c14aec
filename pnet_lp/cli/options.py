"""Options that several commands share, each declared once: what network, what traffic, how to solve, where to write."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from pnet_lp.cli.command import Number, Option, json_option
from pnet_lp.cli.output import Output, OutputFile
from pnet_lp.errors import SpecError
from pnet_lp.failures import MODES, UNITS, Failures, Mode, Unit, fail, read_groups
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import LEVELS, VARIANTS, Level, Variant
from pnet_lp.registry import nearest
from pnet_lp.report.plot import PLOT_SUFFIXES
from pnet_lp.report.tables import SUFFIXES
from pnet_lp.seeds import LARGEST_SEED
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.units import DEFAULT_LINK_GBPS

Decorator = Callable[[Callable[..., None]], Callable[..., None]]

option = functools.partial(click.option, cls=Option)

MOST_THREADS = 1024
"""Threads, or processes, that are started."""

FAILING = ("fail_links", "fail_switches", "fail_planes", "fail_groups")
"""Options that say what fails."""

_SHARES = ("fail_links", "fail_switches", "sweep")
"""Options that say how much fails, of whatever command has them."""


def say(warnings: Iterable[str]) -> None:
    """Print what was assumed of an input to stderr."""
    for warning in warnings:
        click.echo(f"Warning: {warning}", err=True)


@dataclass(frozen=True)
class NetworkOptions:
    """What turns TOPOLOGY arguments into a network, and what of it fails."""

    planes: int
    variant: Variant | None
    link_gbps: float
    hosts_per_switch: int
    seed: int
    fail_links: float
    fail_switches: float
    fail_planes: tuple[int, ...]
    fail_unit: Unit
    fail_mode: Mode
    fail_groups: Path | None

    def build(self, topologies: tuple[str, ...]) -> Network:
        """Return the network of ``topologies``, with what fails in it down."""
        return fail(self.build_intact(topologies), self.failures, seed=self.seed)

    def build_intact(self, topologies: tuple[str, ...]) -> Network:
        """Return the network without failures, and say on stderr what was assumed of it."""
        network = build_network(
            topologies,
            planes=self.planes,
            variant=self.variant,
            link_gbps=self.link_gbps,
            hosts_per_switch=self.hosts_per_switch,
            seed=self.seed,
        )
        say(network.warnings)
        return network

    @property
    def failures(self) -> Failures:
        """What fails."""
        return Failures(
            links=self.fail_links,
            switches=self.fail_switches,
            planes=self.fail_planes,
            unit=self.fail_unit,
            mode=self.fail_mode,
            groups=() if self.fail_groups is None else read_groups(self.fail_groups),
        )


@dataclass(frozen=True)
class NetworkArguments:
    """The TOPOLOGY arguments and their options."""

    topologies: tuple[str, ...]
    options: NetworkOptions

    @property
    def seed(self) -> int:
        """Seed of everything drawn at random."""
        return self.options.seed

    def build(self) -> Network:
        """Return the network they describe, with what fails in it down."""
        return self.options.build(self.topologies)

    def build_intact(self) -> Network:
        """Return the network without failures."""
        return self.options.build_intact(self.topologies)


@dataclass(frozen=True)
class TrafficArguments:
    """``--traffic`` and ``--level``."""

    traffic: str
    level: Level | None

    def build(self, network: Network, seed: int) -> TrafficMatrix:
        """Return the matrix they describe on ``network``."""
        return build_traffic(self.traffic, network, self.level, seed=seed)


def settled_level(network: Network, level: Level | None) -> Level:
    """Return what pairs are of: ``level``, or hosts where the network has any.

    Raises:
        TopologyError: pairs of that level mean nothing on the network.
    """
    level = level or network.default_level
    network.check_level(level)
    return level


def find_pair(network: Network, level: Level, pair: tuple[str, str]) -> tuple[int, int]:
    """Return the indices of the two endpoints of ``--pair``, or raise SpecError."""
    names = network.endpoint_names(level)
    for name in pair:
        if name not in names:
            raise SpecError(
                f"no {level} is called {name!r}{nearest(name, dict.fromkeys(names))}",
                where="pair",
                allowed=f"{names[0]} to {names[-1]}",
            )
    if pair[0] == pair[1]:
        raise SpecError("the two ends are the same", where="pair", found=pair[0])
    return names.index(pair[0]), names.index(pair[1])


def numbers(
    kind: type[int] | type[float], most: float = math.inf
) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """Return the callback of an option whose value is numbers joined by commas; the command gets a tuple.

    Args:
        kind: of the numbers.
        most: the largest; the smallest is 0.
    """

    def parse(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int | float, ...]:
        if value is None:
            return ()
        try:
            found = tuple(kind(part) for part in value.split(","))
        except ValueError:
            found = (math.nan,)
        if not all(0 <= number <= most for number in found):
            upper = "" if math.isinf(most) else f" from 0 to {most:g}"
            example = "0,2" if kind is int else "0,0.1"
            raise click.BadParameter(
                f"found {value!r}; allowed: numbers{upper} joined by commas, such as {example}"
            )
        return found

    return parse


def _grouped(name: str, kind: type[Any], *options: Decorator) -> Decorator:
    """Return a decorator that adds ``options`` and hands over their values as one ``kind``: ``name``."""
    keys = [field.name for field in fields(kind)]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def call(**values: Any) -> None:
            bundle = kind(**{key: values.pop(key) for key in keys if key in values})
            function(**values, **{name: bundle})

        decorated: Callable[..., None] = call
        for one in reversed(options):
            decorated = one(decorated)
        return decorated

    return decorate


seed_option = option(
    "--seed",
    type=click.IntRange(0, LARGEST_SEED),
    default=0,
    show_default=True,
    help="Seed of everything drawn at random.",
)

network_options = _grouped(
    "options",
    NetworkOptions,
    option("--planes", type=click.IntRange(1), default=1, help="Planes made from a single TOPOLOGY."),
    option(
        "--variant",
        type=click.Choice(VARIANTS),
        help="How the planes relate.  [default: homogeneous if --planes > 1]",
    ),
    option(
        "--link-gbps",
        type=Number(0, min_open=True),
        default=DEFAULT_LINK_GBPS,
        show_default=True,
        help="Speed of links whose speed TOPOLOGY does not give.",
    ),
    option(
        "--hosts-per-switch",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="Hosts to attach where TOPOLOGY names none.",
    ),
    seed_option,
    option(
        "--fail-links",
        type=Number(0, 1),
        default=0.0,
        help="Share of each plane's cables that fail.",
    ),
    option(
        "--fail-switches",
        type=Number(0, 1),
        default=0.0,
        help="Share of each plane's switches that fail.",
    ),
    option("--fail-planes", callback=numbers(int), metavar="I,J", help="Planes that fail as a whole."),
    option(
        "--fail-unit",
        type=click.Choice(UNITS),
        default="cable",
        show_default=True,
        needs=_SHARES,
        help="What fails together: a cable; nothing but one direction of it; the switches of a box; what has one "
        "position in all planes.",
    ),
    option(
        "--fail-mode",
        type=click.Choice(MODES),
        default="random",
        show_default=True,
        needs=_SHARES,
        help="random: the share, rounded. independent: each with the share as probability. betweenness: those with "
        "the most shortest paths first.",
    ),
    option(
        "--fail-groups",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Shared-risk groups, in YAML or JSON, that fail as a whole.",
    ),
)
"""Adds all that turns TOPOLOGY arguments into a network; the command gets ``options``: :class:`NetworkOptions`."""


def _network(named: Decorator) -> Decorator:
    """Return a decorator that adds ``named``, which names topologies, and their options: ``network``."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def call(*, topologies: tuple[str, ...], options: NetworkOptions, **values: Any) -> None:
            function(**values, network=NetworkArguments(topologies, options))

        return named(network_options(call))

    return decorate


network_arguments = _network(click.argument("topologies", metavar="TOPOLOGY...", nargs=-1, required=True))
"""Adds the TOPOLOGY arguments; the command gets them as ``network``, a :class:`NetworkArguments`."""

network_named = _network(
    option(
        "--on",
        "topologies",
        metavar="TOPOLOGY",
        multiple=True,
        required=True,
        help="The network; given several times, one plane each.",
    )
)
"""Adds ``--on TOPOLOGY``, once for each plane, for commands whose argument is something else."""


def level_option(**more: Any) -> Decorator:
    """Return ``--level`` of demands."""
    return option(
        "--level",
        type=click.Choice(LEVELS),
        help="Demands between racks or between hosts.  [default: as the name of a demand says, else host if the "
        "network has hosts]",
        **more,
    )


pair_level_option = option(
    "--level",
    type=click.Choice(LEVELS),
    help="Pairs of racks or of hosts.  [default: host if the network has hosts]",
)


def traffic_argument(function: Callable[..., None]) -> Callable[..., None]:
    """Add the TRAFFIC argument and ``--level``; the command gets ``traffic``: :class:`TrafficArguments`."""
    argument = click.argument("traffic", metavar="TRAFFIC")
    return _grouped("traffic", TrafficArguments, argument, level_option())(function)


def traffic_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--traffic`` and ``--level``; the command gets ``traffic``: :class:`TrafficArguments`."""
    text = option(
        "--traffic",
        default="all-to-all",
        show_default=True,
        metavar="EXPR|FILE",
        help="A pattern or name (`pnet-lp list traffic`), a file, or a sum such as 2*stride:s=1+FILE.",
    )
    return _grouped("traffic", TrafficArguments, text, level_option())(function)


def policy_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--plane-policy``."""
    from pnet_lp.routing import POLICIES  # noqa: PLC0415 - for the commands that route

    return option(
        "--plane-policy",
        type=click.Choice(POLICIES),
        default="any",
        show_default=True,
        help="Which planes a pair's paths may come from.",
    )(function)


def tolerance_option(**more: Any) -> Decorator:
    """Return ``--tolerance``."""
    from pnet_lp.throughput.solve import DEFAULT_TOLERANCE  # noqa: PLC0415 - for the commands that solve

    return option(
        "--tolerance",
        type=Number(0, 1, min_open=True, max_open=True),
        default=DEFAULT_TOLERANCE,
        show_default=True,
        help="Relative gap between the bounds at which to stop.",
        **more,
    )


def threads_needing(*needs: str) -> Decorator:
    """Return ``--threads`` where only another option makes something run on them."""
    return option(
        "--threads",
        type=click.IntRange(0, MOST_THREADS),
        default=0,
        show_default=True,
        help="Threads; 0 for all cores.",
        needs=needs,
    )


threads_option = threads_needing()


def output_options(table: str = "") -> Decorator:
    """Return a decorator that adds ``--json`` and, if there is a ``table``, ``--out``.

    The command gets ``output``: :class:`~pnet_lp.cli.output.Output`.

    Args:
        table: what its rows are, such as ``"bound"``.
    """
    out = option(
        "-o",
        "--out",
        type=OutputFile(*SUFFIXES),
        help=f"Write a table, one row per {table}: {_or(SUFFIXES)}.",
    )
    return _grouped("output", Output, *([out] if table else []), json_option)


def plot_option(what: str, **more: Any) -> Decorator:
    """Return ``--plot``, which draws ``what``."""
    return option(
        "--plot", type=OutputFile(*PLOT_SUFFIXES), help=f"Draw {what}: {_or(PLOT_SUFFIXES)}.", **more
    )


def file_option(what: str) -> Decorator:
    """Return ``--out`` of a command that writes ``what`` rather than a table; the command gets ``file``."""
    return option(
        "-o", "--out", "file", type=OutputFile(), help=f"Write {what} to a file; the suffix is the format."
    )


def _or(suffixes: Sequence[str]) -> str:
    return f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
