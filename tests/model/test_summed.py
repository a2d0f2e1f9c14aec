"""A rule with a list beside it: the same as its pairs, whoever asks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.model.demands import Grouped, Pairs, Product, Summed
from pnet_lp.model.demands.pairs import added


@st.composite
def sums(draw: st.DrawFn) -> Summed:
    """Up to six endpoints with small weights, in one or two groups or in none, and up to eight listed pairs."""
    many = draw(st.integers(2, 6))
    weights = [np.array(draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=many, max_size=many))) for _ in "sr"]
    rule: Product | Grouped = Product(*weights)
    if draw(st.booleans()):
        group = np.array(draw(st.lists(st.integers(0, 1), min_size=many, max_size=many)), dtype=np.int32)
        rule = Grouped(*weights, group, np.arange(many, dtype=np.int32), draw(st.sampled_from([0.0, 0.5])))
    end = st.integers(0, many - 1)
    ends = draw(st.lists(st.tuples(end, end).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=8))
    src, dst = np.array(ends, dtype=np.int32).T
    return Summed(
        rule,
        added(src, dst, np.array(draw(st.lists(st.sampled_from([1.0, 4.0]), min_size=len(src), max_size=len(src))))),
    )


@given(rule=sums(), data=st.data())
def test_a_sum_says_what_its_pairs_say(rule: Summed, data: st.DataObject) -> None:
    many, pairs = len(rule.rule.sends), rule.listed("it")
    dense = np.zeros((many, many))
    for part in (each.listed("it") for each in rule.parts):
        dense[part.src, part.dst] += part.demand
    src, dst = (ends.astype(np.int32) for ends in np.nonzero(dense))
    assert all(map(np.array_equal, (pairs.src, pairs.dst, pairs.demand), (src, dst, dense[src, dst])))
    assert (rule.count, rule.total) == (pairs.count, pytest.approx(pairs.total))
    assert np.allclose(rule.totals(many), pairs.totals(many))
    inside = np.array(data.draw(st.lists(st.booleans(), min_size=many, max_size=many)))
    assert rule.leaving(inside) == pytest.approx(pairs.leaving(inside))
    for endpoint in range(many):
        assert np.array_equal(rule.sent_to(endpoint, many), pairs.sent_to(endpoint, many))
        assert rule.sent_to_itself(endpoint) == 0.0
    assert np.array_equal(rule.scaled(2.0).listed("it").demand, 2 * pairs.demand)
    assert np.array_equal(rule.between(src, dst), pairs.demand)
    assert [str(part) for part in rule.identity("x")] == [str(part) for part in pairs.identity("x")]
    assert set(pairs.src) | set(pairs.dst) <= set(np.flatnonzero(rule.named(many)))
    assert set(pairs.dst) <= set(np.flatnonzero(rule.received(many)))
    assert rule.range.min() <= pairs.demand.min() <= pairs.demand.max() <= rule.range.max()


def test_rules_of_few_demands_are_listed_beside_those_of_many() -> None:
    whole, some = Product(np.ones(4), np.ones(4)), Product(np.array([1.0, 2.0, 0.0, 0.0]), np.ones(4))
    pair = Pairs(np.array([1], dtype=np.int32), np.array([3], dtype=np.int32), np.array([5.0]))
    found = Summed.of(some, Summed(whole, pair), 4)
    assert isinstance(found, Summed)
    assert found.rule is whole
    assert found.listed("it").demand.sum() == whole.total + some.total + 5
    assert Summed.of(pair, pair, 4) is None
    groups = Pairs(np.array([0, 1, 2, 3], dtype=np.int32), np.array([1, 0, 3, 2], dtype=np.int32), np.ones(4))
    grouped = Summed.of(Summed(whole, pair), groups, 4)
    assert isinstance(grouped, Summed)
    assert isinstance(grouped.rule, Grouped)
    assert grouped.beside.count == 1


def test_sums_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pnet_lp.model.traffic.LISTED_PAIRS", 0)
    rule = TrafficMatrix.from_weights("host", np.full(3, 3e7), np.full(3, 3e7))
    with pytest.raises(TrafficError, match="the demands of a pair add up to too much"):
        rule + TrafficMatrix.from_entries("host", 3, [0], [1], 9e14)
