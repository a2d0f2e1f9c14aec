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
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pnet_lp.errors import SolverError, SpecError
from pnet_lp.files import replacing
from pnet_lp.memory import check_fits
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.routing import Policy
from pnet_lp.throughput.fixed_split import FixedSplit
from pnet_lp.throughput.forms import Form, LinearProgram, formulate, lp_size
from pnet_lp.throughput.forms.arc_form import ArcForm
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.solve import IDEAL, routing_rule, state_problem
from pnet_lp.throughput.solvers.highs import model_of
from pnet_lp.throughput.split_problem import SplitProblem

LP_SUFFIXES = (".lp", ".mps")

_BYTES_PER_COLUMN = 2000
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
        SolverError: the program does not fit into memory, or cannot be written.
    """
    path = Path(path)
    if path.suffix not in LP_SUFFIXES:
        raise SpecError("unknown format", where=str(path), found=path.suffix, allowed=", ".join(LP_SUFFIXES))
    problem = state_problem(network, traffic, routing_rule(routing, plane_policy, seed), threads=threads)
    if isinstance(problem, FixedSplit | SplitProblem):
        raise SpecError(
            f"there is no linear program where the routing fixes the split, as {routing!r} does",
            where=str(path),
            allowed="ideal, ecmp-lp, ksp:K, edge-disjoint:K",
        )
    if problem.disconnected.size:
        raise SpecError("there is no linear program where a demand has no path: K is 0", where=str(path))
    columns = lp_size(problem)[1]
    check_fits(
        columns * _BYTES_PER_COLUMN,
        f"writing {columns:,} variables",
        SolverError,
        allowed="fewer paths or planes, or a smaller network",
    )
    form = formulate(problem)
    labels = _Labels.of(problem.flow, network, traffic.level)
    model = model_of(_in_gbps(form, problem))
    if isinstance(problem, PathProblem):
        column, row = _path_columns(problem, labels), _path_rows(problem, labels)
    else:
        assert isinstance(form, ArcForm)
        column, row = _arc_columns(form, labels), _arc_rows(form, labels)
    model.col_names_ = list(_distinct(column))
    model.row_names_ = list(_distinct(row))
    highspy = importlib.import_module("highspy")
    model.sense_ = highspy.ObjSense.kMaximize
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.passModel(model)
    with replacing(path) as temporary:
        if highs.writeModel(str(temporary)) == highspy.HighsStatus.kError:
            raise SolverError("the linear program cannot be written", where=str(path))


def _in_gbps(form: Form, problem: FlowProblem | PathProblem) -> LinearProgram:
    """Return the program with flows in Gb/s and K in Gb/s per unit demand, and K itself as the objective."""
    lp = form.lp
    flow_unit = form.rate_unit * float(problem.flow.demand.mean())
    value = lp.value.copy()
    value[lp.start[-2] :] *= flow_unit / form.rate_unit
    cost = np.zeros_like(lp.cost)
    cost[-1] = 1.0
    return replace(
        lp, cost=cost, value=value, row_lower=lp.row_lower * flow_unit, row_upper=lp.row_upper * flow_unit
    )


@dataclass(frozen=True)
class _Labels:
    """Names by the indices of a problem."""

    switch: list[list[str]]
    arc: list[str]
    endpoint: list[str]
    demand: list[str]

    @classmethod
    def of(cls, flow: FlowProblem, network: Network, level: Level) -> _Labels:
        switch = [[_label(name) for name in plane.switch_names] for plane in network.planes]
        plane = np.repeat(np.arange(flow.plane_count), np.diff(flow.arc_ptr)).tolist()
        names = network.endpoint_names(level)
        endpoint = [_label(names[member]) for member in flow.member]
        return cls(
            switch,
            [
                f"{p},{switch[p][u]},{switch[p][v]}"
                for p, u, v in zip(plane, flow.tail.tolist(), flow.head.tolist(), strict=True)
            ],
            endpoint,
            [
                f"{endpoint[s]},{endpoint[t]}"
                for s, t in zip(flow.src.tolist(), flow.dst.tolist(), strict=True)
            ],
        )

    def access(self, kind: str, links: Iterable[int]) -> Iterator[str]:
        for link in links:
            plane, endpoint = divmod(link, len(self.endpoint))
            yield f"{kind}({plane},{self.endpoint[endpoint]})"


def _arc_columns(form: ArcForm, labels: _Labels) -> Iterator[str]:
    flow = form.problem
    arcs = np.diff(flow.arc_ptr)[flow.rows[:, 0]]
    first = np.concatenate([[0], np.cumsum(arcs)])
    row = np.searchsorted(first, form.flow_index, side="right") - 1
    arc = form.flow_index - first[row] + flow.arc_ptr[flow.rows[row, 0]]
    ends = [labels.switch[p][t] for p, t in flow.rows.tolist()]
    for r, a in zip(row.tolist(), arc.tolist(), strict=True):
        yield f"flow({labels.arc[a]},{ends[r]})"
    for place in form.injected.tolist():
        plane, j = divmod(place, flow.demand_count)
        yield f"send({plane},{labels.demand[j]})"
    yield "K"


def _arc_rows(form: ArcForm, labels: _Labels) -> Iterator[str]:
    flow = form.problem
    for p, t in flow.rows.tolist():
        names = labels.switch[p]
        for u, name in enumerate(names):
            if u != t:
                yield f"conserve({p},{name},{names[t]})"
    for arc in labels.arc:
        yield f"link({arc})"
    yield from labels.access("up", form.up.tolist())
    yield from labels.access("down", form.down.tolist())
    if flow.plane_count > 1:
        for demand in labels.demand:
            yield f"demand({demand})"


def _path_columns(problem: PathProblem, labels: _Labels) -> Iterator[str]:
    for demand, count in zip(labels.demand, problem.paths.paths_per_pair.tolist(), strict=True):
        for i in range(count):
            yield f"path({demand},{i})"
    yield "K"


def _path_rows(problem: PathProblem, labels: _Labels) -> Iterator[str]:
    arcs, access = len(labels.arc), problem.flow.attach.size
    used = np.unique(problem.path_link[1])
    for arc in used[used < arcs].tolist():
        yield f"link({labels.arc[arc]})"
    yield from labels.access("up", (used[(used >= arcs) & (used < arcs + access)] - arcs).tolist())
    yield from labels.access("down", (used[used >= arcs + access] - arcs - access).tolist())
    for demand in labels.demand:
        yield f"demand({demand})"


def _label(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]", "_", name)[:_LONGEST_LABEL]


def _distinct(names: Iterable[str]) -> Iterator[str]:
    """Yield the names, those that came before with a number."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name}.{seen[name]}"
