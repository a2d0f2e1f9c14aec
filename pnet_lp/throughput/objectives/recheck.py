"""The bounds of rates and costs a second time, in NumPy and SciPy: neither the Rust core nor a solver takes part.

Each function takes a problem and what was claimed of it, and returns the bounds that the claim proves, or raises
CertificateError where it proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pnet_lp.errors import CertificateError
from pnet_lp.model import AnyCertificate, Certificate, Interval, PathCertificate
from pnet_lp.model.arrays import BoolArray, FloatArray, floats
from pnet_lp.model.result import FairLevel
from pnet_lp.throughput.fixed_split import FixedSplit
from pnet_lp.throughput.objectives.base import Stated
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.recheck import (
    SAME,
    Checks,
    demand_distances,
    find_rows,
    lower_bound,
    plane_arcs,
    propagate,
    reachable,
)
from pnet_lp.throughput.recheck import Split as Fractions
from pnet_lp.throughput.split_problem import SplitProblem

Lengths = tuple[FloatArray, FloatArray, FloatArray]

_ROUNDING = 1e-12
"""How far sums may be off, relatively, and more than that."""


def recheck_total(problem: Stated, certificate: AnyCertificate, rate: FloatArray) -> Interval:
    """Return the bounds on the sum of rates, of which ``rate`` ``[J]`` attains the lower."""
    demand = problem.flow.demand
    _require(np.all((rate >= 0) & (rate <= demand * (1 + SAME))), "a rate is negative or above its demand")
    _loads(problem, certificate, rate)
    lengths = _lengths(certificate)
    beyond = demand * np.maximum(0.0, 1.0 - _distances(problem, lengths))
    return _interval(float(rate.sum()), _volume(problem.flow, lengths) + float(beyond.sum()))


def recheck_max_min(
    problem: Stated, certificate: AnyCertificate, rate: FloatArray, levels: Sequence[FairLevel]
) -> float:
    """Return how far, relatively, a demand's rate is at most from fair, as the lengths of its level prove."""
    _loads(problem, certificate, rate)
    demand = problem.flow.demand
    members = np.concatenate([level.demands for level in levels])
    _require(
        np.array_equal(np.sort(members), np.arange(len(demand))), "the levels do not hold each demand once"
    )
    free = np.ones(len(demand), dtype=bool)
    gaps = []
    for level in levels:
        lengths = level.length, level.up_length, level.down_length
        distance = _distances(problem, lengths)
        _require(
            np.all(rate[level.demands] >= level.rate * demand[level.demands] * (1 - SAME)),
            "a demand gets less than its level",
        )
        held = float((rate * (1 + level.margin) * distance)[~free].sum())
        takes = np.where(free, demand * distance, 0.0)
        whole = _volume(problem.flow, lengths)
        # A demand with hardly a part in a bound that is met to the last bit is not stuck.
        upper = (whole - held + _ROUNDING * (whole + held)) / takes.sum()
        part = takes[level.demands] / takes.sum()
        beyond = max(upper - level.rate, 0.0) / part.min()
        gaps.append(max(beyond / (level.rate + beyond), level.margin))
        free[level.demands] = False
    return float(max(gaps))


def recheck_filling(problem: PathProblem | SplitProblem, rate: FloatArray) -> None:
    """Raise CertificateError unless each demand uses a full link on which no other gets more per unit demand."""
    level = rate / problem.flow.demand
    load = problem.usage @ rate
    _require(np.all(load <= problem.capacity * (1 + SAME)), "a link carries more than it can")
    full = load >= problem.capacity * (1 - SAME)
    for j in range(len(rate)):
        links = problem.usage[:, [j]].indices
        best = [float(level[problem.usage[[link], :].tocsr().indices].max()) for link in links if full[link]]
        _require(bool(best) and level[j] >= min(best) * (1 - SAME), f"demand {j} could get more")


def recheck_min_cost(
    problem: Stated, certificate: AnyCertificate, carried: float, link_cost: FloatArray | None = None
) -> Interval:
    """Return the bounds on what carrying ``carried`` times every demand costs, of which the upper is attained."""
    demand = problem.flow.demand
    weight = np.ones(len(problem.flow.capacity)) if link_cost is None else link_cost
    cost = float(weight @ _loads(problem, certificate, carried * demand)[: len(weight)])
    if isinstance(problem, FixedSplit):
        return Interval(cost, cost)
    length, up, down = _lengths(certificate)
    distance = _distances(problem, (length + weight, up, down))
    return _interval(carried * float(demand @ distance) - _volume(problem.flow, (length, up, down)), cost)


def _require(holds: bool | np.bool_, otherwise: str) -> None:
    if not holds:
        raise CertificateError(otherwise)


def _interval(lower: float, upper: float) -> Interval:
    _require(lower <= upper + SAME * abs(upper), "the bounds cross")
    return Interval(min(lower, upper), upper)


def _lengths(certificate: AnyCertificate) -> Lengths:
    lengths = certificate.length, certificate.up_length, certificate.down_length
    for part in lengths:
        _require(np.all(np.isfinite(part) & (part >= 0)), "a length is negative or infinite")
    return lengths


def _volume(flow: FlowProblem, lengths: Lengths) -> float:
    total = 0.0
    for speed, length in zip((flow.capacity, flow.access_up, flow.access_down), lengths, strict=True):
        long = length > 0
        _require(np.all(np.isfinite(speed[long])), "a link without a limit has a length")
        total += float(speed[long] @ length[long])
    return total


def _distances(problem: Stated, lengths: Lengths) -> FloatArray:
    """Return float64 ``[J]``: the length of each demand's shortest way, or over its fixed split."""
    length, up, down = lengths
    if not isinstance(problem, FlowProblem):
        assert not isinstance(problem, FixedSplit)
        cost = problem.usage.T @ np.concatenate([length, up.ravel(), down.ravel()])
        found = np.full(problem.demand_count, np.inf)
        np.minimum.at(found, problem.demand_of_path, cost)
        return found
    available = reachable(problem)
    ways = np.stack(
        [
            np.where(
                available[p],
                up[p, problem.src]
                + demand_distances(problem, p, length[plane_arcs(problem, p)])
                + down[p, problem.dst],
                np.inf,
            )
            for p in range(problem.plane_count)
        ]
    )
    return floats(ways.min(axis=0))


def _loads(problem: Stated, certificate: AnyCertificate, rate: FloatArray) -> FloatArray:
    """Return the load of each arc when each demand gets its rate, ``[A]``; check that all links take theirs."""
    if isinstance(problem, FlowProblem):
        assert isinstance(certificate, Certificate)
        rated = replace(problem, demand=rate)
        available = reachable(problem)
        fits = lower_bound(Checks("certificate"), certificate, rated, available)
        _require(fits >= 1 - SAME, "a link carries more than it can")
        return _arc_loads(rated, certificate, available)
    if isinstance(problem, FixedSplit):
        load = floats(problem.load * (rate / problem.flow.demand)[0])
        _require(np.all(load <= problem.flow.capacity * (1 + SAME)), "a link carries more than it can")
        return load
    weight = certificate.weight if isinstance(certificate, PathCertificate) else np.ones(len(rate))
    _require(np.all(weight >= 0), "a path has a negative part of its demand")
    total = np.bincount(problem.demand_of_path, weights=weight, minlength=len(rate))
    _require(np.all(np.abs(total - 1) <= SAME), "the parts of a demand do not sum to 1")
    load = problem.usage @ (weight * rate[problem.demand_of_path])
    _require(np.all(load <= problem.capacity * (1 + SAME)), "a link carries more than it can")
    return floats(load[: len(problem.flow.capacity)])


def _arc_loads(problem: FlowProblem, certificate: Certificate, available: BoolArray) -> FloatArray:
    """Return what shares and fractions, which were checked, put on each arc."""
    rows = find_rows(problem, available)
    row = np.repeat(np.arange(len(rows.plane)), np.diff(certificate.split_ptr))
    arc = problem.arc_ptr[rows.plane[row]] + certificate.split_arc
    tail = rows.state[row] + problem.tail[arc]
    order = np.argsort(tail, kind="stable")
    fractions = Fractions(
        tail[order],
        (rows.state[row] + problem.head[arc])[order],
        arc[order],
        certificate.split_fraction[order],
    )
    plane, demand = np.nonzero(rows.demand_row >= 0)
    entering = rows.state[rows.demand_row[plane, demand]] + problem.attach[plane, problem.src[demand]]
    amount = (certificate.share * problem.demand)[plane, demand]
    passing = floats(np.bincount(entering, weights=amount, minlength=int(rows.state[-1]))).copy()
    carried, _ = propagate(passing, fractions)
    return floats(np.bincount(fractions.arc, weights=carried, minlength=len(problem.tail)))
