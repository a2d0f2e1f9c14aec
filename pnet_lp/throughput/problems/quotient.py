"""The quotient of a problem of any path by equivalence classes of switches, endpoints and links.

The core finds the classes by colour refinement (``pnet_core::mcf::symmetry``); here the linear program on them is
written, and its solutions are turned into certificates.  Variables are totals: what all destinations of a kind together
send over all links between two classes.  Then every coefficient is 1, whatever the size of the network.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.model import Interval, QuotientCertificate
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.rounded import add_up, div_up, mul_up, totals_down, totals_up
from pnet_lp.throughput.problems.base import ConcurrentProblem
from pnet_lp.throughput.problems.program import ConcurrentForm, LinearProgram, compressed_columns
from pnet_lp.throughput.problems.proof import Certified

MOST_CLASSES = 10_000
"""Variables up to which there is a program on classes: a simplex method solves it in seconds."""

MOST_CLASSES_OF_SERVERS = 400_000
"""The same with servers, where other solvers take longer: 4,096 accelerators in a ring under leaves of 128 have 296,578
beside all-to-all, which an interior point solves in ten seconds."""

MOST_VISITS = 500_000_000
"""Links visited from destinations, all together, to find classes; some ten seconds."""

MOST_EXAMPLES = 30_000_000
"""Links times orbits of destinations: a proof is checked in about a minute."""

_NOISE = 1e-13
"""Of the largest total: what a solver leaves where nothing flows."""

_Index = npt.NDArray[np.int64]


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Entries:
    """Links between two classes of nodes, one entry each.

    Attributes:
        kind: int32, of the destinations that see them so.
        tail, head: int64, classes of nodes, counted through over all kinds.
        link: int32, class of the links.
        out: int32, how many leave each node of the tail.
        up, down: bool, whether they are access links out of and into endpoints.
    """

    kind: IntArray
    tail: _Index
    head: _Index
    link: IntArray
    out: IntArray
    up: BoolArray
    down: BoolArray


class QuotientProblem(ConcurrentProblem[QuotientCertificate, QuotientCertificate]):
    """Maximum concurrent flow on equivalence classes.

    A *node* is a switch, counted through over all planes, or an endpoint, after them; a *link* an arc or an access link
    up or down, ``A + 2 P E`` places in all.  ``classes`` are those of nodes, counted through over all kinds.

    Attributes:
        flow: the problem.
        link_class: int32 ``[A + 2 P E]``, -1 where there is no link.
        capacity: float64 ``[classes of links]``, Gb/s of each link.
        links: float64 ``[classes of links]``, how many each has.
        targets: int32 ``[kinds]``, an endpoint of each kind of destinations.
        counts: float64 ``[kinds]``, how many destinations are of each.
        node_class: int32 ``[kinds, nodes]``, counted anew for each kind.
        kind: int32 ``[classes]``, the kind that sees each.
        nodes: float64 ``[classes]``, how many each has.
        traffic: float64 ``[classes]``, what all nodes of each send to one destination.
    """

    form = "arc"

    def __init__(
        self, flow: FlowProblem, core: _core.Symmetry, found: _core.Reduced, deadline: Deadline = NEVER
    ) -> None:
        self.flow = flow
        self._core, self._found, self._deadline = core, found, deadline
        self.link_class, self.capacity, self.links = found.link_class, found.capacity, found.links
        example = np.unique(found.kind, return_index=True)[1]
        self.targets, self.counts = found.targets[example], found.counts
        self.node_class = found.node_class[example]
        self.kind, self.nodes, sent = found.classes
        self.traffic = mul_up(self.nodes, sent)

    @classmethod
    def of(cls, flow: FlowProblem, deadline: Deadline = NEVER) -> QuotientProblem | None:
        """Return the quotient of a problem, None where it has too many classes for a small program.

        Raises:
            TimeLimitError: the classes are not found before the ``deadline``.
        """
        with deadline.doing("looking for equivalence classes", grace=False) as limit_s:
            core = symmetry_of(flow)
            most = most_classes(flow)
            found = core.reduce(classes=most, looks=MOST_VISITS, examples=MOST_EXAMPLES, time_limit_s=limit_s)
        return None if found is None else cls(flow, core, found, deadline)

    @property
    def flow_variables(self) -> int:
        """Number of entries: links between two classes, as destinations of a kind see them."""
        return len(self.entries.kind)

    @cached_property
    def first(self) -> _Index:
        """int64 ``[kinds]``, where the classes of each kind begin."""
        return np.searchsorted(self.kind, np.arange(len(self.targets)))

    @cached_property
    def target_class(self) -> _Index:
        """int64 ``[kinds]``, the class of the destination alone."""
        switches = int(self.flow.node_count.sum())
        kinds = np.arange(len(self.targets))
        return self.first + self.node_class[kinds, switches + self.targets]

    @cached_property
    def entries(self) -> Entries:
        """Links that a flow can use: none out of an endpoint that sends nothing, nor into one that receives nothing."""
        kind, tail, head, link, out, _ = self._found.entries.T
        arcs, access = len(self.flow.tail), self.flow.attach.size
        sort = np.zeros(len(self.capacity), dtype=np.int64)
        for place, places in ((1, slice(arcs, arcs + access)), (2, slice(arcs + access, None))):
            classes = self.link_class[places]
            sort[classes[classes >= 0]] = place
        tail, head, end = self.first[kind] + tail, self.first[kind] + head, sort[link]
        # What goes from a class to itself comes back to each of its nodes, and leads nowhere.
        kept = (tail != head) & np.where(end == 1, self.traffic[tail] > 0, True)
        kept &= np.where(end == 2, head == self.target_class[kind], True)
        return Entries(
            kind=ints(kind[kept]),
            tail=tail[kept],
            head=head[kept],
            link=ints(link[kept]),
            out=ints(out[kept]),
            up=end[kept] == 1,
            down=end[kept] == 2,
        )

    def program(self) -> QuotientForm:
        """See :meth:`ConcurrentProblem.program`."""
        return QuotientForm(self)

    def nothing(self) -> QuotientCertificate:
        """Return shortest paths and the lengths 1 / capacity: what is known without a solution."""
        return self.certificate(self._shortest(), np.zeros(len(self.capacity)))

    @cached_property
    def units(self) -> tuple[float, float]:
        """The Gb/s that totals are counted in, and all traffic."""
        volume = (self.capacity * self.links)[np.isfinite(self.capacity)]
        return float(volume.max()), float((self.counts[self.kind] * self.traffic).sum())

    @cached_property
    def _sources(self) -> _Index:
        return np.flatnonzero(self.traffic > 0)

    def _shortest(self) -> FloatArray:
        """Return one entry with 1 for each class: the first that leads to the destination over the fewest links."""
        entries = self.entries
        hops = self._distances(np.ones(len(self.capacity)))
        nearer = np.where(entries.down, 0.0, hops[entries.head]) + 1 <= hops[entries.tail]
        # What leads nowhere has no shortest path, but cycles.
        nearer &= np.isfinite(hops[entries.tail])
        first = np.unique(entries.tail[nearer], return_index=True)[1]
        found = np.zeros(len(entries.kind))
        found[np.flatnonzero(nearer)[first]] = 1.0
        return found

    def certificate(self, total: FloatArray, length: FloatArray) -> QuotientCertificate:
        """Return the certificate of totals and lengths.

        Args:
            total: float64 ``[entries]``, in any unit; shortest paths where a class that sends has none.
            length: float64 ``[classes of links]``; where all are 0, which proves nothing, 1 / capacity.
        """
        if not length.any():
            with np.errstate(divide="ignore"):
                length = 1 / self.capacity
        entries, (arcs, access) = self.entries, (len(self.flow.tail), self.flow.attach.size)
        leaving = np.bincount(entries.tail, weights=total, minlength=len(self.kind))
        if np.any(leaving[self._sources] <= 0):
            total = self._shortest()
            leaving = np.bincount(entries.tail, weights=total, minlength=len(self.kind))
        used = np.flatnonzero(total > 0)
        kind, tail, head = entries.kind[used], entries.tail[used], entries.head[used]
        shape = self.flow.attach.shape
        return QuotientCertificate(
            arc_class=ints(self.link_class[:arcs]),
            up_class=ints(self.link_class[arcs : arcs + access].reshape(shape)),
            down_class=ints(self.link_class[arcs + access :].reshape(shape)),
            class_length=floats(length),
            generator=ints(self._found.generators),
            target=ints(self._found.targets),
            kind=ints(self._found.kind),
            node_class=ints(self._found.node_class),
            entry=ints(np.column_stack([kind, tail - self.first[kind], head - self.first[kind], entries.link[used]])),
            fraction=floats(total[used] / leaving[tail]),
        )

    def _flows(self, certificate: QuotientCertificate) -> FloatArray:
        """Return float64 ``[entries of the certificate]``: what passes all links of each towards one destination.

        Rounded up, and nothing is lost of what fractions are short of a sum of 1.

        Raises:
            CoreError: the fractions form a cycle.
        """
        kind, tail, head, link = certificate.entry.T
        tail, head = self.first[kind] + tail, self.first[kind] + head
        classes = len(self.kind)
        fraction = div_up(certificate.fraction, totals_down(tail, certificate.fraction, classes)[tail])
        on = ~np.isin(link, self.entries.link[self.entries.down])
        tail_on, head_on, fraction_on = tail[on], head[on], fraction[on]
        passing, moving = self.traffic.copy(), self.traffic
        # One link further at a time; no path is longer than there are classes.
        for _ in range(classes):
            moving = totals_up(head_on, mul_up(fraction_on, moving[tail_on]), classes)
            if not moving.any():
                return floats(mul_up(passing[tail], fraction))
            passing = add_up(passing, moving)
        raise _core.CoreError("the fractions of a kind form a cycle")

    def _certified(self, proof: QuotientCertificate) -> Certified[QuotientCertificate]:
        """Evaluate the proof on the whole network: other classes prove nothing; TimeLimitError where it takes long."""
        with self._deadline.doing("checking the flow on equivalence classes", grace=False) as limit_s:
            lower, upper, load = self._core.evaluate(
                ints(self.link_class),
                proof.class_length,
                ints(self.targets),
                ints(self.node_class),
                proof.entry,
                floats(div_up(self._flows(proof), self._links_of(proof))),
                ints(proof.generator),
                time_limit_s=limit_s,
            )
        return Certified(proof, Interval(lower, upper), floats(lower * load[: len(self.flow.tail)]))

    def bounds(self, proof: QuotientCertificate) -> tuple[float, float]:
        """Return the bounds on K on classes: those of the whole network, if the classes are equivalence classes."""
        load, limited = self._loads(proof), np.isfinite(self.capacity)
        lower = 1 / float((load[limited] / self.capacity[limited]).max())
        volume = float((self.capacity * self.links)[limited] @ proof.class_length[limited])
        far = self._distances(proof.class_length)[self._sources]
        demand = (self.counts[self.kind] * self.traffic)[self._sources]
        carried = float(demand @ far)
        return lower, volume / carried if carried > 0 else math.inf

    def access_loads(self, certificate: QuotientCertificate, rate: FloatArray | float) -> FloatArray:
        """See :meth:`ConcurrentProblem.access_loads`; ``rate`` is K."""
        load = rate * self._loads(certificate)
        classes = np.stack([certificate.up_class, certificate.down_class])
        return floats(np.where(classes >= 0, load[classes], 0.0))

    def _loads(self, certificate: QuotientCertificate) -> FloatArray:
        """Return float64 ``[classes of links]``: the load of each link at K = 1, on classes."""
        kind, _, _, link = certificate.entry.T
        total = self.counts[kind] * self._flows(certificate)
        return floats(np.bincount(link, weights=total, minlength=len(self.links)) / self.links)

    def _links_of(self, certificate: QuotientCertificate) -> FloatArray:
        """Return float64 ``[entries of the certificate]``: how many links each has towards one destination."""
        entries, (kind, tail, head, link) = self.entries, certificate.entry.T
        known = np.column_stack([entries.tail, entries.head, entries.link])
        requested = np.column_stack([self.first[kind] + tail, self.first[kind] + head, link])
        _, row = np.unique(np.concatenate([known, requested]), axis=0, return_inverse=True)
        count = np.zeros(int(row.max()) + 1)
        count[row.ravel()[: len(known)]] = self.nodes[entries.tail] * entries.out
        return floats(count[row.ravel()[len(known) :]])

    def farthest(self, lengths: Lengths) -> float:
        """See :meth:`ConcurrentProblem.farthest`: lengths are equal within classes."""
        joined = np.concatenate([values.ravel() for values in lengths])
        length = np.zeros(len(self.capacity))
        length[self.link_class[self.link_class >= 0]] = joined[self.link_class >= 0]
        return float(self._distances(length)[self._sources].max())

    def _distances(self, length: FloatArray) -> FloatArray:
        """Return float64 ``[classes]``: how far each is from the destination, that from itself over its own links."""
        entries, classes = self.entries, len(self.kind)
        found = np.full(classes, np.inf)
        far = length[entries.link]
        for _ in range(classes):
            through = far + np.where(entries.down, 0.0, found[entries.head])
            nearer = found.copy()
            np.minimum.at(nearer, entries.tail, through)
            if np.array_equal(nearer, found):
                break
            found = nearer
        return floats(found)


class QuotientForm(ConcurrentForm[QuotientCertificate]):
    """Maximum concurrent flow on classes as a linear program: minimise -K.

    Columns are totals over entries, then K; units are chosen near 1.  Rows: what leaves a class is what enters it and
    what it sends itself, for each class; then the capacity of each class of links that has one.
    """

    def __init__(self, problem: QuotientProblem) -> None:
        self.problem = problem

    @cached_property
    def lp(self) -> LinearProgram:
        """See :attr:`ConcurrentForm.lp`."""
        problem, entries, classes = self.problem, self.problem.entries, len(self.problem.kind)
        count, (unit, traffic) = len(entries.kind), problem.units
        limited = np.flatnonzero(np.isfinite(problem.capacity))
        place = np.full(len(problem.capacity), -1)
        place[limited] = classes + np.arange(len(limited))
        column = np.arange(count)
        passing, counted = ~entries.down, place[entries.link] >= 0
        sending = np.flatnonzero(problem.traffic > 0)
        row = [entries.tail, entries.head[passing], place[entries.link][counted], sending]
        columns = [column, column[passing], column[counted], np.full(len(sending), count)]
        demand = problem.counts[problem.kind[sending]] * problem.traffic[sending] / traffic
        value = [np.ones(count), -np.ones(passing.sum()), np.ones(counted.sum()), -demand]
        start, index, values = compressed_columns(
            np.concatenate(row), np.concatenate(columns), floats(np.concatenate(value)), count + 1
        )
        return LinearProgram(
            cost=floats(np.r_[np.zeros(count), -1.0]),
            start=start,
            index=index,
            value=values,
            row_lower=floats(np.r_[np.zeros(classes), np.full(len(limited), -np.inf)]),
            row_upper=floats(np.r_[np.zeros(classes), problem.capacity[limited] * problem.links[limited] / unit]),
        )

    def proof(self, value: FloatArray, dual: FloatArray) -> QuotientCertificate:
        """See :meth:`ConcurrentForm.proof`."""
        problem = self.problem
        limited = np.isfinite(problem.capacity)
        length = np.zeros(len(problem.capacity))
        length[limited] = np.maximum(-dual[len(problem.kind) :], 0.0)
        return problem.certificate(_without_cycles(problem.entries, value[:-1]), length)


def most_classes(flow: FlowProblem) -> int:
    """Return up to how many variables there is a program on classes of a problem."""
    return MOST_CLASSES if flow.inside is None else MOST_CLASSES_OF_SERVERS


def symmetry_of(flow: FlowProblem) -> _core.Symmetry:
    """Return a problem as the core searches it for equivalence classes."""
    return _core.Symmetry(
        flow.node_count,
        flow.arc_ptr,
        flow.tail,
        flow.head,
        flow.capacity,
        flow.attach,
        flow.access_up,
        flow.access_down,
        flow.demands.core(flow.attach.shape[1]),
        flow.inside,
        flow.partner,
    )


def _without_cycles(entries: Entries, given: FloatArray) -> FloatArray:
    """Return totals without cycles, of which nothing ends anywhere but at the destination."""
    total = np.where(given > _NOISE * given.max(initial=0.0), given, 0.0)
    total = _acyclic(entries, total)
    while True:
        alive = np.isin(entries.head, entries.tail[total > 0]) | entries.down
        dead = (total > 0) & ~alive
        if not dead.any():
            return total
        total = np.where(dead, 0.0, total)


def _acyclic(entries: Entries, total: FloatArray) -> FloatArray:
    """Return totals with every cycle taken off."""
    total = total.copy()
    into: dict[int, list[int]] = {}
    for e in np.flatnonzero((total > 0) & ~entries.down).tolist():
        into.setdefault(int(entries.head[e]), []).append(e)
    done: set[int] = set()
    for start in list(into):
        # Against the flow, in depth; what is on the path and met again closes a cycle.
        path: list[int] = []
        place: dict[int, int] = {start: 0}
        node = start
        while True:
            coming = into.get(node, [])
            while coming and (total[coming[-1]] <= 0 or int(entries.tail[coming[-1]]) in done):
                coming.pop()
            if not coming:
                done.add(node)
                place.pop(node, None)
                if not path:
                    break
                node = int(entries.head[path.pop()])
                continue
            e = coming[-1]
            tail = int(entries.tail[e])
            if tail not in place:
                place[tail] = len(path) + 1
                path.append(e)
                node = tail
                continue
            cycle = [*path[place[tail] :], e]
            least = min(total[c] for c in cycle)
            for c in cycle:
                total[c] = total[c] - least if total[c] > least else 0.0
            # Back to where the cycle begins.
            while len(path) > place[tail]:
                place.pop(int(entries.tail[path.pop()]))
            node = tail
    return total
