"""Hop counts to read, as tables and a chart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pnet_lp.errors import SpecError
from pnet_lp.failures import count_of, in_words, is_count, share_of
from pnet_lp.plot import one_chart
from pnet_lp.questions.hops.answer import HopsAnswer
from pnet_lp.tables import Columns, Document, Report, from_rows, lines, table_of

_NO_MEAN = ("hops      no pair has a path",)
_MEAN = (
    "hops      {mean:.4g} links between switches on average"
    "[[intervals[mean]? (between {intervals[mean][0]:.4g} and {intervals[mean][1]:.4g} with 95 % confidence)]], "
    "so {mean_switches_passed:.4g} switches passed",
    "          median {p50}, 99th percentile {p99}, at most {max}",
)
_PAIRS = "pairs     {pairs:,} of {level}s[[several? over {count:,} trials]], {disconnected_pairs:,} without a path"
_CONNECTED = (
    "connected {connected_share:.5g %} of the pairs[[intervals[connected_share]? (between "
    "{intervals[connected_share][0]:.5g %} and {intervals[connected_share][1]:.5g %} with 95 % confidence)]]; "
    "all of them in {all_connected_trials:,} of {count:,} trials (between {intervals[all_connected][0]:.5g %} and "
    "{intervals[all_connected][1]:.5g %} with 95 % confidence)"
)
_PAIR = (
    "pair      {pair[ends][0]} reaches {pair[ends][1]} in {pair[connected_trials]:,} of {count:,} trials (between "
    "{pair[interval][0]:.5g %} and {pair[interval][1]:.5g %} with 95 % confidence), by hops {by_hops}"
)
_CALL = (
    "call      {rpc[mean_us]:.4g us} on average, median {rpc[p50_us]:.4g us}, 99th percentile {rpc[p99_us]:.4g us}: "
    "{rpc[bytes]:g} B at {rpc[rate_gbps]:g} Gb/s, {rpc[hop_delay_us]:g us} a link"
)


def report(document: Document) -> Report:
    """Return the hop counts of a network as lines and a table to read."""
    count, pair, unreached = len(document["trials"]), document.get("pair"), document["disconnected_pairs"]
    by_hops = pair and (", ".join(f"{h}: {n}" for h, n in pair["histogram"].items()) or "none")
    shown = [*(_NO_MEAN if document["mean"] is None else _MEAN), _PAIRS]
    shown += [line for line, known in ((_CONNECTED, count > 1), (_PAIR, pair), (_CALL, document["rpc"])) if known]
    rows = [(h, n) for h, n in (*document["histogram"].items(), ("none", unreached)) if n]
    table = table_of(
        [{"hops": hops, "pairs": pairs, "share": pairs / document["pairs"]} for hops, pairs in rows],
        ("hops", "{hops}"),
        ("pairs", "{pairs:,}"),
        ("share", "{share:.3g %}"),
    )
    said = lines({**document, "count": count, "several": count > 1, "by_hops": by_hops}, *shown)
    return [*said, *([table] if rows else [])]


def series_report(document: Document) -> Report:
    """Return a table with a row per share of failed cables."""
    calls = [("call", "{rpc[mean_us]:.4g us}")] if document["sweep"][0]["rpc"] else []
    table = table_of(
        document["sweep"],
        ("failed", lambda row: in_words(row["fail_links"], "link")),
        ("mean hops", "{mean:.4g}"),
        ("95 % interval", "[[intervals[mean]?{intervals[mean][0]:.4g} to {intervals[mean][1]:.4g}]]"),
        ("p50", "{p50}"),
        ("p99", "{p99}"),
        ("max", "{max}"),
        ("pairs without a path", "{disconnected_pairs:,}"),
        *calls,
    )
    return [table]


def table(answer: HopsAnswer) -> Columns:
    """Return a row per trial."""
    return series_table({}, [answer])


def series_table(_: Document, answers: Sequence[HopsAnswer]) -> Columns:
    """Return a row per share of failed cables and trial."""
    return from_rows(
        [
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
            for answer in answers
            for i, trial in enumerate(answer.trials.trials)
        ]
    )


def write_series_plot(document: Document, _: object, title: str, path: str | Path) -> None:
    """Draw mean hops, with their interval, against the failed cables, into a PNG or SVG file.

    Shares at which no pair is connected are left out.
    """
    drawn = [row for row in document["sweep"] if row["mean"] is not None]
    counts = any(is_count(row["fail_links"]) for row in drawn)
    if counts and any(row["fail_links"] and not is_count(row["fail_links"]) for row in drawn):
        raise SpecError("shares and numbers have no common axis", where="fail_links", allowed="one of the two")
    at = [count_of(row["fail_links"], 0) if counts else 100 * share_of(row["fail_links"]) for row in drawn]
    means, unit = [row["mean"] for row in drawn], "number in each plane" if counts else "per cent"
    intervals = [row["intervals"]["mean"] or (row["mean"], row["mean"]) for row in drawn]
    with one_chart(path, title) as axes:
        axes.plot(at, means, marker="o", markersize=3)
        axes.fill_between(at, [low for low, _ in intervals], [high for _, high in intervals], alpha=0.25)
        axes.set(xlabel=f"failed links, {unit}", ylabel="mean hops between switches")
