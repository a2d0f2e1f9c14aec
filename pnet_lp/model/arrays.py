"""Read-only arrays and fingerprints, shared by the value types."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.int32]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


def ints(values: npt.ArrayLike) -> IntArray:
    """Return ``values`` as a read-only contiguous int32 array (always a copy)."""
    array = np.array(values, dtype=np.int32, order="C", ndmin=1)
    array.setflags(write=False)
    return array


def floats(values: npt.ArrayLike) -> FloatArray:
    """Return ``values`` as a read-only contiguous float64 array (always a copy)."""
    array = np.array(values, dtype=np.float64, order="C", ndmin=1)
    array.setflags(write=False)
    return array


def longs(values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return ``values`` as a read-only contiguous int64 array (always a copy)."""
    array = np.array(values, dtype=np.int64, order="C", ndmin=1)
    array.setflags(write=False)
    return array


def booleans(values: npt.ArrayLike) -> BoolArray:
    """Return ``values`` as a read-only contiguous bool array (always a copy)."""
    array = np.array(values, dtype=np.bool_, order="C", ndmin=1)
    array.setflags(write=False)
    return array


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
