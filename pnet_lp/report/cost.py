"""Costs as documents, tables to read and tables in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pnet_lp.cost import Book, Curve, EqualCostPair, PricedPart
from pnet_lp.cost.published import HYBRID_SAVING, HYBRID_SERVERS, HYBRID_SOURCE
from pnet_lp.report.tables import Columns, from_rows, text_table

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from pnet_lp.experiment.questions.cost import Appraisal

_COMPARED = (
    "architecture", "hosts", "tiers", "switch_hops", "chips", "boxes", "links", "optical_ports", "transceivers",
    "total_usd", "watts",
)  # fmt: skip


_PER = {"gbps_throughput": "carried", "gbps_bisection": "of bisection"}


def cost_document(appraisal: Appraisal, prices: Book, powers: Book) -> dict[str, Any]:
    """Return the document of ``pnet-lp cost ARCHITECTURE``."""
    bill, quote = appraisal.quote.bill, appraisal.quote
    bisection = appraisal.bisection
    per = {
        "host": bill.hosts or None,
        "gbps_bisection": bisection.gbps if bisection else None,
        "gbps_throughput": appraisal.throughput_gbps,
    }
    return {
        "architecture": appraisal.design.label,
        "parts": [_part(line) for line in quote.lines],
        "total_usd": quote.total_usd,
        "watts": quote.watts,
        "hosts": bill.hosts,
        "tiers": bill.tiers,
        "switch_hops": appraisal.switch_hops,
        "chips": bill.chips,
        "boxes": bill.box_count,
        "links": bill.links,
        "ports": {"total": bill.ports, "used": bill.ports_used, "free": bill.ports_free},
        "cables": {place: bill.cables_at(place) for place in ("access", "inner", "top")},
        "transceivers": bill.transceivers,
        "optical_ports": bill.optical_ports,
        "bisection": {"gbps": bisection.gbps, "basis": bisection.basis} if bisection else None,
        "throughput": _throughput(appraisal),
        "usd_per": {name: _over(quote.total_usd, amount) for name, amount in per.items()},
        "watts_per": {name: _over(quote.watts, amount) for name, amount in per.items()},
        "prices": prices.label,
        "powers": powers.label,
    }


def compare_document(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the document of ``pnet-lp cost compare``."""
    per = "gbps_throughput" if any(item["throughput"] for item in documents) else "gbps_bisection"
    # A sum says nothing of networks that carry different amounts, and one whose amount is unknown might be cheaper.
    known = all(item["usd_per"][per] is not None for item in documents)
    cheapest = min(documents, key=lambda item: float(item["usd_per"][per])) if known else None
    return {
        "architectures": list(documents),
        "cheapest": cheapest["architecture"] if cheapest else None,
        "cheapest_per": per,
    }


def curve_document(
    curves: Sequence[Curve], appraisals: Sequence[Sequence[Appraisal]], prices: Book, powers: Book
) -> dict[str, Any]:
    """Return the document of ``pnet-lp cost curve``.

    Args:
        curves: the prices.
        appraisals: of every curve, one for each point.
        prices: price book.
        powers: power book.
    """
    return {
        "architectures": [
            {
                "architecture": curve.label,
                "constant": curve.constant,
                "points": [
                    {
                        "beta": point.beta,
                        "total_usd": point.quote.total_usd,
                        "watts": point.quote.watts,
                        "bisection_gbps": found.bisection.gbps if found.bisection else None,
                        "throughput_gbps": found.throughput_gbps,
                        "status": found.result.status if found.result else None,
                    }
                    for point, found in zip(curve.points, row, strict=True)
                ],
            }
            for curve, row in zip(curves, appraisals, strict=True)
        ],
        "published": _published(curves),
        "prices": prices.label,
        "powers": powers.label,
    }


def equal_document(found: Sequence[EqualCostPair], prices: Book) -> dict[str, Any]:
    """Return the document of ``pnet-lp cost equal``."""
    rows = [
        {
            "oversubscription": item.oversubscription,
            "tree_usd": item.tree_usd,
            "optical_links": item.optical_links,
            "most_links": item.most_links,
            "links": item.links,
            "hybrid_usd": item.hybrid_usd,
            "excess": item.excess,
        }
        for item in found
    ]
    return {"cases": rows, "prices": prices.label}


def parts_columns(document: Mapping[str, Any]) -> Columns:
    """Return the parts of one or several architectures as a table, a row each."""
    documents = document.get("architectures", [document])
    return from_rows(
        [{"architecture": item["architecture"], **part} for item in documents for part in item["parts"]]
    )


def compare_columns(document: Mapping[str, Any]) -> Columns:
    """Return the architectures of a comparison as a table, a row each."""
    return from_rows([_flat(item) for item in document["architectures"]])


def curve_columns(document: Mapping[str, Any]) -> Columns:
    """Return the points of all curves as a table, a row each."""
    return from_rows(
        [
            {"architecture": curve["architecture"], **point}
            for curve in document["architectures"]
            for point in curve["points"]
        ]
    )


def equal_columns(document: Mapping[str, Any]) -> Columns:
    """Return the cases of an equal-cost question as a table, a row each."""
    return from_rows(document["cases"])


def cost_report(document: Mapping[str, Any]) -> list[RenderableType]:
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
    made = _columns("hosts", "tiers", "hops", "chips", "boxes", "links", "M USD", "kW")
    carried = ("Gb/s carried", "USD/Gb/s carried") if solved else ()
    worth = _columns("USD/host", "Gb/s bisection", "USD/Gb/s bisection", *carried)
    for item in documents:
        per, bisection, throughput = item["usd_per"], item["bisection"], item["throughput"]
        made.add_row(
            item["architecture"],
            _number(item["hosts"]),
            str(item["tiers"]),
            "?" if item["switch_hops"] is None else str(item["switch_hops"]),
            *(_number(item[key]) for key in ("chips", "boxes", "links")),
            f"{item['total_usd'] / 1e6:,.3f}",
            f"{item['watts'] / 1e3:,.1f}",
        )
        worth.add_row(
            item["architecture"],
            _money(per["host"]),
            _rate(bisection["gbps"]) if bisection else "-",
            _money(per["gbps_bisection"]),
            *([_rate(throughput["total_gbps"]), _money(per["gbps_throughput"])] if throughput else []),
        )
    return [made, "", worth, "", *_cheapest(document), *_notes(documents)]


def curve_report(document: Mapping[str, Any]) -> list[RenderableType]:
    """Return prices by beta: a column for each architecture, in millions of USD."""
    curves = document["architectures"]
    table = text_table(title="million USD", title_justify="left")
    table.add_column("beta", justify="right")
    for curve in curves:
        table.add_column(curve["architecture"], justify="right", overflow="fold")
    for points in zip(*(curve["points"] for curve in curves), strict=True):
        table.add_row(f"{points[0]['beta']:g}", *(f"{point['total_usd'] / 1e6:,.3f}" for point in points))
    lines = [
        f"beta {claim['beta']:g}: published {claim['published_percent']:g} % cheaper than the fat tree "
        f"({claim['source']}), here {claim['percent']:.1f} %"
        for claim in document["published"]
    ]
    return [table, "", *lines, f"prices: {document['prices']}"]


def equal_report(document: Mapping[str, Any]) -> list[RenderableType]:
    """Return the cases of an equal-cost question to read."""
    table = text_table()
    columns = (
        "fat tree",
        "M USD",
        "optical links/ToR for that",
        "compared: links/ToR",
        "M USD",
        "against the tree",
    )
    for name in columns:
        table.add_column(name, justify="right")
    for case in document["cases"]:
        table.add_row(
            f"1:{case['oversubscription']:g}",
            f"{case['tree_usd'] / 1e6:,.3f}",
            f"{case['optical_links']:.2f}",
            str(case["links"]),
            f"{case['hybrid_usd'] / 1e6:,.3f}",
            f"{100 * case['excess']:+.1f} %",
        )
    return [table, "", f"prices: {document['prices']}"]


def _part(line: PricedPart) -> dict[str, Any]:
    return {
        "part": line.part.name,
        "count": line.count,
        "unit_usd": line.unit_usd,
        "usd": line.usd,
        "watts": line.watts,
        "date": line.price.date,
        "source": line.price.source,
        "example": line.price.example,
        "watts_example": line.power.example,
    }


def _throughput(appraisal: Appraisal) -> dict[str, Any] | None:
    result, traffic = appraisal.result, appraisal.traffic
    if result is None or traffic is None:
        return None
    return {
        "traffic": traffic.label,
        "level": traffic.level,
        "throughput_gbps": result.throughput_gbps,
        "upper_bound_gbps": result.interval.upper,
        "total_gbps": appraisal.throughput_gbps,
        "status": result.status,
    }


def _over(amount: float, by: float | None) -> float | None:
    return amount / by if by else None


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


def _published(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    """Return the paper's claim about the hybrid network, where both it and its fat tree are drawn at beta = 1."""
    at_one = {
        curve.label.partition(":")[0]: point.quote.total_usd
        for curve in curves
        for point in curve.points
        if point.beta == 1 and point.quote.bill.hosts == HYBRID_SERVERS
    }
    if not {"hybrid", "beta-fat-tree"} <= set(at_one):
        return []
    tree = at_one["beta-fat-tree"]
    return [
        {
            "architecture": "hybrid",
            "beta": 1,
            "published_percent": 100 * HYBRID_SAVING,
            "published_usd": (1 - HYBRID_SAVING) * tree,
            "percent": 100 * (1 - at_one["hybrid"] / tree),
            "source": HYBRID_SOURCE,
        }
    ]


def _parts_table(document: Mapping[str, Any]) -> Table:
    table = text_table()
    table.add_column("part")
    for name in ("count", "USD each", "USD", "W"):
        table.add_column(name, justify="right")
    table.add_column("price from", overflow="fold")
    for part in document["parts"]:
        table.add_row(
            part["part"],
            _number(part["count"]),
            _money(part["unit_usd"]),
            _money(part["usd"]),
            _number(part["watts"]),
            ", ".join(filter(None, (part["source"], part["date"]))),
        )
    table.add_row("total", "", "", _money(document["total_usd"]), _number(document["watts"]), "")
    return table


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


def _columns(*names: str) -> Table:
    """Return an empty table of architectures with these columns."""
    table = text_table()
    table.add_column("architecture", overflow="fold")
    for name in names:
        table.add_column(name, justify="right")
    return table


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
