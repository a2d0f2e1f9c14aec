"""Classes of endpoints that demands tell apart, found again round by round."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.model.demands import Pairs


@given(n=st.integers(1, 12), data=st.data())
def test_classes_are_the_coarsest_that_demands_do_not_tell_apart(n: int, data: st.DataObject) -> None:
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    pairs = sorted({(s, t) for s, t in data.draw(st.lists(ends, max_size=3 * n)) if s != t})
    src, dst = (np.array([pair[i] for pair in pairs], dtype=np.int32) for i in (0, 1))
    demand = np.array([data.draw(st.sampled_from([1.0, 2.0])) for _ in pairs])
    given_classes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    begin = np.unique(given_classes, return_inverse=True)[1].astype(np.int64)
    found = Pairs(src, dst, demand).refined(begin.copy(), np.arange(n))
    amount = np.zeros((n, n))
    amount[src, dst] = demand
    classes = begin
    for _ in range(n):
        member = np.eye(classes.max() + 1)[classes]
        looks = np.column_stack([classes, amount @ member, amount.T @ member])
        classes = np.unique(looks, axis=0, return_inverse=True)[1].ravel()
    assert np.array_equal(found[:, None] == found, classes[:, None] == classes)
