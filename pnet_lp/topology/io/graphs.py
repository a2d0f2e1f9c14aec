"""What the formats that networkx parses have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import unique_names
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import left_out_loops

if TYPE_CHECKING:
    import networkx as nx


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
            raise TopologyError(f"the label of node {node!r} is not text", where=where, found=label)
    import networkx as nx  # noqa: PLC0415 - slow to load

    names = unique_names({node: str(label) for node, label in labels.items()})
    if len(set(names.values())) < len(names):
        raise TopologyError("labels and ids of nodes collide", where=where, allowed="a label for each node")
    # In one step to new nodes: a label may be the id of another node.
    return nx.relabel_nodes(graph, names, copy=True)


def read_plane(graph: nx.Graph[Any], where: str, link_gbps: float) -> Plane:
    """Return the plane of a parsed graph, without the links from a node to itself that maps of real networks have."""
    import networkx as nx  # noqa: PLC0415 - slow to load

    graph = labelled(graph, where)
    loops = [u for u, _ in nx.selfloop_edges(graph)]
    # Of a multigraph, a parallel edge goes for each time that the pair is named.
    graph.remove_edges_from([(u, u) for u in loops])
    plane = Plane.from_networkx(graph, link_gbps=link_gbps, label=where)
    return replace(plane, warnings=(*plane.warnings, *left_out_loops(map(str, loops), where)))


def graph_of(plane: Plane) -> nx.MultiGraph[str]:
    """Return the graph to write; the label stays out, as a file's plane is named after the file."""
    graph = plane.to_networkx()
    graph.graph.clear()
    return graph
