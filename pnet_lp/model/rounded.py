"""Sums, products and quotients of doubles, rounded in a direction that is known.

What a proof claims is computed from these alone: loads and volumes rounded up, distances and amounts rounded down.
So a bound holds without any tolerance, and where the exact result is a double, it is the result.

The error of a sum or a product of two doubles is itself a double, which a few operations give exactly (T. J. Dekker,
"A floating-point technique for extending the available precision", Numer. Math. 18 (1971); D. E. Knuth, TAOCP vol. 2,
4.2.2).  Its sign says on which side of the exact result the rounded one is.  Sums of many numbers are taken apart into
pieces that add up without rounding (S. M. Rump, T. Ogita, S. Oishi, "Accurate floating-point summation part I", SIAM J.
Sci. Comput. 31 (2008)).

All functions take and return float64, arrays or numbers; ``inf`` is allowed in sums only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pnet_lp.model.arrays import FloatArray

_BLOCK = 1 << 14
"""Numbers computed with at once: what is between stays in the cache, which is two to three times as fast."""

_SPLIT = 2.0**27 + 1
_TINY = 1e-270
"""Below this the error of a product may be no double; its sign is then taken for the worst."""


def _in_blocks(
    operation: Callable[[npt.ArrayLike, npt.ArrayLike], FloatArray],
) -> Callable[[npt.ArrayLike, npt.ArrayLike], FloatArray]:
    """Return the same operation, block by block where there are many numbers."""

    @functools.wraps(operation)
    def found(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
        a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
        if max(a.size, b.size) <= _BLOCK or max(a.ndim, b.ndim) > 1:
            return operation(a, b)
        a, b = np.broadcast_arrays(a, b)
        result = np.empty(len(a))
        for first in range(0, len(a), _BLOCK):
            here = slice(first, first + _BLOCK)
            result[here] = operation(a[here], b[here])
        return result

    return found


@_in_blocks
def add_up(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Return the sums, rounded up."""
    total, error = _sum(a, b)
    return _above(total, error > 0)


@_in_blocks
def add_down(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Return the sums, rounded down."""
    total, error = _sum(a, b)
    return _below(total, error < 0)


def sub_up(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Return the differences, rounded up."""
    return add_up(a, np.negative(b))


def sub_down(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Return the differences, rounded down."""
    return add_down(a, np.negative(b))


@_in_blocks
def mul_up(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Return the products of numbers >= 0, rounded up."""
    product, error, unknown = _product(a, b)
    return _above(product, (error > 0) | unknown)


@_in_blocks
def mul_down(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Return the products of numbers >= 0, rounded down."""
    product, error, unknown = _product(a, b)
    return np.maximum(_below(product, (error < 0) | unknown), 0.0)


@_in_blocks
def div_up(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Return the quotients of numbers >= 0 by numbers > 0, rounded up."""
    quotient, rest, unknown = _quotient(a, b)
    return _above(quotient, (rest > 0) | unknown)


@_in_blocks
def div_down(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Return the quotients of numbers >= 0 by numbers > 0, rounded down."""
    quotient, rest, unknown = _quotient(a, b)
    return np.maximum(_below(quotient, (rest < 0) | unknown), 0.0)


def totals_up(index: npt.NDArray[np.integer] | None, values: npt.ArrayLike, count: int) -> FloatArray:
    """Return the sum of the values of each index, ``[count]``, rounded up; of all for None."""
    found = np.zeros(count)
    for piece in _pieces(index, values, count):
        found = add_up(found, piece)
    return found


def totals_down(index: npt.NDArray[np.integer] | None, values: npt.ArrayLike, count: int) -> FloatArray:
    """Return the sum of the values of each index, ``[count]``, rounded down; of all for None."""
    found = np.zeros(count)
    for piece in _pieces(index, values, count):
        found = add_down(found, piece)
    return found


class Rounding(NamedTuple):
    """The operations that round in one direction."""

    add: Callable[[npt.ArrayLike, npt.ArrayLike], FloatArray]
    mul: Callable[[npt.ArrayLike, npt.ArrayLike], FloatArray]
    div: Callable[[npt.ArrayLike, npt.ArrayLike], FloatArray]
    totals: Callable[[npt.NDArray[np.integer], npt.ArrayLike, int], FloatArray]


UP = Rounding(add_up, mul_up, div_up, totals_up)
DOWN = Rounding(add_down, mul_down, div_down, totals_down)


def sum_up(values: npt.ArrayLike) -> float:
    """Return the sum of all values, rounded up."""
    return float(totals_up(None, values, 1)[0])


def sum_down(values: npt.ArrayLike) -> float:
    """Return the sum of all values, rounded down."""
    return float(totals_down(None, values, 1)[0])


def _above(values: npt.ArrayLike, where: npt.NDArray[np.bool_]) -> FloatArray:
    return np.asarray(np.where(where, np.nextafter(values, np.inf), values))


def _below(values: npt.ArrayLike, where: npt.NDArray[np.bool_]) -> FloatArray:
    return np.asarray(np.where(where, np.nextafter(values, -np.inf), values))


def _sum(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the rounded sums and their errors, which are NaN where a sum is infinite."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    total = np.add(a, b)
    with np.errstate(invalid="ignore"):
        part = total - a
        error = (a - (total - part)) + (b - part)
    return total, error


def _halves(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two numbers of 26 bits each that add up to ``a``."""
    scaled = _SPLIT * a
    high = scaled - (scaled - a)
    return high, a - high


def _product(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
    """Return the rounded products, their errors, and where these are not known."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error, (np.abs(product) < _TINY) & (a != 0) & (b != 0)


def _quotient(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
    """Return the rounded quotients, the signs of what is missing from them, and where these are not known."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    quotient = a / b
    back, error, unknown = _product(quotient, b)
    return quotient, (a - back) - error, (unknown | (np.abs(quotient) < _TINY)) & (a != 0)


def _pieces(index: npt.NDArray[np.integer] | None, values: npt.ArrayLike, count: int) -> list[FloatArray]:
    """Return arrays ``[count]`` that add up to the sums of each index exactly, the smallest first."""
    rest = np.ravel(np.asarray(values, dtype=np.float64))
    index = None if index is None else np.ravel(index)
    found: list[FloatArray] = []
    while rest.any():
        if not rest.all():
            used = np.flatnonzero(rest)
            index, rest = index if index is None else index[used], rest[used]
        most = len(rest) if index is None else int(np.bincount(index).max())
        # Multiples of the last bit of `unit`, of which as many as there are add up below it: no sum of them is rounded.
        unit = np.ldexp(1.0, int(np.frexp(np.abs(rest).max())[1]) + int(np.ceil(np.log2(most))) + 2)
        high = (rest + unit) - unit
        piece = [high.sum()] if index is None else np.bincount(index, weights=high, minlength=count)
        found.append(np.asarray(piece))
        rest = rest - high
    return found[::-1]
