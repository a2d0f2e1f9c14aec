"""Certificates: feasible flows and link lengths (dual prices) from which anyone can recompute bounds on K.

Each kind is a dataclass of arrays, registered by the name that saved results give it.  How it is checked a second time,
without the core, is a file of ``pnet_lp.verification``, registered by the same name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar, NamedTuple, Self, TypeVar

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SpecError
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.network import Network
from pnet_lp.model.paths import Form, OffsetArray, PathSet, Policy
from pnet_lp.model.traffic import TrafficMatrix

T = TypeVar("T")
K = TypeVar("K", bound="type[Certificate]")

CERTIFICATES: dict[str, type[Certificate]] = {}
"""The kinds, by the names that saved results give them."""


@dataclass(frozen=True)
class ArrayForm:
    """What a saved array has to be; the annotation of a field carries it.

    Attributes:
        dtype: as NumPy writes it, little-endian.
        axes: what is along each axis, by name, or how many there are; equal names are equal lengths.
        or_empty: whether it may be missing, which is an array of shape ``[0]``.
    """

    dtype: str
    axes: tuple[str | int, ...]
    or_empty: bool = False


def float_axes(*axes: str | int) -> ArrayForm:
    """Return the form of an array of floating-point numbers."""
    return ArrayForm("<f8", axes)


def int_axes(*axes: str | int) -> ArrayForm:
    """Return the form of an array of indices."""
    return ArrayForm("<i4", axes)


class LinkLengths:
    """Base of what has a length for every link: ``length`` of arcs, the others of access links."""

    length: FloatArray
    up_length: FloatArray
    down_length: FloatArray

    @property
    def lengths(self) -> Lengths:
        """All three."""
        return self.length, self.up_length, self.down_length


class PathFlows(NamedTuple):
    """Paths, and the part of its demand that each carries.

    Attributes:
        demand: int64 ``[N]``, the demand of each path.
        plane: int32 ``[N]``, its plane.
        part: float64 ``[N]``, the part of the demand.
        path_ptr: int64 ``[N + 1]``, where each path's arcs begin.
        path_arc: int32, arcs local to the path's plane.
    """

    demand: OffsetArray
    plane: IntArray
    part: FloatArray
    path_ptr: OffsetArray
    path_arc: IntArray


class Certificate(LinkLengths, ABC):
    """A flow and lengths, both feasible; indices refer to the arrays of the :class:`~pnet_lp.model.flow.FlowProblem`.

    Class attributes:
        name: how saved results call it.
        routing_form: the form of the routings whose flow it can be.
        per_demand: whether it says what each demand does; otherwise it proves K alone.
        narrowed: whether its paths are those of the routing's ``narrowed``.
        warm_start: the form of the problems whose solvers can begin from it; None for none.
    """

    name: ClassVar[str]
    routing_form: ClassVar[Form]
    per_demand: ClassVar[bool] = True
    narrowed: ClassVar[bool] = False
    warm_start: ClassVar[Form | None] = None

    @abstractmethod
    def paths(self, flow: FlowProblem, listed: Callable[[], PathSet]) -> PathFlows:
        """Return the paths by which the flow goes.

        Args:
            flow: the problem that the certificate is of.
            listed: returns the paths of the routing, or of its ``narrowed``, for each demand.

        Raises:
            SpecError: the certificate does not say by which.
        """

    def stated(self, flow: FlowProblem, policy: Policy) -> FlowProblem:
        """Return the problem as the certificate is of it, where it may be of fewer paths than ``flow``."""
        del policy
        return flow

    def origin(self, problem: T, restate: Callable[[Network, TrafficMatrix], T]) -> Origin[T]:
        """Return what a warm start of ``problem`` with this certificate begins from: an answer to the same problem."""
        del restate
        return self, problem, "", 0


Origin = tuple[Certificate, T, str, int]
"""The certificate of an earlier answer, its problem, its solver (empty where unknown) and its iterations."""


def _register(name: str) -> Callable[[K], K]:
    """Return a decorator that registers a certificate under the name that saved results give it."""

    def register(cls: K) -> K:
        cls.name = name
        CERTIFICATES[name] = cls
        return cls

    return register


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class LinkCertificate(Certificate):
    """A certificate with a length for each link by itself.

    Attributes:
        length: float64 ``[arcs]``, the length of each core link, >= 0.
        up_length, down_length: float64 ``[planes, endpoints]``, lengths of the access links, >= 0.
    """

    length: Annotated[FloatArray, float_axes("arcs")]
    up_length: Annotated[FloatArray, float_axes("planes", "endpoints")]
    down_length: Annotated[FloatArray, float_axes("planes", "endpoints")]

    def with_lengths(self, lengths: Lengths) -> Self:
        """Return the certificate with other lengths."""
        length, up, down = map(floats, lengths)
        return replace(self, length=length, up_length=up, down_length=down)

    def with_load(self, load: FloatArray) -> Self:
        """Return the certificate where ``load`` ``[arcs]`` is on links, for one that says what is."""
        del load
        return self


@_register("arc")
@brief()
@dataclass(frozen=True, eq=False, repr=False)
class ArcCertificate(LinkCertificate):
    """Splitting fractions at every switch, for each destination: the flow of routings over any path.

    A *row* is a pair (plane, destination switch), in the order of ``FlowProblem.rows``.

    Attributes:
        share: float64 ``[planes, demands]``, the part of each demand that each plane carries; columns sum to 1.
        split_ptr: int32 ``[rows + 1]``, where each row's entries begin in the two arrays below.
        split_arc: int32 ``[entries]``, an arc of the row's plane (index local to the plane).
        split_fraction: float64 ``[entries]``, the part of the traffic at the arc's tail, bound for the row's
            destination, that takes the arc.  The fractions at a node sum to 1, and a row's arcs form no cycle.
    """

    routing_form: ClassVar[Form] = "arc"
    warm_start: ClassVar[Form | None] = "arc"

    share: Annotated[FloatArray, float_axes("planes", "demands")]
    split_ptr: Annotated[IntArray, int_axes("rows + 1")]
    split_arc: Annotated[IntArray, int_axes("entries")]
    split_fraction: Annotated[FloatArray, float_axes("entries")]

    @classmethod
    def of(cls, proof: _core.Proof) -> Self:
        """Return a proof of the core as a value."""
        return cls(
            length=floats(proof.length),
            up_length=floats(proof.up_length),
            down_length=floats(proof.down_length),
            share=floats(proof.share),
            split_ptr=ints(proof.split_ptr),
            split_arc=ints(proof.split_arc),
            split_fraction=floats(proof.split_fraction),
        )

    def paths(self, flow: FlowProblem, listed: Callable[[], PathSet]) -> PathFlows:
        """See :meth:`Certificate.paths`: each demand's flow is taken apart along the fullest links."""
        del listed
        proof = _core.Proof(*self.lengths, self.share, self.split_ptr, self.split_arc, self.split_fraction)
        demand, plane, part, ptr, arc = _core.decompose(flow.core, proof)
        return PathFlows(demand.astype(np.int64), plane, part, ptr, arc)


@_register("shortest")
@brief()
@dataclass(frozen=True, eq=False, repr=False)
class ShortestCertificate(ArcCertificate):
    """The same over shortest paths, where these are too many to be listed: no arc with a fraction leads off them."""

    routing_form = "path"
    warm_start = None

    def stated(self, flow: FlowProblem, policy: Policy) -> FlowProblem:
        """See :meth:`Certificate.stated`."""
        return replace(flow, shortest=policy)


def by_destination(flow: FlowProblem, proof: _core.Proof) -> ArcCertificate:
    """Return a proof of the core as the certificate of ``flow``."""
    return (ArcCertificate if flow.shortest is None else ShortestCertificate).of(proof)


@_register("tree")
@brief()
@dataclass(frozen=True, eq=False, repr=False)
class TreeCertificate(LinkCertificate):
    """Every demand along one tree in each plane, which can be written down where a fraction for each row is too much.

    What a set of switches sends is known from what its endpoints send and the others receive.

    Attributes:
        part: float64 ``[planes]``, what part of each demand a plane carries, >= 0; 0 where its tree lacks an endpoint.
        to_root: int32 ``[switches]``, numbered through over the planes: the arc (index local to the plane) from each
            switch to its parent; -1 at the root, and where the switch is not in the tree.
        from_root: int32 ``[switches]``, the arc from its parent; -1 at the same switches.
    """

    routing_form = "arc"

    part: Annotated[FloatArray, float_axes("planes")]
    to_root: Annotated[IntArray, int_axes("switches")]
    from_root: Annotated[IntArray, int_axes("switches")]

    def paths(self, flow: FlowProblem, listed: Callable[[], PathSet]) -> PathFlows:
        """See :meth:`Certificate.paths`.

        Raises:
            SpecError: always.
        """
        del flow, listed
        raise SpecError(
            "the time was over before more was known than a tree that all demands share",
            where="paths",
            allowed="a longer time limit",
        )


@_register("path")
@brief()
@dataclass(frozen=True, eq=False, repr=False)
class PathCertificate(LinkCertificate):
    """A split over the given paths of the routing.

    As a solver gives it, before it is evaluated, it is of any scale.

    Attributes:
        weight: float64 ``[paths]``, the part of its demand that each path carries; those of a demand sum to 1.
    """

    routing_form = warm_start = "path"

    weight: Annotated[FloatArray, float_axes("paths")]

    def paths(self, flow: FlowProblem, listed: Callable[[], PathSet]) -> PathFlows:
        """See :meth:`Certificate.paths`."""
        del flow
        return _weighted(listed(), self.weight)


@_register("one-path")
@brief()
@dataclass(frozen=True, eq=False, repr=False)
class OnePathCertificate(LinkCertificate):
    """Each demand whole on one path, that of the routing's ``narrowed``; distances are those over any path.

    What there is to prove before the other paths are known.
    """

    routing_form = "path"
    narrowed = True

    def paths(self, flow: FlowProblem, listed: Callable[[], PathSet]) -> PathFlows:
        """See :meth:`Certificate.paths`."""
        del flow
        return _whole(listed())


@_register("load")
@brief()
@dataclass(frozen=True, eq=False, repr=False)
class LoadCertificate(LinkCertificate):
    """What a routing that leaves nothing open puts on links, and the link that fills first.

    That link has all of the length: 1 over its load.

    Attributes:
        load: float64 ``[arcs]``, Gb/s on each core link at K = 1.
        share: float64 ``[planes, demands]``, the part of each demand that is sent into each plane.
    """

    routing_form = "split"

    load: Annotated[FloatArray, float_axes("arcs")]
    share: Annotated[FloatArray, float_axes("planes", "demands")]

    def with_load(self, load: FloatArray) -> Self:
        """See :meth:`LinkCertificate.with_load`."""
        return replace(self, load=load)

    def paths(self, flow: FlowProblem, listed: Callable[[], PathSet]) -> PathFlows:
        """See :meth:`Certificate.paths`; the routing lists one path for each demand."""
        del flow
        return _whole(listed())


@_register("quotient")
@brief()
@dataclass(frozen=True, eq=False, repr=False)
class QuotientCertificate(Certificate):
    """A flow over any path and lengths, stated on equivalence classes of links and of nodes as a destination sees them.

    A *node* is a switch, counted through over the planes, or an endpoint of the problem, after all switches.  What is
    given for one destination holds for all of its *orbit*: those that it is mapped onto by automorphisms, permutations
    of nodes under which network, link classes and demands stay the same.  Orbits of one kind share their fractions.

    Attributes:
        arc_class: int32 ``[arcs]``, the class of each link.
        up_class, down_class: int32 ``[planes, endpoints]``, those of access links, -1 where there is none.
        class_length: float64 ``[classes]``, the length of the links of each class, >= 0.
        generator: int32 ``[generators, nodes]``, automorphisms that generate the orbits: the image of each node.
        target: int32 ``[orbits]``, an endpoint of each orbit of destinations.
        kind: int32 ``[orbits]``, the kind of each.
        node_class: int32 ``[orbits, nodes]``, the class of each node as ``target`` sees it.
        entry: int32 ``[entries, 4]``: kind, class of tails, class of heads, class of the links between them.
        fraction: float64 ``[entries]``, the part of the traffic at a tail, bound for a destination of the kind, that
            takes all such links together, each of them as much.  The fractions at a node sum to 1, and a kind's entries
            form no cycle.
    """

    routing_form = "arc"
    per_demand = False

    arc_class: Annotated[IntArray, int_axes("arcs")]
    up_class: Annotated[IntArray, int_axes("planes", "endpoints")]
    down_class: Annotated[IntArray, int_axes("planes", "endpoints")]
    class_length: Annotated[FloatArray, float_axes("classes")]
    generator: Annotated[IntArray, int_axes("generators", "nodes")]
    target: Annotated[IntArray, int_axes("orbits")]
    kind: Annotated[IntArray, int_axes("orbits")]
    node_class: Annotated[IntArray, int_axes("orbits", "nodes")]
    entry: Annotated[IntArray, int_axes("entries", 4)]
    fraction: Annotated[FloatArray, float_axes("entries")]

    @cached_property
    def length(self) -> FloatArray:  # type: ignore[override]
        """float64 ``[arcs]``, the length of each core link."""
        return self._of(self.arc_class)

    @cached_property
    def up_length(self) -> FloatArray:  # type: ignore[override]
        """float64 ``[planes, endpoints]``, lengths of access links up."""
        return self._of(self.up_class)

    @cached_property
    def down_length(self) -> FloatArray:  # type: ignore[override]
        """float64 ``[planes, endpoints]``, and down."""
        return self._of(self.down_class)

    def paths(self, flow: FlowProblem, listed: Callable[[], PathSet]) -> PathFlows:
        """See :meth:`Certificate.paths`.

        Raises:
            SpecError: always.
        """
        del flow, listed
        raise SpecError(
            "the result says what equivalence classes of links carry, not which paths",
            where="paths",
            allowed="solver=structured",
        )

    def _of(self, classes: IntArray) -> FloatArray:
        return floats(np.where(classes >= 0, self.class_length[classes], 0.0))


def _whole(paths: PathSet) -> PathFlows:
    """Return paths that carry their demands whole."""
    return _weighted(paths, floats(np.ones(paths.path_count)))


def _weighted(paths: PathSet, part: FloatArray) -> PathFlows:
    return PathFlows(paths.pair_of_path, paths.plane, part, paths.path_ptr, paths.path_arc)
