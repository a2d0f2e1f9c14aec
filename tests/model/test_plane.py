"""Planes: what is checked when one is made, and what stays the same through networkx."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import networkx as nx
import numpy as np
import pytest

from pnet_lp.errors import TopologyError
from pnet_lp.model import Plane
from pnet_lp.units import DELAYS


def rich() -> Plane:
    """Return a plane with parallel cables, unequal speeds, a choice of racks and hosts with and without a link."""
    return Plane.from_cables(
        ["a", "b", "c"],
        [1, 0, 0, 2],
        [0, 1, 2, 1],
        [1, 2, 3.5, 0],
        capacity_back_gbps=[1, 5, 3.5, 4],
        racks=[2, 0],
        host_switch=[0, 2, -1, 0],
        access_gbps=[10, 20, 30, 40],
        access_down_gbps=[10, 25, 30, 40],
        host_names=["h3", "h1", "h2", "h0"],
        tier=[0, 1, 0],
        label="rich",
        position=[[0.5, -2], [np.nan, np.nan], [3, 4]],
        box=[7, 7, 0],
    )


def test_arrays_are_as_documented() -> None:
    plane = rich()
    assert plane.cable_u.dtype == plane.host_switch.dtype == plane.tier.dtype == np.int32
    assert plane.capacity_uv_gbps.dtype == plane.access_up_gbps.dtype == np.float64
    assert (plane.switch_count, plane.cable_count, plane.host_count) == (3, 4, 4)
    assert plane.rack_names == ("c", "a")
    assert plane.degree.tolist() == [3, 3, 2]
    tail, head, capacity = plane.arcs
    assert tail.tolist() == [1, 0, 0, 1, 0, 2, 2, 1]
    assert head.tolist() == [0, 1, 1, 0, 2, 0, 1, 2]
    assert capacity.tolist() == [1, 1, 2, 5, 3.5, 3.5, 0, 4]
    # A host without a link into this plane has no speed.
    assert plane.access_up_gbps.tolist() == [10, 20, 0, 40]
    assert plane.access_down_gbps.tolist() == [10, 25, 0, 40]


def test_a_plane_cannot_be_changed() -> None:
    plane = rich()
    with pytest.raises(ValueError, match="read-only"):
        plane.capacity_uv_gbps[0] = 7
    with pytest.raises(FrozenInstanceError):
        plane.label = "other"  # type: ignore[misc]


def test_arrays_given_are_copied() -> None:
    speeds = np.array([1.0, 2.0])
    plane = Plane.from_cables(3, [0, 1], [1, 2], speeds)
    speeds[0] = 9
    assert plane.capacity_uv_gbps.tolist() == [1, 2]


def test_racks_are_the_switches_with_hosts_or_all() -> None:
    assert Plane.from_cables(3, [0], [1]).rack_switch.tolist() == [0, 1, 2]
    assert Plane.from_cables(3, [0], [1], host_switch=[2, 1, 2, -1]).rack_switch.tolist() == [1, 2]
    assert Plane.from_cables(3, [0], [1], host_switch=[2], racks=[1]).rack_switch.tolist() == [1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [], []), "plane: a plane needs at least one switch"),
        ((["a", "b", "a"], [], []), "plane: the name 'a' is used by two switches"),
        ((["a", ""], [], []), "plane: a switch's name is not printable text, found ''"),
        ((["a", "b\nc"], [], []), "plane: a switch's name is not printable text, found 'b\\nc'"),
        ((["a", " b"], [], []), "plane: a switch's name is not printable text, found ' b'"),
        ((3, [0, 1], [1]), "plane: cables have 2 first and 1 second ends"),
        ((3, [0, 1], [1, 3]), "plane: no such cable end, found 3; allowed: 0 to 2"),
        ((3, [0, -1], [1, 2]), "plane: no such cable end, found -1; allowed: 0 to 2"),
        ((3, [0.5], [1]), "plane: cable ends must be a list of whole numbers"),
        ((["a", "b"], [0, 1], [1, 1]), "plane: a cable joins switch 'b' to itself"),
        ((2, [0], [1], -1), "plane: cable '0' - '1': invalid speed, found -1.0; allowed: 0, or 1e-15 to 1e+15 Gb/s"),
        (
            (3, [0, 1], [1, 2], [1, np.nan]),
            "plane: cable '1' - '2': invalid speed, found nan; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
        (
            (2, [0], [1], [np.inf]),
            "plane: cable '0' - '1': invalid speed, found inf; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
        ((2, [0], [1], ["fast"]), "plane: a link's speed is not a number; allowed: 0, or 1e-15 to 1e+15 Gb/s"),
        ((2, [0], [1], [10**400]), "plane: a link's speed is not a number; allowed: 0, or 1e-15 to 1e+15 Gb/s"),
        ((2, [0], [1], [1, 2]), "plane: 1 links have 2 speeds"),
    ],
)
def test_wrong_cables(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        Plane.from_cables(*arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"capacity_back_gbps": -2},
            "x: cable 'a' - 'b': invalid speed, found -2.0; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
        ({"racks": []}, "x: a plane needs at least one rack"),
        ({"racks": [0, 0]}, "x: two racks are on one switch"),
        ({"racks": [2]}, "x: no such rack's switch, found 2; allowed: 0 to 1"),
        ({"host_switch": [2]}, "x: no such host's switch, found 2; allowed: -1 to 1"),
        ({"host_switch": [0, 1], "host_names": ["h"]}, "x: 2 hosts have 1 names"),
        ({"host_switch": [0, 1], "host_names": ["h", "h"]}, "x: the name 'h' is used by two hosts"),
        ({"box": [0]}, "x: 2 switches have 1 boxes; allowed: one for each switch"),
        ({"box": [0, -1]}, "x: no such box number, found -1; allowed: 0 to 2147483646"),
        ({"box": [0, 0.5]}, "x: box numbers must be a list of whole numbers"),
        ({"delay_ns": [1, 2]}, "x: 1 links have 2 delays"),
        ({"delay_ns": "far"}, f"x: a link's delay is not a number; allowed: {DELAYS}"),
        ({"delay_ns": [-1]}, f"x: cable 'a' - 'b': invalid delay, found -1.0; allowed: {DELAYS}"),
        (
            {"host_switch": [0, 1], "access_delay_ns": [1, 2e9]},
            f"x: access link of 'h1': invalid delay, found 2000000000.0; allowed: {DELAYS}",
        ),
        (
            {"host_switch": [0, 1], "access_gbps": [1, -1]},
            "x: access link of 'h1': invalid speed, found -1.0; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
    ],
)
def test_wrong_racks_and_hosts(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        Plane.from_cables(["a", "b"], [0], [1], label="x", **arguments)
    assert str(caught.value) == message


def test_the_fingerprint_is_that_of_structure_names_and_speeds() -> None:
    def made(**changes: Any) -> str:
        arguments: dict[str, Any] = {
            "switches": ["a", "b", "c"],
            "cable_u": [0, 1],
            "cable_v": [1, 2],
            "capacity_gbps": [1, 2],
            "host_switch": [0, 2],
        }
        return Plane.from_cables(**(arguments | changes)).fingerprint

    same = made()
    assert same.startswith("sha256:")
    assert made(position=np.zeros((3, 2))) == same
    assert made(label="other") == made(capacity_back_gbps=[1, 2]) == made(racks=[0, 2]) == same
    changed = [
        made(switches=["a", "b", "d"]),
        made(cable_v=[1, 0]),
        made(cable_u=[1, 1], cable_v=[0, 2]),
        made(capacity_gbps=[1, 3]),
        made(capacity_back_gbps=[1, 3]),
        made(host_switch=[0, 1]),
        made(access_gbps=7),
        made(host_names=["x", "y"]),
        made(racks=[2, 0]),
        made(box=[0, 0, 1]),
        made(box=[0, 1, 2]),
        made(delay_ns=[5, np.nan]),
        made(access_delay_ns=5),
    ]
    assert made(delay_ns=[np.nan] * 2, access_delay_ns=np.nan) == same
    assert len({same, *changed}) == len(changed) + 1


def test_scaling_multiplies_every_link() -> None:
    plane = rich().scaled(3)
    assert np.array_equal(plane.position, rich().position, equal_nan=True)  # type: ignore[arg-type]
    assert plane.box is not None
    assert plane.box.tolist() == [7, 7, 0]
    assert plane.capacity_uv_gbps.tolist() == [3, 6, 10.5, 0]
    assert plane.capacity_vu_gbps.tolist() == [3, 15, 10.5, 12]
    assert plane.access_up_gbps.tolist() == [30, 60, 0, 120]
    assert plane.access_down_gbps.tolist() == [30, 75, 0, 120]
    assert (plane.label, plane.host_names, plane.rack_names) == ("rich", rich().host_names, ("c", "a"))
    assert rich().scaled(1).fingerprint == rich().fingerprint


def restored(graph: nx.Graph[Any], **options: Any) -> Plane:
    return Plane.from_networkx(graph, **options)


@pytest.mark.parametrize(
    "through", [lambda graph: graph, lambda graph: graph.to_directed(), lambda graph: graph.copy()]
)
def test_networkx_keeps_everything(through: Any) -> None:
    plane = rich()
    again = restored(through(plane.to_networkx()))
    assert again.fingerprint == plane.fingerprint
    assert again.tier.tolist() == plane.tier.tolist()
    assert np.array_equal(again.position, plane.position, equal_nan=True)  # type: ignore[arg-type]
    assert np.array_equal(again.box, plane.box)  # type: ignore[arg-type]


def test_attributes_of_the_graph() -> None:
    graph = rich().to_networkx()
    assert graph.number_of_edges() == 7
    assert dict(graph.nodes["a"]) == {"kind": "switch", "tier": 0, "rack": 1, "x": 0.5, "y": -2.0, "box": 7}
    assert dict(graph.nodes["b"]) == {"kind": "switch", "tier": 1, "box": 7}
    assert dict(graph.nodes["h2"]) == {"kind": "host", "host": 2}
    assert graph.edges["a", "c", 0] == {"tail": "a", "capacity_gbps": 3.5, "cable": 2}
    assert graph.edges["a", "b", 1] == {"tail": "a", "capacity_gbps": 2.0, "capacity_back_gbps": 5.0, "cable": 1}
    assert graph.edges["h1", "c", 0] == {"tail": "h1", "capacity_gbps": 20.0, "capacity_back_gbps": 25.0}


def test_any_graph_is_a_plane_of_switches() -> None:
    plane = restored(nx.petersen_graph(), link_gbps=10)
    assert (plane.switch_count, plane.cable_count, plane.host_count) == (10, 15, 0)
    assert plane.rack_names == tuple(map(str, range(10)))
    assert set(plane.capacity_uv_gbps.tolist()) == {10.0}
    weighted = nx.Graph()
    weighted.add_edge("x", "y", speed=7)
    assert restored(weighted, capacity="speed").capacity_vu_gbps.tolist() == [7]


@pytest.mark.parametrize(
    ("attributes", "gbps"),
    [
        ({"capacity_gbps": 7}, 7),
        ({"capacity": 7}, 7),
        ({"bandwidth": "7", "weight": 1}, 7),
        ({"capacity_gbps": 7, "capacity": 1, "bandwidth": 2}, 7),
        ({"LinkSpeedRaw": 7e9}, 7),
    ],
)
def test_speeds_of_graphs_have_several_names(attributes: dict[str, Any], gbps: float) -> None:
    plane = restored(nx.Graph([("a", "b", attributes)]))
    assert plane.capacity_uv_gbps.tolist() == [gbps]
    assert plane.warnings == ()


def test_attributes_that_could_be_speeds_are_not_passed_over_in_silence() -> None:
    plane = restored(nx.Graph([("a", "b", {"speed": 7}), ("b", "c", {"weight": 2})]), label="mine")
    assert plane.capacity_uv_gbps.tolist() == [100, 100]
    assert plane.warnings == (
        "mine: no edge has a speed (capacity_gbps, capacity, bandwidth, LinkSpeedRaw), and all get 100 Gb/s, "
        "the speed of links without one (--link-gbps); not read: speed, weight",
    )
    assert plane.scaled(2).warnings == plane.warnings
    assert plane.fingerprint == restored(nx.path_graph(["a", "b", "c"])).fingerprint


def test_arcs_of_a_directed_graph_are_paired() -> None:
    graph = nx.MultiDiGraph()
    for u, v, speed in [("a", "b", 1), ("b", "a", 2), ("a", "b", 3), ("b", "c", 5), ("c", "b", 5), ("b", "a", 4)]:
        graph.add_edge(u, v, capacity_gbps=speed)
    plane = restored(graph)
    assert plane.cable_count == 3
    pairs = zip(plane.capacity_uv_gbps.tolist(), plane.capacity_vu_gbps.tolist(), strict=True)
    assert sorted(pairs) == [(1, 2), (3, 4), (5, 5)]


def with_edges(*edges: tuple[Any, Any, dict[str, Any]], **kinds: dict[str, Any]) -> nx.MultiGraph[Any]:
    graph: nx.MultiGraph[Any] = nx.MultiGraph()
    for node, attributes in kinds.items():
        graph.add_node(node, **attributes)
    graph.add_edges_from(edges)
    return graph


HOST = {"kind": "host"}


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.Graph(), "plane: a plane needs at least one switch"),
        (nx.DiGraph([("a", "b")]), "plane: link 'a' -> 'b' has no reverse link 'b' -> 'a'; allowed: directed graphs "),
        (with_edges(("h", "g", {}), h=HOST, g=HOST, a={}), "plane: hosts 'g' and 'h' are joined without a switch"),
        (with_edges(("h", "a", {}), ("b", "h", {}), h=HOST), "plane: host 'h' has several links into one plane"),
        (with_edges(("a", "a", {})), "plane: a cable joins switch 'a' to itself"),
        (
            with_edges(("a", "b", {"capacity": 1, "bandwidth": 2})),
            "plane: edges have both capacity and bandwidth; allowed: capacity_gbps, or one of the two",
        ),
        (
            with_edges(("a", "b", {"LinkSpeedRaw": "fast"})),
            "plane: LinkSpeedRaw of 'a' - 'b' is not a valid link speed, found 'fast'; allowed: finite bit/s >= 0",
        ),
        (
            with_edges(("a", "b", {"capacity_gbps": "x"})),
            "plane: cable 'a' - 'b': speed is not a number, found 'x'; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
        (
            with_edges(("a", "b", {"capacity_gbps": -1})),
            "plane: cable 'a' - 'b': invalid speed, found -1.0; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
        (with_edges(("a", "b", {"tail": "c"})), "plane: edge 'a' - 'b' is counted from neither end, found 'c'"),
        (
            with_edges(("a", "b", {"cable": -1})),
            "plane: cable of 'a' - 'b' is not an index, found -1; allowed: whole numbers >= 0",
        ),
        (with_edges(a={"tier": "top"}), "plane: tier of 'a' is not an index, found 'top'; allowed: whole numbers >= 0"),
        (with_edges(a={"rack": 1.5}), "plane: rack of 'a' is not an index, found 1.5; allowed: whole numbers >= 0"),
        (with_edges(a={"box": 1}, b={}, h=HOST), "plane: switch 'b' has no box, and others have one"),
        (
            with_edges(("a", "b", {"delay_ns": 1, "length_m": 1})),
            "plane: cable 'a' - 'b': delay is not one number, found 'delay_ns=1, length_m=1'; allowed: delay_ns, or",
        ),
        (
            with_edges(("a", "b", {"length_m": "far"})),
            "plane: cable 'a' - 'b': delay is not one number, found 'length_m=far'; allowed: delay_ns, or length_m",
        ),
        (with_edges(a={"x": 1, "y": "north"}), "plane: 'a': a position is not a pair of numbers, found "),
        (with_edges(a={"pos": (1, np.inf)}), "plane: 'a': a position is not finite, found "),
        (with_edges(a={}, h=HOST | {"host": []}), "plane: host of 'h' is not an index, found []; allowed: "),
    ],
)
def test_graphs_that_are_no_planes(graph: nx.Graph[Any], message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        restored(graph)
    assert str(caught.value).startswith(message)


def test_an_attribute_that_no_edge_has_is_refused() -> None:
    with pytest.raises(TopologyError) as caught:
        restored(with_edges(("a", "b", {"speed": 1, "bw": 2})), capacity="sped")
    assert str(caught.value) == "plane: no edge has the attribute 'sped', found 'bw, speed'"


def test_a_text_is_no_list_of_names() -> None:
    with pytest.raises(TopologyError) as caught:
        Plane.from_cables("abc", [0], [1])
    assert str(caught.value) == "plane: switches is a text, found 'abc'; allowed: a list of names"
    with pytest.raises(TopologyError, match="plane: host_names is a text, found 'h'; allowed: a list of names"):
        Plane.from_cables(2, [0], [1], host_switch=[0], host_names="h")


def test_a_graph_has_one_namespace() -> None:
    plane = Plane.from_cables(["a", "b"], [0], [1], host_switch=[0], host_names=["b"])
    with pytest.raises(TopologyError, match="plane: the name 'b' is used by a switch and a host"):
        plane.to_networkx()


def test_delays_of_graphs() -> None:
    """A length of 2 m is 10 ns; a directed graph says a cable's delay once, and the same in both directions."""
    graph = nx.Graph([("a", "b", {"length_m": 2, "capacity_gbps": 1}), ("b", "h", {"delay_ns": 3.5})])
    graph.nodes["h"]["kind"] = "host"
    plane = restored(graph)
    assert plane.delay_ns is not None
    assert plane.access_delay_ns is not None
    assert (plane.delay_ns.tolist(), plane.access_delay_ns.tolist()) == ([10.0], [3.5])
    assert restored(plane.to_networkx().to_directed()).fingerprint == plane.fingerprint
    arcs = nx.DiGraph([("a", "b", {"delay_ns": 1}), ("b", "a", {"delay_ns": 2})])
    with pytest.raises(TopologyError, match=r"cable 'b' - 'a' has two delays, found 2.0; allowed: 1 ns"):
        restored(arcs)


def test_names_of_racks_are_made_once() -> None:
    """A network asks for them a dozen times, and may have millions."""
    found = Plane.from_cables(3, [0, 1], [1, 2], racks=[0, 2])
    assert found.rack_names == ("0", "2")
    assert found.rack_names is found.rack_names
