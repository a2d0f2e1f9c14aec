"""What the formats that networkx parses have in common."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import scaled, unique_names
from pnet_lp.model import Plane

if TYPE_CHECKING:
    import networkx as nx

_SPEEDS = ("capacity", "bandwidth")
_RAW = "LinkSpeedRaw"


def parser_faults() -> tuple[type[Exception], ...]:
    """Return what networkx's parsers raise on broken files, of which only the first is documented."""
    import networkx as nx  # noqa: PLC0415 - slow to load

    return (
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


def plane_of(graph: nx.Graph[Any], where: str, link_gbps: float) -> Plane:
    """Return the plane of a graph read from a file.

    The speed of an edge is its attribute ``capacity_gbps``; in a file without that, ``capacity`` or ``bandwidth``, in
    Gb/s like every number of ours, if only one of them occurs; in a file without these, ``LinkSpeedRaw`` of the
    Internet Topology Zoo, in bit/s.
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
        if others:
            capacity = others[0]
        elif _RAW in names:
            _set_speeds(graph, where)
    return Plane.from_networkx(graph, link_gbps=link_gbps, capacity=capacity, label=where)


def labelled(graph: nx.Graph[Any], where: str) -> nx.Graph[Any]:
    """Return the graph with nodes called by their ``label``, if all have one.

    Labels are for people: where several nodes share one, as in the Internet Topology Zoo, it is followed by ``#`` and
    the node's id.
    """
    labels = {node: data.pop("label") for node, data in graph.nodes(data=True) if "label" in data}
    if len(labels) < len(graph):
        return graph
    for node, label in labels.items():
        if not isinstance(label, str | int | float) and label is not None:
            raise TopologyError(f"the label of node {node!r} is no text", where=where, found=label)
    import networkx as nx  # noqa: PLC0415 - slow to load

    names = unique_names({node: str(label) for node, label in labels.items()})
    if len(set(names.values())) < len(names):
        raise TopologyError(
            "labels and ids of nodes are mixed up", where=where, allowed="a label for each node"
        )
    # In one step to new nodes: a label may be the id of another node.
    return nx.relabel_nodes(graph, names, copy=True)


def graph_of(plane: Plane) -> nx.MultiGraph[str]:
    """Return the graph to write; the label stays out, as a file's plane is named after the file."""
    graph = plane.to_networkx()
    graph.graph.clear()
    return graph


def _set_speeds(graph: nx.Graph[Any], where: str) -> None:
    for u, v, data in graph.edges(data=True):
        if _RAW in data:
            data["capacity_gbps"] = scaled(str(data[_RAW]), 9)
            if not 0 <= data["capacity_gbps"] < math.inf:
                raise TopologyError(
                    f"{_RAW} of {u!r} - {v!r} is no speed",
                    where=where,
                    found=data[_RAW],
                    allowed="finite bit/s >= 0",
                )
