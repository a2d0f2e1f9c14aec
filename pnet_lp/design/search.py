"""Which candidates carry the requested load, and which of these nothing else beats.

A candidate is ruled out by the first of these that holds, cheapest first: its access links are too slow; it costs more
than the budget; a bound of :mod:`pnet_lp.throughput.bounds` says that it carries too little, or no more, but for the
least gain, than something on the front that costs no more; bounds on enough draws of failures say so; it is solved, and
its upper bound or the result says so; enough draws are solved, and say so.  What remains is solved and certified, and
is the front: each carries more than anything that costs no more, by the least gain.  Where only the best are requested,
nothing that costs more than these is examined.

n copies of a plane carry n times what one carries: the mean of their flows is a flow of a single plane, and is no
worse.  So one plane is bounded and solved for all numbers of copies.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias

from pnet_lp.cost import Book, Quote
from pnet_lp.deadline import Deadline, Ending, going_on
from pnet_lp.design.candidates import Candidate, candidates, candidates_between
from pnet_lp.design.failing import Failing
from pnet_lp.design.settings import FindSettings
from pnet_lp.errors import PnetError, SpecError, TimeLimitError, TooLarge, TrafficError
from pnet_lp.executors.base import Executor, this_machine
from pnet_lp.failures import DRAWN
from pnet_lp.model import ThroughputResult, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.progress import Count
from pnet_lp.threads import check_threads
from pnet_lp.throughput import Progress, solve
from pnet_lp.throughput.bounds import compute_bounds
from pnet_lp.traffic import build_traffic

BOUNDS = ("nic", "mean-path")
"""Bounds that rule candidates out, cheapest first."""

_LOOKING = "looking for networks"


_OVER_BUDGET = "it costs more than the budget"


Stopped: TypeAlias = Literal["interrupted", "time limit"]

_ROUNDING = 1e-12
"""Part by which an upper bound has to be lower than what it is compared with before a solve ends for it."""

_TOO_LARGE = "it does not fit"

_NOT_EXAMINED = "the search ended before it was examined"


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Survivor:
    """A candidate that carries the requested load, and more than anything that costs no more.

    Attributes:
        candidate: the network.
        quote: its parts and price.
        traffic: its demands.
        status, solver: of its throughput without failures; of copies, of that of one plane.
        known: that throughput with its proof, None for copies.
        solve: finds it.
        gbps_per_host: what a host sends on average, attained; with failures, in the requested share of draws.
        most_gbps_per_host: proved upper bound on it without failures.
    """

    candidate: Candidate
    quote: Quote
    traffic: TrafficMatrix
    status: str
    solver: str
    known: ThroughputResult | None
    solve: Callable[[], ThroughputResult]
    gbps_per_host: float
    most_gbps_per_host: float

    @cached_property
    def result(self) -> ThroughputResult:
        """Its throughput without failures, with the proof; that of copies is solved when it is asked for."""
        return self.known or self.solve()


@brief()
@dataclass(frozen=True, repr=False)
class RuledOut:
    """A candidate that was ruled out.

    Attributes:
        candidate: the network.
        why: the reason, the same clause for all that are ruled out by it.
        most_gbps_per_host: the smallest upper bound known on what a host sends.
        quote: its price; None where it was not priced.
        lacks: of one that does not fit, what it does not fit into, in a sentence; else empty.
    """

    candidate: Candidate
    why: str
    most_gbps_per_host: float
    quote: Quote | None = None
    lacks: str = ""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Found:
    """What a search found.

    Attributes:
        settings: the request.
        front: the survivors, best first.
        ruled_out: all others.
        stopped: what ended the search before all were examined; the front is that of those that were.
    """

    settings: FindSettings
    front: tuple[Survivor, ...]
    ruled_out: tuple[RuledOut, ...]
    stopped: Stopped | None = None

    @property
    def counts(self) -> dict[str, int]:
        """How many candidates were ruled out for each reason, in the order of the checks."""
        found: dict[str, int] = {}
        for one in self.ruled_out:
            found[one.why] = found.get(one.why, 0) + 1
        return found


@dataclass
class _Bounds:
    """Bounds on a plane, or on different planes together, before anything is solved.

    Attributes:
        upper: Gb/s a host sends at most.
        why: the source of that bound.
    """

    upper: float
    why: str


@dataclass
class _Solved:
    """What a solver proves of a plane, or of different planes together.

    Attributes:
        lower, upper: Gb/s a host sends at least and at most.
        status, solver: of the result.
    """

    lower: float
    upper: float
    status: str
    solver: str


@dataclass
class _Finder:
    settings: FindSettings
    threads: int
    executor: Executor
    watch: Callable[[Count], None]
    deadline: Deadline
    ending: Callable[[], AbstractContextManager[Any]]
    on_progress: Callable[[Progress], None] | None
    known: dict[Candidate, _Bounds] = field(default_factory=dict)
    solved: dict[Candidate, _Solved] = field(default_factory=dict)
    last: tuple[Candidate, TrafficMatrix] | None = None
    """The demands that were built last, which are often wanted again."""

    @cached_property
    def books(self) -> tuple[Book, Book]:
        """Prices and powers."""
        return self.settings.books

    def bounds(self, candidate: Candidate) -> _Bounds:
        """Return what bounds prove of a candidate."""
        representative = candidate.representative
        if representative not in self.known:
            self.check_time()
            with self.ending():
                self.known[representative] = self._computed(representative)
        found, times = self.known[representative], candidate.planes // representative.planes
        return _Bounds(times * found.upper, found.why)

    def check_time(self) -> None:
        """Raise TimeLimitError where the time is over."""
        if self.deadline.left_s() == 0:
            raise self.deadline.over(_LOOKING)

    def _computed(self, candidate: Candidate) -> _Bounds:
        network = candidate.network
        try:
            traffic = self._traffic(candidate)
        except TrafficError:
            if any(len(plane.rack_switch) > 1 for plane in network.planes):
                raise
            # A pattern between racks is not defined on one rack; on the other candidates it may be.
            return _Bounds(0.0, "its one rack, within which this traffic is not defined,")
        each = traffic.total / network.host_count
        bounds = compute_bounds(network, traffic, BOUNDS)
        name = bounds.tightest
        upper = math.inf if name is None else bounds.found[name].value_gbps * each
        return _Bounds(upper, f"the bound {name}")

    def traffic(self, candidate: Candidate) -> TrafficMatrix:
        """Return the demands on a candidate."""
        with self.ending():
            return self._traffic(candidate)

    def _traffic(self, candidate: Candidate) -> TrafficMatrix:
        if self.last is None or self.last[0] != candidate:
            found = build_traffic(self.settings.traffic, candidate.network, "host", seed=self.settings.seed)
            self.last = (candidate, found)
        return self.last[1]

    def examine(self, candidate: Candidate, quote: Quote, best: float) -> Survivor | RuledOut:
        """Return a candidate with its certified throughput, or ruled out by the first reason that holds.

        Args:
            candidate: the candidate.
            quote: its price and power.
            best: Gb/s that a host sends in a candidate that costs no more, certified.
        """
        settings = self.settings
        rival = f"something as {'frugal' if settings.rank == 'power' else 'cheap'}"

        gain = f"at most {100 * settings.min_gain:g} % more" if settings.min_gain else "no more"

        def rule_out(value: float, least: float, little: str, beaten: str) -> RuledOut | None:
            why = little if value < least else beaten if value <= best * settings.more else ""
            return RuledOut(candidate, why, value, quote) if why else None

        def bounded(bounds: _Bounds, when: str = "") -> RuledOut | None:
            says = f"{bounds.why} proves that {when}it carries"
            little, beaten = f"{says} too little", f"{says} {gain} than {rival}"
            return rule_out(bounds.upper, settings.min_gbps_per_host, little, beaten)

        def solved(value: float, when: str = "") -> RuledOut | None:
            says = f"solved{when}, it carries"
            little, beaten = f"{says} too little", f"{says} {gain} than {rival}"
            return rule_out(value, settings.enough_gbps_per_host, little, beaten)

        if out := bounded(self.bounds(candidate)):
            return out
        options: dict[str, Any] = {"seed": settings.seed, "tolerance": settings.tolerance, "threads": self.threads}
        limits: dict[str, Any] = {"deadline": self.deadline, "on_progress": self.on_progress}
        network, representative = candidate.network, candidate.representative
        failing = None
        if settings.failures:
            failing = Failing(network, self.traffic(candidate), settings, BOUNDS, options | limits, self.executor)
            each = failing.traffic.total / network.host_count
            upper = _Bounds(each * failing.interval.upper, "a bound")
            if out := bounded(upper, "with failures "):
                return out
        result, times = None, candidate.planes // representative.planes
        found = self.solved.get(representative)
        if found is None or (found.status == "bounds" and not solved(times * found.upper)):
            traffic = self.traffic(representative)
            each = traffic.total / network.host_count
            # What rules this candidate out; another number of copies has other rivals, and is solved again.
            enough = max(settings.enough_gbps_per_host, best * settings.more) * (1 - _ROUNDING)
            result = solve(representative.network, traffic, **options, **limits, enough_below=enough / (times * each))
            found = self.solved[representative] = _Solved(
                each * result.interval.lower, each * result.interval.upper, result.status, result.solver
            )
        carried, most = times * found.lower, times * found.upper
        if out := solved(most) or solved(carried):
            if found.status == "bounds":
                self.check_time()
            return replace(out, most_gbps_per_host=most)
        traffic = self.traffic(candidate)
        if failing:
            when = " with failures"
            each = traffic.total / network.host_count
            known = failing.settle(
                lambda upper: solved(each * upper, when) is not None, settings.enough_gbps_per_host / each
            )
            carried = each * known.lower
            if out := solved(carried, when):
                self.check_time()
                return replace(out, most_gbps_per_host=each * known.upper)
        quote = candidate.exact_quote(self.books, settings.ports(candidate.gbps))
        again = partial(solve, network, traffic, **options)
        own_result = result if representative == candidate else None
        return Survivor(candidate, quote, traffic, found.status, found.solver, own_result, again, carried, most)


def find(
    settings: FindSettings,
    *,
    threads: int = 0,
    executor: Executor | None = None,
    deadline: Deadline | None = None,
    keep_partial: bool = False,
    ending: Ending = going_on,
    watch: Callable[[Count], None] = lambda _: None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Found:
    """Return the networks that carry the requested load and that nothing beats, each with its proof.

    Args:
        settings: the load, and the equipment that may carry it.
        threads: of each solve; 0 for all cores, divided among the processes where draws of failures are solved.
        executor: what solves draws of failures; None for this process.  The result does not depend on it.
        deadline: when to end with what is found, in place of the time limit of the settings, which begins now.
        keep_partial: whether Ctrl-C also ends with what is found, if there is any.
        ending: returns the context in which what does not look at the clock ends with the deadline.
        watch: called with how many candidates are done.
        on_progress: as of :func:`pnet_lp.throughput.solve`.

    Raises:
        PnetError: no candidate holds so many hosts with such switches, or none carries the load; the message names
            the nearest, or the cheapest beyond the budget that may carry it and its price.
        TimeLimitError: the time is over before a network was found.
        KeyboardInterrupt: Ctrl-C, before a network was found or without ``keep_partial``.
        SpecError: a price is missing; a number out of range; an executor without failures.
    """
    check_threads(threads)
    if executor is not None and not (executor.alone or settings.failures):
        raise SpecError(f"has no meaning without {' or '.join(DRAWN)}", where="executor", found=executor.name)
    deadline = deadline or settings.deadline()
    tried = list(candidates(settings))
    if not tried:
        ports = " or ".join(dict.fromkeys(str(settings.ports(gbps)) for gbps in settings.speeds))
        raise PnetError(
            f"no family has a network for {settings.hosts:,} hosts of switches with {ports} ports",
            allowed="a larger radix, fewer hosts, or other families",
        )
    with executor or this_machine() as where:
        search = _Finder(settings, threads, where, watch, deadline, partial(ending, deadline, _LOOKING), on_progress)
        priced, ruled_out = _priced(search, tried)
        front, stopped = _front(search, priced, ruled_out, keep_partial)
        if not front:
            raise _nothing(search, ruled_out)
    if settings.rank == "throughput":
        front.sort(key=lambda one: -one.gbps_per_host)
    return Found(settings, tuple(front), tuple(ruled_out), stopped)


_Priced: TypeAlias = tuple[float, Candidate, Quote]


def _priced(search: _Finder, tried: Sequence[Candidate]) -> tuple[list[_Priced], list[RuledOut]]:
    """Return the candidates with what ranks them, least first, and those that are ruled out before."""
    settings = search.settings
    priced: list[_Priced] = []
    ruled_out: list[RuledOut] = []
    began = time.monotonic()
    for i, candidate in enumerate(tried):
        search.watch(Count(i, len(tried), "candidates priced", time.monotonic() - began))
        search.check_time()
        if candidate.access_gbps < settings.min_gbps_per_host:
            ruled_out.append(RuledOut(candidate, "access links are too slow", candidate.access_gbps))
            continue
        try:
            with search.ending():
                quote = candidate.quote(search.books, settings.ports(candidate.gbps))
        except PnetError as error:
            ruled_out.append(_too_large(candidate, error))
            continue
        if settings.budget is not None and quote.total_usd > settings.budget:
            ruled_out.append(RuledOut(candidate, _OVER_BUDGET, candidate.access_gbps, quote))
            continue
        priced.append((quote.watts if settings.rank == "power" else quote.total_usd, candidate, quote))
    return sorted(priced, key=lambda item: item[0]), ruled_out


def _too_large(candidate: Candidate, error: PnetError, quote: Quote | None = None) -> RuledOut:
    """Return a candidate as one that does not fit, or raise ``error`` where that is not what it says."""
    if not isinstance(error.problem, TooLarge):
        raise error
    return RuledOut(candidate, _TOO_LARGE, candidate.access_gbps, quote, str(error))


def _front(
    search: _Finder, priced: list[_Priced], ruled_out: list[RuledOut], keep_partial: bool
) -> tuple[list[Survivor], Stopped | None]:
    """Return the survivors in the order of what they cost, and what ended the search; ``ruled_out`` gets the others."""
    front = list[Survivor]()
    best = 0.0
    stopped: Stopped | None = None
    began = time.monotonic()
    for i, (_, candidate, quote) in enumerate(priced):
        why = "it comes after as many as asked for" if len(front) == search.settings.best else ""
        if not why:
            examined = f"candidates examined, {len(front)} on the front"
            search.watch(Count(i, len(priced), examined, time.monotonic() - began))
            try:
                found = search.examine(candidate, quote, best)
                if isinstance(found, Survivor):
                    front.append(found)
                    best = found.gbps_per_host
                else:
                    ruled_out.append(found)
                continue
            except TimeLimitError:
                if not front:
                    raise
                stopped = "time limit"
            except KeyboardInterrupt:
                if not (front and keep_partial):
                    raise
                stopped = "interrupted"
            except PnetError as error:
                ruled_out.append(_too_large(candidate, error, quote))
                continue
            why = _NOT_EXAMINED
        ruled_out.extend(RuledOut(left, why, left.access_gbps, price) for _, left, price in priced[i:])
        break
    return front, stopped


def _nothing(search: _Finder, ruled_out: list[RuledOut]) -> PnetError:
    """Return the error where all candidates are ruled out: the budget is the reason only if a larger one may help."""
    settings = search.settings
    finer = "fine sizes, " if candidates_between(settings) else ""
    least = settings.min_gbps_per_host
    none = f"none of {len(ruled_out):,} candidates carries {least:g} Gb/s per host of {settings.traffic}"
    over_budget = [(one.quote.total_usd, one) for one in ruled_out if one.why == _OVER_BUDGET and one.quote]
    over_budget.sort(key=lambda item: item[0])
    known = [one for one in ruled_out if one.why != _OVER_BUDGET]
    began = time.monotonic()
    for i, (price, one) in enumerate(over_budget):
        search.watch(Count(i, len(over_budget), "candidates beyond the budget examined", time.monotonic() - began))
        most = search.bounds(one.candidate).upper
        if most >= least:
            return PnetError(
                f"{none} for {settings.budget:,.10g} USD; {len(over_budget):,} cost more, and the cheapest of those "
                f"that, as far as bounds know, carry as much is {one.candidate.command} for {price:,.0f} USD",
                allowed=f"a larger budget, {finer}or less traffic",
            )
        known.append(replace(one, most_gbps_per_host=most))
    nearest = max(known, key=lambda one: one.most_gbps_per_host)
    return PnetError(
        f"{none}; the nearest is {nearest.candidate.command} with at most {nearest.most_gbps_per_host:.4g}",
        allowed=f"less traffic, {finer}more planes, or faster links",
    )
