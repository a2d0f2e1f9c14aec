"""InfraGraph's infrastructures, as YAML or JSON, expanded by the package of that name.

Devices with accelerators (``xpu``) or network cards (``nic``) are servers, and each of their ends of links between
devices is a host; any other device is a switch.  A switch is called by its instance, ``tier_0.5``, without the number
where there is one only; a host by its end, ``dgx.0.cx7.3``, or by the server where that has one only.

What is inside devices is no part of a plane.  Where all servers are one device, with an end for each accelerator, what
joins these is the scale-up network: its i-th accelerator has the i-th end.  Otherwise a sentence says what is left out.

An infrastructure of one device alone is what is inside a server: its accelerators and what joins them directly.

What is written has an instance for each switch and host, and a link for each cable; what else is known of a switch
stands in the description of its instance: ``tier=1 rack=0``.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pnet_lp.errors import TopologyError
from pnet_lp.extras import load
from pnet_lp.files import parse_yaml
from pnet_lp.layouts import decoded, parse_json
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
_INDEXED = re.compile(r"\[[0-9]+\]$")

_COMPONENT = 2000
"""Bytes of memory for each component of an instance."""


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    return plane_of(_document(text, where), where, link_gbps)


def _document(text: str, where: str) -> Any:
    found = parse_json(text, where, TopologyError) if text.lstrip().startswith("{") else parse_yaml(text, where)
    # The package leaves out lists without elements: one device alone has no edges.
    return {"edges": [], **found} if isinstance(found, dict) else found


def plane_of(document: Any, where: str, link_gbps: float) -> Plane:
    """Return the plane of an infrastructure, given as a document, or raise TopologyError."""
    _check_size(document, where)
    graph = _expanded(document, where)
    devices = {(data.get("instance"), data.get("instance_idx")) for _, data in graph.nodes(data=True)}
    accelerators = [node for node, data in graph.nodes(data=True) if data.get("type") == "xpu"]
    if len(devices) == 1 and accelerators:
        links = [link for device in document["devices"] for link in device.get("links") or []]
        inside = _inside(graph, accelerators, links, where)
        return Plane.from_networkx(inside, link_gbps=link_gbps, label=where)
    fabric = _fabric(graph, _between(document, where), where)
    for instance in document["instances"]:
        if (name := instance["name"]) in fabric:
            said = _SAID.findall(str(instance.get("description", "")))
            fabric.nodes[name].update({key: float(value) if key in "xy" else int(value) for key, value in said})
    plane = Plane.from_networkx(fabric, link_gbps=link_gbps, label=where)
    if isinstance(why := _server(graph, document), str) and why:
        left_out = f"{where}: what is inside devices is left out: {why}"
        return replace(plane, warnings=(*plane.warnings, left_out))
    return plane


def _parse_inside(data: bytes, where: str, link_gbps: float) -> Plane | None:
    """Return what joins the accelerators of a server, None where hosts are by themselves."""
    document = _document(decoded(data, where, TopologyError), where)
    _check_size(document, where)
    graph = _expanded(document, where)
    found = _server(graph, document)
    if isinstance(found, str):
        return None
    name, inside, accelerators = found
    device = next(each for each in document["devices"] if each["name"] == name)
    parts = {name, *(part["name"] for part in device["components"] if part.get("choice") == "device")}
    links = [link for each in document["devices"] if each["name"] in parts for link in each.get("links") or []]
    joined = _inside(inside, accelerators, links, where)
    return Plane.from_networkx(joined, link_gbps=link_gbps, label=f"{where}: {name}")


def _server(graph: nx.Graph[Any], document: Mapping[str, Any]) -> tuple[str, nx.Graph[Any], list[str]] | str:
    """Return the device that all servers are: its name, what is inside one, and the accelerators there.

    Where none is, the answer is why accelerators are left out, empty where no device has several.
    """
    members: dict[tuple[Any, Any], list[str]] = {}
    for node, data in graph.nodes(data=True):
        members.setdefault((data.get("instance"), data.get("instance_idx")), []).append(node)
    device = {one["name"]: str(one["device"]) for one in document["instances"]}
    kinds: dict[tuple[str, int, int], tuple[list[str], list[str]]] = {}
    for (instance, _), nodes in members.items() if len(members) > 1 else ():
        own = set(nodes)
        accelerators = [node for node in nodes if graph.nodes[node].get("type") == "xpu"]
        ends = sum(not own.issuperset(graph[node]) for node in nodes)
        if ends and (accelerators or any(graph.nodes[node].get("type") == "nic" for node in nodes)):
            kinds.setdefault((device.get(instance, ""), len(accelerators), ends), (nodes, accelerators))
    if all(size < 2 for _, size, _ in kinds):
        return ""
    if len(kinds) > 1:
        return "servers are not all the same"
    [((name, size, ends), (nodes, accelerators))] = kinds.items()
    inside = graph.subgraph(nodes)
    if size != ends:
        return f"{name} has {size} accelerators and {ends} links to other devices"
    return (name, inside, accelerators) if _joining(inside, accelerators) else f"no link joins all that {name} has"


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
    pairs = 0
    for device in document["devices"]:
        components = device.get("components") or []
        if not isinstance(components, list):
            raise TopologyError("components of a device are not a list", where=where, found=components)
        sizes[str(device.get("name"))] = sum(_count(one, where) for one in components)
        counts = {str(one.get("name")): one["count"] for one in components}
        pairs += sum(_pairs(edge, counts) for edge in device.get("edges") or [] if isinstance(edge, dict))
    check_fits(pairs * _COMPONENT, f"{where} with {pairs:,} links in devices", TopologyError, allowed="fewer")
    total = sum(_count(one, where) * sizes.get(str(one.get("device")), 0) for one in document["instances"])
    check_fits(total * _COMPONENT, f"{where} with {total:,} components", TopologyError, allowed="fewer instances")


def _count(element: object, where: str) -> int:
    count = element.get("count") if isinstance(element, dict) else None
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise TopologyError("a component or instance without a count", where=where, found=count)
    return count


def _pairs(edge: Mapping[str, Any], counts: Mapping[str, int]) -> int:
    """Return how many links an edge inside a device is at most; a component with an index is one."""
    ends = [edge.get(key) for key in ("ep1", "ep2")] if edge.get("scheme") == "many2many" else []
    names = [str(end.get("component")) if isinstance(end, dict) else "" for end in ends]
    return math.prod(counts.get(name.partition("[")[0], 1) for name in names if not _INDEXED.search(name))


def _expanded(document: Mapping[str, Any], where: str) -> nx.Graph[Any]:
    """Return the graph of all components."""
    import warnings  # noqa: PLC0415 - beside what needs it

    class Service(load("infragraph.infragraph_service", where).InfraGraphService):  # type: ignore[misc]
        def _generate_composed_edges(self, instance_name: str, device_name: str) -> None:
            # The package adds the links inside a device again for each of its components.
            device = self._device_data[device_name]
            kept, nested = device.nodes, {name: kind for name, kind in device.nodes.items() if kind == "device"}
            device.nodes = nested or dict([*kept.items()][:1])
            super()._generate_composed_edges(instance_name=instance_name, device_name=device_name)
            device.nodes = kept

    service = Service()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            service.set_graph(load("infragraph", where).Infrastructure().deserialize(document))
    except Exception as error:
        problem = str(error).partition("\n")[0] or type(error).__name__
        raise TopologyError(f"InfraGraph refuses it: {problem}", where=where) from None
    found: nx.Graph[Any] = service.get_networkx_graph()
    return found


def _physical_of(link: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the speed and delay of a link, as far as it says them."""
    found: dict[str, Any] = {}
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
    return found


def _between(document: Mapping[str, Any], where: str) -> Mapping[str, Mapping[str, Any]]:
    """Return for each name of a link between devices its speed and delay, and its place where a cable was written."""
    links = {link["name"]: _physical_of(link, where) for link in document.get("links") or []}
    for number, edge in enumerate(document["edges"]):
        if edge.get("link") in links:
            first = str(edge["ep1"].get("instance")).removesuffix("[0]")
            links[edge["link"]] = {"cable": number, "tail": first, **links[edge["link"]]}
    return links


def _joining(graph: nx.Graph[Any], accelerators: Iterable[Any]) -> set[str]:
    """Return the names of links that each join all accelerators, directly or over what two of them share."""
    import networkx as nx  # noqa: PLC0415 - slow to load

    own: dict[str, list[tuple[Any, Any]]] = {}
    for u, v, data in graph.edges(accelerators, data=True):
        own.setdefault(str(data.get("link")), []).append((u, v))
    return {name for name, ends in own.items() if _joins(nx.Graph(ends), accelerators)}


def _inside(
    graph: nx.Graph[Any], accelerators: list[Any], links: Iterable[Mapping[str, Any]], where: str
) -> nx.MultiGraph[str]:
    """Return what joins the accelerators of a device: hosts with one link each, or racks, whose switches forward.

    Links of a name that joins all of them, directly or over switches that they share, are their scale-up network; where
    there is none, everything inside joins them.
    """
    import networkx as nx  # noqa: PLC0415 - slow to load

    # Translators list components in no order.
    accelerators = sorted(accelerators, key=_place)
    joining = _joining(graph, accelerators)
    edges = [
        (*sorted(ends, key=_place), str(data.get("link")))
        for *ends, data in graph.edges(accelerators if joining else None, data=True)
        if not joining or str(data.get("link")) in joining
    ]
    edges.sort(key=lambda edge: (_place(edge[0]), _place(edge[1]), edge[2]))
    degree = Counter(end for u, v, _ in edges for end in (u, v))
    plain = all(degree[node] == 1 for node in accelerators) and len(degree) > len(accelerators)
    called = {node: node.split(".", 2)[2] for node in degree}
    rack = {node: number for number, node in enumerate(accelerators)}
    used = {name for *_, name in edges}
    fabric: nx.MultiGraph[str] = nx.MultiGraph()
    for node in sorted(degree, key=_place):
        fabric.add_node(called[node])
        if node in rack:
            fabric.nodes[called[node]].update({"kind": "host"} if plain else {"rack": rack[node]})
    known: dict[str, dict[str, Any]] = {}
    for link in links:
        if link["name"] in used:
            found = _physical_of(link, where)
            if known.setdefault(link["name"], found) != found:
                raise TopologyError(
                    "links of two devices have one name and different speeds", where=where, found=link["name"]
                )
    fabric.add_edges_from((called[u], called[v], known.get(name, {})) for u, v, name in edges)
    return fabric


def _place(node: str) -> tuple[str, int]:
    """Return what orders components: their name, and their number among those of it."""
    name, _, number = node.rpartition(".")
    return name, int(number)


def _joins(links: nx.Graph[Any], accelerators: Iterable[Any]) -> bool:
    """Whether links join all of these."""
    import networkx as nx  # noqa: PLC0415 - slow to load

    return all(node in links for node in accelerators) and nx.is_connected(links)


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
    read_inside=_parse_inside,
)
