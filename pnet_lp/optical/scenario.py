"""A fat tree and the hybrid network that is to replace it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp.cost.published import HYBRID_SCENARIOS, HYBRID_SERVERS
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.topology import build_network


@dataclass(frozen=True)
class HybridScenario:
    """Servers in racks, joined by either of two networks.

    Attributes:
        oversubscription: of the fat tree, 1 to that many.
        links: optical ports of a rack in the hybrid network.
        servers: number of hosts.
        servers_per_rack: hosts of a rack: half a switch's ports.
        link_gbps: Gb/s of every link in each direction.
        uplink_gbps: None for the whole fat tree of 1/oversubscription of full bisection bandwidth; else racks hang
            from its root by this speed each, as the racks of a job spread over a cluster do.
    """

    oversubscription: float
    links: int
    servers: int = HYBRID_SERVERS
    servers_per_rack: int = 32
    link_gbps: float = 10.0
    uplink_gbps: float | None = None

    @property
    def racks(self) -> int:
        """Number of racks."""
        return self.servers // self.servers_per_rack

    def tree(self) -> Network:
        """Return the fat tree, with its hosts.

        Raises:
            SpecError: sizes that do not fit, or links of a rack out of range.
        """
        if not 1 <= self.links <= self.servers_per_rack:
            raise SpecError(
                "links of a ToR are out of range", found=self.links, allowed=f"1 to {self.servers_per_rack}"
            )
        if self.uplink_gbps is None:
            return build_network(
                [
                    f"beta-fat-tree:servers={self.servers},ports={2 * self.servers_per_rack},"
                    f"beta={self.oversubscription!r},link_gbps={self.link_gbps!r}"
                ]
            )
        if self.servers % self.servers_per_rack:
            raise SpecError(f"racks have {self.servers_per_rack} servers, and {self.servers} do not fill theirs")
        racks = np.arange(self.racks)
        star = Plane.from_cables(
            self.racks + 1,
            racks,
            np.full(self.racks, self.racks),
            self.uplink_gbps,
            host_switch=np.repeat(racks, self.servers_per_rack),
            access_gbps=self.link_gbps,
            tier=np.r_[np.zeros(self.racks, dtype=np.int32), 1],
            label="tree",
        )
        return Network.from_planes([star])


SCENARIOS = {str(i): HybridScenario(*pair) for i, pair in enumerate(HYBRID_SCENARIOS, 1)}
"""The two pairs of networks that the paper calls equal in cost (section 5), for its 10,240 servers."""

TESTBEDS = {
    "1": HybridScenario(25.0, 2, servers=40, servers_per_rack=10, uplink_gbps=8),
    "2": HybridScenario(4.0, 5, servers=32, servers_per_rack=8, uplink_gbps=20),
}
"""The job of either scenario that the paper ran: four racks with their share of the links (section 5, figure 4)."""
