"""The arc form: a flow variable for each arc and destination.

Columns: the flow ``x[r, a]`` of each row r (plane, destination switch) on each arc a of its plane that does not leave
the destination; the injection ``I[p, j]`` of each demand into each plane that has a path for it; last, K.  Rows, in
this order, the last ones with the weights and limits of the :class:`Head`:

    outflow(x[r], u) - inflow(x[r], u) - injected(r, u) = 0    for each row r and switch u but the destination
    sum_r x[r, a] <= c_a                                       for each arc a; dual: length
    sum_{j from e} I[p, j] <= access_up[p, e]                  where finite; dual: up_length
    sum_{j to e} I[p, j] <= access_down[p, e]                  where finite; dual: down_length
    lower_j <= sum_p I[p, j] - K w_j <= upper_j                for each demand j

With one plane and ``lower = upper`` there are neither injections nor the last rows: ``I[0, j] = K w_j + lower_j`` is
put in.
Demands between endpoints on one switch enter access rows only.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.throughput.forms.linear_program import MAX_ENTRIES, Form, Head, LinearProgram
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

    problem: FlowProblem

    def __init__(self, problem: FlowProblem, head: Head | None = None) -> None:
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        if 3 * (count := self.size(problem)[1]) > MAX_ENTRIES:
            raise SolverError(
                f"{count:,} variables are too many for a linear program with 32-bit indices",
                allowed="--solver structured",
            )
        self.problem = problem
        self.head = head = Head.concurrent(problem) if head is None else head
        self.rate_unit = min(_rate_estimate(problem), head.rate_scale)
        self.flow_unit = flow_unit = self.rate_unit * float(problem.demand.mean())
        weight = head.weight * (self.rate_unit / flow_unit)

        self.flow_index, flow_rows, conservation = _flow_columns(problem)
        arcs = len(problem.tail)
        self.arc_row = arc_row = int(conservation[-1])
        self.up, self.down = up, down = _access_links(problem)
        up_row = arc_row + arcs
        down_row = up_row + len(up)
        demand_row = down_row + len(down)
        row_lower = np.zeros(demand_row)
        row_upper = np.zeros(demand_row)
        row_lower[arc_row:] = -np.inf
        row_upper[arc_row:up_row] = problem.capacity / flow_unit
        row_upper[up_row:down_row] = problem.access_up.ravel()[up] / flow_unit
        row_upper[down_row:] = problem.access_down.ravel()[down] / flow_unit

        plane, j = np.nonzero(problem.available)
        rows, columns, values = _injection_entries(
            problem, plane, j, conservation, (up, up_row), (down, down_row)
        )
        if problem.plane_count == 1 and head.fixes:
            self.injected = np.empty(0, dtype=np.int64)
            injections = sp.csc_array(
                (values * weight[columns], (rows, np.zeros_like(rows))), shape=(demand_row, 1)
            )
            constant = np.bincount(rows, weights=values * head.lower[columns], minlength=demand_row)
            row_lower -= constant / flow_unit
            row_upper -= constant / flow_unit
        else:
            self.injected = plane * problem.demand_count + j
            of_rate = len(self.injected)
            rows = np.concatenate([rows, demand_row + j, demand_row + np.arange(problem.demand_count)])
            columns = np.concatenate([columns, np.arange(of_rate), np.full(problem.demand_count, of_rate)])
            values = np.concatenate([values, np.ones(of_rate), -weight])
            injections = sp.csc_array(
                (values, (rows, columns)), shape=(demand_row + problem.demand_count, of_rate + 1)
            )
            row_lower = np.concatenate([row_lower, head.lower / flow_unit])
            row_upper = np.concatenate([row_upper, head.upper / flow_unit])
        injections.sum_duplicates()

        kept = flow_rows >= 0
        per_column = kept.sum(axis=1)
        start = np.concatenate([[0], np.cumsum(per_column)])
        flow_values = np.broadcast_to([1.0, -1.0, 1.0], flow_rows.shape)[kept]
        self.lp = LinearProgram(
            cost=np.concatenate(
                [
                    head.arc_cost[flow_rows[:, 2] - arc_row],
                    head.served_cost[self.injected % problem.demand_count],
                    [head.rate_cost * (self.rate_unit / flow_unit)],
                ]
            ),
            start=np.concatenate([start, start[-1] + injections.indptr[1:]]).astype(np.int32),
            index=np.concatenate([flow_rows[kept], injections.indices]).astype(np.int32),
            value=np.concatenate([flow_values, injections.data]),
            row_lower=row_lower,
            row_upper=row_upper,
        )

    @staticmethod
    def size(problem: FlowProblem) -> tuple[int, int]:
        """Return rows and columns, without building any: every access link and every arc counts.

        The head is that of concurrent flow; one plane has a row and a column more for each demand where K does not fix
        what demands get.
        """
        several = problem.plane_count > 1
        conservation = int((problem.node_count[problem.rows[:, 0]].astype(np.int64) - 1).sum())
        rows = conservation + len(problem.tail) + 2 * problem.attach.size
        return (
            rows + (problem.demand_count if several else 0),
            problem.flow_variables + (int(problem.available.sum()) if several else 0) + 1,
        )

    def proof(
        self, column_value: FloatArray, row_dual: FloatArray, served: FloatArray | None = None
    ) -> Proof:
        """See :meth:`Form.proof`."""
        problem = self.problem
        flow = np.zeros(problem.flow_variables)
        flow[self.flow_index] = column_value[: len(self.flow_index)]
        lengths = self.lengths(row_dual)
        # On the way of a simplex method all duals can be zero, which proves nothing.
        if not any(np.any(length > 0) for length in lengths):
            otherwise = Flows.nothing(problem)
            lengths = otherwise.length, otherwise.up_length, otherwise.down_length
        length, up_length, down_length = lengths
        return Flows(
            flow=np.maximum(flow, 0.0),
            injection=self._injection(column_value),
            length=length,
            up_length=up_length,
            down_length=down_length,
        ).proof(problem if served is None else replace(problem, demand=floats(served)))

    def served(self, column_value: FloatArray) -> FloatArray:
        """See :meth:`Form.served`."""
        if len(self.injected):
            return floats(self._injection(column_value).sum(axis=0) * self.flow_unit)
        return self.head.lower + self.head.weight * self.rate(column_value)

    def lengths(self, row_dual: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """See :meth:`Form.lengths`."""
        length = np.maximum(-row_dual[self.arc_row :], 0.0)
        arcs, ups, downs = len(self.problem.tail), len(self.up), len(self.down)
        access = np.zeros((2, self.problem.attach.size))
        access[0, self.up] = length[arcs : arcs + ups]
        access[1, self.down] = length[arcs + ups : arcs + ups + downs]
        up_length, down_length = access.reshape(2, *self.problem.attach.shape)
        return length[:arcs], up_length, down_length

    def _injection(self, column_value: FloatArray) -> FloatArray:
        """Return float64 ``[P, J]``, >= 0: what each plane carries of each demand."""
        shape = self.problem.available.shape
        if not len(self.injected):
            # One plane carries every demand whole.
            return self.problem.demand.reshape(shape)
        injection = np.zeros(self.problem.available.size)
        injection[self.injected] = column_value[len(self.flow_index) : -1]
        return np.maximum(injection, 0.0).reshape(shape)

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
