"""One switch with all hosts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.model.layout import Circle
from pnet_lp.topology.family import HostParams, topologies
from pnet_lp.topology.hosts import flat_plane
from pnet_lp.topology.sizing import Equipment, sizings


class SingleSwitch(HostParams):
    """Parameters of ``single-switch``."""

    hosts: int = Field(0, ge=0, description="hosts on the switch")


@topologies.register(
    "single-switch", params=SingleSwitch, example="hosts=3", summary="one switch with hosts and no other cables"
)
def single_switch(params: SingleSwitch) -> Plane:
    """Return the network of one switch, which nothing limits but the access links."""
    nothing = np.empty(0, dtype=int)
    return flat_plane(1, nothing, nothing, params.hosts, params, Circle())


@sizings.register("single-switch", summary="one switch, where it has a port for every host")
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield the switch with the requested number of hosts."""
    if equipment.hosts <= equipment.ports:
        yield {"hosts": equipment.hosts}
