"""A problem and its certificate a second time, in NumPy and SciPy: what every kind of it offers.

Nothing here calls the Rust core or a solver, and what the core computed (reachability, rows, bounds) is not used.
Loads and volumes are rounded up, distances down (:mod:`pnet_lp.model.rounded`), so bounds hold to the last bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Certificate, Interval, Network
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.network import Level
from pnet_lp.model.paths import PathSet
from pnet_lp.model.result import FairLevel
from pnet_lp.model.rounded import add_up, div_down, div_up, mul_down, mul_up, sub_down, sum_down, sum_up, totals_up
from pnet_lp.routing import Routing
from pnet_lp.routing.enumerate import enumerate_paths
from pnet_lp.verification.checks import Checks

if TYPE_CHECKING:
    import scipy.sparse as sp

_NEARLY = 1e-9
"""By what part a link may be less full than the fullest as computed, and yet be as full."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class SavedAnswer:
    """What a saved result says beside its certificate.

    Attributes:
        figures: the first keys of its document.
        rates: what demands get; None where the result does not list rates.
        levels: of ``max-min``.
    """

    figures: Mapping[str, Any]
    rates: Rates | None
    levels: tuple[FairLevel, ...]

    @property
    def gbps(self) -> FloatArray | None:
        """float64 ``[J]``, Gb/s that each demand gets; None where the result does not list rates."""
        return None if self.rates is None else self.rates.most_gbps


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Rates:
    """What the pairs of each demand of a problem get.

    Attributes:
        least, most: float64 ``[J]``, the smallest and the largest rate of a pair per unit demand, rounded outwards.
        most_gbps: float64 ``[J]``, Gb/s of a demand if all of its pairs had the largest, rounded up.
        total_gbps: the sum over all pairs, rounded down.
    """

    least: FloatArray
    most: FloatArray
    most_gbps: FloatArray
    total_gbps: float

    def of(self, kept: IntArray) -> Rates:
        """Return the rates of these demands, the others getting nothing."""
        return replace(
            self, least=floats(self.least[kept]), most=floats(self.most[kept]), most_gbps=floats(self.most_gbps[kept])
        )


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Subject:
    """What a certificate is checked against.

    Attributes:
        check: where checks are noted.
        network, level: what the demands are on.
        flow: links and demands, each of which has a path.
        routing: by which paths.
        available: bool ``[P, J]``, whether the routing can use each plane for each demand.
        full: whether no check is left out that takes long.
        merged: by what part demands and speeds of ``flow`` may differ from the exact sums over classes of hosts.
    """

    check: Checks
    network: Network
    level: Level
    flow: FlowProblem
    routing: Routing
    available: BoolArray
    full: bool
    merged: float

    @property
    def ends(self) -> tuple[IntArray, IntArray]:
        """The source and the destination of each demand in the network, int32 ``[J]``."""
        return self.flow.member[self.flow.src], self.flow.member[self.flow.dst]

    def paths(self, most: int | None = None) -> PathSet:
        """Return the paths of the routing, as it lists them; where there are more than ``most`` in all, some of them.

        A file says how many paths there are, and a routing how many are looked for: of a demand no more than are left
        once every other one has one, in whatever plane.
        """
        rule = self.routing.rule
        if rule is None or most is None:
            return self.routing.paths(self.network, self.level, *self.ends)
        count = min(rule.count, self.flow.plane_count * max(most - self.flow.demand_count + 2, 1))
        return enumerate_paths(self.network, self.level, *self.ends, replace(rule, count=count))


class SecondConcurrent(ABC):
    """Links and demands, the paths of a routing, and a certificate that proves the K of all demands together.

    Args:
        subject: what the certificate is checked against.
        certificate: what is claimed.

    Attributes:
        check: where checks are noted.
        flow: links and demands, each of which has a path.
        merged: see :class:`Subject`.
        lengths: of the certificate, checked to be lengths of links that limit something.
        fixed: whether the routing leaves nothing open but the rates of demands.
    """

    fixed: ClassVar[bool] = False

    def __init__(self, subject: Subject, certificate: Certificate) -> None:
        self.check, self.flow, self.merged = subject.check, subject.flow, subject.merged
        self.lengths = self.checked_lengths(certificate)

    def checked_lengths(self, proof: Certificate | FairLevel) -> Lengths:
        """Return the lengths of links, each of them >= 0, and 0 where a link limits nothing."""
        flow = self.flow
        speeds = flow.capacity, flow.access_up, flow.access_down
        keys = "length", "up_length", "down_length"
        self.check.arrays(proof, {key: speed.shape for key, speed in zip(keys, speeds, strict=True)})
        lengths = proof.lengths
        for key, speed, length in zip(keys, speeds, lengths, strict=True):
            self.check.require(
                np.all((length == 0) | np.isfinite(speed)),
                f"{key} is on links that limit something",
                f"certificate.{key} has a length on a link without a limit",
            )
        if flow.partner is not None:
            self.check.require(
                np.array_equal(lengths[0], lengths[0][flow.partner]),
                "arcs that are one link have one length",
                "certificate.length differs between two arcs that are one link",
            )
        return lengths

    def normalised(self, lengths: Lengths) -> Lengths:
        """Return lengths times the power of two by which the largest of capacity times length is close to 1.

        So sums of them neither overflow nor vanish, whatever the scale of the lengths.  What is so much smaller than
        the largest that bits of it are lost is another length, and any lengths prove a bound.
        """
        speeds = self.flow.capacity, self.flow.access_up, self.flow.access_down
        counted = [(length > 0) & (speed > 0) for length, speed in zip(lengths, speeds, strict=True)]
        most = [
            int((np.frexp(speed[used])[1] + np.frexp(length[used])[1]).max())
            for speed, length, used in zip(speeds, lengths, counted, strict=True)
            if used.any()
        ]
        core, up, down = (
            floats(np.ldexp(np.where(used, length, 0.0), -max(most, default=0)))
            for length, used in zip(lengths, counted, strict=True)
        )
        return core, up, down

    @abstractmethod
    def takes(self, lengths: Lengths) -> float:
        """Return the sum of demand times distance over all demands, rounded down."""

    @abstractmethod
    def farthest(self, lengths: Lengths) -> float:
        """Return the largest distance of a demand by lengths of the certificate, in any unit."""

    @abstractmethod
    def demand_loads(self) -> tuple[FloatArray, FloatArray]:
        """Return the loads of arcs ``[A]`` and of access links up and down ``[2, P, E]`` at K = 1, rounded up."""

    def check_load(self, rate: FloatArray | None) -> None:
        """Check the loads that a certificate lists, if it is one that does.

        Args:
            rate: float64 ``[J]``, Gb/s that demands get, or None where each gets what it requests.
        """
        del rate

    def link_load(self, rate: FloatArray | None) -> FloatArray:
        """Return float64 ``[A]``: the loads of arcs where demands get these rates, Gb/s, or None for the largest K."""
        del rate
        loads = self.demand_loads()
        return floats(self.fits(loads) * self.shared(loads[0]))

    def fits(self, loads: tuple[FloatArray, FloatArray]) -> float:
        """Return the largest K, rounded down, at which K times these loads, of arcs and of access links, fit."""
        (core, access), speed = loads, self.flow.capacity
        if self.flow.partner is not None:
            link = self._first(self.flow.partner)
            core = totals_up(link, core, len(link))
            # Of two arcs twice the half that each has, without rounding.
            speed = floats(np.bincount(link, speed, len(link)))
        load = np.concatenate([core, access.ravel()])
        capacity = np.concatenate([speed, self.flow.access_up.ravel(), self.flow.access_down.ravel()])
        limiting = np.flatnonzero((load > 0) & np.isfinite(capacity))
        if not len(limiting):
            return np.inf
        full = load[limiting] / capacity[limiting]
        # Of a load near 0 the ratio overflows; only that of a link nearly as full as the fullest matters.
        fullest = limiting[full >= full.max() * (1 - _NEARLY)]
        return float(div_down(capacity[fullest], self.merged_up(load[fullest])).min())

    @staticmethod
    def _first(partner: IntArray) -> npt.NDArray[np.int64]:
        """Return ``[A]``: of each arc the first that is the same link."""
        return np.minimum(np.arange(len(partner)), partner)

    def shared(self, core: FloatArray) -> FloatArray:
        """Return the loads of arcs where two that are one link have half of its load each, rounded up."""
        if self.flow.partner is None:
            return core
        link = self._first(self.flow.partner)
        return floats(totals_up(link, core, len(link))[link] / np.bincount(link, minlength=len(link))[link])

    def volume(self, lengths: Lengths) -> float:
        """Return the sum of capacity times length over all links, rounded up."""
        speeds = self.flow.capacity, self.flow.access_up, self.flow.access_down
        parts = [mul_up(speed[length > 0], length[length > 0]) for speed, length in zip(speeds, lengths, strict=True)]
        return float(self.merged_up(sum_up(np.concatenate(parts))))

    def merged_up(self, amount: npt.ArrayLike) -> FloatArray:
        """Return at least what an ``amount`` is if sums over classes of hosts are taken exactly."""
        return mul_up(amount, add_up(1.0, self.merged))

    def merged_down(self, amount: npt.ArrayLike) -> FloatArray:
        """Return at most what it is."""
        return mul_down(amount, sub_down(1.0, self.merged))

    def rate_bounds(self) -> Interval:
        """Return the bounds on K: of the flow, and of the lengths by linear-programming duality."""
        lengths = self.normalised(self.lengths)
        takes = self.takes(lengths)
        self.check.require(
            takes > 0 and np.isfinite(takes),
            "the lengths separate a demand",
            "the lengths are zero along a path of every demand",
        )
        upper = float(div_up(self.volume(lengths), takes))
        return self.ordered(self.fits(self.demand_loads()), upper)

    def ordered(self, lower: float, upper: float) -> Interval:
        """Return the interval between bounds that are both proved, so that they cannot cross."""
        self.check.require(lower <= upper, "the bounds are in order", "the bounds cross")
        return Interval(lower, upper)


class SecondProblem(SecondConcurrent):
    """The same with each demand by itself."""

    @property
    def has_one_path(self) -> bool:
        """Whether each demand has one path only."""
        return self.fixed

    @abstractmethod
    def distances(self, lengths: Lengths) -> FloatArray:
        """Return float64 ``[J]``: the length of each demand's shortest path, or over its fixed split, rounded down."""

    @abstractmethod
    def loads(self, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the loads of arcs ``[A]`` and those of access links up and down ``[2, P, E]``, rounded up.

        Args:
            rate: float64 ``[J]``, Gb/s that each demand gets, along the certificate's flow.
        """

    def each_takes(self, lengths: Lengths) -> FloatArray:
        """Return float64 ``[J]``: what each demand takes of the volume of the lengths at K = 1, rounded down."""
        return self.merged_down(mul_down(self.flow.demand, self.distances(lengths)))

    def takes(self, lengths: Lengths) -> float:
        """See :meth:`SecondConcurrent.takes`."""
        return sum_down(self.each_takes(lengths))

    def farthest(self, lengths: Lengths) -> float:
        """See :meth:`SecondConcurrent.farthest`."""
        return float(self.distances(lengths).max())

    def demand_loads(self) -> tuple[FloatArray, FloatArray]:
        """See :meth:`SecondConcurrent.demand_loads`."""
        return self.loads(self.flow.demand)

    def link_load(self, rate: FloatArray | None) -> FloatArray:
        """See :meth:`SecondConcurrent.link_load`."""
        return super().link_load(rate) if rate is None else self.shared(self.loads(rate)[0])

    def bundles(self) -> sp.csc_array:
        """Return float64 ``[L, J]``: what a unit of each demand puts on each link, arcs first, rounded down.

        Of routings that leave each demand one path or one split.
        """
        raise NotImplementedError

    def carry(self, rates: Rates) -> FloatArray:
        """Return the loads of arcs ``[A]``, rounded up, if all pairs get the largest rate; checked to fit."""
        loads = self.loads(rates.most_gbps)
        self.check.require(self.fits(loads) >= 1, "every link carries its load", "a link carries more than it can")
        return self.shared(loads[0])

    def _with_access(self, usage: sp.csc_array, share: FloatArray) -> sp.csc_array:
        """Return ``usage`` ``[A, J]`` of arcs, and below that of access links by the ``share`` ``[P, J]`` of planes."""
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        plane, demand = np.nonzero(share)
        shape = (self.flow.attach.size, self.flow.demand_count)
        access = [
            sp.csc_array((share[plane, demand], (plane * self.flow.attach.shape[1] + end[demand], demand)), shape)
            for end in (self.flow.src, self.flow.dst)
        ]
        return sp.csc_array(sp.vstack([self.flow.tied_usage(usage), *access]))

    def _access(self, amount: FloatArray) -> FloatArray:
        """Return the loads of access links ``[2, P, E]``, rounded up, when ``amount`` ``[P, J]`` enters planes."""
        planes, endpoints = self.flow.attach.shape
        plane, demand = np.nonzero(amount)
        place = [plane * endpoints + end[demand] for end in (self.flow.src, self.flow.dst)]
        found = [totals_up(at, amount[plane, demand], planes * endpoints) for at in place]
        return np.stack(found).reshape(2, planes, endpoints)
