"""The flow problem: what a network and a traffic matrix mean, as arrays.

Every solver reads these arrays and every certificate refers to them, so they are a pure function of the network and
the traffic: these two are enough to rebuild the problem and check a stored proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import TrafficError
from pnet_lp.model.arcs import usable_arcs
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.components import strong_components
from pnet_lp.model.demands import LISTED_PAIRS, Demands, Listed, Pairs
from pnet_lp.model.endpoint_classes import endpoint_classes
from pnet_lp.model.islands import islands
from pnet_lp.model.network import Network
from pnet_lp.model.paths import Policy
from pnet_lp.model.rounded import add_up, div_down, div_up, mul_down, mul_up, sub_down, sum_up, totals_up
from pnet_lp.model.traffic import TrafficMatrix

if TYPE_CHECKING:
    import scipy.sparse as sp

Lengths: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""Of arcs ``[A]``, of access links up and down, ``[P, E]`` each."""

_BYTES_PER_SPLIT = 32
"""Of a proof, an index and a fraction; of its certificate the same; of the fraction once more, while it is copied."""


@brief("plane_count", "demand_count")
@dataclass(frozen=True, eq=False, repr=False)
class FlowProblem(Listed):
    """Links and demands over several planes, as flat arrays.

    ``P`` planes, ``A`` arcs in all planes, ``E`` endpoints (racks, or classes of equivalent hosts), ``J`` demands.

    Attributes:
        node_count: int32 ``[P]``, switches of each plane.
        arc_ptr: int32 ``[P + 1]``, where each plane's arcs begin.
        tail, head: int32 ``[A]``, switches, local to the plane.
        capacity: float64 ``[A]``, Gb/s, > 0; links of capacity 0 are left out.
        arc_id: int32 ``[A]``, the arc's index in ``Plane.arcs``.
        attach: int32 ``[P, E]``, the switch an endpoint attaches to, -1 for none.
        access_up, access_down: float64 ``[P, E]``, Gb/s of the access links, ``inf`` at rack level.
        demands: between endpoints; from one to itself only inside a class of several hosts.
        endpoint_class: int32, one per rack or host of the network: the endpoint ``[0, E)`` it belongs to, -1 if it has
            no demand.
        metric: int32 ``[A]``, see :class:`~pnet_lp.model.arcs.Arcs`; for routings only.
        merged: by what part demands and access speeds may differ from the exact sums over classes of hosts.
        partner: int32 ``[A]``, where some arcs are in pairs one link (``Plane.partner``): the other one, or the arc
            itself.  Both have half of the capacity, the same length, and half of the load of both: :meth:`tied`.
        inside: bool ``[A]``, whether each arc is inside a server; None where there are none.
        shortest: where only shortest paths count, the policy that says of which planes; else None.
    """

    node_count: IntArray
    arc_ptr: IntArray
    tail: IntArray
    head: IntArray
    capacity: FloatArray
    arc_id: IntArray
    attach: IntArray
    access_up: FloatArray
    access_down: FloatArray
    demands: Demands
    endpoint_class: IntArray
    metric: IntArray | None = None
    merged: float = 0.0
    partner: IntArray | None = None
    inside: BoolArray | None = None
    shortest: Policy | None = None

    @property
    def _words(self) -> str:
        return f"a problem with {self.demand_count:,} demands between {self.attach.shape[1]:,} places"

    @property
    def plane_count(self) -> int:
        """Number of planes, P."""
        return len(self.node_count)

    @cached_property
    def core(self) -> _core.FlowProblem:
        """The same problem on the Rust side."""
        return _core.FlowProblem(
            self.node_count,
            self.arc_ptr,
            self.tail,
            self.head,
            self.capacity,
            self.attach,
            self.access_up,
            self.access_down,
            self.src,
            self.dst,
            self.demand,
            self.partner,
            None if self.shortest is None else self.metric,
            None if self.shortest is None else self.shortest == "round-robin",
        )

    @cached_property
    def first_switch(self) -> npt.NDArray[np.int64]:
        """int64 ``[P]``: the first switch of each plane, counted through all planes."""
        return np.cumsum(self.node_count, dtype=np.int64) - self.node_count

    @cached_property
    def ends(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """int64 ``[A]`` each: the switches that arcs leave and enter, counted through all planes."""
        before = np.repeat(self.first_switch, np.diff(self.arc_ptr))
        return before + self.tail, before + self.head

    def tied(self, values: FloatArray, add: Callable[..., FloatArray] = add_up) -> FloatArray:
        """Return ``values`` ``[A]`` with the mean of both in the place of each pair of arcs that is one link.

        Sums are rounded as ``add`` does; halves of doubles are exact.
        """
        if self.partner is None:
            return values
        alone = self.partner == np.arange(len(self.partner))
        return floats(np.where(alone, values, 0.5 * add(values, values[self.partner])))

    def tied_usage(self, usage: sp.csc_array) -> sp.csc_array:
        """Return the same of columns, float64 ``[A, N]``: what a unit of each puts on arcs."""
        if self.partner is None:
            return usage
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        arcs = np.arange(len(self.partner))
        both = np.concatenate([arcs, arcs]), np.concatenate([arcs, self.partner])
        mean = sp.csr_array((np.full(2 * len(arcs), 0.5), both), shape=(len(arcs), len(arcs)))
        found = sp.csc_array(mean @ usage)
        found.sort_indices()
        return found

    @cached_property
    def available(self) -> BoolArray:
        """Bool ``[P, J]``: whether a plane has a path for a demand at all."""
        return self.core.available()

    @cached_property
    def rows(self) -> IntArray:
        """int32 ``[rows, 2]``: the pairs (plane, destination switch) with traffic between switches, sorted."""
        if self.shortest is not None:
            return self.core.rows()
        if self.demands.complete:
            planes = [np.flatnonzero(np.bincount(self.attach[p])) for p in range(self.plane_count) if self.joins(p)]
            if len(planes) == self.plane_count and min(map(len, planes)) > 1:
                plane = np.repeat(np.arange(self.plane_count), [len(switches) for switches in planes])
                return ints(np.column_stack([plane, np.concatenate(planes)]))
        if self._many_joined:
            received = self.demands.received(self.attach.shape[1])
            planes = [np.unique(self.attach[p, received & (self.attach[p] >= 0)]) for p in range(self.plane_count)]
            plane = np.repeat(np.arange(self.plane_count), [len(switches) for switches in planes])
            return ints(np.column_stack([plane, np.concatenate(planes)]))
        return self.core.rows()

    @cached_property
    def disconnected(self) -> IntArray:
        """int32: the demands that no plane can carry."""
        if self.shortest is None and (self._all_joined or self._many_joined):
            return ints([])
        return ints(np.flatnonzero(~self.available.any(axis=0)))

    @cached_property
    def islands(self) -> IntArray | None:
        """See :func:`~pnet_lp.model.islands.islands`."""
        return islands(self)

    @cached_property
    def _many_joined(self) -> bool:
        """Whether demands are a rule with many pairs inside groups, and all of them have a path."""
        groups = self.demands.groups
        if groups is None or self.demand_count <= LISTED_PAIRS:
            return False
        sends, receives, group, _, outside = groups
        found = self.islands
        if found is None:
            return False
        some = (sends > 0) | (receives > 0)
        of = np.zeros(len(group)) if outside else group
        low, high = np.full(len(group), 2 * len(group)), np.full(len(group), -1)
        np.minimum.at(low, of[some].astype(np.int64), found[some])
        np.maximum.at(high, of[some].astype(np.int64), found[some])
        lists = [part.listed(self._words) for part in self.demands.parts[1:]]
        beside = all(np.array_equal(found[each.src], found[each.dst]) for each in lists)
        return beside and bool((low >= high)[of[some].astype(np.int64)].all())

    @property
    def _all_joined(self) -> bool:
        """Whether one plane has a path between any two endpoints, which does not take a look at each demand."""
        return any(self.joins(p) for p in range(self.plane_count))

    def joins(self, plane: int) -> bool:
        """Whether a plane has a path between any two endpoints."""
        attach = self.attach[plane]
        if (attach < 0).any() or not (self.access_up[plane] > 0).all() or not (self.access_down[plane] > 0).all():
            return False
        arcs, nodes = slice(*self.arc_ptr[plane : plane + 2]), int(self.node_count[plane])
        component = strong_components(nodes, self.tail[arcs], self.head[arcs])
        return bool(attach.size) and bool((component[attach] == component[attach[0]]).all())

    @cached_property
    def member(self) -> IntArray:
        """int32 ``[E]``: of each endpoint, the first rack or host of the network that it stands for."""
        used = np.flatnonzero(self.endpoint_class >= 0)
        first = np.unique(self.endpoint_class[used], return_index=True)[1]
        return ints(used[first])

    @property
    def flow_variables(self) -> int:
        """Number of arc-flow variables of the destination-aggregated LP: sum over rows of their plane's arcs."""
        arcs = np.diff(self.arc_ptr)
        return int(arcs[self.rows[:, 0]].sum(dtype=np.int64))

    @property
    def proof_bytes(self) -> int:
        """About how much memory a proof takes at most, while it is copied into the certificate."""
        # A row uses one direction of a cable at most, and few cables where few demands lead to its switch, unless
        # traffic goes over all shortest paths, as it does before anything is solved.
        most, degree = self.flow_variables / 2, len(self.tail) / int(self.node_count.sum())
        some = 2 * degree * self.plane_count * self.demand_count
        return int(_BYTES_PER_SPLIT * min(most, max(some, self.core.even_entries()) if some < most else most))

    @cached_property
    def link_capacity(self) -> FloatArray:
        """float64 ``[A + 2 P E]``: Gb/s of arcs, then of access links up and down, ``inf`` where none limits.

        Access links of capacity 0 are on no path, and limit nothing either.
        """
        access = np.concatenate([self.access_up.ravel(), self.access_down.ravel()])
        return floats(np.concatenate([self.capacity, np.where(access > 0, access, np.inf)]))

    def demand_of_pairs(self, traffic: TrafficMatrix) -> IntArray:
        """Return int32 ``[demands of the matrix]``: the demand, between classes, that each pair is part of."""
        endpoints = self.attach.shape[1]
        used = self.endpoint_class[self.endpoint_class >= 0]
        if self.demand_count == traffic.demand_count and (np.diff(used) > 0).all():
            return ints(np.arange(self.demand_count))  # none are merged
        # Demands are sorted by source and destination.
        keys = self.src.astype(np.int64) * endpoints + self.dst
        classes = self.endpoint_class.astype(np.int64)
        return ints(np.searchsorted(keys, classes[traffic.src] * endpoints + classes[traffic.dst]))

    def keeping(self, kept: IntArray) -> FlowProblem:
        """Return the problem with these demands only."""
        pairs = self.pairs
        return replace(self, demands=Pairs(ints(pairs.src[kept]), ints(pairs.dst[kept]), floats(pairs.demand[kept])))

    def volume(self, lengths: Lengths) -> float:
        """Return the sum of capacity times length over all links, rounded up."""
        speeds = self.capacity, self.access_up, self.access_down
        parts = [mul_up(speed[length > 0], length[length > 0]) for speed, length in zip(speeds, lengths, strict=True)]
        return self.merged_up(sum_up(np.concatenate(parts)))

    def merged_up(self, amount: float) -> float:
        """Return at least what an ``amount`` is if sums over classes of hosts are taken exactly."""
        return float(mul_up(amount, add_up(1.0, self.merged)))

    def merged_down(self, amount: float) -> float:
        """Return at most what it is."""
        return float(mul_down(amount, sub_down(1.0, self.merged)))

    def attained(self, rate: float) -> float:
        """Return a K that fits if sums over classes of hosts are taken exactly, where ``rate`` fits this problem."""
        return float(div_down(rate, add_up(1.0, self.merged))) if math.isfinite(rate) else rate

    def exceeded(self, rate: float) -> float:
        """Return a K that nothing exceeds then, where nothing exceeds ``rate`` in this problem."""
        return float(div_up(self.merged_up(rate), sub_down(1.0, self.merged))) if math.isfinite(rate) else rate

    def weighted(self, demand: FloatArray) -> FlowProblem:
        """Return the problem with demands of other sizes, float64 ``[J]``, Gb/s."""
        return replace(self, demands=replace(self.pairs, demand=floats(demand)))

    def rates(self, rate: FloatArray | float) -> FloatArray:
        """Return float64 ``[J]``, Gb/s: ``rate`` as it is, or the multiple of all demands where it is one number."""
        return np.asarray(self.demand * rate if np.ndim(rate) == 0 else rate)

    def access_loads(self, amount: FloatArray) -> FloatArray:
        """Return float64 ``[2, P, E]``: the loads of access links up and down, rounded up.

        Args:
            amount: float64 ``[P, J]``, Gb/s of each demand in each plane.
        """
        endpoints = self.attach.shape[1]
        return floats([[totals_up(end, row, endpoints) for row in amount] for end in (self.src, self.dst)])


def build_problem(network: Network, traffic: TrafficMatrix, *, aggregate: bool = True) -> FlowProblem:
    """Return the flow problem of ``traffic`` on ``network``.

    Args:
        network: the planes; of a network with servers its ``graph``.
        traffic: the demands; of a network with servers those :meth:`~TrafficMatrix.on_graph`.
        aggregate: whether hosts that attach equally and have equal demands towards every other class are one endpoint
            with the sum of their access links.  Averaging any flow over them is a flow, so this is exact (design:
            semantics, "Level") unless each flow has paths of its own.

    Raises:
        TrafficError: the matrix is empty, or is for another number of endpoints.
        TopologyError: demands of the matrix's level mean nothing on the network.
    """
    traffic.check_endpoints(network)
    if traffic.demand_count == 0:
        raise TrafficError("there is no demand", where=traffic.label or "traffic", allowed="at least one demand > 0")

    arcs = usable_arcs(network)
    attach, up, down = _attachments(network, traffic)
    classes = endpoint_classes(attach, up, down, traffic, merge=aggregate)
    return FlowProblem(
        node_count=arcs.node_count,
        arc_ptr=arcs.ptr,
        tail=arcs.tail,
        head=arcs.head,
        capacity=arcs.capacity,
        arc_id=arcs.id,
        attach=classes.attach,
        access_up=classes.access_up,
        access_down=classes.access_down,
        demands=classes.demands,
        endpoint_class=classes.endpoint_class,
        metric=arcs.metric,
        partner=arcs.partner,
        inside=arcs.inside,
    )


def _attachments(network: Network, traffic: TrafficMatrix) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return ``(attach, access_up, access_down)``, each ``[planes, endpoints of the matrix]``."""
    if traffic.level == "host":
        return (
            ints(np.stack([plane.host_switch for plane in network.planes])),
            floats(np.stack([plane.access_up_gbps for plane in network.planes])),
            floats(np.stack([plane.access_down_gbps for plane in network.planes])),
        )
    unlimited = floats(np.full((network.plane_count, traffic.endpoints), np.inf))
    return ints(np.stack([plane.rack_switch for plane in network.planes])), unlimited, unlimited
