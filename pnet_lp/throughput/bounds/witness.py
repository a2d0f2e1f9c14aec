"""The witness of a bound: enough to compute its value again by adding up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level


class Witness(ABC):
    """Base of all witnesses."""

    @abstractmethod
    def to_json(self, network: Network, level: Level) -> dict[str, Any]:
        """Return the witness with names instead of indices."""


@dataclass(frozen=True)
class EqualLengths(Witness):
    """One length for all links between switches, and one for all access links of endpoints with a demand."""

    core: float
    access: float

    def to_json(self, network: Network, level: Level) -> dict[str, Any]:  # noqa: ARG002 - no names in it
        """Return both lengths."""
        return {"kind": "lengths", "core": self.core, "access": self.access}


@dataclass(frozen=True)
class AccessLinks(Witness):
    """The access links of some equivalent hosts, in one direction.

    Attributes:
        endpoint: index of the first of the hosts.
        hosts: how many they are.
        direction: ``up`` from the hosts, ``down`` to them.
        capacity_gbps: sum of their speeds over all planes.
        demand: what the hosts send or receive together; of servers, to or from others.
        server: whether it is a server, with all network cards in it, and ``endpoint`` its number.
    """

    endpoint: int
    hosts: int
    direction: Literal["up", "down"]
    capacity_gbps: float
    demand: float
    server: bool = False

    def to_json(self, network: Network, level: Level) -> dict[str, Any]:
        """Return the witness with the host's name, or the server's."""
        return {
            "kind": "access-links",
            "endpoint": f"s{self.endpoint}" if self.server else network.endpoint_names(level)[self.endpoint],
            "alike": self.hosts,
            "direction": self.direction,
            "capacity_gbps": self.capacity_gbps,
            "demand": self.demand,
        }


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Matching(Witness):
    """Demands that need the most hops among those with the same totals at every endpoint.

    Attributes:
        src, dst: int32 ``[m]``, a rack, or the first host of those on one switch in every plane.
        demand: float64 ``[m]``, > 0.
    """

    src: IntArray
    dst: IntArray
    demand: FloatArray

    def to_json(self, network: Network, level: Level) -> dict[str, Any]:
        """Return the demands as triples of two names and an amount."""
        names = network.endpoint_names(level)
        triples = zip(self.src.tolist(), self.dst.tolist(), self.demand.tolist(), strict=True)
        return {"kind": "matching", "demands": [[names[s], names[t], d] for s, t, d in triples]}


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Cut(Witness):
    """A side of endpoints and, plane by plane, of switches; what leaves it is cut.

    Attributes:
        endpoints: bool ``[endpoints]``, racks or hosts on the sending side.
        counted: bool ``[endpoints]``, those that must be on a side; the others neither send nor receive.
        switches: for each plane bool ``[n]``, switches on the sending side.
        capacity_gbps: sum of the links out of the side.
        demand: sum of the demands out of the side.
    """

    endpoints: BoolArray
    counted: BoolArray
    switches: tuple[BoolArray, ...]
    capacity_gbps: float
    demand: float

    def to_json(self, network: Network, level: Level) -> dict[str, Any]:
        """Return the names of the endpoints and of each plane's switches on the sending side."""
        names = network.endpoint_names(level)
        return {
            "kind": "cut",
            "capacity_gbps": self.capacity_gbps,
            "demand": self.demand,
            "endpoints": [names[i] for i in np.flatnonzero(self.endpoints & self.counted)],
            "switches": [
                [plane.switch_names[i] for i in np.flatnonzero(side)]
                for plane, side in zip(network.planes, self.switches, strict=True)
            ],
        }


def cut_capacity(network: Network, level: Level, cut: Cut) -> float:
    """Return the Gb/s of the links that leave the sending side of ``cut``, added up from the planes' own arrays.

    ``inf`` where a rack is on one side and its switch on the other.
    """
    total = 0.0
    sending, receiving = cut.counted & cut.endpoints, cut.counted & ~cut.endpoints
    for plane, side in zip(network.planes, cut.switches, strict=True):
        tail, head, capacity = plane.arcs
        total += float(capacity[side[tail] & ~side[head]].sum())
        switch = plane.host_switch if level == "host" else plane.rack_switch
        there = side[switch] & (switch >= 0)
        out, into = sending & (switch >= 0) & ~there, receiving & there
        if level == "host":
            total += float(plane.access_up_gbps[out].sum() + plane.access_down_gbps[into].sum())
        elif np.any(out | into):
            return float("inf")
    return total


def cut_demand(traffic: TrafficMatrix, cut: Cut) -> float:
    """Return the sum of the demands from the sending side of ``cut`` to the other."""
    return traffic.demands.leaving(cut.endpoints)
