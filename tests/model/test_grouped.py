"""Demands inside groups as a rule: the same as their pairs, whoever asks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.model.demands import Grouped, Pairs, Product


@st.composite
def rules(draw: st.DrawFn) -> Grouped:
    """Up to four owners of one or two endpoints each, in up to three groups, with small weights."""
    owner = [o for o in range(draw(st.integers(1, 4))) for _ in range(draw(st.integers(1, 2)))]
    sets = draw(st.lists(st.integers(0, len(owner) - 1), min_size=4, max_size=4))
    weights = [draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=len(owner), max_size=len(owner))) for _ in "sr"]
    group = [min(sets[o], len(owner) - 1) for o in owner]
    return Grouped(*map(np.array, weights), np.array(group, dtype=np.int32), np.array(owner, dtype=np.int32))


@given(rule=rules(), data=st.data())
def test_a_rule_says_what_its_pairs_say(rule: Grouped, data: st.DataObject) -> None:
    many, pairs = len(rule.owner), rule.listed("it")
    dense = np.outer(rule.sends, rule.receives)
    dense[(rule.group[:, None] != rule.group) | (rule.owner[:, None] == rule.owner)] = 0.0
    src, dst = np.nonzero(dense)
    assert np.array_equal(pairs.src, src)
    assert np.array_equal(pairs.dst, dst)
    assert np.array_equal(pairs.demand, dense[src, dst])
    assert (rule.count, rule.total) == (pairs.count, pytest.approx(pairs.total))
    assert np.allclose(rule.totals(many), pairs.totals(many))
    inside = np.array(data.draw(st.lists(st.booleans(), min_size=many, max_size=many)))
    assert rule.leaving(inside) == pytest.approx(pairs.leaving(inside))
    for endpoint in range(many):
        assert np.array_equal(rule.sent_to(endpoint, many), pairs.sent_to(endpoint, many))
        assert rule.sent_to_itself(endpoint) == pairs.sent_to_itself(endpoint) == 0.0
    assert np.array_equal(rule.scaled(2.0).listed("it").demand, 2 * pairs.demand)
    assert [str(part) for part in rule.identity("x")] == [str(part) for part in pairs.identity("x")]
    assert set(pairs.src) | set(pairs.dst) <= set(np.flatnonzero(rule.named(many)))
    if pairs.count:
        assert rule.range.min() <= pairs.demand.min() <= pairs.demand.max() <= rule.range.max()


@given(size=st.integers(2, 4), groups=st.integers(1, 3), stride=st.booleans(), missing=st.booleans())
def test_pairs_that_are_all_to_all_in_groups_are_a_rule(size: int, groups: int, stride: bool, missing: bool) -> None:
    number = np.arange(size * groups)
    group = number % groups if stride else number // size
    pairs = (group[:, None] == group) & (number[:, None] != number)
    src, dst = (ends.astype(np.int32) for ends in np.nonzero(pairs))
    kept = slice(int(missing), None)
    listed = Pairs(src[kept], dst[kept], (2.5 + group[src])[kept])
    rule = Grouped.of(listed, len(number))
    if missing:
        assert rule is None or len(src) == 2
        return
    assert rule is not None
    found = rule.listed("it")
    assert all(map(np.array_equal, (found.src, found.dst, found.demand), (src, dst, listed.demand)))
    # Where each endpoint is two, what receives comes after what sends.
    apart = rule.apart().listed("it")
    assert np.array_equal(apart.dst - apart.src, dst - src + len(number))


def test_demands_of_different_sizes_are_listed() -> None:
    ends = np.array([0, 1], dtype=np.int32)
    assert Grouped.of(Pairs(ends, ends[::-1], np.array([1.0, 2.0])), 2) is None
    product = Product(np.array([1.0, 2.0]), np.array([3.0, 5.0]))
    rule = Grouped.of(product, 2)
    assert rule is not None
    assert np.array_equal(rule.listed("it").demand, product.listed("it").demand)
