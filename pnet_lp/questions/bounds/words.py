"""Bounds next to each other and to the solved throughput: a table, and sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pnet_lp.questions.bounds.answer import BoundsAnswer
from pnet_lp.questions.throughput.sentences import limit_text, status_text
from pnet_lp.tables import Columns, Document, Report, from_rows, table_of
from pnet_lp.throughput.objectives import CONCURRENT, parse_objective
from pnet_lp.units import format_gbps, format_most

if TYPE_CHECKING:
    from rich.table import Table

_ROW = ("name", "value_gbps", "exact", "of", "ratio")


def table(answer: BoundsAnswer) -> Columns:
    """Return one row per bound, witnesses left out."""
    return from_rows([{key: entry[key] for key in _ROW} for entry in answer.to_json()["bounds"]])


def report(document: Document) -> Report:
    """Return the bounds to read, the tightest marked, and what is to be said below."""
    return [_table(document), *_lines(document)]


def _table(document: Document) -> Table:
    """Return the bounds of a document as a table to read, the tightest marked."""

    def value(entry: Document) -> str:
        return format_most(entry["value_gbps"]) if math.isfinite(entry["value_gbps"]) else "no limit"

    def ratio(entry: Document) -> str:
        known = math.isfinite(entry["value_gbps"]) and entry["ratio"] is not None
        return f"{entry['ratio']:.4g}" if known else "-"

    return table_of(
        document["bounds"],
        ("bound", lambda entry: entry["name"] + (" *" if entry["name"] == document["tightest"] else "")),
        ("Gb/s per unit demand", value),
        *([("x solved", ratio)] if document["throughput"] is not None else []),
        ("witness", _shown),
        texts=("bound", "witness"),
    )


def _lines(document: Document) -> list[str]:
    """Return what is said below the table, a line each."""
    lines = [f"{entry['name']} says nothing here: {entry['why']}" for entry in document["silent"]]
    if document["tightest"]:
        lines.append(f"* the tightest bound on this traffic: {document['tightest']}")
    solved = document["throughput"]
    if solved:
        objective = parse_objective(CONCURRENT)
        status = status_text(solved, objective)
        lines.append(
            f"solved: {format_gbps(solved['throughput_gbps'])} Gb/s per unit demand, {status}; "
            f"limited by {limit_text(solved, objective)}"
        )
    return [*lines, *document["summary"]]


def _shown(entry: Document) -> str:
    """Return a bound's witness as a phrase."""
    witness = entry["witness"]
    if witness is None:
        return "no link limits the demands"
    match witness["kind"]:
        case "lengths":
            least = "fewest hops by degree" if entry["name"] == "moore" else "hops"
            return f"{least}, access links counted" if witness["access"] else f"{least} between switches"
        case "access-links":
            others = f" and {witness['alike'] - 1} equivalent" if witness["alike"] > 1 else ""
            verb = "send" if witness["direction"] == "up" else "receive"
            return (
                f"{witness['endpoint']}{others}: {format_gbps(witness['capacity_gbps'])} Gb/s to {verb} "
                f"{format_gbps(witness['demand'])}"
            )
        case "matching":
            found = "the most" if entry["exact"] else "many"
            return f"{len(witness['demands']):,} demands that need {found} hops: of the worst traffic, not this"
    capacity, demand = (format_gbps(witness[key]) for key in ("capacity_gbps", "demand"))
    cut = f"cut of {capacity} Gb/s, demand {demand} from {_side(witness)}"
    if "bisection_gbps" not in entry:
        return cut
    least = entry["at_least_gbps"]
    found = "best found" + (f", at least {format_gbps(least)}" if least > 0 else "")
    proof = "proved narrowest" if entry["exact"] else found
    return f"{cut}; halves joined by {format_gbps(entry['bisection_gbps'])} Gb/s ({proof})"


def _side(witness: Document) -> str:
    names = witness["endpoints"]
    return names[0] if len(names) == 1 else f"{len(names):,} endpoints"
