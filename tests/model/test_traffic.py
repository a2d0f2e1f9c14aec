"""Traffic matrices as values: sorted, added up, checked."""

from typing import Any

import numpy as np
import pytest

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix


def test_entries_are_sorted_added_up_and_dropped_where_zero() -> None:
    matrix = TrafficMatrix.from_entries("rack", 4, [2, 0, 2, 1, 0], [1, 3, 1, 0, 1], [1, 2, 3, 0, 5])
    assert matrix.src.tolist() == [0, 0, 2]
    assert matrix.dst.tolist() == [1, 3, 1]
    assert matrix.demand.tolist() == [5, 2, 4]
    assert (matrix.demand_count, matrix.total) == (3, 11)
    assert matrix.to_csr().toarray()[2, 1] == 4
    with pytest.raises(ValueError, match="read-only"):
        matrix.demand[0] = 1


def test_dense_and_sparse_agree() -> None:
    dense = np.array([[0, 1, 2], [3, 0, 0], [0, 4, 0]], dtype=float)
    matrix = TrafficMatrix.from_dense("host", dense)
    np.testing.assert_array_equal(matrix.to_csr().toarray(), dense)
    s, t = np.nonzero(dense)
    again = TrafficMatrix.from_entries("host", 3, s[::-1], t[::-1], dense[s, t][::-1], label="other")
    assert again.fingerprint == matrix.fingerprint


def test_the_fingerprint_is_that_of_level_size_and_entries() -> None:
    def made(level: Any = "rack", endpoints: int = 3, dst: int = 1, demand: float = 1.0) -> str:
        return TrafficMatrix.from_entries(level, endpoints, [0], [dst], demand).fingerprint

    assert len({made(), made("host"), made(endpoints=4), made(dst=2), made(demand=2)}) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [1, 2]), "traffic: 1 sources and 2 destinations"),
        (([0, 1], [1, 2], [1, 2, 3]), "traffic: 2 pairs have 3 demands"),
        (([0], [4]), "traffic: no such rack, found 4; allowed: 0 to 3"),
        (([-1], [2]), "traffic: no such rack, found -1; allowed: 0 to 3"),
        (([0], [1], -1), "traffic: invalid demand, found -1.0; allowed: 0, or 1e-15 to 1e+15"),
        (([0], [1], np.nan), "traffic: invalid demand, found nan; allowed: 0, or 1e-15 to 1e+15"),
        (([0], [1], np.inf), "traffic: invalid demand, found inf; allowed: 0, or 1e-15 to 1e+15"),
        (([0], [1], 1e308), "traffic: invalid demand, found 1e+308; allowed: 0, or 1e-15 to 1e+15"),
        (
            ([0, 0], [1, 1], 1e15),
            "traffic: the demands of a pair add up to too much, found 2000000000000000.0; "
            "allowed: 0, or 1e-15 to 1e+15",
        ),
        (([1], [1]), "traffic: rack 1 has a demand to itself"),
    ],
)
def test_wrong_entries(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(TrafficError) as caught, np.errstate(over="ignore"):
        TrafficMatrix.from_entries("rack", 4, *arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("dense", "message"),
    [
        (np.ones((2, 3)), "traffic: a dense traffic matrix is square, found (2, 3)"),
        ([[0, np.nan], [0, 0]], "traffic: a demand is not finite; allowed: 0, or 1e-15 to 1e+15"),
        ([[0, -1], [0, 0]], "traffic: invalid demand, found -1.0; allowed: 0, or 1e-15 to 1e+15"),
        (np.eye(2), "traffic: rack 0 has a demand to itself"),
    ],
)
def test_wrong_dense_matrices(dense: Any, message: str) -> None:
    with pytest.raises(TrafficError) as caught:
        TrafficMatrix.from_dense("rack", dense)
    assert str(caught.value) == message


def test_indices_are_whole_numbers_and_masks_count() -> None:
    with pytest.raises(TrafficError, match="not a list of whole numbers, found 'values of type float64'"):
        TrafficMatrix.from_entries("rack", 3, [0, 1.5], [1, 2])
    assert len(TrafficMatrix.from_entries("rack", 3, [0.0, 1.0], [1, 2]).demand) == 2
    for masked in ({"src": 1}, {"dst": 1}, {"demand": 1}):
        arrays = {"src": [0, 1], "dst": [1, 2], "demand": [1.0, 1.0]}
        arrays |= {key: np.ma.array(arrays[key], mask=[0, at]) for key, at in masked.items()}
        with pytest.raises(TrafficError, match="values are masked out"):
            TrafficMatrix.from_entries("rack", 3, **arrays)


def test_weights_whose_products_vanish_are_refused() -> None:
    """1e-200 times itself is 0 in double precision, and 1e-200 times 1 is no demand."""
    weights = np.array([1.0, 1e-200, 1.0])
    with pytest.raises(TrafficError, match="invalid demand"):
        TrafficMatrix.from_weights("rack", weights, weights)
