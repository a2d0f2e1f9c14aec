"""What a network carries for its money and for its power."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pnet_lp.cost import Quote, quote_network
from pnet_lp.errors import SpecError
from pnet_lp.hops import count_hops
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.questions.price_performance.case import PricePerformanceCase
from pnet_lp.questions.throughput.answer import ThroughputAnswer, solved
from pnet_lp.tables import attributes


@dataclass(frozen=True, eq=False, repr=False)
class PricePerformanceAnswer(Answer):
    """The price of a network next to its throughput.

    Attributes:
        quote: what the whole network costs, with what fails.
        solved: the throughput of what is left.
        mean_hops: between its endpoints; None where no pair has a path.
    """

    rows_at = "parts"

    quote: Quote
    solved: ThroughputAnswer
    mean_hops: float | None

    def summary(self) -> Summary:
        """See the base class."""
        solved, found, per_kusd = (
            self.solved.summary(),
            self.document,
            1000 * self.solved.traffic.total / self.quote.total_usd,
        )
        interval = self.solved.result.interval
        headline = Headline(
            PricePerformanceCase.headline,
            "gbps_per_kusd",
            "throughput over price",
            found[PricePerformanceCase.headline],
            interval.lower * per_kusd,
            interval.upper * per_kusd,
            "Gb/s per 1,000 USD",
        )
        columns = PricePerformanceCase.columns_in(found)
        return Summary(headline, columns, solved.status, solved.limited_by, solved.seconds)

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        quote, bill, result = self.quote, self.quote.bill, self.solved.result
        total = self.solved.traffic.total
        return {
            PricePerformanceCase.headline: result.throughput_gbps * (1000 * total / quote.total_usd),
            "gbps_per_watt": result.throughput_gbps * total / quote.watts,
            "throughput_gbps": result.throughput_gbps,
            "carried_gbps": result.throughput_gbps * total,
            **attributes(quote, "total_usd", "watts"),
            **attributes(bill, "hosts", "chips"),
            "boxes": bill.box_count,
            "links": bill.links,
            "cables": bill.cable_count,
            "transceivers": bill.transceivers,
            "mean_hops": self.mean_hops,
            "example_prices": any(line.price.example for line in quote.lines),
            "solved_by": result.solver,
            "parts": [{"part": line.part.name, **attributes(line, "count", "unit_usd", "usd")} for line in quote.lines],
            "warnings": list(self.solved.network.warnings),
            "result": self.solved.to_json(),
        }


@QUESTIONS.register(
    "price-performance", params=PricePerformanceCase, summary="total throughput of any network over its price and power"
)
def price_performance(case: PricePerformanceCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives, at the prices that its books hold now.

    What fails has been bought: the price is that of the whole network, the throughput that of what is left.
    """
    prices, powers = case.books
    bought, network = case.whole(seed, built), case.network(seed, built)
    traffic = case.demands(network, seed, built)

    def answer(run: Run) -> Answer:
        quoted = quote_network(bought, prices, powers, **case.packed)
        for key, amount in (("prices", quoted.total_usd), ("powers", quoted.watts)):
            if not amount:
                raise SpecError("every part is free, so the ratio is not defined", where=key)
        result = solved(run, network, traffic, **case.options(seed, run.threads, run.deadline))
        mean_hops = count_hops(network, traffic.level, threads=run.threads).mean
        return PricePerformanceAnswer(quoted, ThroughputAnswer(network, traffic, result), mean_hops)

    inputs = (prices.content, powers.content, bought.fingerprint, network.fingerprint, traffic.fingerprint)
    return Posed(inputs, answer, network.warnings)
