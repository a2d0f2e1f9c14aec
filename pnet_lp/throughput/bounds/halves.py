"""The bisection of a network by itself, whatever its traffic."""

from __future__ import annotations

from dataclasses import dataclass

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.throughput.bounds.base import compute_bounds


@dataclass(frozen=True)
class Bisection:
    """Capacity between two halves of the hosts, or of the racks where there are no hosts.

    Attributes:
        gbps: Gb/s in the narrower direction.
        proved: whether no halves are joined by less; otherwise they are the best that were found.
    """

    gbps: float
    proved: bool


def find_bisection(network: Network) -> Bisection | None:
    """Return the narrowest split into halves that the bound of that name finds; None where there are no two halves."""
    level = network.default_level
    endpoints = len(network.endpoint_names(level))
    if endpoints < 2 or (level == "rack" and not network.common_racks):
        return None
    # Which halves are joined by least does not depend on the demands, but a bound needs some.
    demand = TrafficMatrix.from_entries(level, endpoints, [0], [endpoints - 1])
    found = compute_bounds(network, demand, ["bisection"]).found["bisection"]
    return Bisection(found.facts["bisection_gbps"], found.exact)
