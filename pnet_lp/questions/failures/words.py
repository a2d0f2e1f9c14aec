"""Throughput over draws of failures to read, as a table and a chart."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pnet_lp.plot import new_figure, write_figure
from pnet_lp.questions.failures.answer import FailuresAnswer
from pnet_lp.tables import Columns, Document, Report, fact_grid, from_rows
from pnet_lp.units import format_gbps


def table(answer: FailuresAnswer) -> Columns:
    """Return a row per draw."""
    return from_rows(answer.rows())


def report(document: Document) -> Report:
    """Return a document as lines to read."""
    count = len(document["trials"])
    grid = fact_grid()
    grid.add_row(
        "throughput", f"{format_gbps(document['throughput_gbps'])} Gb/s per unit demand, the mean of {count:,} draws"
    )
    if (interval := document["interval"]["mean_gbps"]) is not None:
        low, high = map(format_gbps, interval)
        grid.add_row("", f"between {low} and {high} with {100 * document['interval']['confidence']:g} % confidence")
    shown = (f"{name} {format_gbps(value)}" for name, value in document["quantiles_gbps"].items())
    grid.add_row("quantiles", ", ".join(shown))
    grid.add_row(
        "lost", f"{document['lost_demands']:g} demands on average, {100 * document['lost_share']:.3g} % of all"
    )
    bounded = sum(row["status"] == "bounds" for row in document["trials"])
    grid.add_row(
        "status",
        "certified: the bounds of each draw meet within the tolerance"
        if not bounded
        else f"bounds: those of {bounded:,} draws have not met within the tolerance",
    )
    return [grid]


def write_plot(answer: FailuresAnswer, title: str, path: str | Path) -> None:
    """Draw which part of the draws gets at most how much, into a PNG or SVG file."""
    carried = np.sort([trial.throughput_gbps for trial in answer.trials])
    figure = new_figure(6, 4)
    axes = figure.add_subplot()
    axes.step(carried, np.arange(1, len(carried) + 1) / len(carried), where="post")
    axes.set(xlabel="throughput, Gb/s per unit demand", ylabel="part of the draws with at most this", ylim=(0, 1))
    axes.set_title(title, fontsize="medium")
    write_figure(figure, path)
