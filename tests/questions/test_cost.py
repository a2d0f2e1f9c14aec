"""What an architecture carries for its money."""

from dataclasses import replace

import pytest

from pnet_lp.cost import Design, Quote, design, load_book, quote
from pnet_lp.errors import SpecError
from pnet_lp.model import Network
from pnet_lp.questions.cost.appraise import LARGEST_GRAPH, BisectionCapacity, appraise
from pnet_lp.traffic import build_traffic


def priced(text: str) -> tuple[Design, Quote]:
    made = design(text)
    return made, quote(made.bill, load_book("price"), load_book("power"))


def never() -> Network:
    pytest.fail("the network was built")


def test_closed_forms_need_no_network() -> None:
    made, price = priced("parallel:hosts=2097152,radix=16,planes=4")
    found = appraise(replace(made, build=never), price)
    assert found.bisection == BisectionCapacity(2_097_152 / 2 * 800, "closed form")
    assert found.switch_hops == made.bill.switch_hops == 7
    assert made.bill.links == 3 * 2_097_152
    assert found.capacity_gbps == 2_097_152 * 400


def test_large_networks_are_not_built() -> None:
    made, price = priced("architecture:jellyfish:switches=100000,ports=16,hosts=800000")
    assert made.bill.chips > LARGEST_GRAPH
    found = appraise(replace(made, build=never), price)
    assert (found.bisection, found.switch_hops, found.capacity_gbps) == (None, None, None)
    assert price.total_usd > 0


def test_measured() -> None:
    made, price = priced("architecture:jellyfish:switches=6,ports=5,hosts=6")
    found = appraise(made, price)
    # Four cables at each of six switches leave three pairs that are no neighbours; three hosts can send 30 Gb/s.
    assert found.switch_hops == 3
    assert found.bisection == BisectionCapacity(30.0, "proved")
    assert appraise(replace(made, build=never), price, measure=False).bisection is None


def test_throughput() -> None:
    made, price = priced("ring:n=8")
    found = appraise(made, price, lambda network: build_traffic("all-to-all", network), tolerance=1e-6)
    assert found.result is not None
    # All-to-all on a ring of 8 racks gives 1/8 of a link to each of 56 pairs.
    assert found.throughput_gbps == pytest.approx(56 * 100 / 8, rel=1e-5)
    assert found.capacity_gbps == found.throughput_gbps


def test_no_network_no_traffic() -> None:
    made, price = priced("hybrid:beta=3")
    with pytest.raises(SpecError) as caught:
        appraise(made, price, lambda network: build_traffic("permutation", network))
    assert str(caught.value) == "hybrid:beta=3: there is no explicit network to send traffic over"
