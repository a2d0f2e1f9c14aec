"""DOT of Graphviz; attributes as in :mod:`pnet_lp.model.graphs`.

Read is the whole grammar, with subgraphs, defaults, chains, ports and comments; labels and what else is for drawing
are not kept.  Graphviz has no reader in Python that names lines or takes less than milliseconds for an edge, so this is
one.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pnet_lp.errors import TopologyError
from pnet_lp.memory import check_fits
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS, refusal
from pnet_lp.topology.io.graphs import graph_of, read_plane
from pnet_lp.units import misread, parse_number

if TYPE_CHECKING:
    import networkx as nx

_BLANK = r"(?:\s++|//[^\n]*+|/\*.*?\*/|\#[^\n]*+)"
_FIRST = re.compile(rf"{_BLANK}*+(?:strict{_BLANK}++)?(?:di)?graph\b[^{{\[]{{0,1000}}\{{", re.DOTALL | re.IGNORECASE)
_TOKEN = re.compile(
    rf"(?P<blank>{_BLANK}++)"
    r'|(?P<quoted>"(?:[^"\\]|\\.)*+")'
    r"|(?P<sign>->|--|[\[\]{};,:=+])"
    r"|(?P<word>-?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)|[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*+)",
    re.DOTALL,
)
_KEYWORDS = ("strict", "graph", "digraph", "node", "edge", "subgraph")
_TEXTS = ("kind", "tail")
"""Attributes that stay text, whatever they look like."""
_NUMBERS = re.compile("capacity.*|bandwidth|LinkSpeedRaw|delay_ns|length_m|igp_metric.*|tier|rack|box|[xy]")
"""Attributes that are read as numbers; text in others is for drawing, but for those above and positions."""
_DEEPEST = 100
_BYTES_PER_EDGE = 2000


class _Token(NamedTuple):
    """A word or sign of the grammar; ``kind`` is ``id``, a keyword, a sign, or ``end``."""

    kind: str
    text: str
    where: str


def _tokens(text: str, where: str) -> Iterator[_Token]:
    place, line = 0, 1
    while place < len(text):
        here = f"{where}:{line}"
        if text[place] == "<":
            end = _closing(text, place, here)
            yield _Token("id", text[place:end], here)
        else:
            found = _TOKEN.match(text, place)
            if found is None:
                raise TopologyError("not DOT", where=here, found=text[place : place + 20].partition("\n")[0])
            end = found.end()
            match found.lastgroup:
                case "quoted":
                    inside = found[0][1:-1].replace("\\\n", "")
                    yield _Token("id", inside.replace('\\"', '"'), here)
                case "sign":
                    yield _Token(found[0], found[0], here)
                case "word":
                    known = found[0].lower() in _KEYWORDS
                    yield _Token(found[0].lower() if known else "id", found[0], here)
        line += text.count("\n", place, end)
        place = end
    yield _Token("end", "the end of the file", f"{where}:{line}")


def _closing(text: str, begin: int, where: str) -> int:
    """Return where a text in angle brackets ends."""
    depth = 0
    for bracket in re.finditer("[<>]", text[begin:]):
        depth += 1 if bracket[0] == "<" else -1
        if depth == 0:
            return begin + bracket.end()
    raise TopologyError("an angle bracket is not closed", where=where)


@dataclass
class _Scope:
    """What holds for new nodes and edges inside a pair of braces, and the nodes that are named there."""

    node: dict[str, Any] = field(default_factory=dict)
    edge: dict[str, Any] = field(default_factory=dict)
    named: dict[str, None] = field(default_factory=dict)


class _Parser:
    """Reads the statements of one graph."""

    def __init__(self, text: str, where: str) -> None:
        self._tokens = _tokens(text, where)
        self._next, self._second = next(self._tokens), next(self._tokens, None)
        self._where, self._checked = where, 1000
        self.nodes: dict[str, dict[str, Any]] = {}
        self.edges: list[tuple[str, str, dict[str, Any]]] = []
        self.strict = self._take("strict") is not None
        kind = self._take("graph") or self._need("digraph", "graph or digraph")
        self.directed = kind.kind == "digraph"
        self._take("id")
        self._need("{")
        self._statements(_Scope(), 0)
        self._need("end", "one graph")

    def _take(self, kind: str) -> _Token | None:
        found = self._next
        if found.kind != kind:
            return None
        if self._second is not None:
            self._next, self._second = self._second, next(self._tokens, None)
        return found

    def _need(self, kind: str, allowed: str = "") -> _Token:
        found = self._take(kind)
        if found is None:
            raise TopologyError("not DOT", where=self._next.where, found=self._next.text, allowed=allowed or kind)
        return found

    def _statements(self, scope: _Scope, depth: int) -> None:
        while self._take("}") is None:
            self._statement(scope, depth)
            while self._take(";"):
                pass

    def _statement(self, scope: _Scope, depth: int) -> None:
        for kind, defaults in (("node", scope.node), ("edge", scope.edge), ("graph", {})):
            if self._take(kind):
                defaults.update(self._attributes(needed=True))
                return
        first = self._next
        if first.kind == "id" and self._second is not None and self._second.kind == "=":
            self._need("id")
            self._need("=")
            self._value()
            return
        ends = [self._end(scope, depth)]
        while operator := self._take("--") or self._take("->"):
            if (operator.kind == "->") != self.directed:
                raise TopologyError(
                    "not an edge of this kind of graph",
                    where=operator.where,
                    found=operator.kind,
                    allowed="->" if self.directed else "--",
                )
            ends.append(self._end(scope, depth))
        given = self._attributes()
        if len(ends) == 1:
            if first.kind == "id":
                self.nodes[ends[0][0]].update(given)
            return
        for tails, heads in itertools.pairwise(ends):
            self._check_fits(len(tails) * len(heads))
            self.edges += [(u, v, {**scope.edge, **given}) for u in tails for v in heads]

    def _end(self, scope: _Scope, depth: int) -> list[str]:
        """Return the nodes at an end of an edge: one, or those of a subgraph."""
        if self._next.kind in ("subgraph", "{"):
            if self._take("subgraph"):
                self._take("id")
            if depth == _DEEPEST:
                raise TopologyError("subgraphs are nested too deeply", where=self._next.where, allowed=str(_DEEPEST))
            self._need("{")
            inner = _Scope(dict(scope.node), dict(scope.edge))
            self._statements(inner, depth + 1)
            scope.named.update(inner.named)
            return list(inner.named)
        name = self._joined(self._need("id", "a node"))
        if name not in self.nodes:
            self._check_fits(1)
            self.nodes[name] = dict(scope.node)
        scope.named[name] = None
        for _ in range(2):
            # A port, and a point of the compass.
            if self._take(":"):
                self._need("id", "a port")
        return [name]

    def _joined(self, first: _Token) -> str:
        text = first.text
        while self._take("+"):
            text += self._need("id", "a text").text
        return text

    def _value(self) -> Any:
        token = self._need("id", "a value")
        text = self._joined(token)
        if misread(text):
            raise TopologyError("not a decimal number", where=token.where, found=text)
        number = parse_number(text)
        if math.isnan(number):
            return text
        return int(number) if number.is_integer() and text.lstrip("+-").isdigit() else number

    def _attributes(self, *, needed: bool = False) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if needed and self._next.kind != "[":
            self._need("[")
        while self._take("["):
            while self._take("]") is None:
                key = self._need("id", "an attribute, or ]")
                self._need("=")
                text, value = self._next.text, self._value()
                if key.text in _TEXTS:
                    found[key.text] = text
                elif not isinstance(value, str) or key.text == "pos" or _NUMBERS.fullmatch(key.text):
                    found[key.text] = value
                while self._take(",") or self._take(";"):
                    pass
        return found

    def _check_fits(self, more: int) -> None:
        count = len(self.nodes) + len(self.edges) + more
        if count >= self._checked:
            # What is free is not looked up for every edge.
            self._checked = 2 * count
            what = f"{self._where} with {count:,} nodes and edges"
            check_fits(self._checked * _BYTES_PER_EDGE, what, TopologyError, allowed="fewer")

    def graph(self) -> nx.Graph[Any]:
        """Return the graph; of a strict one, equal edges are one, with the attributes of all."""
        import networkx as nx  # noqa: PLC0415 - slow to load

        multi, simple = (nx.MultiDiGraph, nx.DiGraph) if self.directed else (nx.MultiGraph, nx.Graph)
        graph: nx.Graph[Any] = (simple if self.strict else multi)()
        graph.add_nodes_from((name, _placed(data)) for name, data in self.nodes.items())
        graph.add_edges_from(self.edges)
        return graph


def _placed(data: dict[str, Any]) -> dict[str, Any]:
    """Return a node's attributes with ``pos`` as Graphviz writes it, ``"27,18!"``, as two numbers."""
    if not isinstance(text := data.get("pos"), str):
        return data
    pair = [parse_number(word) for word in text.removesuffix("!").split(",")]
    if len(pair) < 2 or not all(map(math.isfinite, pair)):
        return {key: value for key, value in data.items() if key != "pos"}
    return {**data, "pos": tuple(pair[:2])}


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    return read_plane(_Parser(text, where).graph(), where, link_gbps)


def _render(plane: Plane) -> str:
    def quoted(value: object) -> str:
        return '"' + str(value).replace('"', '\\"') + '"'

    def said(data: dict[str, Any]) -> str:
        pairs = (f"{key}={quoted(value)}" for key, value in data.items())
        return f" [{', '.join(pairs)}]" if data else ""

    graph = graph_of(plane)
    if odd := [name for name in graph if "\\" in name]:
        raise refusal(plane, "DOT", "names with a backslash", odd[0])
    nodes = (f"  {quoted(name)}{said(data)};" for name, data in graph.nodes(data=True))
    edges = (f"  {quoted(u)} -- {quoted(v)}{said(data)};" for u, v, data in graph.edges(data=True))
    return "\n".join(["graph {", *nodes, *edges, "}"]) + "\n"


NETWORK_FORMATS.add_text("dot", (".dot", ".gv"), "DOT of Graphviz", _parse, _render, recognise=_FIRST.match)
