"""The arguments of the core's searches: planes, pairs, and the rule as keywords."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import RoutingError
from pnet_lp.model import Network, Plane
from pnet_lp.model.arcs import Arcs, usable_arcs
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level
from pnet_lp.model.paths import Policy
from pnet_lp.routing.rule import PathRule

CORE_POLICIES: dict[Policy, _core.Policy] = {
    "any": _core.Policy.Any,
    "round-robin": _core.Policy.RoundRobin,
    "shortest": _core.Policy.Shortest,
    "single": _core.Policy.Single,
}
"""What the core calls the plane policies."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Searches:
    """Pairs of endpoints on the planes of a network.

    Attributes:
        arcs: the links of all planes.
        planes: the same for the core, with the switches that endpoints attach to.
        src, dst: int32 ``[J]``, index of each pair's rack or host.
    """

    arcs: Arcs
    planes: _core.Planes
    src: IntArray
    dst: IntArray

    @property
    def pair_count(self) -> int:
        """Number of pairs, J."""
        return len(self.src)

    def part(self, pairs: slice) -> Searches:
        """Return the same for some of the pairs."""
        return replace(self, src=ints(self.src[pairs]), dst=ints(self.dst[pairs]))


def prepare(network: Network, level: Level, src: npt.ArrayLike, dst: npt.ArrayLike) -> Searches:
    """Return pairs in the form that the core expects.

    Raises:
        RoutingError: an index out of range, or another number of sources than of destinations.
        TopologyError: pairs of that level mean nothing on the network.
    """
    network.check_level(level)
    count = len(network.endpoint_names(level))
    pairs = np.asarray(src, dtype=np.int64).ravel(), np.asarray(dst, dtype=np.int64).ravel()
    for ends in pairs:
        if np.any(bad := (ends < 0) | (ends >= count)):
            raise RoutingError(f"no such {level}", found=int(ends[bad][0]), allowed=f"0 to {count - 1}")
    if len(pairs[0]) != len(pairs[1]):
        raise RoutingError(f"{len(pairs[0])} sources and {len(pairs[1])} destinations")
    arcs = usable_arcs(network)
    attach = [plane.rack_switch if level == "rack" else _host_switches(plane) for plane in network.planes]
    planes = _core.Planes(arcs.node_count, arcs.ptr, arcs.tail, arcs.head, ints(np.stack(attach)), arcs.metric)
    return Searches(arcs, planes, ints(pairs[0]), ints(pairs[1]))


def _host_switches(plane: Plane) -> IntArray:
    """Return the switch of each host, -1 where its access link cannot carry traffic in both directions."""
    return np.where((plane.access_up_gbps > 0) & (plane.access_down_gbps > 0), plane.host_switch, -1)


def options(rule: PathRule, threads: int) -> dict[str, Any]:
    """Return the keyword arguments of the core's searches."""
    return {**vars(rule), "policy": CORE_POLICIES[rule.policy], "threads": threads}
