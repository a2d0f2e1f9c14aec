"""Servers of accelerators: names, rails, what they are a part of, and what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

import pnet_lp as pn
from pnet_lp.errors import PnetError
from pnet_lp.model import Network
from pnet_lp.model.servers import LINK_KINDS
from pnet_lp.topology import build_network


def served(topology: str = "single-switch:hosts=12", server: str = "single-switch:hosts=4", **keys: object) -> Network:
    return pn.build_network(topology, server=server, **keys)


def test_hosts_are_named_by_server_and_index_unless_they_have_names() -> None:
    assert served().host_names[:6] == ("s0a0", "s0a1", "s0a2", "s0a3", "s1a0", "s1a1")
    named = served("ring:n=4", "complete:n=2", hosts_per_switch=1)
    assert named.host_names == ("0.h0", "1.h0", "2.h0", "3.h0")


def test_rails_say_to_which_planes_an_accelerator_attaches() -> None:
    network = served(planes=4, rails=2, link_gbps=50)
    for p, plane in enumerate(network.planes):
        index = np.arange(12) % 4
        assert np.array_equal(plane.host_switch >= 0, index % 2 == p % 2)
        assert np.array_equal(plane.access_up_gbps, np.where(index % 2 == p % 2, 50.0, 0.0))
    assert all((plane.host_switch >= 0).all() for plane in served(planes=4).planes)


def test_everything_inside_a_server_enters_the_fingerprint_of_the_network() -> None:
    plain = build_network("single-switch:hosts=12", planes=2)
    one = served(planes=2, relay="ends")
    others = [
        one,
        served(planes=2, relay="any"),
        served(planes=2, rails=2),
        served(planes=2, server_gbps=200),
        served(planes=2, server="complete:n=4"),
    ]
    assert len({plain.fingerprint, *(network.fingerprint for network in others)}) == 6
    assert served(planes=2).fingerprint == one.fingerprint  # both ends by default
    assert plain.graph is plain


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"server": "single-switch:hosts=5"}, "12 hosts do not fill servers of 5; allowed: a divisor of the hosts"),
        ({"planes": 4, "rails": 3}, "rails: 4 planes and servers of 4 cannot be dealt evenly to rails, found 3"),
        ({"planes": 3, "rails": 3}, "rails: 3 planes and servers of 4 cannot be dealt evenly to rails, found 3"),
        ({"rails": 0}, "greater than or equal to 1"),
        ({"server": "2x[complete:n=4]"}, "server: 2x[complete:n=4]: expected one plane, found 2"),
        ({"server": "nonsense:n=4"}, "server: unknown topology 'nonsense'"),
        ({"server_gbps": -1}, "greater than or equal to 0"),
        ({"server": "complete:n=4,link_gbps=9", "server_gbps": 5}, "every link of the server has a speed of its own"),
        ({"relay": "both"}, "relay"),
        ({"topology": "ring:n=4"}, "no hosts to be in servers; allowed: planes with hosts"),
        ({"topology": ["single-switch:hosts=12", "single-switch:hosts=8"]}, "planes name different hosts"),
    ],
)
def test_what_does_not_fit_is_refused(keys: dict[str, object], says: str) -> None:
    with pytest.raises(PnetError) as refused:
        pn.build_network(**{"topology": "single-switch:hosts=12", "server": "single-switch:hosts=4", **keys})
    assert says in str(refused.value)


@pytest.mark.parametrize(("key", "value"), [("server_gbps", 5), ("rails", 2), ("relay", "any")])
def test_keys_of_servers_mean_nothing_without_servers(key: str, value: object) -> None:
    with pytest.raises(PnetError, match="has no meaning without servers, found"):
        pn.build_network("single-switch:hosts=12", planes=2, **{key: value})


def test_demands_are_between_accelerators() -> None:
    with pytest.raises(PnetError, match="servers are of hosts, so rack-level demands mean nothing"):
        pn.throughput("single-switch:hosts=12", server="complete:n=4", level="rack", traffic="all-to-all")


@pytest.mark.parametrize(
    "question",
    [
        lambda network: pn.throughput(network, traffic="all-to-all", routing="vlb"),
        lambda network: pn.throughput(network, traffic="all-to-all", objective="min-cost"),
        lambda network: pn.throughput(network, traffic="all-to-all", least_load=True),
    ],
)
def test_what_is_not_defined_for_servers_says_so(question: object) -> None:
    with pytest.raises(PnetError, match="is not defined for networks with servers; allowed: the network without them"):
        question(served())  # type: ignore[operator]


@pytest.mark.parametrize("relay", ["none", "source", "ends", "any"])
def test_links_of_the_graph_know_what_they_are(relay: str) -> None:
    """Those that carry anything are, with a plane's number, links of it, or ports, or inside servers."""
    network = served("leaf-spine:leaves=2,spines=2,hosts_per_leaf=4", planes=2, rails=2, relay=relay)
    found: dict[tuple[int, str], set[tuple[str, str]]] = {}
    for p, graph in enumerate(network.graph.planes):
        for arc, capacity in enumerate(graph.arcs[2].tolist()):
            link = network.link(p, arc)
            if capacity > 0 and link.ends[0] != link.ends[1]:
                found.setdefault((link.plane, link.kind), set()).add(link.ends)
    inside = {("s0a0", "s0.0"), ("s0.0", "s0a0"), ("s1a3", "s1.0")}
    assert inside <= found.pop((2, "server"))
    for p in range(2):
        assert ("leaf0", "spine1") in found.pop((p, "core"))
        if relay != "none":  # as in any network, access links are beside the graph
            assert found.pop((p, "access-up")) == {(f"s{k}a{i}", f"leaf{k}") for k in (0, 1) for i in (p, p + 2)}
            assert found.pop((p, "access-down")) == {(f"leaf{k}", f"s{k}a{i}") for k in (0, 1) for i in (p, p + 2)}
    assert not found
    assert {kind for kinds in network.link_kinds for kind in kinds.tolist()} <= set(range(len(LINK_KINDS)))
