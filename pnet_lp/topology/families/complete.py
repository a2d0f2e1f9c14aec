"""Every pair joined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.model.layout import Circle
from pnet_lp.topology.family import LinkParams, check_size, topologies
from pnet_lp.topology.sizing import Equipment, sizings


class Complete(LinkParams):
    """Parameters of ``complete``."""

    n: int = Field(ge=2, description="number of switches")


@topologies.register("complete", params=Complete, example="n=7", summary="n switches, every two joined by a cable")
def complete(params: Complete) -> Plane:
    """Return the complete graph of n switches."""
    check_size("complete", switches=params.n, cables=params.n * (params.n - 1) // 2)
    u, v = np.triu_indices(params.n, 1)
    return Plane.from_cables(params.n, u, v, params.link_gbps, layout=Circle())


@sizings.register("complete", summary="as few switches as there are ports for all others")
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield the smallest mesh in which every switch has ports for all others and for its hosts."""
    for n in range(2, equipment.ports + 1):
        if equipment.switches(n) + n - 1 <= equipment.ports:
            yield {"n": n, "hosts_per_switch": equipment.switches(n)}
            return
