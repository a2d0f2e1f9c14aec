"""Throughput with every single failure, the worst first."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.failures import Each, Part, RiskGroup, SingleFailure, single_failures
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.arcs import usable_arcs
from pnet_lp.model.arrays import BoolArray, IntArray, ints
from pnet_lp.model.flow import FlowProblem
from pnet_lp.progress import counted
from pnet_lp.routing import parse_routing
from pnet_lp.throughput.problems import build_problem
from pnet_lp.throughput.problems.quotient import MOST_CLASSES, symmetry_of
from pnet_lp.throughput.solve import IDEAL
from pnet_lp.throughput.trials import FailureTrial, intact_start, solve_connected, solve_whole
from pnet_lp.workers import map_in_order, threads_each

_VISITS, _EXAMPLES = 50_000_000, 3_000_000
"""How far automorphisms are searched for: about a second."""


def single_failure_trials(
    network: Network,
    traffic: TrafficMatrix,
    each: Each,
    groups: Sequence[RiskGroup] = (),
    *,
    seed: int = 0,
    jobs: int = 1,
    threads: int = 0,
    **options: Any,
) -> list[FailureTrial]:
    """Return the throughput without failures, then with each: what disconnects most first, then what leaves least.

    Failures that an automorphism of network and demands maps onto each other are solved once, and named together.  A
    link that carries nothing in an optimal flow over any path is not missed: that flow still fits, and without the link
    no more does, so the answer is the one without failures.

    Args:
        network: without failures.
        traffic: the demands.
        each: what fails.
        groups: those of ``group``.
        seed: of the routing.
        jobs: processes that solve at the same time.
        threads: of each solve; 0 for all cores, divided among the jobs.
        options: for :func:`pnet_lp.throughput.solve`.

    Raises:
        SpecError: the network has no such part, or too many.
        TrafficError, TopologyError, SolverError: as :func:`pnet_lp.throughput.solve`.
    """
    failures = single_failures(network, each, groups)
    routing = parse_routing(options.get("routing", IDEAL))
    symmetric = routing.form == "arc" or (routing.splitting is not None and options.get("plane_policy") != "single")
    deadline = options.get("deadline", NEVER)
    together = _orbits(network, traffic, failures, deadline) if symmetric else [ints([i]) for i in range(len(failures))]
    options = {"seed": seed, **options, "threads": threads_each(threads, jobs)}
    intact = solve_whole(network, traffic, options)
    firsts = [failures[orbit[0]] for orbit in together]
    carrying = _carrying(network, intact) if routing.form == "arc" else None
    needed = [i for i, failure in enumerate(firsts) if carrying is None or not _is_idle(failure, carrying)]
    masks = [firsts[i].mask(network) for i in needed]
    # One solve is short: what matters is how many there are.  A function that reports cannot go to another process.
    on_progress = options.pop("on_progress", None)
    options["start"] = intact_start(network, traffic, masks, options)
    found = [intact] * len(firsts)
    solved = map_in_order(functools.partial(solve_connected, network, traffic, options), masks, jobs)
    for i, trial in zip(needed, counted(solved, len(masks), "failures solved", on_progress), strict=True):
        found[i] = trial
    named = [
        replace(trial, failure=failure.name, equivalent=len(orbit))
        for trial, failure, orbit in zip(found, firsts, together, strict=True)
    ]
    named.sort(key=lambda trial: (-trial.lost_share, trial.throughput_gbps))
    return [intact, *(replace(trial, trial=i) for i, trial in enumerate(named))]


def _carrying(network: Network, intact: FailureTrial) -> list[BoolArray] | None:
    """Return of each plane bool ``[m]``, the cables that carry anything, or None where that is not known."""
    if intact.result is None or intact.result.link_load is None:
        return None
    arcs = usable_arcs(network)
    found = [np.zeros(plane.cable_count, dtype=np.bool_) for plane in network.planes]
    for p, cables in enumerate(found):
        here = slice(arcs.ptr[p], arcs.ptr[p + 1])
        cables[arcs.id[here][intact.result.link_load[here] > 0] // 2] = True
    return found


def _is_idle(failure: SingleFailure, carrying: list[BoolArray]) -> bool:
    """Whether only links fail, and none of them carries anything."""
    return bool(failure.parts) and all(
        part.kind == "link" and not carrying[part.plane][part.index] for part in failure.parts
    )


def _orbits(
    network: Network, traffic: TrafficMatrix, failures: Sequence[SingleFailure], deadline: Deadline
) -> list[IntArray]:
    """Return the failures in sets that automorphisms of network and demands map onto each other, as indices."""
    alone = [ints([i]) for i in range(len(failures))]
    one_way = any(np.any(plane.capacity_uv_gbps != plane.capacity_vu_gbps) for plane in network.planes)
    if one_way or any(len(failure.parts) != 1 for failure in failures):
        return alone
    flow = build_problem(network, traffic)
    if flow.metric is not None:
        return alone
    with deadline.doing("looking for symmetries") as limit_s:
        found = symmetry_of(flow).reduce(classes=MOST_CLASSES, looks=_VISITS, examples=_EXAMPLES, time_limit_s=limit_s)
    if found is None:
        return alone
    # Parallel cables of one speed, and ports of hosts that the problem merges, have one row together.
    ends = np.array([_ends(network, flow, failure.parts[0]) for failure in failures])
    rows, label = np.unique(np.column_stack([np.sort(ends[:, :2]), ends[:, 2]]), axis=0, return_inverse=True)
    onto = []
    for image in found.generators.astype(np.int64):
        # Ends of -1 stay where they are.
        moved = np.sort(np.append(image, -1)[rows[:, :2].astype(np.int64)])
        both, where = np.unique(np.vstack([rows, np.column_stack([moved, rows[:, 2]])]), axis=0, return_inverse=True)
        if len(both) > len(rows):
            return alone
        onto.append(where.ravel()[len(rows) :])
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    steps = np.concatenate([np.column_stack([np.arange(len(rows)), each]) for each in onto] or [np.empty((0, 2), int)])
    graph = sp.coo_array((np.ones(len(steps)), (steps[:, 0], steps[:, 1])), shape=(len(rows), len(rows)))
    orbit = connected_components(graph, directed=False)[1][label.ravel()]
    return [ints(np.flatnonzero(orbit == each)) for each in dict.fromkeys(orbit.tolist())]


def _ends(network: Network, flow: FlowProblem, part: Part) -> tuple[float, float, float]:
    """Return the two nodes that a part is between, as in :class:`QuotientProblem`, and its speed."""
    plane, first = network.planes[part.plane], int(flow.node_count[: part.plane].sum())
    if part.kind == "switch":
        return first + part.index, first + part.index, 0.0
    if part.kind == "link":
        u, v = int(plane.cable_u[part.index]), int(plane.cable_v[part.index])
        return first + u, first + v, float(plane.capacity_uv_gbps[part.index])
    endpoint = int(flow.endpoint_class[part.index]) if len(flow.endpoint_class) == plane.host_count else -1
    if endpoint < 0:
        # Nobody sends or receives there.
        return -1, -1, 0.0
    return first + int(plane.host_switch[part.index]), int(flow.node_count.sum()) + endpoint, 0.0
