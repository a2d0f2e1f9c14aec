"""Speed-ups of the hybrid network to read, and as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pnet_lp.questions.speed_up.answer import SpeedUpAnswer
from pnet_lp.tables import Columns, Document, Report, from_rows, table_of, write_table

_BYTES = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def table(answer: SpeedUpAnswer) -> Columns:
    """Return the workload as a table of one row."""
    return from_rows([answer.row])


def series_table(_: Document, answers: Sequence[SpeedUpAnswer]) -> Columns:
    """Return a row per workload."""
    return from_rows([one.row for one in answers])


def write_circuits(answers: SpeedUpAnswer | Sequence[SpeedUpAnswer], path: Path) -> None:
    """Write the circuits of one workload or of several, a row for each pair of racks that has some."""
    rows = [
        {"traffic": found.traffic.label, "u": u, "v": v, "circuits": count}
        for found in [one.found for one in ([answers] if isinstance(answers, SpeedUpAnswer) else answers)]
        for (u, v), count in Counter(zip(found.circuits.u.tolist(), found.circuits.v.tolist(), strict=True)).items()
    ]
    write_table(from_rows(rows), path)


def report(document: Document) -> Report:
    """Return the speed-ups to read."""
    scenario, compared = document["scenario"], document["compared"]
    uplink = scenario["uplink_gbps"]
    tree = f"1:{scenario['oversubscription']:g} fat tree" + (f" by {uplink:g} Gb/s a rack" if uplink else "")
    volume = document["volume_bytes"]
    table = table_of(
        document["workloads"],
        ("traffic", "{traffic}"),
        ("tree Gb/s", "{tree_gbps:.4g}"),
        ("circuits Gb/s", "{circuits_gbps:.4g}"),
        ("at most", "{limit_gbps:.4g}"),
        ("hops", "{mean_hops:.3f}"),
        ("speed-up", "{speedup:.3f}"),
        ("pays from", lambda row: _bytes(row["break_even_bytes"])),
        *([] if volume is None else [(f"speed-up at {_bytes(volume)}", "{speedup_at_volume:.3f}")]),
        texts=("traffic",),
    )
    published = document["published_at_most"]
    lines = [
        f"price of the whole: hybrid {compared['hybrid_usd'] / 1e6:.3f}, tree {compared['tree_usd'] / 1e6:.3f} "
        f"million USD ({100 * compared['excess']:+.1f} %; {document['prices']})"
    ]
    if published is not None:
        lines.append(f"published for whole programs, computing included: up to {100 * (published - 1):.0f} % faster")
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


series_report = report
