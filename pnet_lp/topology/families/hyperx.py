"""HyperX: a grid in which all switches of a row are joined; the flattened butterfly is one of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from pnet_lp.model import Plane
from pnet_lp.model.layout import Grid
from pnet_lp.topology.family import HostParams, check_size, topologies
from pnet_lp.topology.grid import Dims
from pnet_lp.topology.hosts import flat_plane
from pnet_lp.topology.lists import Whole
from pnet_lp.topology.sizing import OVERSUBSCRIPTIONS, Equipment, fine_steps, sizings


def _at_least_one(cables: tuple[int, ...]) -> tuple[int, ...]:
    if not cables or min(cables) < 1:
        raise ValueError("every two switches of a row are joined by at least one cable")
    return cables


_Cables: TypeAlias = Annotated[Whole, AfterValidator(_at_least_one)]


class HyperX(HostParams):
    """Parameters of ``hyperx``."""

    dims: Dims = Field(description="switches along each dimension (paper: S), as in 4x8")
    k: _Cables = Field(
        (1,),
        description="cables between every two switches of a row (paper: K): one number for each dimension, as in 1x2, "
        "or one for all",
    )
    t: int = Field(0, ge=0, description="hosts on each switch (paper: T, the terminals)")

    @property
    def cables(self) -> tuple[int, ...]:
        """Cables between every two switches of a row, for each dimension."""
        return self.k * len(self.dims) if len(self.k) == 1 else self.k

    @model_validator(mode="after")
    def _one_for_each(self) -> HyperX:
        if len(self.cables) != len(self.dims):
            raise ValueError(f"k gives {len(self.k)} numbers of cables for {len(self.dims)} dimensions")
        return self


class FlattenedButterfly(HostParams):
    """Parameters of ``flattened-butterfly``."""

    k: int = Field(ge=2, description="switches along each dimension, and hosts on each switch (paper: k)")
    n: int = Field(ge=2, le=24, description="one more than the dimensions (paper: n, of the k-ary n-flat)")


@topologies.register(
    "hyperx",
    params=HyperX,
    example="dims=3x4,k=1x2",
    summary="grid in which every two switches of a row are joined",
    source="Ahn et al.: HyperX: Topology, Routing, and Packaging of Efficient Large-Scale Networks, SC 2009",
)
def hyperx(params: HyperX) -> Plane:
    """Return the HyperX network of extents ``dims``; a switch's index is its row-major position."""
    return _joined_rows("hyperx", params.dims, params.cables, params.t, params)


@topologies.register(
    "flattened-butterfly",
    params=FlattenedButterfly,
    example="k=3,n=3",
    summary="k-ary n-flat: n - 1 dimensions of k switches, rows fully joined, k hosts on each switch",
    source="Kim, Dally, Abts: Flattened Butterfly: A Cost-Efficient Topology for High-Radix Networks, ISCA 2007",
)
def flattened_butterfly(params: FlattenedButterfly) -> Plane:
    """Return the HyperX network of n - 1 extents k, with k hosts on each switch."""
    dims = (params.k,) * (params.n - 1)
    return _joined_rows("flattened-butterfly", dims, (1,) * len(dims), params.k, params)


def _joined_rows(family: str, dims: tuple[int, ...], cables: tuple[int, ...], hosts: int, params: HostParams) -> Plane:
    n = math.prod(dims)
    ports = sum((extent - 1) * bundle for extent, bundle in zip(dims, cables, strict=True))
    check_size(family, switches=n, cables=n * ports // 2, hosts=n * hosts)
    index = np.arange(n).reshape(dims)
    u, v = [], []
    for axis, (extent, bundle) in enumerate(zip(dims, cables, strict=True)):
        a, b = np.triu_indices(extent, 1)
        u.append(np.repeat(index.take(a, axis).ravel(), bundle))
        v.append(np.repeat(index.take(b, axis).ravel(), bundle))
    return flat_plane(n, np.concatenate(u), np.concatenate(v), hosts, params, Grid(dims))


@sizings.register(
    "hyperx", summary="rows, squares and cubes with as many hosts on a switch as its ports allow, cables in bundles"
)
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield rows, and of two and three dimensions the smallest lattice and one with half as many hosts on a switch.

    In fine steps they are all with a quarter of the ports or more for hosts, and up to two cables for each host.
    """
    for dimensions in (1, 2, 3):
        fit = []
        for side in range(2, equipment.ports + 1):
            hosts = equipment.switches(side**dimensions)
            cables = dimensions * (side - 1)
            if hosts + cables <= equipment.ports:
                fit.append((side, hosts, (equipment.ports - hosts) // cables))
        chosen: Iterable[_Sized]
        if equipment.fine:
            sensible = (sized for sized in fit if sized[0] ** dimensions <= equipment.most_switches)
            chosen = _fine(sensible, dimensions)
        else:
            chosen = _few_rows(fit) if dimensions == 1 else _few_lattices(fit, dimensions)
        for side, hosts, bundle in chosen:
            yield {"dims": (side,) * dimensions, "k": (bundle,), "t": hosts}


_Sized: TypeAlias = tuple[int, int, int]
"""Switches in a row, hosts on each, cables in a bundle: of those that fit, at most."""


def _fine(fit: Iterable[_Sized], dimensions: int) -> Iterator[_Sized]:
    for side, hosts, most in fit:
        enough = math.ceil(2 * hosts / (dimensions * (side - 1)))
        yield from ((side, hosts, bundle) for bundle in fine_steps(1, min(most, enough)))


def _few_lattices(fit: Sequence[_Sized], dimensions: int) -> Iterator[_Sized]:
    larger = [sized for sized in fit if sized[0] ** dimensions >= 2 * fit[0][0] ** dimensions]
    for side, hosts, most in dict.fromkeys([*fit[:1], *larger[:1]]):
        yield from ((side, hosts, bundle) for bundle in dict.fromkeys((1, most)))


def _few_rows(fit: Sequence[_Sized]) -> Iterator[_Sized]:
    """Yield the shortest row, and for each number of hosts to a cable the shortest, with all its ports and as it needs.

    Most cables lead to switches in between only, where traffic is far from even: two for each host are enough.
    """
    yield from fit[:1]
    for factor in (*reversed(OVERSUBSCRIPTIONS), 1 / 2):
        for side, hosts, most in fit:
            needed = math.ceil(hosts / (factor * (side - 1)))
            if needed <= most:
                yield from ((side, hosts, bundle) for bundle in dict.fromkeys((needed, most)))
                break
