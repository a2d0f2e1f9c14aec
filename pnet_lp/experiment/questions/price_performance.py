"""What a network carries for its money and for its power."""

from __future__ import annotations

from pnet_lp.cost import BookSettings, TopologySettings, quote_network
from pnet_lp.errors import SpecError
from pnet_lp.experiment.keys import DemandKeys
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed
from pnet_lp.hops import count_hops
from pnet_lp.throughput import solve
from pnet_lp.throughput.settings import SolveSettings


class PricePerformanceCase(BookSettings, SolveSettings, TopologySettings, DemandKeys):
    """One network, of planes of any kinds, its demands, and the books that price its parts."""

    headline = "gbps_per_kusd"
    columns = (
        "gbps_per_watt",
        "throughput_gbps",
        "carried_gbps",
        "total_usd",
        "watts",
        "hosts",
        "chips",
        "boxes",
        "links",
        "cables",
        "transceivers",
        "mean_hops",
        "example_prices",
        "solved_by",
    )


@QUESTIONS.register(
    "price-performance",
    params=PricePerformanceCase,
    summary="total throughput of any network over its price and power",
)
def price_performance(case: PricePerformanceCase, seed: int) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives, at the prices that its books hold now.

    What fails has been bought: the price is that of the whole network, the throughput that of what is left.
    """
    prices, powers = case.books
    bought, network = case.intact(case.topology, seed), case.network(seed)
    traffic = case.matrix(network, seed)

    def answer(threads: int, on_progress: OnProgress) -> Answer:
        quoted = quote_network(bought, prices, powers, ports=case.ports, separate=case.separate)
        for key, amount in (("prices", quoted.total_usd), ("powers", quoted.watts)):
            if not amount:
                raise SpecError("no part costs anything, so nothing can be related to it", where=key)
        result = solve(network, traffic, on_progress=on_progress, **case.options(seed, threads))
        per_kusd = 1000 * traffic.total / quoted.total_usd
        bill, carried = quoted.bill, result.throughput_gbps * traffic.total
        document = result.to_json()
        seconds = document.pop("seconds")
        columns = {
            "gbps_per_watt": carried / quoted.watts,
            "throughput_gbps": result.throughput_gbps,
            "carried_gbps": carried,
            "total_usd": quoted.total_usd,
            "watts": quoted.watts,
            "hosts": bill.hosts,
            "chips": bill.chips,
            "boxes": bill.box_count,
            "links": bill.links,
            "cables": bill.cable_count,
            "transceivers": bill.transceivers,
            "mean_hops": count_hops(network, traffic.level, threads=threads).mean,
            "example_prices": any(line.price.example for line in quoted.lines),
            "solved_by": result.solver,
        }
        parts = [
            {"part": line.part.name, "count": line.count, "unit_usd": line.unit_usd, "usd": line.usd}
            for line in quoted.lines
        ]
        return Answer(
            Headline(
                case.headline,
                "gbps_per_kusd",
                "throughput over price",
                result.throughput_gbps * per_kusd,
                result.interval.lower * per_kusd,
                result.interval.upper * per_kusd,
                "Gb/s per 1,000 USD",
            ),
            result.status,
            columns,
            {**columns, "parts": parts, "result": document},
            limited_by=result.binding,
            seconds=seconds,
        )

    inputs = (prices.content, powers.content, bought.fingerprint, network.fingerprint, traffic.fingerprint)
    return Posed(inputs, answer)
