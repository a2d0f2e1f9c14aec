"""The arc form: a flow variable for each arc and destination.

Columns: the flow ``x[r, a]`` of each row r (plane, destination switch) on each arc a of its plane that does not leave
the destination; the injection ``I[p, j]`` of each demand into each plane that has a path for it; last, K.  Rows, in
this order, the last ones with the weights and limits of the :class:`ProgramGoal`:

    outflow(x[r], u) - inflow(x[r], u) - injected(r, u) = 0    for each row r and switch u but the destination
    sum_r x[r, a] <= c_a                                       for each arc a; dual: length; of two arcs that are one
                                                               link, the first has the row: the sum of both <= 2 c_a
    sum_{j from e} I[p, j] <= access_up[p, e]                  where finite; dual: up_length
    sum_{j to e} I[p, j] <= access_down[p, e]                  where finite; dual: down_length
    lower_j <= sum_p I[p, j] - K w_j <= upper_j                for each demand j

With one plane and ``lower = upper`` there are neither injections nor the last rows: ``I[0, j] = K w_j + lower_j`` is
put in.
Demands between endpoints on one switch enter access rows only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.certificates import by_destination
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.rounded import div_up, mul_down, mul_up
from pnet_lp.throughput.problems.program import (
    MAX_ENTRIES,
    Form,
    Labels,
    LinearProgram,
    ProgramGoal,
    compressed_columns,
)
from pnet_lp.throughput.problems.proof import Attained, Flows, fitting

_Index = npt.NDArray[np.int64]

_LEAST = 1e-12
"""A demand that gets less than this part of the largest rate gets none; the core, which has no demands of 0, gets
this much."""


class ArcForm(Form[_core.Proof]):
    """A :class:`FlowProblem` as a linear program.

    Flows are counted in units of the mean demand at the estimated K, and the cost makes lengths come out near 1, so
    that a solver's absolute tolerances mean about the same for every network.

    Attributes:
        flow_index: int64, the place of each flow column in :attr:`Flows.flow`.
        injected: int64, the flat index into ``[P, J]`` of each injection column.
        arc_row: the first of the ``A`` capacity rows; the access rows follow.
        up, down: flat indices into ``[P, E]`` of the access rows.
    """

    def __init__(self, flow: FlowProblem, goal: ProgramGoal | None = None) -> None:
        if 3 * (count := self.size(flow)[1]) > MAX_ENTRIES:
            raise SolverError(
                f"{count:,} variables are too many for a linear program with 32-bit indices",
                allowed="fewer planes, a smaller network",
            )
        self.flow = flow
        self.goal = goal = ProgramGoal.concurrent(flow) if goal is None else goal
        self.rate_unit = min(_rate_estimate(flow), goal.rate_scale)
        self.flow_unit = flow_unit = self.rate_unit * float(flow.demand.mean())
        weight = goal.weight * (self.rate_unit / flow_unit)

        self.flow_index, flow_rows, conservation = _flow_columns(flow)
        arcs = len(flow.tail)
        self.arc_row = arc_row = int(conservation[-1])
        self.up, self.down = up, down = _access_links(flow)
        up_row = arc_row + arcs
        down_row = up_row + len(up)
        demand_row = down_row + len(down)
        row_lower = np.zeros(demand_row)
        row_upper = np.zeros(demand_row)
        row_lower[arc_row:] = -np.inf
        row_upper[arc_row:up_row] = flow.capacity / flow_unit
        if flow.partner is not None:
            own = np.arange(arcs)
            row_upper[arc_row:up_row][flow.partner > own] *= 2
            row_upper[arc_row:up_row][flow.partner < own] = np.inf
        row_upper[up_row:down_row] = flow.access_up.ravel()[up] / flow_unit
        row_upper[down_row:] = flow.access_down.ravel()[down] / flow_unit

        plane, j = np.nonzero(flow.available)
        rows, columns, values = _injection_entries(flow, plane, j, conservation, (up, up_row), (down, down_row))
        if flow.plane_count == 1 and goal.fixes:
            self.injected = np.empty(0, dtype=np.int64)
            injections = compressed_columns(rows, np.zeros_like(rows), values * weight[columns], 1)
            constant = np.bincount(rows, weights=values * goal.lower[columns], minlength=demand_row)
            row_lower -= constant / flow_unit
            row_upper -= constant / flow_unit
        else:
            self.injected = plane * flow.demand_count + j
            of_rate = len(self.injected)
            rows = np.concatenate([rows, demand_row + j, demand_row + np.arange(flow.demand_count)])
            columns = np.concatenate([columns, np.arange(of_rate), np.full(flow.demand_count, of_rate)])
            values = np.concatenate([values, np.ones(of_rate), -weight])
            injections = compressed_columns(rows, columns, values, of_rate + 1)
            row_lower = np.concatenate([row_lower, goal.lower / flow_unit])
            row_upper = np.concatenate([row_upper, goal.upper / flow_unit])
        injected_start, injected_row, injected_value = injections

        kept = flow_rows >= 0
        per_column = kept.sum(axis=1)
        start = np.concatenate([[0], np.cumsum(per_column)])
        flow_values = np.broadcast_to([1.0, -1.0, 1.0], flow_rows.shape)[kept]
        self._lp = LinearProgram(
            cost=np.concatenate(
                [
                    goal.arc_cost[flow_rows[:, 2] - arc_row],
                    goal.served_cost[self.injected % flow.demand_count],
                    [goal.rate_cost * (self.rate_unit / flow_unit)],
                ]
            ),
            start=np.concatenate([start, start[-1] + injected_start[1:]]).astype(np.int32),
            index=np.concatenate([flow_rows[kept], injected_row]).astype(np.int32),
            value=np.concatenate([flow_values, injected_value]),
            row_lower=row_lower,
            row_upper=row_upper,
        )

    @property
    def lp(self) -> LinearProgram:
        """See :attr:`Form.lp`."""
        return self._lp

    @staticmethod
    def size(flow: FlowProblem) -> tuple[int, int, int]:
        """Return rows, columns and entries, without building any: every access link and every arc counts.

        The goal is that of concurrent flow; one plane has a row and a column more for each demand where K does not fix
        what demands get.
        """
        several = flow.plane_count > 1
        conservation = int((flow.node_count[flow.rows[:, 0]].astype(np.int64) - 1).sum())
        rows = conservation + len(flow.tail) + 2 * flow.attach.size + (flow.demand_count if several else 0)
        injected = int(flow.available.sum()) if several else 0
        # A flow is in the rows of its two ends and of its arc; what is injected in four; K in those of all demands.
        entries = 3 * flow.flow_variables + 4 * injected + rows
        return rows, flow.flow_variables + injected + 1, entries

    def proof(self, value: FloatArray, dual: FloatArray) -> _core.Proof:
        """See :meth:`Form.proof`."""
        return self._rounded(value, dual, self.flow)

    def attain(self, value: FloatArray, dual: FloatArray, rate: FloatArray) -> Attained:
        """See :meth:`Form.attain`."""
        return carried(self.flow, rate, self.goal.lower, lambda served: self._rounded(value, dual, served))

    def served(self, value: FloatArray) -> FloatArray:
        """See :meth:`Form.served`."""
        if len(self.injected):
            return floats(self._injection(value).sum(axis=0) * self.flow_unit)
        return self.goal.lower + self.goal.weight * self.rate(value)

    def lengths(self, dual: FloatArray) -> Lengths:
        """See :meth:`Form.lengths`."""
        length = np.maximum(-dual[self.arc_row :], 0.0)
        arcs, ups, downs = len(self.flow.tail), len(self.up), len(self.down)
        access = np.zeros((2, self.flow.attach.size))
        access[0, self.up] = length[arcs : arcs + ups]
        access[1, self.down] = length[arcs + ups : arcs + ups + downs]
        up_length, down_length = access.reshape(2, *self.flow.attach.shape)
        core = length[:arcs]
        if self.flow.partner is not None:
            core = core[np.minimum(self.flow.partner, np.arange(arcs))]
        return core, up_length, down_length

    def column_names(self, labels: Labels) -> Iterator[str]:
        """See :meth:`Form.column_names`."""
        flow = self.flow
        arcs = np.diff(flow.arc_ptr)[flow.rows[:, 0]]
        first = np.concatenate([[0], np.cumsum(arcs)])
        row = np.searchsorted(first, self.flow_index, side="right") - 1
        arc = self.flow_index - first[row] + flow.arc_ptr[flow.rows[row, 0]]
        ends = [labels.switch[p][t] for p, t in flow.rows.tolist()]
        for r, a in zip(row.tolist(), arc.tolist(), strict=True):
            yield f"flow({labels.arc[a]},{ends[r]})"
        for place in self.injected.tolist():
            plane, j = divmod(place, flow.demand_count)
            yield f"send({plane},{labels.demand[j]})"
        yield "K"

    def row_names(self, labels: Labels) -> Iterator[str]:
        """See :meth:`Form.row_names`."""
        flow = self.flow
        for p, t in flow.rows.tolist():
            names = labels.switch[p]
            for u, name in enumerate(names):
                if u != t:
                    yield f"conserve({p},{name},{names[t]})"
        for arc in labels.arc:
            yield f"link({arc})"
        yield from labels.access("up", self.up.tolist())
        yield from labels.access("down", self.down.tolist())
        if flow.plane_count > 1:
            for demand in labels.demand:
                yield f"demand({demand})"

    def _rounded(self, value: FloatArray, dual: FloatArray, served: FlowProblem) -> _core.Proof:
        """Return the exactly feasible proof that a solution rounds to, which carries the demands of ``served``."""
        flow = np.zeros(self.flow.flow_variables)
        flow[self.flow_index] = value[: len(self.flow_index)]
        lengths = self.lengths(dual)
        # Before the optimum all duals of a simplex method can be zero, which proves nothing.
        if not any(np.any(length > 0) for length in lengths):
            lengths = Flows.nothing(self.flow).lengths
        return Flows(np.maximum(flow, 0.0), self._injection(value), *lengths).proof(served)

    def _injection(self, value: FloatArray) -> FloatArray:
        """Return float64 ``[P, J]``, >= 0: what each plane carries of each demand."""
        shape = self.flow.available.shape
        if not len(self.injected):
            # One plane carries every demand whole.
            return self.flow.demand.reshape(shape)
        injection = np.zeros(self.flow.available.size)
        injection[self.injected] = value[len(self.flow_index) : -1]
        return np.maximum(injection, 0.0).reshape(shape)


def carried(
    flow: FlowProblem, rate: FloatArray, prescribed: FloatArray, proof_of: Callable[[FlowProblem], _core.Proof]
) -> Attained:
    """Return ``rate`` ``[J]``, Gb/s, carried along the flow of a proof and scaled down until everything fits.

    Args:
        flow: links and demands.
        rate: what each demand is to get.
        prescribed: float64 ``[J]``, what each demand has to get, Gb/s.
        proof_of: returns the proof, given links and demands of these rates.

    Raises:
        SolverError: the proof proves nothing, such as one with a NaN.
    """
    least = _LEAST * (float(rate.max()) or float(flow.demand.mean()))
    # What the goal prescribes is no noise, however small it is beside the rest.
    nothing = (rate <= least) & (prescribed <= 0)
    requested = replace(flow, demands=replace(flow.pairs, demand=floats(np.where(nothing, least, rate))))
    try:
        proof = proof_of(requested)
        found = _core.evaluate(requested.core, proof)
    except _core.CoreError as error:
        raise SolverError(f"the solver's answer cannot be certified: {error}") from error
    factor = fitting(flow.attained(found.lower), found.hops)
    # Without the least demands the load is a little less.
    load = floats(mul_up(found.load, div_up(factor, found.lower)))
    attained = floats(np.where(nothing, 0.0, mul_down(rate, factor)))
    return Attained(attained, factor, load, by_destination(flow, proof))


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
    number = np.arange(len(problem.tail))
    capacity_row = conservation[-1] + (number if problem.partner is None else np.minimum(problem.partner, number))
    places, entries = [], []
    offset = 0
    leads = problem.core.leads()
    for p in range(problem.plane_count):
        arcs = slice(problem.arc_ptr[p], problem.arc_ptr[p + 1])
        tail, head = problem.tail[arcs], problem.head[arcs]
        of_plane = np.flatnonzero(rows[:, 0] == p)
        to = rows[of_plane, 1][:, None]
        base = conservation[of_plane][:, None]
        kept = tail != to
        if len(leads):
            kept &= leads[offset : offset + kept.size].reshape(kept.shape)
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
