"""The first lines of an answer: its value and what is proved of it, objective by objective."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pnet_lp.units import format_gbps

_SHOWN_LEVELS = 5


def headline(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return labelled lines: what was asked, between its bounds.

    Args:
        document: what :meth:`ThroughputResult.to_json` returned.
    """
    if "max_utilisation" in document:
        lines = _utilisation(document)
    elif "levels" in document:
        lines = _fairness(document)
    elif "cost_gbps_links" in document:
        lines = _cost(document)
    elif "total_gbps" in document:
        total = document["total_gbps"]
        lines = [("total", f"{format_gbps(total)} Gb/s"), _rates(document), _proved(document, "_bound_gbps")]
    else:
        value = document["throughput_gbps"]
        lines = [
            ("throughput", f"{format_gbps(value)} Gb/s per unit demand"),
            _proved(document, "_bound_gbps"),
        ]
    return lines


def _proved(document: Mapping[str, Any], suffix: str) -> tuple[str, str]:
    lower, upper = (format_gbps(document[side + suffix]) for side in ("lower", "upper"))
    return "proved", f"at least {lower}, at most {upper}; relative gap {document['relative_gap']:.2g}"


def _rates(document: Mapping[str, Any]) -> tuple[str, str]:
    rates = document["rates_gbps"]
    low, mean, high = (format_gbps(rates[key]) for key in ("min", "mean", "max"))
    return "rates", f"{low} to {high} Gb/s, {mean} on average"


def _utilisation(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    value = document["max_utilisation"]
    if value is None:
        return [("utilisation", "none is high enough")]
    fits = "" if value <= 1 else ": the matrix does not fit"
    return [("utilisation", f"{100 * value:.9g} % of the fullest link{fits}"), _proved(document, "_bound")]


def _fairness(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    levels = document["levels"]
    lines = [("total", f"{format_gbps(document['total_gbps'])} Gb/s"), _rates(document)]
    for level in levels[:_SHOWN_LEVELS]:
        noun = "demand" if level["demands"] == 1 else "demands"
        rate = f"{format_gbps(level['rate_gbps'])} Gb/s per unit demand"
        lines.append(("level", f"{rate} for {level['demands']:,} {noun}"))
    if hidden := len(levels) - _SHOWN_LEVELS:
        lines += [("", f"and {hidden:,} more")] if hidden > 0 else []
    lines.append(
        ("proved", f"no demand can get more than a part of {document['relative_gap']:.2g} beyond its level")
    )
    return lines


def _cost(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (
            "cost",
            f"{format_gbps(document['cost_gbps_links'])} Gb/s times links, "
            f"{document['mean_links']:.6g} links on average",
        ),
        ("carried", f"{format_gbps(document['carried_gbps'])} Gb/s per unit demand"),
        _proved(document, "_bound_gbps_links"),
    ]
