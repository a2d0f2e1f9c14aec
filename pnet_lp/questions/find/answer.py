"""The cheapest networks that carry a given load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pnet_lp.cost import HostPartSettings, Quote
from pnet_lp.design import Candidate, FindSettings, Found, candidates_between
from pnet_lp.design import find as find_networks
from pnet_lp.extras import frame
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.find.case import FindCase
from pnet_lp.questions.throughput.answer import ThroughputAnswer
from pnet_lp.registry import validate
from pnet_lp.tables import Columns, attributes, from_rows, union
from pnet_lp.topology.settings import ServerSettings

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class FindAnswer(Answer):
    """The networks that carry a load, each more than anything that costs no more.

    Attributes:
        found: the front, and what was ruled out.
    """

    rows_at = "front"

    found: Found

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.found.front)

    def __getitem__(self, place: int) -> ThroughputAnswer:
        """Return one of them, best first: network, links, proof."""
        one = self.found.front[place]
        return ThroughputAnswer(one.candidate.network, one.traffic, one.result)

    @cached_property
    def front(self) -> pd.DataFrame:
        """A row per network, best first: ``command``, ``gbps_per_host``, ``total_usd``, ``watts``, ``switches``, ..."""
        return frame(from_rows(self.document["front"]))

    @cached_property
    def candidates(self) -> pd.DataFrame:
        """The same with a row for each candidate that was ruled out, and the reason: ``ruled_out``."""
        return frame(self.candidate_table())

    def candidate_table(self) -> Columns:
        """Return a row per candidate, those of the front first; ``ruled_out`` is the reason, empty for these."""
        front = [{**one, "ruled_out": ""} for one in self.document["front"]]
        ruled = [
            {
                **named(one.candidate),
                "upper_bound_gbps_per_host": one.most_gbps_per_host,
                **(priced(one.quote) if one.quote else {}),
                "ruled_out": one.lacks or one.why,
            }
            for one in self.found.ruled_out
        ]
        return union([*front, *ruled])

    def plot(self) -> Figure:
        """Return a chart of the front: throughput over price, or over power where that ranks."""
        from pnet_lp.questions.find.front import front_chart  # noqa: PLC0415 - only to draw

        return front_chart(self.document)

    def __repr__(self) -> str:
        best = self.found.front[0]
        return (
            f"<{len(self)} networks found; best: {best.candidate.command}, {best.gbps_per_host:.6g} Gb/s per host for "
            f"{best.quote.total_usd:,.0f} USD>"
        )

    def _repr_html_(self) -> str:
        """Show the front as a table, and how the other candidates were ruled out."""
        from pnet_lp.questions.find.front import front_html  # noqa: PLC0415 - only in a notebook

        return front_html(self.document)

    @property
    def partial(self) -> bool:
        """See the base class."""
        return self.found.stopped is not None or super().partial

    @property
    def interrupted(self) -> bool:
        """See the base class."""
        return self.found.stopped == "interrupted"

    @property
    def warnings(self) -> Sequence[str]:
        """See the base class."""
        stopped = self.found.stopped
        return () if stopped is None else (f"{stopped}: the front is that of the candidates examined before",)

    def summary(self) -> Summary:
        """See the base class: of the best network."""
        best = self.document["front"][0]
        return Summary(
            Headline.exact(FindCase.headline, "usd", "price of the best network", best["total_usd"], "USD"),
            FindCase.columns_in({**self.document, "networks": len(self)}),
            "bounds"
            if self.found.stopped or any(one["status"] == "bounds" for one in self.document["front"])
            else "exact",
        )

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        settings, front = self.found.settings, self.found.front
        return {
            "asked": _requested(settings),
            "candidates": len(front) + len(self.found.ruled_out),
            "candidates_between": candidates_between(settings),
            "ruled_out": self.found.counts,
            "left_out": [
                {"command": one.candidate.command, "why": one.lacks} for one in self.found.ruled_out if one.lacks
            ],
            "stopped": self.found.stopped,
            "example_prices": any(line.price.example for one in front for line in one.quote.lines),
            "front": [
                {
                    **named(one.candidate),
                    "gbps_per_host": one.gbps_per_host,
                    "upper_bound_gbps_per_host": one.most_gbps_per_host,
                    "status": one.status,
                    **priced(one.quote),
                    "solved_by": one.solver,
                }
                for one in front
            ],
        }


def _requested(settings: FindSettings) -> dict[str, Any]:
    """Return what was requested; what is said of servers and their parts only where something is."""
    unsaid = {*HostPartSettings.model_fields, *ServerSettings.model_fields} - settings.model_fields_set
    return settings.model_dump(mode="json", exclude={"draws", *unsaid})


def named(candidate: Candidate) -> dict[str, Any]:
    """Return what a candidate is."""
    named = attributes(candidate, "topology", "hosts_per_switch", "planes", "variant")
    return {**named, "link_gbps": candidate.gbps, "command": candidate.command}


def priced(quote: Quote) -> dict[str, Any]:
    """Return what a candidate is made of, and costs."""
    return {
        "hosts": quote.bill.hosts,
        "total_usd": quote.total_usd,
        "usd_per_host": quote.total_usd / quote.bill.hosts,
        "watts": quote.watts,
        "switches": quote.bill.chips,
        "cables": quote.bill.cable_count,
    }


@QUESTIONS.register("find", params=FindCase, summary="the cheapest networks that carry a given load")
def find(case: FindCase, seed: int) -> Posed:
    """Pose the case with the networks, demands and failures that ``seed`` draws."""
    settings = validate(FindCase, {**{key: getattr(case, key) for key in case.model_fields_set}, "seed": seed})
    prices, powers = case.books

    def answer(run: Run) -> Answer:
        found = find_networks(
            settings,
            threads=run.threads,
            executor=run.executor,
            deadline=run.deadline,
            keep_partial=run.keep_partial,
            ending=run.ending,
            watch=run.on_progress or (lambda _: None),
        )
        return FindAnswer(found)

    return Posed((prices.content, powers.content), answer)
