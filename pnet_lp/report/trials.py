"""Throughput over draws of failures to read, as a document, a table and a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from pnet_lp.failures import CONFIDENCE
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.report.plot import new_figure, write_figure
from pnet_lp.report.tables import Columns, fact_grid, from_rows
from pnet_lp.throughput.trials import FailureTrial, throughput_interval
from pnet_lp.units import format_gbps

if TYPE_CHECKING:
    from rich.table import Table

_QUANTILES = {
    "min": 0.0,
    "p1": 0.01,
    "p5": 0.05,
    "p25": 0.25,
    "p50": 0.5,
    "p75": 0.75,
    "p95": 0.95,
    "max": 1.0,
}


def trials_document(
    trials: Sequence[FailureTrial], network: Network, traffic: TrafficMatrix
) -> dict[str, Any]:
    """Return the document of ``pnet-lp throughput --trials n --json``.

    Args:
        trials: the draws.
        network: without failures.
        traffic: its demands.
    """
    carried = [trial.throughput_gbps for trial in trials]
    upper = [trial.upper_gbps for trial in trials]
    # The lower of two draws between which a quantile falls: a value that was attained.
    quantiles = np.quantile(carried, list(_QUANTILES.values()), method="lower")
    results = [trial.result for trial in trials if trial.result is not None]
    return {
        "throughput_gbps": fmean(carried),
        "lower_bound_gbps": fmean(carried),
        "upper_bound_gbps": fmean(upper),
        "quantiles_gbps": dict(zip(_QUANTILES, quantiles.tolist(), strict=True)),
        "interval": {"confidence": CONFIDENCE, "mean_gbps": throughput_interval(trials)},
        "lost_share": fmean(trial.lost_share for trial in trials),
        "lost_demands": fmean(trial.lost_demands for trial in trials),
        "status": "certified" if all(result.status == "certified" for result in results) else "bounds",
        "network": summarise_network(network),
        "traffic": summarise_traffic(traffic),
        "trials": _rows(trials),
    }


def trials_table(trials: Sequence[FailureTrial]) -> Columns:
    """Return the table of the draws, one row each."""
    return from_rows(_rows(trials))


def trials_report(document: Mapping[str, Any]) -> Table:
    """Return a document as lines to read."""
    grid = fact_grid()
    count = len(document["trials"])
    grid.add_row(
        "throughput",
        f"{format_gbps(document['throughput_gbps'])} Gb/s per unit demand, the mean of {count:,} draws",
    )
    if (interval := document["interval"]["mean_gbps"]) is not None:
        low, high = map(format_gbps, interval)
        grid.add_row("", f"between {low} and {high} with {100 * CONFIDENCE:g} % confidence")
    shown = (f"{name} {format_gbps(value)}" for name, value in document["quantiles_gbps"].items())
    grid.add_row("quantiles", ", ".join(shown))
    grid.add_row(
        "lost",
        f"{document['lost_demands']:g} demands on average, {100 * document['lost_share']:.3g} % of all",
    )
    bounded = sum(row["status"] == "bounds" for row in document["trials"])
    grid.add_row(
        "status",
        "certified: the bounds of each draw meet within the tolerance"
        if not bounded
        else f"bounds: those of {bounded:,} draws have not met within the tolerance",
    )
    return grid


def write_trials_chart(trials: Sequence[FailureTrial], title: str, path: str | Path) -> None:
    """Draw which part of the draws gets at most how much, into a PNG or SVG file."""
    carried = np.sort([trial.throughput_gbps for trial in trials])
    figure = new_figure(6, 4)
    axes = figure.add_subplot()
    axes.step(carried, np.arange(1, len(carried) + 1) / len(carried), where="post")
    axes.set_xlabel("throughput, Gb/s per unit demand")
    axes.set_ylabel("part of the draws with at most this")
    axes.set_ylim(0, 1)
    axes.set_title(title, fontsize="medium")
    write_figure(figure, path)


def _rows(trials: Sequence[FailureTrial]) -> list[dict[str, Any]]:
    return [
        {
            "trial": trial.trial,
            "throughput_gbps": trial.throughput_gbps,
            "upper_bound_gbps": trial.upper_gbps,
            "lost_demands": trial.lost_demands,
            "lost_share": trial.lost_share,
            "status": "certified" if trial.result is None else trial.result.status,
        }
        for trial in trials
    ]
