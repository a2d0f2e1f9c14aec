"""The demands of TopoHub's JSON documents: ``graph.demands``, a map from a node to the nodes after it.

The map is triangular, and each of its demands is one in both directions.  Its keys are ids of nodes or what the nodes
are called; its numbers have no unit and are taken as they are.
"""

from __future__ import annotations

import re

from pnet_lp.errors import TrafficError
from pnet_lp.files import json_text
from pnet_lp.layouts import node_names, parse_json
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS, entries
from pnet_lp.traffic.io.lines import DemandLine, matrix_of
from pnet_lp.traffic.io.records import number

_OURS = re.compile(r'"graph"\s*+:\s*+\{')


def _parse(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    document = parse_json(text, where, TrafficError)
    graph = document.get("graph") if isinstance(document, dict) else None
    demands = graph.get("demands") if isinstance(graph, dict) else None
    if not isinstance(demands, dict):
        raise TrafficError("not a TopoHub document", where=where, allowed='an object "demands" in "graph"')
    nodes = document.get("nodes")
    if not isinstance(nodes, list) or not all(isinstance(node, dict) for node in nodes):
        raise TrafficError("not a TopoHub document", where=where, allowed='a list "nodes" of objects')
    called = {str(node.get("id")): name for node, name in zip(nodes, node_names(nodes), strict=True)}
    lines: list[DemandLine] = []
    known: set[tuple[str, str]] = set()
    for s, row in demands.items():
        here = f"{where}: demands[{s!r}]"
        if not isinstance(row, dict):
            raise TrafficError("not a row of demands", where=here, found=row, allowed="an object")
        for t, value in row.items():
            if (s, t) in known or (t, s) in known:
                raise TrafficError(
                    f"demands of {s!r} and {t!r} are given twice", where=here, allowed="a triangular map"
                )
            known.add((s, t))
            demand = number(value, f"{here}[{t!r}]")
            src, dst = called.get(s) or s, called.get(t) or t
            lines += [DemandLine(here, src, dst, demand), DemandLine(here, dst, src, demand)]
    return matrix_of(lines, network, level, where)


def _render(traffic: TrafficMatrix, network: Network, level: Level) -> str:
    names = network.endpoint_names(level)
    demands: dict[str, dict[str, float]] = {}
    values = {(s, t): demand for s, t, demand in entries(traffic)}
    for (s, t), demand in values.items():
        if values.get((t, s)) != demand:
            raise TrafficError(
                "TopoHub's format cannot hold demands that differ by direction", found=f"{names[s]} -> {names[t]}"
            )
        if s < t:
            demands.setdefault(str(s), {})[str(t)] = demand
    nodes = [{"id": i, "name": name} for i, name in enumerate(names)]
    document = {"directed": False, "multigraph": False, "graph": {"demands": demands}, "nodes": nodes, "edges": []}
    return json_text(document)


MATRIX_FORMATS.add_text(
    "topohub",
    (".topohub.json",),
    "demands of TopoHub in JSON",
    _parse,
    _render,
    recognise=lambda head: head.startswith("{") and _OURS.search(head) is not None,
)
