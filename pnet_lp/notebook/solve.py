"""The throughput of a network in one call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from pnet_lp.failures import FailureSettings
from pnet_lp.failures.spec import Mode, Unit
from pnet_lp.model.network import Level, Variant
from pnet_lp.model.paths import Policy
from pnet_lp.notebook.inputs import TopologyLike, TrafficLike, matrix_of, network_of
from pnet_lp.notebook.progress import BoundsText
from pnet_lp.notebook.solved import Solved
from pnet_lp.registry import validate
from pnet_lp.throughput import solve as solve_network
from pnet_lp.throughput.settings import ObjectiveSettings
from pnet_lp.topology.settings import PlaneSettings


def solve(
    topology: TopologyLike,
    *,
    traffic: TrafficLike = "all-to-all",
    level: Level | None = None,
    planes: int | None = None,
    variant: Variant | None = None,
    link_gbps: float | None = None,
    hosts_per_switch: int | None = None,
    capacity: str | None = None,
    fail_links: float | None = None,
    fail_switches: float | None = None,
    fail_planes: int | Sequence[int] | None = None,
    fail_unit: Unit | None = None,
    fail_mode: Mode | None = None,
    fail_groups: str | Path | None = None,
    routing: str | None = None,
    plane_policy: Policy | None = None,
    objective: str | None = None,
    solver: str | None = None,
    tolerance: float | None = None,
    time_limit_s: float | None = None,
    seed: int = 0,
    threads: int = 0,
    progress: bool = False,
) -> Solved:
    """Return how much of ``traffic`` fits into a network, between two proved bounds.

    Examples:
        >>> import pnet_lp as pn
        >>> pn.solve("jellyfish:k=8", planes=4, variant="heterogeneous", traffic="permutation", routing="ksp:8")

    Keywords mean what the options of ``pnet-lp throughput`` of the same name mean, and those left out, or None, have
    the same defaults.

    Args:
        topology: an expression, a file, a network or a plane, a networkx graph, a matrix of Gb/s from switch to switch,
            a table of cables (``u``, ``v``, ``capacity_gbps``); or a list of these, one plane each.
        traffic: an expression, a file, a matrix of ours, a square array, or a table (``src``, ``dst``, ``demand``).
        level: whether demands are between racks or hosts.
        planes: how often a single topology is repeated.
        variant: how the planes relate.
        link_gbps: speed of links to which nothing else gives one; a graph with such links is refused without it.
        hosts_per_switch: hosts to attach where a topology has none.
        capacity: the attribute of a graph's edges, or the column of a table, with their Gb/s.
        fail_links: share of each plane's cables that fail.
        fail_switches: share of each plane's switches that fail.
        fail_planes: planes that fail as a whole.
        fail_unit: what fails together.
        fail_mode: how what fails is chosen.
        fail_groups: file of groups that fail as a whole.
        routing: the paths that may be used.
        plane_policy: which planes they may come from.
        objective: what is asked.
        solver: what solves it.
        tolerance: relative gap between the bounds at which to stop.
        time_limit_s: seconds after which to stop with the bounds reached.
        seed: of all that is random.
        threads: 0 for all cores.
        progress: shows the bounds on stderr while solving.

    Raises:
        PnetError: one sentence that says what is wrong with which argument.
    """
    settings = _given(
        PlaneSettings, planes=planes, variant=variant, link_gbps=link_gbps, hosts_per_switch=hosts_per_switch
    )
    failing = _given(
        FailureSettings,
        fail_links=fail_links,
        fail_switches=fail_switches,
        fail_planes=fail_planes,
        fail_unit=fail_unit,
        fail_mode=fail_mode,
        fail_groups=None if fail_groups is None else str(fail_groups),
    )
    asked = _given(
        ObjectiveSettings,
        routing=routing,
        plane_policy=plane_policy,
        objective=objective,
        solver=solver,
        tolerance=tolerance,
        time_limit_s=time_limit_s,
    )
    deadline = asked.deadline()
    network = network_of(topology, settings, failing, capacity=capacity, seed=seed)
    matrix = matrix_of(traffic, network, level, seed=seed)
    shown: AbstractContextManager[Any] = BoundsText() if progress else nullcontext()
    with shown as on_progress:
        result = solve_network(
            network, matrix, on_progress=on_progress, **asked.options(seed, threads, deadline)
        )
    return Solved(network, matrix, result)


def _given(model: type[Any], **values: object) -> Any:
    """Return settings of which those that are None are left out."""
    return validate(model, {key: value for key, value in values.items() if value is not None})
