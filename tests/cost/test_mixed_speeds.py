"""Bills of networks whose links have several speeds, worked out by hand at the prices of the book ``example``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pnet_lp as pn
from pnet_lp.cost import Part, TopologyOptions, TopologySettings, count, default_packaging, design, load_book, quote
from pnet_lp.cost.bill import broken_out
from pnet_lp.cost.chips import Chips, links_of
from pnet_lp.cost.price import Quote, quote_network
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.topology import build_network

PRICES, POWERS = load_book("price", ["example"]), load_book("power", ["example"])
"""USD: a switch 3,000 and 2 per Gb/s of its ports; a chassis 6,000, a chip of it 2 per Gb/s; SR optics 20 and 1 per
Gb/s, LR optics 40 and 2 per Gb/s; a fibre 20; copper 10 and 0.30 per Gb/s."""

SMALL = "leaf-spine:leaves=4,spines=2,hosts_per_leaf=8,link_gbps=400,host_gbps=100"
TWO = "leaf-spine:leaves=2,spines=2,hosts_per_leaf=2"


def architecture(text: str) -> Quote:
    return quote(design(text).bill, PRICES, POWERS)


def network(*texts: str, planes: int = 1, **packed: Any) -> Quote:
    return quote_network(build_network(texts, planes=planes), PRICES, POWERS, **packed)


def built(*planes: Plane) -> Quote:
    return quote_network(Network.from_planes(planes), PRICES, POWERS)


def triangle() -> Plane:
    return Plane.from_cables(["a", "b", "c"], [0, 1, 0], [1, 2, 2], np.array([400.0, 100.0, 100.0]))


def trunk() -> Plane:
    return Plane.from_cables(["a", "b"], [0, 0], [1, 1], np.array([400.0, 100.0]))


def uneven() -> Plane:
    """A link of 400 Gb/s there and 100 back; two hosts that send 25 Gb/s and receive 100."""
    return Plane.from_cables(
        ["a", "b"],
        [0],
        [1],
        [400.0],
        capacity_back_gbps=[100.0],
        host_switch=[0, 1],
        access_gbps=[25.0, 25.0],
        access_down_gbps=[100.0, 100.0],
    )


# What is bought, line by line, and the sum.
BILLS: dict[str, tuple[Callable[[], Quote], dict[str, int], float]] = {
    "hosts four times slower than the uplinks": (
        lambda: network(SMALL),
        {
            "switch-2x400g+8x100g": 4,  # 3,000 + 2 * (2 * 400 + 8 * 100) = 6,200 each: 24,800
            "switch-4x400g": 2,  # 3,000 + 2 * (4 * 400) = 6,200 each: 12,400
            "transceiver-lr-400g": 16,  # 8 cables, both ends: 40 + 2 * 400 = 840 each: 13,440
            "fiber-sm": 8,  # 160
            "copper-100g": 32,  # 10 + 0.3 * 100 = 40 each: 1,280
        },
        24_800 + 12_400 + 13_440 + 160 + 1_280,
    ),
    "the same on switches of 16 ports": (
        lambda: network(SMALL, ports=16),
        {
            "switch-16x400g": 6,  # 3,000 + 2 * (16 * 400) = 15,800 each, hosts broken out: 94,800
            "transceiver-lr-400g": 16,  # 13,440 as above
            "fiber-sm": 8,  # 160
            "copper-100g": 32,  # 1,280
        },
        94_800 + 13_440 + 160 + 1_280,
    ),
    "a faster core": (
        lambda: network("fat-tree:k=4,core_gbps=400"),
        {
            "switch-4x400g": 4,  # core: 3,000 + 2 * 1,600 = 6,200 each: 24,800
            "switch-2x400g+2x100g": 8,  # aggregation: 3,000 + 2 * 1,000 = 5,000 each: 40,000
            "switch-4x100g": 8,  # edge: 3,000 + 2 * 400 = 3,800 each: 30,400
            "transceiver-sr-100g": 32,  # 16 cables below: 20 + 100 = 120 each: 3,840
            "transceiver-lr-400g": 32,  # 16 cables to the core: 840 each: 26,880
            "fiber-mm": 16,  # 320
            "fiber-sm": 16,  # 320
            "copper-100g": 16,  # 640
        },
        24_800 + 40_000 + 30_400 + 3_840 + 26_880 + 320 + 320 + 640,
    ),
    "two equal planes in common boxes": (
        lambda: network(f"{TWO},link_gbps=200,host_gbps=50", planes=2),
        {
            "chassis": 4,  # 24,000
            "chip-2x200g+2x50g": 4,  # two in each leaf: 2 * 500 = 1,000 each: 4,000
            "chip-2x200g": 4,  # two in each spine: 2 * 400 = 800 each: 3,200
            "transceiver-lr-400g": 8,  # 4 cables with a channel of each plane: 840 each: 6,720
            "fiber-sm": 4,  # 80
            "copper-100g": 4,  # 50 of each plane: 160
        },
        24_000 + 4_000 + 3_200 + 6_720 + 80 + 160,
    ),
    "two equal planes in boxes of their own": (
        lambda: network(f"{TWO},link_gbps=200,host_gbps=50", planes=2, separate=True),
        {
            "switch-2x200g+2x50g": 4,  # 3,000 + 1,000 = 4,000 each: 16,000
            "switch-2x200g": 4,  # 3,000 + 800 = 3,800 each: 15,200
            "transceiver-lr-200g": 16,  # 40 + 2 * 200 = 440 each: 7,040
            "fiber-sm": 8,  # 160
            "copper-50g": 8,  # 10 + 15 = 25 each: 200
        },
        16_000 + 15_200 + 7_040 + 160 + 200,
    ),
    "a plane four times as fast as the other": (
        lambda: network(f"{TWO},link_gbps=100", f"{TWO},link_gbps=400"),
        {
            "switch-4x400g": 4,  # 6,200 each: 24,800
            "switch-4x100g": 4,  # 3,800 each: 15,200
            "transceiver-lr-400g": 8,  # 4 cables: 6,720
            "transceiver-lr-100g": 8,  # 4 cables: 40 + 200 = 240 each: 1,920
            "fiber-sm": 8,  # 160
            "copper-400g": 4,  # 10 + 120 = 130 each: 520
            "copper-100g": 4,  # 160
        },
        24_800 + 15_200 + 6_720 + 1_920 + 160 + 520 + 160,
    ),
    "a triangle with one fast side": (
        lambda: built(triangle()),
        {
            "switch-1x400g+1x100g": 2,  # 3,000 + 2 * 500 = 4,000 each: 8,000
            "switch-2x100g": 1,  # 3,000 + 2 * 200: 3,400
            "transceiver-lr-400g": 2,  # 1,680
            "transceiver-lr-100g": 4,  # 960
            "fiber-sm": 3,  # 60
        },
        8_000 + 3_400 + 1_680 + 960 + 60,
    ),
    "links faster in one direction": (
        lambda: built(uneven()),
        {
            "switch-1x400g+1x100g": 2,  # 8,000
            "transceiver-lr-400g": 2,  # 1,680
            "fiber-sm": 1,  # 20
            "copper-100g": 2,  # 80
        },
        8_000 + 1_680 + 20 + 80,
    ),
    "parallel cables of two speeds, shared by two planes": (
        lambda: built(trunk(), trunk()),
        {
            "chassis": 2,  # 12,000
            "chip-1x400g+1x100g": 4,  # 2 * 500 = 1,000 each: 4,000
            "transceiver-lr-800g": 2,  # the fast cables of both planes: 40 + 1,600 each: 3,280
            "transceiver-lr-200g": 2,  # the slow ones: 440 each: 880
            "fiber-sm": 2,  # 40
        },
        12_000 + 4_000 + 3_280 + 880 + 40,
    ),
    "ToRs on parallel fabrics": (
        lambda: architecture(
            "architecture:tor-parallel:pods=2,tors=2,fabrics=2,spines=1,hosts_per_tor=4,link_gbps=400,host_gbps=100"
        ),
        {
            "switch-2x400g+4x100g": 4,  # 3,000 + 2 * 1,200 = 5,400 each: 21,600
            "switch-3x400g": 6,  # as many ports as a fabric switch has cables: 5,400 each: 32,400
            "transceiver-sr-400g": 16,  # 8 cables to ToRs: 420 each: 6,720
            "transceiver-lr-400g": 8,  # 4 cables to spines: 6,720
            "fiber-mm": 8,  # 160
            "fiber-sm": 4,  # 80
            "copper-100g": 16,  # 640
        },
        21_600 + 32_400 + 6_720 + 6_720 + 160 + 80 + 640,
    ),
    "chassis with slow hosts": (
        lambda: architecture("serial-chassis:radix=4,chassis=8,hosts=16,link_gbps=800,host_gbps=200"),
        {
            "chassis": 6,  # 36,000
            "chip-4x800g": 28,  # 4 boxes of 4 and 2 of 6, hosts broken out: 2 * 3,200 = 6,400 each: 179,200
            "transceiver-lr-800g": 32,  # 16 cables: 1,640 each: 52,480
            "fiber-sm": 16,  # 320
            "copper-200g": 16,  # 10 + 60 = 70 each: 1,120
        },
        36_000 + 179_200 + 52_480 + 320 + 1_120,
    ),
}


@pytest.mark.parametrize(("quoted", "parts", "usd"), BILLS.values(), ids=BILLS)
def test_bills_worked_out_by_hand(quoted: Callable[[], Quote], parts: dict[str, int], usd: float) -> None:
    found = quoted()
    assert {line.part.name: line.count for line in found.lines} == parts
    assert found.total_usd == usd


@pytest.mark.parametrize("text", ["fat-tree:k=4", "leaf-spine:leaves=4,spines=2,hosts_per_leaf=8", TWO])
def test_one_speed_stated_twice_is_one_speed(text: str) -> None:
    speeds = "core_gbps=100,host_gbps=100" if text.startswith("fat") else "host_gbps=100"
    one, two = (build_network([each]) for each in (text, f"{text},{speeds}"))
    assert count(one, default_packaging(one)) == count(two, default_packaging(two))


def test_every_question_has_the_same_price() -> None:
    usd = BILLS["hosts four times slower than the uplinks"][2]
    books: dict[str, Any] = {"prices": "example", "powers": "example"}
    assert pn.cost(SMALL, **books).headline.value == usd
    assert pn.price_performance(SMALL, traffic="permutation", **books).columns["total_usd"] == usd


def test_ports_that_slow_links_take() -> None:
    """Eight hosts of 100 Gb/s take two ports of 400; hosts of 300 one each."""
    options = TopologyOptions(TopologySettings(ports=4))
    bill = design(SMALL, options).bill
    assert (bill.ports, bill.ports_used) == (24, 6 * 4)
    with pytest.raises(SpecError) as caught:
        design(SMALL.replace("host_gbps=100", "host_gbps=300"), options)
    assert str(caught.value) == "a switch has more cables than ports, found 10; allowed: at most 4"


def test_a_link_that_is_down_is_as_fast_as_the_fastest() -> None:
    dead = Plane.from_cables(["a", "b", "c"], [0, 1, 0], [1, 2, 2], np.array([400.0, 100.0, 0.0]))
    assert {line.part.name: line.count for line in built(dead).lines if "fiber" not in line.part.name} == {
        "switch-2x400g": 1,
        "switch-1x400g+1x100g": 2,
        "transceiver-lr-400g": 4,
        "transceiver-lr-100g": 2,
    }


def test_a_network_without_links_has_switches() -> None:
    alone = Plane.from_cables(["a"], [], [], [])
    assert [(line.part.name, line.count) for line in built(alone).lines] == [("switch-0x0g", 1)]


def book(folder: Path, *entries: str) -> Any:
    text = "entries:\n" + "".join(f"  {entry}\n" for entry in entries)
    path = folder / "book.yaml"
    path.write_text(text + "  transceiver-lr: 1\n  fiber-sm: 1\n  copper: 1\n")
    from pnet_lp.cost import read_book

    return read_book(path, "price", "ours")


def test_the_cheapest_box_that_holds_the_links_is_bought(tmp_path: Path) -> None:
    """A leaf has 2 x 400 and 8 x 100 Gb/s: in 4 ports of 400, or in 48 of 100 and 2 of 400."""
    prices = book(tmp_path, "switch-4x400g: 900", "switch-2x400g+48x100g: 700", "switch-64x100g: 5")
    found = quote(design(SMALL).bill, prices, POWERS)
    assert {line.part.name: line.count for line in found.lines if line.part.kind == "switch"} == {
        "switch-2x400g+48x100g": 4,
        "switch-4x400g": 2,
    }
    assert found.total_usd == 4 * 700 + 2 * 900 + 16 + 8 + 32


def test_no_box_holds_the_links(tmp_path: Path) -> None:
    prices = book(tmp_path, "switch-3x400g: 900", "switch-64x100g: 5")
    with pytest.raises(SpecError) as caught:
        quote(design(SMALL).bill, prices, POWERS)
    assert str(caught.value) == (
        "ours: no price for part 'switch-2x400g+8x100g'; the book has switch-3x400g, switch-64x100g; "
        "allowed: an entry 'switch-2x400g+8x100g' or 'switch', or 'over: example' in the file"
    )


SPEEDS = st.sampled_from([10.0, 25.0, 40.0, 100.0, 400.0, 800.0])
LINKS = st.dictionaries(SPEEDS, st.integers(1, 40), min_size=1, max_size=4)


@given(links=LINKS, ports=st.integers(1, 64))
def test_a_chip_holds_what_it_is_chosen_for(links: dict[float, int], ports: int) -> None:
    assert Chips.fitting([links], None).of(links).holds(links)
    need = sum(-(-number // broken_out(max(links), gbps)) for gbps, number in links.items())
    box = Part.with_ports("chip", {max(links): ports})
    assert box.holds(links) == (need <= ports)


@given(links=LINKS, more=LINKS)
def test_more_ports_hold_no_less(links: dict[float, int], more: dict[float, int]) -> None:
    """Whatever a box holds, one with further ports of a speed that it has holds as well."""
    box = Part.with_ports("switch", links)
    larger = Part.with_ports("switch", {gbps: ports + more.get(gbps, 0) for gbps, ports in links.items()})
    assert not box.holds(more) or larger.holds(more)
    assert links_of(*links.items(), *more.items()).keys() == links.keys() | more.keys()
