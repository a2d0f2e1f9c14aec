"""P-Net's table 1, and every closed form against the count of an explicit graph."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pnet_lp.cost import ARCHITECTURES, Bill, TopologyOptions, count, default_packaging, design
from pnet_lp.errors import SpecError
from pnet_lp.throughput.bounds import compute_bounds
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic


def row(bill: Bill) -> tuple[object, ...]:
    return bill.tiers, bill.switch_hops, bill.chips, bill.box_count, bill.links


# P-Net (CoNEXT 2022), table 1: tiers, switch hops, chips, boxes, links.
TABLE_1 = {
    "serial-scale-out:hosts=8192,radix=16": (4, 7, 3584, 3584, 24_576),
    "serial-chassis:hosts=8192,radix=16,chassis=128": (2, 7, 3584, 192, 8192),
    "parallel:hosts=8192,radix=16,planes=8": (2, 3, 1536, 192, 8192),
}
NAMES = dict(
    zip(TABLE_1, ["pnet-table1-serial-scale-out", "pnet-table1-serial-chassis", "pnet-table1-parallel-8x"], strict=True)
)


@pytest.mark.parametrize("text", TABLE_1)
def test_table_1(text: str) -> None:
    """The closed form, the graph that it stands for, and the network of the catalogue have the published numbers."""
    found = design(text)
    assert found.build is not None
    assert row(found.bill) == TABLE_1[text]
    assert row(count(found.build(), found.packaging)) == TABLE_1[text]
    assert row(design(NAMES[text]).bill) == TABLE_1[text]


AGREEING = [
    *TABLE_1,
    *(f"architecture:{entry.expression}" for entry in ARCHITECTURES),
    "serial-scale-out:hosts=96,radix=8",
    "serial-chassis:radix=8,chassis=16,hosts=64,host_gbps=400",
    "parallel:hosts=128,radix=4,planes=4,channels=2",
    "parallel:hosts=128,radix=4,planes=4,share=false",
    "parallel:hosts=1024,radix=4,planes=4",
    "ocs-core",
    "ocs-core:hosts=20,radix=4,planes=2,beta=1.3",
    "architecture:jellyfish:k=8",
    "architecture:jellyfish:switches=11,ports=6,hosts=20",
    "jellyfish:servers=640,beta=4",
    "architecture:tor-parallel:pods=4,tors=16,fabrics=4,spines=16,hosts_per_tor=16",
    "tor-parallel:pods=1,tors=3,fabrics=2,spines=1,hosts_per_tor=2,ports=64",
    "architecture:tor-parallel:pods=2,tors=3,fabrics=2,spines=4,hosts_per_tor=5,host_gbps=25",
    "architecture:tor-parallel:pods=2,tors=3,fabrics=2,spines=4,hosts_per_tor=5,host_gbps=25,ports=16",
    "architecture:tor-parallel:pods=2,tors=3,fabrics=2,spines=4,hosts_per_tor=2,host_gbps=200",
    "serial-chassis:radix=8,chassis=16,hosts=64,host_gbps=1600",
    "hybrid:servers=10240,beta=1",
    "beta-fat-tree:servers=10240,beta=1,numbers=pieces",
    "beta-fat-tree:servers=10240,beta=3,numbers=pieces",
]


def agrees(text: str) -> None:
    """Assert that a closed form is what is counted; a second network and an unknown diameter are not compared."""
    found = design(text)
    assert found.build is not None
    counted = count(found.build(), found.packaging)
    if found.bill.switch_hops is None:
        counted = replace(counted, switch_hops=None)
    assert replace(found.bill, others=()) == counted


@pytest.mark.parametrize("text", AGREEING)
def test_closed_forms_agree_with_graphs(text: str) -> None:
    agrees(text)


@settings(max_examples=20, deadline=None)
@given(
    half=st.integers(2, 4),
    steps=st.integers(1, 2),
    pairs=st.integers(1, 4),
    planes=st.sampled_from([1, 2, 3]),
    share=st.booleans(),
)
def test_trees_of_any_size(half: int, steps: int, pairs: int, planes: int, share: bool) -> None:
    wide = half * planes
    hosts = 2 * min(pairs, wide) * wide**steps
    agrees(f"parallel:hosts={hosts},radix={2 * half},planes={planes},share={str(share).lower()}")
    hosts = 2 * min(pairs, half) * half**steps
    agrees(f"serial-scale-out:hosts={hosts},radix={2 * half}")


@settings(max_examples=20, deadline=None)
@given(switches=st.integers(6, 30), ports=st.integers(4, 8), planes=st.integers(1, 3), seed=st.integers(0, 9))
def test_random_graphs_of_any_size(switches: int, ports: int, planes: int, seed: int) -> None:
    hosts = switches * ports // 3
    assume(ports - hosts // switches < switches)
    agrees(f"jellyfish:switches={switches},ports={ports},hosts={hosts},planes={planes},seed={seed}")


@pytest.mark.parametrize(
    "text",
    [
        "serial-scale-out:hosts=16,radix=4",
        "serial-chassis:radix=4,chassis=8,hosts=16",
        "parallel:hosts=16,radix=4,planes=2",
        "parallel:hosts=8,radix=4,planes=1",
        "architecture:beta-fat-tree:servers=16,ports=4",
    ],
)
def test_bisections_of_closed_forms(text: str) -> None:
    """What an architecture says of its bisection is the proved bound on the graph."""
    found = design(text)
    assert found.build is not None
    network = found.build()
    bound = compute_bounds(network, build_traffic("permutation", network), ["bisection"]).found["bisection"]
    assert bound.exact
    assert bound.facts["bisection_gbps"] == pytest.approx(found.bisection_gbps)


def test_planes_share_boxes_only_if_they_are_identical() -> None:
    alike = build_network(["fat-tree:k=4"], planes=2)
    assert row(count(alike, default_packaging(alike))) == (3, 5, 40, 20, 32)
    other = build_network(["jellyfish:k=4"], planes=2, variant="heterogeneous")
    bill = count(other, default_packaging(other))
    assert (bill.chips, bill.box_count, bill.links) == (40, 40, 64)
    mixed = build_network(["fat-tree:k=4", "jellyfish:k=4"])
    with pytest.raises(SpecError, match="planes whose switches differ cannot share boxes") as caught:
        count(mixed, default_packaging(alike))
    assert str(caught.value) == (
        "packaging: planes whose switches differ cannot share boxes; allowed: planes_per_box = 1"
    )


def test_channels_of_shared_boxes_with_different_graphs() -> None:
    """A bundle takes one cable of each plane, so different graphs share few of them, but all cables to hosts."""
    network = build_network(["jellyfish:k=4"], planes=2, variant="heterogeneous")
    packed = replace(default_packaging(network), planes_per_box=2, planes_per_cable=2)
    bill = count(network, packed)
    pairs = [
        {frozenset(pair) for pair in zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True)}
        for plane in network.planes
    ]
    assert bill.links == len(pairs[0] | pairs[1])
    assert bill.cables_at("access") == 16
    assert bill.box_count == 20


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("parallel:hosts=100", "parallel: 2 tiers of 128-port chips have an even number of pods of 64 hosts, and 100"),
        ("serial-scale-out:radix=2", "serial-scale-out: radix: input should be greater than or equal to 4, found"),
        ("parallel:channels=3", "parallel: cables of 3 channels do not bundle 8 planes"),
        ("parallel:share=false,channels=2", "parallel: cables of 2 channels do not bundle separate planes"),
        ("hybrid:beta=33", "hybrid: beta is at most ports / 2 = 32, which leaves a ToR one optical link, not 33"),
        ("hybrid:beta=0.5", "hybrid: beta: input should be greater than or equal to 1, found '0.5'"),
        ("hybrid:beta=nan", "hybrid: beta: input should be"),
        ("hybrid:servers=33", "hybrid: racks have ports / 2 = 32 servers, and 33 do not fill theirs"),
        ("hybrid:betta=2", "hybrid: unknown parameter 'betta' (did you mean 'beta'?)"),
        ("jellyfish:k=8,switches=3", "jellyfish: either k, or switches and ports (and hosts), or servers must be"),
        ("jellyfish:k=8,beta=2", "jellyfish: beta is allowed only with servers"),
        ("jellyfish:servers=64", "jellyfish: 32 cables of a switch to 1 others: 1 to 1 are possible"),
        ("ocs-core:hosts=128", "ocs-core: 2 ToRs of 64 hosts can have 1 to 1 cables to the core, not 64"),
        (
            "tor-parallel:pods=2,tors=2,spines=1,ports=2",
            "tor-parallel: a switch has more cables than ports, found 4; allowed: at most 2",
        ),
        (
            "architecture:beta-fat-tree:host_gbps=25",
            "beta-fat-tree: the architecture has one speed; topology:beta-fat-",
        ),
        ("hybrd", "unknown architecture 'hybrd' (did you mean 'hybrid'?); allowed: beta-fat-tree, hybrid, jellyfish, "),
    ],
)
def test_sizes_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        design(text)
    assert str(caught.value).startswith(message)


def test_too_few_ports() -> None:
    network = build_network(["fat-tree:k=4"])
    with pytest.raises(SpecError) as caught:
        count(network, replace(default_packaging(network), ports=3))
    assert str(caught.value) == "a switch has more cables than ports, found 4; allowed: at most 3"


def test_free_ports_are_counted() -> None:
    network = build_network(["torus:dims=3x3"], hosts_per_switch=2)
    bill = count(network, replace(default_packaging(network), ports=8))
    assert (bill.ports, bill.ports_used, bill.ports_free) == (72, 9 * 6, 18)


def test_options_of_a_topology_are_refused_with_the_names_of_parameters() -> None:
    with pytest.raises(SpecError) as caught:
        design("hybrid", TopologyOptions(given=("planes",)))
    sentence = caught.value.sentence({"planes": "--planes", "link_gbps": "--link-gbps"})
    assert sentence.startswith("--planes: hybrid is an architecture, and this is for a TOPOLOGY; ")
    assert sentence.endswith("allowed: parameters of hybrid: servers, beta, ports, link_gbps, seed")
