"""The picture of a network in one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pnet_lp.drawing import Drawing
from pnet_lp.drawing import draw as draw_network
from pnet_lp.drawing.settings import CutKind
from pnet_lp.failures import FailureSettings
from pnet_lp.model import ThroughputResult
from pnet_lp.model.network import Level, Variant
from pnet_lp.notebook.inputs import TopologyLike, TrafficLike, matrix_of
from pnet_lp.notebook.network import build_network
from pnet_lp.topology.settings import ServerSettings


def draw(
    topology: TopologyLike,
    path: str | Path | None = None,
    *,
    cut: CutKind | None = None,
    traffic: TrafficLike | None = None,
    load: ThroughputResult | str | Path | None = None,
    lengths: bool = False,
    layers: bool = False,
    level: Level | None = None,
    planes: int | None = None,
    variant: Variant | None = None,
    link_gbps: float | None = None,
    hosts_per_switch: int | None = None,
    capacity: str | None = None,
    seed: int = 0,
    title: str = "",
    **solving: Any,
) -> Drawing:
    """Return a drawing of a network, and write it to ``path`` if given.

    Args:
        topology: what :func:`pnet_lp.throughput` takes; planes are drawn side by side, planes that look the same once.
        path: a file; its suffix chooses the format: ``.svg``, ``.pdf``, ``.png`` or ``.html``.
        cut: ``bisection``, or the ``sparsest`` cut found for ``traffic`` (default: all-to-all).  Its two sides are
            coloured, and the cables between them thick.
        traffic: what :func:`pnet_lp.throughput` takes; cables are coloured by their utilisation.
        load: in place of solving: the result for ``traffic`` on this network, or a file with a saved result or a table
            of links.
        lengths: colour cables by length (dual price) instead of utilisation.
        layers: draw planes as layers of one picture.
        level: level of the demands and of the cut, ``host`` or ``rack``; default: hosts if there are any.
        planes: number of planes to make from a single topology.
        variant: how the planes relate.
        link_gbps: speed of links without one, in Gb/s; without it, a graph with such links is refused.
        hosts_per_switch: hosts to attach to each rack of a topology without hosts.
        capacity: name of the edge attribute, or of the column, that holds the Gb/s of links.
        seed: seed of all random choices.
        title: title of the picture; default: the labels of the planes.
        solving: arguments of :func:`pnet_lp.throughput.solve` for ``traffic``: ``routing``, ``objective``, ...; and
            what fails, as of :func:`pnet_lp.throughput`: ``fail_links``, ``fail``, ...

    Raises:
        PnetError: an argument is wrong, or there are too many planes to draw; the text says which, what was found and
            what is allowed.
    """
    given = (*FailureSettings.model_fields, *ServerSettings.model_fields, "server_count")
    of_network = {key: solving.pop(key) for key in given if key in solving}
    network = build_network(
        topology,
        planes=planes,
        variant=variant,
        link_gbps=link_gbps,
        hosts_per_switch=hosts_per_switch,
        capacity=capacity,
        seed=seed,
        **of_network,
    )
    return draw_network(
        network,
        path,
        cut=cut,
        traffic=None if traffic is None else matrix_of(traffic, network, level, seed=seed),
        load=load,
        lengths=lengths,
        layers=layers,
        level=level,
        seed=seed,
        title=title,
        **solving,
    )
