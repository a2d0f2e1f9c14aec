"""Speed-ups of the hybrid network as documents, tables to read and tables in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pnet_lp.cost import Book, EqualCostPair
from pnet_lp.cost.published import HYBRID_SPEEDUPS
from pnet_lp.optical import Speedup
from pnet_lp.report.tables import Columns, from_rows, text_table

if TYPE_CHECKING:
    from rich.console import RenderableType

_BYTES = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def speedup_document(
    found: Sequence[Speedup], price: EqualCostPair, prices: Book, volume_bytes: float | None
) -> dict[str, Any]:
    """Return the document of ``pnet-lp cost speedup``.

    Args:
        found: workloads on the networks of one scenario, at least one.
        price: the two networks' prices.
        prices: price book.
        volume_bytes: bytes of a whole workload for which to say the speed-up with the delay; None for no such thing.
    """
    scenario = found[0].scenario
    return {
        "scenario": {
            "oversubscription": scenario.oversubscription,
            "links": scenario.links,
            "racks": scenario.racks,
            "servers": scenario.servers,
            "link_gbps": scenario.link_gbps,
            "uplink_gbps": scenario.uplink_gbps,
        },
        "compared": {
            "oversubscription": price.oversubscription,
            "links": price.links,
            "tree_usd": price.tree_usd,
            "hybrid_usd": price.hybrid_usd,
            "excess": price.excess,
        },
        "delay_s": found[0].delay_s,
        "volume_bytes": volume_bytes,
        "workloads": [item.to_json(volume_bytes) for item in found],
        "published_at_most": HYBRID_SPEEDUPS.get((price.oversubscription, price.links)),
        "prices": prices.label,
    }


def speedup_columns(document: Mapping[str, Any]) -> Columns:
    """Return the workloads as a table, a row each."""
    return from_rows(document["workloads"])


def circuit_columns(found: Sequence[Speedup]) -> Columns:
    """Return the circuits of all workloads as a table, a row for each pair of racks that has some."""
    rows = []
    for item in found:
        pairs: dict[tuple[int, int], int] = {}
        for pair in zip(item.circuits.u.tolist(), item.circuits.v.tolist(), strict=True):
            pairs[pair] = pairs.get(pair, 0) + 1
        rows += [
            {"traffic": item.traffic.label, "u": u, "v": v, "circuits": count}
            for (u, v), count in pairs.items()
        ]
    return from_rows(rows)


def speedup_report(document: Mapping[str, Any]) -> list[RenderableType]:
    """Return the speed-ups to read."""
    scenario, compared = document["scenario"], document["compared"]
    uplink = scenario["uplink_gbps"]
    tree = f"1:{scenario['oversubscription']:g} fat tree" + (f" by {uplink:g} Gb/s a rack" if uplink else "")
    table = text_table()
    table.add_column("traffic", overflow="fold")
    volume = document["volume_bytes"]
    last = [] if volume is None else [f"speed-up at {_bytes(volume)}"]
    for name in ("tree Gb/s", "circuits Gb/s", "at most", "hops", "speed-up", "pays from", *last):
        table.add_column(name, justify="right")
    for row in document["workloads"]:
        late = [] if volume is None else [f"{row['speedup_at_volume']:.3f}"]
        table.add_row(
            row["traffic"],
            *(f"{row[key]:.4g}" for key in ("tree_gbps", "circuits_gbps", "limit_gbps")),
            f"{row['mean_hops']:.3f}",
            f"{row['speedup']:.3f}",
            _bytes(row["break_even_bytes"]),
            *late,
        )
    published = document["published_at_most"]
    lines = [
        f"price of the whole: hybrid {compared['hybrid_usd'] / 1e6:.3f}, tree {compared['tree_usd'] / 1e6:.3f} "
        f"million USD ({100 * compared['excess']:+.1f} %; {document['prices']})"
    ]
    if published is not None:
        lines.append(
            f"published for whole programs, computing included: up to {100 * (published - 1):.0f} % faster"
        )
    bounds = [row["traffic"] for row in document["workloads"] if row["status"] == "bounds"]
    if bounds:
        lines.append(f"bounds that have not met: {', '.join(bounds)}")
    return [
        f"{scenario['racks']} racks, {scenario['servers']:,} servers: {tree}, or {scenario['links']} circuits a rack",
        "",
        table,
        "",
        *lines,
    ]


def _bytes(count: float | None) -> str:
    if count is None:
        return "never"
    size, unit = next((pair for pair in _BYTES if count >= pair[0]), (1.0, "B"))
    return f"{count / size:.3g} {unit}"
