"""InfraGraph's own blueprints, read and certified; what is refused and how; what is written for it."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import pnet_lp as pn
from pnet_lp.errors import PnetError, TopologyError
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network, build_plane, read_plane, write_plane
from pnet_lp.topology.io import NETWORK_FORMATS
from pnet_lp.topology.io.files import parse_inside, parse_plane
from pnet_lp.traffic import build_traffic

from .conftest import same

infragraph = pytest.importorskip("infragraph")
from infragraph.blueprints.devices.amd.mi300x import MI300X  # noqa: E402
from infragraph.blueprints.devices.generic.generic_switch import Switch  # noqa: E402
from infragraph.blueprints.devices.generic.server import Server  # noqa: E402
from infragraph.blueprints.devices.ironwood_rack import IronwoodRack  # noqa: E402
from infragraph.blueprints.devices.nvidia.dgx import NvidiaDGX  # noqa: E402
from infragraph.blueprints.fabrics.clos_fat_tree_fabric import ClosFatTreeFabric  # noqa: E402
from infragraph.blueprints.fabrics.closfabric import ClosFabric  # noqa: E402
from infragraph.blueprints.fabrics.dragonfly_fabric import DragonflyFabric  # noqa: E402
from infragraph.blueprints.fabrics.hybrid_debruijn_fabric import HybridDeBruijnFabric  # noqa: E402
from infragraph.blueprints.fabrics.multi_host_debruijn_fabric import MultiHostDeBruijnFabric  # noqa: E402
from infragraph.blueprints.fabrics.single_tier_fabric import SingleTierFabric  # noqa: E402

DATA = Path(__file__).parents[1] / "data"

BLUEPRINTS: dict[str, tuple[Callable[[], Any], tuple[int, int, int], float]] = {
    # Maker; switches, cables and hosts; K of all-to-all between hosts, Gb/s: what a host sends, to each of the others.
    "clos": (ClosFabric, (7, 12, 8), 100 / 7),
    "two tiers": (lambda: ClosFatTreeFabric(Switch(port_count=8), Server(npu_factor=1), 2, []), (12, 32, 32), 100 / 31),
    "three tiers": (
        lambda: ClosFatTreeFabric(Switch(port_count=4), Server(npu_factor=1), 3, []),
        (20, 32, 16),
        100 / 15,
    ),
    "one switch": (lambda: SingleTierFabric(NvidiaDGX("dgx_h100"), 4, 400), (1, 0, 32), 400 / 31),
    "dragonfly": (lambda: DragonflyFabric(Switch(port_count=8), Server(npu_factor=1), 4, 2, 2), (36, 90, 72), 100 / 71),
    "de Bruijn": (
        lambda: MultiHostDeBruijnFabric(Switch(port_count=16), Server(npu_factor=1), 3),
        (8, 28, 64),
        100 / 63,
    ),
    # Each access switch has one uplink of 200 Gb/s, over which each of its 8 hosts sends to 56.
    "hybrid": (lambda: HybridDeBruijnFabric(Switch(port_count=16), Server(npu_factor=1), 3), (16, 36, 64), 200 / 448),
}


@pytest.mark.parametrize("encoding", ["yaml", "json"])
@pytest.mark.parametrize("name", BLUEPRINTS)
def test_blueprints_are_read_and_certified(tmp_path: Path, name: str, encoding: str) -> None:
    make, sizes, rate = BLUEPRINTS[name]
    path = tmp_path / f"fabric.{encoding}"
    path.write_text(make().serialize(encoding=encoding))
    network = build_network(str(path))
    (plane,) = network.planes
    assert (plane.switch_count, plane.cable_count, plane.host_count) == sizes
    assert plane.warnings == ()
    found = solve(network, build_traffic("all-to-all", network, level="host"))
    assert found.interval.lower <= rate * (1 + 1e-9)
    assert found.interval.lower >= rate * (1 - 2e-4)
    assert found.interval.upper >= rate * (1 - 1e-9)
    if encoding == "yaml":
        return
    bill = pn.cost(f"topology:{path}", bisection=False).document
    assert (bill["boxes"], bill["links"]) == sizes[:2]
    assert bill["total_usd"] == pytest.approx(sum(part["usd"] for part in bill["parts"]))
    assert bill["total_usd"] > 0


@pytest.mark.parametrize("name", BLUEPRINTS)
def test_devices_of_blueprints_are_servers(tmp_path: Path, name: str) -> None:
    """Accelerators in numbers of servers; all-to-all passes all cards of a server, which it needs for others only."""
    make, (*_, hosts), rate = BLUEPRINTS[name]
    path = tmp_path / "fabric.yaml"
    path.write_text(make().serialize())
    network = pn.build_network(str(path), server_gbps=4000)
    assert network.servers is not None
    size = 8 if name == "one switch" else 2
    assert network.servers.size == size
    # Hosts of a server follow each other; of the hybrid those that share an uplink limit each other as before.
    owners = [host.partition(".nic")[0].partition(".cx7")[0] for host in network.host_names]
    assert owners == [owners[i - i % size] for i in range(hosts)]
    assert len(set(owners)) == hosts // size
    if name != "hybrid":
        rate *= (hosts - 1) / (hosts - size)
    found = pn.throughput(network, traffic="all-to-all").result
    assert found.interval.lower == pytest.approx(rate, rel=2e-4)
    if name == "clos":
        assert pn.build_network(str(path), server="none").servers is None
        (plane,) = pn.build_network(str(path)).planes
        assert plane.warnings[-1].endswith(": links inside servers have no speed and get 100 Gb/s (--server-gbps)")


def test_what_joins_a_server_is_that_of_its_device_alone() -> None:
    device = NvidiaDGX("dgx_h100")
    infrastructure = infragraph.Infrastructure(name="one")
    infrastructure.devices.append(device)
    infrastructure.instances.add(name=device.name, device=device.name, count=1)
    alone = parse_plane(infrastructure.serialize().encode(), "f")
    fabric = SingleTierFabric(NvidiaDGX("dgx_h100"), 2, 400).serialize().encode()
    inside = parse_inside(fabric, "f")
    assert inside is not None
    assert inside.fingerprint == alone.fingerprint


def with_accelerators(count: int, *, joined: bool = True) -> Any:
    """The host of :func:`document`, which has two cards, with accelerators."""
    whole = json.loads(document())
    host = whole["devices"][1]
    host["components"].append({"name": "xpu", "choice": "xpu", "count": count})
    host["links"] = [{"name": "mesh"}]
    ends = {"ep1": {"component": "xpu"}, "ep2": {"component": "xpu" if joined else "nic"}}
    host["edges"] = [{**ends, "scheme": "many2many" if joined else "one2one", "link": "mesh"}]
    return whole


def test_accelerators_with_a_card_each_are_a_server() -> None:
    text = json.dumps(with_accelerators(2)).encode()
    inside = parse_inside(text, "f", link_gbps=9)
    assert inside is not None
    assert (inside.rack_names, inside.capacity_uv_gbps.tolist()) == (("xpu.0", "xpu.1"), [9.0])
    assert parse_plane(text, "f").warnings == ()
    assert parse_inside(document(), "f") is None
    assert parse_plane(document(), "f").warnings == ()


def test_what_is_left_out_is_said() -> None:
    several = with_accelerators(2)
    several["devices"].append({**json.loads(document())["devices"][1], "name": "other"})
    several["instances"].append({"name": "o", "device": "other", "count": 1})
    several["devices"][0]["components"][0]["count"] = 3
    ends = [{"instance": "s[0]", "component": "port[2]"}, {"instance": "o[0]", "component": "nic[0]"}]
    several["edges"].append({"ep1": ends[0], "ep2": ends[1], "scheme": "one2one", "link": "cable"})
    for whole, why in (
        (with_accelerators(3), "host has 3 accelerators and 2 links to other devices"),
        (with_accelerators(2, joined=False), "no link joins all that host has"),
        (several, "servers are not all the same"),
    ):
        text = json.dumps(whole).encode()
        assert parse_inside(text, "f") is None
        assert parse_plane(text, "f").warnings == (f"f: what is inside devices is left out: {why}",)


def test_all_that_it_ships_is_here() -> None:
    shipped = set()
    for module in pkgutil.iter_modules(importlib.import_module("infragraph.blueprints.fabrics").__path__):
        name = f"infragraph.blueprints.fabrics.{module.name}"
        members = inspect.getmembers(importlib.import_module(name), inspect.isclass)
        shipped |= {kind for _, kind in members if kind.__module__ == name}
    assert shipped == {type(make()) for make, *_ in BLUEPRINTS.values()}


@pytest.mark.parametrize(
    ("make", "sizes", "speeds"),
    [
        # Accelerators that are racks, switches, links between them, hosts; a torus of 64, a full mesh, four NVSwitches.
        (IronwoodRack, (64, 64, 192, 0), {1400.0}),
        (MI300X, (8, 8, 28, 0), {7.0}),
        (lambda: NvidiaDGX("dgx_h100"), (8, 12, 32, 0), {7.0}),
    ],
)
def test_a_device_alone_is_what_joins_its_accelerators(
    make: Callable[[], Any], sizes: tuple[int, int, int, int], speeds: set[float]
) -> None:
    device = make()
    infrastructure = infragraph.Infrastructure(name="one")
    infrastructure.devices.append(device)
    infrastructure.instances.add(name=device.name, device=device.name, count=1)
    plane = parse_plane(infrastructure.serialize().encode(), "f", link_gbps=7.0)
    assert (len(plane.rack_names), plane.switch_count, plane.cable_count, plane.host_count) == sizes
    assert set(plane.capacity_uv_gbps.tolist()) == speeds


def test_servers_of_nccl_and_lstopo() -> None:
    """Two GPUs at two NVSwitches; two of different models at a PCIe bridge, which is all that joins them."""
    nvlink, pcie = (read_plane(DATA / f"server.{kind}", link_gbps=7.0) for kind in ("nccl", "lstopo"))
    assert (nvlink.switch_names, nvlink.rack_names) == (("nvsw.0", "nvsw.1", "xpu.0", "xpu.1"), ("xpu.0", "xpu.1"))
    assert (nvlink.cable_u.tolist(), nvlink.cable_v.tolist()) == ([0, 0, 1, 1], [2, 3, 2, 3])
    assert pcie.host_names == ("GPU of another.0", "GPU of one sort.0")
    assert sorted(pcie.switch_names) == [
        *("a card.0", "cpu.0", "pci_bridge.0"),
        *(f"pci_device.{i}" for i in range(3)),
        "root_bridge.0",
    ]
    # Two accelerators, each in a server with another: 3 x 50 Gb/s of all-to-all, of which 2 shares leave the server.
    network = pn.build_network(
        "single-switch:hosts=4", link_gbps=100, server=str(DATA / "server.nccl"), server_gbps=400
    )
    found = pn.throughput(network, traffic="all-to-all").result
    assert found.throughput_gbps == pytest.approx(50, rel=1e-4)


@pytest.mark.parametrize(
    ("kind", "old", "new", "said"),
    [
        ("nccl", "<cpu ", "<gpu ", "f:22: not XML: mismatched tag"),
        ("nccl", 'rank="1"', "", "f: InfraGraph's translator refuses it: "),
        ("nccl", '<system version="1">', '<system version="1"><!DOCTYPE a>', "f:1: not XML: "),
        ("lstopo", "hwloc2.dtd", "hwloc2.dtd\" [<!ENTITY a 'b'>", "f:2: a document type declaration is refused"),
        ("lstopo", 'type="Machine"', 'type="Group"', "f: InfraGraph's translator refuses it: "),
        ("lstopo", "0302 [10de:20b", "0100 [10de:20b", "f: no switch between devices"),
    ],
)
def test_broken_servers_are_refused(kind: str, old: str, new: str, said: str) -> None:
    text = (DATA / f"server.{kind}").read_text()
    assert old in text
    known = NETWORK_FORMATS.get(kind).build
    assert known.read is not None
    with pytest.raises(TopologyError) as raised:
        known.read(text.replace(old, new).encode(), "f", 1.0)
    assert said in str(raised.value)


def test_a_server_of_many_elements_is_refused() -> None:
    text = '<system version="1">' + "<a/>" * 100_000 + "</system>"
    with pytest.raises(
        TopologyError, match=r"f: too many elements for one server, found 100001; allowed: at most 100,000"
    ):
        parse_plane(text.encode(), "f")


def test_names_speeds_and_delays() -> None:
    fabric = ClosFabric()
    fabric.links[0].physical.latency.us = 1.5
    plane = parse_plane(fabric.serialize(encoding="json").encode(), "clos")
    assert plane.switch_names[:2] == ("leafsw.0", "leafsw.1")
    assert plane.host_names[:2] == ("host.0.nic.0", "host.0.nic.1")
    assert set(plane.access_up_gbps.tolist()) == {100.0}
    assert plane.access_delay_ns is not None
    assert set(plane.access_delay_ns.tolist()) == {1500.0}
    assert plane.delay_ns is None


@pytest.mark.parametrize(
    "topology",
    [
        "fat-tree:k=4",
        "jellyfish:k=6",
        "torus:dims=3x3",
        "single-switch:hosts=3",
        "leaf-spine:leaves=3,spines=2,hosts_per_leaf=2",
    ],
)
def test_what_is_written_comes_back_and_is_an_infrastructure(tmp_path: Path, topology: str) -> None:
    plane = build_plane(topology)
    write_plane(plane, tmp_path / "net.infragraph.yaml")
    assert same(read_plane(tmp_path / "net.infragraph.yaml"), plane)
    service = infragraph.infragraph_service.InfraGraphService()
    service.set_graph((tmp_path / "net.infragraph.yaml").read_text())
    assert len(service.infrastructure.instances) == plane.switch_count + plane.host_count


def test_links_inside_a_device_are_added_once(monkeypatch: pytest.MonkeyPatch) -> None:
    components = [{"name": "asic", "choice": "cpu", "count": 1}, {"name": "gpu", "choice": "xpu", "count": 300}]
    inside = {"ep1": {"component": "asic"}, "ep2": {"component": "gpu"}, "scheme": "many2many", "link": "cable"}
    board = {"name": "board", "components": components, "links": [{"name": "cable"}], "edges": [inside]}
    carrier = {
        "name": "carrier",
        "components": [{"name": "board", "choice": "device", "count": 1}],
        "links": [],
        "edges": [],
    }
    added, add_edge = [], nx.Graph.add_edge
    monkeypatch.setattr(nx.Graph, "add_edge", lambda *given, **known: (added.append(given), add_edge(*given, **known)))
    for devices, name in (([board], "board"), ([board, carrier], "carrier")):
        instances = [{"name": "server", "device": name, "count": 1}]
        added.clear()
        plane = parse_plane(document(devices=devices, instances=instances, edges=[]), "f")
        assert plane.host_count == 300
        assert 300 <= len(added) < 1500


def document(**changes: Any) -> bytes:
    """Two switches, and a host with a card for each."""
    switch = {
        "name": "switch",
        "components": [{"name": "port", "choice": "port", "count": 2}],
        "links": [],
        "edges": [],
    }
    host = {"name": "host", "components": [{"name": "nic", "choice": "nic", "count": 2}], "links": [], "edges": []}
    instances = [{"name": "s", "device": "switch", "count": 2}, {"name": "h", "device": "host", "count": 1}]

    def edge(*ends: tuple[str, str]) -> dict[str, Any]:
        one, two = ({"instance": instance, "component": component} for instance, component in ends)
        return {"ep1": one, "ep2": two, "scheme": "one2one", "link": "cable"}

    edges = [edge((f"s[{i}]", "port[0]"), ("h[0]", f"nic[{i}]")) for i in (0, 1)]
    edges.append(edge(("s[0]", "port[1]"), ("s[1]", "port[1]")))
    links = [
        {"name": "cable", "physical": {"bandwidth": {"choice": "gigabytes_per_second", "gigabytes_per_second": 5}}}
    ]
    whole = {"name": "n", "devices": [switch, host], "links": links, "instances": instances, "edges": edges}
    return json.dumps({**whole, **changes}).encode()


def test_bytes_are_bits_times_eight() -> None:
    plane = parse_plane(document(), "f")
    assert plane.capacity_uv_gbps.tolist() == [40.0]
    assert plane.host_names == ("h.nic.0", "h.nic.1")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"edges": 3}, "f: not an infrastructure; allowed: lists of devices, instances and edges"),
        ({"instances": [{"name": "s", "device": "switch", "count": -1}]}, "f: a component or instance without a count"),
        ({"instances": [{"name": "s", "device": "switch", "count": 10**12}]}, "allowed: fewer instances"),
        ({"devices": [{"name": [], "components": [{"choice": "port", "count": 1}]}]}, "f: InfraGraph refuses it: "),
        (
            {"devices": [{"name": "s", "components": {"choice": "port"}}]},
            "f: components of a device are not a list, found {'choice': 'port'}",
        ),
        (
            {"instances": [{"name": "s", "device": device, "count": 1} for device in ("switch", "host")]},
            "f: two instances have one name, found 's'",
        ),
        ({"instances": []}, "f: InfraGraph refuses it: "),
        (
            {"links": [{"name": "cable", "physical": {"bandwidth": {"gigatransfers_per_second": 32}}}]},
            "f: bandwidth of link 'cable', found 'gigatransfers_per_second'; allowed: gigabits_per_second",
        ),
    ],
)
def test_what_is_no_fabric_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(TopologyError) as raised:
        parse_plane(document(**changes), "f")
    assert said in str(raised.value)


def test_speeds_of_null_and_words_in_descriptions_are_none() -> None:
    links = [{"name": "cable", "physical": {"bandwidth": {"gigabytes_per_second": None}}}]
    whole = json.loads(document())
    instances = [{**one, "count": 1, "description": "x=. y=1..2"} for one in whole["instances"]]
    plane = parse_plane(document(links=links, instances=instances, edges=whole["edges"][:1]), "f", link_gbps=7.0)
    assert plane.access_up_gbps.tolist() == [7.0]
    assert plane.position is None


def test_a_card_with_two_links_is_refused() -> None:
    text = document().decode().replace("nic[1]", "nic[0]")
    with pytest.raises(TopologyError, match="has several links into one plane"):
        parse_plane(text.encode(), "f")


def test_names_that_it_has_not_are_refused(tmp_path: Path) -> None:
    plane = build_plane("torus:dims=3x3")
    odd = type(plane).from_cables(["a b", "c"], [0], [1])
    with pytest.raises(TopologyError, match="InfraGraph cannot hold names of other characters"):
        write_plane(odd, tmp_path / "net.infragraph.json")
    assert not list(tmp_path.iterdir())


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pnet_lp.extras.installed", lambda library: library != "infragraph")
    with pytest.raises(
        PnetError, match=r"infragraph is not installed: install it with `pip install 'pnet-lp\[infragraph\]'`"
    ):
        parse_plane(document(), "f")
