"""What a traffic matrix demands, as a document and as lines to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.connected import connected
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.tables import WARNINGS, facts
from pnet_lp.traffic import RackTraffic

if TYPE_CHECKING:
    from rich.table import Table

_SHOWN_DEMANDS = 5


def traffic_document(
    network: Network, matrix: TrafficMatrix, aggregated: RackTraffic | None = None, *, failing: bool = False
) -> dict[str, Any]:
    """Return the document of ``pnet-lp traffic --json``.

    Args:
        network: the network the matrix is for.
        matrix: the demands.
        aggregated: what they were added up to, where they are those between racks.
        failing: whether to say what failures leave without a path.
    """
    names = network.endpoint_names(matrix.level)
    largest = np.argsort(-matrix.demand, kind="stable")[:_SHOWN_DEMANDS].tolist()
    document = {
        **summarise_traffic(matrix),
        "level": matrix.level,
        "endpoints": matrix.endpoints,
        "demand": _range(matrix.demand),
        "sent": _range(np.bincount(matrix.src, matrix.demand, matrix.endpoints)),
        "received": _range(np.bincount(matrix.dst, matrix.demand, matrix.endpoints)),
        "largest": [
            {"src": names[matrix.src[j]], "dst": names[matrix.dst[j]], "demand": float(matrix.demand[j])}
            for j in largest
        ],
        "inside_racks": None,
        "without_path": None,
        "network": summarise_network(network),
        "warnings": [],
    }
    if aggregated:
        document["inside_racks"] = {"demands": aggregated.inside_count, "total": aggregated.inside}
        if aggregated.inside_count:
            lost = f"{aggregated.inside_count:,} demands, {aggregated.inside:,g} in total"
            document["warnings"] = [f"{lost}, are inside a rack and are left out"]
    if failing:
        left = connected(network, matrix)
        document["without_path"] = {"demands": left.lost_demands, "total": left.lost_total}
    return document


def traffic_report(document: Mapping[str, Any]) -> Table:
    """Return a matrix, given as its document, as lines to read."""
    hidden = document["demands"] - len(document["largest"])
    spread = "[[{key}?{{{key}[min]:.4g}} to {{{key}[max]:.4g}}{of} (mean {{{key}[mean]:.4g}})]]"
    return facts(
        document,
        ("traffic", "{label}"),
        ("demands", "{demands:,} between {endpoints:,} {level}s, {total:,g} in total"),
        ("each", spread.format(key="demand", of="")),
        *((key, spread.format(key=key, of=" by a {level}")) for key in ("sent", "received")),
        ("", [f"{item['src']} -> {item['dst']}: {item['demand']:.4g}" for item in document["largest"]]),
        ("", [f"and {hidden:,} more, none larger"] if hidden else []),
        ("without path", "[[without_path?{without_path[demands]:,} demands, {without_path[total]:,g} in total]]"),
        WARNINGS,
    )


def _range(values: npt.NDArray[Any]) -> dict[str, float] | None:
    if values.size == 0:
        return None
    return {"min": float(values.min()), "mean": float(values.mean()), "max": float(values.max())}
