"""NumPy archives: arrays ``src``, ``dst``, ``demand`` of equal length, or one square array ``matrix``.

``src`` and ``dst`` are indices.  Optional ``endpoints`` and ``level``, which ours have, are
checked against the network.
"""

from __future__ import annotations

import io
import math
import tokenize
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TrafficError
from pnet_lp.formats import Format
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS
from pnet_lp.traffic.io.lines import check_count, check_size
from pnet_lp.units import AMOUNTS, are_amounts

_Arrays: TypeAlias = dict[str, npt.NDArray[np.generic]]

_KEYS = ("src", "dst", "demand", "matrix", "endpoints", "level")

_PARSER_FAULTS = (
    EOFError,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    OverflowError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy and the zip reader raise on broken archives, of which only a few are documented."""


def _parse(data: bytes, where: str, network: Network, level: Level) -> TrafficMatrix:
    endpoints = len(network.endpoint_names(level))
    arrays = _load(data, where, endpoints)
    # NumPy compares texts that Python cannot hold.
    if "level" in arrays and not np.array_equal(arrays["level"], level):
        raise TrafficError(f"the matrix is not between {level}s", where=f"{where}: level")
    if "matrix" in arrays:
        matrix = _numbers(arrays, "matrix", where)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise TrafficError("a dense matrix is square", where=f"{where}: matrix", found=matrix.shape)
        check_size(len(matrix), endpoints, level, where)
        _check_demands(matrix, f"{where}: matrix")
        if np.any(loops := np.flatnonzero(np.diagonal(matrix))):
            raise TrafficError(f"{level} {int(loops[0])} has a demand to itself", where=f"{where}: matrix")
        return TrafficMatrix.from_dense(level, matrix, label=where)
    if missing := [key for key in ("src", "dst", "demand") if key not in arrays]:
        raise TrafficError(
            f"array {missing[0]!r} is missing", where=where, allowed="src, dst and demand; or a square matrix"
        )
    src, dst = (_indices(arrays, key, where) for key in ("src", "dst"))
    demand = _numbers(arrays, "demand", where)
    if demand.ndim != 1 or not len(src) == len(dst) == len(demand):
        shapes = ", ".join(str(arrays[key].shape) for key in ("src", "dst", "demand"))
        raise TrafficError(f"src, dst and demand have shapes {shapes}", where=where, allowed="one length for all")
    if "endpoints" in arrays:
        size = _indices(arrays, "endpoints", where)
        if len(size) != 1:
            raise TrafficError("endpoints is not one number", where=where, found=size.shape)
        check_size(int(size[0]), endpoints, level, where)
    if len(src):
        check_size(int(max(src.max(), dst.max())) + 1, endpoints, level, where, at_most=True)
    _check_demands(demand, f"{where}: demand")
    if len(loops := np.flatnonzero((src == dst) & (demand > 0))):
        raise TrafficError(f"{level} {src[loops[0]]} has a demand to itself", where=f"{where}: entry {loops[0]}")
    return TrafficMatrix.from_entries(level, endpoints, src, dst, demand, label=where)


def _write(traffic: TrafficMatrix, temporary: Path, _: Network, __: Level) -> None:
    # Not into the file itself: an archive that a full disk cuts off tries again to be closed when it is deleted.
    file = io.BytesIO()
    np.savez_compressed(
        file,
        src=traffic.src,
        dst=traffic.dst,
        demand=traffic.demand,
        endpoints=np.array([traffic.endpoints]),
        level=np.array(traffic.level),
    )
    temporary.write_bytes(file.getbuffer())


def _load(data: bytes, where: str, endpoints: int) -> _Arrays:
    """Return the arrays of ours in the archive, whose sizes are checked before they are unpacked."""
    try:
        with warnings.catch_warnings(), zipfile.ZipFile(io.BytesIO(data)) as archive:
            warnings.simplefilter("ignore", UserWarning)  # an archive of Python 2 is read like any other
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            if len(members) < len(archive.infolist()):
                raise ValueError("two arrays have one name")
            found = {key: members[key] for key in _KEYS if key in members}
            for key, info in found.items():
                _check_member(archive, info, f"{where}: {key}", endpoints)
            return {key: _array(archive, info) for key, info in found.items()}
    except _PARSER_FAULTS as error:
        raise TrafficError(f"not a NumPy archive of plain arrays ({error})", where=where) from None


def _check_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str, endpoints: int) -> None:
    """Raise an error unless a member has the bytes that its header says, and no more than can be demands."""
    with archive.open(info) as member:
        version = np.lib.format.read_magic(member)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(member)
        size = math.prod(shape) * dtype.itemsize
        if dtype.hasobject or info.file_size - member.tell() != size:
            raise ValueError(f"the data are not the {size} bytes of {dtype} {shape}")
    check_count(math.prod(shape), endpoints, where)


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> npt.NDArray[np.generic]:
    with archive.open(info) as member:
        array: npt.NDArray[np.generic] = np.lib.format.read_array(member, allow_pickle=False)
    return array


def _numbers(arrays: _Arrays, key: str, where: str) -> npt.NDArray[np.float64]:
    array = arrays[key]
    if not (np.issubdtype(array.dtype, np.integer) or np.issubdtype(array.dtype, np.floating)):
        raise TrafficError(f"{key} does not hold numbers", where=where, found=str(array.dtype))
    return array.astype(np.float64)


def _indices(arrays: _Arrays, key: str, where: str) -> npt.NDArray[np.int64]:
    array = arrays[key]
    if array.ndim > 1 or not np.issubdtype(array.dtype, np.integer) or np.any(array.astype(np.int64) < 0):
        raise TrafficError(
            f"{key} does not hold indices", where=where, found=f"{array.dtype}{array.shape}", allowed="integers >= 0"
        )
    return array.astype(np.int64).reshape(-1)


def _check_demands(values: npt.NDArray[np.float64], where: str) -> None:
    if np.any(bad := ~are_amounts(values)):
        entry = ", ".join(str(i) for i in np.argwhere(bad)[0])
        raise TrafficError("invalid demand", where=f"{where}[{entry}]", found=float(values[bad][0]), allowed=AMOUNTS)


MATRIX_FORMATS.add(
    Format("npz", (".npz",), _write, _parse, lambda head: head.startswith("PK\x03\x04")),
    summary="NumPy arrays src, dst, demand, or one square matrix",
)
