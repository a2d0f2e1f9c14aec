"""Options that several commands share: what network, what traffic, how to solve."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import click

from pnet_lp.cost import TopologyOptions
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import LEVELS, VARIANTS, Level, Variant
from pnet_lp.routing import POLICIES
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.units import DEFAULT_LINK_GBPS

Decorator = Callable[[Callable[..., None]], Callable[..., None]]


@dataclass(frozen=True)
class NetworkArguments:
    """The TOPOLOGY arguments and what modifies them."""

    topologies: tuple[str, ...]
    planes: int
    variant: Variant | None
    link_gbps: float
    hosts_per_switch: int
    seed: int

    def build(self) -> Network:
        """Return the network they describe."""
        return build_network(
            self.topologies,
            planes=self.planes,
            variant=self.variant,
            link_gbps=self.link_gbps,
            hosts_per_switch=self.hosts_per_switch,
            seed=self.seed,
        )


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
