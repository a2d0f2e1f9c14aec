"""The arc form: a flow variable for each arc and destination.

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

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.forms.linear_program import MAX_ENTRIES, Form, LinearProgram
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.proof import Flows, Proof

_Index = npt.NDArray[np.int64]


class ArcForm(Form):
    """A :class:`FlowProblem` as a linear program.

    Flows are counted in units of the mean demand at the estimated K, and the cost makes lengths come out near 1, so
    that a solver's absolute tolerances mean about the same for every network.

    Attributes:
        flow_index: int64, the place of each flow column in :attr:`Flows.flow`.
        injected: int64, the flat index into ``[P, J]`` of each injection column.
        arc_row: the first of the ``A`` capacity rows; the access rows follow.
        up, down: flat indices into ``[P, E]`` of the access rows.
    """

    def __init__(self, problem: FlowProblem) -> None:
        if 3 * (count := self.size(problem)[1]) > MAX_ENTRIES:
            raise SolverError(
                f"{count:,} variables are too many for a linear program with 32-bit indices",
                allowed="--solver structured",
            )
        self.problem = problem
        self.rate_unit = _rate_estimate(problem)
        flow_unit = self.rate_unit * float(problem.demand.mean())
        demand = problem.demand * (self.rate_unit / flow_unit)

        self.flow_index, flow_rows, conservation = _flow_columns(problem)
        arcs = len(problem.tail)
        self.arc_row = arc_row = int(conservation[-1])
        self.up, self.down = up, down = _access_links(problem)
        up_row = arc_row + arcs
        down_row = up_row + len(up)
        demand_row = down_row + len(down)

        plane, j = np.nonzero(problem.available)
        rows, columns, values = _injection_entries(
            problem, plane, j, conservation, (up, up_row), (down, down_row)
        )
        single = problem.plane_count == 1
        if single:
            self.injected = np.empty(0, dtype=np.int64)
            injections = sp.csc_array(
                (values * demand[columns], (rows, np.zeros_like(rows))), shape=(demand_row, 1)
            )
            height = demand_row
        else:
            self.injected = plane * problem.demand_count + j
            height = demand_row + problem.demand_count
            of_rate = len(self.injected)
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
        cost = np.zeros(len(self.flow_index) + len(self.injected) + 1)
        cost[-1] = -float(demand.sum())
        self.lp = LinearProgram(
            cost=cost,
            start=np.concatenate([start, start[-1] + injections.indptr[1:]]).astype(np.int32),
            index=np.concatenate([flow_rows[kept], injections.indices]).astype(np.int32),
            value=np.concatenate([flow_values, injections.data]),
            row_lower=row_lower,
            row_upper=row_upper,
        )

    @staticmethod
    def size(problem: FlowProblem) -> tuple[int, int]:
        """Return rows and columns, without building any: every access link and every arc counts."""
        several = problem.plane_count > 1
        conservation = int((problem.node_count[problem.rows[:, 0]].astype(np.int64) - 1).sum())
        rows = conservation + len(problem.tail) + 2 * problem.attach.size
        return (
            rows + (problem.demand_count if several else 0),
            problem.flow_variables + (int(problem.available.sum()) if several else 0) + 1,
        )

    def proof(self, column_value: FloatArray, row_dual: FloatArray) -> Proof:
        """See :meth:`Form.proof`."""
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
        arcs, ups, downs = len(problem.tail), len(self.up), len(self.down)
        access = np.zeros((2, problem.attach.size))
        access[0, self.up] = length[arcs : arcs + ups]
        access[1, self.down] = length[arcs + ups : arcs + ups + downs]
        otherwise = Flows.nothing(problem)
        # On the way of a simplex method all duals can be zero, which proves nothing.
        proves = bool(np.any(length[: arcs + ups + downs] > 0))
        return Flows(
            flow=np.maximum(flow, 0.0),
            injection=np.maximum(injection, 0.0).reshape(problem.available.shape),
            length=length[:arcs] if proves else otherwise.length,
            up_length=access[0].reshape(problem.attach.shape) if proves else otherwise.up_length,
            down_length=access[1].reshape(problem.attach.shape) if proves else otherwise.down_length,
        ).proof(problem)

    def nothing(self) -> Proof:
        """See :meth:`Form.nothing`."""
        return Flows.nothing(self.problem).proof(self.problem)

    def bounds(self, proof: Proof) -> tuple[float, float]:
        """See :meth:`Form.bounds`."""
        assert isinstance(proof, _core.Proof)
        return self.problem.bounds(proof)


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
