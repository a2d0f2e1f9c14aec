"""Xpander: random lifts of a complete graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import Field

from pnet_lp.errors import TopologyError
from pnet_lp.model import Plane
from pnet_lp.model.arrays import ints
from pnet_lp.model.components import components
from pnet_lp.model.layout import Groups
from pnet_lp.seeds import Seed, generator
from pnet_lp.topology.family import HostParams, check_size, topologies
from pnet_lp.topology.hosts import flat_plane
from pnet_lp.topology.sizing import Equipment, sizings

_DRAWS = 64
"""Lifts drawn before giving up on a connected one: for d >= 3 nearly all are connected, for d = 2 they are cycles."""


class Xpander(HostParams):
    """Parameters of ``xpander``."""

    d: int = Field(ge=2, description="cables of each switch (paper: d)")
    k: int = Field(ge=1, description="lift: copies of each of the d + 1 switches lifted (paper: k)")
    hosts: int = Field(0, ge=0, description="hosts on each switch")
    seed: Seed = Field(0, description="which random lift")


@topologies.register(
    "xpander",
    params=Xpander,
    example="d=3,k=4",
    summary="random k-lift of the complete graph of d + 1 switches: (d + 1) k switches of d cables",
    source="Valadarsky, Shahaf, Dinitz, Schapira: Xpander: Towards Optimal-Performance Datacenters, CoNEXT 2016",
)
def xpander(params: Xpander) -> Plane:
    """Return a connected random lift; copy c of switch i has index ``i k + c``.

    Every two of the d + 1 groups of copies are joined by a random perfect matching, so cables between two groups can
    be bundled.

    Raises:
        TopologyError: no connected lift was drawn.
    """
    d, k = params.d, params.k
    n = (d + 1) * k
    check_size("xpander", switches=n, cables=n * d // 2, hosts=n * params.hosts)
    random = generator(params.seed, "xpander")
    i, j = np.triu_indices(d + 1, 1)
    for _ in range(_DRAWS):
        matched = np.concatenate([random.permutation(k) for _ in i])
        u = np.repeat(i, k) * k + np.tile(np.arange(k), len(i))
        v = np.repeat(j, k) * k + matched
        if not components(n, ints(u), ints(v)).any():
            return flat_plane(n, u, v, params.hosts, params, Groups((k, d + 1)))
    raise TopologyError(
        f"none of {_DRAWS} lifts drawn is connected", where="xpander", found=f"d={d}", allowed="d of at least 3"
    )


@sizings.register("xpander", summary="switches whose ports are split between hosts and cables")
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield a lift for each split of the ports of a switch."""
    for switches, cables in equipment.splits():
        d = min(cables, switches - 1)
        if d >= 3:
            k = -(-switches // (d + 1))
            yield {"d": d, "k": k, "hosts": equipment.switches((d + 1) * k)}
