"""``pnet_lp.find``: the search in one call, and networks that people would have made by hand."""

from __future__ import annotations

import inspect

import pytest

import pnet_lp as pn
from pnet_lp.cost import load_book, quote_network
from pnet_lp.design.settings import FindSettings
from pnet_lp.errors import PnetError, SpecError

PRICES = load_book("price", ()), load_book("power", ())

BY_HAND = [
    ("fat-tree:k=8", 0, 1),
    ("fat-tree:k=16,tiers=2", 0, 1),
    ("leaf-spine:leaves=8,spines=8,hosts_per_leaf=8", 0, 1),
    ("leaf-spine:leaves=6,spines=4,hosts_per_leaf=11", 0, 1),
    ("jellyfish:switches=16,ports=16,hosts=64", 0, 1),
    ("jellyfish:switches=12,ports=16,hosts=64", 0, 2),
    ("hypercube:d=4", 4, 1),
    ("torus:dims=4x4", 4, 2),
    ("complete:n=8", 8, 1),
    ("dragonfly:h=2", 0, 1),
    ("ring:n=8", 8, 2),
]
"""Networks for 64 hosts of switches with 16 ports: what it is, hosts to attach to a switch, planes."""


@pytest.fixture(scope="module")
def found() -> pn.NetworksFound:
    return pn.find(hosts=64, min_gbps_per_host=50, radix=16, planes=[1, 2])


def test_nothing_made_by_hand_is_better(found: pn.NetworksFound) -> None:
    """Each carries too little, or something on the front carries as much for no more money."""
    enough = 0
    for topology, hosts, planes in BY_HAND:
        network = pn.build_network(topology, hosts_per_switch=hosts, planes=planes)
        assert network.host_count >= 64
        carried = pn.throughput(network, traffic="longest-matching").upper
        usd = quote_network(network, *PRICES, ports=16).total_usd
        if carried >= 50 * (1 - 1e-4):
            enough += 1
            assert usd >= found.front["total_usd"].iloc[0], topology
            as_good = found.front[found.front["gbps_per_host"] >= carried * (1 - 2e-3)]
            assert usd >= as_good["total_usd"].min(), topology
    assert 5 <= enough < len(BY_HAND)


def test_tables_are_of_all_candidates(found: pn.NetworksFound) -> None:
    assert len(found) == len(found.front) > 3
    assert found.front["total_usd"].is_monotonic_increasing
    assert found.front["gbps_per_host"].is_monotonic_increasing
    everything = found.candidates
    assert (everything["ruled_out"] == "").sum() == len(found)
    counts = everything["ruled_out"].value_counts().to_dict()
    assert {why: counts[why] for why in counts if why} == found.found.counts


def test_the_front_is_what_the_table_of_all_says(found: pn.NetworksFound) -> None:
    front, everything = found.front, found.candidates
    for one in everything[everything["ruled_out"] != ""].itertuples():
        cheaper = front[front["total_usd"] <= one.total_usd]
        too_little = one.upper_bound_gbps_per_host < 50
        beaten = cheaper["gbps_per_host"].max() >= one.upper_bound_gbps_per_host * (1 - 3e-4)
        assert too_little or beaten, one
        assert too_little == one.ruled_out.endswith("too little"), one
    for one in front.itertuples():
        others = front[(front["total_usd"] <= one.total_usd) & (front.index != one.Index)]
        assert (others["gbps_per_host"] < one.gbps_per_host).all()


def test_one_of_them_is_an_answer_with_its_proof(found: pn.NetworksFound) -> None:
    one = found[0]
    one.verify()
    assert one.value == pytest.approx(found.front["gbps_per_host"].iloc[0], rel=1e-9)
    assert one.network.host_count == found.front["hosts"].iloc[0]
    assert one.links["utilisation"].max() == pytest.approx(1, rel=1e-4)


def test_how_it_is_shown(found: pn.NetworksFound) -> None:
    assert repr(found).startswith(f"<{len(found)} networks found; best: {found.front['command'].iloc[0]}, ")
    shown = found._repr_html_()
    assert shown.count("<tr>") == len(found) + 1
    assert "ruled out:" in shown
    assert "USD per host" in shown
    assert found.plot().axes[0].get_ylabel() == "Gb/s per host, longest-matching"


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"hosts": 1}, SpecError, "hosts: input should be greater than or equal to 2"),
        (
            {"radix": 8, "families": "fat-treee"},
            SpecError,
            "families: no family that comes in sizes is called 'fat-treee'",
        ),
        ({"families": "ring"}, SpecError, "families: no family that comes in sizes is called 'ring'"),
        ({"planes": 0}, SpecError, "^planes: out of range, found 0; allowed: 1 to 64$"),
        ({"speeds": [100, 0]}, SpecError, "^speeds: not a valid link speed, found 0.0; allowed: finite Gb/s > 0$"),
        ({"planes": range(1, 3), "speeds": [100, 100]}, SpecError, "speeds: a value is given twice"),
        ({"min_gbps_per_host": 500, "planes": 1, "families": "ring"}, PnetError, "families|none of"),
    ],
)
def test_wrong(given: dict[str, object], kind: type[PnetError], message: str) -> None:
    with pytest.raises(kind, match=message):
        pn.find(**{"hosts": 16, "min_gbps_per_host": 10, **given})  # type: ignore[arg-type]


def test_every_setting_is_a_keyword() -> None:
    assert inspect.signature(pn.find).parameters.keys() >= FindSettings.model_fields.keys()


def test_fine_steps_find_a_cheaper_one() -> None:
    few, fine = (
        pn.find(hosts=64, min_gbps_per_host=60, radix=16, planes=1, best=1, sizes=sizes) for sizes in (None, "fine")
    )
    assert fine.front["total_usd"][0] < few.front["total_usd"][0]
