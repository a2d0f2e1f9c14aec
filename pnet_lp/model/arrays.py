"""Read-only arrays and fingerprints, shared by the value types."""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import PnetError
from pnet_lp.model.brief import brief

IntArray: TypeAlias = npt.NDArray[np.int32]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


def ints(values: npt.ArrayLike) -> IntArray:
    """Return ``values`` as a read-only contiguous int32 array (always a copy)."""
    return _read_only(values, np.int32)


def longs(values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the same as int64."""
    return _read_only(values, np.int64)


def floats(values: npt.ArrayLike) -> FloatArray:
    """Return the same as float64."""
    return _read_only(values, np.float64)


def booleans(values: npt.ArrayLike) -> BoolArray:
    """Return the same as bool."""
    return _read_only(values, np.bool_)


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class MostlyZero:
    """An array of which the entries that are not zero are kept.

    Attributes:
        shape: of the array.
        place: int64, where these are, in row-major order.
        value: float64, what they are.
    """

    shape: tuple[int, ...]
    place: npt.NDArray[np.int64]
    value: FloatArray

    @classmethod
    def of(cls, array: FloatArray) -> Self:
        """Return ``array`` in this form."""
        entries = np.ravel(array)
        place = np.flatnonzero(entries)
        return cls(array.shape, longs(place), floats(entries[place]))

    @property
    def size(self) -> int:
        """Bytes of what is kept."""
        return self.place.nbytes + self.value.nbytes

    def array(self) -> FloatArray:
        """Return the whole array."""
        entries = np.zeros(math.prod(self.shape))
        entries[self.place] = self.value
        return floats(entries.reshape(self.shape))


def checked_array(
    values: npt.ArrayLike, fault: type[PnetError], where: str, *, whole: bool = False
) -> npt.NDArray[Any]:
    """Return the array that a caller gives.

    Args:
        values: of any kind.
        fault: what is raised.
        where: what they are of, for messages.
        whole: whether they are whole numbers, and returned as int64.

    Raises:
        fault: some are masked out, or are no whole numbers.
    """
    # Where it is not loaded, nothing has a mask.
    if "numpy.ma" in sys.modules and np.ma.is_masked(values):
        raise fault("values are masked out", where=where, allowed="an array without a mask")
    array = np.asarray(values)
    if whole and array.size and not (array.dtype.kind in "iuf" and np.all(array == np.floor(array))):
        raise fault("not a list of whole numbers", where=where, found=f"values of type {array.dtype}")
    return array.astype(np.int64, copy=False) if whole else array


def _read_only(values: npt.ArrayLike, dtype: type[np.generic]) -> npt.NDArray[Any]:
    array = np.array(values, dtype=dtype, order="C", ndmin=1)
    array.setflags(write=False)
    return array


def rows(*columns: npt.NDArray[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the entries of arrays of one length side by side, as Python's own numbers."""
    return zip(*(column.tolist() for column in columns), strict=True)


def equal_columns(values: FloatArray) -> npt.NDArray[np.int64]:
    """Return a label per column, equal for equal columns."""
    order = np.lexsort(values)
    new = np.any(values[:, order[1:]] != values[:, order[:-1]], axis=0)
    label = np.empty(len(order), dtype=np.int64)
    label[order] = np.cumsum(np.r_[False, new])
    return label


def fingerprint(parts: Iterable[str | npt.NDArray[np.generic]]) -> str:
    """Return ``"sha256:..."`` over strings and arrays, in order, with their shapes and types."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            data = part.encode()
            head = f"str {len(data)};"
        else:
            data = np.ascontiguousarray(part).astype(part.dtype.newbyteorder("<")).tobytes()
            head = f"{part.dtype.newbyteorder('<').str} {part.shape};"
        digest.update(head.encode())
        digest.update(data)
    return f"sha256:{digest.hexdigest()}"
