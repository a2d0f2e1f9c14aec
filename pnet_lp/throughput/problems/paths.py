"""The flow problem over given paths: the same links and demands, and the paths that a routing allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import RoutingError, TimeLimitError
from pnet_lp.memory import check_fits
from pnet_lp.model import Certificate, Interval, Network, OnePathCertificate, PathCertificate
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.network import Level
from pnet_lp.model.paths import OffsetArray, PathSet
from pnet_lp.model.rounded import div_up, mul_down, mul_up, sum_down
from pnet_lp.routing import Routing
from pnet_lp.throughput.problems.base import ColumnProblem, Problem, joined, separated
from pnet_lp.throughput.problems.column_form import ColumnForm
from pnet_lp.throughput.problems.program import ProgramGoal
from pnet_lp.throughput.problems.proof import Certified
from pnet_lp.throughput.problems.warm_starts import check_shapes, of_kind

if TYPE_CHECKING:
    import scipy.sparse as sp


_SECONDS_PER_DEMAND = 4e-6
"""What one path of a demand takes, and what it proves."""

_BYTES_PER_ENTRY = 30
"""Of each link of each path: its number, and three more while they are computed."""

_BYTES_PER_PLAIN_ENTRY = 16
"""The same where access links limit nothing: half as wide, and the core's copy."""


@brief("demand_count", "flow_variables")
@dataclass(frozen=True, eq=False, repr=False)
class PathProblem(ColumnProblem[PathCertificate]):
    """Maximum concurrent flow in which each demand may use its paths only.

    Attributes:
        flow: links and demands.
        paths: the paths of each of the ``J`` demands, ``N`` in all.
    """

    listed = True

    flow: FlowProblem
    paths: PathSet

    @classmethod
    def of(cls, flow: FlowProblem, network: Network, level: Level, routing: Routing, threads: int = 0) -> Self:
        """Return the problem of ``flow`` on the paths that ``routing`` allows on ``network``.

        Raises:
            RoutingError: the paths do not fit into memory.
            TimeLimitError: they were not found in time.
        """
        src, dst = flow.member[flow.src], flow.member[flow.dst]
        return cls(flow, routing.leaving(_BYTES_PER_ENTRY).paths(network, level, src, dst, threads=threads))

    @classmethod
    def in_time(
        cls, flow: FlowProblem, network: Network, level: Level, routing: Routing, threads: int = 0
    ) -> PathProblem:
        """Return the same or, where the time is too short for it, the problem on one path for each demand.

        Raises:
            RoutingError: the paths do not fit into memory.
            TimeLimitError: the time is too short, and the routing does not say which path that is.
        """
        narrowed = routing.narrowed
        if narrowed is None:
            return cls.of(flow, network, level, routing, threads)
        # The search has the grace as well, but for what comes after it.
        deadline = routing.deadline.reserving(2 * routing.deadline.grace_s + _SECONDS_PER_DEMAND * flow.demand_count)
        try:
            return cls.of(flow, network, level, routing.until(deadline), threads)
        except TimeLimitError:
            return NarrowedProblem.of(flow, network, level, narrowed, threads)

    @property
    def flow_variables(self) -> int:
        """Number of paths, N."""
        return self.paths.path_count

    @property
    def proof_bytes(self) -> int:
        """See :attr:`Problem.proof_bytes`."""
        return 32 * self.flow_variables

    @cached_property
    def disconnected(self) -> IntArray:
        """int32: the demands without a path."""
        return ints(np.flatnonzero(self.paths.paths_per_pair == 0))

    @cached_property
    def path_link(self) -> tuple[OffsetArray, IntArray]:
        """Where each path's links begin, int64 ``[N + 1]``, and the links, int32; access links where they limit.

        Raises:
            RoutingError: they do not fit into memory.
        """
        flow, paths = self.flow, self.paths
        plain = not (np.isfinite(flow.access_up).any() or np.isfinite(flow.access_down).any())
        check_fits(
            (_BYTES_PER_PLAIN_ENTRY if plain else _BYTES_PER_ENTRY) * self.most_entries,
            f"a problem over {paths.path_count:,} paths",
            RoutingError,
            allowed="fewer paths or pairs, or level=rack",
        )
        if plain:
            plain_link = paths.path_arc + np.repeat(paths.arcs.ptr.astype(np.int32)[paths.plane], paths.hops)
            plain_link.setflags(write=False)
            return paths.path_ptr, plain_link
        arcs, access = len(flow.capacity), flow.attach.size
        plane, hops, pair = paths.plane.astype(np.int64), paths.hops, paths.pair_of_path
        up = plane * flow.attach.shape[1] + flow.src[pair]
        down = plane * flow.attach.shape[1] + flow.dst[pair]
        has_up = np.isfinite(flow.access_up.ravel()[up])
        has_down = np.isfinite(flow.access_down.ravel()[down])
        pointer = np.concatenate([[0], np.cumsum(hops + has_up + has_down)])
        link = np.empty(pointer[-1], dtype=np.int32)
        link[pointer[:-1][has_up]] = arcs + up[has_up]
        link[pointer[1:][has_down] - 1] = arcs + access + down[has_down]
        place = np.repeat(pointer[:-1] + has_up - paths.path_ptr[:-1], hops) + np.arange(len(paths.path_arc))
        link[place] = paths.link
        link.setflags(write=False)
        return pointer, link

    @cached_property
    def usage(self) -> sp.csc_array:
        """float64 ``[L, N]``: 1 for each link of each path."""
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        pointer, link = self.path_link
        shape = (len(self.flow.link_capacity), self.flow_variables)
        usage = sp.csc_array((np.ones(len(link)), link.copy(), pointer), shape=shape)
        usage.sort_indices()
        if self.flow.partner is None:
            return usage
        arcs = len(self.flow.capacity)
        return sp.csc_array(sp.vstack([self.flow.tied_usage(usage[:arcs]), usage[arcs:]]))

    @property
    def most_entries(self) -> int:
        """See :attr:`ColumnProblem.most_entries`: with both access links of each path."""
        arcs = len(self.paths.path_arc) * (1 if self.flow.partner is None else 2)
        return arcs + 2 * self.flow_variables

    @property
    def demand_of_column(self) -> OffsetArray:
        """int64 ``[N]``: the demand that each path belongs to."""
        return self.paths.pair_of_path

    @cached_property
    def core(self) -> _core.PathProblem:
        """The same problem on the Rust side."""
        pointer, link = self.path_link
        capacity, first = self.flow.link_capacity, self._first
        if first is not None:
            link, capacity = ints(first[link]), floats(np.bincount(first, capacity, len(capacity)))
            capacity = floats(np.where(first == np.arange(len(first)), capacity, np.inf))
        return _core.PathProblem(capacity, self.flow.demand, self.paths.pair_ptr, pointer, link)

    @cached_property
    def _first(self) -> IntArray | None:
        """int32 ``[L]``: of each link the first arc that is the same one, which :attr:`core` knows alone."""
        if self.flow.partner is None:
            return None
        number = np.arange(len(self.flow.link_capacity))
        number[: len(self.flow.partner)] = np.minimum(number[: len(self.flow.partner)], self.flow.partner)
        return ints(number)

    def to_core(self, length: FloatArray) -> FloatArray:
        """Return lengths ``[L]``, or loads, as :attr:`core` counts links: once."""
        first = self._first
        return length if first is None else floats(np.where(first == np.arange(len(first)), length, 0.0))

    def of_core(self, length: FloatArray) -> FloatArray:
        """Return lengths ``[L]`` from those of :attr:`core`."""
        return length if self._first is None else floats(length[self._first])

    def formulate(self, goal: ProgramGoal | None = None) -> ColumnForm:
        """See :meth:`Problem.formulate`."""
        return ColumnForm(self, goal)

    def bounds(self, proof: PathCertificate) -> tuple[float, float]:
        """See :meth:`Problem.bounds`."""
        lower, upper, _, _ = self.core.bounds(proof.weight, self.to_core(joined(proof.lengths)))
        return lower, upper

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`Problem.distances`."""
        return self.core.distances(self.to_core(joined(lengths)))

    def certificate(self, weight: FloatArray, load: FloatArray, lengths: Lengths) -> PathCertificate:
        """See :meth:`ColumnProblem.certificate`."""
        del load
        length, up, down = map(floats, lengths)
        return PathCertificate(length, up, down, weight)

    def access_loads(self, certificate: PathCertificate, rate: FloatArray | float) -> FloatArray:
        """See :meth:`Problem.access_loads`."""
        place = self.paths.plane * np.int64(self.demand_count) + self.demand_of_column
        size = self.flow.plane_count * self.demand_count
        shares = np.bincount(place, weights=certificate.weight, minlength=size)
        return self.flow.access_loads(shares.reshape(self.flow.plane_count, -1) * self.flow.rates(rate))

    def keeping(self, kept: IntArray) -> Self:
        """See :meth:`Problem.keeping`; the demands left out must have no paths."""
        pointer = np.append(self.paths.pair_ptr[:-1][kept], self.paths.pair_ptr[-1])
        return replace(self, flow=self.flow.keeping(kept), paths=replace(self.paths, pair_ptr=pointer))

    def weighted(self, demand: FloatArray) -> Self:
        """See :meth:`Problem.weighted`."""
        return replace(self, flow=self.flow.weighted(demand))

    @property
    def most_paths(self) -> float:
        """See :attr:`Problem.most_paths`."""
        return float(self.paths.paths_per_pair.max())

    def bundles(self) -> sp.csc_array | None:
        """See :meth:`Problem.bundles`."""
        return self.usage if self.most_paths == 1 else None

    def warm_start(self, certificate: Certificate, earlier: Problem) -> PathCertificate:
        """See :meth:`Problem.warm_start`."""
        del earlier
        given = of_kind(PathCertificate, certificate, "over given paths")
        check_shapes(
            ("paths", given.weight, (self.flow_variables,)),
            ("links", given.length, self.flow.capacity.shape),
            ("access links", given.up_length, self.flow.attach.shape),
        )
        return given

    def _certified(self, proof: PathCertificate) -> Certified[PathCertificate]:
        length = self.to_core(joined(proof.lengths))
        lower, upper, load, weight = self.core.bounds(proof.weight, length)
        if self._first is not None:
            load = np.where(np.bincount(self._first)[self._first] > 1, 0.5, 1.0) * load[self._first]
        arcs = floats(mul_up(lower, load[: len(self.flow.capacity)]))
        lengths = separated(self.flow, self.of_core(length))
        return Certified(self.certificate(floats(weight), arcs, lengths), Interval(lower, upper), arcs)


@brief("demand_count", "flow_variables")
@dataclass(frozen=True, eq=False, repr=False)
class NarrowedProblem(PathProblem):
    """One path of each demand, for which there was time; by lengths, demands are as near as over any path."""

    rough = True

    @property
    def over_columns(self) -> None:  # type: ignore[override]
        """See :attr:`Problem.over_columns`: not all columns are known."""
        return None

    @property
    def most_paths(self) -> float:
        """See :attr:`Problem.most_paths`."""
        return np.inf

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`Problem.distances`."""
        known, found = self._nearest
        same = np.array_equal(joined(lengths), known)
        return found if same else _core.demand_distances(self.flow.core, *lengths)

    @cached_property
    def _nearest(self) -> tuple[FloatArray, FloatArray]:
        """The lengths of :meth:`nothing`, and the distances by these."""
        lengths = self.nothing().lengths
        return joined(lengths), _core.demand_distances(self.flow.core, *lengths)

    def certificate(  # type: ignore[override]
        self, weight: FloatArray, load: FloatArray, lengths: Lengths
    ) -> OnePathCertificate:
        """See :meth:`ColumnProblem.certificate`."""
        del weight, load
        return OnePathCertificate(*map(floats, lengths))

    def access_loads(  # type: ignore[override]
        self, certificate: OnePathCertificate, rate: FloatArray | float
    ) -> FloatArray:
        """See :meth:`Problem.access_loads`."""
        return super().access_loads(PathCertificate(*certificate.lengths, np.ones(self.flow_variables)), rate)

    def bounds(self, proof: PathCertificate) -> tuple[float, float]:
        """See :meth:`Problem.bounds`."""
        found = self._certified(proof).interval
        return found.lower, found.upper

    def _certified(self, proof: PathCertificate) -> Certified:
        found = super()._certified(proof)
        takes = sum_down(mul_down(self.flow.demand, self.distances(proof.lengths)))
        upper = float(div_up(self.flow.volume(proof.lengths), takes))
        return replace(found, interval=Interval(found.interval.lower, upper))
