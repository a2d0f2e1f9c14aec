"""Network cards, optics to hosts, and what is inside servers, against counts by hand."""

from __future__ import annotations

from typing import Any

import pytest

import pnet_lp as pn
from pnet_lp.errors import PnetError
from pnet_lp.model import Network

CLUSTER = {"planes": 8, "link_gbps": 100, "server": "single-switch:hosts=8", "server_gbps": 3600}
LEAVES = "leaf-spine:leaves=4,spines=2,hosts_per_leaf=16"


def parts(topology: str = LEAVES, **keys: Any) -> dict[str, float]:
    found = pn.cost(topology, **keys).document["parts"]
    return {part["part"]: part["count"] for part in found}


def test_nothing_of_hosts_is_counted_unless_requested() -> None:
    """With servers the planes cost what they do without, and the answer says what is left out."""
    with_servers, plain = pn.cost(LEAVES, **CLUSTER), pn.cost(LEAVES, planes=8, link_gbps=100)
    assert with_servers.document["total_usd"] == plain.document["total_usd"]
    assert with_servers.document["of_hosts"] == {"nics": False, "access": "copper", "scale_up": False}
    assert "of_hosts" not in plain.document


def test_a_cluster_counted_by_hand() -> None:
    """64 accelerators with a card of eight ports and a cable of eight channels each, in eight servers."""
    plain, found = parts(planes=8, link_gbps=100), parts(**CLUSTER, nics=True, scale_up=True, access="sr")
    added = {
        "nic-8x100g": 64,
        "scale-up-switch-8x3600g": 8,
        "scale-up-link-3600g": 64,
        "transceiver-sr-800g": 2 * 64,
        "fiber-mm": 64,
    }
    assert found == {**{part: count for part, count in plain.items() if part != "copper-800g"}, **added}
    # Cards that are not counted have optics of their own.
    assert parts(**CLUSTER, access="sr")["transceiver-sr-800g"] == 64


def test_rails_have_a_port_for_each_plane_of_theirs() -> None:
    """Of four planes in two rails a card has two; direct links join each two of four accelerators."""
    keys = {"planes": 4, "link_gbps": 50, "rails": 2, "server": "complete:n=4", "server_gbps": 200}
    found = parts("single-switch:hosts=8", **keys, nics=True, scale_up=True)
    assert found["nic-2x50g"] == 8
    assert found["scale-up-link-200g"] == 2 * 6
    assert not any(part.startswith("scale-up-switch") for part in found)


def test_cards_of_planes_of_several_speeds() -> None:
    planes = [pn.build_network("single-switch:hosts=4", link_gbps=gbps).planes[0] for gbps in (100, 400)]
    network = Network.from_planes(planes)
    found = {part["part"]: part["count"] for part in pn.cost(network, nics=True).document["parts"]}
    assert found["nic-1x400g+1x100g"] == 4


def test_what_failed_has_been_bought() -> None:
    keys = {**CLUSTER, "nics": True, "scale_up": True, "traffic": "ring"}
    whole, broken = (pn.cost(LEAVES, **keys, **fails).document for fails in ({}, {"fail": ["s0a0", "s1.0"]}))
    assert whole["total_usd"] == broken["total_usd"]
    assert whole["throughput"]["throughput_gbps"] > broken["throughput"]["throughput_gbps"]


def test_price_performance_counts_the_same() -> None:
    keys = {**CLUSTER, "nics": True, "scale_up": True, "traffic": "ring"}
    found, priced = pn.price_performance(LEAVES, **keys).document, pn.cost(LEAVES, **keys).document
    assert found["total_usd"] == priced["total_usd"]
    assert found["carried_gbps"] == pytest.approx(priced["throughput"]["total_gbps"], rel=1e-4)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"topology": "ring:n=4", "nics": True}, "nics: the network has no hosts"),
        ({"scale_up": True}, "scale_up: the network has no servers; allowed: a network with --server"),
        (
            CLUSTER | {"fail": ["s0"], "server_gbps": None},
            "fail: has no meaning for a cost without traffic or bisection",
        ),
    ],
)
def test_what_there_is_not_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(PnetError, match=message):
        pn.cost(keys.pop("topology", LEAVES), **keys)
