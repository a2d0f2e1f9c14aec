"""The hybrid paper's prices, in full dollars, against its formulas written out here."""

import math
from fractions import Fraction
from pathlib import Path

import pytest

import pnet_lp as pn
from pnet_lp.cost import Book, design, equal_cost, load_book, quote
from pnet_lp.errors import SpecError

TOR, SR, LR, OPTICAL, BIG, SMALL, MULTI, SINGLE, COPPER = 30_000, 665, 1_600, 340, 3_595, 1_995, 28, 25, 10
"""Table 1."""


def prices() -> Book:
    return load_book("price", ["hybrid-list"])


def price(text: str) -> float:
    return quote(design(text).bill, prices(), load_book("power")).total_usd


def hybrid_by_hand(beta: int) -> Fraction:
    links = Fraction(320 * 32, beta)
    fixed = 320 * TOR + 320 * 32 * (SR + MULTI) + 694 * BIG + 320 * SMALL + 7680 * COPPER
    return fixed + links * (LR + SINGLE + OPTICAL)


def tree_by_hand(beta: int) -> float:
    root = math.sqrt(beta)
    switches = 320 + 320 / root + 160 / beta
    transceivers = 10_240 + 20_480 / root + 20_480 / beta
    return switches * TOR + transceivers * SR + transceivers / 2 * MULTI


def test_full_dollars() -> None:
    assert price("hybrid:servers=10240,beta=1") == hybrid_by_hand(1) == 40_028_050
    assert price("architecture:beta-fat-tree:servers=10240,beta=1") == tree_by_hand(1) == 58_764_800
    assert price("hybrid:beta=32") == hybrid_by_hand(32) == 20_535_250
    assert round(price("beta-fat-tree:beta=32")) == round(tree_by_hand(32)) == 21_292_819
    # Where the root is whole, so are all numbers of the formula.
    assert price("beta-fat-tree:beta=4") == tree_by_hand(4) == 32_982_400
    assert price("beta-fat-tree:beta=16") == tree_by_hand(16)


@pytest.mark.parametrize("beta", range(1, 33))
def test_cheaper_at_every_beta(beta: int) -> None:
    hybrid, tree = price(f"hybrid:beta={beta}"), price(f"beta-fat-tree:beta={beta}")
    assert hybrid == pytest.approx(float(hybrid_by_hand(beta)), abs=1e-3)
    assert tree == pytest.approx(tree_by_hand(beta), abs=1e-3)
    assert hybrid < tree


def test_the_table_of_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "cost.md").read_text()
    table = page.partition("beta  hybrid  beta-fat-tree\n")[2].partition("\n\n")[0]
    rows = [line.split() for line in table.splitlines()]
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "32"]
    for beta, hybrid, tree in rows:
        assert hybrid == f"{float(hybrid_by_hand(int(beta))) / 1e6:.3f}"
        assert tree == f"{tree_by_hand(int(beta)) / 1e6:.3f}"


def test_published_savings() -> None:
    saved = [
        100 * (1 - ours / tree)
        for ours, tree in (
            [pn.cost(name, beta=beta).headline.value for name in ("hybrid", "beta-fat-tree")]
            for beta in (1, 2, 3, 4, 32)
        )
    ]
    assert [round(percent, 1) for percent in saved] == [31.9, 29.5, 26.8, 24.4, 3.6]


def test_what_counting_pieces_adds() -> None:
    """The paper gives a server half a multi-mode cable, and parts of switches where the root is not whole."""
    assert price("beta-fat-tree:numbers=pieces") - price("beta-fat-tree") == 5120 * MULTI
    for beta in (2, 3, 32):
        more = price(f"beta-fat-tree:beta={beta},numbers=pieces") - price(f"beta-fat-tree:beta={beta}")
        assert 5120 * MULTI <= more <= 5120 * MULTI + 2 * TOR + 4 * (2 * SR + MULTI)


def test_equal_cost() -> None:
    """The paper's scenarios at true costs: 20 links for a 1:4 tree nearly are equal, 6 for a 1:25 tree are not."""
    books = prices(), load_book("power")
    second = equal_cost(4, *books, links=20)
    assert (second.tree_usd, second.hybrid_usd) == (32_982_400, float(hybrid_by_hand(1) - 12 * 320 * 1965))
    assert second.optical_links == pytest.approx(20.795, abs=1e-3)
    assert second.excess == pytest.approx(-0.0152, abs=1e-4)
    first = equal_cost(25, *books, links=6)
    assert first.hybrid_usd == float(hybrid_by_hand(1) - 26 * 320 * 1965) == 23_679_250
    assert first.tree_usd == pytest.approx(22_002_380.8)
    assert first.optical_links == pytest.approx(3.333, abs=1e-3)
    assert first.excess == pytest.approx(0.0762, abs=1e-4)


@pytest.mark.parametrize("oversubscription", [1, 1.6, 4, 25, 32])
def test_equal_cost_is_bought_and_not_exceeded(oversubscription: float) -> None:
    books = prices(), load_book("power")
    found = equal_cost(oversubscription, *books)
    assert found.hybrid_usd <= found.tree_usd
    if found.links < found.most_links:
        assert equal_cost(oversubscription, *books, links=found.links + 1).hybrid_usd > found.tree_usd


def test_equal_cost_refuses() -> None:
    books = prices(), load_book("power")
    with pytest.raises(SpecError) as caught:
        equal_cost(4, *books, links=33)
    assert str(caught.value) == "links of a ToR are out of range, found 33; allowed: 1 to 32"
    with pytest.raises(SpecError, match="beta-fat-tree: beta: input should be greater than or equal to 1"):
        equal_cost(0.5, *books)


def test_a_beta_that_is_said_twice() -> None:
    with pytest.raises(SpecError) as caught:
        pn.cost("hybrid:beta=3", beta=1)
    assert str(caught.value) == "beta: 'hybrid:beta=3' already gives it, found 1.0"


def test_optics_spare_transceivers() -> None:
    """P-Net, section 6.1: with an optical core, only the ToRs have transceivers towards it."""
    optical, electrical = design("ocs-core").bill, design("parallel").bill
    assert (optical.transceivers, electrical.transceivers) == (8192, 2 * 8192)
    assert (optical.chips, electrical.chips) == (1024, 1536)
    assert optical.optical_ports == 8 * 8192
    panels = design("patch-panel-core").bill
    assert (panels.boxes, panels.cables, panels.links) == (optical.boxes, optical.cables, optical.links)
    assert panels.optical == (("panel-port", 8 * 8192),)
