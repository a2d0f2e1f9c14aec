"""Checks a stored result without any solver, and without the code that computed it.

Reachability, distances, propagation and the classes of equivalent hosts are computed a second time
in ``pnet_lp.verification``, the bounds by the ``recheck`` of the objective, and what the solve claimed is compared.
A file proves its claim about the network and the traffic inside it; to know that they are the ones that are meant,
compare the fingerprints.  Statements about the run (solver, iterations, seconds, warnings, whether it was interrupted)
are not claims about the network and cannot be checked.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pnet_lp.errors import CertificateError, PnetError, TimeLimitError
from pnet_lp.extras import frame
from pnet_lp.model import Bottleneck, Interval, TrafficMatrix
from pnet_lp.model.arrays import BoolArray, FloatArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.certificates import CERTIFICATES
from pnet_lp.model.frozen import freeze
from pnet_lp.model.result import Status, ValueKey
from pnet_lp.model.rounded import div_down, div_up, mul_up, sum_down, totals_up
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.routing import Routing, parse_routing
from pnet_lp.routing.loads import Split
from pnet_lp.throughput.objectives import Objective, parse_objective
from pnet_lp.throughput.problems import FlowProblem, build_problem
from pnet_lp.throughput.proofs.bottlenecks import bottlenecks
from pnet_lp.throughput.proofs.store import StoredResult, load_result
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE, summarise_rates
from pnet_lp.verification.arcs import SecondArcs
from pnet_lp.verification.checks import Checks, near, same_json
from pnet_lp.verification.distances import reachable, reachable_by_paths, reachable_in_both_directions
from pnet_lp.verification.instance import check_arcs, check_classes, check_groups, check_magnitudes
from pnet_lp.verification.one_graph import check_one_graph
from pnet_lp.verification.paths import SecondOnePath, SecondPaths
from pnet_lp.verification.quotient import SecondQuotient
from pnet_lp.verification.second import Rates, SavedAnswer, SecondConcurrent, SecondProblem, Subject
from pnet_lp.verification.shortest import SecondShortest
from pnet_lp.verification.splits import over_splits
from pnet_lp.verification.trees import SecondTree

if TYPE_CHECKING:
    import pandas as pd


@brief("path", "headline", "status", "gap", "tolerance")
@dataclass(frozen=True, eq=False, repr=False)
class Verification:
    """Which checks passed, and what the proof gives.

    Attributes:
        path: the file.
        figures: the figures of the objective, recomputed.
        headline: which of them is the value.
        lines: the same as text: labels and values.
        status: that of the file, which follows from its tolerance; but ``certified`` only where the gap is at most
            the default tolerance, so that no file can ask less of itself.
        gap: what decides it, recomputed.
        tolerance: the requested one, as the file gives it.
        checks: one clause per check that passed, in order.
        trusted: one clause for each thing that was taken as it stands.
        second: the problem a second time, with the certificate; None where nothing is carried.
        rate: float64 ``[J]``, Gb/s that its demands get.
        whole: whether they get what they ask, whatever links carry then.
    """

    path: str
    figures: Mapping[str, Any]
    headline: ValueKey
    lines: tuple[tuple[str, str], ...]
    status: Status
    gap: float
    tolerance: float
    checks: tuple[str, ...]
    trusted: tuple[str, ...]
    second: SecondConcurrent | None = None
    rate: FloatArray | None = None
    whole: bool = False

    def __post_init__(self) -> None:
        freeze(self, "figures")

    @property
    def link_load(self) -> FloatArray | None:
        """float64 ``[arcs]`` of ``second.flow``: what core links carry, recomputed; None where nothing is carried."""
        if self.second is None:
            return None
        return self.second.demand_loads()[0] if self.whole else self.second.link_load(self.rate)

    @property
    def interval(self) -> Interval:
        """The recomputed bounds on the value, of an objective whose value has bounds."""
        lower, upper = (float(self.figures[key]) for key in self.headline.bounds)
        return Interval(lower, upper)

    def to_json(self) -> dict[str, Any]:
        """Return the document of ``pnet-lp verify --json``."""
        shown = self.headline.bounds if self.headline.bounded else (self.headline.key,)
        return {
            "file": self.path,
            "verified": True,
            "status": self.status,
            "tolerance": self.tolerance,
            **{key: self.figures[key] for key in (*shown, "relative_gap")},
            "checks": list(self.checks),
            "trusted": list(self.trusted),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each thing that the file claims: ``claim``, and whether it is ``verified`` or on trust."""
        claims = [*self.checks, *self.trusted]
        return frame({"claim": claims, "verified": [i < len(self.checks) for i in range(len(claims))]})


def verify_file(path: str | Path, *, full: bool = False) -> Verification:
    """Check everything a result file claims.

    Args:
        path: the file.
        full: whether to leave no check out that takes long; otherwise ``trusted`` says what is taken as it stands.

    Raises:
        SpecError: the file is not a result; the message names the key.
        CertificateError: something does not hold; the message names it.
    """
    with _exactly(path):
        return verify(load_result(path), full=full)


def verify(stored: StoredResult, *, full: bool = False) -> Verification:
    """Check a loaded result; errors as of :func:`verify_file`."""
    with _exactly(stored.path):
        try:
            return _verified(stored, Checks(stored.path), full=full)
        except (CertificateError, TimeLimitError):
            raise
        except PnetError as error:  # of network, traffic or routing
            raise CertificateError(str(error), where=stored.path) from None


@contextmanager
def _exactly(path: str | Path) -> Iterator[None]:
    """Refuse the file if a number overflows, or is none: that proves nothing."""
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            yield
    except ArithmeticError as error:
        raise CertificateError(f"what it claims cannot be computed: {error}", where=str(path)) from None


def _verified(stored: StoredResult, check: Checks, *, full: bool) -> Verification:
    network, traffic, claims = stored.network, stored.traffic, stored.claims
    routing, objective = _parsed(stored)
    _check_summaries(check, stored)
    _check_answer(stored, objective)
    if network.servers is not None:
        check_one_graph(check, network)
    given, network, traffic = traffic, network.graph, traffic.on_graph(network)
    check_groups(check, given, traffic)
    flow = build_problem(network, traffic, aggregate=not (routing.per_flow or objective.apart))
    check_magnitudes(check, flow)
    check_arcs(check, network, flow)
    merged = check_classes(check, network, traffic, flow)
    certificate = stored.certificate
    together = certificate is not None and not certificate.per_demand
    if together:
        check.require(
            routing.form == "arc" and not objective.rated,
            "the proof is of a kind that the question has",
            f"a quotient certificate proves nothing of {objective.expression} over {routing.expression}",
        )
    # What arrives has a path, so that pairs need not be written out.
    available = np.ones((1, 1), dtype=bool) if together else _available(flow, routing)
    connected = available.any(axis=0)
    cut_off = np.flatnonzero(~connected).tolist()
    nothing = bool(cut_off) and not (objective.per_demand and connected.any())
    rates = _checked_rates(check, stored, traffic, flow) if objective.rated else None
    second = None
    check.require(
        rates is None or not rates.most[~connected].any(),
        "what has no path gets nothing",
        "a demand without a path is claimed to get something",
    )
    if certificate is None:
        check.require(
            nothing,
            "a demand has no path, so K = 0",
            "there is no certificate, which is right only where a demand has no path, but every demand has one",
        )
        limits, binding = _NO_LIMITS, "disconnected"
        computed = dict(objective.figures_of_nothing())
    else:
        check.require(
            not nothing,
            "every demand has a path" if not cut_off else "demands without a path are left out",
            f"demand {cut_off[:1]} has no path, so K = 0 needs no certificate",
        )
        kept = ints(np.flatnonzero(connected))
        part = flow if not cut_off else flow.keeping(kept)
        needed = next(kind for kind in CERTIFICATES.values() if kind.routing_form == routing.form)
        found = type(certificate).__name__
        check.require(
            certificate.routing_form == routing.form,
            f"routing {routing.expression} needs {found}",
            f"the certificate is of type {found}, but routing {routing.expression} needs {needed.__name__}",
        )
        subject = Subject(check, network, traffic.level, part, routing, available[:, kept], full, merged)
        second = _SECOND[certificate.name](subject, certificate)
        # Where rates are claimed, the certificate says what each demand does.
        claim = SavedAnswer(stored.figures, None if rates is None else rates.of(kept), stored.levels)
        second.check_load(claim.gbps if objective.per_demand else None)
        computed = dict(objective.recheck(cast("SecondProblem", second), claim))
        # Files of earlier versions say nothing of equivalent links.
        grouped = any(limit.equivalent for limit in stored.bottlenecks)
        lengths = second.normalised(second.lengths)
        limits, kind = bottlenecks(second, stored.network, traffic.level, lengths, grouped=grouped)
        binding = kind if limits else objective.unlimited
    if stored.rates_gbps is not None and rates is not None:
        computed["rates_gbps"] = summarise_rates(stored.rates_gbps)
    gap = _check_figures(check, stored, objective, computed)
    _check_limits(check, stored, limits, binding)
    verified = Verification(
        stored.path,
        computed,
        objective.headline,
        tuple(objective.words(computed)),
        claims["status"] if gap <= DEFAULT_TOLERANCE else "bounds",
        gap,
        claims["tolerance"],
        tuple(check.passed),
        tuple(check.trusted),
        second,
        None if second is None else claim.gbps,
        objective.whole,
    )
    _check_load(check, stored, verified)
    return replace(verified, checks=tuple(check.passed), trusted=tuple(check.trusted))


def _check_load(check: Checks, stored: StoredResult, found: Verification) -> None:
    """Compare the total load that is said to be the least with that of the flow."""
    if stored.least_load is None:
        return
    total, least = stored.least_load
    check.require(
        found.link_load is not None and near(np.array(total), found.link_load.sum()) and least <= total,
        f"the loads add up to {total:.9g} Gb/s times links",
        f"least_load.total_gbps_links is claimed to be {total!r}, which is not what the loads add up to",
    )
    check.trust("that no flow puts less load on links is taken as it stands")


def _parsed(stored: StoredResult) -> tuple[Routing, Objective]:
    """Return what the routing and the objective of the claim stand for."""
    claims = stored.claims
    try:
        routing = parse_routing(claims["routing"], policy=claims["plane_policy"], seed=claims["routing_seed"])
        objective = parse_objective(claims["objective"])
    except PnetError as error:
        raise CertificateError(f"the question is none: {error}", where=stored.path) from None
    for key, text in (("routing", routing.expression), ("objective", objective.expression)):
        if claims[key] != text:
            raise CertificateError(
                f"{key} is not written as a solve writes it", where=stored.path, found=claims[key], allowed=text
            )
    return routing, objective.with_inputs(stored.inputs)


_NO_LIMITS: tuple[Bottleneck, ...] = ()
_SECOND: Mapping[str, Callable[[Subject, Any], SecondConcurrent]] = {
    "arc": SecondArcs,
    "shortest": SecondShortest,
    "quotient": SecondQuotient,
    "load": over_splits,
    "path": SecondPaths,
    "one-path": SecondOnePath,
    "tree": SecondTree,
}
"""How a certificate is computed a second time, by its name."""


def _available(flow: FlowProblem, routing: Routing) -> BoolArray:
    """Return bool ``[P, J]``: whether the routing can use each plane for each demand."""
    if routing.form == "arc":
        return reachable(flow)
    return reachable_in_both_directions(flow) if routing.splitting == Split.Vlb else reachable_by_paths(flow)


def _checked_rates(check: Checks, stored: StoredResult, traffic: TrafficMatrix, flow: FlowProblem) -> Rates:
    """Return what the problem's demands get, each of which its pairs share by their demands."""
    rates = stored.rates_gbps
    check.require(
        rates is not None and rates.shape == traffic.demand.shape and bool(np.all(np.isfinite(rates) & (rates >= 0))),
        f"{traffic.demand_count} rates are not negative",
        "answer.rates_gbps is not a rate >= 0 for each demand",
    )
    assert rates is not None
    demand = flow.demand_of_pairs(traffic)
    least, most = np.full(flow.demand_count, np.inf), np.zeros(flow.demand_count)
    np.minimum.at(least, demand, div_down(rates, traffic.demand))
    np.maximum.at(most, demand, div_up(rates, traffic.demand))
    check.require(
        near(least, most),
        "pairs of equivalent hosts get equal rates",
        "pairs of equivalent hosts get different parts of their demands",
    )
    # A pair by itself gets its rate, whatever its demand.
    alone = np.bincount(demand, minlength=flow.demand_count) == 1
    gbps = np.where(alone, totals_up(demand, rates, flow.demand_count), mul_up(most, flow.demand))
    return Rates(floats(least), floats(most), floats(gbps), sum_down(rates))


def _check_summaries(check: Checks, stored: StoredResult) -> None:
    """Compare what the claim says it is about with what the file holds."""
    claims = stored.claims
    check.require(
        claims["level"] == stored.traffic.level,
        f"level {claims['level']}",
        f"level {claims['level']!r} is claimed, {stored.traffic.level!r} proved",
    )
    for key, claimed, facts in (
        ("network", claims["network"], summarise_network(stored.network)),
        ("traffic", claims["traffic"], summarise_traffic(stored.traffic)),
    ):
        for name in sorted(facts.keys() | claimed.keys()):
            claim, fact = claimed.get(name), facts.get(name)
            # A label given by hand follows from nothing.
            given, shown = name in ("variant", "label"), reprlib.repr(claim)
            check.require(
                same_json(claim, fact),
                f"{key}.{name} is that of the instance" if given else f"{key}.{name} is {fact!r}",
                f"{key}.{name} is claimed to be {shown}, but the {key} in the file has {reprlib.repr(fact)}",
            )


def _check_answer(stored: StoredResult, objective: Objective) -> None:
    """Refuse what the answer of the objective does not have."""
    for key, some in (
        ("rates_gbps", stored.rates_gbps is not None and not objective.rated),
        ("levels", stored.levels and not (objective.levelled and stored.certificate)),
        ("inputs", stored.inputs.keys() != objective.input_names),
    ):
        if some:
            name = objective.expression
            raise CertificateError(f"answer.{key} is not what the objective {name!r} has", where=stored.path)


def _shown(limit: Bottleneck) -> str:
    """Return the text form of a bottleneck."""
    tail, head = map(reprlib.repr, limit.link)
    share, speed = limit.share, limit.capacity_gbps
    return (
        f"{limit.kind} {tail} -> {head} of plane {limit.plane}, {share!r} of the bound at {speed!r} Gb/s, "
        f"one of {limit.equivalent}"
    )


def _check_limits(check: Checks, stored: StoredResult, limits: Sequence[Bottleneck], binding: str) -> None:
    """Compare the links that are said to limit the value with those that the lengths name."""
    claimed = stored.bottlenecks
    check.require(
        len(claimed) == len(limits),
        f"{len(limits)} links limit the value",
        f"{len(claimed)} bottlenecks are listed, but the proof gives {len(limits)}",
    )
    for i, (one, fact) in enumerate(zip(claimed, limits, strict=True)):
        claim = one if one.equivalent else replace(one, equivalent=fact.equivalent)
        check.require(
            same_json(vars(claim), vars(fact)),
            f"bottleneck {fact.link[0]} -> {fact.link[1]} has the share {fact.share:.3g}, one of {fact.equivalent}",
            f"bottlenecks.{i} is claimed to be {_shown(claim)}, but the proof gives {_shown(fact)}",
        )
    check.same("binding", stored.claims["binding"], binding)


def _check_figures(check: Checks, stored: StoredResult, objective: Objective, computed: Mapping[str, Any]) -> float:
    """Compare the figures of the objective, and the status that follows from them; return the gap."""
    figures, claims = stored.figures, stored.claims
    for key in sorted(figures.keys() ^ computed.keys()):
        unknown = "not a key of a result of this objective"
        raise CertificateError(f"{key} is {'missing' if key in computed else unknown}", where=stored.path)
    for key, value in computed.items():
        check.same(key, figures[key], value)
    check.require(all(map(_finite, computed.values())), "all figures are numbers", "the proof gives no finite bounds")
    gap, tolerance, status = objective.gap(computed), claims["tolerance"], claims["status"]
    check.require(
        0 < tolerance < 1, "the tolerance is between 0 and 1", f"tolerance: out of range, found {tolerance!r}"
    )
    check.require(
        status == ("certified" if gap <= tolerance else "bounds") or (status == "bounds" and not objective.proves_gap),
        f"the status is {status!r}: gap {gap:.3g}, tolerance {tolerance:.3g}",
        f"the status is claimed to be {status!r}, but the gap is {gap:.3g} and the tolerance {tolerance:.3g}",
    )
    return gap


def _finite(value: Any) -> bool:
    """Whether all numbers in a JSON value are finite."""
    if isinstance(value, Mapping):
        return all(map(_finite, value.values()))
    if isinstance(value, list):
        return all(map(_finite, value))
    return not isinstance(value, float) or math.isfinite(value)
