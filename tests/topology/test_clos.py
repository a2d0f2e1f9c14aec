"""Folded Clos networks: what is asked for is built, against the fat tree, published counts and published prices."""

import math
from collections import Counter
from decimal import ROUND_CEILING, Decimal, localcontext
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network, build_plane, describe_plane, read_plane
from pnet_lp.traffic import build_traffic


def multiplicities(plane: Plane) -> Counter[tuple[int, int]]:
    """Return how many cables join each two switches, the lower tier first."""
    assert np.all(plane.tier[plane.cable_v] - plane.tier[plane.cable_u] == 1)
    return Counter(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True))


def ports(plane: Plane) -> np.ndarray:
    return plane.degree + np.bincount(plane.host_switch, minlength=plane.switch_count)


def attained(network: Network, traffic: str) -> float:
    result = solve(network, build_traffic(traffic, network, "host"), tolerance=1e-5)
    assert result.status == "certified"
    return result.throughput_gbps


@pytest.mark.parametrize(("k", "tiers"), [(4, 2), (8, 2), (4, 3), (6, 3), (4, 4), (6, 4), (4, 5)])
def test_the_fat_tree_is_a_folded_clos(k: int, tiers: int) -> None:
    m = k // 2
    children, parents = "x".join(map(str, [*[m] * (tiers - 1), k])), "x".join(map(str, [m] * (tiers - 1)))
    plane = build_plane(f"folded-clos:children={children},parents={parents},link_gbps=25")
    tree = build_plane(f"fat-tree:k={k},tiers={tiers},link_gbps=25")
    assert plane.fingerprint == tree.fingerprint
    assert np.array_equal(plane.tier, tree.tier)
    again = build_plane(
        f"folded-clos:children={children},parents={parents},oversubscription={'x'.join('1' * (tiers - 1))},link_gbps=25"
    )
    assert again.fingerprint == tree.fingerprint


def test_the_leaf_spine_is_a_folded_clos() -> None:
    plane = build_plane("folded-clos:children=3x5,parents=4,uplinks=8,uplink_gbps=400,host_gbps=25")
    other = build_plane("leaf-spine:leaves=5,spines=4,parallel=2,hosts_per_leaf=3,link_gbps=400,host_gbps=25")
    assert multiplicities(plane) == multiplicities(other)
    assert set(multiplicities(plane).values()) == {2}
    for name in ("host_switch", "access_up_gbps", "capacity_uv_gbps", "rack_switch", "tier"):
        assert np.array_equal(getattr(plane, name), getattr(other, name)), name


def test_htsim_describes_the_same_tree(tmp_path: Path) -> None:
    text = """Nodes 64
Tiers 3
Podsize 16
Tier 0
Downlink_speed_Gbps 100
Radix_Down 4
Radix_Up 4
Tier 1
Downlink_speed_Gbps 200
Radix_Down 8
Radix_Up 2
Bundle 2
Tier 2
Downlink_speed_Gbps 400
Radix_Down 4
Bundle 1
"""
    path = tmp_path / "tree.topo"
    path.write_text(text)
    plane = build_plane("folded-clos:children=4x4x4,parents=2x2,uplinks=4x2,uplink_gbps=200x400")
    again = read_plane(path)
    assert plane.switch_names == again.switch_names
    for tier in (0, 1):
        speeds = [set(p.capacity_uv_gbps[p.tier[p.cable_u] == tier].tolist()) for p in (plane, again)]
        assert speeds[0] == speeds[1]
    assert multiplicities(plane) == multiplicities(again)
    assert np.array_equal(plane.host_switch, again.host_switch)


SMALL = st.integers(1, 4)


@given(st.integers(0, 3), st.lists(st.tuples(SMALL, SMALL, st.integers(0, 5)), min_size=1, max_size=3))
@settings(max_examples=80, deadline=None)
def test_cables_are_dealt_evenly(hosts: int, steps: list[tuple[int, int, int]]) -> None:
    children, parents = [hosts, *(m for m, _, _ in steps)], [w for _, w, _ in steps]
    uplinks = [w + more for _, w, more in steps]
    lists = {"children": children, "parents": parents, "uplinks": uplinks}
    plane = build_plane(
        "folded-clos:" + ",".join(f"{key}={'x'.join(map(str, values))}" for key, values in lists.items())
    )
    counts = [math.prod(children[t + 1 :]) * math.prod(parents[:t]) for t in range(len(children))]
    assert np.bincount(plane.tier).tolist() == counts
    assert plane.host_count == counts[0] * hosts
    assert plane.rack_switch.tolist() == list(range(counts[0]))
    joined = multiplicities(plane)
    graph = nx.Graph(joined.keys())
    assert nx.is_connected(graph)
    for t, up in enumerate(uplinks):
        for switch in np.flatnonzero(plane.tier == t).tolist():
            above = [joined[switch, other] for other in graph[switch] if other > switch]
            assert (len(above), sum(above)) == (parents[t], up)
            assert max(above) - min(above) <= 1
        for switch in np.flatnonzero(plane.tier == t + 1).tolist():
            below = sorted(other for other in graph[switch] if other < switch)
            assert len(below) == children[t + 1]
            brothers = [other for other in graph[below[0]] if other > below[0]]
            totals = [sum(joined[child, parent] for child in below) for parent in brothers]
            assert max(totals) - min(totals) <= 1


def test_oversubscription_by_tier() -> None:
    plane = build_plane("folded-clos:children=12x4x6,parents=3x2,oversubscription=2x1.6,link_gbps=10")
    # 12 hosts over 2 is 6 uplinks; 4 children of 2 cables each make 8 downlinks, over 1.6 makes 5 uplinks.
    assert multiplicities(plane)[0, 24] == 2
    assert plane.degree[plane.tier == 0].tolist() == [6] * 24
    assert set(plane.degree[plane.tier == 1].tolist()) == {8 + 5}
    network = Network.from_planes([plane])
    neighbours = "-".join(str((h // 12 ^ 1) * 12 + h % 12) for h in range(plane.host_count))
    assert attained(network, f"permutation:map={neighbours}") == pytest.approx(10 / 2, rel=1e-4)
    # Two pods on, where 5 uplinks go to the same parents as here.
    assert attained(network, "stride:s=96") == pytest.approx(10 / (2 * 1.6), rel=1e-4)
    by_speed = build_plane("folded-clos:children=12x2,parents=3,oversubscription=1,uplink_gbps=40,host_gbps=10")
    assert by_speed.degree.tolist() == [3, 3, 2, 2, 2]
    assert attained(Network.from_planes([by_speed]), "stride:s=12") == pytest.approx(10)


def test_cables_that_do_not_divide_cost_throughput() -> None:
    """Pods of 4 uplinks to 3 cores have 2 + 1 + 1; the next pod's 2 is elsewhere, which leaves 3 in common."""
    network = build_network(["folded-clos:children=4x4x3,parents=4x3,uplinks=4x4"], link_gbps=1)
    assert attained(network, "stride:s=16") == pytest.approx(3 / 4, rel=1e-4)
    whole = build_network(["folded-clos:children=4x4x3,parents=4x2,uplinks=4x4"], link_gbps=1)
    assert attained(whole, "stride:s=16") == pytest.approx(1, rel=1e-4)


def test_the_tree_of_the_hybrid_paper_is_a_folded_clos() -> None:
    plane = build_plane("folded-clos:children=32x32x10,parents=32x5,uplinks=32x32")
    assert describe_plane(plane).switches_per_tier == (320, 320, 160)
    assert (plane.host_count, plane.cable_count) == (10_240, 20_480)
    assert set(ports(plane).tolist()) == {64}
    assert set(multiplicities(plane).values()) == {1, 6, 7}


def rounded_up(exact: Decimal) -> int:
    return int(exact.to_integral_value(ROUND_CEILING))


@given(
    st.integers(1, 8).flatmap(
        lambda half: st.tuples(st.just(half), st.integers(0, 100 * (half - 1)), st.integers(1, 2 * half**2))
    )
)
@settings(max_examples=60, deadline=None)
def test_equipment_of_beta_fat_trees(size: tuple[int, int, int]) -> None:
    half, hundredths, racks = size
    beta = Decimal(100 + hundredths) / 100
    servers = racks * half
    plane = build_plane(f"beta-fat-tree:servers={servers},beta={beta},ports={2 * half}")
    with localcontext(prec=60):
        root = beta.sqrt()
        tiers = (racks, rounded_up(racks / root), rounded_up(racks / (2 * beta)))
        cables = [rounded_up(servers / root), rounded_up(servers / beta)]
    assert tuple(np.bincount(plane.tier).tolist()) == tiers
    joined = multiplicities(plane)
    assert [sum(n for (u, _), n in joined.items() if plane.tier[u] == t) for t in (0, 1)] == cables
    assert plane.host_count == servers
    assert ports(plane).max() <= 2 * half
    assert describe_plane(plane).connected
    for ends, tier in ((plane.cable_u, 0), (plane.cable_u, 1), (plane.cable_v, 1), (plane.cable_v, 2)):
        used = np.bincount(ends, minlength=plane.switch_count)[plane.tier == tier]
        assert used.max() - used.min() <= 1


def test_beta_one_has_the_pods_of_a_fat_tree() -> None:
    plane = build_plane("beta-fat-tree:servers=10240")
    assert set(ports(plane).tolist()) == {64}
    assert set(multiplicities(plane).values()) == {1}
    low = nx.Graph((u, v) for u, v in multiplicities(plane) if plane.tier[u] == 0)
    pods = sorted(sorted(pod) for pod in nx.connected_components(low))
    assert pods == [[*range(32 * p, 32 * p + 32), *range(320 + 32 * p, 352 + 32 * p)] for p in range(10)]


@pytest.mark.parametrize(("beta", "price", "tolerance"), [(1, 58.765e6, 1e-5), (32, 21.293e6, 1e-3)])
def test_published_price_of_the_tree(beta: float, price: float, tolerance: float) -> None:
    """Two transceivers and one cable for each link, one and half a cable at a server; beta = 32 is rounded up here."""
    plane = build_plane(f"beta-fat-tree:servers=10240,beta={beta}")
    transceivers = plane.host_count + 2 * plane.cable_count
    found = 30_000 * plane.switch_count + 665 * transceivers + 28 * transceivers / 2
    assert found == pytest.approx(price, rel=tolerance)
    assert found >= price * (1 - 1e-5)


@pytest.mark.parametrize(("beta", "in_pod", "between"), [(1, 1, 1), (4, 1 / 2, 1 / 4)])
def test_beta_is_the_oversubscription(beta: float, in_pod: float, between: float) -> None:
    network = build_network([f"beta-fat-tree:servers=64,ports=8,beta={beta}"], link_gbps=1)
    assert attained(network, "stride:s=16") == pytest.approx(between, rel=1e-4)
    assert attained(network, "permutation:map=" + "-".join(str(h ^ 4) for h in range(64))) == pytest.approx(
        in_pod, rel=1e-4
    )


@pytest.mark.parametrize("radix", [4, 6, 8])
def test_a_chassis_fat_tree_is_a_fat_tree_repackaged(radix: int) -> None:
    m = radix // 2
    plane, tree = build_plane(f"chassis-fat-tree:radix={radix}"), build_plane(f"fat-tree:k={radix},tiers=4")
    first = np.searchsorted(tree.tier, 2)
    # The fat tree numbers the leaf chips of the spine boxes by their place in the box, then by box.
    place = np.arange(plane.switch_count)
    box, leaf = np.divmod(np.arange(2 * m**3), 2 * m)
    place[plane.tier == 2] = first + leaf * m * m + box
    moved = Counter(zip(place[plane.cable_u].tolist(), place[plane.cable_v].tolist(), strict=True))
    assert moved == multiplicities(tree)
    assert np.array_equal(plane.host_switch, tree.host_switch)
    assert np.array_equal(plane.tier, tree.tier)


@pytest.mark.parametrize(
    ("radix", "chassis", "hosts"),
    [
        (4, 8, 32),
        (4, 8, 16),
        (4, 8, 8),
        (6, 18, 162),
        (6, 18, 54),
        (8, 16, 128),
        (8, 32, 512),
        (16, 128, 8192),
        (16, 32, 512),
    ],
)
def test_boxes_of_chips(radix: int, chassis: int, hosts: int) -> None:
    plane = build_plane(f"chassis-fat-tree:radix={radix},chassis={chassis},hosts={hosts}")
    chips, boxes = chassis // radix, 2 * hosts // chassis
    figures = describe_plane(plane)
    assert figures.switches_per_tier == (boxes * chips, boxes * chips, boxes * chips, boxes * chips // 2)
    assert plane.box is not None
    assert np.bincount(plane.box).tolist() == [2 * chips] * boxes + [3 * chips] * (boxes // 2)
    assert (figures.boxes, figures.cables_between_boxes) == (boxes * 3 // 2, hosts)
    assert plane.host_count == hosts
    assert set(ports(plane).tolist()) == {radix}
    assert figures.connected
    assert figures.diameter == 6  # so a path passes 7 chips
    u, v = plane.box[plane.cable_u], plane.box[plane.cable_v]
    between = Counter(zip(u[u != v].tolist(), v[u != v].tolist(), strict=True))
    assert set(between) == {(a, boxes + s) for a in range(boxes) for s in range(boxes // 2)}
    assert set(between.values()) == {chassis // boxes}
    out = np.bincount(plane.box[plane.host_switch], minlength=boxes * 3 // 2)
    out += np.bincount(np.concatenate([u[u != v], v[u != v]]), minlength=boxes * 3 // 2)
    assert set(out.tolist()) == {chassis}
    within = {count for (a, b), count in multiplicities(plane).items() if plane.box[a] == plane.box[b]}
    assert within == {radix // 2 // chips}


def test_table_one_of_pnet() -> None:
    figures = describe_plane(build_plane("pnet-table1-serial-chassis"))
    assert (figures.hosts, figures.switches, figures.boxes, figures.cables_between_boxes) == (8192, 3584, 192, 8192)


@pytest.mark.parametrize(
    "text", ["chassis-fat-tree:radix=4", "chassis-fat-tree:radix=4,hosts=16", "chassis-fat-tree:radix=8,chassis=16"]
)
@pytest.mark.parametrize("traffic", ["permutation:seed=1", "permutation:seed=2", "stride:s=1", "all-to-all"])
def test_blocking_boxes_do_not_block_the_network(text: str, traffic: str) -> None:
    network = build_network([text], link_gbps=1)
    full = 1 / (network.host_count - 1) if traffic == "all-to-all" else 1
    assert attained(network, traffic) == pytest.approx(full, rel=1e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("folded-clos:children=4,parents=2", "children needs a number for each of at least two tiers, as in 32x32x10"),
        ("folded-clos:children=4x4x4,parents=2", "3 tiers of children need 2 parents, not 1"),
        ("folded-clos:children=4x4,parents=2,uplinks=2x2", "2 tiers of children need 1 uplinks, not 2"),
        ("folded-clos:children=4x0,parents=2", "children and parents must be at least 1, and hosts at least 0"),
        ("folded-clos:children=4x4,parents=2,uplinks=1", "1 uplinks of tier 0 do not reach 2 parents"),
        ("folded-clos:children=4x4,parents=2,uplink_gbps=nan", "uplink_gbps must be finite and greater than 0"),
        (
            "folded-clos:children=4x4,parents=2,uplinks=2,oversubscription=2",
            "uplinks and oversubscription say the same; only one can be given",
        ),
        (
            "folded-clos:children=0x4,parents=2,oversubscription=2",
            "oversubscription needs finite ratios greater than 0, and hosts",
        ),
        (
            "folded-clos:children=4x4,parents=2,oversubscription=3",
            "oversubscription 3 of tier 0 makes 1.33333 uplinks, not a whole number",
        ),
        ("folded-clos:children=4x4,parents=2,oversubscription=4", "1 uplinks of tier 0 do not reach 2 parents"),
        (
            "folded-clos:children=9x9999x9999,parents=9x9",
            "too many switches, found 100070073; allowed: at most 16777216",
        ),
        ("beta-fat-tree:servers=100", "racks have ports / 2 = 32 servers, and 100 do not fill theirs"),
        (
            "beta-fat-tree:servers=18,ports=4",
            "three tiers of 4-port switches have at most ports^3 / 4 = 16 servers, not 18",
        ),
        (
            "beta-fat-tree:servers=64,beta=33",
            "beta is at most ports / 2 = 32, which leaves a rack one core link, not 33",
        ),
        ("chassis-fat-tree:radix=16,chassis=100", "boxes of 16-port chips have 32 or 64 or 128 ports, not 100"),
        (
            "chassis-fat-tree:radix=16,hosts=1000",
            "boxes of 128 ports are filled by 8192 hosts divided by a divisor of 64, not by 1000",
        ),
    ],
)
def test_wrong_parameters(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        build_plane(text)
    assert str(caught.value) == f"{text.partition(':')[0]}: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("folded-clos:children=4xa,parents=2", "folded-clos: children.1: input should be a valid integer"),
        ("folded-clos:children=4x4", "folded-clos: parameter 'parents' is required"),
        ("beta-fat-tree:servers=32,beta=0.5", "beta-fat-tree: beta: input should be greater than or equal to 1"),
        ("chassis-fat-tree:radix=5", "chassis-fat-tree: radix: input should be a multiple of 2"),
    ],
)
def test_wrong_values(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        build_plane(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "rails", "expected"),
    [
        ("leaf-spine:leaves=4,spines=1,hosts_per_leaf=2", 2, [0, 1, 0, 1, 2, 3, 2, 3]),
        ("leaf-spine:leaves=4,spines=1,hosts_per_leaf=2", 4, [0, 1, 2, 3, 0, 1, 2, 3]),
        ("fat-tree:k=4,tiers=2", 2, [0, 1, 0, 1, 2, 3, 2, 3]),
        ("folded-clos:children=2x2x2,parents=1x1", 4, [0, 1, 2, 3, 0, 1, 2, 3]),
        ("leaf-spine:leaves=4,spines=1", 4, []),
    ],
)
def test_hosts_are_on_the_switches_of_a_pod_in_turn(text: str, rails: int, expected: list[int]) -> None:
    plain, turned = build_plane(text), build_plane(f"{text},rails={rails}")
    assert turned.host_switch.tolist() == expected
    assert np.array_equal(np.bincount(turned.host_switch), np.bincount(plain.host_switch))
    assert build_plane(f"{text},rails=1").fingerprint == plain.fingerprint


def test_switches_that_are_not_in_pods_are_refused() -> None:
    with pytest.raises(
        PnetError, match=r"^leaf-spine: rails: 4 edge switches are not in pods of one for each rail, found 3"
    ):
        build_plane("leaf-spine:leaves=4,spines=1,hosts_per_leaf=2,rails=3")
