"""Networks: planes matched by the names of their racks and hosts."""

import pytest

from pnet_lp.errors import TopologyError
from pnet_lp.model import Network, Plane


def ring(names: str, **options: object) -> Plane:
    n = len(names)
    return Plane.from_cables(list(names), range(n), [(i + 1) % n for i in range(n)], label=names, **options)  # type: ignore[arg-type]


def test_racks_are_matched_by_name() -> None:
    network = Network.from_planes([ring("abcd"), ring("dbca")])
    first, second = network.planes
    assert network.common_racks
    assert network.rack_names == first.rack_names == second.rack_names == ("a", "b", "c", "d")
    assert second.switch_names == ("d", "b", "c", "a")
    assert second.rack_switch.tolist() == [3, 1, 2, 0]


def test_hosts_are_matched_by_name() -> None:
    one = ring("abc", host_switch=[0, 1, 2], host_names=["x", "y", "z"], access_gbps=[1, 2, 3])
    two = ring(
        "abc", host_switch=[0, 0, 2], host_names=["z", "x", "y"], access_gbps=[6, 4, 5], access_down_gbps=[9, 7, 8]
    )
    network = Network.from_planes([one, two])
    second = network.planes[1]
    assert network.host_names == second.host_names == ("x", "y", "z")
    assert second.host_switch.tolist() == [0, 2, 0]
    assert second.access_up_gbps.tolist() == [4, 5, 6]
    assert second.access_down_gbps.tolist() == [7, 8, 9]
    # Two has no rack b: demands between racks mean nothing.
    assert not network.common_racks
    assert network.default_level == "host"
    network.check_level("host")
    with pytest.raises(TopologyError, match="the planes do not share their racks") as caught:
        network.check_level("rack")
    assert caught.value.allowed == "level=host"


@pytest.mark.parametrize(
    ("planes", "variant"), [(["abc"], "serial"), (["abc", "abc"], "homogeneous"), (["abcd", "acbd"], "heterogeneous")]
)
def test_the_variant_is_inferred(planes: list[str], variant: str) -> None:
    assert Network.from_planes([ring(names) for names in planes]).variant == variant


def test_counts_and_fingerprint() -> None:
    network = Network.from_planes([ring("abcd"), ring("acbd"), ring("abcd")])
    assert (network.plane_count, network.switch_count, network.cable_count, network.rack_count) == (3, 12, 12, 4)
    assert (network.host_count, network.default_level) == (0, "rack")
    assert network.endpoint_names("rack") == ("a", "b", "c", "d")
    swapped = Network.from_planes([ring("acbd"), ring("abcd"), ring("abcd")])
    assert swapped.fingerprint != network.fingerprint
    assert Network.from_planes(network.planes).fingerprint == network.fingerprint
    with pytest.raises(TopologyError, match="the network has no hosts, so host-level demands mean nothing"):
        network.check_level("host")


@pytest.mark.parametrize(
    ("planes", "message"),
    [
        ([], "a network needs at least one plane"),
        (
            [ring("abc"), ring("abx")],
            "planes 'abc' and 'abx' have no common racks: only one has 'c'; "
            "allowed: planes over the same racks, or with hosts of the same names",
        ),
        (
            [ring("abc", host_switch=[0, 1]), ring("abd", host_switch=[0])],
            "planes name different hosts: only one of 'abc' (2 hosts) and 'abd' (1 hosts) has 'h1'; "
            "allowed: planes over the same hosts",
        ),
    ],
)
def test_planes_that_make_no_network(planes: list[Plane], message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        Network.from_planes(planes)
    assert str(caught.value) == message


def test_planes_over_the_same_hosts_may_have_different_switches() -> None:
    network = Network.from_planes([ring("abc", host_switch=[0, 1]), ring("wxyz", host_switch=[3, 0])])
    assert not network.common_racks
    assert network.endpoint_names("host") == ("h0", "h1")
