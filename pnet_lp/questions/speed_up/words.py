"""Speed-ups of the hybrid network to read, and as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pnet_lp.optical import Speedup
from pnet_lp.questions.speed_up.answer import SpeedUpAnswer
from pnet_lp.tables import Columns, from_rows, table_of, write_table

if TYPE_CHECKING:
    from rich.console import RenderableType

_BYTES = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def table(answer: SpeedUpAnswer) -> Columns:
    """Return the workload as a table of one row."""
    return from_rows([answer.row])


def series_table(_: Sequence[Mapping[str, Any]], answers: Sequence[SpeedUpAnswer]) -> Columns:
    """Return a row per workload."""
    return from_rows([one.row for one in answers])


def write_circuits(answers: SpeedUpAnswer | Sequence[SpeedUpAnswer], path: Path) -> None:
    """Write the circuits of one workload or of several."""
    found = [answers] if isinstance(answers, SpeedUpAnswer) else answers
    write_table(circuit_columns([one.found for one in found]), path)


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


def report(document: Mapping[str, Any]) -> list[RenderableType]:
    """Return the speed-ups to read."""
    scenario, compared = document["scenario"], document["compared"]
    uplink = scenario["uplink_gbps"]
    tree = f"1:{scenario['oversubscription']:g} fat tree" + (f" by {uplink:g} Gb/s a rack" if uplink else "")
    volume = document["volume_bytes"]
    last = [] if volume is None else [f"speed-up at {_bytes(volume)}"]
    rows = (
        (
            row["traffic"],
            *(f"{row[key]:.4g}" for key in ("tree_gbps", "circuits_gbps", "limit_gbps")),
            f"{row['mean_hops']:.3f}",
            f"{row['speedup']:.3f}",
            _bytes(row["break_even_bytes"]),
            *([] if volume is None else [f"{row['speedup_at_volume']:.3f}"]),
        )
        for row in document["workloads"]
    )
    names = ("traffic", "tree Gb/s", "circuits Gb/s", "at most", "hops", "speed-up", "pays from", *last)
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
        table_of(names, rows, texts=("traffic",)),
        "",
        *lines,
    ]


def _bytes(count: float | None) -> str:
    if count is None:
        return "never"
    size, unit = next((pair for pair in _BYTES if count >= pair[0]), (1.0, "B"))
    return f"{count / size:.3g} {unit}"


series_report = report
