"""What charts of distributions share: percentiles of a quantity, as columns of a question have them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from pydantic import Field

from pnet_lp.charts.kinds import ChartParams
from pnet_lp.errors import SpecError
from pnet_lp.report.chart import ChartKind, Published, error_bars, key_label, published_numbers
from pnet_lp.report.experiment import CaseResult
from pnet_lp.report.lines import bar_panels

SHARES: Mapping[str, float] = {
    "min": 0.0,
    "p1": 0.01,
    "p5": 0.05,
    "p10": 0.1,
    "p25": 0.25,
    "p50": 0.5,
    "p75": 0.75,
    "p90": 0.9,
    "p95": 0.95,
    "p99": 0.99,
    "max": 1.0,
}
"""What columns of a distribution begin with, and which share of it is at most so large."""

WORDS = {"min": "least", "max": "greatest", "mean": "mean"}


class DistributionParams(ChartParams):
    """Parameters of charts of distributions."""

    of: str = Field(min_length=1, description="ends of columns: rate_gbps, or read_us+write_us with a panel each")

    @property
    def quantities(self) -> list[str]:
        """See the base class."""
        return self.of.split("+")

    def check(self, columns: Collection[str]) -> None:
        """See the base class."""
        known = {column.partition("_")[2] for column in columns if column.partition("_")[0] in SHARES}
        several = sorted(one for one in known if len(columns_of(one, columns)) > 1)
        for one in self.quantities:
            if one not in several:
                raise SpecError("no percentiles of it are columns", where="of", found=one, allowed=", ".join(several))


def columns_of(quantity: str, columns: Collection[str]) -> dict[str, str]:
    """Return the columns with percentiles of a quantity, by what they begin with, in order of their shares."""
    return {start: name for start in SHARES if (name := f"{start}_{quantity}") in columns}


class Distribution(ChartKind):
    """A chart of percentiles, means over draws; panels are quantities, or those of the spec."""

    params: DistributionParams

    @cached_property
    def panels(self) -> list[tuple[str, str, dict[str, str]]]:
        """The label, the quantity and the cases, by their short names, of each panel."""
        cases = bar_panels(self.experiment, [row.case for row in self.rows])
        several, words = len(self.params.quantities) > 1, self.words
        return [
            (", ".join(filter(None, (label, words(quantity) if several else ""))), quantity, shown)
            for quantity in self.params.quantities
            for label, shown in cases
        ]

    def words(self, quantity: str) -> str:
        """Return what the axis of a quantity is called."""
        chart = self.experiment.chart
        return chart.words.get(quantity, key_label(quantity)) if chart else key_label(quantity)

    def values(self, quantity: str) -> dict[str, dict[str, float]]:
        """Return the percentiles of a quantity, and its mean, by case: those that it was stored with."""
        found = {}
        for row in self.rows:
            known = _columns(row)
            names = {"mean": f"mean_{quantity}", **columns_of(quantity, known)}
            found[row.case] = {start: known[name] for start, name in names.items() if name in known}
        return found

    def starts(self) -> list[str]:
        """Return which percentiles are there in any panel, in order of their shares."""
        there = {start for _, one, _ in self.panels for values in self.values(one).values() for start in values}
        return [start for start in SHARES if start in there]

    def marks(self, quantity: str) -> dict[str, list[Published]]:
        """Return the published numbers of a quantity by what their columns begin with."""
        values = self.values(quantity)
        found = {}
        for start in ("mean", *SHARES):
            own = {case: known[start] for case, known in values.items() if start in known}
            column = f"{start}_{quantity}"
            found[start] = published_numbers(self.experiment, self.claims, own, column=column)
        return found

    def caption(self) -> list[str]:
        """See the base class."""
        draws = max((row.draws for row in self.rows), default=1)
        return [f"Means over {draws} draws"] if draws > 1 and error_bars(self.experiment, self.rows) else []

    def published(self) -> Sequence[Published]:
        """See the base class."""
        shown = {case for _, _, cases in self.panels for case in cases.values()}
        found = [one for quantity in self.params.quantities for group in self.marks(quantity).values() for one in group]
        return [one for one in found if one.case in shown]


def words_of(start: str) -> str:
    """Return a percentile to read."""
    return WORDS.get(start, f"{100 * SHARES.get(start, 0):g} %")


def _columns(row: CaseResult) -> dict[str, float]:
    """Return the columns of a row that are numbers, also the one that is shown."""
    columns = {**row.columns, row.shown.column: row.shown.value}
    return {name: float(value) for name, value in columns.items() if isinstance(value, int | float)}
