"""Random graphs of switches that also host racks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.errors import SpecError, TopologyError
from pnet_lp.model import Plane
from pnet_lp.model.layout import Circle
from pnet_lp.seeds import Seed, generator
from pnet_lp.topology.family import HostParams, check_size, topologies
from pnet_lp.topology.hosts import spread_hosts
from pnet_lp.topology.random_graph import random_graph
from pnet_lp.topology.sizing import Equipment, sizings


class Jellyfish(HostParams):
    """Parameters of ``jellyfish``: either ``k``, or ``switches``, ``ports`` and ``hosts``."""

    k: int | None = Field(
        None,
        ge=2,
        multiple_of=2,
        description="the equipment of the k-ary fat tree: 5k^2/4 switches of k ports, k^3/4 hosts",
    )
    switches: int | None = Field(None, ge=2, description="number of switches (paper: N)")
    ports: int | None = Field(None, ge=1, description="ports of a switch, hosts' included (paper: k)")
    hosts: int | None = Field(None, ge=0, description="number of hosts (paper: N (k - r)); default 0")
    seed: Seed = Field(0, description="which random graph")

    @model_validator(mode="after")
    def _one_form(self) -> Jellyfish:
        by_hand = {"switches": self.switches, "ports": self.ports, "hosts": self.hosts}
        given = [name for name, value in by_hand.items() if value is not None]
        if self.k is not None and given:
            raise ValueError(f"k gives the whole equipment, so {given[0]} has no meaning beside it")
        if self.k is None and (self.switches is None or self.ports is None):
            raise ValueError("either k, or switches and ports (and hosts), must be given")
        return self

    @property
    def equipment(self) -> tuple[int, int, int]:
        """Numbers of switches, of ports of each, and of hosts."""
        if self.k is not None:
            return 5 * self.k**2 // 4, self.k, self.k**3 // 4
        return self.switches or 0, self.ports or 0, self.hosts or 0


@topologies.register(
    "jellyfish",
    params=Jellyfish,
    example="k=4",
    summary="random graph: hosts spread evenly, remaining ports joined at random",
    source="Singla, Hong, Popa, Godfrey: Jellyfish: Networking Data Centers Randomly, NSDI 2012",
)
def jellyfish(params: Jellyfish) -> Plane:
    """Return a Jellyfish network: simple, connected, every switch a rack.

    Hosts are spread as evenly as possible, so the numbers of cables at any two switches differ by at most one.  If
    the ports left for cables are odd in number, the last of the switches with the most of them leaves one unused.

    Raises:
        SpecError: more hosts than ports, or more ports than other switches.
        TopologyError: too few ports for a connected network.
    """
    switches, ports, hosts = params.equipment
    check_size("jellyfish", switches=switches, hosts=hosts, cables=(switches * ports - hosts) // 2)
    host_switch = spread_hosts(hosts, switches)
    degrees = ports - np.bincount(host_switch, minlength=switches)
    if degrees.min() < 0:
        raise SpecError("more hosts than ports", where="jellyfish", found=hosts, allowed=f"at most {switches * ports}")
    if degrees.sum() % 2:
        degrees[np.flatnonzero(degrees == degrees.max())[-1]] -= 1
    if degrees.max() >= switches:
        raise SpecError(
            f"a switch has {degrees.max()} ports for cables to only {switches - 1} other switches",
            where="jellyfish",
            allowed="fewer ports, or more switches or hosts",
        )
    try:
        cables = random_graph(degrees.tolist(), generator(params.seed, "jellyfish"))
    except TopologyError as error:
        raise TopologyError(error.problem, where="jellyfish") from None
    return Plane.from_cables(
        switches,
        cables[:, 0],
        cables[:, 1],
        params.link_gbps,
        racks=np.arange(switches),
        host_switch=host_switch,
        access_gbps=params.access_gbps,
        layout=Circle(),
    )


@sizings.register("jellyfish", summary="switches whose ports are split between hosts and cables")
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield a graph for each split of the ports of a switch, no denser than one cable between every two."""
    for switches, cables in equipment.splits():
        if switches >= 4 and cables >= 3:
            ports = min(equipment.ports, equipment.hosts // switches + switches - 1)
            yield {"switches": switches, "ports": ports, "hosts": equipment.hosts}
