"""Hop counts to read, as documents, tables and a chart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pnet_lp.errors import SpecError
from pnet_lp.failures import CONFIDENCE, share_interval
from pnet_lp.files import read_table
from pnet_lp.hops import HopDistribution, HopTrials, Rpc, rpc_statistics
from pnet_lp.layouts import parse_number
from pnet_lp.report.plot import new_figure, write_figure
from pnet_lp.report.tables import Columns, from_rows, text_table

if TYPE_CHECKING:
    from rich.table import Table


def _figures(pairs: HopDistribution) -> dict[str, Any]:
    return {
        "mean": pairs.mean,
        "p50": pairs.percentile(50),
        "p99": pairs.percentile(99),
        "max": pairs.most,
        "disconnected_pairs": pairs.disconnected,
    }


def _summary(trials: HopTrials, rpc: Rpc | None) -> dict[str, Any]:
    """Return what the trials say together; counts are added up, means are over trials."""
    pooled, mean = trials.pooled, trials.mean
    return {
        **_figures(pooled),
        "mean": mean,
        # A path of h links between switches passes h + 1 switches.
        "mean_switches_passed": None if mean is None else mean + 1,
        "histogram": {str(h): n for h, n in enumerate(pooled.pairs) if n},
        "pairs": pooled.total,
        "connected_share": trials.connected_share,
        "all_connected_trials": trials.all_connected,
        "intervals": {
            "confidence": CONFIDENCE,
            "mean": trials.mean_interval,
            "connected_share": trials.connected_interval,
            "all_connected": trials.all_connected_interval,
        },
        "rpc": rpc_statistics(pooled, rpc) if rpc else None,
    }


def hop_document(trials: HopTrials, rpc: Rpc | None, pair: tuple[str, str] | None) -> dict[str, Any]:
    """Return the document of ``pnet-lp hops --json``."""
    document = {
        "level": trials.level,
        **_summary(trials, rpc),
        "trials": [{"trial": i, **_figures(trial)} for i, trial in enumerate(trials.trials)],
    }
    if pair:
        hops = [of_trial[0] for of_trial in trials.pair_hops]
        connected = [h for h in hops if h >= 0]
        document["pair"] = {
            "ends": list(pair),
            "connected_trials": len(connected),
            "connected_probability": len(connected) / len(hops),
            "interval": share_interval(len(connected), len(hops)),
            "histogram": {str(h): n for h, n in sorted(Counter(connected).items())},
        }
    return document


def sweep_document(shares: Sequence[float], found: Sequence[HopTrials], rpc: Rpc | None) -> dict[str, Any]:
    """Return the document of ``pnet-lp hops --sweep --json``."""
    return {
        "level": found[0].level,
        "trials": len(found[0].trials),
        "sweep": [
            {"fail_links": share, **_summary(trials, rpc)}
            for share, trials in zip(shares, found, strict=True)
        ],
    }


def sweep_columns(shares: Sequence[float], found: Sequence[HopTrials]) -> Columns:
    """Return one row per share and trial."""
    return from_rows(
        [
            {
                "fail_links": share,
                "trial": i,
                "pairs": trial.total,
                "disconnected_pairs": trial.disconnected,
                "mean_hops": trial.mean,
                "p50_hops": trial.percentile(50),
                "p99_hops": trial.percentile(99),
                "max_hops": trial.most,
            }
            for share, trials in zip(shares, found, strict=True)
            for i, trial in enumerate(trials.trials)
        ]
    )


def hop_lines(document: dict[str, Any]) -> list[str | Table]:
    """Return a network's hop counts as lines and a table to read."""
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
    table = text_table()
    for name in ("hops", "pairs", "share"):
        table.add_column(name, justify="right")
    rows = [*document["histogram"].items(), ("none", document["disconnected_pairs"])]
    for hops, count in rows:
        if count:
            table.add_row(hops, f"{count:,}", _percent(count / document["pairs"]))
    return [*lines, table] if table.row_count else lines


def sweep_table(document: dict[str, Any]) -> Table:
    """Return a sweep as a table, one row per share of failed cables."""
    table = text_table()
    called = document["sweep"][0]["rpc"] is not None
    for name in ("failed", "mean hops", "95 % interval", "p50", "p99", "max", "pairs without a path"):
        table.add_column(name, justify="right")
    if called:
        table.add_column("call", justify="right")
    for row in document["sweep"]:
        interval, rpc = row["intervals"]["mean"], row["rpc"]
        table.add_row(
            f"{100 * row['fail_links']:g} %",
            "none" if row["mean"] is None else f"{row['mean']:.5g}",
            f"{interval[0]:.5g} to {interval[1]:.5g}" if interval else "",
            *(_or_none(row[key]) for key in ("p50", "p99", "max")),
            f"{row['disconnected_pairs']:,}",
            *([_us(rpc["mean_us"])] if rpc else []),
        )
    return table


Curves: TypeAlias = dict[str, list[tuple[float, float]]]
"""By name, the share of failed cables and the mean hops of each point."""


def read_curves(path: str | Path) -> Curves:
    """Return published curves from a CSV file with the columns ``curve``, ``fail_links`` and ``mean_hops``.

    Raises:
        SpecError: the file cannot be read, or a line is no point.
    """
    curves: Curves = {}
    for where, (name, *texts) in read_table(path, ["curve", "fail_links", "mean_hops"], SpecError):
        share, mean = map(parse_number, texts)
        if not (0 <= share <= 1 and 0 <= mean < math.inf):
            raise SpecError("not a point", where=where, allowed="a name, a share and mean hops")
        curves.setdefault(name, []).append((share, mean))
    return curves


def write_hop_chart(
    shares: Sequence[float],
    found: Sequence[HopTrials],
    title: str,
    path: str | Path,
    published: Curves | None = None,
) -> None:
    """Draw mean hops, with their interval, against the share of failed cables, into a PNG or SVG file.

    Published curves are dashed.  Shares at which no pair is connected are left out.
    """
    figure = new_figure(6, 4)
    axes = figure.add_subplot()
    drawn = [
        (100 * share, trials.mean, trials.mean_interval or (trials.mean, trials.mean))
        for share, trials in zip(shares, found, strict=True)
        if trials.mean is not None
    ]
    at = [share for share, _, _ in drawn]
    axes.plot(at, [mean for _, mean, _ in drawn], marker="o", markersize=3, label="here")
    axes.fill_between(at, [low for _, _, (low, _) in drawn], [high for _, _, (_, high) in drawn], alpha=0.25)
    for name, points in (published or {}).items():
        axes.plot(
            [100 * share for share, _ in points], [mean for _, mean in points], "--", linewidth=1, label=name
        )
    if published:
        axes.legend(fontsize="small")
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
