"""The flow problem as a linear program in compressed columns, for solvers that take one.

Columns: the flow ``x[r, a]`` of each row r (plane, destination switch) on each arc a of its plane that does not leave
the destination; with several planes the injection ``I[p, j]`` of each demand into each plane that has a path for it;
last, K.  Rows, in this order:

    outflow(x[r], u) - inflow(x[r], u) - injected(r, u) = 0    for each row r and switch u but the destination
    sum_r x[r, a] <= c_a                                       for each arc a; dual: length
    sum_{j from e} I[p, j] <= access_up[p, e]                  where finite; dual: up_length
    sum_{j to e} I[p, j] <= access_down[p, e]                  where finite; dual: down_length
    sum_p I[p, j] - K d_j = 0                                  with several planes; with one, I[0, j] = K d_j is put in

Demands between endpoints on one switch enter access rows only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.solvers.base import Flows

_Index = npt.NDArray[np.int64]
_MAX_ENTRIES = 2**31 - 1


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """Minimise ``cost . x`` with ``row_lower <= A x <= row_upper`` and ``x >= 0``; the optimum has K near 1.

    Attributes:
        cost: float64 ``[columns]``, zero but for the last, K.
        start, index, value: ``A`` in compressed columns, row indices sorted within a column.
        row_lower, row_upper: float64 ``[rows]``.
        injected: int64, the flat index into ``[P, J]`` of each injection column.
        flow_index: int64, the place of each flow column in :attr:`Flows.flow`.
        arc_row: the first of the ``A`` capacity rows; the access rows follow.
        up, down: flat indices into ``[P, E]`` of the access rows.
        rate_unit: the value of K in Gb/s per unit demand that 1 in the last column stands for.
    """

    problem: FlowProblem
    cost: FloatArray
    start: npt.NDArray[np.int32]
    index: npt.NDArray[np.int32]
    value: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray
    flow_index: _Index
    injected: _Index
    arc_row: int
    up: _Index
    down: _Index
    rate_unit: float

    def flows(self, column_value: FloatArray, row_dual: FloatArray, otherwise: Flows) -> Flows:
        """Return the flows and lengths of a primal and a dual solution.

        Args:
            column_value: ``[columns]``.
            row_dual: ``[rows]``; those of ``<=`` rows are <= 0.
            otherwise: whose lengths to return where all duals are zero, as they are on the way of a simplex method.
        """
        problem = self.problem
        flow = np.zeros(problem.flow_variables)
        flow[self.flow_index] = column_value[: len(self.flow_index)]
        if len(self.injected):
            injection = np.zeros(problem.available.size)
            injection[self.injected] = column_value[len(self.flow_index) : -1]
        else:
            # One plane carries every demand whole.
            injection = problem.demand.copy()
        length = np.maximum(-row_dual[self.arc_row :], 0.0)
        arcs, ups = len(problem.tail), len(self.up)
        access = np.zeros((2, problem.attach.size))
        access[0, self.up] = length[arcs : arcs + ups]
        access[1, self.down] = length[arcs + ups : arcs + ups + len(self.down)]
        found = Flows(
            flow=np.maximum(flow, 0.0),
            injection=np.maximum(injection, 0.0).reshape(problem.available.shape),
            length=length[:arcs],
            up_length=access[0].reshape(problem.attach.shape),
            down_length=access[1].reshape(problem.attach.shape),
        )
        if np.any(length[: arcs + ups + len(self.down)] > 0):
            return found
        return replace(
            found, length=otherwise.length, up_length=otherwise.up_length, down_length=otherwise.down_length
        )


def column_count(problem: FlowProblem) -> int:
    """Return the number of columns, without building any (an upper bound: arcs that leave a destination count)."""
    planes = problem.plane_count
    return problem.flow_variables + (int(problem.available.sum()) if planes > 1 else 0) + 1


def row_count(problem: FlowProblem) -> int:
    """Return the number of rows, without building any (an upper bound: every access link counts)."""
    conservation = int((problem.node_count[problem.rows[:, 0]].astype(np.int64) - 1).sum())
    demands = problem.demand_count if problem.plane_count > 1 else 0
    return conservation + len(problem.tail) + 2 * problem.attach.size + demands


def build_lp(problem: FlowProblem) -> LinearProgram:
    """Return the linear program of ``problem``.

    Flows are counted in units of the mean demand at the estimated K, and the cost makes lengths come out near 1, so
    that a solver's absolute tolerances mean about the same for every network.

    Raises:
        SolverError: more entries than 32-bit indices can count.
    """
    if 3 * column_count(problem) > _MAX_ENTRIES:
        raise SolverError(
            f"{column_count(problem):,} variables are too many for a linear program with 32-bit indices",
            allowed="--solver structured",
        )
    rate_unit = _rate_estimate(problem)
    flow_unit = rate_unit * float(problem.demand.mean())
    demand = problem.demand * (rate_unit / flow_unit)

    flow_index, flow_rows, conservation = _flow_columns(problem)
    arcs = len(problem.tail)
    arc_row = int(conservation[-1])
    up, down = _access_links(problem)
    up_row = arc_row + arcs
    down_row = up_row + len(up)
    demand_row = down_row + len(down)

    plane, j = np.nonzero(problem.available)
    rows, columns, values = _injection_entries(
        problem, plane, j, conservation, (up, up_row), (down, down_row)
    )
    single = problem.plane_count == 1
    if single:
        injected = np.empty(0, dtype=np.int64)
        injections = sp.csc_array(
            (values * demand[columns], (rows, np.zeros_like(rows))), shape=(demand_row, 1)
        )
        height = demand_row
    else:
        injected = plane * problem.demand_count + j
        height = demand_row + problem.demand_count
        of_rate = len(injected)
        rows = np.concatenate([rows, demand_row + j, demand_row + np.arange(problem.demand_count)])
        columns = np.concatenate([columns, np.arange(of_rate), np.full(problem.demand_count, of_rate)])
        values = np.concatenate([values, np.ones(of_rate), -demand])
        injections = sp.csc_array((values, (rows, columns)), shape=(height, of_rate + 1))
    injections.sum_duplicates()

    kept = flow_rows >= 0
    per_column = kept.sum(axis=1)
    start = np.concatenate([[0], np.cumsum(per_column)])
    flow_values = np.broadcast_to([1.0, -1.0, 1.0], flow_rows.shape)[kept]
    row_lower = np.zeros(height)
    row_upper = np.zeros(height)
    row_lower[arc_row:demand_row] = -np.inf
    row_upper[arc_row:up_row] = problem.capacity / flow_unit
    row_upper[up_row:down_row] = problem.access_up.ravel()[up] / flow_unit
    row_upper[down_row:demand_row] = problem.access_down.ravel()[down] / flow_unit
    cost = np.zeros(len(flow_index) + len(injected) + 1)
    cost[-1] = -float(demand.sum())
    return LinearProgram(
        problem=problem,
        cost=cost,
        start=np.concatenate([start, start[-1] + injections.indptr[1:]]).astype(np.int32),
        index=np.concatenate([flow_rows[kept], injections.indices]).astype(np.int32),
        value=np.concatenate([flow_values, injections.data]),
        row_lower=row_lower,
        row_upper=row_upper,
        flow_index=flow_index,
        injected=injected,
        arc_row=arc_row,
        up=up,
        down=down,
        rate_unit=rate_unit,
    )


def _rate_estimate(problem: FlowProblem) -> float:
    """Return an upper bound on K that costs nothing: one core link per demand, and the access links."""
    between = np.all((problem.attach[:, problem.src] != problem.attach[:, problem.dst]), axis=0)
    bounds = []
    if core := float(problem.demand[between].sum()):
        bounds.append(float(problem.capacity.sum()) / core)
    for end, access in ((problem.src, problem.access_up), (problem.dst, problem.access_down)):
        load = np.bincount(end, weights=problem.demand, minlength=access.shape[1])
        total = np.where(problem.attach >= 0, access, 0.0).sum(axis=0)
        bounds.append(float((total[load > 0] / load[load > 0]).min()))
    best = min(bounds)
    return best if np.isfinite(best) and best > 0 else 1.0


def _flow_columns(problem: FlowProblem) -> tuple[_Index, npt.NDArray[np.int32], _Index]:
    """Return the flow columns.

    Returns:
        Their places in ``Flows.flow`` ``[columns]``; the LP rows of each ``[columns, 3]``: conservation at the tail, at
        the head (-1 at the destination), capacity; and where each row's conservation rows begin, ``[rows + 1]``.
    """
    rows = problem.rows
    switches = problem.node_count[rows[:, 0]].astype(np.int64)
    conservation = np.concatenate([[0], np.cumsum(switches - 1)])
    capacity_row = conservation[-1] + np.arange(len(problem.tail))
    places, entries = [], []
    offset = 0
    for p in range(problem.plane_count):
        arcs = slice(problem.arc_ptr[p], problem.arc_ptr[p + 1])
        tail, head = problem.tail[arcs], problem.head[arcs]
        of_plane = np.flatnonzero(rows[:, 0] == p)
        to = rows[of_plane, 1][:, None]
        base = conservation[of_plane][:, None]
        kept = tail != to
        entry = np.stack(
            [
                base + tail - (tail > to),
                np.where(head == to, -1, base + head - (head > to)),
                np.broadcast_to(capacity_row[arcs], kept.shape),
            ],
            axis=-1,
        ).astype(np.int32)
        places.append(offset + np.flatnonzero(kept))
        entries.append(entry[kept])
        offset += kept.size
    return np.concatenate(places), np.concatenate(entries), conservation


def _access_links(problem: FlowProblem) -> tuple[_Index, _Index]:
    """Return flat indices into ``[P, E]`` of the access links that limit a demand, up and down."""
    sends = np.zeros(problem.attach.shape, dtype=bool)
    receives = np.zeros(problem.attach.shape, dtype=bool)
    plane, j = np.nonzero(problem.available)
    sends[plane, problem.src[j]] = True
    receives[plane, problem.dst[j]] = True
    return (
        np.flatnonzero(sends & np.isfinite(problem.access_up)),
        np.flatnonzero(receives & np.isfinite(problem.access_down)),
    )


def _injection_entries(
    problem: FlowProblem,
    plane: _Index,
    j: _Index,
    conservation: _Index,
    up: tuple[_Index, int],
    down: tuple[_Index, int],
) -> tuple[_Index, _Index, FloatArray]:
    """Return ``(LP row, position in (plane, j), value)`` of the conservation and access entries of every injection."""
    here, there = problem.attach[plane, problem.src[j]], problem.attach[plane, problem.dst[j]]
    core = np.flatnonzero(here != there)
    # Rows are sorted by (plane, switch), so a row is found by its key.
    widest = int(problem.node_count.max())
    keys = problem.rows[:, 0].astype(np.int64) * widest + problem.rows[:, 1]
    row = np.searchsorted(keys, plane[core] * widest + there[core])
    rows = [conservation[row] + here[core] - (here[core] > there[core])]
    columns, values = [core], [np.full(len(core), -1.0)]
    for end, (links, first) in ((problem.src, up), (problem.dst, down)):
        link = plane * problem.attach.shape[1] + end[j]
        limited = np.flatnonzero(np.isin(link, links))
        rows.append(first + np.searchsorted(links, link[limited]))
        columns.append(limited)
        values.append(np.ones(len(limited)))
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
