"""Hop counts to read, as tables and a chart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pnet_lp.errors import SpecError
from pnet_lp.failures import count_of, in_words, is_count, share_of
from pnet_lp.plot import new_figure, write_figure
from pnet_lp.questions.hops.answer import HopsAnswer
from pnet_lp.tables import Cell, Columns, Document, Report, from_rows, table_of


def table(answer: HopsAnswer) -> Columns:
    """Return a row per trial."""
    return from_rows(_rows(answer))


def series_table(_: Document, answers: Sequence[HopsAnswer]) -> Columns:
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


def report(document: Document) -> Report:
    """Return the hop counts of a network as lines and a table to read."""
    trials, intervals = document["trials"], document["intervals"]
    lines: Report = []
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
    rows = (*document["histogram"].items(), ("none", document["disconnected_pairs"]))
    table = table_of(
        [row for row in rows if row[1]],
        ("hops", lambda row: row[0]),
        ("pairs", lambda row: f"{row[1]:,}"),
        ("share", lambda row: _percent(row[1] / document["pairs"])),
    )
    return [*lines, table] if table.row_count else lines


def series_report(document: Document) -> Report:
    """Return a table with a row per share of failed cables."""

    def interval(row: Document) -> str:
        found = row["intervals"]["mean"]
        return f"{found[0]:.5g} to {found[1]:.5g}" if found else ""

    call: list[tuple[str, Cell]] = [("call", lambda row: _us(row["rpc"]["mean_us"]))]
    table = table_of(
        document["sweep"],
        ("failed", lambda row: in_words(row["fail_links"], "link")),
        ("mean hops", lambda row: "none" if row["mean"] is None else f"{row['mean']:.5g}"),
        ("95 % interval", interval),
        ("p50", lambda row: _or_none(row["p50"])),
        ("p99", lambda row: _or_none(row["p99"])),
        ("max", lambda row: _or_none(row["max"])),
        ("pairs without a path", "{disconnected_pairs:,}"),
        *(call if document["sweep"][0]["rpc"] else ()),
    )
    return [table]


def write_series_plot(document: Document, _: object, title: str, path: str | Path) -> None:
    """Draw mean hops, with their interval, against the failed cables, into a PNG or SVG file.

    Shares at which no pair is connected are left out.
    """
    figure = new_figure(6, 4)
    axes = figure.add_subplot()
    drawn = [row for row in document["sweep"] if row["mean"] is not None]
    counts = any(is_count(row["fail_links"]) for row in drawn)
    if counts and any(row["fail_links"] and not is_count(row["fail_links"]) for row in drawn):
        raise SpecError("shares and numbers have no common axis", where="fail_links", allowed="one of the two")
    at = [count_of(row["fail_links"], 0) if counts else 100 * share_of(row["fail_links"]) for row in drawn]
    means = [row["mean"] for row in drawn]
    intervals = [row["intervals"]["mean"] or (row["mean"], row["mean"]) for row in drawn]
    axes.plot(at, means, marker="o", markersize=3)
    axes.fill_between(at, [low for low, _ in intervals], [high for _, high in intervals], alpha=0.25)
    axes.set(
        xlabel=f"failed links, {'number in each plane' if counts else 'per cent'}", ylabel="mean hops between switches"
    )
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
