"""Costs to read, and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pnet_lp.questions.cost.answer import CostAnswer
from pnet_lp.questions.cost.chart import (
    write_compare_plot,  # noqa: F401 - looked up by name
    write_curve_plot,  # noqa: F401 - looked up by name
)
from pnet_lp.tables import Cell, Columns, Document, Report, from_rows, table_of

if TYPE_CHECKING:
    from rich.table import Table

_COMPARED = (
    "architecture", "hosts", "tiers", "switch_hops", "chips", "boxes", "links", "optical_ports", "transceivers",
    "total_usd", "watts",
)  # fmt: skip


_PER = {"gbps_throughput": "carried", "gbps_bisection": "of bisection"}


def table(answer: CostAnswer) -> Columns:
    """Return a row per part."""
    document = answer.to_json()
    return from_rows([{"architecture": document["architecture"], **part} for part in document["parts"]])


def compare_table(document: Document, _: Sequence[CostAnswer]) -> Columns:
    """Return a row per architecture."""
    return from_rows([_flat(item) for item in document["architectures"]])


def curve_table(document: Document, _: Sequence[CostAnswer]) -> Columns:
    """Return a row per architecture and beta."""
    return from_rows(
        [{"architecture": one["architecture"], **point} for one in document["architectures"] for point in one["points"]]
    )


def report(document: Document) -> Report:
    """Return one architecture to read: sizes, parts, and what a host and a Gb/s cost."""
    tiers, hops = document["tiers"], document["switch_hops"]
    optical = f", {_number(document['optical_ports'])} optical ports" if document["optical_ports"] else ""
    sizes = (
        f"{_number(document['hosts'])} hosts, {_number(document['chips'])} chips in "
        f"{_number(document['boxes'])} boxes, {tiers} tier{'' if tiers == 1 else 's'}, "
        f"{'' if hops is None else f'{hops} switch hops, '}{_number(document['links'])} links{optical}"
    )
    ports = document["ports"]
    return [
        document["architecture"],
        sizes,
        f"{_number(ports['used'])} of {_number(ports['total'])} chip ports used",
        *_of_hosts(document),
        "",
        _parts_table(document),
        "",
        *_ratios(document),
        *_notes([document]),
    ]


def _of_hosts(document: Document) -> list[str]:
    """Return what is counted of hosts, and what is not, where that is to be said."""
    if (said := document.get("of_hosts")) is None:
        return []
    parts = {"network cards (--nics)": said["nics"], "scale-up networks (--scale-up)": said["scale_up"]}
    counted, left = ([name for name, on in parts.items() if on is which] for which in (True, False))
    lists = [f"{word}: {', '.join(names)}" for word, names in (("counted", counted), ("not counted", left)) if names]
    return [f"{'; '.join(lists)}; cables to hosts: {said['access']} (--access)"]


def compare_report(document: Document) -> Report:
    """Return several architectures side by side: what they are made of, and what they carry for that."""
    documents = document["architectures"]
    first = "architecture"
    made = table_of(
        documents,
        (first, "{architecture}"),
        ("hosts", lambda item: _number(item["hosts"])),
        ("tiers", "{tiers}"),
        ("hops", lambda item: "?" if item["switch_hops"] is None else str(item["switch_hops"])),
        ("chips", lambda item: _number(item["chips"])),
        ("boxes", lambda item: _number(item["boxes"])),
        ("links", lambda item: _number(item["links"])),
        ("M USD", lambda item: f"{item['total_usd'] / 1e6:,.3f}"),
        ("kW", lambda item: f"{item['watts'] / 1e3:,.1f}"),
        texts=(first,),
    )
    carried: list[tuple[str, Cell]] = [
        ("Gb/s carried", lambda item: _rate(item["throughput"]["total_gbps"]) if item["throughput"] else ""),
        ("USD/Gb/s carried", lambda item: _money(item["usd_per"]["gbps_throughput"]) if item["throughput"] else ""),
    ]
    worth = table_of(
        documents,
        (first, "{architecture}"),
        ("USD/host", lambda item: _money(item["usd_per"]["host"])),
        ("Gb/s bisection", lambda item: _rate(item["bisection"]["gbps"]) if item["bisection"] else "-"),
        ("USD/Gb/s bisection", lambda item: _money(item["usd_per"]["gbps_bisection"])),
        *(carried if any(item["throughput"] for item in documents) else ()),
        texts=(first,),
    )
    return [made, "", worth, "", *_cheapest(document), *_notes(documents)]


def curve_report(document: Document) -> Report:
    """Return prices by beta: a column for each architecture, in millions of USD."""
    curves = document["architectures"]
    table = table_of(
        zip(*(one["points"] for one in curves), strict=True),
        ("beta", lambda points: f"{points[0]['beta']:g}"),
        *(
            (one["architecture"], lambda points, i=i: f"{points[i]['total_usd'] / 1e6:,.3f}")
            for i, one in enumerate(curves)
        ),
        title="million USD",
        title_justify="left",
    )
    lines = [
        f"beta {claim['beta']:g}: published {claim['published_percent']:g} % cheaper than the fat tree "
        f"({claim['source']}), here {claim['percent']:.1f} %"
        for claim in document["published"]
    ]
    return [table, "", *lines, f"prices: {document['prices']}"]


def _flat(document: Document) -> dict[str, object]:
    bisection, throughput = document["bisection"], document["throughput"]
    ratios = {
        f"{unit}_per_{name}": document[f"{unit}_per"][name] for unit in ("usd", "watts") for name in document["usd_per"]
    }
    return {
        **{key: document[key] for key in _COMPARED},
        "bisection_gbps": bisection["gbps"] if bisection else None,
        "throughput_gbps": throughput["total_gbps"] if throughput else None,
        **ratios,
    }


def _parts_table(document: Document) -> Table:
    total = {"part": "total", "usd": document["total_usd"], "watts": document["watts"]}
    return table_of(
        [*document["parts"], total],
        ("part", "{part}"),
        ("count", lambda part: _number(part["count"]) if "count" in part else ""),
        ("USD each", lambda part: _money(part["unit_usd"]) if "unit_usd" in part else ""),
        ("USD", lambda part: _money(part["usd"])),
        ("W", lambda part: _number(part["watts"])),
        ("price from", lambda part: ", ".join(filter(None, (part.get("source"), part.get("date"))))),
        texts=("part", "price from"),
    )


def _ratios(document: Document) -> list[str]:
    bisection, throughput = document["bisection"], document["throughput"]
    of: dict[str, str] = {"host": "host"}
    if bisection:
        of["gbps_bisection"] = f"Gb/s of bisection ({_rate(bisection['gbps'])} Gb/s, {bisection['basis']})"
    if throughput:
        carried = f"{_rate(throughput['total_gbps'])} Gb/s of {throughput['traffic']}"
        of["gbps_throughput"] = f"Gb/s carried ({carried}, {throughput['status']})"
    return [
        f"{_money(document['usd_per'][key])} USD and {document['watts_per'][key]:.4g} W per {what}"
        for key, what in of.items()
        if document["usd_per"][key] is not None
    ]


def _notes(documents: Sequence[Document]) -> list[str]:
    """Return which numbers are examples, as sentences."""
    parts = [part for document in documents for part in document["parts"]]
    lines = []
    for key, what, fix in (("example", "prices", "--prices"), ("watts_example", "powers", "--power")):
        names = list(dict.fromkeys(part["part"] for part in parts if part[key]))
        if names:
            lines.append(f"example {what}, to be replaced by {fix}: {', '.join(names)}")
    return lines


def _cheapest(document: Document) -> list[str]:
    """Return which architecture is the cheapest, and where that rests on bisections that are not proved."""
    documents, per = document["architectures"], document["cheapest_per"]
    if document["cheapest"] is None:
        return []
    lines = [f"cheapest per Gb/s {_PER[per]}: {document['cheapest']}"]
    found = [item for item in documents if item["bisection"] and item["bisection"]["basis"] == "best cut found"]
    if found and per == "gbps_bisection":
        names = ", ".join(item["architecture"] for item in found)
        lines.append(f"the narrowest bisection found, not proved to be the narrowest: {names}")
    return lines


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _rate(gbps: float) -> str:
    return f"{gbps:,.9g}"


def _money(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value == int(value) or value >= 1000 else f"{value:,.2f}"
