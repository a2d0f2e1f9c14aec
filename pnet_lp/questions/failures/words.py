"""Throughput over draws of failures, or with every single one, to read, and as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pnet_lp.plot import draw_shares, one_chart
from pnet_lp.questions.failures.answer import FailuresAnswer
from pnet_lp.tables import Document, Fact, Report, facts, table_of
from pnet_lp.units import format_gbps, format_short
from pnet_lp.wording import counted

if TYPE_CHECKING:
    from rich.table import Table

_SHOWN = 10


def _quantiles(document: Document) -> str:
    return ", ".join(f"{name} {format_short(value)}" for name, value in document["quantiles_gbps"].items())


def _status(document: Document) -> str:
    bounded = sum(row["status"] == "bounds" for row in document["trials"])
    each = "failure" if "failures" in document else "draw"
    if not bounded:
        return f"certified: the bounds of each {each} meet within the tolerance"
    return f"bounds: those of {counted(bounded, each)} have not met within the tolerance"


def _throughput(document: Document) -> str:
    count = len(document["trials"])
    if "failures" in document:
        of = f"the least; {format_gbps(document['intact_gbps'])} without failures"
    else:
        of = f"the mean of {count:,} draws" if count > 1 else "one draw"
    # A mean of draws is no bound.
    value = (format_short if count > 1 and "failures" not in document else format_gbps)(document["throughput_gbps"])
    return f"{value} Gb/s per unit demand, {of}"


def _failures(document: Document) -> str:
    if "failures" not in document:
        return ""
    count = document["below_demand"]
    short = f"{count:,} leave{'s' if count == 1 else ''}" if count else "none leaves"
    different = f"{document['failures']:,}, {len(document['trials']):,} of them different"
    return f"{different}; {short} connected pairs less than they demand"


_FACTS: tuple[Fact, ...] = (
    ("throughput", _throughput),
    ("failures", _failures),
    (
        "",
        "[[interval[mean_gbps]?between {interval[mean_gbps][0]:short} and {interval[mean_gbps][1]:short} with "
        "{interval[confidence]:g %} confidence]]",
    ),
    ("quantiles", _quantiles),
    ("lost", "{lost_demands:g} demands on average, {lost_share:.3g %} of all"),
    ("status", _status),
)


def report(document: Document) -> Report:
    """Return a document as lines to read."""
    found = facts(document, *_FACTS)
    return [found, "", _worst(document["trials"][:_SHOWN])] if "failures" in document else [found]


def _worst(rows: Sequence[Document]) -> Table:
    return table_of(
        rows,
        ("worst failures", "{failure}"),
        ("equivalent", "{equivalent:,}"),
        ("Gb/s per unit demand", "{throughput_gbps:short}"),
        ("demands lost", "{lost_demands:,}"),
        ("limited by", lambda row: row["limit"] or "-"),
        texts=("worst failures", "limited by"),
    )


def write_plot(answer: FailuresAnswer, title: str, path: str | Path) -> None:
    """Draw which part of the draws gets at most how much, or bars of all single failures, into a PNG or SVG file."""
    carried = sorted(trial.throughput_gbps for trial in answer.trials for _ in range(trial.equivalent))
    with one_chart(path, title) as axes:
        if answer.intact is None:
            draw_shares(axes, carried)
            axes.set(xlabel="throughput, Gb/s per unit demand", ylabel="part of the draws with at most this")
        else:
            axes.stairs(carried, range(len(carried) + 1), fill=True)
            axes.axhline(answer.intact.throughput_gbps, color="black", linewidth=0.8, linestyle="--")
            axes.set(xlabel="failures, the least first", ylabel="throughput, Gb/s per unit demand", ylim=(0, None))
