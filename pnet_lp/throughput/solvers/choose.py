"""The rule by which ``auto`` chooses a solver: constants, measured, and nothing else (docs/solver.md).

What is installed plays no part: HiGHS is a dependency, the other solvers are ours.
"""

from __future__ import annotations

import numpy as np

from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.errors import TimeLimitError
from pnet_lp.model.flow import FlowProblem
from pnet_lp.throughput.problems import Problem

AUTO = "auto"

PROGRAM_SOLVER, VERTEX_SOLVER, COLUMN_SOLVER = "highs-ipx", "highs-simplex", "structured"
"""For linear programs of other objectives than K, for a vertex of theirs, and where columns are many."""

FLOW_SOLVER = "columns"
"""For the other objectives where they have no rate, over any path and over listed ones."""

DEMANDS_PER_LINK = 4.0
"""From so many on, levels of ``max-min`` over given paths are a matter of column generation: what remains once demands
are eliminated is a dense matrix of the links."""

MANY_DEMANDS = 32
"""Below this many demands per destination switch few paths carry something: a program over them is the smaller one, and
first-order steps over arcs are thousands.  Up to about 80 it depends on the network which of the two is sooner."""

ALL_PAIRS = 0.95
"""From this part of all pairs of endpoint and destination switch on, traffic counts as dense in small networks too."""

COARSE = 5e-3
"""From this gap on, first-order steps over arcs are few, and how much work one is decides."""

LINKS_OF_PATHS = 200
"""Where a demand has fewer arc-flow variables than this in each plane, a step over arcs is less work than one over the
paths that column generation begins with: some two dozen of three or four links, each visited twice."""

LINKS_OF_SERVERS = 50
"""The same in graphs of servers, most of whose links lead to few destinations each, and whose paths are short: with 65
for each of a thousand accelerators columns take 3 s, and steps over arcs leave a gap of 24 % after 18 s."""

LINKS_OF_FEW_PATHS, UNEVEN, LARGE_DENSE = 10, 0.5, 500_000
"""Over arcs, dense demands that differ, the smallest by this factor, take a thousand steps.  Over a few paths each,
steps are fewer, and less work where a demand has more arc-flow variables than this in each plane, and all together."""

ARCS_OF_BACKBONE, EVENLY = 3.95, 0.15
"""Backbones and grids have fewer arcs for each switch than this.  Where the first bounds on K, along shortest paths and
by even lengths, are further apart than by this factor, few links limit, often one cut, which prices of paths find at
once."""

DEMANDS_OF_RAILS = 2_000_000
"""With servers whose accelerators have no more than one port each, as along rails, a demand has few paths that differ:
for all pairs of a thousand, with failed ports, columns take 125 steps and 10 s, where steps over arcs leave 23 % after
41.  With eight ports each, both are far from an answer after a minute.  More demands than this take too much memory."""

STEPS_OF_BACKBONE = 100
"""Column generation either certifies them within so many steps, or the other solver is sooner."""

STEPS_OF_SERVERS = 2_000
"""The same where columns are chosen because of servers: 1,024 accelerators with failed ports take 285 in groups under a
leaf, where network cards limit, and 605 along rails, where spines do."""

MOST_STEPS = 10_000
"""At a coarse gap column generation takes some thousand steps, or, where its prices cycle among many equivalent
paths, a hundred thousand and more: after so many the other solver has its turn."""

PATHS_WORTH_CHOOSING = 8
"""Where demands have fewer given paths each, first-order steps over all of them are as fast as over a choice."""

FEW_PATHS = 10_000
"""Up to this many a simplex method ends at a vertex in seconds."""

FEW_DEMANDS_PER_ROW = 4.0
"""Below this many, and without access limits, first-order steps over arcs are tens of thousands."""

TINY_FLOW_VARIABLES = 5_000
"""Up to this many arc-flow variables an interior point takes at most a fifth of a second, and its answer is mostly far
better than the requested gap."""

LARGE_FLOW_VARIABLES = 1_000_000
"""Above this many a search for equivalence classes pays: below, symmetric problems are solved in half a second."""

SYMMETRIC = 100
"""How many times fewer variables the program on classes must have."""


def eliminates_demands(problem: Problem) -> bool:
    """Whether column generation is the solver of a goal without a rate."""
    large = problem.flow_variables > TINY_FLOW_VARIABLES
    return problem.form == "shortest" or (large and (problem.form == "arc" or problem.listed))


def eliminates_in_levels(problem: Problem) -> bool:
    """Whether column generation is the solver of levels of ``max-min``, too."""
    links = int(np.count_nonzero(np.isfinite(problem.flow.link_capacity)))
    many = problem.form != "path" or problem.demand_count >= DEMANDS_PER_LINK * links
    return many and eliminates_demands(problem)


def choose_solver(
    problem: Problem, tolerance: float, deadline: Deadline = NEVER, *, started: bool = False, classes: bool = True
) -> str:
    """Return ``symmetric`` where equivalence classes are few, ``columns`` for sparse demands, else ``structured``.

    For tiny problems it is ``highs-ipx`` where demands are sparse and access does not limit, else ``structured``.

    Over given paths it is ``columns`` where these are many, and what takes a start where there is one (``started``).
    Classes that are not found before the ``deadline`` are none, and none are looked for without ``classes``.
    """
    if problem.form == "path":
        many = problem.flow_variables >= PATHS_WORTH_CHOOSING * problem.demand_count
        return "columns" if many and not started else "structured"
    if problem.form == "shortest":
        return FLOW_SOLVER
    flow = problem.flow
    demands, rows = flow.demand_count, len(flow.rows)
    if classes and is_symmetric(problem, deadline):
        return "symmetric"
    if problem.flow_variables > TINY_FLOW_VARIABLES:
        return "columns" if _few_paths(problem, tolerance) or _few_links_limit(problem) else "structured"
    unlimited = bool(np.isinf(flow.access_up).all() and np.isinf(flow.access_down).all())
    return "highs-ipx" if unlimited and demands < FEW_DEMANDS_PER_ROW * rows else "structured"


def turns(first: str, problem: Problem, tolerance: float) -> list[tuple[str, int | None]]:
    """Return the solvers that have their turn until one certifies, and each one's iterations, None for no limit.

    Where capacities are many powers of ten apart, first-order steps come to a standstill, and an interior point does
    not see the small ones; column generation and, over few paths, a simplex method reach the optimum all the same.
    """
    if problem.form == "shortest":
        return [(first, None)]
    if problem.form == "path":
        others = ["structured"] if first == "columns" else []
        others += [VERTEX_SOLVER] if problem.flow_variables <= FEW_PATHS else []
        return [(first, None), *((name, None) for name in others)]
    if first == "columns" and problem.flow_variables > TINY_FLOW_VARIABLES and not _few_paths(problem, tolerance):
        return [(first, STEPS_OF_BACKBONE), ("structured", None), (first, None)]
    if first == "columns" and problem.flow.inside is not None and tolerance < COARSE:
        return [(first, STEPS_OF_SERVERS), ("structured", None), (first, None)]
    if first == "columns":
        return [(first, MOST_STEPS), ("structured", None)] if tolerance >= COARSE else [(first, None)]
    return [(first, None), *([] if first == "symmetric" else [("columns", None)])]


def _few_paths(problem: Problem, tolerance: float) -> bool:
    """Whether steps over paths are sooner than those over arcs, whatever limits."""
    flow = problem.flow
    demands, destinations = flow.demand_count, len(flow.rows) / flow.plane_count
    few = demands < destinations * min(MANY_DEMANDS, ALL_PAIRS * flow.attach.shape[1])
    uneven = problem.flow_variables > LARGE_DENSE and bool(flow.demand.min() < UNEVEN * flow.demand.max())
    few |= uneven and LINKS_OF_FEW_PATHS * demands * flow.plane_count < problem.flow_variables
    if tolerance >= COARSE:
        few &= LINKS_OF_PATHS * demands * flow.plane_count < problem.flow_variables
    few |= flow.inside is not None and (LINKS_OF_SERVERS * demands < problem.flow_variables or _one_port(flow))
    return bool(few)


def _one_port(flow: FlowProblem) -> bool:
    """Whether accelerators have no more than one port into the network each, and demands are not too many."""
    assert flow.inside is not None
    if flow.plane_count > 1 or flow.demand_count > DEMANDS_OF_RAILS:
        return False
    of_server = np.zeros(int(flow.node_count[0]), dtype=bool)
    of_server[flow.tail[flow.inside]] = of_server[flow.head[flow.inside]] = True
    ports = flow.tail[of_server[flow.tail] & ~flow.inside]
    return len(np.unique(ports)) == len(ports)


def _few_links_limit(problem: Problem) -> bool:
    if len(problem.flow.capacity) > ARCS_OF_BACKBONE * problem.flow.node_count.sum():
        return False
    known = problem.certify(problem.nothing()).interval
    return known.lower < EVENLY * known.upper


def is_symmetric(problem: Problem, deadline: Deadline = NEVER) -> bool:
    """Whether a large problem has few equivalence classes, and they are found before the ``deadline``."""
    if problem.form != "arc" or problem.flow_variables <= LARGE_FLOW_VARIABLES:
        return False
    try:
        quotient = problem.quotient(deadline)
    except TimeLimitError:
        return False
    return quotient is not None and SYMMETRIC * quotient.flow_variables <= problem.flow_variables
