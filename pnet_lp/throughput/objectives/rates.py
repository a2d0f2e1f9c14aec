"""Rates of single demands: flows that carry them exactly, and what lengths cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.model import AnyCertificate, LoadCertificate, PathCertificate
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.throughput.certificate import arc_certificate
from pnet_lp.throughput.forms import Form
from pnet_lp.throughput.link_problem import LinkProblem
from pnet_lp.throughput.objectives.run import LpSolution
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.split_problem import SplitProblem

Rated = FlowProblem | PathProblem | SplitProblem
"""Problems in which each demand can have a rate of its own."""

Lengths = tuple[FloatArray, FloatArray, FloatArray]
"""Of arcs ``[A]``, of access links up and down, ``[P, E]`` each."""

_LEAST = 1e-12
"""A demand that gets less than this part of the largest rate gets none; the core, which knows no demand of 0, is asked
for this much."""


@dataclass(frozen=True, eq=False)
class Attained:
    """Rates, and a flow that carries them and fits.

    Attributes:
        rate: float64 ``[J]``, Gb/s.
        factor: what was left of the rates asked for, at most 1.
        load: float64 ``[A]``, Gb/s on each arc.
        certificate: the flow; its lengths are any.
    """

    rate: FloatArray
    factor: float
    load: FloatArray
    certificate: AnyCertificate


def attain(problem: Rated, form: Form, solution: LpSolution, rate: FloatArray) -> Attained:
    """Return ``rate`` ``[J]``, carried along the flow of ``solution`` and scaled down until everything fits.

    Raises:
        SolverError: the solution proves nothing, such as one with a NaN.
    """
    if isinstance(problem, FlowProblem):
        least = _LEAST * (float(rate.max()) or float(problem.demand.mean()))
        asked = floats(np.maximum(rate, least))
        try:
            proof = form.proof(solution.column_value, solution.row_dual, asked)
            assert isinstance(proof, _core.Proof)
            found = _core.evaluate(replace(problem, demand=asked).core, proof)
        except _core.CoreError as error:
            raise SolverError(f"the solver's answer cannot be certified: {error}") from error
        factor = min(1.0, found.lower)
        # Without the least demands the load is a little less.
        load = floats(found.load * (factor / found.lower))
        return Attained(_cut(rate, least, factor), factor, load, arc_certificate(proof))
    weight = normalised(problem, solution.column_value[:-1])
    load = problem.usage @ (weight * rate[problem.demand_of_path])
    used = load > 0
    factor = min(1.0, float((problem.capacity[used] / load[used]).min(initial=np.inf)))
    arcs = floats(factor * load[: len(problem.flow.capacity)])
    return Attained(_cut(rate, 0.0, factor), factor, arcs, bundle_certificate(problem, weight, arcs))


def normalised(problem: LinkProblem, weight: FloatArray) -> FloatArray:
    """Return weights ``[N]`` that sum to 1 over the columns of each demand; equal ones where they were all 0."""
    owner = problem.demand_of_path
    weight = np.maximum(weight, 0.0)
    total = np.bincount(owner, weights=weight, minlength=problem.demand_count)[owner]
    count = np.bincount(owner, minlength=problem.demand_count)[owner]
    return floats(np.where(total > 0, weight / np.where(total > 0, total, 1.0), 1.0 / count))


def bundle_certificate(
    problem: PathProblem | SplitProblem, weight: FloatArray, load: FloatArray
) -> AnyCertificate:
    """Return the certificate of a split over given paths or of a fixed split, without lengths."""
    length, access = floats(np.zeros(len(load))), floats(np.zeros(problem.flow.attach.shape))
    if isinstance(problem, SplitProblem):
        return LoadCertificate(length, access, access, load, problem.share)
    return PathCertificate(length, access, access, weight)


def with_lengths(certificate: AnyCertificate, lengths: Lengths, scale: float = 1.0) -> AnyCertificate:
    """Return the certificate with ``scale`` times these lengths."""
    length, up, down = (floats(scale * part) for part in lengths)
    return replace(certificate, length=length, up_length=up, down_length=down)


def volume(flow: FlowProblem, lengths: Lengths) -> float:
    """Return the sum of capacity times length over all links."""
    length, up, down = lengths
    total = float(flow.capacity @ length)
    for speed, access in ((flow.access_up, up), (flow.access_down, down)):
        long = access > 0
        total += float(speed[long] @ access[long])
    return total


def connected(problem: Rated) -> tuple[Rated, IntArray]:
    """Return the problem without its disconnected demands, and the indices of those that are left."""
    kept = ints(np.setdiff1d(np.arange(problem.demand_count), problem.disconnected))
    if len(kept) == problem.demand_count:
        return problem, kept
    if isinstance(problem, SplitProblem):
        return problem.keeping(kept), kept
    flow = problem.flow
    flow = replace(flow, src=ints(flow.src[kept]), dst=ints(flow.dst[kept]), demand=floats(flow.demand[kept]))
    if isinstance(problem, FlowProblem):
        return flow, kept
    # The demands left out have no paths.
    pointer = np.append(problem.paths.pair_ptr[:-1][kept], problem.paths.pair_ptr[-1])
    return replace(problem, flow=flow, paths=replace(problem.paths, pair_ptr=pointer)), kept


def _cut(rate: FloatArray, least: float, factor: float) -> FloatArray:
    return floats(np.where(rate > least, rate * factor, 0.0))
