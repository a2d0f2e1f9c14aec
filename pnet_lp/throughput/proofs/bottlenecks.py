"""Which links limit a throughput, and what kind of limit they are, as the lengths of its certificate say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pnet_lp.model import Bottleneck, Network
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.flow import Lengths
from pnet_lp.model.network import Level
from pnet_lp.model.result import LinkKind
from pnet_lp.throughput.problems import ConcurrentProblem, FlowProblem

if TYPE_CHECKING:
    from pnet_lp.verification.second import SecondConcurrent

SHOWN_BOTTLENECKS = 10
"""Bottlenecks listed in a result; the certificate holds all lengths."""

_NEGLIGIBLE_SHARE = 1e-9
_CUT_TOLERANCE = 1e-3


def bottlenecks(
    stated: ConcurrentProblem | SecondConcurrent, network: Network, level: Level, lengths: Lengths
) -> tuple[tuple[Bottleneck, ...], str]:
    """Return the links with the largest part of ``sum c l``, largest first, and what kind of limit they are.

    The lengths are those of the certificate, in whatever unit.

    The kind is ``access link`` where access links hold more than half of the sum; ``cut`` where the lengths are those
    of a cut (all equal, and no demand has to cross more than one); else ``core link``.
    """
    problem, (length, up, down) = stated.flow, lengths
    core = problem.capacity * length
    access = {"access-up": _products(problem.access_up, up), "access-down": _products(problem.access_down, down)}
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
    return tuple(found[:SHOWN_BOTTLENECKS]), _binding(stated, lengths, float(core.sum()), total)


def _access_bottleneck(
    problem: FlowProblem, network: Network, level: Level, kind: LinkKind, place: int, products: FloatArray, total: float
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


def _binding(problem: ConcurrentProblem | SecondConcurrent, lengths: Lengths, core: float, total: float) -> str:
    if core < total / 2:
        return "access link"
    if problem.fixed:
        return "core link"
    length, *_ = lengths
    longest = length.max()
    long = length > _CUT_TOLERANCE * longest
    if not np.all(length[long] > (1 - _CUT_TOLERANCE) * longest):
        return "core link"
    farthest = problem.farthest(lengths)
    return "cut" if farthest <= longest * (1 + 10 * _CUT_TOLERANCE) else "core link"
