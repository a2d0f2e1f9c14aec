"""The quotient of a problem of any path, a second time: classes are found again from every destination."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp.model import QuotientCertificate
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import Lengths
from pnet_lp.verification.arcs import Split, propagate
from pnet_lp.verification.checks import SAME, near, totals
from pnet_lp.verification.folding import DOWN, fold, look_from, names
from pnet_lp.verification.second import SecondConcurrent, Subject

_Index = npt.NDArray[np.int64]

MOST_VISITS = 5_000_000
"""Links visited from destinations, all together, unless all are requested."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class _Kind:
    """What destinations of one kind see, as the certificate's example does; ``n`` names of nodes.

    Attributes:
        names: uint64 ``[n]``, sorted.
        look: the name of all that is seen.
        target: place of the destination among the names.
        traffic: float64 ``[n]``, what all nodes of each name send to it.
        tail, head, link: int64 ``[m]``, places of names, and classes of links, of all links that are seen.
        flow: float64 ``[m]``, what flows on each such link towards the destination when demands are met once.
        part: float64 ``[classes of links]``, the same, added up over all links of each class.
    """

    names: npt.NDArray[np.uint64]
    look: int
    target: int
    traffic: FloatArray
    tail: _Index
    head: _Index
    link: _Index
    flow: FloatArray
    part: FloatArray


class SecondQuotient(SecondConcurrent):
    """Any path in any plane, stated on equivalence classes of links and, for each kind of destinations, of nodes."""

    def __init__(self, subject: Subject, certificate: QuotientCertificate) -> None:
        self.check, self.flow, self.certificate = subject.check, subject.flow, certificate
        self._check_shapes()
        super().__init__(subject, certificate)
        self.folding = fold(self.flow)
        self.link_class = self._folded_classes()
        self.kinds = [self._kind(k) for k in range(len(certificate.target))]
        self.load = self._loads(full=subject.full)

    def demand_loads(self) -> tuple[FloatArray, FloatArray]:
        """See :meth:`SecondConcurrent.demand_loads`."""
        arcs = len(self.flow.tail)
        return self.load[:arcs], self.load[arcs:].reshape(2, *self.flow.attach.shape)

    def farthest(self, lengths: Lengths) -> float:
        """See :meth:`SecondConcurrent.farthest`."""
        far = self._class_lengths(lengths)
        return max(float(self._distances(kind, far)[kind.traffic > 0].max()) for kind in self.kinds)

    def takes(self, lengths: Lengths) -> float:
        """See :meth:`SecondConcurrent.takes`: pairs need not be written out."""
        far, total = self._class_lengths(lengths), 0.0
        for kind, count in zip(self.kinds, self._counts.tolist(), strict=True):
            some = kind.traffic > 0
            total += count * float((kind.traffic[some] * self._distances(kind, far)[some]).sum())
        return total

    def _check_shapes(self) -> None:
        proof, check, flow = self.certificate, self.check, self.flow
        nodes = int(flow.node_count.sum()) + flow.attach.shape[1]
        kinds, classes = len(proof.target), len(proof.class_length)
        shapes = {
            "arc_class": flow.tail.shape,
            "up_class": flow.attach.shape,
            "down_class": flow.attach.shape,
            "kind": flow.attach.shape[1:],
            "node_class": (kinds, nodes),
            "entry": (len(proof.fraction), 4),
            "target": (kinds,),
            "class_length": (classes,),
            "fraction": (len(proof.fraction),),
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
            ("kind", -1, kinds),
            ("node_class", 0, nodes),
            ("target", 0, flow.attach.shape[1]),
        ):
            values = getattr(proof, key)
            check.require(
                np.all((values >= lowest) & (values < most)),
                f"{key} counts what there is",
                f"certificate.{key} names something that there is not; allowed: {lowest} to {most - 1}",
            )
        check.require(
            np.all((proof.entry >= 0) & (proof.entry < [max(kinds, 1), nodes, nodes, max(classes, 1)]))
            and len(np.unique(proof.entry, axis=0)) == len(proof.entry),
            "entries are between classes, each once",
            "certificate.entry names a class that there is not, or the same links twice",
        )
        check.require(
            np.all(np.isfinite(proof.fraction) & (proof.fraction >= 0)),
            "fractions are not negative",
            "certificate.fraction has a negative or infinite entry",
        )
        check.require(
            np.all(np.isfinite(proof.class_length) & (proof.class_length >= 0)),
            "lengths are not negative",
            "certificate.class_length has a negative or infinite entry",
        )
        expected = flow.demands.received(flow.attach.shape[1])
        check.require(
            np.array_equal(proof.kind >= 0, expected)
            and np.array_equal(proof.kind[proof.target], np.arange(kinds)),
            f"{np.count_nonzero(expected)} destinations are of {kinds} kinds",
            "certificate.kind does not give every destination a kind, with an example of each",
        )

    def _folded_classes(self) -> _Index:
        """Return int64 ``[folded links]``, the class of each, checked to be that of all that it stands for."""
        proof, folding = self.certificate, self.folding
        of_place = np.concatenate([proof.arc_class, proof.up_class.ravel(), proof.down_class.ravel()])
        given = of_place[folding.links.place]
        found = np.empty(len(folding.tail), dtype=np.int64)
        found[folding.link_of] = given
        places = np.full(len(of_place), -1)
        places[folding.links.place] = given
        # A class may hold links of one sort and speed only, so that what is said of one is said of all.
        kept = given >= 0
        least, most = np.full(len(proof.class_length), np.inf), np.full(len(proof.class_length), -np.inf)
        np.minimum.at(least, given[kept], folding.links.capacity[kept])
        np.maximum.at(most, given[kept], folding.links.capacity[kept])
        sort = np.full((3, len(proof.class_length)), False)
        sort[folding.links.sort[kept], given[kept]] = True
        self.sort = np.argmax(sort, axis=0)
        self.check.require(
            np.array_equal(found[folding.link_of], given)
            and np.all(given >= 0)
            and np.array_equal(places, of_place)
            and np.all((least == most) | (least == np.inf))
            and np.all(sort.sum(axis=0) <= 1),
            f"links are of {len(proof.class_length)} classes, twins of the same",
            "certificate.arc_class, up_class or down_class have links of one class that differ",
        )
        return found

    @property
    def _counts(self) -> _Index:
        """How many destinations are of each kind."""
        return np.bincount(self.certificate.kind[self.certificate.kind >= 0], minlength=len(self.kinds))

    def _kind(self, number: int) -> _Kind:
        proof = self.certificate
        view = look_from(self.folding, int(proof.target[number]))
        name, look = names(view, self.link_class)
        given = proof.node_class[number].astype(np.int64)
        classes = np.empty(len(name), dtype=np.int64)
        classes[view.of] = given
        distinct, first, place = np.unique(name, return_index=True, return_inverse=True)
        self.check.require(
            np.array_equal(classes[view.of], given) and np.array_equal(classes[first][place], classes),
            f"equivalent nodes are of one class for kind {number}",
            f"certificate.node_class.{number} has equivalent nodes in different classes",
        )
        link = self.link_class[view.link]
        many = (view.count[view.tail] * view.out).astype(np.float64)
        entry = proof.entry[proof.entry[:, 0] == number, 1:].astype(np.int64)
        # Links of one entry carry equal parts.
        key = np.stack([classes[view.tail], classes[view.head], link])
        rows, row = np.unique(np.concatenate([entry, key.T]), axis=0, return_inverse=True)
        row = row.ravel()
        together = totals(row[len(entry) :], many, len(rows))[row[: len(entry)]]
        self.check.require(
            np.all(together > 0),
            f"entries of kind {number} are on links",
            "certificate.entry has links between classes that have none",
        )
        traffic = view.count * view.demand
        entering = totals(classes, traffic, int(given.max()) + 1)
        flow = np.zeros(len(rows))
        flow[row[: len(entry)]] = self._carried(number, int(classes[view.target]), entering) / together
        seen, at = np.unique(np.stack([place[view.tail], place[view.head], link]), axis=1, return_index=True)
        each = flow[row[len(entry) :]]
        return _Kind(
            names=distinct,
            look=look,
            target=int(place[view.target]),
            traffic=totals(place, traffic, len(distinct)),
            tail=seen[0],
            head=seen[1],
            link=seen[2],
            flow=floats(each[at]),
            part=totals(link, each * many, len(proof.class_length)),
        )

    def _carried(self, number: int, target: int, entering: FloatArray) -> FloatArray:
        """Return what all links of each entry of a kind carry towards one destination, when demands are met once.

        Args:
            number: the kind.
            target: class of the destination.
            entering: float64 ``[classes]``, what nodes send to it.
        """
        proof, check = self.certificate, self.check
        here = proof.entry[:, 0] == number
        (_, tail, head, link), fraction = proof.entry[here].astype(np.int64).T, proof.fraction[here]
        down, states = self.sort[link] == DOWN, len(entering) + 1
        check.require(
            np.all(head[down] == target),
            f"traffic of kind {number} goes through no endpoint",
            "certificate.entry leads through an endpoint",
        )
        total = totals(tail, fraction, states)
        part = np.divide(fraction, total[tail], out=np.zeros_like(fraction), where=fraction > 0)
        # What arrives is kept apart from what the destination sends itself.
        to = np.where(down, states - 1, head)
        passing, order = np.r_[entering, 0.0], np.argsort(tail, kind="stable")
        found, left = propagate(passing, Split(tail[order], to[order], order, part[order]))
        check.require(left == 0, "the fractions form no cycle", "the fractions of a kind form a cycle")
        transit = np.flatnonzero(passing[:-1] > 0)
        check.require(
            np.all(np.abs(total[transit] - 1) <= SAME),
            "fractions sum to 1 wherever traffic passes, so all of it arrives",
            "the fractions at a class that traffic passes do not sum to 1",
        )
        carried = np.empty(len(tail))
        carried[order] = found
        return carried

    def _loads(self, *, full: bool) -> FloatArray:
        """Return float64 ``[places]``: the load of each link when demands are met once, added up over destinations."""
        proof, folding = self.certificate, self.folding
        switches = int(self.flow.node_count.sum())
        destinations = np.flatnonzero(proof.kind >= 0)
        # Twins see the same, each from its place: one of them stands for all.
        _, first, twin = np.unique(
            folding.of[switches + destinations], return_index=True, return_inverse=True
        )
        looking = destinations[first]
        self.check.require(
            np.array_equal(proof.kind[looking][twin], proof.kind[destinations]),
            "twins are of one kind",
            "certificate.kind has twins of different kinds",
        )
        most = len(looking) if full else max(1, MOST_VISITS // max(len(folding.tail), 1))
        chosen = looking
        if len(looking) > most:
            spread = np.linspace(0, len(looking) - 1, most).astype(np.int64)
            chosen = np.unique(np.r_[looking[spread], proof.target])
        load = np.zeros(len(folding.tail))
        for endpoint in chosen.tolist():
            link, flow = self._seen(endpoint)
            np.add.at(load, link, flow)
        if len(chosen) < len(looking):
            self.check.trust(
                f"that the other {len(looking) - len(chosen):,} of {len(looking):,} destinations see what those of "
                "their kind do, and that links of a class carry equal loads, is taken as it stands (--full checks all)"
            )
            total = sum(n * kind.part for n, kind in zip(self._counts.tolist(), self.kinds, strict=True))
            links = np.bincount(self.link_class[folding.link_of], minlength=len(proof.class_length))
            load = np.asarray(total / np.maximum(links, 1))[self.link_class]
        else:
            self.check.require(
                True, f"all {len(destinations):,} destinations see what those of their kind do", ""
            )
        found = np.zeros(len(self.flow.tail) + 2 * self.flow.attach.size)
        found[folding.links.place] = load[folding.link_of]
        return floats(found)

    def _seen(self, endpoint: int) -> tuple[_Index, FloatArray]:
        """Return what ``endpoint`` and its twins put on folded links; it must see what its kind does.

        Names only say what to compare: here it is checked that every link has an equivalent one, and nothing is lost.
        """
        kind = self.kinds[int(self.certificate.kind[endpoint])]
        view = look_from(self.folding, endpoint)
        name, look = names(view, self.link_class)
        place = np.minimum(np.searchsorted(kind.names, name), len(kind.names) - 1)
        at, known = _rows(
            np.stack([kind.tail, kind.head, kind.link]),
            np.stack([place[view.tail], place[view.head], self.link_class[view.link]]),
        )
        flow = kind.flow[at]
        out = totals(view.tail, flow * view.out, len(name))
        entered = np.where(view.head == view.target, 0.0, flow * view.into)
        into = totals(view.head, entered, len(name)) + view.demand
        sent = totals(place, view.count * view.demand, len(kind.names))
        equivalent = (
            look == kind.look
            and np.array_equal(kind.names[place], name)
            and place[view.target] == kind.target
            and np.all(known)
            and near(sent, kind.traffic)
            and np.all(np.abs(into - out) <= SAME * np.maximum(into, out))
        )
        if not equivalent:
            self.check.require(
                False, "", f"destination {endpoint} does not see what the example of its kind does"
            )
        return view.link, floats(flow * view.seen)

    def _class_lengths(self, lengths: Lengths) -> FloatArray:
        """Return float64 ``[classes of links]``, given the lengths of all links."""
        joined = np.concatenate([values.ravel() for values in lengths])
        found = np.zeros(len(self.certificate.class_length))
        found[self.link_class[self.folding.link_of]] = joined[self.folding.links.place]
        return floats(found)

    def _distances(self, kind: _Kind, far: FloatArray) -> FloatArray:
        """Return how far each name is from the destination, that from itself over its own links (Bellman 1958).

        A path in the network is one between names, so no node is nearer than its name.
        """
        down = self.sort[kind.link] == DOWN
        kept = ~down | (kind.head == kind.target)
        tail, head, length, down = kind.tail[kept], kind.head[kept], far[kind.link[kept]], down[kept]
        found = np.full(len(kind.names), np.inf)
        while True:
            nearer = found.copy()
            np.minimum.at(nearer, tail, length + np.where(down, 0.0, found[head]))
            if np.array_equal(nearer, found):
                return floats(found)
            found = nearer


def _rows(known: _Index, requested: _Index) -> tuple[_Index, npt.NDArray[np.bool_]]:
    """Return for each column of ``requested`` which of ``known``, sorted ones, it is, and whether it is one."""
    radix = np.maximum(known.max(axis=1), requested.max(axis=1)) + 1
    names, links = int(radix[1]), int(radix[2])
    keys, sought = ((rows[0] * names + rows[1]) * links + rows[2] for rows in (known, requested))
    at = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
    return at, keys[at] == sought
