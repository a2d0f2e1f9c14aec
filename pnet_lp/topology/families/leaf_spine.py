"""Two tiers, each leaf joined to each spine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.clos import Rails, on_rails
from pnet_lp.topology.family import HostParams, check_size, topologies
from pnet_lp.topology.sizing import OVERSUBSCRIPTIONS, Equipment, fine_steps, sizings


class LeafSpine(HostParams):
    """Parameters of ``leaf-spine``."""

    leaves: int = Field(ge=1, description="number of leaf switches, which are the racks")
    spines: int = Field(ge=1, description="number of spine switches")
    hosts_per_leaf: int = Field(0, ge=0, description="hosts on each leaf")
    parallel: int = Field(1, ge=1, description="cables between each leaf and each spine")
    rails: Rails = 1


@topologies.register(
    "leaf-spine",
    params=LeafSpine,
    example="leaves=6,spines=3,hosts_per_leaf=2",
    summary="every leaf joined to every spine",
    source="Alizadeh, Edsall: On the Data Path Performance of Leaf-Spine Datacenter Fabrics, HOTI 2013",
)
def leaf_spine(params: LeafSpine) -> Plane:
    """Return a leaf-spine fabric with ``leaves * spines * parallel`` cables."""
    leaves, spines = params.leaves, params.spines
    hosts = leaves * params.hosts_per_leaf
    check_size("leaf-spine", switches=leaves + spines, cables=leaves * spines * params.parallel, hosts=hosts)
    leaf, spine, _ = np.indices((leaves, spines, params.parallel)).reshape(3, -1)
    return Plane.from_cables(
        [f"leaf{i}" for i in range(leaves)] + [f"spine{i}" for i in range(spines)],
        leaf,
        leaves + spine,
        params.link_gbps,
        racks=np.arange(leaves),
        host_switch=on_rails(leaves, params.hosts_per_leaf, params.rails, "leaf-spine"),
        access_gbps=params.access_gbps,
        tier=np.repeat([0, 1], [leaves, spines]),
    )


@sizings.register("leaf-spine", summary="leaves with 1 to 4 hosts for each uplink, as few spines as that needs")
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield a fabric for each oversubscription, its cables to a spine as parallel as the spine's ports allow."""
    if equipment.fine:
        yield from _fine(equipment)
        return
    for factor in OVERSUBSCRIPTIONS:
        hosts = equipment.ports * factor // (1 + factor)
        leaves = equipment.switches(hosts)
        if not hosts or leaves > equipment.ports:
            continue
        hosts = equipment.switches(leaves)
        uplinks = -(-hosts // factor)
        parallel = min(equipment.ports // leaves, uplinks)
        spines = -(-uplinks // parallel)
        if hosts + spines * parallel <= equipment.ports:
            yield {"leaves": leaves, "spines": spines, "hosts_per_leaf": hosts, "parallel": parallel}


def _fine(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield for each number of leaves any number of spines, from the most oversubscribed to what hosts can use."""
    for leaves, uplinks in equipment.splits():
        hosts, parallel = equipment.switches(leaves), min(equipment.ports // leaves, uplinks)
        if parallel:
            fewest = -(-hosts // (max(OVERSUBSCRIPTIONS) * parallel))
            for spines in fine_steps(fewest, min(uplinks // parallel, -(-hosts // parallel))):
                yield {"leaves": leaves, "spines": spines, "hosts_per_leaf": hosts, "parallel": parallel}
