"""MPI kernels: what the processes of a parallel program send each other; process i runs on endpoint i."""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.traffic.base import TrafficContext, traffics


class FftParams(Params):
    """Parameters of ``mpi-fft``."""

    rows: int = Field(
        1, ge=1, description="rows of the process grid: 1 for slabs (FFTW; NPB FT in 1-D), more for pencils (FT in 2-D)"
    )


@traffics.register(
    "mpi-fft",
    params=FftParams,
    summary="the transpositions of a 3-D Fourier transform: all-to-all within rows and columns of processes",
    source="Bailey et al.: The NAS Parallel Benchmarks, IJSA 1991 (FT); Frigo, Johnson: The Design and Implementation "
    "of FFTW3, Proceedings of the IEEE 2005",
)
def fft(params: FftParams, context: TrafficContext) -> TrafficMatrix:
    """Return the transpositions of one transform of N^3 points over P processes in R rows.

    A process holds N^3/P points, and sends each of the P/R processes of its row and each of the R of its column an
    equal part of them: N^3 R/P^2 and N^3/(P R) points.  Demands are these parts over the largest.  With one row it is
    a transposition among all: 1.0 per pair; the size of the transform does not matter.

    Raises:
        TrafficError: the processes do not fill the rows.
    """
    n, rows = context.endpoints, params.rows
    if n % rows:
        raise TrafficError(
            f"{n} {context.level}s do not fill {rows} rows", where=context.label, allowed=f"a divisor of {n}"
        )
    columns = n // rows
    context.check_demands(n * (columns - 1 + rows - 1))
    process = np.arange(n).reshape(rows, columns)
    smallest = min(side for side in (rows, columns) if side > 1)
    src, dst, demand = [], [], []
    for lines in (process, process.T):
        size = lines.shape[1]
        a, b = np.nonzero(~np.eye(size, dtype=np.bool_))
        src.append(lines[:, a].ravel())
        dst.append(lines[:, b].ravel())
        demand.append(np.full(src[-1].size, smallest / size))
    return context.matrix(np.concatenate(src), np.concatenate(dst), np.concatenate(demand))


class GridParams(Params):
    """Parameters of ``mpi-mg`` and ``mpi-sp``: the process grid, by default the most cubic one of all endpoints."""

    x: int | None = Field(None, ge=1, description="processes along the first axis; give all three or none")
    y: int | None = Field(None, ge=1, description="processes along the second axis")
    z: int | None = Field(None, ge=1, description="processes along the third axis, which varies fastest")

    @model_validator(mode="after")
    def _all_or_none(self) -> GridParams:
        if len({axis is None for axis in (self.x, self.y, self.z)}) == 2:
            raise ValueError("x, y and z are given all three or not at all")
        return self


@traffics.register(
    "mpi-mg",
    params=GridParams,
    summary="halo exchange of a multigrid solver: six neighbours on a periodic 3-D process grid",
    source="Bailey et al.: The NAS Parallel Benchmarks, IJSA 1991 (MG)",
)
def multigrid(params: GridParams, context: TrafficContext) -> TrafficMatrix:
    """Return what neighbours exchange on the finest level; see :func:`_halo`.

    Each coarser level sends a quarter of that, mostly to the same neighbours.
    """
    return _halo(params, context, periodic=True)


@traffics.register(
    "mpi-sp",
    params=GridParams,
    summary="line sweeps of the scalar penta-diagonal solver: neighbours on a 3-D process grid without wraparound",
    source="Bailey et al.: The NAS Parallel Benchmarks, IJSA 1991 (SP)",
)
def penta_diagonal(params: GridParams, context: TrafficContext) -> TrafficMatrix:
    """Return what neighbours exchange in the forward and backward sweeps; see :func:`_halo`.

    A block decomposition; NPB's own code spreads blocks diagonally over a square number of processes.
    """
    return _halo(params, context, periodic=False)


def _halo(params: GridParams, context: TrafficContext, *, periodic: bool) -> TrafficMatrix:
    """Return the demands between neighbours on the process grid, process ``(i, j, k)`` being ``(i y + j) z + k``.

    On a mesh of N^3 points the face across the first axis has N^2/(y z) points, in proportion to x, and so on; a demand
    is its face over the largest one exchanged.  Endpoints beyond the grid are silent.

    Raises:
        TrafficError: the grid has more processes than there are endpoints, or only one.
    """
    n = context.endpoints
    dims = _cubic(n) if params.x is None else (params.x, params.y or 1, params.z or 1)
    count = math.prod(dims)
    if not 2 <= count <= n:
        raise TrafficError(
            f"a grid of {'x'.join(map(str, dims))} processes does not fit {n} {context.level}s",
            where=context.label,
            allowed=f"2 to {n} processes",
        )
    process = np.arange(count).reshape(dims)
    # On a ring of two the one neighbour is met on both sides.
    faces = [extent * (2 if periodic and extent == 2 else 1) for extent in dims]
    largest = max(face for face, extent in zip(faces, dims, strict=True) if extent > 1)
    src, dst, demand = [], [], []
    for axis, extent in enumerate(dims):
        steps = extent if periodic and extent > 2 else extent - 1
        here = process.take(range(steps), axis).ravel()
        there = np.roll(process, -1, axis).take(range(steps), axis).ravel()
        src += [here, there]
        dst += [there, here]
        demand.append(np.full(2 * here.size, faces[axis] / largest))
    return context.matrix(np.concatenate(src), np.concatenate(dst), np.concatenate(demand))


def _cubic(n: int) -> tuple[int, int, int]:
    """Return the factors of n, largest first, of which the sum is least."""
    divisors = [d for d in range(1, math.isqrt(n) + 1) if n % d == 0]
    divisors += [n // d for d in divisors]
    grids = (
        (n // (b * c), b, c) for c in divisors for b in divisors if b >= c and n % (b * c) == 0 and n // (b * c) >= b
    )
    return min(grids, key=sum)
