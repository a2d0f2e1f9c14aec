"""What an architecture costs, and what it carries."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pnet_lp.cost import Book, PricedPart, quote
from pnet_lp.cost.published import HYBRID_SAVING, HYBRID_SERVERS, HYBRID_SOURCE
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.cost.appraise import Appraisal, appraise
from pnet_lp.questions.cost.case import CostCase
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.traffic import build_traffic


@dataclass(frozen=True, eq=False, repr=False)
class CostAnswer(Answer):
    """An architecture with its price and what it carries.

    Attributes:
        appraisal: parts, price, bisection, throughput.
        prices, powers: the books.
    """

    appraisal: Appraisal
    prices: Book
    powers: Book

    def summary(self) -> Summary:
        """See the base class: the price is exact; what it is compared with may not be."""
        found, result = self.document, self.appraisal.result
        example = any(part["example"] for part in found["parts"])
        return Summary(
            Headline.exact(CostCase.headline, "usd", "price", found["total_usd"], "USD"),
            CostCase.columns_in({**found, "example_prices": example}),
            "bounds" if result and result.status == "bounds" else "exact",
        )

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        appraisal = self.appraisal
        bill, quote = appraisal.quote.bill, appraisal.quote
        bisection = appraisal.bisection
        per = {
            "host": bill.hosts or None,
            "gbps_bisection": bisection.gbps if bisection else None,
            "gbps_throughput": appraisal.throughput_gbps,
        }
        return {
            "architecture": appraisal.design.label,
            "parts": [_part(line) for line in quote.lines],
            "total_usd": quote.total_usd,
            "watts": quote.watts,
            "hosts": bill.hosts,
            "tiers": bill.tiers,
            "switch_hops": appraisal.switch_hops,
            "chips": bill.chips,
            "boxes": bill.box_count,
            "links": bill.links,
            "ports": {"total": bill.ports, "used": bill.ports_used, "free": bill.ports_free},
            "cables": {place: bill.cables_at(place) for place in ("access", "inner", "top")},
            "transceivers": bill.transceivers,
            "optical_ports": bill.optical_ports,
            "bisection": {"gbps": bisection.gbps, "basis": bisection.basis} if bisection else None,
            "throughput": _throughput(appraisal),
            "usd_per": {name: _over(quote.total_usd, amount) for name, amount in per.items()},
            "watts_per": {name: _over(quote.watts, amount) for name, amount in per.items()},
            "prices": self.prices.label,
            "powers": self.powers.label,
            "warnings": list(appraisal.design.warnings),
            **({} if appraisal.design.of_hosts is None else {"of_hosts": appraisal.design.of_hosts}),
        }


@QUESTIONS.register(
    "cost", params=CostCase, summary="price, power and parts of an architecture, next to what it carries"
)
def cost(case: CostCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case at the prices that its books hold now."""
    made = case.design(seed, built)
    if made.build:
        made = replace(made, build=functools.cache(made.build))
    prices, powers = case.books
    text = case.traffic

    def matrix(network: Network) -> TrafficMatrix:
        return built.traffic(network) if built.traffic else build_traffic(text or "", network, case.level, seed=seed)

    def answer(run: Run) -> Answer:
        found = appraise(
            made,
            quote(made.bill, prices, powers),
            matrix if text else None,
            measure=case.bisection,
            tolerance=case.tolerance,
            threads=run.threads,
            on_progress=run.on_progress,
        )
        return CostAnswer(found, prices, powers)

    inputs = [prices.content, powers.content]
    if made.build and (made.counted or text):
        inputs.append(made.build().fingerprint)
    if made.build and text:
        inputs.append(matrix(made.build()).fingerprint)
    return Posed(tuple(inputs), answer, made.warnings)


def compare(_: Sequence[Mapping[str, Any]], answers: Sequence[CostAnswer]) -> dict[str, Any]:
    """Return the document of several architectures side by side."""
    documents = [one.to_json() for one in answers]
    per = "gbps_throughput" if any(item["throughput"] for item in documents) else "gbps_bisection"
    # A sum says nothing of networks that carry different amounts, and one whose amount is unknown might be cheaper.
    known = all(item["usd_per"][per] is not None for item in documents)
    cheapest = min(documents, key=lambda item: float(item["usd_per"][per])) if known else None
    return {"architectures": documents, "cheapest": cheapest["architecture"] if cheapest else None, "cheapest_per": per}


def curve(points: Sequence[Mapping[str, Any]], answers: Sequence[CostAnswer]) -> dict[str, Any]:
    """Return the document of the prices of architectures for every beta."""
    found: dict[str, list[tuple[float, CostAnswer]]] = {}
    for point, one in zip(points, answers, strict=True):
        found.setdefault(point["architecture"], []).append((point["beta"], one))
    first = answers[0]
    return {
        "architectures": [
            {
                "architecture": name,
                "constant": row[0][1].appraisal.design.beta is None,
                "points": [_point(beta, one.appraisal) for beta, one in row],
            }
            for name, row in found.items()
        ],
        "published": _published(found),
        "prices": first.prices.label,
        "powers": first.powers.label,
    }


def _point(beta: float, found: Appraisal) -> dict[str, Any]:
    return {
        "beta": beta,
        "total_usd": found.quote.total_usd,
        "watts": found.quote.watts,
        "bisection_gbps": found.bisection.gbps if found.bisection else None,
        "throughput_gbps": found.throughput_gbps,
        "status": found.result.status if found.result else None,
    }


def _published(curves: Mapping[str, Sequence[tuple[float, CostAnswer]]]) -> list[dict[str, Any]]:
    """Return the paper's claim about the hybrid network, where both it and its fat tree are drawn at beta = 1."""
    at_one = {
        name.partition(":")[0]: one.appraisal.quote.total_usd
        for name, row in curves.items()
        for beta, one in row
        if beta == 1 and one.appraisal.quote.bill.hosts == HYBRID_SERVERS
    }
    if not {"hybrid", "beta-fat-tree"} <= set(at_one):
        return []
    tree = at_one["beta-fat-tree"]
    return [
        {
            "architecture": "hybrid",
            "beta": 1,
            "published_percent": 100 * HYBRID_SAVING,
            "published_usd": (1 - HYBRID_SAVING) * tree,
            "percent": 100 * (1 - at_one["hybrid"] / tree),
            "source": HYBRID_SOURCE,
        }
    ]


def _part(line: PricedPart) -> dict[str, Any]:
    return {
        "part": line.part.name,
        "count": line.count,
        "unit_usd": line.unit_usd,
        "usd": line.usd,
        "watts": line.watts,
        "date": line.price.date,
        "source": line.price.source,
        "example": line.price.example,
        "watts_example": line.power.example,
    }


def _throughput(appraisal: Appraisal) -> dict[str, Any] | None:
    result, traffic = appraisal.result, appraisal.traffic
    if result is None or traffic is None:
        return None
    return {
        "traffic": traffic.label,
        "level": traffic.level,
        "throughput_gbps": result.throughput_gbps,
        "upper_bound_gbps": result.interval.upper,
        "total_gbps": appraisal.throughput_gbps,
        "status": result.status,
    }


def _over(amount: float, by: float | None) -> float | None:
    return amount / by if by else None
