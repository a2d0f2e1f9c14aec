"""What fails while a run goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pnet_lp.failures import Mask
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.sim.ports import FROM_HOST, TO_HOST, Ports
from pnet_lp.units import format_duration


@brief()
@dataclass(frozen=True, eq=False)
class Outage:
    """Links and switches that are down for a time.

    What is down all the time needs none: a network without it says the same.

    Attributes:
        mask: what is down.
        from_ps: from when; paths chosen at 0 avoid what is down then.
        until_ps: when it comes back; None for never.
        reroute_ps: how long paths need to take note of a change; None where they never do.
    """

    mask: Mask
    from_ps: int = 0
    until_ps: int | None = None
    reroute_ps: int | None = None

    def ports(self, ports: Ports) -> IntArray:
        """Return the ports that send into something that is down."""
        down = np.zeros(len(ports.rate), dtype=bool)
        for p, plane in enumerate(ports.network.planes):
            of_plane = slice(ports.arcs.ptr[p], ports.arcs.ptr[p + 1])
            down[of_plane] = self.mask.arcs[p][ports.arcs.id[of_plane]]
            cut = self.mask.switches[p][plane.host_switch]
            for kind in (FROM_HOST, TO_HOST):
                down[(ports.kind == kind) & (ports.plane == p)] = cut
        return ints(np.flatnonzero(down & ports.connected))

    def to_json(self) -> dict[str, Any]:
        """Return how much is down, and when, as a JSON object."""
        until, reroute = self.until_ps, self.reroute_ps
        return {
            "link_directions": self.mask.arc_count,
            "switches": self.mask.switch_count,
            "from": format_duration(self.from_ps),
            "until": None if until is None else format_duration(until),
            "reroute_after": None if reroute is None else format_duration(reroute),
        }
