"""GML, parsed and written by networkx; attributes as in :mod:`pnet_lp.model.graphs`."""

from __future__ import annotations

import re

from pnet_lp.errors import TopologyError
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS
from pnet_lp.topology.io.graphs import graph_of, parser_faults, read_plane
from pnet_lp.units import misread

_GRAPH = re.compile(r"^[^\S\n]*+graph[^\S\n]*+(?:\[|$)", re.MULTILINE)
_TOKEN = re.compile(r'"[^"]*+"|[^\s\[\]"]++')
_PLACE = re.compile(r" at \(([0-9]+), [0-9]+\)$")


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    import networkx as nx  # noqa: PLC0415 - slow to load

    for token in _TOKEN.finditer(text):
        if misread(token[0]):
            line = text.count("\n", 0, token.start()) + 1
            raise TopologyError("not a decimal number", where=f"{where}:{line}", found=token[0])
    try:
        graph = nx.parse_gml(text, label="id")
    except parser_faults() as error:
        problem = str(error).partition("\n")[0]  # hints for programmers follow
        if place := _PLACE.search(problem):
            where, problem = f"{where}:{place[1]}", problem[: place.start()]
        raise TopologyError(f"not GML: {problem or type(error).__name__}", where=where) from None
    for *_, data in (*graph.nodes(data=True), *graph.edges(data=True)):
        # networkx makes an empty tuple and an empty list of the texts "()" and "[]".
        data.update({name: str(value) for name, value in data.items() if value in ((), [])})
    return read_plane(graph, where, link_gbps)


def _render(plane: Plane) -> str:
    import networkx as nx  # noqa: PLC0415 - slow to load

    return "\n".join(nx.generate_gml(graph_of(plane))) + "\n"


NETWORK_FORMATS.add_text("gml", (".gml",), "GML of networkx", _parse, _render, recognise=_GRAPH.search, order=2)
