"""TopoHub's JSON documents: node-link with ``name`` and ``pos`` of nodes, ``dist`` and ECMP loads of edges.

A node is called by its ``name`` if all have one of their own, or else by its ``id``.  TopoHub knows no speeds: an edge
has the speed given by the user, unless it carries ``capacity_gbps``.  ``dist`` may be taken as metric; loads are not
kept.  Every switch is a rack.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import node_names
from pnet_lp.model import Plane
from pnet_lp.model.arrays import rows
from pnet_lp.topology.io.format import NETWORK_FORMATS, check_bare
from pnet_lp.topology.io.node_link import read_graph

_OURS = re.compile(r'"demands"\s*+:\s*+\{|"ecmp_(?:fwd|bwd)"\s*+:')

_NOT_KEPT = {"ecmp_fwd", "ecmp_bwd"}


def _matches(head: str) -> bool:
    return head.startswith("{") and _OURS.search(head) is not None


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    import networkx as nx  # noqa: PLC0415 - slow to load

    graph = read_graph(text, where)
    if graph.is_directed():
        raise TopologyError("the graph is directed", where=where, allowed='"directed": false')
    names = node_names([{"id": node, **data} for node, data in graph.nodes(data=True)])
    if len(set(names)) < len(names):
        raise TopologyError("two nodes have the same id", where=where)
    for *_, edge in graph.edges(data=True):
        for name in _NOT_KEPT & edge.keys():
            del edge[name]
    called = dict(zip(graph, names, strict=True))
    return Plane.from_networkx(nx.relabel_nodes(graph, called, copy=True), link_gbps=link_gbps, label=where)


def _render(plane: Plane) -> str:
    check_bare(plane, "TopoHub's format", positions=True)
    nodes: list[dict[str, Any]] = [{"id": i, "name": name} for i, name in enumerate(plane.switch_names)]
    if plane.position is not None:
        for node, place in zip(nodes, plane.position.tolist(), strict=True):
            if not math.isnan(place[0]):
                node["pos"] = place
    cables = rows(plane.cable_u, plane.cable_v, plane.capacity_uv_gbps, plane.capacity_vu_gbps)
    edges = []
    for i, (u, v, there, back) in enumerate(cables):
        edge = {"source": u, "target": v, "cable": i, "tail": plane.switch_names[u], "capacity_gbps": there}
        edges.append(edge if there == back else edge | {"capacity_back_gbps": back})
    pairs = {frozenset((edge["source"], edge["target"])) for edge in edges}
    document = {
        "directed": False,
        "multigraph": len(pairs) < len(edges),
        "graph": {"demands": {}},
        "nodes": nodes,
        "edges": edges,
    }
    return json.dumps(document, indent=1) + "\n"


NETWORK_FORMATS.add_text(
    "topohub", (".topohub.json",), "a network of TopoHub in JSON", _parse, _render, recognise=_matches
)
