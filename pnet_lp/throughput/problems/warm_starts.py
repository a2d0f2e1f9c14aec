"""What an answer to one problem says about another: flow and lengths on the links and demands that both have.

Links are the same where they are one direction of one cable, endpoints where they stand for the same rack or host.
What only the new problem has gets a mean length, and no flow but what rounding sends over shortest paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import SolverError, SpecError
from pnet_lp.memory import check_fits
from pnet_lp.model import ArcCertificate, Certificate
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.flow import FlowProblem
from pnet_lp.throughput.problems.proof import Flows

K = TypeVar("K", bound=Certificate)


def of_kind(kind: type[K], certificate: Certificate, over: str) -> K:
    """Return ``certificate``; SpecError where it is not of that ``kind``, which results ``over`` such paths have."""
    if certificate.name != kind.name:
        raise SpecError(f"a warm start needs the certificate of a result {over}", found=type(certificate).__name__)
    return cast("K", certificate)


def carry(
    given: ArcCertificate | _core.Proof,
    earlier: FlowProblem,
    flow: FlowProblem,
    planes: Sequence[Sequence[int]] | None = None,
) -> _core.Proof:
    """Return the proof for ``flow`` that is nearest to one for ``earlier``.

    A node that has lost some of the links which it used sends more over the others; where it has lost all, its traffic
    takes paths of fewest links.

    Args:
        given: flow and lengths.
        earlier: what they are for.
        flow: the problem to carry them to.
        planes: for each plane of ``flow`` those of ``earlier`` that it stands for, of which the first says how traffic
            is split; default: planes are the same.

    Raises:
        SpecError: the problems are of networks with other switches, racks or hosts.
        SolverError: the flow does not fit into memory.
    """
    groups = [[p] for p in range(earlier.plane_count)] if planes is None else planes
    first = [own[0] for own in groups]
    if (
        len(groups) != flow.plane_count
        or len(earlier.endpoint_class) != len(flow.endpoint_class)
        or (earlier.node_count[first] != flow.node_count).any()
    ):
        raise SpecError("the warm start is for a network with other planes, switches, racks or hosts")
    check_fits(
        8 * flow.flow_variables,
        f"a warm start with {flow.flow_variables:,} flow variables",
        SolverError,
        allowed="solving from nothing, fewer planes, a smaller network",
    )
    endpoint = earlier.endpoint_class[flow.member]
    known, demand = _demands(earlier, flow, endpoint)
    split_ptr, split_arc, split_fraction = given.split_ptr, given.split_arc, given.split_fraction
    share = np.ones((flow.plane_count, flow.demand_count))
    share[:, known] = [given.share[own].sum(axis=0)[demand] for own in groups]
    length = np.empty(len(flow.capacity))
    flows = np.zeros(flow.flow_variables)
    end = 0
    for p, source in enumerate(first):
        then, now = (slice(*flows.arc_ptr[q : q + 2].tolist()) for flows, q in ((earlier, source), (flow, p)))
        arcs = _places(earlier.arc_id[then], flow.arc_id[now])
        own = given.length[then][arcs >= 0]
        length[now] = own.mean() if own.size else 1.0
        length[now][arcs[arcs >= 0]] = own
        rows, targets = np.flatnonzero(earlier.rows[:, 0] == source), flow.rows[flow.rows[:, 0] == p, 1]
        begin, end = end, end + len(targets) * (now.stop - now.start)
        if not rows.size:
            continue
        row = np.repeat(_places(earlier.rows[rows, 1], targets), np.diff(split_ptr)[rows])
        entries = slice(int(split_ptr[rows[0]]), int(split_ptr[rows[-1] + 1]))
        arc = arcs[split_arc[entries]]
        kept = (row >= 0) & (arc >= 0)
        part = flows[begin:end].reshape(len(targets), now.stop - now.start)
        part[row[kept], arc[kept]] = split_fraction[entries][kept]
    up, down = (
        np.where(endpoint >= 0, access[first][:, endpoint], 0.0) for access in (given.up_length, given.down_length)
    )
    # Where lengths decide, all links count equally.
    found = Flows(flows, share, np.ones_like(length), up, down).proof(flow)
    return _core.Proof(length, up, down, found.share, found.split_ptr, found.split_arc, found.split_fraction)


def _demands(earlier: FlowProblem, flow: FlowProblem, endpoint: IntArray) -> tuple[IntArray, IntArray]:
    """Return the demands of ``flow`` that ``earlier`` has, and which those are there.

    Args:
        earlier: the other problem.
        flow: the problem.
        endpoint: int32 ``[E]``, the endpoint of ``earlier`` that each of ``flow`` is, -1 for none.
    """
    src, dst, count = endpoint[flow.src], endpoint[flow.dst], earlier.attach.shape[1]
    # Demands are sorted by source and destination.
    keys = earlier.src.astype(np.int64) * count + earlier.dst
    sought = src.astype(np.int64) * count + dst
    place = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
    known = np.flatnonzero((src >= 0) & (dst >= 0) & (keys[place] == sought))
    return ints(known), ints(place[known])


def _places(of: IntArray, among: IntArray) -> IntArray:
    """Return int32: where each number is found in ``among``, -1 where it is not."""
    place = np.full(max(of.max(initial=0), among.max(initial=0)) + 1, -1)
    place[among] = np.arange(len(among))
    return ints(place[of])


def check_shapes(*arrays: tuple[str, npt.NDArray[Any], tuple[int, ...]]) -> None:
    """Raise SpecError where one of the ``arrays`` of a warm start, each named, does not have the expected shape."""
    for what, found, expected in arrays:
        if found.shape != expected:
            raise SpecError(f"the warm start is for other {what}", found=_times(found.shape), allowed=_times(expected))


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
