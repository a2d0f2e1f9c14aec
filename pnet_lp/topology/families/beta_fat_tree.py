"""The three-tier fat tree that carries 1/beta of full bisection bandwidth, oversubscribed in two equal steps."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.model import Plane
from pnet_lp.topology.clos import deal
from pnet_lp.topology.family import HostParams, check_size, topologies


class BetaFatTree(HostParams):
    """Parameters of ``beta-fat-tree``."""

    servers: int = Field(ge=1, description="number of hosts (paper: 10,240), half a switch's ports on each rack")
    beta: float = Field(1.0, ge=1, description="full bisection bandwidth over the one built")
    ports: int = Field(64, ge=2, multiple_of=2, description="ports of a switch (paper: 64), even")

    @model_validator(mode="after")
    def _fits(self) -> BetaFatTree:
        half = self.ports // 2
        if self.servers % half:
            raise ValueError(f"racks have ports / 2 = {half} servers, and {self.servers} do not fill theirs")
        if self.servers > self.ports**3 // 4:
            raise ValueError(
                f"three tiers of {self.ports}-port switches have at most ports^3 / 4 = {self.ports**3 // 4} servers, "
                f"not {self.servers}"
            )
        if self.beta > half:
            raise ValueError(
                f"beta is at most ports / 2 = {half}, which leaves a rack one core link, not {self.beta:g}"
            )
        return self

    @property
    def switches(self) -> tuple[int, int, int]:
        """Numbers of ToR, aggregation and core switches."""
        racks = self.servers // (self.ports // 2)
        return racks, self._over_root(racks), math.ceil(racks / (2 * self._ratio))

    @property
    def cables(self) -> tuple[int, int]:
        """Numbers of cables between ToR and aggregation, and between aggregation and core switches."""
        return self._over_root(self.servers), math.ceil(self.servers / self._ratio)

    @property
    def _ratio(self) -> Fraction:
        """Beta as it is written: 1.21 is 121/100, of which the root is exactly 1.1."""
        return Fraction(repr(self.beta))

    def _over_root(self, count: int) -> int:
        """Return ``count / sqrt(beta)``, rounded up without an error of arithmetic."""
        return math.isqrt(math.ceil(count**2 / self._ratio) - 1) + 1


@topologies.register(
    "beta-fat-tree",
    params=BetaFatTree,
    example="servers=64,beta=4,ports=8",
    summary="three tiers with 1/beta of full bisection bandwidth, oversubscribed by sqrt(beta) at each of two steps",
    source="the all-electrical baseline of the hybrid optical/electrical network for 10,240 servers, section 3",
)
def beta_fat_tree(params: BetaFatTree) -> Plane:
    """Return a fat tree with oversubscription ``beta`` in uniform multiplicative steps.

    With T racks of ``ports / 2`` servers there are T ToR, ``T / sqrt(beta)`` aggregation and ``T / (2 beta)`` core
    switches, ``servers / sqrt(beta)`` cables between the lower two tiers and ``servers / beta`` between the upper two,
    each rounded up where it is not whole.  The paper gives these numbers, not the wiring.  Here the cables of a tier
    are dealt to the next in turn, and ToR switches are numbered such that those with the same or overlapping uplinks
    are neighbours.  Where all numbers are whole, this makes pods of ``ports / 2`` ToR switches, each joined to every
    aggregation switch of its pod.

    The paper's tree is not quite free of blocking at beta = 1: its 10 pods cannot have equal shares of the 64 ports of
    a core switch, so that a pod that sends all it can to a single other one does not find equally many links down.
    """
    tors, aggregations, cores = params.switches
    cables = params.cables
    check_size("beta-fat-tree", switches=tors + aggregations + cores, cables=sum(cables), hosts=params.servers)
    tor, aggregation = deal(cables[0], tors, aggregations)
    leftmost = aggregation[np.searchsorted(tor, np.arange(tors))]
    place = np.empty(tors, dtype=np.int64)
    place[np.argsort(leftmost, kind="stable")] = np.arange(tors)
    upper, core = deal(cables[1], aggregations, cores)
    counts = {"tor": tors, "agg": aggregations, "core": cores}
    return Plane.from_cables(
        [f"{kind}{i}" for kind, count in counts.items() for i in range(count)],
        np.concatenate([place[tor], tors + upper]),
        np.concatenate([tors + aggregation, tors + aggregations + core]),
        params.link_gbps,
        host_switch=np.arange(params.servers) // (params.ports // 2),
        access_gbps=params.access_gbps,
        tier=np.repeat([0, 1, 2], list(counts.values())),
    )
