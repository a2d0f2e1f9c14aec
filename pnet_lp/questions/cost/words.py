"""Costs to read, and as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.questions.cost.answer import CostAnswer, compare, curve
from pnet_lp.questions.cost.chart import write_capacity_chart, write_curve_chart
from pnet_lp.tables import Columns, from_rows, table_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    Points = Sequence[Mapping[str, Any]]
    Answers = Sequence[CostAnswer]

_COMPARED = (
    "architecture", "hosts", "tiers", "switch_hops", "chips", "boxes", "links", "optical_ports", "transceivers",
    "total_usd", "watts",
)  # fmt: skip


_PER = {"gbps_throughput": "carried", "gbps_bisection": "of bisection"}


def table(answer: CostAnswer) -> Columns:
    """Return a row per part."""
    document = answer.to_json()
    return from_rows([{"architecture": document["architecture"], **part} for part in document["parts"]])


def compare_table(points: Points, answers: Answers) -> Columns:
    """Return a row per architecture."""
    return from_rows([_flat(item) for item in compare(points, answers)["architectures"]])


def curve_table(points: Points, answers: Answers) -> Columns:
    """Return a row per architecture and beta."""
    return from_rows(
        [
            {"architecture": one["architecture"], **point}
            for one in curve(points, answers)["architectures"]
            for point in one["points"]
        ]
    )


def write_compare_plot(points: Points, answers: Answers, _: str, path: Path) -> None:
    """Draw capacity against price."""
    write_capacity_chart(compare(points, answers), path)


def write_curve_plot(points: Points, answers: Answers, _: str, path: Path) -> None:
    """Draw price, and capacity against it."""
    write_curve_chart(curve(points, answers), path)


def report(document: Mapping[str, Any]) -> list[RenderableType]:
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
        "",
        _parts_table(document),
        "",
        *_ratios(document),
        *_notes([document]),
    ]


def compare_report(document: Mapping[str, Any]) -> list[RenderableType]:
    """Return several architectures side by side: what they are made of, and what they carry for that."""
    documents = document["architectures"]
    solved = any(item["throughput"] for item in documents)
    sizes = [
        (
            item["architecture"],
            _number(item["hosts"]),
            str(item["tiers"]),
            "?" if item["switch_hops"] is None else str(item["switch_hops"]),
            *(_number(item[key]) for key in ("chips", "boxes", "links")),
            f"{item['total_usd'] / 1e6:,.3f}",
            f"{item['watts'] / 1e3:,.1f}",
        )
        for item in documents
    ]
    ratios = [
        (
            item["architecture"],
            _money(per["host"]),
            _rate(item["bisection"]["gbps"]) if item["bisection"] else "-",
            _money(per["gbps_bisection"]),
            *([_rate(found["total_gbps"]), _money(per["gbps_throughput"])] if found else []),
        )
        for item in documents
        for per, found in [(item["usd_per"], item["throughput"])]
    ]
    first = "architecture"
    names = (first, "hosts", "tiers", "hops", "chips", "boxes", "links", "M USD", "kW")
    carried = ("Gb/s carried", "USD/Gb/s carried") if solved else ()
    per_unit = (first, "USD/host", "Gb/s bisection", "USD/Gb/s bisection", *carried)
    made, worth = table_of(names, sizes, texts=(first,)), table_of(per_unit, ratios, texts=(first,))
    return [made, "", worth, "", *_cheapest(document), *_notes(documents)]


def curve_report(document: Mapping[str, Any]) -> list[RenderableType]:
    """Return prices by beta: a column for each architecture, in millions of USD."""
    curves = document["architectures"]
    table = table_of(
        ("beta", *(one["architecture"] for one in curves)),
        (
            (f"{points[0]['beta']:g}", *(f"{point['total_usd'] / 1e6:,.3f}" for point in points))
            for points in zip(*(one["points"] for one in curves), strict=True)
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


def _flat(document: Mapping[str, Any]) -> dict[str, object]:
    bisection, throughput = document["bisection"], document["throughput"]
    ratios = {
        f"{unit}_per_{name}": document[f"{unit}_per"][name]
        for unit in ("usd", "watts")
        for name in document["usd_per"]
    }
    return {
        **{key: document[key] for key in _COMPARED},
        "bisection_gbps": bisection["gbps"] if bisection else None,
        "throughput_gbps": throughput["total_gbps"] if throughput else None,
        **ratios,
    }


def _parts_table(document: Mapping[str, Any]) -> Table:
    rows = [
        (
            part["part"],
            _number(part["count"]),
            _money(part["unit_usd"]),
            _money(part["usd"]),
            _number(part["watts"]),
            ", ".join(filter(None, (part["source"], part["date"]))),
        )
        for part in document["parts"]
    ]
    total = ("total", "", "", _money(document["total_usd"]), _number(document["watts"]), "")
    names = ("part", "count", "USD each", "USD", "W", "price from")
    return table_of(names, [*rows, total], texts=("part", "price from"))


def _ratios(document: Mapping[str, Any]) -> list[str]:
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


def _notes(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return which numbers are examples, as sentences."""
    parts = [part for document in documents for part in document["parts"]]
    lines = []
    for key, what, fix in (("example", "prices", "--prices"), ("watts_example", "powers", "--power")):
        names = list(dict.fromkeys(part["part"] for part in parts if part[key]))
        if names:
            lines.append(f"example {what}, to be replaced by {fix}: {', '.join(names)}")
    return lines


def _cheapest(document: Mapping[str, Any]) -> list[str]:
    """Return which architecture is the cheapest, and where that rests on bisections that are not proved."""
    documents, per = document["architectures"], document["cheapest_per"]
    if document["cheapest"] is None:
        return []
    lines = [f"cheapest per Gb/s {_PER[per]}: {document['cheapest']}"]
    found = [
        item for item in documents if item["bisection"] and item["bisection"]["basis"] == "best cut found"
    ]
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
