"""containerlab's labs, ``*.clab.yml``: nodes, and links between their interfaces.

    topology:
      nodes:
        leaf1: {kind: nokia_srlinux}
        client1: {kind: linux}
      links:
        - endpoints: ["client1:eth1", "leaf1:e1-1"]

A node of kind ``linux`` with one link at most is a host; any other is a switch, also a ``linux`` with several, which
routes.  The kind is the node's own, or that of its group, or the default.  Links have the speed given by the user;
those that leave the lab are not kept, and a sentence among the plane's ``warnings`` says how many.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

from pnet_lp.errors import TopologyError
from pnet_lp.files import parse_yaml
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS

_SIGN = re.compile(
    r"^topology:[ \t\r]*+(?:#[^\n]*+)?\n(?:(?![^\s#])[^\n]*+\n)*?[ \t]++nodes:[ \t\r]*+(?:#[^\n]*+)?$", re.MULTILINE
)

_HOST = "linux"
_BETWEEN_NODES = {"veth", "veth-stitch"}
_OUTWARDS = {"dummy", "host", "macvlan", "mgmt-net", "vxlan", "vxlan-stitch"}
"""Types of links, which also stand in place of a node: ``host:eth1``."""

_LINK = 'endpoints: ["NODE:INTERFACE", "NODE:INTERFACE"]'


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    import networkx as nx  # noqa: PLC0415 - slow to load

    document = parse_yaml(text, where)
    lab = document.get("topology") if isinstance(document, dict) else None
    nodes = lab.get("nodes") if isinstance(lab, dict) else None
    links = (lab.get("links") or []) if isinstance(lab, dict) else None
    if lab is None or not isinstance(nodes, dict) or not isinstance(links, list):
        raise TopologyError("not a lab", where=where, allowed="topology with nodes and a list of links")
    nodes = {str(name): node for name, node in nodes.items()}
    joined = [_ends(link, nodes, f"{where}: link {number}") for number, link in enumerate(links, 1)]
    cables = [ends for ends in joined if ends]
    degree = Counter(end for ends in cables for end in ends)
    graph: nx.MultiGraph[str] = nx.MultiGraph()
    for name, node in nodes.items():
        graph.add_node(name, **({"kind": "host"} if _kind(node, lab) == _HOST and degree[name] <= 1 else {}))
    graph.add_edges_from((*ends, {"cable": number}) for number, ends in enumerate(cables))
    plane = Plane.from_networkx(graph, link_gbps=link_gbps, label=where)
    left = len(joined) - len(cables)
    said = [f"{where}: {left} of {len(joined)} links leave the lab and are not kept"] if left else []
    return replace(plane, warnings=(*plane.warnings, *said))


def _kind(node: object, lab: dict[str, Any]) -> object:
    """Return the kind of a node: its own, or that of its group, or the default."""
    own = node if isinstance(node, dict) else {}
    groups = lab.get("groups")
    group = groups.get(str(own.get("group"))) if isinstance(groups, dict) else None
    parts = [part for part in (own, group, lab.get("defaults")) if isinstance(part, dict)]
    return next((part["kind"] for part in parts if "kind" in part), None)


def _ends(link: object, nodes: dict[str, object], where: str) -> tuple[str, str] | None:
    """Return the nodes that a link joins, or None where it leaves the lab; or raise TopologyError."""
    given = link if isinstance(link, dict) else {}
    kind, ends = str(given.get("type", "veth")), given.get("endpoints")
    if kind in _OUTWARDS:
        return None
    if kind not in _BETWEEN_NODES or not isinstance(ends, list) or len(ends) != 2:
        raise TopologyError("not a link", where=where, found=link, allowed=_LINK)
    u, v = (str(end.get("node") if isinstance(end, dict) else end).partition(":")[0] for end in ends)
    if not nodes.keys() >= (inside := {u, v} - _OUTWARDS):
        raise TopologyError(
            "a link of an unknown node", where=where, found=min(inside - nodes.keys()), allowed="those of the lab"
        )
    return None if {u, v} & _OUTWARDS else (u, v)


NETWORK_FORMATS.add_text("containerlab", (), "a lab of containerlab, only read", _parse, None, recognise=_SIGN.search)
