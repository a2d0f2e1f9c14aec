"""What is said of a throughput, in lines and in one line; its objective says the first.

Below the answer, which shows itself in one line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pnet_lp.model import ThroughputResult
from pnet_lp.throughput.objectives import Objective, parse_objective
from pnet_lp.throughput.proofs.bottlenecks import rounded_share
from pnet_lp.throughput.solve import NO_SOLVER
from pnet_lp.units import format_gbps, format_size, format_us

_SHOWN_BOTTLENECKS = 5

_ROUNDING = 1e-9
"""Part of a rate that rounding takes."""

_LIMITS = {
    "access link": "access links",
    "core link": "core links",
    "scale-up link": "links inside servers",
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
    # What is less than the gap may be an interior point's rounding.
    counted = [item for item in document["bottlenecks"] if item["share"] * item["equivalent"] >= document["tolerance"]]
    limits = _different(counted or document["bottlenecks"])
    shown, hidden = limits[:_SHOWN_BOTTLENECKS], len(limits[_SHOWN_BOTTLENECKS:])
    return [
        *objective.words(document),
        *sending_text(document),
        *time_text(document),
        ("status", status_text(document, objective)),
        ("network", network_text(network)),
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
        ("limited by", limit_text(document, objective)),
        *(("", bottleneck_text(item, objective)) for item in shown),
        *([("", f"and {hidden} more")] if hidden else []),
        *least_load_text(document),
        *splits_text(document),
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


def limit_text(document: Mapping[str, Any], objective: Objective) -> str:
    """Return what limits the throughput of a result."""
    limit = _LIMITS[document["binding"]]
    if not document["bottlenecks"] or document["status"] != "certified":
        return limit
    return f"{limit} ({'the fullest' if objective.whole else 'all full'})"


def sending_text(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the line that says what a host or a rack sends, and which part of its access links that is."""
    sends, level = document["sends"], document["level"]
    if not sends["mean_gbps"]:
        return []
    # Shares to three digits stand beside it.
    mean, most = (format_gbps(float(f"{sends[f'{key}_gbps']:.3g}")) for key in ("mean", "max"))
    share = [sends[f"{key}_access_share"] for key in ("mean", "max")]
    links = "its access links" if level == "host" else "the access links of its hosts"
    parts = [f", {_percent(part)} of {links}" if part is not None else "" for part in share]
    said = f"{mean} Gb/s from a {level}"
    if most != mean:
        return [("sends", f"{said} on average{parts[0]}; at most {most} Gb/s{parts[1]}")]
    return [("sends", f"{said}{parts[0]}")]


def time_text(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the line that says in what time demands are moved, where they are bytes."""
    if (time := document.get("time")) is None:
        return []
    size = format_size(time["demand_size"])
    size = f"{size}{'B' if size.isdecimal() else ''} per unit demand"
    attained, least = time["attained_s"], time["lower_bound_s"]
    if least is None:
        return [("time", f"{size} cannot be moved")]
    who, found = ("no routing", "this flow") if document["routing"] == "ideal" else ("nothing over these paths", "this")
    taken = "" if attained is None else f"; {found} takes {format_us(1e6 * attained)}"
    return [("time", f"{who} moves {size} in less than {format_us(1e6 * least)}{taken}")]


def least_load_text(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the line that says how much load the flow puts on links, where the least was requested."""
    if (load := document.get("least_load")) is None:
        return []
    total, least = (format_gbps(load[f"{key}_gbps_links"]) for key in ("total", "lower_bound"))
    gap = f"relative gap {load['relative_gap']:.2g}"
    return [("least load", f"{total} Gb/s times links, no flow of these rates has less than {least}; {gap}")]


def splits_text(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the line that says what the split carries of which small shares were removed, where that was requested."""
    if (found := document.get("splits")) is None:
        return []
    paths = f"{_count(found['paths'], 'path')}, at most {found['most_paths']:,} for one"
    lost = "nothing" if found["lost_share"] < _ROUNDING else _percent(found["lost_share"])
    if (rate := found.get("throughput_gbps")) is not None:
        return [("splits", f"{paths}; they carry at least {format_gbps(rate)} Gb/s per unit demand, {lost} is lost")]
    return [("splits", f"{paths}; {lost} of the rates is lost")]


def network_text(network: Mapping[str, Any]) -> str:
    """Return how many planes, switches, cables and hosts a network has, and what servers."""
    return (
        f"{_count(network['planes'], 'plane')} ({network['variant']}): "
        f"{_count(network['switches'], 'switch')}, {_count(network['links'], 'cable')}, "
        f"{_count(network['hosts'], 'host')}{servers_text(network)}"
    )


def binding_text(binding: str) -> str:
    """Return in words what limits a throughput."""
    return _LIMITS[binding]


def servers_text(network: Mapping[str, Any]) -> str:
    """Return what follows the number of hosts in a line about a network: nothing, or what servers they are in."""
    inside = network.get("servers")
    if inside is None:
        return ""
    rails = f", {inside['rails']} rails" if inside["rails"] > 1 else ""
    hops = "" if inside.get("hops", 1) else ", hops of planes"
    return f" in {_count(inside['count'], 'server')} of {inside['size']}{rails}, relay {inside['relay']}{hops}"


def _different(bottlenecks: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return one of each group of equivalent bottlenecks."""
    found: dict[object, Mapping[str, Any]] = {}
    for item in bottlenecks:
        found.setdefault((item["kind"], item["capacity_gbps"], float(rounded_share(item["share"]))), item)
    return list(found.values())


def bottleneck_text(item: Mapping[str, Any], objective: Objective) -> str:
    """Return one bottleneck of a result's document, and those equivalent to it, as a phrase."""
    tail, head = item["link"]
    link = {
        "core": f"{tail} -> {head}",
        "access-up": f"{tail} -> {head} (from host to switch)",
        "access-down": f"{tail} -> {head} (from switch to host)",
        "server": f"{tail} -> {head}",
    }[item["kind"]]
    place = "inside servers" if item["kind"] == "server" else f"plane {item['plane']}"
    others, gain = item["equivalent"] - 1, objective.gain
    more = f" and {others:,} link{'s' if others > 1 else ''} of equal price" if others else ""
    share = item["share"] * item["equivalent"]
    here = "in all of them" if others else "here"
    gives = f"1 % more capacity {here} gives at most {gain.format(_percent(0.01 * share))}"
    if not gain:
        gives = f"{_percent(share)} of capacity times dual price"
    return f"{place}: {link}{more}, {format_gbps(item['capacity_gbps'])} Gb/s; {gives}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _count(number: int, what: str) -> str:
    plural = f"{what}es" if what.endswith("ch") else f"{what}s"
    return f"{number:,} {what if number == 1 else plural}"
