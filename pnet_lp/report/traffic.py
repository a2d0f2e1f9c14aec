"""What a traffic matrix demands, as a document and as lines to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.tables import fact_grid
from pnet_lp.throughput.problems import lost_demands
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
        gone = lost_demands(network, matrix)
        document["without_path"] = {"demands": int(gone.sum()), "total": float(matrix.demand[gone].sum())}
    return document


def traffic_report(document: Mapping[str, Any]) -> Table:
    """Return a matrix, given as its document, as lines to read."""
    grid = fact_grid()
    grid.add_row("traffic", document["label"])
    grid.add_row(
        "demands",
        f"{document['demands']:,} between {document['endpoints']:,} {document['level']}s, "
        f"{document['total']:,g} in total",
    )
    for name, key in (("each", "demand"), ("sent", "sent"), ("received", "received")):
        if found := document[key]:
            unit = "" if key == "demand" else f" by a {document['level']}"
            grid.add_row(name, f"{found['min']:.6g} to {found['max']:.6g}{unit} (mean {found['mean']:.6g})")
    for item in document["largest"]:
        grid.add_row("", f"{item['src']} -> {item['dst']}: {item['demand']:.6g}")
    if hidden := document["demands"] - len(document["largest"]):
        grid.add_row("", f"and {hidden:,} more, none larger")
    if lost := document["without_path"]:
        grid.add_row("without path", f"{lost['demands']:,} demands, {lost['total']:,g} in total")
    for warning in document["warnings"]:
        grid.add_row("warning", warning)
    return grid


def _range(values: npt.NDArray[Any]) -> dict[str, float] | None:
    if values.size == 0:
        return None
    return {"min": float(values.min()), "mean": float(values.mean()), "max": float(values.max())}
