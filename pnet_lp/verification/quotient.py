"""The quotient of a problem of any path, a second time: one flow towards each orbit of destinations proves all others.

The file gives permutations of nodes that are checked to be automorphisms.  Let G be the group that they generate, and
push a flow towards one destination of each orbit through the whole network.  The average of its images under G, times
the number of destinations in the orbit, carries what all of these receive, and puts the same load on all links of an
orbit of links: what the flow puts on them together, over their number.  Distances are those of the example, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from pnet_lp.model import QuotientCertificate, rounded
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.demands import Demands
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.verification.arcs import Split, propagate
from pnet_lp.verification.checks import one_to_one
from pnet_lp.verification.second import SecondConcurrent, Subject

_Index = npt.NDArray[np.int64]

CORE, UP, DOWN = range(3)
"""Sorts of links."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Links:
    """Directed links between nodes: switches, counted through over the planes, then endpoints; ``[links]`` each.

    Attributes:
        tail, head: int64, nodes.
        sort: int64, of :data:`CORE`, :data:`UP`, :data:`DOWN`.
        capacity: float64, Gb/s.
        place: int64, among all arcs, then all access links up and down.
    """

    tail: _Index
    head: _Index
    sort: _Index
    capacity: FloatArray
    place: _Index


def links_of(flow: FlowProblem) -> Links:
    """Return the links of a problem."""
    first = np.r_[0, np.cumsum(flow.node_count, dtype=np.int64)]
    plane = np.repeat(np.arange(flow.plane_count), np.diff(flow.arc_ptr))
    arcs = len(flow.tail)
    tails, heads = [first[plane] + flow.tail], [first[plane] + flow.head]
    sorts, capacities, places = [np.full(arcs, CORE)], [flow.capacity], [np.arange(arcs)]
    for sort, speed in ((UP, flow.access_up), (DOWN, flow.access_down)):
        p, e = np.nonzero((flow.attach >= 0) & (speed > 0))
        ends = [first[-1] + e, first[p] + flow.attach[p, e]]
        tails.append(ends[sort == DOWN])
        heads.append(ends[sort == UP])
        sorts.append(np.full(len(p), sort))
        capacities.append(speed[p, e])
        places.append(arcs + (sort - 1) * flow.attach.size + p * flow.attach.shape[1] + e)
    return Links(*(np.concatenate(parts) for parts in (tails, heads, sorts, capacities, places)))


class SecondQuotient(SecondConcurrent):
    """Any path in any plane: a flow towards an example of each orbit of destinations, and lengths of link classes."""

    def __init__(self, subject: Subject, certificate: QuotientCertificate) -> None:
        self.check, self.flow, self.certificate = subject.check, subject.flow, certificate
        self.switches = int(self.flow.node_count.sum())
        self.nodes = self.switches + self.flow.attach.shape[1]
        self._check_shapes()
        super().__init__(subject, certificate)
        self.links = links_of(self.flow)
        self.link_class = self._classes().ravel()[self.links.place].astype(np.int64)
        self.check.require(
            np.all(self.link_class >= 0),
            f"links are of {len(certificate.class_length)} classes",
            "certificate.arc_class, up_class or down_class leave out a link",
        )
        self.orbit = self._link_orbits()
        self.counts = self._orbit_sizes()
        self.load = self._loads()

    def demand_loads(self) -> tuple[FloatArray, FloatArray]:
        """See :meth:`SecondConcurrent.demand_loads`; rounded up."""
        arcs = len(self.flow.tail)
        return self.load[:arcs], self.load[arcs:].reshape(2, *self.flow.attach.shape)

    def farthest(self, lengths: Lengths) -> float:
        """See :meth:`SecondConcurrent.farthest`."""
        examples = self.certificate.target.tolist()
        return max(float(self._distances(t, lengths)[self._sent(t)[1] > 0].max()) for t in examples)

    def takes(self, lengths: Lengths) -> float:
        """See :meth:`SecondConcurrent.takes`: pairs need not be written out; rounded down."""
        parts = []
        for target, count in zip(self.certificate.target.tolist(), self.counts.tolist(), strict=True):
            demand, _ = self._sent(target)
            some = demand > 0
            weighted = rounded.mul_down(demand[some], self._distances(target, lengths)[some])
            parts.append(float(rounded.mul_down(float(count), rounded.sum_down(weighted))))
        return float(self.merged_down(rounded.sum_down(parts)))

    def _check_shapes(self) -> None:
        proof, check, flow = self.certificate, self.check, self.flow
        orbits, classes, nodes = len(proof.target), len(proof.class_length), self.nodes
        kinds = int(proof.kind.max(initial=0)) + 1
        shapes = {
            "arc_class": flow.tail.shape,
            "up_class": flow.attach.shape,
            "down_class": flow.attach.shape,
            "class_length": (classes,),
            "generator": (len(proof.generator), nodes),
            "target": (orbits,),
            "kind": (orbits,),
            "node_class": (orbits, nodes),
            "entry": (len(proof.entry), 4),
            "fraction": (len(proof.entry),),
        }
        for key, shape in shapes.items():
            values = getattr(proof, key)
            check.require(
                values.shape == shape and (values.dtype.kind == "f") == (key in ("class_length", "fraction")),
                f"{key} has the shape {shape}",
                f"certificate.{key} has the shape {values.shape} or numbers of a kind that it should not have",
            )
        for key, lowest, most in (
            ("arc_class", 0, classes),
            ("up_class", -1, classes),
            ("down_class", -1, classes),
            ("generator", 0, nodes),
            ("target", 0, flow.attach.shape[1]),
            ("kind", 0, orbits),
            ("node_class", 0, nodes),
            ("entry", 0, np.array([kinds, nodes, nodes, classes])),
        ):
            values = getattr(proof, key)
            check.require(
                np.all((values >= lowest) & (values < most)),
                f"{key} counts what there is",
                f"certificate.{key} names something that there is not; allowed: {lowest} to {most - 1}",
            )
        check.require(
            orbits > 0 and len(np.unique(proof.entry, axis=0)) == len(proof.entry),
            "entries are between classes, each once",
            "certificate.entry names the same links twice",
        )
        for key, what in (("fraction", "fractions"), ("class_length", "lengths")):
            values = getattr(proof, key)
            check.require(
                np.all(np.isfinite(values) & (values >= 0)),
                f"{what} are not negative",
                f"certificate.{key} has a negative or infinite entry",
            )

    def _classes(self) -> npt.NDArray[np.int32]:
        proof = self.certificate
        return np.concatenate([proof.arc_class, proof.up_class.ravel(), proof.down_class.ravel()])

    def _link_orbits(self) -> _Index:
        """Return int64 ``[links]``, the orbit of each; every generator is checked to map links onto equal links."""
        links, check, generator = self.links, self.check, self.certificate.generator.astype(np.int64)
        look = self._looks()
        distinct, place, many = np.unique(
            self._keys(links.tail, links.head, look), return_inverse=True, return_counts=True
        )
        example = np.empty(len(distinct), dtype=np.int64)
        example[place] = np.arange(len(place))
        tail, head, look = links.tail[example], links.head[example], look[example]
        joined = []
        for number, image in enumerate(generator):
            check.require(
                np.array_equal(np.bincount(image, minlength=self.nodes), np.ones(self.nodes))
                and np.all(image[: self.switches] < self.switches),
                f"generator {number} permutes switches and endpoints",
                f"certificate.generator.{number} is not a permutation of switches and of endpoints",
            )
            mapped = self._keys(image[tail], image[head], look)
            onto = np.minimum(np.searchsorted(distinct, mapped), len(distinct) - 1)
            check.require(
                np.array_equal(distinct[onto], mapped) and np.array_equal(many[onto], many),
                f"generator {number} maps links onto links of the same class and speed",
                f"certificate.generator.{number} maps a link onto something else",
            )
            check.require(
                self._keeps_demands(image[self.switches :] - self.switches),
                f"generator {number} maps demands onto equal demands",
                f"certificate.generator.{number} maps a demand onto another one",
            )
            joined.append(onto)
        return _components(len(distinct), joined)[place]

    def _looks(self) -> _Index:
        """Return int64 ``[links]``, equal for links of one class, sort and speed."""
        links, of = self.links, self.link_class
        example = np.zeros(int(of.max(initial=0)) + 1, dtype=np.int64)
        example[of] = np.arange(len(of))
        # Mostly those of a class have one speed.
        if all(np.array_equal(values[example][of], values) for values in (links.sort, links.capacity)):
            return of
        looks = np.stack([links.sort, np.unique(links.capacity, return_inverse=True)[1], of])
        return np.asarray(np.unique(looks, axis=1, return_inverse=True)[1].ravel(), dtype=np.int64)

    def _keys(self, tail: _Index, head: _Index, look: _Index) -> _Index:
        return np.asarray((look * self.nodes + tail) * self.nodes + head)

    def _keeps_demands(self, image: _Index) -> bool:
        """Whether the demands between endpoints and those between their images are the same."""
        return all(self._keeps(part, image) for part in self.flow.demands.parts)

    def _keeps(self, demands: Demands, image: _Index) -> bool:
        if demands.factors is not None:
            return all(np.array_equal(weights[image], weights) for weights in demands.factors)
        if demands.groups is not None:
            sends, receives, *sets, _ = demands.groups
            return (
                np.array_equal(sends[image], sends)
                and np.array_equal(receives[image], receives)
                and all(one_to_one(of, of[image]) for of in sets)
            )
        pairs = demands.listed("the demands")
        given, moved = np.lexsort((pairs.demand, pairs.dst, pairs.src)), (image[pairs.src], image[pairs.dst])
        order = np.lexsort((pairs.demand, moved[1], moved[0]))
        return (
            np.array_equal(pairs.src[given], moved[0][order])
            and np.array_equal(pairs.dst[given], moved[1][order])
            and np.array_equal(pairs.demand[given], pairs.demand[order])
        )

    def _orbit_sizes(self) -> _Index:
        """Return int64 ``[examples]``: how many destinations are in the orbit of each, which together are all."""
        target, count = self.certificate.target, self.nodes - self.switches
        ends = [image[self.switches :] - self.switches for image in self.certificate.generator]
        orbit = _components(count, ends)
        receives = self.flow.demands.received(count)
        found = np.bincount(orbit[receives], minlength=int(orbit.max()) + 1)
        self.check.require(
            len(np.unique(orbit[target])) == len(target)
            and receives[target].all()
            and found[orbit[target]].sum() == np.count_nonzero(receives),
            f"{np.count_nonzero(receives)} destinations are in the orbits of {len(target)}",
            "certificate.target does not have one destination of each orbit under certificate.generator",
        )
        return np.asarray(found[orbit[target]])

    def _sent(self, target: int) -> tuple[FloatArray, FloatArray]:
        """Return float64 ``[endpoints]``: what each sends to ``target``, rounded down, and up."""
        found = [self._sent_of(part, target) for part in self.flow.demands.parts]
        for down, up in found[1:]:
            found[0] = floats(rounded.add_down(found[0][0], down)), floats(rounded.add_up(found[0][1], up))
        return found[0]

    def _sent_of(self, demands: Demands, target: int) -> tuple[FloatArray, FloatArray]:
        if demands.groups is not None:
            sends, receives, group, owner, outside = demands.groups
            near, far = (group == group[target]) & (owner != owner[target]), group != group[target]
            down, up = (times(sends, receives[target]) for times in (rounded.mul_down, rounded.mul_up))
            less = rounded.mul_down(down, outside), rounded.mul_up(up, outside)
            down, up = (
                np.where(near, there, np.where(far, here, 0.0)) for there, here in zip((down, up), less, strict=True)
            )
            return floats(down), floats(up)
        if demands.factors is None:
            pairs = demands.listed("the demands")
            here = pairs.dst == target
            source, size = pairs.src[here], pairs.demand[here]
            count = self.nodes - self.switches
            return rounded.totals_down(source, size, count), rounded.totals_up(source, size, count)
        sends, receives, own = demands.factors
        found = rounded.mul_down(sends, receives[target]), rounded.mul_up(sends, receives[target])
        for values in found:
            values[target] = own[target]
        return found

    def _loads(self) -> FloatArray:
        """Return float64 ``[places]``: the load of each link when demands are met once, rounded up."""
        links = self.links
        orbits = int(self.orbit.max()) + 1
        together = np.zeros(orbits)
        for number, count in enumerate(self.counts.tolist()):
            used, carried = self._example(number)
            part = rounded.totals_up(self.orbit[used], carried, orbits)
            together = rounded.add_up(together, rounded.mul_up(part, float(count)))
        self.check.passed.append(f"the flows towards {len(self.counts)} destinations arrive, and so do their images")
        load = rounded.div_up(together, np.bincount(self.orbit).astype(np.float64))
        found = np.zeros(len(self.flow.tail) + 2 * self.flow.attach.size)
        found[links.place] = load[self.orbit]
        return floats(found)

    def _example(self, number: int) -> tuple[_Index, FloatArray]:
        """Return links that a flow towards an example uses, and what it puts on each, rounded up."""
        proof, links, check = self.certificate, self.links, self.check
        target, kind = int(proof.target[number]), int(proof.kind[number])
        of, end = proof.node_class[number].astype(np.int64), self.switches + target
        given = np.flatnonzero((proof.entry[:, 0] == kind) & (proof.fraction > 0))
        check.require(len(given) > 0, f"kind {kind} has entries", f"certificate.entry has none of kind {kind}")
        tail, head, link = proof.entry[given, 1:].astype(np.int64).T
        entries, classes = self._entry_keys(tail, head, link), np.unique(tail)
        order = np.argsort(entries)
        keys = self._entry_keys(of[links.tail], of[links.head], self.link_class)
        at = order[np.minimum(np.searchsorted(entries, keys, sorter=order), len(order) - 1)]
        used = np.flatnonzero(entries[at] == keys)
        at, tails = at[used], links.tail[used]
        # Links of an entry that leave one node carry equal parts of what the entry does.
        pair, local, many = np.unique(tails * len(given) + at, return_inverse=True, return_counts=True)
        fraction = proof.fraction[given]
        total = rounded.totals_down(tail, fraction, self.nodes)[tail]
        part = rounded.div_up(rounded.div_up(fraction, total)[pair % len(given)], many.astype(np.float64))[local]
        passing = np.zeros(self.nodes + 1)
        passing[self.switches : -1] = self._sent(target)[1]
        # What arrives is kept apart from what the destination sends itself.
        down = links.sort[used] == DOWN
        heads = np.where(down & (links.head[used] == end), self.nodes, links.head[used])
        carried, arrived = _pushed(passing, tails, heads, part)
        check.require(arrived, "the fractions form no cycle", "the fractions of a kind form a cycle")
        transit = np.flatnonzero(passing[:-1] > 0)
        # Each node that traffic passes has links of all entries of its class, or something would be lost.
        needed = np.bincount(tail, minlength=self.nodes)[of[transit]]
        has = np.bincount(pair // len(given), minlength=self.nodes)[transit]
        check.require(
            np.all(np.isin(of[transit], classes)) and np.array_equal(has, needed),
            "every node that traffic passes has the links that the fractions are for",
            "certificate.entry has no link at a node that traffic passes",
        )
        check.require(
            not np.any(carried[down] * (heads[down] != self.nodes)),
            "traffic goes through no endpoint",
            "certificate.entry leads through an endpoint",
        )
        return used, carried

    def _entry_keys(self, tail: _Index, head: _Index, link: _Index) -> _Index:
        return np.asarray((link * self.nodes + tail) * self.nodes + head)

    def _distances(self, target: int, lengths: Lengths) -> FloatArray:
        """Return float64 ``[endpoints]``: how far each is from ``target``, that from itself over its own links.

        Sums along paths are rounded down (Bellman 1958).
        """
        links, end = self.links, self.switches + target
        joined = np.concatenate([values.ravel() for values in lengths])[links.place]
        kept = (links.sort != DOWN) | (links.head == end)
        order = np.flatnonzero(kept)
        order = order[np.argsort(links.tail[order], kind="stable")]
        tail, head, length = links.tail[order], links.head[order], joined[order]
        begin = np.flatnonzero(np.r_[True, np.diff(tail) > 0])
        last = links.sort[order] == DOWN
        found = np.full(self.nodes, np.inf)
        while True:
            nearest = np.minimum.reduceat(rounded.add_down(length, np.where(last, 0.0, found[head])), begin)
            if np.array_equal(nearest, found[tail[begin]]):
                return floats(found[self.switches :])
            found[tail[begin]] = nearest


def _components(count: int, joined: list[_Index]) -> _Index:
    """Return the orbit of each of ``count`` things under permutations."""
    found = np.arange(count)
    # One after the other: mostly the first leaves few orbits, and all at once take several times the memory.
    for image in joined:
        orbits = int(found.max(initial=-1)) + 1
        graph = sp.csr_array((np.ones(count), (found, found[image])), shape=(orbits, orbits))
        found = connected_components(graph, directed=False)[1].astype(np.int64)[found]
    return found


def _pushed(passing: FloatArray, tail: _Index, head: _Index, part: FloatArray) -> tuple[FloatArray, bool]:
    """Send what enters along links in topological order, rounded up; see :func:`propagate`.

    Args:
        passing: float64 ``[nodes]``, what enters at each; on return, what passes it.
        tail: int64 ``[links]``, nodes.
        head: int64 ``[links]``, nodes.
        part: float64 ``[links]``, the part of what passes its tail that each carries.

    Returns:
        What each link carries, and whether no cycle was found.
    """
    order = np.argsort(tail, kind="stable")
    carried = np.empty(len(tail))
    carried[order], left = propagate(passing, Split(tail[order], head[order], order, part[order]))
    return carried, left == 0
