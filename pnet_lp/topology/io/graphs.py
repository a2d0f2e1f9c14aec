"""What the formats that networkx parses have in common."""

from __future__ import annotations

from typing import Any

import networkx as nx

from pnet_lp.errors import TopologyError
from pnet_lp.model import Plane

PARSER_FAULTS = (
    nx.NetworkXException,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    StopIteration,
    SyntaxError,
    TypeError,
    ValueError,
)
"""What networkx's parsers raise on broken files, of which only the first is documented."""

_SPEEDS = ("capacity", "bandwidth")


def plane_of(graph: nx.Graph[Any], where: str, link_gbps: float) -> Plane:
    """Return the plane of a graph read from a file.

    The speed of an edge is its attribute ``capacity_gbps``; in a file without that, ``capacity`` or ``bandwidth``, in
    Gb/s like every number of ours, if only one of them occurs.
    """
    names = {name for *_, data in graph.edges(data=True) for name in data}
    capacity = "capacity_gbps"
    if capacity not in names:
        others = [name for name in _SPEEDS if name in names]
        if len(others) > 1:
            raise TopologyError(
                f"edges have both {' and '.join(others)}",
                where=where,
                allowed="capacity_gbps, or one of the two",
            )
        capacity = others[0] if others else capacity
    return Plane.from_networkx(graph, link_gbps=link_gbps, capacity=capacity, label=where)


def graph_of(plane: Plane) -> nx.MultiGraph[str]:
    """Return the graph to write; the label stays out, as a file's plane is named after the file."""
    graph = plane.to_networkx()
    graph.graph.clear()
    return graph
