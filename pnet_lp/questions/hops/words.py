"""Hop counts to read, as tables and a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.plot import new_figure, write_figure
from pnet_lp.questions.hops.answer import HopsAnswer
from pnet_lp.tables import Columns, from_rows, table_of

if TYPE_CHECKING:
    from rich.table import Table


def table(answer: HopsAnswer) -> Columns:
    """Return a row per trial."""
    return from_rows(_rows(answer))


def series_table(_: Sequence[Mapping[str, Any]], answers: Sequence[HopsAnswer]) -> Columns:
    """Return a row per share of failed cables and trial."""
    return from_rows([row for one in answers for row in _rows(one)])


def _rows(answer: HopsAnswer) -> list[dict[str, Any]]:
    return [
        {
            "fail_links": answer.fail_links,
            "trial": i,
            "pairs": trial.total,
            "disconnected_pairs": trial.disconnected,
            "mean_hops": trial.mean,
            "p50_hops": trial.percentile(50),
            "p99_hops": trial.percentile(99),
            "max_hops": trial.most,
        }
        for i, trial in enumerate(answer.trials.trials)
    ]


def report(document: Mapping[str, Any]) -> list[str | Table]:
    """Return the hop counts of a network as lines and a table to read."""
    trials, intervals = document["trials"], document["intervals"]
    lines: list[str | Table] = []
    if document["mean"] is None:
        lines.append("hops      no pair has a path")
    else:
        lines.append(
            f"hops      {document['mean']:.6g} links between switches on average"
            f"{_within(intervals['mean'])}, so {document['mean_switches_passed']:.6g} switches passed"
        )
        lines.append(
            f"          median {_or_none(document['p50'])}, 99th percentile {_or_none(document['p99'])}, "
            f"at most {document['max']}"
        )
    over = f" over {len(trials):,} trials" if len(trials) > 1 else ""
    lines.append(
        f"pairs     {document['pairs']:,} of {document['level']}s{over}, "
        f"{document['disconnected_pairs']:,} without a path"
    )
    if len(trials) > 1:
        lines.append(
            f"connected {_percent(document['connected_share'])} of the pairs"
            f"{_within(intervals['connected_share'], percent=True)}; "
            f"all of them in {document['all_connected_trials']:,} of {len(trials):,} trials"
            f"{_within(intervals['all_connected'], percent=True)}"
        )
    if pair := document.get("pair"):
        lines.append(
            f"pair      {pair['ends'][0]} reaches {pair['ends'][1]} in {pair['connected_trials']:,} of "
            f"{len(trials):,} trials{_within(pair['interval'], percent=True)}, by hops "
            + (", ".join(f"{h}: {n}" for h, n in pair["histogram"].items()) or "none")
        )
    if rpc := document["rpc"]:
        lines.append(
            f"call      {_us(rpc['mean_us'])} on average, median {_us(rpc['p50_us'])}, 99th percentile "
            f"{_us(rpc['p99_us'])}: {rpc['bytes']:g} B at {rpc['rate_gbps']:g} Gb/s, "
            f"{rpc['hop_delay_us']:g} us a link"
        )
    rows = [
        (hops, f"{count:,}", _percent(count / document["pairs"]))
        for hops, count in (*document["histogram"].items(), ("none", document["disconnected_pairs"]))
        if count
    ]
    return [*lines, table_of(("hops", "pairs", "share"), rows)] if rows else lines


def series_report(document: Mapping[str, Any]) -> list[Table]:
    """Return a table with a row per share of failed cables."""
    names = ["failed", "mean hops", "95 % interval", "p50", "p99", "max", "pairs without a path"]
    rows = [
        (
            f"{100 * row['fail_links']:g} %",
            "none" if row["mean"] is None else f"{row['mean']:.5g}",
            f"{interval[0]:.5g} to {interval[1]:.5g}" if (interval := row["intervals"]["mean"]) else "",
            *(_or_none(row[key]) for key in ("p50", "p99", "max")),
            f"{row['disconnected_pairs']:,}",
            *([_us(row["rpc"]["mean_us"])] if row["rpc"] else []),
        )
        for row in document["sweep"]
    ]
    return [table_of([*names, "call"] if document["sweep"][0]["rpc"] else names, rows)]


def write_series_plot(
    _: Sequence[Mapping[str, Any]], answers: Sequence[HopsAnswer], title: str, path: str | Path
) -> None:
    """Draw mean hops, with their interval, against the share of failed cables, into a PNG or SVG file.

    Shares at which no pair is connected are left out.
    """
    figure = new_figure(6, 4)
    axes = figure.add_subplot()
    drawn = [
        (100 * one.fail_links, one.trials.mean, one.trials.mean_interval or (one.trials.mean,) * 2)
        for one in answers
        if one.trials.mean is not None
    ]
    at = [share for share, _, _ in drawn]
    axes.plot(at, [mean for _, mean, _ in drawn], marker="o", markersize=3)
    axes.fill_between(at, [low for _, _, (low, _) in drawn], [high for _, _, (_, high) in drawn], alpha=0.25)
    axes.set_xlabel("failed links, per cent")
    axes.set_ylabel("mean hops between switches")
    axes.set_title(title, fontsize="medium")
    write_figure(figure, path)


def _or_none(value: object) -> str:
    return "none" if value is None else str(value)


def _us(value: float | None) -> str:
    return "none" if value is None else f"{value:.5g} us"


def _percent(share: float) -> str:
    return f"{100 * share:.5g} %"


def _within(interval: Sequence[float] | None, *, percent: bool = False) -> str:
    if interval is None:
        return ""
    shown = [f"{100 * end:.5g} %" if percent else f"{end:.6g}" for end in interval]
    return f" (between {shown[0]} and {shown[1]} with 95 % confidence)"
