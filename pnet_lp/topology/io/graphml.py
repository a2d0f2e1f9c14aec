"""GraphML, parsed and written by networkx; attributes as in :mod:`pnet_lp.model.graphs`."""

from __future__ import annotations

import warnings
from xml.parsers import expat

from pnet_lp.errors import TopologyError
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS
from pnet_lp.topology.io.graphs import graph_of, labelled, parser_faults
from pnet_lp.units import misread


class _Check:
    """A pass over the elements for faults that networkx would pass over in silence."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._graphs = 0
        self._text: list[str] = []
        self._directed = False
        self._nodes: set[str] = set()
        self._edges: set[tuple[str, str, str]] = set()
        self._ends: list[tuple[str, str]] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._element
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text.append

    def run(self, text: str) -> None:
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            raise TopologyError(
                f"not XML: {expat.ErrorString(error.code)}", where=f"{self._where}:{error.lineno}"
            ) from None
        for end, place in self._ends:
            if end not in self._nodes:
                raise TopologyError(f"an edge ends at {end!r}, which is not a node", where=place)

    def _fail(self, problem: str) -> None:
        raise TopologyError(problem, where=self._place)

    @property
    def _place(self) -> str:
        return f"{self._where}:{self._parser.CurrentLineNumber}"

    def _doctype(self, *_: object) -> None:
        self._fail("GraphML has no document type declaration")

    def _end(self, name: str) -> None:
        text = "".join(self._text)
        # A text may look like a number, and is refused only where a number is read out of it that is not there.
        if name.rpartition(" ")[2] in {"data", "default"} and misread(text):
            raise TopologyError("not a decimal number", where=self._place, found=text.strip())

    def _element(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(" ")[2]
        self._text.clear()
        if tag == "graph":
            self._graphs += 1
            self._directed = attributes.get("edgedefault") == "directed"
            if self._graphs > 1:
                self._fail("the file holds several graphs")
        elif tag == "node":
            node = attributes.get("id", "")
            if node in self._nodes:
                self._fail(f"the id {node!r} is used by two nodes")
            self._nodes.add(node)
        elif tag == "edge":
            u, v = attributes.get("source", ""), attributes.get("target", "")
            self._ends += [(u, self._place), (v, self._place)]
            if "id" in attributes:
                key = attributes["id"]
                edge = (u, v, key) if self._directed or u < v else (v, u, key)
                if edge in self._edges:
                    self._fail(f"the id {key!r} is used by two edges between {u!r} and {v!r}")
                self._edges.add(edge)


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    import networkx as nx  # noqa: PLC0415 - slow to load

    _Check(where).run(text)
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
    return Plane.from_networkx(labelled(graph, where), link_gbps=link_gbps, label=where)


def _render(plane: Plane) -> str:
    import networkx as nx  # noqa: PLC0415 - slow to load

    return "\n".join(nx.generate_graphml(graph_of(plane))) + "\n"


NETWORK_FORMATS.add_text("graphml", (".graphml", ".xml"), "GraphML of networkx", _parse, _render, begins="<", order=1)
