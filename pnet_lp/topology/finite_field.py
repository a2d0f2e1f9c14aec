"""Arithmetic in small finite fields, as tables: what algebraic topologies are built from."""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator

_Table: TypeAlias = npt.NDArray[np.int64]


def prime_power(q: int) -> tuple[int, int] | None:
    """Return ``(p, m)`` with ``q = p^m`` and p prime, or None where there is none."""
    if q < 2:
        return None
    p = next((d for d in range(2, int(q**0.5) + 1) if q % d == 0), q)
    m = 0
    while q % p == 0:
        q, m = q // p, m + 1
    return (p, m) if q == 1 else None


def _checked(q: int) -> int:
    if prime_power(q) is None:
        near = sorted((n for n in range(2, 2 * q) if prime_power(n)), key=lambda n: abs(n - q))[:2]
        raise ValueError(f"not a power of a prime, such as {' or '.join(map(str, sorted(near)))}")
    return q


PrimePower: TypeAlias = Annotated[int, AfterValidator(_checked)]
"""A parameter that is a power of a prime."""


class FiniteField:
    """GF(q) for a prime power q.

    An element is a number from 0 to q - 1, whose digits to the base p are the coefficients of a polynomial over GF(p),
    the lowest first; products are taken modulo the first irreducible polynomial of degree m.

    Attributes:
        q: number of elements.
        add, multiply: int64 ``[q, q]``, sums and products.
    """

    def __init__(self, q: int) -> None:
        found = prime_power(q)
        if found is None:
            raise ValueError(f"{q} is not a power of a prime")
        self.q = q
        p, m = found
        digits = np.array([[element // p**i % p for i in range(m)] for element in range(q)])
        weights = p ** np.arange(m)
        self.add: _Table = (digits[:, None, :] + digits[None, :, :]) % p @ weights
        for tail in product(range(p), repeat=m):
            self.multiply: _Table = _products(digits, np.array(tail), p) @ weights
            # In a field, and in no other ring, nothing but zero times something is zero.
            if np.all(self.multiply[1:, 1:] != 0):
                return

    @cached_property
    def negative(self) -> _Table:
        """int64 ``[q]``, minus each element."""
        return np.nonzero(self.add == 0)[1]

    @cached_property
    def inverse(self) -> _Table:
        """int64 ``[q]``, one over each element; 0 for 0, which has no inverse."""
        return np.concatenate([[0], np.nonzero(self.multiply == 1)[1]])

    @cached_property
    def powers(self) -> list[int]:
        """The powers 0, 1, ..., q - 2 of the smallest primitive element: all elements but zero."""
        for element in range(1, self.q):
            powers = [1]
            while (following := int(self.multiply[powers[-1], element])) != 1:
                powers.append(following)
            if len(powers) == self.q - 1:
                return powers
        raise AssertionError("every finite field has a primitive element")


def _products(digits: _Table, tail: _Table, p: int) -> _Table:
    """Return the digits of all products modulo ``x^m + tail``, ``[q, q, m]``."""
    q, m = digits.shape
    raw = np.zeros((q, q, 2 * m - 1), dtype=np.int64)
    for i in range(m):
        for j in range(m):
            raw[:, :, i + j] += digits[:, None, i] * digits[None, :, j]
    for degree in range(2 * m - 2, m - 1, -1):
        raw[:, :, degree - m : degree] -= raw[:, :, degree, None] * tail
    reduced: _Table = raw[:, :, :m] % p
    return reduced
