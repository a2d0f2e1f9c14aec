"""A throughput answer in words; its objective says the first lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pnet_lp.report.tables import fact_grid
from pnet_lp.throughput.objectives import Objective, parse_objective
from pnet_lp.throughput.solve import NO_SOLVER
from pnet_lp.units import format_gbps

if TYPE_CHECKING:
    from rich.table import Table

_SHOWN_BOTTLENECKS = 5

_LIMITS = {
    "access link": "access links",
    "core link": "core links",
    "cut": "a cut",
    "disconnected": "a pair without any path",
    "demand": "what the demands ask for",
    "nothing": "no link: the shortest paths fit",
}


def throughput_report(document: Mapping[str, Any]) -> Table:
    """Return a result, given as its JSON document, as lines to read.

    Args:
        document: what :meth:`ThroughputResult.to_json` returned.
    """
    grid = fact_grid()
    objective = parse_objective(document["objective"])
    for label, text in objective.words(document):
        grid.add_row(label, text)
    grid.add_row("status", status_in_words(document, objective))
    network, traffic = document["network"], document["traffic"]
    grid.add_row(
        "network",
        f"{_count(network['planes'], 'plane')} ({network['variant']}): "
        f"{_count(network['switches'], 'switch')}, {_count(network['links'], 'cable')}, "
        f"{_count(network['hosts'], 'host')}",
    )
    grid.add_row(
        "traffic",
        f"{traffic['label']}: {_count(traffic['demands'], 'demand')} between {document['level']}s, "
        f"{traffic['total']:,g} in total",
    )
    parts = ", ".join(f"{part} {spent:.2f}" for part, spent in document["seconds"].items())
    # Where a pair has no path nothing was solved.
    how = "without a solver" if document["solver"] == NO_SOLVER else f"by {document['solver']}"
    grid.add_row(
        "solved",
        f"{document['objective']} with {document['routing']} routing {how}: "
        f"{_count(document['iterations'], 'iteration')}, {sum(document['seconds'].values()):.2f} s ({parts})",
    )
    grid.add_row("limited by", limit_in_words(document))
    shown = document["bottlenecks"][:_SHOWN_BOTTLENECKS]
    for item in shown:
        grid.add_row("", bottleneck_in_words(item))
    if hidden := len(document["bottlenecks"]) - len(shown):
        grid.add_row("", f"and {hidden} more")
    for warning in document["warnings"]:
        grid.add_row("warning", warning)
    return grid


def status_in_words(document: Mapping[str, Any], objective: Objective) -> str:
    """Return what the status of a result says about its number."""
    if document["status"] == "certified":
        return f"certified: the bounds meet within a gap of {document['tolerance']:g}"
    ended = "interrupted" if document["interrupted"] else "stopped"
    return f"bounds: {ended} before {objective.outstanding(document)}"


def limit_in_words(document: Mapping[str, Any]) -> str:
    """Return what limits the throughput of a result, and how much of it hangs on a single link."""
    limit = _LIMITS[document["binding"]]
    if not document["bottlenecks"]:
        return limit
    return f"{limit} (each at most {_percent(document['bottlenecks'][0]['share'])})"


def bottleneck_in_words(item: Mapping[str, Any]) -> str:
    """Return one bottleneck of a result's document as a phrase."""
    tail, head = item["link"]
    link = {
        "core": f"{tail} -> {head}",
        "access-up": f"{tail} -> {head} (from host to switch)",
        "access-down": f"{tail} -> {head} (from switch to host)",
    }[item["kind"]]
    return (
        f"plane {item['plane']}: {link}, {format_gbps(item['capacity_gbps'])} Gb/s, "
        f"{_percent(item['share'])} of the bound"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _count(number: int, what: str) -> str:
    plural = f"{what}es" if what.endswith("ch") else f"{what}s"
    return f"{number:,} {what if number == 1 else plural}"
