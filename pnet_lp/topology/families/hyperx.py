"""HyperX: a grid in which all switches of a row are joined; the flattened butterfly is one of them."""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import HostParams, check_size, topologies
from pnet_lp.topology.grid import Dims
from pnet_lp.topology.hosts import flat_plane


class HyperX(HostParams):
    """Parameters of ``hyperx``."""

    s: Dims = Field(description="switches along each dimension (paper: S), as in 4x8")
    k: int = Field(1, ge=1, description="cables between every two switches of a row (paper: K)")
    t: int = Field(0, ge=0, description="hosts on each switch (paper: T)")


class FlattenedButterfly(HostParams):
    """Parameters of ``flattened-butterfly``."""

    k: int = Field(ge=2, description="switches along each dimension, and hosts on each switch (paper: k)")
    n: int = Field(ge=2, description="one more than the dimensions (paper: n, of the k-ary n-flat)")


@topologies.register(
    "hyperx",
    params=HyperX,
    summary="grid in which every two switches of a row are joined",
    source="Ahn et al.: HyperX: Topology, Routing, and Packaging of Efficient Large-Scale Networks, SC 2009",
)
def hyperx(params: HyperX) -> Plane:
    """Return the HyperX network of extents ``s``; a switch's index is its row-major position."""
    return _joined_rows("hyperx", params.s, params.k, params.t, params)


@topologies.register(
    "flattened-butterfly",
    params=FlattenedButterfly,
    summary="k-ary n-flat: n - 1 dimensions of k switches, rows fully joined, k hosts on each switch",
    source="Kim, Dally, Abts: Flattened Butterfly: A Cost-Efficient Topology for High-Radix Networks, ISCA 2007",
)
def flattened_butterfly(params: FlattenedButterfly) -> Plane:
    """Return the HyperX network of n - 1 extents k, with k hosts on each switch."""
    return _joined_rows("flattened-butterfly", (params.k,) * (params.n - 1), 1, params.k, params)


def _joined_rows(family: str, dims: tuple[int, ...], cables: int, hosts: int, params: HostParams) -> Plane:
    n = math.prod(dims)
    check_size(family, switches=n, cables=n * sum(d - 1 for d in dims) * cables // 2, hosts=n * hosts)
    index = np.arange(n).reshape(dims)
    u, v = [], []
    for axis, extent in enumerate(dims):
        a, b = np.triu_indices(extent, 1)
        u.append(np.repeat(index.take(a, axis).ravel(), cables))
        v.append(np.repeat(index.take(b, axis).ravel(), cables))
    return flat_plane(n, np.concatenate(u), np.concatenate(v), hosts, params)
