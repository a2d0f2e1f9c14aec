"""What a network carries for its money and for its power."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pnet_lp.cost import Quote, quote_network
from pnet_lp.errors import SpecError
from pnet_lp.hops import count_hops
from pnet_lp.model.brief import brief
from pnet_lp.questions.base import QUESTIONS, Answer, AnswerStatus, Headline, Posed, Run, Value
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.questions.price_performance.case import PricePerformanceCase
from pnet_lp.questions.throughput.answer import ThroughputAnswer, solved


@brief("quote", "solved")
@dataclass(frozen=True, eq=False, repr=False)
class PricePerformanceAnswer(Answer):
    """The price of a network next to its throughput.

    Attributes:
        quote: what the whole network costs, with what fails.
        solved: the throughput of what is left.
        mean_hops: between its endpoints; None where no pair has a path.
    """

    quote: Quote
    solved: ThroughputAnswer
    mean_hops: float | None

    @property
    def carried_gbps(self) -> float:
        """Gb/s that all demands get together."""
        return self.solved.result.throughput_gbps * self.solved.traffic.total

    @property
    def headline(self) -> Headline:
        """See the base class."""
        result, per_kusd = self.solved.result, 1000 * self.solved.traffic.total / self.quote.total_usd
        return Headline(
            PricePerformanceCase.headline,
            "gbps_per_kusd",
            "throughput over price",
            result.throughput_gbps * per_kusd,
            result.interval.lower * per_kusd,
            result.interval.upper * per_kusd,
            "Gb/s per 1,000 USD",
        )

    @property
    def status(self) -> AnswerStatus:
        """See the base class."""
        return self.solved.status

    @property
    def limited_by(self) -> str:
        """See the base class."""
        return self.solved.limited_by

    @property
    def seconds(self) -> Mapping[str, float]:
        """See the base class."""
        return self.solved.seconds

    @property
    def columns(self) -> Mapping[str, Value]:
        """See the base class."""
        bill = self.quote.bill
        return {
            "gbps_per_watt": self.carried_gbps / self.quote.watts,
            "throughput_gbps": self.solved.result.throughput_gbps,
            "carried_gbps": self.carried_gbps,
            "total_usd": self.quote.total_usd,
            "watts": self.quote.watts,
            "hosts": bill.hosts,
            "chips": bill.chips,
            "boxes": bill.box_count,
            "links": bill.links,
            "cables": bill.cable_count,
            "transceivers": bill.transceivers,
            "mean_hops": self.mean_hops,
            "example_prices": any(line.price.example for line in self.quote.lines),
            "solved_by": self.solved.result.solver,
        }

    def parts(self) -> list[dict[str, Any]]:
        """Return the parts, a row each."""
        return [
            {"part": line.part.name, "count": line.count, "unit_usd": line.unit_usd, "usd": line.usd}
            for line in self.quote.lines
        ]

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        return {
            PricePerformanceCase.headline: self.headline.value,
            **self.columns,
            "parts": self.parts(),
            "result": self.solved.to_json(),
        }


@QUESTIONS.register(
    "price-performance",
    params=PricePerformanceCase,
    summary="total throughput of any network over its price and power",
)
def price_performance(case: PricePerformanceCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives, at the prices that its books hold now.

    What fails has been bought: the price is that of the whole network, the throughput that of what is left.
    """
    prices, powers = case.books
    bought, network = case.whole(seed, built), case.network(seed, built)
    traffic = case.demands(network, seed, built)

    def answer(run: Run) -> Answer:
        quoted = quote_network(bought, prices, powers, ports=case.ports, separate=case.separate)
        for key, amount in (("prices", quoted.total_usd), ("powers", quoted.watts)):
            if not amount:
                raise SpecError("no part costs anything, so nothing can be related to it", where=key)
        result = solved(run, network, traffic, **case.options(seed, run.threads, run.deadline))
        mean_hops = count_hops(network, traffic.level, threads=run.threads).mean
        return PricePerformanceAnswer(quoted, ThroughputAnswer(network, traffic, result), mean_hops)

    inputs = (prices.content, powers.content, bought.fingerprint, network.fingerprint, traffic.fingerprint)
    return Posed(inputs, answer, network.warnings)
