"""JSON node-link documents, as networkx writes them; attributes as in :mod:`pnet_lp.model.graphs`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import parse_json
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS
from pnet_lp.topology.io.graphs import graph_of, parser_faults

if TYPE_CHECKING:
    import networkx as nx


def read_graph(text: str, where: str) -> nx.Graph[Any]:
    """Return the graph in a node-link document, or raise TopologyError."""
    import networkx as nx  # noqa: PLC0415 - slow to load

    document = parse_json(text, where, TopologyError)
    nodes, edges = _checked(document, where)
    # Keys of parallel edges carry nothing of ours, and networkx drops edges whose keys are the same.
    edges = [{name: value for name, value in edge.items() if name != "key"} for edge in edges]
    try:
        directed = bool(document.get("directed", False))
        return nx.node_link_graph(
            {"directed": directed, "multigraph": True, "graph": {}, "nodes": nodes, "edges": edges}, edges="edges"
        )
    except parser_faults() as error:
        raise TopologyError(f"not a node-link document: {error}", where=where) from None


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    return Plane.from_networkx(read_graph(text, where), link_gbps=link_gbps, label=where)


def _checked(document: object, where: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return nodes and edges after the checks that networkx leaves out."""
    if not isinstance(document, dict):
        raise TopologyError("not a node-link document", where=where, allowed="an object with nodes and edges")
    nodes = _objects(document, "nodes", where)
    # networkx called the edges "links" before version 3.4.
    edges = _objects(document, "links" if "links" in document and "edges" not in document else "edges", where)
    known: set[str | int] = set()
    for i, node in enumerate(nodes):
        name = _name(node, "id", f"{where}: nodes[{i}]")
        if name in known:
            raise TopologyError(f"the id {name!r} is used by two nodes", where=f"{where}: nodes[{i}]")
        known.add(name)
    for i, edge in enumerate(edges):
        for end in ("source", "target"):
            name = _name(edge, end, f"{where}: edges[{i}]")
            if name not in known:
                raise TopologyError(f"{end} {name!r} is not a node", where=f"{where}: edges[{i}]")
    return nodes, edges


def _objects(document: dict[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    values = document.get(key)
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise TopologyError(f"{key!r} is missing or not a list of objects", where=where)
    return values


def _name(element: dict[str, Any], key: str, where: str) -> str | int:
    name = element.get(key)
    if not isinstance(name, str | int):
        raise TopologyError(f"{key!r} is missing or not a name", where=where, found=name, allowed="text or a number")
    return name


def _render(plane: Plane) -> str:
    import networkx as nx  # noqa: PLC0415 - slow to load

    return json.dumps(nx.node_link_data(graph_of(plane), edges="edges"), indent=1) + "\n"


NETWORK_FORMATS.add_text(
    "node-link", (".json",), "node-link JSON of networkx", _parse, _render, begins=("{", "["), order=1
)
