"""NumPy archives: arrays ``src``, ``dst``, ``demand`` of equal length, or one square array ``matrix``.

``src`` and ``dst`` are indices.  Optional ``endpoints`` and ``level``, which :func:`write_npz` adds, are
checked against the network.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level

_Arrays: TypeAlias = dict[str, npt.NDArray[np.generic]]


def read_npz(path: Path, network: Network, level: Level) -> TrafficMatrix:
    """Return the matrix in a NumPy archive.

    Raises:
        TrafficError: missing arrays, another size or level than the network's, or a wrong demand (its entry
            is named).
        OSError: the file cannot be read.
    """
    arrays, where = _load(path), str(path)
    endpoints = len(network.endpoint_names(level))
    stated = str(arrays["level"]) if "level" in arrays else level
    if stated != level:
        raise TrafficError(f"the matrix is between {stated}s, not between {level}s", where=where)
    if "matrix" in arrays:
        matrix = _numbers(arrays, "matrix", where)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise TrafficError("a dense matrix is square", where=f"{where}: matrix", found=matrix.shape)
        _check_size(len(matrix), endpoints, level, where)
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
        raise TrafficError(
            f"src, dst and demand have shapes {shapes}", where=where, allowed="one length for all"
        )
    if "endpoints" in arrays:
        _check_size(int(_indices(arrays, "endpoints", where)[0]), endpoints, level, where)
    if len(src):
        _check_size_at_most(int(max(src.max(), dst.max())) + 1, endpoints, level, where)
    _check_demands(demand, f"{where}: demand")
    if len(loops := np.flatnonzero((src == dst) & (demand > 0))):
        raise TrafficError(
            f"{level} {src[loops[0]]} has a demand to itself", where=f"{where}: entry {loops[0]}"
        )
    return TrafficMatrix.from_entries(level, endpoints, src, dst, demand, label=where)


def write_npz(traffic: TrafficMatrix, _: tuple[str, ...], path: Path) -> None:
    """Write ``traffic`` with endpoints called by index; equal matrices give equal bytes."""
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            src=traffic.src,
            dst=traffic.dst,
            demand=traffic.demand,
            endpoints=np.array([traffic.endpoints]),
            level=np.array(traffic.level),
        )


def _load(path: Path) -> _Arrays:
    try:
        # Opened here, because np.load leaves a file that it cannot read open.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            members = {key: archive[key] for key in archive.files}
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise TrafficError(f"not a NumPy archive of plain arrays ({error})", where=str(path)) from None
    # Any other member of a zip file comes as bytes.
    return {key: member for key, member in members.items() if isinstance(member, np.ndarray)}


def _numbers(arrays: _Arrays, key: str, where: str) -> npt.NDArray[np.float64]:
    array = arrays[key]
    if not (np.issubdtype(array.dtype, np.integer) or np.issubdtype(array.dtype, np.floating)):
        raise TrafficError(f"{key} does not hold numbers", where=where, found=str(array.dtype))
    return array.astype(np.float64)


def _indices(arrays: _Arrays, key: str, where: str) -> npt.NDArray[np.int64]:
    array = arrays[key]
    if array.ndim > 1 or not np.issubdtype(array.dtype, np.integer) or np.any(array.astype(np.int64) < 0):
        raise TrafficError(
            f"{key} does not hold indices",
            where=where,
            found=f"{array.dtype}{array.shape}",
            allowed="integers >= 0",
        )
    return array.astype(np.int64).reshape(-1)


def _check_demands(values: npt.NDArray[np.float64], where: str) -> None:
    if np.any(bad := ~np.isfinite(values) | (values < 0)):
        entry = ", ".join(str(i) for i in np.argwhere(bad)[0])
        raise TrafficError(
            "a demand is wrong",
            where=f"{where}[{entry}]",
            found=float(values[bad][0]),
            allowed="finite numbers >= 0",
        )


def _check_size(size: int, endpoints: int, level: Level, where: str) -> None:
    _check_size_at_most(size, endpoints, level, where)
    if size < endpoints:
        raise TrafficError(
            f"the matrix is smaller than the network: it is for {size} {level}s, the network has {endpoints}",
            where=where,
        )


def _check_size_at_most(size: int, endpoints: int, level: Level, where: str) -> None:
    if size > endpoints:
        raise TrafficError(
            f"the matrix is larger than the network: it is for {size} {level}s, the network has {endpoints}",
            where=where,
        )
