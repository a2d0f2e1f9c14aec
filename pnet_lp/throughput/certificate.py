"""The certificate: what a solver's answer proves, recomputed from raw arrays for every solver, ours and others'.

The bounds are those of the design's semantics: any lengths bound K from above by linear-programming duality, and the
flow that the splitting fractions define, propagated exactly and scaled until its fullest link is full, attains the
lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.model import AnyCertificate, Bottleneck, Certificate, Interval, Network, PathCertificate
from pnet_lp.model.arrays import FloatArray, floats, ints
from pnet_lp.model.network import Level
from pnet_lp.model.result import LinkKind
from pnet_lp.throughput.fixed_split import FixedSplit
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.proof import PathProof, Proof
from pnet_lp.throughput.split_problem import SplitProblem

SHOWN_BOTTLENECKS = 10
"""Bottlenecks listed in a result; the certificate holds all lengths."""

_NEGLIGIBLE_SHARE = 1e-9
_CUT_TOLERANCE = 1e-3

_ROUNDING = 1e-9
"""Both bounds are sums of up to millions of floating-point numbers; where they meet, they may cross by this part."""


@dataclass(frozen=True, eq=False)
class Certified:
    """What a proof proves.

    Attributes:
        certificate: the proof.
        interval: the bounds on K.
        load: float64 ``[arcs]``, Gb/s on each arc of the problem at K = the lower bound.
    """

    certificate: AnyCertificate
    interval: Interval
    load: FloatArray


def certify(problem: FlowProblem | PathProblem, proof: Proof) -> Certified:
    """Return the bounds that ``proof`` gives on ``problem``.

    Raises:
        SolverError: the solver returned something that proves nothing, such as a NaN length.
    """
    try:
        if isinstance(problem, PathProblem):
            if not isinstance(proof, PathProof):
                raise SolverError(f"the solver's answer is no split over paths but a {type(proof).__name__}")
            lower, upper, certificate, load = _certify_paths(problem, proof)
        elif isinstance(proof, PathProof):
            raise SolverError("the solver's answer is a split over paths, which the problem does not have")
        else:
            lower, upper, certificate, load = _certify_arcs(problem, proof)
    except _core.CoreError as error:
        raise SolverError(f"the solver's answer cannot be certified: {error}") from error
    if upper < lower * (1 - _ROUNDING):
        raise SolverError(
            f"bounds cross: lower {lower!r}, upper {upper!r}; this is a defect, please report it"
        )
    return Certified(certificate, Interval(lower, max(lower, upper)), load)


def arc_certificate(proof: _core.Proof) -> Certificate:
    """Return a proof on arc form as a value."""
    return Certificate(
        length=floats(proof.length),
        up_length=floats(proof.up_length),
        down_length=floats(proof.down_length),
        share=floats(proof.share),
        split_ptr=ints(proof.split_ptr),
        split_arc=ints(proof.split_arc),
        split_fraction=floats(proof.split_fraction),
    )


def _certify_arcs(
    problem: FlowProblem, proof: _core.Proof
) -> tuple[float, float, AnyCertificate, FloatArray]:
    found = _core.evaluate(problem.core, proof)
    return found.lower, found.upper, arc_certificate(proof), floats(found.load)


def _certify_paths(problem: PathProblem, proof: PathProof) -> tuple[float, float, AnyCertificate, FloatArray]:
    lower, upper, load, weight = problem.core.bounds(proof.weight, problem.lengths(proof))
    certificate = PathCertificate(
        length=floats(proof.length),
        up_length=floats(proof.up_length),
        down_length=floats(proof.down_length),
        weight=floats(weight),
    )
    return lower, upper, certificate, floats(lower * load[: len(problem.flow.capacity)])


def bottlenecks(
    stated: FlowProblem | PathProblem | FixedSplit | SplitProblem,
    network: Network,
    level: Level,
    certificate: AnyCertificate,
) -> tuple[tuple[Bottleneck, ...], str]:
    """Return the links with the largest part of ``sum c l``, largest first, and what kind of limit they are.

    The kind is ``access link`` where access links hold more than half of the sum; ``cut`` where the lengths are those
    of a cut (all alike, and no demand has to cross more than one); else ``core link``.
    """
    problem = stated.flow
    core = problem.capacity * certificate.length
    access = {
        "access-up": _products(problem.access_up, certificate.up_length),
        "access-down": _products(problem.access_down, certificate.down_length),
    }
    total = float(core.sum() + sum(part.sum() for part in access.values()))
    if total <= 0:
        return (), "core link"
    found: list[Bottleneck] = []
    for arc in _largest(core):
        plane = int(np.searchsorted(problem.arc_ptr, arc, side="right")) - 1
        names = network.planes[plane].switch_names
        link = (names[problem.tail[arc]], names[problem.head[arc]])
        found.append(Bottleneck(plane, link, "core", float(core[arc] / total), float(problem.capacity[arc])))
    kinds: tuple[LinkKind, ...] = ("access-up", "access-down")
    for kind in kinds:
        found.extend(
            _access_bottleneck(problem, network, level, kind, place, access[kind], total)
            for place in _largest(access[kind].ravel())
        )
    found = [item for item in found if item.share > _NEGLIGIBLE_SHARE]
    found.sort(key=lambda item: -item.share)
    return tuple(found[:SHOWN_BOTTLENECKS]), _binding(stated, certificate, float(core.sum()), total)


def _access_bottleneck(
    problem: FlowProblem,
    network: Network,
    level: Level,
    kind: LinkKind,
    place: int,
    products: FloatArray,
    total: float,
) -> Bottleneck:
    plane, endpoint = divmod(place, products.shape[1])
    members = np.flatnonzero(problem.endpoint_class == endpoint)
    host = network.endpoint_names(level)[members[0]]
    name = host if len(members) == 1 else f"{host} and {len(members) - 1} alike"
    switch = network.planes[plane].switch_names[problem.attach[plane, endpoint]]
    speeds = problem.access_up if kind == "access-up" else problem.access_down
    return Bottleneck(
        plane,
        (name, switch) if kind == "access-up" else (switch, name),
        kind,
        float(products.ravel()[place] / total),
        float(speeds[plane, endpoint]),
    )


def _products(capacity: FloatArray, length: FloatArray) -> FloatArray:
    """Return capacity times length, 0 where the length is 0 even if the capacity is infinite."""
    return np.multiply(capacity, length, out=np.zeros_like(length), where=length > 0)


def _largest(values: FloatArray) -> list[int]:
    """Return the indices of the largest values, largest first, equal ones in order."""
    return [int(i) for i in np.argsort(-values, kind="stable")[:SHOWN_BOTTLENECKS]]


def _binding(
    problem: FlowProblem | PathProblem | FixedSplit | SplitProblem,
    certificate: AnyCertificate,
    core: float,
    total: float,
) -> str:
    if core < total / 2:
        return "access link"
    if isinstance(problem, FixedSplit | SplitProblem):
        return "core link"
    longest = certificate.length.max()
    long = certificate.length > _CUT_TOLERANCE * longest
    alike = bool(np.all(certificate.length[long] > (1 - _CUT_TOLERANCE) * longest))
    if not alike:
        return "core link"
    distance = problem.distances(certificate.length, certificate.up_length, certificate.down_length)
    return "cut" if float(distance.max()) <= longest * (1 + 10 * _CUT_TOLERANCE) else "core link"
