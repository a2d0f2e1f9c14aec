"""GraphML, parsed and written by networkx; attributes as in :mod:`pnet_lp.model.graphs`."""

from __future__ import annotations

import warnings

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import parse_xml
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS
from pnet_lp.topology.io.graphs import graph_of, parser_faults, read_plane
from pnet_lp.units import misread


def _check(text: str, where: str) -> None:
    """Raise TopologyError for faults that networkx would pass over in silence."""
    root, places = parse_xml(text, where, TopologyError)
    for element in root.iter():
        # A text may look like a number, and is refused only where a number is read out of it that is not there.
        if element.tag in {"data", "default"} and misread(found := element.text or ""):
            raise TopologyError("not a decimal number", where=places[element], found=found.strip())
    graphs = list(root.iter("graph"))
    if len(graphs) > 1:
        raise TopologyError("the file holds several graphs", where=places[graphs[1]])
    nodes: set[str] = set()
    for node in root.iter("node"):
        if (name := node.get("id", "")) in nodes:
            raise TopologyError(f"the id {name!r} is used by two nodes", where=places[node])
        nodes.add(name)
    directed = bool(graphs) and graphs[0].get("edgedefault") == "directed"
    edges: set[tuple[str, str, str]] = set()
    for edge in root.iter("edge"):
        u, v, key = edge.get("source", ""), edge.get("target", ""), edge.get("id")
        for end in (u, v):
            if end not in nodes:
                raise TopologyError(f"an edge ends at {end!r}, which is not a node", where=places[edge])
        if key is None:
            continue
        ends = (u, v, key) if directed or u < v else (v, u, key)
        if ends in edges:
            raise TopologyError(f"the id {key!r} is used by two edges between {u!r} and {v!r}", where=places[edge])
        edges.add(ends)


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    import networkx as nx  # noqa: PLC0415 - slow to load

    _check(text, where)
    try:
        with warnings.catch_warnings():
            # Attributes without a type are text, and where a number is needed Plane says so.
            warnings.simplefilter("ignore", UserWarning)
            graph = nx.parse_graphml(text, force_multigraph=True)
    except parser_faults() as error:
        raise TopologyError(f"not GraphML: {error or type(error).__name__}", where=where) from None
    for defaults, elements in (("node_default", graph.nodes(data=True)), ("edge_default", graph.edges(data=True))):
        # networkx reports the defaults of a file without applying them.
        for key, value in graph.graph.get(defaults, {}).items():
            for *_, data in elements:
                data.setdefault(key, value)
    return read_plane(graph, where, link_gbps)


def _render(plane: Plane) -> str:
    import networkx as nx  # noqa: PLC0415 - slow to load

    return "\n".join(nx.generate_graphml(graph_of(plane))) + "\n"


NETWORK_FORMATS.add_text("graphml", (".graphml", ".xml"), "GraphML of networkx", _parse, _render, begins="<", order=1)
