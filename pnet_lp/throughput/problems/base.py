"""What a problem is: links and demands, its linear program, and what an answer to it proves.

In a :class:`ColumnProblem` each variable is a bundle of links: a path, or a fixed split of a demand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal

import numpy as np
from typing_extensions import TypeVar

from pnet_lp import _core
from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.errors import SolverError, SpecError, TimeLimitError
from pnet_lp.model import Certificate, Interval, PathCertificate
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.certificates import LinkCertificate
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.paths import OffsetArray
from pnet_lp.model.rounded import div_down, div_up, mul_down, mul_up, sub_down, totals_down, totals_up
from pnet_lp.throughput.problems.program import ConcurrentForm, Form, ProgramGoal
from pnet_lp.throughput.problems.proof import Attained, C, Certified, P, fitting

if TYPE_CHECKING:
    import scipy.sparse as sp

_LATE_S = 1.0
"""Seconds after the grace of a deadline up to which first bounds are worth it."""

L = TypeVar("L", bound=LinkCertificate, default=Any)


class ConcurrentProblem(ABC, Generic[P, C]):
    """Maximum concurrent flow: the largest K such that K times every demand is carried on the paths of a routing.

    Its solutions are proofs ``P``, as solvers return them, which become certificates ``C``.

    Class attributes:
        form: how it is written: a variable for each arc and destination, over any path or shortest ones, or one for
            each path.
        fixed: whether the routing alone says how each demand is split.
        listed: whether each of its variables is a path.
        rough: whether it stands for another one, for which there was no time: only what :meth:`nothing` proves counts.

    Attributes:
        flow: links and demands.
    """

    form: ClassVar[Literal["arc", "shortest", "path"]]
    fixed: ClassVar[bool] = False
    listed: ClassVar[bool] = False
    rough: ClassVar[bool] = False

    flow: FlowProblem

    @property
    @abstractmethod
    def flow_variables(self) -> int:
        """Number of flow variables of the program."""

    @abstractmethod
    def program(self) -> ConcurrentForm[P]:
        """Return the problem as a linear program.

        Raises:
            SolverError: more entries than 32-bit indices can count.
        """

    @abstractmethod
    def nothing(self) -> P:
        """Return what is proved where a solver found nothing."""

    @abstractmethod
    def bounds(self, proof: P) -> tuple[float, float]:
        """Return the lower and the upper bound on K that a proof gives; CoreError where it is none."""

    @abstractmethod
    def access_loads(self, certificate: C, rate: FloatArray | float) -> FloatArray:
        """Return float64 ``[2, P, E]``: the loads of access links up and down.

        Args:
            certificate: the flow.
            rate: float64 ``[J]``, Gb/s of each demand, or one number that multiplies all demands.
        """

    @abstractmethod
    def farthest(self, lengths: Lengths) -> float:
        """Return the largest distance of a demand by lengths of a certificate, in any unit."""

    def certify(self, proof: P) -> Certified[C]:
        """Return what ``proof`` proves, recomputed from raw arrays for every solver, ours and others'.

        The bounds are rounded outwards: they hold to the last bit.

        Raises:
            SolverError: the solver returned something that proves nothing, such as a NaN length.
        """
        try:
            found = self._certified(proof)
        except _core.CoreError as error:
            raise SolverError(f"the solver's answer cannot be certified: {error}") from error
        lower, upper = self.flow.attained(found.interval.lower), self.flow.exceeded(found.interval.upper)
        if upper < lower:
            raise SolverError(f"bounds cross: lower {lower!r}, upper {upper!r}; this is a defect, please report it")
        return replace(found, interval=Interval(lower, upper))

    @abstractmethod
    def _certified(self, proof: P) -> Certified[C]:
        """Return what ``proof`` proves of :attr:`flow`, rounded outwards; CoreError where it proves nothing."""


class Problem(ConcurrentProblem[P, C]):
    """The same with each demand by itself, for every objective."""

    @property
    def demand_count(self) -> int:
        """Number of demands, J."""
        return self.flow.demand_count

    @property
    @abstractmethod
    def proof_bytes(self) -> int:
        """About how much memory a proof takes at most, while it is copied into the certificate."""

    @property
    def first_bounds_s(self) -> float:
        """About how many seconds bounds take that need no solver; 0 where paths take longer."""
        return 0.0

    @property
    def lengths_of_all(self) -> Lengths | None:
        """Lengths by which no demand is 0 long, where those of :meth:`nothing` are others."""
        return None

    def in_outline(self) -> Problem:
        """Return a rough problem whose first bounds take next to no time, or the problem itself where there is none."""
        return self

    def ready_by(self, deadline: Deadline) -> Problem:
        """Return the problem, or in outline where that alone has first bounds in time.

        Raises:
            TimeLimitError: nothing is known of it until long after the ``deadline``.
        """
        left = deadline.to_end_s()
        found = self if self.first_bounds_s <= left else self.in_outline()
        if not found.rough and found.first_bounds_s > left + _LATE_S:
            raise TimeLimitError(
                f"first bounds of {self.demand_count:,} demands alone take about {found.first_bounds_s:.2g} s",
                where="time_limit_s",
                found=deadline.limit_s,
                allowed="more seconds, or fewer demands",
            )
        return found

    @property
    @abstractmethod
    def size(self) -> tuple[int, int, int]:
        """Rows, columns and entries of the program, without building any: upper bounds, nearly reached."""

    @property
    @abstractmethod
    def disconnected(self) -> IntArray:
        """int32: the demands that have no path."""

    @abstractmethod
    def formulate(self, goal: ProgramGoal | None = None) -> Form[P]:
        """Return the problem as a linear program, without ``goal`` that of maximum concurrent flow.

        Raises:
            SolverError: more entries than 32-bit indices can count.
        """

    def program(self) -> Form[P]:
        """See :meth:`ConcurrentProblem.program`."""
        return self.formulate()

    @abstractmethod
    def distances(self, lengths: Lengths) -> FloatArray:
        """Return float64 ``[J]``: the length of each demand's shortest path, rounded down, ``inf`` where it has none.

        Where the split is fixed it is the mean over the split, which a demand cannot get around.
        """

    def farthest(self, lengths: Lengths) -> float:
        """See :meth:`ConcurrentProblem.farthest`."""
        return float(self.distances(lengths).max())

    @abstractmethod
    def keeping(self, kept: IntArray) -> Problem[P, C]:
        """Return the problem with these demands only."""

    @abstractmethod
    def weighted(self, demand: FloatArray) -> Problem[P, C]:
        """Return the problem with demands of other sizes, float64 ``[J]``, Gb/s."""

    def connected(self) -> tuple[Problem[P, C], IntArray | slice]:
        """Return the problem without its disconnected demands, and the indices of the remaining ones."""
        if not self.disconnected.size:
            # Demands that follow from a rule may be more than numbers of them fit into memory.
            return self, slice(None)
        kept = ints(np.setdiff1d(np.arange(self.demand_count), self.disconnected))
        return self.keeping(kept), kept

    def solved(self) -> Certified[C] | None:
        """Return K and its proof where nothing remains to be solved, else None."""
        return None

    def quotient(self, deadline: Deadline = NEVER) -> ConcurrentProblem | None:
        """Return a smaller problem of the same K on equivalence classes of nodes and links, if there is one.

        Raises:
            TimeLimitError: it is not found before the ``deadline``.
        """
        del deadline
        return None

    @property
    def over_columns(self) -> ColumnProblem | None:
        """The problem itself where its variables are given columns, else None."""
        return None

    @property
    def most_paths(self) -> float:
        """The largest number of paths that a demand has."""
        return np.inf

    def bundles(self) -> sp.csc_array | None:
        """Return float64 ``[L, J]``: what a unit of each demand puts on each link, None where a demand has a choice.

        A *link* is an arc or an access link, as in :class:`ColumnProblem`.
        """
        return None

    def certify_bundles(self, load: FloatArray, length: FloatArray) -> LinkCertificate:
        """Return the certificate of ``load`` ``[A]`` that :meth:`bundles` put on arcs, and of lengths ``[L]``.

        Raises:
            SpecError: there are none.
        """
        del load, length
        raise SpecError("a demand has a choice", allowed="routings with one path for each demand such as ecmp")

    def warm_start(self, certificate: Certificate, earlier: Problem) -> P:
        """Return the proof in the certificate of a similar problem, as the initial point of a solve.

        The split and the lengths are near the new optimum where little has changed: other capacities, other demands,
        and over any path other links.  What is proved does not depend on it.

        Args:
            certificate: of an answer to ``earlier``.
            earlier: the similar problem; the problem itself where nothing but capacities and demands has changed.

        Raises:
            SpecError: the routing leaves no split open, ``certificate`` is not that of such a problem, or they are for
                other networks; over given paths, if they differ in the number of paths or links.
            SolverError: the initial point does not fit into memory.
        """
        del certificate, earlier
        raise SpecError(
            "a warm start is not defined for this routing", allowed="routings with an open split such as ideal or ksp:8"
        )


class ColumnProblem(Problem[PathCertificate, L]):
    """A problem of ``J`` demands with ``N`` columns, of one demand each.

    A *link* is an arc or an access link: the ``A`` arcs come first, then the access links up ``[P, E]`` and down
    ``[P, E]``, both flattened: ``L = A + 2 P E`` in all.
    """

    form = "path"

    @property
    def over_columns(self) -> ColumnProblem:
        """See :attr:`Problem.over_columns`."""
        return self

    @property
    @abstractmethod
    def usage(self) -> sp.csc_array:
        """float64 ``[L, N]``: the load of each link per unit of a column; links that limit nothing are left out.

        The entries are rounded up, by the part :attr:`usage_rounding` at most.
        """

    @property
    def usage_rounding(self) -> float:
        """By what part an entry of :attr:`usage` may exceed the exact one."""
        return 0.0

    @property
    @abstractmethod
    def demand_of_column(self) -> OffsetArray:
        """int64 ``[N]``: the demand that each column belongs to."""

    def loads(self, amount: FloatArray) -> FloatArray:
        """Return float64 ``[L]``: the loads of links when ``amount`` ``[N]`` goes over columns, rounded up."""
        usage = self.usage
        each = np.repeat(amount, np.diff(usage.indptr))
        return totals_up(usage.indices, mul_up(usage.data, each), usage.shape[0])

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`Problem.distances`."""
        usage = self.usage
        column = np.repeat(np.arange(usage.shape[1]), np.diff(usage.indptr))
        cost = totals_down(column, mul_down(usage.data, joined(lengths)[usage.indices]), usage.shape[1])
        found = np.full(self.demand_count, np.inf)
        np.minimum.at(found, self.demand_of_column, cost)
        return floats(mul_down(found, sub_down(1.0, self.usage_rounding)))

    @abstractmethod
    def certificate(self, weight: FloatArray, load: FloatArray, lengths: Lengths) -> L:
        """Return the certificate of weights ``[N]``, which put ``load`` ``[A]`` on arcs, and lengths."""

    def certify_bundles(self, load: FloatArray, length: FloatArray) -> L:
        """See :meth:`Problem.certify_bundles`."""
        weight = self.normalised(np.ones(self.flow_variables))
        return self.certificate(weight, load, self.proof(weight, length).lengths)

    @property
    @abstractmethod
    def most_entries(self) -> int:
        """As many as :attr:`usage` has, or a few more."""

    @property
    def size(self) -> tuple[int, int, int]:
        """See :attr:`Problem.size`: every link counts."""
        demands, columns = self.demand_count, self.flow_variables
        return len(self.flow.link_capacity) + demands, columns + 1, self.most_entries + columns + demands

    def nothing(self) -> PathCertificate:
        """Even splits, and lengths by which all links cost the same."""
        return self.proof(np.ones(self.flow_variables), 1.0 / self.flow.link_capacity)

    def proof(self, weight: FloatArray, length: FloatArray) -> PathCertificate:
        """Return the proof of weights ``[N]`` and lengths ``[L]``."""
        return PathCertificate(*separated(self.flow, length), floats(weight))

    def normalised(self, weight: FloatArray) -> FloatArray:
        """Return weights ``[N]`` that sum to 1 over the columns of each demand; equal ones where they were all 0."""
        owner = self.demand_of_column
        weight = np.maximum(weight, 0.0)
        total = np.bincount(owner, weights=weight, minlength=self.demand_count)[owner]
        count = np.bincount(owner, minlength=self.demand_count)[owner]
        return floats(np.where(total > 0, weight / np.where(total > 0, total, 1.0), 1.0 / count))

    def attain(self, weight: FloatArray, rate: FloatArray) -> Attained:
        """Return ``rate`` ``[J]``, split by weights ``[N]`` and scaled down until everything fits.

        Raises:
            SolverError: a weight is not a number.
        """
        weight = self.normalised(weight)
        if not np.all(np.isfinite(weight)):
            raise SolverError("the solver's answer cannot be certified: a weight is not a number")
        owner = self.demand_of_column
        # As a certificate, weights stand for themselves over their sum.
        part = div_up(weight, totals_down(owner, weight, self.demand_count)[owner])
        load = self.loads(mul_up(part, rate[owner]))
        used = load > 0
        most = float(div_down(self.flow.link_capacity[used], load[used]).min(initial=np.inf))
        # Where the split is fixed, others may compute it switch by switch.
        factor = fitting(self.flow.attained(most), np.inf if self.fixed else 0)
        arcs = floats(mul_up(factor, load[: len(self.flow.capacity)]))
        nothing = np.zeros(len(arcs)), *np.zeros((2, *self.flow.attach.shape))
        attained = floats(np.where(rate > 0, mul_down(rate, factor), 0.0))
        return Attained(attained, factor, arcs, self.certificate(weight, arcs, nothing))


def joined(lengths: Lengths) -> FloatArray:
    """Return lengths as one array, ``[L]``."""
    length, up, down = lengths
    return np.concatenate([length, up.ravel(), down.ravel()])


def separated(flow: FlowProblem, length: FloatArray) -> Lengths:
    """Return lengths ``[L]`` as those of arcs and of access links, as they were before :func:`joined`."""
    arcs = len(flow.capacity)
    up, down = length[arcs:].reshape(2, *flow.attach.shape)
    return floats(length[:arcs]), floats(up), floats(down)
