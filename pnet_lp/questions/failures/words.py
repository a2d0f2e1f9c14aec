"""Throughput over draws of failures to read, and as a chart."""

from __future__ import annotations

from pathlib import Path

from pnet_lp.plot import draw_shares, one_chart
from pnet_lp.questions.failures.answer import FailuresAnswer
from pnet_lp.tables import Document, Fact, Report, facts
from pnet_lp.units import format_gbps
from pnet_lp.wording import counted


def _quantiles(document: Document) -> str:
    return ", ".join(f"{name} {format_gbps(value)}" for name, value in document["quantiles_gbps"].items())


def _status(document: Document) -> str:
    bounded = sum(row["status"] == "bounds" for row in document["trials"])
    if not bounded:
        return "certified: the bounds of each draw meet within the tolerance"
    return f"bounds: those of {counted(bounded, 'draw')} have not met within the tolerance"


_FACTS: tuple[Fact, ...] = (
    (
        "throughput",
        "{throughput_gbps:.9g} Gb/s per unit demand, [[several?the mean of {several:,} draws]][[one?one draw]]",
    ),
    (
        "",
        "[[interval[mean_gbps]?between {interval[mean_gbps][0]:.9g} and {interval[mean_gbps][1]:.9g} with "
        "{interval[confidence]:g %} confidence]]",
    ),
    ("quantiles", _quantiles),
    ("lost", "{lost_demands:g} demands on average, {lost_share:.3g %} of all"),
    ("status", _status),
)


def report(document: Document) -> Report:
    """Return a document as lines to read."""
    count = len(document["trials"])
    return [facts({**document, "several": count > 1 and count, "one": count == 1}, *_FACTS)]


def write_plot(answer: FailuresAnswer, title: str, path: str | Path) -> None:
    """Draw which part of the draws gets at most how much, into a PNG or SVG file."""
    with one_chart(path, title) as axes:
        draw_shares(axes, [trial.throughput_gbps for trial in answer.trials])
        axes.set(xlabel="throughput, Gb/s per unit demand", ylabel="part of the draws with at most this")
