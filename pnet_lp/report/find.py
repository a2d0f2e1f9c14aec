"""What a search for networks found, to read, as a document, a table and a chart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.cost import Quote
from pnet_lp.design import Candidate, Found, candidates_between
from pnet_lp.report.experiment import union
from pnet_lp.report.plot import COLOURS, new_figure, write_figure
from pnet_lp.report.tables import Columns, from_rows, text_table
from pnet_lp.units import format_gbps

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

_MARKERS = "osD^vPX*"


def find_document(found: Found) -> dict[str, Any]:
    """Return the document of ``pnet-lp find --json``."""
    asked = found.settings
    return {
        "asked": asked.model_dump(mode="json"),
        "candidates": len(found.front) + len(found.ruled_out),
        "candidates_between": candidates_between(asked),
        "ruled_out": found.counts,
        "example_prices": any(
            line.price.example for survivor in found.front for line in survivor.quote.lines
        ),
        "front": [
            {
                **_named(one.candidate),
                "gbps_per_host": one.gbps_per_host,
                "upper_bound_gbps_per_host": one.most_gbps_per_host,
                "status": one.result.status,
                **_priced(one.quote),
                "solved_by": one.result.solver,
            }
            for one in found.front
        ],
    }


def _named(candidate: Candidate) -> dict[str, Any]:
    return {
        "topology": candidate.topology,
        "hosts_per_switch": candidate.hosts_per_switch,
        "planes": candidate.planes,
        "variant": candidate.variant,
        "link_gbps": candidate.gbps,
        "command": candidate.command,
    }


def _priced(quote: Quote) -> dict[str, Any]:
    return {
        "hosts": quote.bill.hosts,
        "total_usd": quote.total_usd,
        "usd_per_host": quote.total_usd / quote.bill.hosts,
        "watts": quote.watts,
        "switches": quote.bill.chips,
        "cables": quote.bill.cable_count,
    }


def find_columns(found: Found, document: Mapping[str, Any], *, everything: bool) -> Columns:
    """Return the front as a table to store, one row per network.

    Args:
        found: what was found.
        document: of it.
        everything: whether what was ruled out has rows too, with the reason as ``ruled_out``.
    """
    rows = [{**one, "ruled_out": ""} for one in document["front"]] if everything else document["front"]
    if not everything:
        return from_rows(rows)
    ruled = [
        {
            **_named(one.candidate),
            "upper_bound_gbps_per_host": one.most_gbps_per_host,
            **(_priced(one.quote) if one.quote else {}),
            "ruled_out": one.why,
        }
        for one in found.ruled_out
    ]
    return union([*rows, *ruled])


def find_table(document: Mapping[str, Any]) -> Table:
    """Return the front as a table to read, best first."""
    table = text_table()
    table.add_column("network", overflow="fold")
    for name in ("Gb/s per host", "USD", "USD per host", "watts", "switches"):
        table.add_column(name, justify="right")
    for one in document["front"]:
        table.add_row(
            one["command"],
            format_gbps(one["gbps_per_host"]),
            f"{one['total_usd']:,.0f}",
            f"{one['usd_per_host']:,.0f}",
            f"{one['watts']:,.0f}",
            f"{one['switches']:,g}",
        )
    return table


def find_lines(document: Mapping[str, Any]) -> list[str]:
    """Return what the table is, how the other candidates were ruled out, and what to know of the prices."""
    asked = document["asked"]
    failing = ""
    if asked["fail_links"]:
        share, sure = 100 * asked["fail_links"], 100 * asked["confidence"]
        failing = f" in {sure:g} % of {asked['trials']} draws with {share:g} % of cables down"
    least = asked["min_gbps_per_host"]
    close = any(one["gbps_per_host"] < least for one in document["front"])
    within = f" (to within {100 * asked['tolerance']:g} %)" if close else ""
    count = len(document["front"])
    these = "these carry"
    if count == asked["best"]:
        these = "this is the best that carries" if count == 1 else f"these are the {count:,} best that carry"
    lines = [
        f"{document['candidates']:,} candidates; {these} at least {least:g} Gb/s per host{within} of "
        f"{asked['traffic']}{failing}, and more than any that {_COSTS[asked['rank']]} no more",
        "ruled out:",
        *(f"  {count:,}: {why}" for why, count in document["ruled_out"].items()),
    ]
    if more := document["candidates_between"]:
        lines.append(
            f"sizes: a few of each family, far apart; fine sizes add {more:,} candidates between these"
        )
    if document["example_prices"]:
        lines.append("prices: some are examples, rounded orders of magnitude; give yours with --prices")
    return lines


_COSTS = {"cost": "costs", "throughput": "costs", "power": "draws"}


def write_front_chart(document: Mapping[str, Any], path: str | Path) -> None:
    """Write :func:`front_chart` into a PNG or SVG file."""
    write_figure(front_chart(document), path)


def front_chart(document: Mapping[str, Any]) -> Figure:
    """Return the front as points, throughput over what it costs or draws."""
    from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415 - slow to load

    figure = new_figure(8)
    axes = figure.add_subplot()
    power = document["asked"]["rank"] == "power"
    key, label, scale = ("watts", "kW", 1e3) if power else ("total_usd", "thousand USD", 1e3)
    front = sorted(document["front"], key=lambda one: float(one[key]))
    x, y = [one[key] / scale for one in front], [one["gbps_per_host"] for one in front]
    axes.step(x, y, where="post", color="grey", linewidth=1, zorder=1)
    families = [one["topology"].partition(":")[0] for one in front]
    for i, family in enumerate(dict.fromkeys(families)):
        points = [
            place for place, name in zip(zip(x, y, strict=True), families, strict=True) if name == family
        ]
        axes.plot(
            *zip(*points, strict=True),
            _MARKERS[i % len(_MARKERS)],
            color=COLOURS[i % len(COLOURS)],
            label=family,
        )
    for i, one in enumerate(front):
        # Above and below in turn, so that neighbours do not meet.
        up = i % 2 == 0
        axes.annotate(
            f"{one['planes']}x{one['link_gbps']:g}G{'*' if one['variant'] == 'heterogeneous' else ''}",
            (x[i], y[i]),
            textcoords="offset points",
            xytext=(-3, 6) if up else (3, -6),
            ha="right" if up else "left",
            va="bottom" if up else "top",
            fontsize="x-small",
        )
    different = any(one["variant"] == "heterogeneous" for one in front)
    title = f"planes x speed of links{', * planes differ' if different else ''}"
    axes.legend(frameon=False, fontsize="small", title=title, title_fontsize="small")
    axes.axhline(document["asked"]["min_gbps_per_host"], color="grey", linestyle=":", linewidth=1)
    axes.set(
        xlabel=label, ylabel=f"Gb/s per host, {document['asked']['traffic']}", xscale="log", yscale="log"
    )
    axes.margins(0.08)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(lambda value, _: f"{value:,g}")
        axis.set_minor_formatter(NullFormatter())
    axes.set_title(f"at least {document['asked']['hosts']:,} hosts", fontsize="medium")
    return figure
