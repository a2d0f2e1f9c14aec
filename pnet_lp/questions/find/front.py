"""The front of a search for networks: what is said of it, its chart, and how a notebook shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from pnet_lp.errors import printable
from pnet_lp.failures import DRAWN, Portion, in_words, is_count, plural
from pnet_lp.plot import COLOURS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MARKERS = "osD^vPX*"

_COSTS = {"cost": "costs", "throughput": "costs", "power": "draws"}


_PARTS = dict(zip(DRAWN, ("cable", "switch", "port", "NIC"), strict=True))


def _down(portion: Portion, name: str) -> str:
    return in_words(portion, name) if is_count(portion) else f"{in_words(portion, name)} of {plural(name)}"


def find_lines(document: Mapping[str, Any]) -> list[str]:
    """Return what the table is, how the other candidates were ruled out, and what to know of the prices."""
    settings = document["asked"]
    failing = ""
    if down := [_down(settings[key], name) for key, name in _PARTS.items() if settings[key]]:
        sure = 100 * settings["confidence"]
        failing = f" in {sure:g} % of {settings['trials']} draws with {' and '.join(down)} down"
    least = settings["min_gbps_per_host"]
    close = any(one["gbps_per_host"] < least for one in document["front"])
    within = f" (to within {100 * settings['tolerance']:g} %)" if close else ""
    count = len(document["front"])
    these = "these carry"
    if count == settings["best"]:
        these = "this is the best that carries" if count == 1 else f"these are the {count:,} best that carry"
    gain = f"{100 * settings['min_gain']:g} % more" if settings["min_gain"] else "more"
    lines = [
        f"{document['candidates']:,} candidates; {these} at least {least:g} Gb/s per host{within} of "
        f"{settings['traffic']}{failing}, and {gain} than any that {_COSTS[settings['rank']]} no more",
        *([] if failing else [_certified(document["front"], settings["tolerance"])]),
        "ruled out:",
        *(f"  {count:,}: {why}" for why, count in document["ruled_out"].items()),
    ]
    lines += [f"left out, since it does not fit: {one['command']} ({one['why']})" for one in document["left_out"]]
    if document["stopped"]:
        lines.append(f"{document['stopped']}: the front is that of the candidates that were examined before")
    if more := document["candidates_between"]:
        lines.append(f"sizes: a few of each family, far apart; fine sizes add {more:,} candidates between these")
    if document["example_prices"]:
        lines.append("prices: some are examples, rounded orders of magnitude; give yours with --prices")
    return lines


def _certified(front: Sequence[Mapping[str, Any]], tolerance: float) -> str:
    """Return how closely the figures of the front are known."""
    gap = max(tolerance, *(1 - one["gbps_per_host"] / one["upper_bound_gbps_per_host"] for one in front))
    return f"Gb/s per host: attained, and proved to be within {100 * gap:.2g} % of the maximum of each network"


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
        points = [place for place, name in zip(zip(x, y, strict=True), families, strict=True) if name == family]
        axes.plot(
            *zip(*points, strict=True),
            _MARKERS[(i + i // len(COLOURS)) % len(_MARKERS)],
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
    axes.set(xlabel=label, ylabel=f"Gb/s per host, {document['asked']['traffic']}", xscale="log", yscale="log")
    axes.margins(0.08)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(lambda value, _: f"{value:,g}")
        axis.set_minor_formatter(NullFormatter())
    axes.set_title(f"at least {document['asked']['hosts']:,} hosts", fontsize="medium")
    return figure


def front_html(document: Mapping[str, Any]) -> str:
    """Return the front as an HTML table, and how the other candidates were ruled out."""
    columns = {
        "command": "network",
        "gbps_per_host": "Gb/s per host",
        "total_usd": "USD",
        "usd_per_host": "USD per host",
        "watts": "watts",
        "switches": "switches",
    }
    head = "".join(f"<th scope='col'>{name}</th>" for name in columns.values())
    rows = "".join(f"<tr>{''.join(_cell(one[key]) for key in columns)}</tr>" for one in document["front"])
    said = "<br>".join(escape(printable(line)) for line in find_lines(document))
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table><p>{said}</p></div>"


def _cell(value: object) -> str:
    if isinstance(value, str):
        return f"<td style='text-align:left'><code>{escape(printable(value))}</code></td>"
    return f"<td style='text-align:right'>{value:,.6g}</td>"
