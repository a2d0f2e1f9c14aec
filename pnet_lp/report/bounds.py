"""Bounds next to each other and to the solved throughput: a document, a table, and what they say in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pnet_lp.model import ThroughputResult
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.report.tables import Columns, from_rows, text_table
from pnet_lp.report.throughput import limit_in_words, status_in_words
from pnet_lp.throughput.bounds import Bounds
from pnet_lp.throughput.objectives import CONCURRENT, parse_objective
from pnet_lp.units import format_gbps

if TYPE_CHECKING:
    from rich.table import Table

_ROW = ("name", "value_gbps", "exact", "of", "ratio")
_SOLVED = (
    "throughput_gbps", "lower_bound_gbps", "upper_bound_gbps", "relative_gap", "tolerance", "status", "interrupted",
    "solver", "binding", "bottlenecks", "warnings",
)  # fmt: skip


def bounds_document(bounds: Bounds, solved: ThroughputResult | None = None) -> dict[str, Any]:
    """Return the document of ``pnet-lp bounds``: the bounds, smallest first, and the solved throughput if there is one.

    ``ratio`` is a bound over the throughput that is attained; null without one, or where that is 0.
    """
    instance = bounds.instance
    k = solved.throughput_gbps if solved else 0.0
    entries = []
    for name, bound in bounds.found.items():
        entry = bound.to_json(name, instance.network, instance.level)
        entry["ratio"] = bound.value_gbps / k if k > 0 else None
        entries.append(entry)
    document: dict[str, Any] = {
        "bounds": entries,
        "silent": [{"name": name, "why": silent.why} for name, silent in bounds.silent.items()],
        "tightest": bounds.tightest,
        "level": instance.level,
        "network": summarise_network(instance.network),
        "traffic": summarise_traffic(instance.traffic),
        "throughput": None,
        "summary": [],
    }
    if solved:
        full = solved.to_json()
        document["throughput"] = {key: full[key] for key in _SOLVED}
        document["summary"] = _summary(document)
    return document


def bounds_columns(document: Mapping[str, Any]) -> Columns:
    """Return the bounds of a document as a table: one row each, witnesses left out."""
    return from_rows([{key: entry[key] for key in _ROW} for entry in document["bounds"]])


def bounds_table(document: Mapping[str, Any]) -> Table:
    """Return the bounds of a document as a table to read, the tightest marked."""
    solved = document["throughput"] is not None
    table = text_table()
    table.add_column("bound")
    table.add_column("Gb/s per unit demand", justify="right")
    if solved:
        table.add_column("x solved", justify="right")
    table.add_column("witness", overflow="fold")
    for entry in document["bounds"]:
        mark = " *" if entry["name"] == document["tightest"] else ""
        finite = math.isfinite(entry["value_gbps"])
        row = [entry["name"] + mark, format_gbps(entry["value_gbps"]) if finite else "no limit"]
        if solved:
            row.append(f"{entry['ratio']:.4g}" if finite and entry["ratio"] is not None else "-")
        table.add_row(*row, _shown(entry))
    return table


def bounds_lines(document: Mapping[str, Any]) -> list[str]:
    """Return what is said below the table, a line each."""
    lines = [f"{entry['name']} says nothing here: {entry['why']}" for entry in document["silent"]]
    if document["tightest"]:
        lines.append(f"* the tightest bound on this traffic: {document['tightest']}")
    solved = document["throughput"]
    if solved:
        status = status_in_words(solved, parse_objective(CONCURRENT))
        lines.append(
            f"solved: {format_gbps(solved['throughput_gbps'])} Gb/s per unit demand, {status}; "
            f"limited by {limit_in_words(solved)}"
        )
    return [*lines, *document["summary"]]


def _shown(entry: Mapping[str, Any]) -> str:
    """Return a bound's witness as a phrase."""
    witness = entry["witness"]
    if witness is None:
        return "no link limits the demands"
    match witness["kind"]:
        case "lengths":
            least = "fewest hops by degree" if entry["name"] == "moore" else "hops"
            return f"{least}, access links counted" if witness["access"] else f"{least} between switches"
        case "access-links":
            alike = f" and {witness['alike'] - 1} alike" if witness["alike"] > 1 else ""
            verb = "send" if witness["direction"] == "up" else "receive"
            return (
                f"{witness['endpoint']}{alike}: {format_gbps(witness['capacity_gbps'])} Gb/s to {verb} "
                f"{format_gbps(witness['demand'])}"
            )
        case "matching":
            found = "the most" if entry["exact"] else "many"
            return (
                f"{len(witness['demands']):,} demands that need {found} hops: of the worst traffic, not this"
            )
    capacity, demand = (format_gbps(witness[key]) for key in ("capacity_gbps", "demand"))
    cut = f"cut of {capacity} Gb/s, demand {demand} from {_side(witness)}"
    if "bisection_gbps" not in entry:
        return cut
    least = entry["at_least_gbps"]
    found = "best found" + (f", at least {format_gbps(least)}" if least > 0 else "")
    proof = "proved narrowest" if entry["exact"] else found
    return f"{cut}; halves joined by {format_gbps(entry['bisection_gbps'])} Gb/s ({proof})"


def _side(witness: Mapping[str, Any]) -> str:
    names = witness["endpoints"]
    return names[0] if len(names) == 1 else f"{len(names):,} endpoints"


def _summary(document: Mapping[str, Any]) -> list[str]:
    """Return what binds, and by how much the bisection misleads, as sentences."""
    solved = document["throughput"]
    k = solved["throughput_gbps"]
    if k == 0:
        return list(solved["warnings"])
    by_name = {entry["name"]: entry for entry in document["bounds"]}
    sentences = []
    if document["tightest"]:
        tightest = by_name[document["tightest"]]
        if _binds(tightest["value_gbps"], solved):
            binding = [
                name for name, entry in by_name.items()
                if entry["of"] == "matrix" and _binds(entry["value_gbps"], solved)
            ]  # fmt: skip
            verb = "binds: its bound is" if len(binding) == 1 else "bind: their bounds are"
            sentences.append(f"{_listed(binding)} {verb} the throughput.")
        else:
            sentences.append(
                f"No bound binds: {tightest['name']}, the tightest, allows {_more(tightest['ratio'])}."
            )
    bisection = by_name.get("bisection")
    if bisection:
        kind = "The bisection" if bisection["exact"] else "The narrowest bisection found"
        if not math.isfinite(bisection["value_gbps"]):
            sentences.append(f"{kind} says nothing: no demand crosses it.")
        elif _binds(bisection["value_gbps"], solved):
            sentences.append(f"{kind} does not mislead here: it is the throughput.")
        else:
            sentences.append(f"{kind} misleads: it allows {_more(bisection['ratio'])}.")
    return sentences


def _binds(value: float, solved: Mapping[str, Any]) -> bool:
    """Whether a bound is the throughput, as far as that is known."""
    return bool(value * (1 - solved["tolerance"]) <= solved["throughput_gbps"])


def _more(ratio: float) -> str:
    return (
        f"{100 * (ratio - 1):.3g} % more than is carried"
        if ratio < 2
        else f"{ratio:.3g} times what is carried"
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
