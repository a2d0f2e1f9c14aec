"""InfraGraph's infrastructures, as YAML or JSON, expanded by the package of that name.

Devices with accelerators (``xpu``) or network cards (``nic``) are servers, and each of their ends of links between
devices is a host; any other device is a switch.  What is inside devices is not kept.  A switch is called by its
instance, ``tier_0.5``, without the number where there is one only; a host by its end, ``dgx.0.cx7.3``, or by the server
where that has one only.

What is written has an instance for each switch and host, and a link for each cable; what else is known of a switch
stands in the description of its instance: ``tier=1 rack=0``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pnet_lp.errors import TopologyError
from pnet_lp.extras import load
from pnet_lp.files import parse_yaml
from pnet_lp.layouts import parse_json
from pnet_lp.memory import check_fits
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import NETWORK_FORMATS, refusal

if TYPE_CHECKING:
    import networkx as nx

_GBPS = {"gigabits_per_second": 1.0, "gigabytes_per_second": 8.0}
_NS = {"ms": 1e6, "us": 1e3, "ns": 1.0}

_KINDS = "(?:xpu|nic|cpu|switch|port|custom|device|memory)"
_SIGN = re.compile(rf'"choice"\s*+:\s*+"{_KINDS}"|^[ -]*+choice: {_KINDS}$', re.MULTILINE)
_SAID = re.compile(r"(?:^| )(tier|rack|box|[xy])=([0-9]{1,9}|(?<=[xy]=)-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)(?= |$)")
_NAME = re.compile(r"[A-Za-z0-9_-]+")

_COMPONENT = 2000
"""Bytes of memory for each component of an instance."""


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    document = parse_json(text, where, TopologyError) if text.lstrip().startswith("{") else parse_yaml(text, where)
    _check_size(document, where)
    graph, links = _expanded(document, where)
    fabric = _fabric(graph, links, where)
    for instance in document["instances"]:
        if (name := instance["name"]) in fabric:
            said = _SAID.findall(str(instance.get("description", "")))
            fabric.nodes[name].update({key: float(value) if key in "xy" else int(value) for key, value in said})
    return Plane.from_networkx(fabric, link_gbps=link_gbps, label=where)


def _check_size(document: object, where: str) -> None:
    """Raise TopologyError where the document is none of InfraGraph, or has too many components."""
    if not isinstance(document, dict) or not all(
        isinstance(part := document.get(key), list) and all(isinstance(one, dict) for one in part)
        for key in ("devices", "instances", "edges")
    ):
        raise TopologyError("not an infrastructure", where=where, allowed="lists of devices, instances and edges")
    for key in ("devices", "instances"):
        named = Counter(str(one.get("name")) for one in document[key])
        if twice := [name for name, count in named.items() if count > 1]:
            raise TopologyError(f"two {key} have one name", where=where, found=twice[0])
    sizes: dict[str, int] = {}
    for device in document["devices"]:
        components = device.get("components") or []
        if not isinstance(components, list):
            raise TopologyError("components of a device are not a list", where=where, found=components)
        sizes[str(device.get("name"))] = sum(_count(one, where) for one in components)
    total = sum(_count(one, where) * sizes.get(str(one.get("device")), 0) for one in document["instances"])
    check_fits(total * _COMPONENT, f"{where} with {total:,} components", TopologyError, allowed="fewer instances")


def _count(element: object, where: str) -> int:
    count = element.get("count") if isinstance(element, dict) else None
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise TopologyError("a component or instance without a count", where=where, found=count)
    return count


def _expanded(document: Mapping[str, Any], where: str) -> tuple[nx.Graph[Any], Mapping[str, Mapping[str, float]]]:
    """Return the graph of all components, and for each name of a link between devices its speed and delay."""
    import warnings  # noqa: PLC0415 - beside what needs it

    service = load("infragraph.infragraph_service", where).InfraGraphService()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            service.set_graph(load("infragraph", where).Infrastructure().deserialize(document))
    except Exception as error:
        problem = str(error).partition("\n")[0] or type(error).__name__
        raise TopologyError(f"InfraGraph refuses it: {problem}", where=where) from None
    links: dict[str, dict[str, Any]] = {}
    for link in document.get("links") or []:
        found = links.setdefault(link["name"], {})
        for key, name, units in (("bandwidth", "capacity_gbps", _GBPS), ("latency", "delay_ns", _NS)):
            for unit, value in ((link.get("physical") or {}).get(key) or {}).items():
                if value is None:
                    continue
                if unit in units:
                    found[name] = float(value) * units[unit]
                elif unit != "choice":
                    raise TopologyError(
                        f"{key} of link {link['name']!r}", where=where, found=unit, allowed=", ".join(units)
                    )
    for number, edge in enumerate(document["edges"]):
        if edge.get("link") in links:
            first = str(edge["ep1"].get("instance")).removesuffix("[0]")
            links[edge["link"]] = {"cable": number, "tail": first, **links[edge["link"]]}
    return service.get_networkx_graph(), links


def _fabric(graph: nx.Graph[Any], links: Mapping[str, Mapping[str, Any]], where: str) -> nx.MultiGraph[str]:
    """Return what lies between devices: hosts, switches, and cables with their speeds and delays."""
    import networkx as nx  # noqa: PLC0415 - slow to load

    if not all({"instance", "instance_idx", "type"} <= data.keys() for _, data in graph.nodes(data=True)):
        raise TopologyError("an edge ends at what no device has", where=where)
    device = {node: (data["instance"], data["instance_idx"]) for node, data in graph.nodes(data=True)}
    alone = Counter(instance for instance, _ in set(device.values()))
    called = {one: one[0] if alone[one[0]] == 1 else f"{one[0]}.{one[1]}" for one in device.values()}
    servers = {device[node] for node, data in graph.nodes(data=True) if data["type"] in ("xpu", "nic")}
    between = [(u, v, data) for u, v, data in graph.edges(data=True) if device[u] != device[v]]
    joined = {end for u, v, _ in between for end in (u, v)}
    ends = Counter(device[node] for node in joined)

    fabric: nx.MultiGraph[str] = nx.MultiGraph()
    fabric.add_nodes_from(name for one, name in called.items() if one not in servers)
    if not fabric:
        raise TopologyError("no switch between devices", where=where)
    names = {node: called[one] for node, one in device.items()}
    for node in graph:
        if (one := device[node]) in servers and node in joined:
            names[node] += node.removeprefix(".".join(map(str, one))) if ends[one] > 1 else ""
            fabric.add_node(names[node], kind="host")
    for u, v, data in between:
        given = dict(links.get(str(data.get("link")), {}))
        if given.get("tail") not in (names[u], names[v]):
            given.pop("tail", None)
        fabric.add_edge(names[u], names[v], **given)
    return fabric


def _render(plane: Plane) -> str:
    graph = plane.to_networkx()
    ports: Counter[str] = Counter()
    instances, links, edges = [], [], list[dict[str, Any]]()
    for name, data in graph.nodes(data=True):
        if not _NAME.fullmatch(name):
            raise refusal(plane, "InfraGraph", "names of other characters than letters, digits, - and _", name)
        kind = data.pop("kind")
        said = {} if kind == "host" else {"description": " ".join(f"{key}={value!r}" for key, value in data.items())}
        instances.append({"name": name, "device": kind, "count": 1, **said})
    cables = sorted(graph.edges(data=True), key=lambda cable: cable[2].get("cable", -1))
    for number, (u, v, data) in enumerate(cables):
        there = data.get("tail", u)
        edge: dict[str, Any] = {"scheme": "one2one", "link": f"cable-{number}"}
        for key, end in (("ep1", there), ("ep2", v if there == u else u)):
            component = "nic[0]" if graph.nodes[end].get("host") is not None else f"port[{ports[end]}]"
            edge[key] = {"instance": f"{end}[0]", "component": component}
            ports[end] += 1
        edges.append(edge)
        links.append({"name": edge["link"], "physical": _physical(data)})
    devices = [_device("switch", "port", max(1, *(ports[name] for name in plane.switch_names)))]
    if plane.host_count:
        devices.append(_device("host", "nic", 1))
    document = {"name": "network", "devices": devices, "links": links, "instances": instances, "edges": edges}
    return json.dumps(document, indent=1) + "\n"


def _device(name: str, component: str, count: int) -> dict[str, Any]:
    """Return a device with ``count`` components for links to others, each joined to its middle."""
    middle = {"name": "asic", "choice": "cpu", "count": 1}
    return {
        "name": name,
        "components": [middle, {"name": component, "choice": component, "count": count}],
        "links": [{"name": "inside"}],
        "edges": [
            {"ep1": {"component": "asic"}, "ep2": {"component": component}, "scheme": "many2many", "link": "inside"}
        ],
    }


def _physical(data: Mapping[str, Any]) -> dict[str, Any]:
    bandwidth = {"choice": "gigabits_per_second", "gigabits_per_second": data["capacity_gbps"]}
    latency = {"latency": {"choice": "ns", "ns": data["delay_ns"]}} if "delay_ns" in data else {}
    return {"bandwidth": bandwidth, **latency}


NETWORK_FORMATS.add_text(
    "infragraph",
    (".infragraph.json", ".infragraph.yaml", ".infragraph.yml"),
    "an infrastructure of InfraGraph, YAML or JSON",
    _parse,
    _render,
    recognise=_SIGN.search,
    library="infragraph",
)
