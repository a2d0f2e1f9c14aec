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
from pnet_lp.notebook.inputs import TopologyLike, TrafficLike, given, matrix_of, network_of
from pnet_lp.notebook.progress import BoundsText
from pnet_lp.notebook.solved import Solved
from pnet_lp.threads import check_threads
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
    """Return how much of a traffic matrix fits into a network, between two proved bounds.

    Examples:
        >>> import pnet_lp as pn
        >>> pn.solve("jellyfish:k=8", planes=4, variant="heterogeneous", traffic="permutation", routing="ksp:8")

    Keywords are the options of ``pnet-lp throughput``.  Those left out, or None, have the same defaults.

    Args:
        topology: an expression, a file, a ``Network`` or ``Plane``, a networkx graph, a square array of Gb/s from
            switch to switch, or a DataFrame of cables (``u``, ``v``, ``capacity_gbps``); or a list of these with one
            entry per plane.
        traffic: an expression, a file, a ``TrafficMatrix``, a square array (row to column), or a DataFrame (``src``,
            ``dst``, ``demand``).
        level: whether demands are between racks (``rack``) or hosts (``host``).
        planes: number of planes to make from a single topology.
        variant: how the planes relate.
        link_gbps: speed of links without one, in Gb/s; without it, a graph with such links is refused.
        hosts_per_switch: hosts to attach to each rack of a topology without hosts.
        capacity: name of the edge attribute, or of the column, that holds the Gb/s of links.
        fail_links: share of each plane's cables that fail.
        fail_switches: share of each plane's switches that fail.
        fail_planes: planes that fail as a whole.
        fail_unit: which parts fail together.
        fail_mode: how failing parts are chosen.
        fail_groups: file of shared-risk groups.
        routing: paths that demands may use.
        plane_policy: planes that the paths of a pair may use.
        objective: what to optimise.
        solver: solver with its parameters.
        tolerance: relative gap between the bounds at which to stop.
        time_limit_s: seconds after which to stop with the bounds reached.
        seed: seed of all random choices.
        threads: number of threads; 0 for all cores.
        progress: whether to show the bounds on stderr while solving.

    Raises:
        PnetError: an argument is wrong; the text says which, what was found and what is allowed.
        Interrupted: Ctrl-C was pressed while solving; ``result`` has the bounds reached.
    """
    # Before anything is built.
    check_threads(threads)
    settings = given(
        PlaneSettings, planes=planes, variant=variant, link_gbps=link_gbps, hosts_per_switch=hosts_per_switch
    )
    failing = given(
        FailureSettings,
        fail_links=fail_links,
        fail_switches=fail_switches,
        fail_planes=fail_planes,
        fail_unit=fail_unit,
        fail_mode=fail_mode,
        fail_groups=None if fail_groups is None else str(fail_groups),
    )
    asked = given(
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
