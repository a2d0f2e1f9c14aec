"""Options that several commands share: what network, what traffic, how to solve."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from pnet_lp.cost import TopologyOptions
from pnet_lp.failures import MODES, UNITS, Failures, Mode, Unit, fail, read_groups
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import LEVELS, VARIANTS, Level, Variant
from pnet_lp.routing import POLICIES
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.units import DEFAULT_LINK_GBPS

Decorator = Callable[[Callable[..., None]], Callable[..., None]]


@dataclass(frozen=True)
class NetworkArguments:
    """The TOPOLOGY arguments, what modifies them, and what of them fails."""

    topologies: tuple[str, ...]
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

    def build(self) -> Network:
        """Return the network they describe, with what fails in it down."""
        return fail(self.build_intact(), self.failures, seed=self.seed)

    def build_intact(self) -> Network:
        """Return the network without failures, and say on stderr what was assumed of it."""
        network = build_network(
            self.topologies,
            planes=self.planes,
            variant=self.variant,
            link_gbps=self.link_gbps,
            hosts_per_switch=self.hosts_per_switch,
            seed=self.seed,
        )
        for warning in network.warnings:
            click.echo(f"Warning: {warning}", err=True)
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


def numbers(kind: type[int] | type[float]) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """Return the callback of an option whose value is numbers joined by commas; the command gets a tuple."""

    def parse(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int | float, ...]:
        if value is None:
            return ()
        try:
            return tuple(kind(part) for part in value.split(","))
        except ValueError:
            example = "0,2" if kind is int else "0,0.1"
            raise click.BadParameter(
                f"found {value!r}; allowed: numbers joined by commas, such as {example}"
            ) from None

    return parse


@dataclass(frozen=True)
class TrafficArguments:
    """``--traffic`` and ``--level``."""

    traffic: str
    level: Level | None

    def build(self, network: Network, seed: int) -> TrafficMatrix:
        """Return the matrix they describe on ``network``."""
        return build_traffic(self.traffic, network, self.level, seed=seed)


_NETWORK_OPTIONS: tuple[Decorator, ...] = (
    click.option("--planes", type=click.IntRange(1), default=1, help="Planes made from a single TOPOLOGY."),
    click.option(
        "--variant",
        type=click.Choice(VARIANTS),
        help="How the planes relate.  [default: homogeneous if --planes > 1]",
    ),
    click.option(
        "--link-gbps",
        type=click.FloatRange(0, min_open=True),
        default=DEFAULT_LINK_GBPS,
        show_default=True,
        help="Speed of links whose speed TOPOLOGY does not give.",
    ),
    click.option(
        "--hosts-per-switch",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="Hosts to attach where TOPOLOGY names none.",
    ),
    click.option(
        "--seed", type=int, default=0, show_default=True, help="Seed of everything drawn at random."
    ),
    click.option(
        "--fail-links",
        type=click.FloatRange(0, 1),
        default=0.0,
        help="Share of each plane's cables that fail.",
    ),
    click.option(
        "--fail-switches",
        type=click.FloatRange(0, 1),
        default=0.0,
        help="Share of each plane's switches that fail.",
    ),
    click.option("--fail-planes", callback=numbers(int), metavar="I,J", help="Planes that fail as a whole."),
    click.option(
        "--fail-unit",
        type=click.Choice(UNITS),
        default="cable",
        show_default=True,
        help="What fails together: a cable; nothing but one direction of it; the switches of a box; what has one "
        "position in all planes.",
    ),
    click.option(
        "--fail-mode",
        type=click.Choice(MODES),
        default="random",
        show_default=True,
        help="random: the share, rounded. independent: each with the share as probability. betweenness: those with "
        "the most shortest paths first.",
    ),
    click.option(
        "--fail-groups",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Shared-risk groups, in YAML or JSON, that fail as a whole.",
    ),
)

_level_option = click.option(
    "--level",
    type=click.Choice(LEVELS),
    help="Demands between racks or between hosts.  [default: as the name of a demand says, else host if the network "
    "has hosts]",
)


def network_arguments(function: Callable[..., None]) -> Callable[..., None]:
    """Add the TOPOLOGY arguments; the command gets them as ``network``, a :class:`NetworkArguments`."""
    return _grouped(
        "network",
        NetworkArguments,
        click.argument("topologies", metavar="TOPOLOGY...", nargs=-1, required=True),
        *_NETWORK_OPTIONS,
    )(function)


def network_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--on TOPOLOGY``, once for each plane, for commands whose argument is something else."""
    return _grouped(
        "network",
        NetworkArguments,
        click.option(
            "--on",
            "topologies",
            metavar="TOPOLOGY",
            multiple=True,
            required=True,
            help="The network; given several times, one plane each.",
        ),
        *_NETWORK_OPTIONS,
    )(function)


def traffic_argument(function: Callable[..., None]) -> Callable[..., None]:
    """Add the TRAFFIC argument and ``--level``; the command gets ``traffic``: :class:`TrafficArguments`."""
    return _grouped("traffic", TrafficArguments, click.argument("traffic", metavar="TRAFFIC"), _level_option)(
        function
    )


def traffic_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--traffic`` and ``--level``; the command gets ``traffic``: :class:`TrafficArguments`."""
    return _grouped(
        "traffic",
        TrafficArguments,
        click.option(
            "--traffic",
            default="all-to-all",
            show_default=True,
            metavar="EXPR|FILE",
            help="A pattern or name (`pnet-lp list traffic`), a file, or a sum such as 2*stride:s=1+FILE.",
        ),
        _level_option,
    )(function)


def topology_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add what modifies and packs a TOPOLOGY; the command gets ``options``: :class:`TopologyOptions`."""
    return _grouped(
        "options",
        TopologyOptions,
        *_NETWORK_OPTIONS,
        click.option(
            "--ports",
            type=click.IntRange(1),
            help="Ports of every switch of a TOPOLOGY.  [default: the most that one uses]",
        ),
        click.option(
            "--separate",
            is_flag=True,
            help="Give planes of a TOPOLOGY boxes and cables of their own, even if they are alike.",
        ),
    )(function)


def _grouped(name: str, kind: type[Any], *options: Decorator) -> Decorator:
    """Return a decorator that adds ``options`` and hands over their values as one ``kind``: ``name``."""
    keys = [field.name for field in fields(kind)]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def call(**values: Any) -> None:
            bundle = kind(**{key: values.pop(key) for key in keys})
            function(**values, **{name: bundle})

        decorated: Callable[..., None] = call
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


policy_option = click.option(
    "--plane-policy",
    type=click.Choice(POLICIES),
    default="any",
    show_default=True,
    help="Which planes a pair's paths may come from.",
)

threads_option = click.option(
    "--threads", type=click.IntRange(0), default=0, show_default=True, help="Threads; 0 for all cores."
)
