"""Which links limit a throughput, and what kind of limit they are, as the lengths of its certificate say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Bottleneck, Network
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.flow import Lengths
from pnet_lp.model.network import Level
from pnet_lp.model.servers import LINK_KINDS, LinkKind
from pnet_lp.throughput.problems import ConcurrentProblem, FlowProblem

if TYPE_CHECKING:
    from pnet_lp.verification.second import SecondConcurrent

SHOWN_BOTTLENECKS = 10
"""Bottlenecks listed in a result; the certificate holds all lengths."""

_EQUIVALENT = 4
"""Of equivalent links so many are listed."""

_STEPS = 1 << 10
_NEGLIGIBLE_SHARE = 1e-9
_CUT_TOLERANCE = 1e-3


def bottlenecks(
    stated: ConcurrentProblem | SecondConcurrent,
    network: Network,
    level: Level,
    lengths: Lengths,
    *,
    grouped: bool = True,
) -> tuple[tuple[Bottleneck, ...], str]:
    """Return the links with the largest part of ``sum c l``, largest first, and what kind of limit they are.

    The lengths are those of the certificate, in whatever unit.  Unless ``grouped``, as in files of earlier versions,
    each link is listed by itself.

    The kind is ``access link`` where access links hold more than half of the sum; ``cut`` where the lengths are those
    of a cut (all equal, and no demand has to cross more than one); else ``core link``.
    """
    problem, (length, up, down) = stated.flow, lengths
    core, capacity = problem.capacity * length, problem.capacity
    if problem.partner is not None:
        # Of two arcs that are one link, the first stands for it.
        own = np.arange(len(core))
        pair = problem.partner != own
        core = np.where(problem.partner < own, 0.0, np.where(pair, 2 * core, core))
        capacity = np.where(pair, 2 * capacity, capacity)
    access = {"access-up": _products(problem.access_up, up), "access-down": _products(problem.access_down, down)}
    total = float(core.sum() + sum(part.sum() for part in access.values()))
    if total <= 0:
        return (), "core link"
    found: list[Bottleneck] = []
    for arc, equivalent in _largest(core / total, capacity, grouped):
        plane = int(np.searchsorted(problem.arc_ptr, arc, side="right")) - 1
        link = network.link(plane, int(problem.arc_id[arc]))
        speed = float(capacity[arc])
        found.append(Bottleneck(link.plane, link.ends, link.kind, float(core[arc] / total), speed, equivalent))
    kinds: tuple[LinkKind, ...] = ("access-up", "access-down")
    for kind in kinds:
        speeds = problem.access_up if kind == "access-up" else problem.access_down
        found.extend(
            _access_bottleneck(problem, network, level, kind, place, access[kind] / total, speeds, equivalent)
            for place, equivalent in _largest(access[kind].ravel() / total, speeds.ravel(), grouped)
        )
    found.sort(key=lambda item: -item.share)
    if network.servers is not None:
        # Ports of NICs are arcs as well.
        return tuple(found[:SHOWN_BOTTLENECKS]), _largest_part(network, problem, core, total)
    return tuple(found[:SHOWN_BOTTLENECKS]), _binding(stated, lengths, float(core.sum()), total)


def _access_bottleneck(
    problem: FlowProblem,
    network: Network,
    level: Level,
    kind: LinkKind,
    place: int,
    share: FloatArray,
    speeds: FloatArray,
    equivalent: int,
) -> Bottleneck:
    plane, endpoint = divmod(place, share.shape[1])
    members = np.flatnonzero(problem.endpoint_class == endpoint)
    host = network.endpoint_names(level)[members[0]]
    name = host if len(members) == 1 else f"{host} and {len(members) - 1} equivalent"
    switch = network.graph.planes[plane].switch_names[problem.attach[plane, endpoint]]
    return Bottleneck(
        plane,
        (name, switch) if kind == "access-up" else (switch, name),
        kind,
        float(share[plane, endpoint]),
        float(speeds[plane, endpoint]),
        equivalent,
    )


def _products(capacity: FloatArray, length: FloatArray) -> FloatArray:
    """Return capacity times length, 0 where the length is 0 even if the capacity is infinite."""
    return np.multiply(capacity, length, out=np.zeros_like(length), where=length > 0)


def rounded_share(share: npt.ArrayLike) -> FloatArray:
    """Return shares rounded to a part of 1e-3, within which dual prices of equivalent links come out of a solver."""
    mantissa, exponent = np.frexp(share)
    return np.ldexp(np.round(_STEPS * mantissa), exponent)


def _largest(share: FloatArray, capacity: FloatArray, grouped: bool) -> list[tuple[int, int]]:
    """Return the indices of the largest shares, largest first, and of each how many equal it in share and capacity.

    Of equal links the first few are listed.
    """
    used = np.flatnonzero(share > _NEGLIGIBLE_SHARE)
    if not grouped:
        return [(int(i), 1) for i in used[np.argsort(-share[used], kind="stable")][:SHOWN_BOTTLENECKS]]
    rounded = rounded_share(share[used])
    order = np.lexsort((used, capacity[used], -rounded))
    alike = np.stack([rounded, capacity[used]])[:, order]
    first = np.flatnonzero(np.r_[True, np.any(np.diff(alike, axis=1), axis=0)][: len(order)])
    size = np.diff(np.r_[first, len(order)])
    groups = list(zip(first.tolist(), size.tolist(), strict=True))[:SHOWN_BOTTLENECKS]
    listed = [(int(used[order[i + j]]), n) for i, n in groups for j in range(min(n, _EQUIVALENT))]
    return listed[:SHOWN_BOTTLENECKS]


def _largest_part(network: Network, problem: FlowProblem, core: FloatArray, total: float) -> str:
    """Return what kind of links holds most of the sum of a network with servers."""
    part: dict[LinkKind, float] = {}
    for p, ranks in enumerate(network.link_kinds):
        arcs = slice(*problem.arc_ptr[p : p + 2].tolist())
        for rank, kind in enumerate(LINK_KINDS):
            here = ranks[problem.arc_id[arcs]] == rank
            part[kind] = part.get(kind, 0.0) + float(core[arcs][here].sum())
    access = part["access-up"] + part["access-down"] + total - float(core.sum())
    return max((access, "access link"), (part["core"], "core link"), (part["server"], "scale-up link"))[1]


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
