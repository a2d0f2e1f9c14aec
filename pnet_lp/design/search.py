"""Which candidates carry what is asked, and which of these nothing else beats.

A candidate is ruled out by the first of these that holds, cheapest first: its access links are too slow; it costs more
than the budget; a bound of :mod:`pnet_lp.throughput.bounds` says that it carries too little, or no more than something
that costs no more and is certified, or that a cheap routing shows to carry as much; bounds on enough draws of failures
say so; it is solved, and carries too little; enough draws are solved, and say so.  What remains is solved and
certified, and is the front: each carries more than anything that costs no more.  Where only the best are asked for,
all that costs more than these is not looked at.

Copies of a plane carry as many times what one carries: the mean of their flows, which is one of a single plane, is no
worse.  So bounds are computed once for all numbers of copies.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from pnet_lp.cost import Quote, load_book
from pnet_lp.design.candidates import Candidate, candidates, candidates_between
from pnet_lp.design.failing import Failing
from pnet_lp.design.settings import FindSettings
from pnet_lp.errors import PnetError, SpecError, TrafficError
from pnet_lp.model import ThroughputResult, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.threads import check_threads
from pnet_lp.throughput import Progress, solve
from pnet_lp.throughput.bounds import compute_bounds
from pnet_lp.traffic import build_traffic
from pnet_lp.workers import Workers

BOUNDS = ("nic", "mean-path")
"""Bounds that rule candidates out, cheapest first."""

_TOO_DEAR = "it costs more than the budget"

QUICK_ROUTING = "ecmp"
"""The routing that shows without a solver what a candidate carries at least."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Survivor:
    """A candidate that carries what is asked, and more than anything that costs no more.

    Attributes:
        candidate: what it is.
        quote: what it is made of, and costs.
        result: its throughput without failures, with the proof.
        traffic: the demands that it is of.
        gbps_per_host: what a host sends on average, attained; with failures, in the share of draws asked for.
        most_gbps_per_host: what it sends at most without failures, as proved.
    """

    candidate: Candidate
    quote: Quote
    result: ThroughputResult
    traffic: TrafficMatrix
    gbps_per_host: float
    most_gbps_per_host: float


@dataclass(frozen=True)
class Ruled:
    """A candidate that was ruled out.

    Attributes:
        candidate: what it is.
        why: in a clause, the same for all that are ruled out in this way.
        most_gbps_per_host: what a host of it sends at most, as far as is known.
        quote: what it costs; None where it was not priced.
    """

    candidate: Candidate
    why: str
    most_gbps_per_host: float
    quote: Quote | None = None


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Found:
    """What a search found.

    Attributes:
        asked: what was asked.
        front: the survivors, best first.
        ruled: all others.
    """

    asked: FindSettings
    front: tuple[Survivor, ...]
    ruled: tuple[Ruled, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many candidates were ruled out by what, in the order in which that is looked at."""
        found: dict[str, int] = {}
        for one in self.ruled:
            found[one.why] = found.get(one.why, 0) + 1
        return found


@dataclass
class _Limits:
    """What is known of a plane, or of different planes together, before anything is solved.

    Attributes:
        upper: Gb/s a host sends at most.
        lower: Gb/s a host sends at least, 0 where links fail.
        why: the bound that says so.
    """

    upper: float
    lower: float
    why: str


@dataclass
class _Search:
    asked: FindSettings
    threads: int
    workers: Workers
    watch: Callable[[str], None]
    on_progress: Callable[[Progress], None] | None
    known: dict[Candidate, _Limits] = field(default_factory=dict)

    def limits(self, candidate: Candidate) -> _Limits:
        """Return what bounds and a cheap routing say of a candidate."""
        asked_of = candidate.one if candidate.alike else candidate
        if asked_of not in self.known:
            self.known[asked_of] = self._computed(asked_of)
        found, times = self.known[asked_of], candidate.planes // asked_of.planes
        return _Limits(times * found.upper, times * found.lower, found.why)

    def _computed(self, candidate: Candidate) -> _Limits:
        network = candidate.network
        try:
            traffic = self.traffic(candidate)
        except TrafficError:
            if any(len(plane.rack_switch) > 1 for plane in network.planes):
                raise
            # Patterns between racks mean nothing there; on the other candidates they may.
            return _Limits(0.0, 0.0, "its one rack, within which this traffic is not defined,")
        each = traffic.total / network.host_count
        bounds = compute_bounds(network, traffic, BOUNDS)
        name = bounds.tightest
        upper = math.inf if name is None else bounds.found[name].value_gbps * each
        lower = 0.0
        if not self.asked.fail_links:
            quick = solve(network, traffic, routing=QUICK_ROUTING, seed=self.asked.seed, threads=self.threads)
            lower = quick.interval.lower * each
        return _Limits(upper, lower, f"the bound {name}")

    def traffic(self, candidate: Candidate) -> TrafficMatrix:
        """Return the demands on a candidate."""
        return build_traffic(self.asked.traffic, candidate.network, "host", seed=self.asked.seed)

    def looked_at(self, candidate: Candidate, quote: Quote, best: float, shown: float) -> Survivor | Ruled:
        """Return a candidate with its certified throughput, or ruled out by the first that holds.

        Args:
            candidate: what is looked at.
            quote: what it costs.
            best: Gb/s that a host sends in something that costs no more, as certified.
            shown: the same, as a cheap routing shows.
        """
        asked = self.asked
        rival = f"something as {'frugal' if asked.rank == 'power' else 'cheap'}"

        def ruled(value: float, least: float, rivals: float, little: str, beaten: str) -> Ruled | None:
            why = little if value < least else beaten if value <= rivals * (1 + asked.tolerance) else ""
            return Ruled(candidate, why, value, quote) if why else None

        def bounded(limits: _Limits, rivals: float, when: str = "") -> Ruled | None:
            says = f"{limits.why} proves that {when}"
            little, beaten = f"{says}it carries too little", f"{says}{rival} carries as much"
            return ruled(limits.upper, asked.min_gbps_per_host, rivals, little, beaten)

        def solved(value: float, when: str = "") -> Ruled | None:
            says = f"solved{when}, it carries"
            little, beaten = f"{says} too little", f"{says} no more than {rival}"
            return ruled(value, asked.enough_gbps_per_host, best, little, beaten)

        if out := bounded(self.limits(candidate), max(best, shown)):
            return out
        network, traffic = candidate.network, self.traffic(candidate)
        each = traffic.total / network.host_count
        how: dict[str, Any] = {
            "seed": asked.seed,
            "tolerance": asked.tolerance,
            "threads": self.threads,
            "on_progress": self.on_progress,
        }
        failing = Failing(network, traffic, asked, BOUNDS, how, self.workers) if asked.fail_links else None
        if failing:
            limits = _Limits(each * failing.interval.upper, 0.0, "a bound")
            if out := bounded(limits, best, "with failures "):
                return out
        result = solve(network, traffic, **how)
        carried, most = each * result.interval.lower, each * result.interval.upper
        if out := solved(carried):
            return replace(out, most_gbps_per_host=most)
        if failing:
            when = " with failures"
            enough = asked.enough_gbps_per_host / each
            known = failing.settle(lambda upper: solved(each * upper, when) is not None, enough)
            carried = each * known.lower
            if out := solved(carried, when):
                return replace(out, most_gbps_per_host=each * known.upper)
        return Survivor(candidate, quote, result, traffic, carried, most)


def find(
    asked: FindSettings,
    *,
    threads: int = 0,
    jobs: int = 1,
    watch: Callable[[str], None] = lambda _: None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Found:
    """Return the networks that carry what is asked and that nothing beats, each with its proof.

    Args:
        asked: what has to be carried, and what by.
        threads: of each solve; 0 for all cores, divided among the jobs where draws of failures are solved.
        jobs: processes that solve draws of failures at the same time; what is found does not depend on it.
        watch: called with what is done next, in words.
        on_progress: as of :func:`pnet_lp.throughput.solve`.

    Raises:
        PnetError: no candidate holds so many hosts with such switches, or none carries as much; the message says which
            comes nearest, or what the cheapest costs that may do and is beyond the budget.
        SpecError: a price is missing; a number out of range; jobs without failures.
    """
    check_threads(threads, jobs)
    if jobs > 1 and not asked.fail_links:
        raise SpecError("have no meaning without fail_links", where="jobs", found=jobs)
    books = load_book("price", asked.prices), load_book("power", asked.powers)
    ruled: list[Ruled] = []
    priced: list[tuple[float, Candidate, Quote]] = []
    tried = list(candidates(asked))
    if not tried:
        raise PnetError(
            f"no family has a network for {asked.hosts:,} hosts of switches with {asked.radix} ports",
            allowed="a larger radix, fewer hosts, or other families",
        )
    for i, candidate in enumerate(tried):
        watch(f"{i:,} of {len(tried):,} candidates priced")
        if candidate.access_gbps < asked.min_gbps_per_host:
            ruled.append(Ruled(candidate, "access links are too slow", candidate.access_gbps))
            continue
        quote = candidate.quote(books, asked.radix)
        if asked.budget is not None and quote.total_usd > asked.budget:
            ruled.append(Ruled(candidate, _TOO_DEAR, candidate.access_gbps, quote))
            continue
        priced.append((quote.watts if asked.rank == "power" else quote.total_usd, candidate, quote))
    priced.sort(key=lambda item: item[0])
    with Workers(jobs) as workers:
        search = _Search(asked, threads, workers, watch, on_progress)
        front = _front(search, priced, ruled)
        if not front:
            raise _nothing(search, ruled)
    if asked.rank == "throughput":
        front.sort(key=lambda one: -one.gbps_per_host)
    return Found(asked, tuple(front), tuple(ruled))


def _front(
    search: _Search, priced: list[tuple[float, Candidate, Quote]], ruled: list[Ruled]
) -> list[Survivor]:
    """Return the survivors in the order of what they cost; the others go to ``ruled``."""
    front = list[Survivor]()
    shown, best = 0.0, 0.0
    for i, (_, candidate, quote) in enumerate(priced):
        if len(front) == search.asked.best:
            ruled.extend(
                Ruled(left, "it comes after as many as asked for", left.access_gbps, price)
                for _, left, price in priced[i:]
            )
            break
        search.watch(f"{i:,} of {len(priced):,} candidates looked at, {len(front)} on the front")
        found = search.looked_at(candidate, quote, best, shown)
        if isinstance(found, Survivor):
            front.append(found)
            best = found.gbps_per_host
        else:
            ruled.append(found)
        lower = search.limits(candidate).lower
        shown = max(shown, lower if lower >= search.asked.min_gbps_per_host else 0.0)
    return front


def _nothing(search: _Search, ruled: list[Ruled]) -> PnetError:
    """Return the error where all candidates are ruled out: the budget is to blame only if more of it might do."""
    asked = search.asked
    finer = "fine sizes, " if candidates_between(asked) else ""
    none = f"none of {len(ruled):,} candidates carries {asked.min_gbps_per_host:g} Gb/s per host of {asked.traffic}"
    dear = [(one.quote.total_usd, one) for one in ruled if one.why == _TOO_DEAR and one.quote]
    dear.sort(key=lambda item: item[0])
    known = [one for one in ruled if one.why != _TOO_DEAR]
    for i, (price, one) in enumerate(dear):
        search.watch(f"{i:,} of {len(dear):,} candidates beyond the budget looked at")
        most = search.limits(one.candidate).upper
        if most >= asked.min_gbps_per_host:
            return PnetError(
                f"{none} for {asked.budget:,.10g} USD; {len(dear):,} cost more, and the cheapest of those that, as far "
                f"as bounds know, carry as much is {one.candidate.command} for {price:,.0f} USD",
                allowed=f"a larger budget, {finer}or less traffic",
            )
        known.append(replace(one, most_gbps_per_host=most))
    nearest = max(known, key=lambda one: one.most_gbps_per_host)
    return PnetError(
        f"{none}; the nearest is {nearest.candidate.command} with at most {nearest.most_gbps_per_host:.4g}",
        allowed=f"less traffic, {finer}more planes, or faster links",
    )
