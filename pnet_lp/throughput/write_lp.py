"""The linear program of a problem as a file, for solvers that are not here: CPLEX's ``.lp``, or ``.mps``.

In Gb/s, with names to read: ``flow(p,u,v,t)`` on the link from u to v of plane p towards t, ``send(p,s,t)`` into plane
p, ``path(s,t,i)``, and ``K``; rows ``conserve(p,u,t)``, ``link(p,u,v)``, ``up(p,s)``, ``down(p,t)``, ``demand(s,t)``.
Characters that the formats give a meaning become ``_``, and of equal names the second gets ``.2`` appended.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pnet_lp.errors import OutputError, SolverError, SpecError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.routing import ROUTINGS, Policy, parse_routing
from pnet_lp.throughput.problems import FlowProblem, state_problem
from pnet_lp.throughput.problems.program import Form, Labels, LinearProgram
from pnet_lp.throughput.solve import IDEAL
from pnet_lp.throughput.solvers.general import program_bytes
from pnet_lp.throughput.solvers.highs import pass_model, silent
from pnet_lp.writing import output_file

LP_SUFFIXES = (".lp", ".mps")

_COUNTS = ("getNumRow", "getNumCol", "getNumNz")
_BYTES_PER_COLUMN = 3000
_LONGEST_LABEL = 60
"""Characters of one switch's or host's name; a name of four stays below the 255 that CPLEX and GLPK allow."""


def write_lp(
    path: str | Path,
    network: Network,
    traffic: TrafficMatrix,
    *,
    routing: str = IDEAL,
    plane_policy: Policy = "any",
    seed: int = 0,
    threads: int = 0,
) -> None:
    """Write the linear program whose optimum is K, the ``concurrent`` throughput, whole or not at all.

    The suffix of ``path`` chooses the format; the others are as for :func:`pnet_lp.throughput.solve`.

    Raises:
        SpecError: the suffix is none of :data:`LP_SUFFIXES`, or there is no program, because the routing fixes the
            split or a demand has no path.
        SolverError: the program does not fit into memory.
        OutputError: the file cannot be written.
    """
    network.check_without_servers("a file of the linear program")
    path = Path(path)
    if path.suffix not in LP_SUFFIXES:
        raise SpecError("unknown format", where=str(path), found=path.suffix, allowed=", ".join(LP_SUFFIXES))
    paths = parse_routing(routing, policy=plane_policy, seed=seed)
    if paths.form == "split":
        raise SpecError(
            f"there is no linear program where the routing fixes the split, as {routing!r} does",
            where=str(path),
            allowed=", ".join(entry.name for entry in ROUTINGS if entry.build.form != "split"),
        )
    problem = state_problem(network, traffic, paths, threads=threads)
    if problem.disconnected.size:
        raise SpecError("there is no linear program where a demand has no path: K is 0", where=str(path))
    check_fits(
        program_bytes(problem, _BYTES_PER_COLUMN),
        f"writing {problem.size[1]:,} variables",
        SolverError,
        allowed="fewer paths or planes, or a smaller network",
    )
    form = problem.formulate()
    labels = _labels(problem.flow, network, traffic.level)
    highspy = importlib.import_module("highspy")
    highs = silent()
    pass_model(highs, _in_gbps(form))
    highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
    for name_one, names in ((highs.passColName, form.column_names), (highs.passRowName, form.row_names)):
        for i, name in enumerate(_distinct(names(labels))):
            name_one(i, name)
    with output_file(path) as temporary:
        # HiGHS does not report a full disk.
        if highs.writeModel(str(temporary)) == highspy.HighsStatus.kError or not _holds(temporary, highs):
            raise OutputError("cannot be written whole: is the disk full?", where=str(path))


def _holds(path: Path, highs: Any) -> bool:
    """Whether a file has the rows with their bounds, the columns and the entries of the program that HiGHS has."""
    again = silent()
    again.readModel(str(path))
    return all(getattr(again, count)() == getattr(highs, count)() for count in _COUNTS) and all(
        np.allclose(getattr(again.getLp(), side), getattr(highs.getLp(), side), rtol=1e-9, atol=0.0)
        for side in ("row_lower_", "row_upper_")
    )


def _in_gbps(form: Form) -> LinearProgram:
    """Return the program with flows in Gb/s and K in Gb/s per unit demand, and K itself as the objective."""
    lp = form.lp
    flow_unit = form.flow_unit
    value = lp.value.copy()
    value[lp.start[-2] :] *= flow_unit / form.rate_unit
    cost = np.zeros_like(lp.cost)
    cost[-1] = 1.0
    return replace(lp, cost=cost, value=value, row_lower=lp.row_lower * flow_unit, row_upper=lp.row_upper * flow_unit)


def _labels(flow: FlowProblem, network: Network, level: Level) -> Labels:
    switch = [[_label(name) for name in plane.switch_names] for plane in network.planes]
    plane = np.repeat(np.arange(flow.plane_count), np.diff(flow.arc_ptr)).tolist()
    names = network.endpoint_names(level)
    endpoint = [_label(names[member]) for member in flow.member]
    return Labels(
        switch,
        [
            f"{p},{switch[p][u]},{switch[p][v]}"
            for p, u, v in zip(plane, flow.tail.tolist(), flow.head.tolist(), strict=True)
        ],
        endpoint,
        [f"{endpoint[s]},{endpoint[t]}" for s, t in zip(flow.src.tolist(), flow.dst.tolist(), strict=True)],
    )


def _label(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]", "_", name)[:_LONGEST_LABEL]


def _distinct(names: Iterable[str]) -> Iterator[str]:
    """Yield the names, those that came before with a number."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name}.{seen[name]}"
