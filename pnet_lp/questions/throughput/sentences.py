"""What is said of a throughput, in lines and in one line; its objective says the first.

Below the answer, which shows itself in one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pnet_lp.model import ThroughputResult
from pnet_lp.throughput.objectives import Objective, parse_objective
from pnet_lp.throughput.solve import NO_SOLVER
from pnet_lp.units import format_gbps

_SHOWN_BOTTLENECKS = 5

_LIMITS = {
    "access link": "access links",
    "core link": "core links",
    "cut": "a cut",
    "disconnected": "a pair without any path",
    "demand": "what the demands ask for",
    "nothing": "no link: the shortest paths fit",
}


def throughput_lines(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return labels and texts of a result, the label empty where a text goes on.

    Args:
        document: what :meth:`ThroughputResult.to_json` returned.
    """
    objective = parse_objective(document["objective"])
    network, traffic = document["network"], document["traffic"]
    parts = ", ".join(f"{part} {spent:.2f}" for part, spent in document["seconds"].items())
    # Where a pair has no path nothing was solved.
    how = "without a solver" if document["solver"] == NO_SOLVER else f"by {document['solver']}"
    shown = document["bottlenecks"][:_SHOWN_BOTTLENECKS]
    hidden = len(document["bottlenecks"]) - len(shown)
    return [
        *objective.words(document),
        ("status", status_text(document, objective)),
        (
            "network",
            f"{_count(network['planes'], 'plane')} ({network['variant']}): "
            f"{_count(network['switches'], 'switch')}, {_count(network['links'], 'cable')}, "
            f"{_count(network['hosts'], 'host')}",
        ),
        (
            "traffic",
            f"{traffic['label']}: {_count(traffic['demands'], 'demand')} between {document['level']}s, "
            f"{traffic['total']:,g} in total",
        ),
        (
            "solved",
            f"{document['objective']} with {document['routing']} routing {how}: "
            f"{_count(document['iterations'], 'iteration')}, {sum(document['seconds'].values()):.2f} s ({parts})",
        ),
        ("limited by", limit_text(document)),
        *(("", bottleneck_text(item)) for item in shown),
        *([("", f"and {hidden} more")] if hidden else []),
        *(("warning", warning) for warning in document["warnings"]),
    ]


def result_line(result: ThroughputResult) -> str:
    """Return a result in one line: its value, how sure it is, and what it is of."""
    shown, network, traffic = result.headline, result.network, result.traffic
    value = "nothing" if result.value is None else f"{format_gbps(result.value)} {shown.unit}".strip()
    gap = f", gap {result.interval.gap:.1e}" if shown.bounded else ""
    return (
        f"{shown.quantity.replace('_', ' ')} {value} ({result.status}{gap}): {traffic['label']} over "
        f"{result.routing} on {_count(network['planes'], 'plane')}, {_count(network['switches'], 'switch')}; "
        f"limited by {_LIMITS[result.binding]}"
    )


def status_text(document: Mapping[str, Any], objective: Objective) -> str:
    """Return what the status of a result says about its number."""
    if document["status"] == "certified":
        return f"certified: the bounds meet within a gap of {document['tolerance']:g}"
    ended = "interrupted" if document["interrupted"] else "stopped"
    return f"bounds: {ended} before {objective.outstanding(document)}"


def limit_text(document: Mapping[str, Any]) -> str:
    """Return what limits the throughput of a result, and how much of it hangs on a single link."""
    limit = _LIMITS[document["binding"]]
    if not document["bottlenecks"]:
        return limit
    return f"{limit} (each at most {_percent(document['bottlenecks'][0]['share'])})"


def bottleneck_text(item: Mapping[str, Any]) -> str:
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
