"""The bisection of a network by itself, whatever its traffic."""

from __future__ import annotations

from dataclasses import dataclass

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level
from pnet_lp.throughput.bounds.base import Instance
from pnet_lp.throughput.bounds.witness import Cut


@brief("gbps", "proved")
@dataclass(frozen=True, repr=False)
class Bisection:
    """Capacity between two halves of the hosts, or of the racks where there are no hosts.

    Attributes:
        gbps: Gb/s in the narrower direction.
        proved: whether no halves are joined by less; otherwise they are the best that were found.
        cut: the two halves.
    """

    gbps: float
    proved: bool
    cut: Cut


def find_bisection(network: Network, level: Level | None = None) -> Bisection | None:
    """Return the narrowest split into halves that the bound of that name finds; None where there are no two halves.

    Args:
        network: any.
        level: of what halves are; default: hosts where the network has any, else racks.
    """
    from pnet_lp.throughput.bounds.bisection import narrowest_halves  # noqa: PLC0415 - brings SciPy

    level = network.settled_level(level)
    endpoints = len(network.endpoint_names(level))
    if endpoints < 2 or (level == "rack" and not network.common_racks):
        return None
    # Which halves are joined by least does not depend on the demands, but a bound needs some.
    demand = TrafficMatrix.from_entries(level, endpoints, [0], [endpoints - 1])
    found, cut = narrowest_halves(Instance.of(network, demand))
    return Bisection(found.facts["bisection_gbps"], found.exact, cut)
