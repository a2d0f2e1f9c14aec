"""Speed-ups of the hybrid network to read, and as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pnet_lp.questions.speed_up.answer import SpeedUpAnswer
from pnet_lp.tables import Document, Report, from_rows, lines, table_of, write_table

_BYTES = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def write_circuits(answers: SpeedUpAnswer | Sequence[SpeedUpAnswer], path: Path) -> None:
    """Write the circuits of one workload or of several, a row for each pair of racks that has some."""
    rows = [
        {"traffic": found.traffic.label, "u": u, "v": v, "circuits": count}
        for found in [one.found for one in ([answers] if isinstance(answers, SpeedUpAnswer) else answers)]
        for (u, v), count in Counter(zip(found.circuits.u.tolist(), found.circuits.v.tolist(), strict=True)).items()
    ]
    write_table(from_rows(rows), path)


_NETWORKS = (
    "{scenario[racks]} racks, {scenario[servers]:,} servers: 1:{scenario[oversubscription]:g} fat tree"
    "[[scenario[uplink_gbps]? by {scenario[uplink_gbps]:g} Gb/s a rack]], or {scenario[links]} circuits a rack"
)
_PRICES = (
    "price of the whole: hybrid {hybrid_musd:.3f}, tree {tree_musd:.3f} million USD "
    "({compared[excess]:+.1f %}; {prices})"
)
_PUBLISHED = "[[faster?published for whole programs, computing included: up to {faster:.0f %} faster]]"
_BOUNDS = "[[bounds?bounds that have not met: {bounds}]]"


def report(document: Document) -> Report:
    """Return the speed-ups to read."""
    compared, published, volume = document["compared"], document["published_at_most"], document["volume_bytes"]
    known = {
        **document,
        "hybrid_musd": compared["hybrid_usd"] / 1e6,
        "tree_musd": compared["tree_usd"] / 1e6,
        "faster": published and published - 1,
        "bounds": ", ".join(row["traffic"] for row in document["workloads"] if row["status"] == "bounds"),
    }
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
    return [*lines(known, _NETWORKS), "", table, "", *lines(known, _PRICES, _PUBLISHED, _BOUNDS)]


def _bytes(count: float | None) -> str:
    if count is None:
        return "never"
    size, unit = next((pair for pair in _BYTES if count >= pair[0]), (1.0, "B"))
    return f"{count / size:.3g} {unit}"


series_report = report
