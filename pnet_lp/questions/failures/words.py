"""Throughput over draws of failures, or with every single one, to read, and as a chart."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from pnet_lp.plot import draw_shares, one_chart
from pnet_lp.questions.failures.answer import FailuresAnswer
from pnet_lp.tables import Document, Fact, Report, facts, table_of
from pnet_lp.throughput.objectives import Objective, parse_objective
from pnet_lp.wording import counted

if TYPE_CHECKING:
    from rich.table import Table

_SHOWN = 10


def _goal(document: Document) -> Objective:
    return parse_objective(document["objective"])


def _quantiles(document: Document) -> str:
    shown = _goal(document).headline
    return ", ".join(
        f"{name} {shown.number(value, short=True)}" for name, value in document[shown.named("quantiles")].items()
    )


def _status(document: Document) -> str:
    bounded = sum(row["status"] == "bounds" for row in document["trials"])
    each = "failure" if "failures" in document else "draw"
    if not bounded:
        return f"certified: the bounds of each {each} meet within the tolerance"
    shown = _goal(document).headline.key
    undecided = sum(row["status"] == "bounds" and row[shown] is None for row in document["trials"])
    of = f"; with {undecided:,} of them it is not known whether {document['objective']} fits" if undecided else ""
    return f"bounds: those of {counted(bounded, each)} have not met within the tolerance{of}"


def _value(document: Document) -> str:
    count, goal = len(document["trials"]), _goal(document)
    shown = goal.headline
    if "failures" in document:
        end = "largest" if goal.minimised else "least"
        of = f"the {end}; {shown.number(document[shown.named('intact')])} without failures"
    else:
        of = f"the mean of {count:,} draws" if count > 1 else "one draw"
    # A mean of draws is no bound.
    value = shown.number(document[shown.key], short=count > 1 and "failures" not in document)
    return f"{value} {shown.unit}, {of}"


def _failures(document: Document) -> str:
    if "failures" not in document:
        return ""
    said = f"{document['failures']:,}, {len(document['trials']):,} of them different"
    if "below_demand" in document:
        count, whole = document["below_demand"], _goal(document).whole
        verb, what = ("put", "a link above 100 %") if whole else ("leave", "connected pairs less than they demand")
        said += f"; {count or 'none'} {verb}{'' if count > 1 else 's'} {what}"
        if document["undecided"]:
            said += f", {document['undecided']:,} may"
    return said


def _infeasible(document: Document) -> str:
    of = "failures" if "failures" in document else "draws"
    return f"{document['infeasible']:,} {of}, with which {document['objective']} does not fit"


def _interval(document: Document) -> str:
    shown, found = _goal(document).headline, document["interval"]
    ends = found[shown.named("mean")]
    if ends is None:
        return ""
    low, high = (shown.number(end, short=True) for end in ends)
    return f"between {low} and {high} with {100 * found['confidence']:g} % confidence"


_FACTS: tuple[Fact, ...] = (
    ("failures", _failures),
    ("", _interval),
    ("quantiles", _quantiles),
    ("lost", "{lost_demands:g} demands on average, {lost_share:.3g %} of all"),
    ("infeasible", lambda document: _infeasible(document) if document["infeasible"] else ""),
    ("status", _status),
)


def report(document: Document) -> Report:
    """Return a document as lines to read."""
    found = facts(document, (_goal(document).headline.quantity.replace("_", " "), _value), *_FACTS)
    return [found, "", _worst(document)] if "failures" in document else [found]


def _worst(document: Document) -> Table:
    goal = _goal(document)
    shown, limit = goal.headline, "fullest link" if goal.whole else "limited by"
    return table_of(
        document["trials"][:_SHOWN],
        ("worst failures", "{failure}"),
        ("equivalent", "{equivalent:,}"),
        (shown.unit if shown.suffix else "utilisation", lambda row: shown.number(row[shown.key], short=True)),
        ("demands lost", "{lost_demands:,}"),
        (limit, lambda row: row["limit"] or "-"),
        texts=("worst failures", limit),
    )


def write_plot(answer: FailuresAnswer, title: str, path: str | Path) -> None:
    """Draw which part of the draws gets at most how much, or bars of all single failures, into a PNG or SVG file."""
    values, shown = list(filter(math.isfinite, answer.values())), answer.objective.headline
    label = f"{shown.quantity.replace('_', ' ')}, {shown.unit}"
    with one_chart(path, title) as axes:
        if answer.intact is None:
            draw_shares(axes, values)
            axes.set(xlabel=label, ylabel="part of the draws with at most this")
        else:
            # Bars stand on the numbers of failures: 1, 2, ...
            axes.stairs(values, [number + 0.5 for number in range(len(values) + 1)], fill=True)
            axes.locator_params(axis="x", integer=True)
            axes.axhline(answer.intact.attained(answer.objective), color="black", linewidth=0.8, linestyle="--")
            axes.set(xlabel="failures, the least first", ylabel=label, ylim=(0, None))
