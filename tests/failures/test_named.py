"""Failures by name."""

import numpy as np
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.failures import Failures, Mask, fail
from pnet_lp.failures.named import named_parts
from pnet_lp.hops import count_hops
from pnet_lp.model import Network, Plane
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

SPEED = 10.0


def two_planes() -> Network:
    """A line of ``a-1``, ``b`` and ``a``, with two cables in the first step, and a plane without the last step."""
    names = ["a-1", "b", "a"]
    hosts = {"host_switch": [0, 1, 2], "access_gbps": SPEED, "host_names": ["x", "y", "z"]}
    return Network.from_planes(
        [
            Plane.from_cables(names, [0, 0, 1], [1, 1, 2], SPEED, **hosts),
            Plane.from_cables(names, [0], [1], SPEED, **hosts),
        ]
    )


def down(mask: Mask) -> list[list[list[int]]]:
    """Which cables, switches and hosts of each plane are down."""
    return [
        [np.flatnonzero(part).tolist() for part in (arcs[0::2], switches, hosts)]
        for arcs, switches, hosts in zip(mask.arcs, mask.switches, mask.hosts, strict=True)
    ]


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("b-a", [[2], [], []], [[], [], []]),
        ("a - b", [[2], [], []], [[], [], []]),
        ("a-1-b", [[0, 1], [], []], [[0], [], []]),
        ("a-1-b#1", [[1], [], []], [[], [], []]),
        ("1:b-a-1", [[], [], []], [[0], [], []]),
        ("a", [[2], [2], []], [[], [2], []]),
        ("0:a-1", [[0, 1], [0], []], [[], [], []]),
        ("y", [[], [], [1]], [[], [], [1]]),
        ("0:y", [[], [], [1]], [[], [], []]),
        ("1:z-a", [[], [], []], [[], [], [2]]),
    ],
)
def test_what_a_name_stands_for(name: str, first: list[list[int]], second: list[list[int]]) -> None:
    assert down(named_parts(two_planes(), [name])) == [first, second]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "bb",
            "fail: no switch, host or link is called 'bb' (did you mean 'b'?); allowed: a switch, a host, a link u-v",
        ),
        ("x-b", "fail: no switch, host or link is called 'x-b'"),
        ("1:b-a", "fail: no switch, host or link is called 'b-a'"),
        ("a-1-b#7", "fail: no switch, host or link is called 'a-1-b#7'"),
        ("7:b", "fail: no such plane, found '7:b'; allowed: 0 to 1"),
        ("", "fail: no switch, host or link is called ''"),
    ],
)
def test_unknown_names(name: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        named_parts(two_planes(), ["b", name])
    assert str(caught.value).startswith(message)


def test_a_name_of_two_parts_is_refused() -> None:
    plane = Plane.from_cables(["a", "b", "a-b"], [0, 1], [1, 2], SPEED)
    with pytest.raises(SpecError, match="'a-b' stands for 2 parts of plane 0"):
        named_parts(Network.from_planes([plane]), ["a-b"])


def test_what_is_named_is_what_fails() -> None:
    """A host without one of two ports sends half as much; the same link failed by name and by capacity is the same."""
    network = build_network(["fat-tree:k=4"], planes=2, link_gbps=SPEED)
    traffic = build_traffic("permutation", network, "host")
    whole = solve(network, traffic)
    assert solve(fail(network, Failures(names=("1:h0-edge0",))), traffic).throughput_gbps == pytest.approx(
        whole.throughput_gbps / 2
    )
    assert solve(fail(network, Failures(names=("h0",))), traffic).throughput_gbps == 0
    cut = fail(network, Failures(names=("0:edge0-agg0", "0:agg1")))
    plane = cut.planes[0]
    names = plane.switch_names
    for u, v, speed in zip(plane.cable_u, plane.cable_v, plane.capacity_uv_gbps, strict=True):
        gone = {names[u], names[v]} == {"edge0", "agg0"} or "agg1" in (names[u], names[v])
        assert (speed == 0) == gone
    assert cut.planes[1] is network.planes[1]


def test_hops_without_hosts() -> None:
    """Of 16 hosts two are gone: 16 * 15 - 14 * 13 pairs; the two also cannot reach each other."""
    network = build_network(["fat-tree:k=4"])
    assert count_hops(fail(network, Failures(names=("h0", "h1"))), "host").disconnected == 58
