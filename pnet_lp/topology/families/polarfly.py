"""PolarFly: Erdos-Renyi polarity graphs, of diameter 2 and nearly the Moore bound."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import HostParams, check_size, topologies
from pnet_lp.topology.finite_field import FiniteField, PrimePower
from pnet_lp.topology.hosts import flat_plane


class PolarFly(HostParams):
    """Parameters of ``polarfly``."""

    q: PrimePower = Field(ge=2, le=100, description="a power of a prime (paper: q); q^2 + q + 1 switches")
    p: int = Field(0, ge=0, description="hosts on each switch (paper: p)")


@topologies.register(
    "polarfly",
    params=PolarFly,
    summary="polarity graph ER_q of q^2 + q + 1 switches, diameter 2",
    source="Lakhotia et al.: PolarFly: A Cost-Effective and Flexible Low-Diameter Topology, SC 2022, section IV",
)
def polarfly(params: PolarFly) -> Plane:
    """Return ER_q: the points of the projective plane over GF(q), joined where their scalar product is 0.

    Degrees are q + 1, but q for the q + 1 quadrics, the points orthogonal to themselves.
    """
    q = params.q
    n = q * q + q + 1
    check_size("polarfly", switches=n, cables=n * (q + 1) // 2, hosts=n * params.p)
    field = FiniteField(q)
    y, z = np.indices((q, q)).reshape(2, -1)
    one, zero = np.ones_like(y), np.zeros(q, dtype=np.int64)
    # One vector for each point: the first coordinate that is not 0 is 1.
    points = np.vstack(
        [
            np.column_stack([one, y, z]),
            np.column_stack([zero, zero + 1, np.arange(q)]),
            [[0, 0, 1]],
        ]
    )
    product = np.zeros((n, n), dtype=np.int64)
    for axis in range(3):
        product = field.add[product, field.multiply[points[:, None, axis], points[None, :, axis]]]
    u, v = np.nonzero(np.triu(product == 0, 1))
    return flat_plane(n, u, v, params.p, params)
