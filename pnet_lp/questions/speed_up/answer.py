"""How much sooner a workload's communication ends on circuits set for it than on a fat tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pnet_lp.cost import Book, EqualCostPair, equal_cost, load_book
from pnet_lp.cost.published import HYBRID_SPEEDUPS
from pnet_lp.optical import Speedup, speedup
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.questions.speed_up.case import SpeedUpCase
from pnet_lp.tables import attributes


@dataclass(frozen=True, eq=False, repr=False)
class SpeedUpAnswer(Answer):
    """A workload on both networks of a scenario.

    Attributes:
        case: what was requested.
        found: throughputs and circuits.
        price: what the two networks cost.
        prices: by which book.
    """

    rows_at = "workloads"

    case: SpeedUpCase
    found: Speedup
    price: EqualCostPair
    prices: Book

    @cached_property
    def row(self) -> dict[str, Any]:
        """What is said of the workload."""
        return self.found.to_json(self.case.volume)

    def summary(self) -> Summary:
        """See the base class."""
        proved = self.found.proved_ratio
        return Summary(
            Headline(SpeedUpCase.headline, "", "speed-up", self.found.ratio, proved.lower, proved.upper),
            SpeedUpCase.columns_in(self.row),
            "bounds" if self.row["status"] == "bounds" else "certified",
        )

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        return series([], [self])


@QUESTIONS.register(
    "speed-up",
    params=SpeedUpCase,
    summary="time of a workload's communication on a fat tree over that on circuits set for it",
    source="hybrid optical/electrical network, section 5",
)
def speed_up(case: SpeedUpCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case with the demands, ties and places that ``seed`` draws."""
    scenario, cluster = case.networks, case.cluster
    prices, powers = load_book("price", case.prices), load_book("power")

    # The demands that a file holds are known by content once they are built for these servers.
    traffic = case.demands(scenario.tree(), seed, built)

    def answer(run: Run) -> Answer:
        found = speedup(
            scenario,
            traffic,
            seed=seed,
            tolerance=case.tolerance,
            threads=run.threads,
            on_progress=run.on_progress,
            **case.options(),
        )
        sizes = {"servers": cluster.servers, "ports": 2 * cluster.servers_per_rack, "links": cluster.links}
        price = equal_cost(cluster.oversubscription, prices, powers, **sizes)
        return SpeedUpAnswer(case, found, price, prices)

    return Posed((traffic.fingerprint, prices.content), answer)


def series(_: Sequence[Mapping[str, Any]], answers: Sequence[SpeedUpAnswer]) -> dict[str, Any]:
    """Return the document of several workloads on the networks of one scenario."""
    first = answers[0]
    scenario, price = first.found.scenario, first.price
    return {
        "scenario": attributes(scenario, "oversubscription", "links", "racks", "servers", "link_gbps", "uplink_gbps"),
        "compared": attributes(price, "oversubscription", "links", "tree_usd", "hybrid_usd", "excess"),
        "delay_s": first.found.delay_s,
        "volume_bytes": first.case.volume,
        "workloads": [one.row for one in answers],
        "published_at_most": HYBRID_SPEEDUPS.get((price.oversubscription, price.links)),
        "prices": first.prices.label,
    }
