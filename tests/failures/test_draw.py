"""What is drawn: how much, together with what, and that seeds alone decide."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pnet_lp as pn
from pnet_lp.errors import SpecError, TopologyError
from pnet_lp.failures import FailureModel, Failures, Mask, Portion, apply_mask, fail, rounded_away, share_of
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.connected import lost_pairs
from pnet_lp.topology import build_network

from .conftest import failures, networks, shares

HALF = 0.5


def same(a: Mask, b: Mask) -> bool:
    return all(map(np.array_equal, a.arcs, b.arcs)) and all(map(np.array_equal, a.switches, b.switches))


def within(small: Mask, large: Mask) -> bool:
    pairs = [*zip(small.arcs, large.arcs, strict=True), *zip(small.switches, large.switches, strict=True)]
    return all(not np.any(a & ~b) for a, b in pairs)


@given(networks(), failures(), st.integers(0, 5), st.integers(0, 5))
def test_draws_depend_on_seed_and_trial_alone(network: Network, expected: Failures, seed: int, trial: int) -> None:
    model = FailureModel(network, expected)
    first = model.draw(seed, trial)
    model.draw(seed + 1, trial)
    assert same(first, model.draw(seed, trial))
    assert same(first, FailureModel(network, expected).draw(seed, trial))


@given(networks(), failures(), shares, shares)
def test_larger_shares_fail_what_smaller_ones_do(
    network: Network, expected: Failures, links: Portion, switches: Portion
) -> None:
    def more(a: Portion, b: Portion) -> Portion:
        return max(a, b, key=share_of)

    larger = Failures(
        more(links, expected.links),
        more(switches, expected.switches),
        expected.planes,
        expected.unit,
        expected.mode,
        ports=expected.ports,
    )
    assert within(FailureModel(network, expected).draw(3), FailureModel(network, larger).draw(3))


@given(networks(), shares)
def test_the_share_is_exact_and_per_plane(network: Network, share: Portion) -> None:
    mask = FailureModel(network, Failures(links=share)).draw()
    for plane, down in zip(network.planes, mask.arcs, strict=True):
        both = down.reshape(-1, 2)
        assert np.array_equal(both[:, 0], both[:, 1])
        assert int(both[:, 0].sum()) == int(share_of(share) * plane.cable_count + HALF)
    assert mask.switch_count == 0


def test_directions_fail_one_by_one() -> None:
    network = build_network(["jellyfish:switches=200,ports=20,hosts=0,seed=1"])
    down = FailureModel(network, Failures(links=0.3, unit="direction")).draw().arcs[0].reshape(-1, 2)
    # 4,000 draws with probability 0.3; both of a cable with 0.09.
    assert down.mean() == pytest.approx(0.3, abs=0.03)
    assert down.all(axis=1).mean() == pytest.approx(0.09, abs=0.03)


def test_planes_trials_and_seeds_differ() -> None:
    network = build_network(["jellyfish:k=8"], planes=2)
    model = FailureModel(network, Failures(links=0.5))
    mask = model.draw()
    assert not np.array_equal(*mask.arcs)
    assert not same(mask, model.draw(trial=1))
    assert not same(mask, model.draw(seed=1))


def test_independent_failures_vary_in_number() -> None:
    network = build_network(["jellyfish:k=8"])
    model = FailureModel(network, Failures(links=0.25, mode="independent"))
    counts = [model.draw(trial=trial).arc_count for trial in range(200)]
    # 256 cables, both directions: mean 128, standard deviation 13.9 of one draw.
    assert np.mean(counts) == pytest.approx(128, abs=4)
    assert np.std(counts) == pytest.approx(13.9, abs=2.5)


def test_boxes_fail_as_a_whole() -> None:
    network = build_network(["chassis-fat-tree:hosts=32,radix=4,chassis=8"])
    (plane,) = network.planes
    (dead,) = FailureModel(network, Failures(switches=0.25, unit="box")).draw().switches
    assert plane.box is not None
    assert dead.any()
    assert all(len(set(dead[plane.box == box])) == 1 for box in np.unique(plane.box))
    assert len(np.unique(plane.box[dead])) == int(0.25 * len(np.unique(plane.box)) + HALF)


def test_positions_fail_in_all_planes() -> None:
    network = build_network(["jellyfish:k=8"], planes=3)
    mask = FailureModel(network, Failures(links=0.2, switches=0.1, unit="position")).draw()
    assert mask.switches[0].sum() == 8
    for arcs, switches in zip(mask.arcs, mask.switches, strict=True):
        assert np.array_equal(arcs, mask.arcs[0])
        assert np.array_equal(switches, mask.switches[0])


def test_planes_of_different_wiring_have_no_positions() -> None:
    network = build_network(["jellyfish:k=8"], planes=2, variant="heterogeneous")
    with pytest.raises(TopologyError) as caught:
        fail(network, Failures(links=0.1, unit="position"))
    assert str(caught.value) == (
        "fail_unit: the planes are wired differently, so their cables do not correspond, found 'position'; "
        "allowed: homogeneous planes"
    )
    # Their racks do.
    assert FailureModel(network, Failures(switches=0.1, unit="position")).draw().switch_count == 2 * 8
    named = [Plane.from_cables(list(names), [0], [1], host_switch=[0, 1]) for names in ("ab", "cd")]
    with pytest.raises(TopologyError, match="the planes have different switches, so these do not correspond"):
        fail(Network.from_planes(named), Failures(switches=0.5, unit="position"))


def test_worst_cables_and_switches_fail_first() -> None:
    # Two triangles joined by one cable: it carries 2 * 9 pairs, and its ends are the busiest switches.
    u, v = [0, 0, 1, 3, 3, 4, 2], [1, 2, 2, 4, 5, 5, 3]
    network = Network.from_planes([Plane.from_cables(6, u, v)])
    mask = FailureModel(network, Failures(links=1 / 7, mode="betweenness")).draw(seed=5)
    assert np.flatnonzero(mask.arcs[0]).tolist() == [12, 13]
    mask = FailureModel(network, Failures(switches=2 / 6, mode="betweenness")).draw(trial=4)
    assert np.flatnonzero(mask.switches[0]).tolist() == [2, 3]
    assert not Failures(links=0.5, mode="betweenness").random
    assert Failures(links=0.5).random


@given(networks(), failures())
def test_a_failed_network_has_less_and_nothing_else(network: Network, expected: Failures) -> None:
    mask = FailureModel(network, expected).draw()
    failed = apply_mask(network, mask)
    assert (failed.plane_count, failed.host_names) == (network.plane_count, network.host_names)
    columns = (failed.planes, network.planes, mask.arcs, mask.switches, mask.hosts)
    for plane, before, down, dead, cut in zip(*columns, strict=True):
        capacity = before.arcs[2]
        assert np.array_equal(plane.arcs[2], np.where(down, 0, capacity))
        # No link touches a failed switch, and no host is attached to one.
        assert down[dead[plane.arcs[0]] | dead[plane.arcs[1]]].all()
        attached = plane.host_switch >= 0
        assert not dead[plane.host_switch[attached]].any()
        assert np.array_equal(attached, (before.host_switch >= 0) & ~dead[before.host_switch] & ~cut)
        assert not plane.access_up_gbps[~attached].any()
        assert plane.cable_u is before.cable_u
        if not down.any() and not dead.any() and not cut.any():
            assert plane is before


def test_a_failed_plane_carries_nothing_and_its_label_says_so() -> None:
    network = build_network(["ring:n=5"], planes=2, hosts_per_switch=1)
    failed = fail(network, Failures(planes=(1,)))
    assert failed.planes[0] is network.planes[0]
    assert not failed.planes[1].arcs[2].any()
    assert (failed.planes[1].host_switch == -1).all()
    assert failed.planes[1].label == "ring:n=5 (10 of 10 link directions, 5 of 5 switches down)"
    assert fail(network, Failures()) is network


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (
            {"links": 1.5},
            "fail_links: not a share or a number of links, found 1.5; allowed: 0.01 or 1%, 3, '1 link', 100%",
        ),
        ({"links": "1 switch"}, "fail_links: not a share or a number of links, found '1 switch'; "),
        ({"links": True}, "fail_links: not a share or a number of links, found True; "),
        ({"links": -0.1}, "fail_links: not a share or a number of links, found -0.1; "),
        ({"links": "200%"}, "fail_links: not a share or a number of links, found '200%'; "),
        (
            {"switches": float("nan")},
            "fail_switches: not a share or a number of switches, found nan; allowed: 0.01 or 1%, 3, '1 switch', 100%",
        ),
        (
            {"links": 1},
            "fail_links: may mean all of them or a single one, found 1; allowed: 100% for all, '1 link' for one",
        ),
        ({"links": 1.0}, "fail_links: may mean all of them or a single one, found 1.0; "),
        (
            {"ports": "1"},
            "fail_ports: may mean all of them or a single one, found '1'; allowed: 100% for all, '1 port'",
        ),
        ({"links": 5}, "fail_links: plane 0 has fewer cables, found 5; allowed: at most 4"),
        (
            {"links": 2, "mode": "independent"},
            "fail_links: each link fails with a probability, found 2; allowed: a share, or fail_mode=random and ",
        ),
        ({"links": "1 link", "unit": "direction"}, "fail_links: each link fails with a probability, found '1 link'; "),
        (
            {"ports": 0.5, "mode": "betweenness"},
            "fail_mode: every path of a host passes its ports, found 'betweenness'; allowed: random or independent, ",
        ),
        (
            {"ports": 0.5, "unit": "server"},
            "fail_unit: NICs of a server fail together, found 'server'; allowed: fail_nics, or another unit for ",
        ),
        ({"nics": 9}, "fail_nics: the network has fewer NICs, found 9; allowed: at most 8"),
        (
            {"nics": 1},
            "fail_nics: may mean all of them or a single one, found 1; allowed: 100% for all, '1 nic' for one",
        ),
        (
            {"nics": "2 ports"},
            "fail_nics: not a share or a number of nics, found '2 ports'; allowed: 0.01 or 1%, 3, '1 nic', 100%",
        ),
        (
            {"nics": 0.5, "mode": "betweenness"},
            "fail_mode: every path of a host passes its NIC, found 'betweenness'; allowed: random or independent, ",
        ),
        ({"unit": "node"}, "fail_unit: unknown value, found 'node'; allowed: cable, direction, box, position, server"),
        ({"mode": "worst"}, "fail_mode: unknown value, found 'worst'; allowed: random, independent, betweenness"),
        (
            {"unit": "direction", "mode": "betweenness"},
            "fail_mode: directions fail independently, found 'betweenness'; allowed: random, or fail_unit=cable",
        ),
        (
            {"links": 0.5, "unit": "server"},
            "fail_unit: NICs of a server fail together, found 'server'; allowed: fail_nics, or another unit for ",
        ),
        ({"planes": (2,)}, "fail_planes: no such plane, found 2; allowed: 0 to 1"),
        ({"planes": (-1,)}, "fail_planes: no such plane, found -1; allowed: 0 to 1"),
    ],
)
def test_wrong_failures(expected: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        fail(build_network(["ring:n=4"], planes=2, hosts_per_switch=2), Failures(**expected))  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("written", "count"), [("1 link", 1), ("1link", 1), (3, 3), ("3", 3), (3.0, 3), ("2 links", 2)]
)
def test_a_number_of_links(written: Portion, count: int) -> None:
    network = build_network(["jellyfish:k=4"], planes=2)
    mask = FailureModel(network, Failures(links=written)).draw(2)
    assert [int(down.sum()) for down in mask.arcs] == [2 * count] * 2


@pytest.mark.parametrize(
    ("written", "share"), [("1%", 0.01), ("25 %", 0.25), ("0.5", 0.5), (0, 0.0), ("0%", 0.0), ("100%", 1.0)]
)
def test_a_share_of_links(written: Portion, share: float) -> None:
    found = Failures(links=written).links
    assert share_of(found) == pytest.approx(share)
    assert Failures(links=found).links == found
    network = build_network(["jellyfish:k=4"])
    assert FailureModel(network, Failures(links=written)).draw().arc_count == 2 * int(share * 32 + HALF)


@pytest.mark.parametrize("rails", [1, 2])
@pytest.mark.parametrize("nics", [2, 0.5])
def test_servers_lose_all_of_their_ports(nics: float, rails: int) -> None:
    network = pn.build_network("fat-tree:k=4", planes=2, server="single-switch:hosts=4", rails=rails)
    mask = FailureModel(network, Failures(nics=nics, unit="server")).draw(1)
    by_server = mask.hosts[0].reshape(4, 4)
    assert np.array_equal(by_server.any(axis=1), by_server.all(axis=1))
    assert by_server.all(axis=1).sum() == 2
    assert np.array_equal(mask.hosts[0], mask.hosts[1])
    # What an accelerator of such a server sends stays there.
    (lost, *_) = np.flatnonzero(mask.hosts[0]).tolist()
    traffic = TrafficMatrix.from_entries("host", 16, [lost, lost], [lost ^ 1, (lost + 4) % 16])
    assert lost_pairs(apply_mask(network, mask), traffic).tolist() == [False, True]


def test_servers_fail_where_there_are_some() -> None:
    network = build_network(["fat-tree:k=4"])
    with pytest.raises(SpecError) as refused:
        FailureModel(network, Failures(nics=0.5, unit="server"))
    assert str(refused.value) == (
        "fail_unit: the network has no servers, found 'server'; allowed: a network with --server, or another unit"
    )
    served = pn.build_network("fat-tree:k=4", server="single-switch:hosts=4")
    with pytest.raises(SpecError, match="fail_nics: the network has fewer servers, found 5; allowed: at most 4"):
        FailureModel(served, Failures(nics=5, unit="server"))


def test_ports_fail_one_by_one_and_nics_in_all_planes() -> None:
    network = build_network(["fat-tree:k=4"], planes=3)
    mask = FailureModel(network, Failures(ports=0.25)).draw(1)
    assert [int(cut.sum()) for cut in mask.hosts] == [4, 4, 4]
    assert not np.array_equal(mask.hosts[0], mask.hosts[1])
    assert mask.arc_count == mask.switch_count == 0
    assert not np.array_equal(*FailureModel(network, Failures(0.1, ports=0.25, unit="position")).draw(1).hosts[:2])
    together = FailureModel(network, Failures(nics="1 NIC")).draw(1)
    assert [int(cut.sum()) for cut in together.hosts] == [1, 1, 1]
    assert np.array_equal(together.hosts[0], together.hosts[2])
    failed = apply_mask(network, together)
    (host,) = np.flatnonzero(together.hosts[0]).tolist()
    assert [int(plane.host_switch[host]) for plane in failed.planes] == [-1, -1, -1]
    assert failed.planes[0].label == "fat-tree:k=4 (1 of 16 access links down)"
    fewer = FailureModel(network, Failures(nics=0.25, ports=0.25)).draw(1)
    assert all(
        not np.any(nic & ~cut)
        for nic, cut in zip(FailureModel(network, Failures(nics=0.25)).draw(1).hosts, fewer.hosts, strict=True)
    )
    assert rounded_away(network, Failures(nics=0.01)) == (
        "1 % of 16 NICs is less than half a NIC, so none fails (--fail-nics '1 nic' fails one)",
    )


def test_a_share_of_which_rounding_leaves_nothing_is_told_of() -> None:
    planes = build_network(["ring:n=6", "path:n=6"])
    assert rounded_away(planes, Failures(links=0.01, switches=0.1, ports=0.5)) == (
        "1 % of 6 links is less than half a link, so none fails (--fail-links '1 link' fails one)",
        "no plane has a port, so none fails",
    )
    for some in (Failures(), Failures(links=0.01, mode="independent"), Failures(links="1 link")):
        assert rounded_away(planes, some) == ()
