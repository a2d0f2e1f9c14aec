"""Folded Clos networks whose tiers differ in radix, cables and speed."""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.model import Plane
from pnet_lp.topology.clos import Rails, deal, on_rails
from pnet_lp.topology.family import HostParams, check_size, topologies
from pnet_lp.topology.lists import Numbers, Whole


class FoldedClos(HostParams):
    """Parameters of ``folded-clos``; every list goes from the hosts upwards."""

    children: Whole = Field(
        description="by tier: distinct switches (lowest tier: hosts) below a switch, as in 32x32x10 (paper: m)"
    )
    parents: Whole = Field(description="by tier but the top: distinct switches above a switch, as in 32x5 (paper: w)")
    uplinks: Whole | None = Field(
        None, description="by tier but the top: cables of a switch upwards, as in 32x32 (paper: w p); default: parents"
    )
    oversubscription: Numbers | None = Field(
        None, description="instead of uplinks, by tier but the top: Gb/s from below over Gb/s upwards, as in 1x2.5"
    )
    uplink_gbps: Numbers | None = Field(
        None, description="by tier but the top: speed of a cable upwards, Gb/s in each direction; default: link_gbps"
    )

    rails: Rails = 1

    @model_validator(mode="after")
    def _tiers_fit(self) -> FoldedClos:
        steps = len(self.children) - 1
        if steps < 1:
            raise ValueError("children needs a number for each of at least two tiers, as in 32x32x10")
        for name in ("parents", "uplinks", "oversubscription", "uplink_gbps"):
            values = getattr(self, name)
            if values is not None and len(values) != steps:
                raise ValueError(f"{steps + 1} tiers of children need {steps} {name}, not {len(values)}")
        if min(*self.children[1:], *self.parents) < 1 or self.children[0] < 0:
            raise ValueError("children and parents must be at least 1, and hosts at least 0")
        if not all(0 < gbps < math.inf for gbps in self.uplink_gbps or ()):
            raise ValueError("uplink_gbps must be finite and greater than 0")
        if self.oversubscription is not None:
            if self.uplinks is not None:
                raise ValueError("uplinks and oversubscription say the same; only one can be given")
            if not all(0 < ratio < math.inf for ratio in self.oversubscription) or self.children[0] == 0:
                raise ValueError("oversubscription needs finite ratios greater than 0, and hosts")
        for tier, (count, parents) in enumerate(zip(self.cables_up, self.parents, strict=True)):
            if count < parents:
                raise ValueError(f"{count} uplinks of tier {tier} do not reach {parents} parents")
        return self

    @property
    def speeds(self) -> tuple[float, ...]:
        """Speed of the cables above each tier but the top, in Gb/s."""
        return self.uplink_gbps or (self.link_gbps,) * len(self.parents)

    @property
    def cables_up(self) -> tuple[int, ...]:
        """Cables upwards of a switch of each tier but the top.

        Raises:
            ValueError: the oversubscription asks for a part of a cable.
        """
        if self.oversubscription is None:
            return self.parents if self.uplinks is None else self.uplinks
        counts: list[int] = []
        below = self.children[0] * self.access_gbps
        for tier, (ratio, gbps) in enumerate(zip(self.oversubscription, self.speeds, strict=True)):
            exact = below / (ratio * gbps)
            count = round(exact)
            if not math.isclose(count, exact, rel_tol=1e-9):
                raise ValueError(
                    f"oversubscription {ratio:g} of tier {tier} makes {exact:g} uplinks, not a whole number"
                )
            counts.append(count)
            below = self.children[tier + 1] * count / self.parents[tier] * gbps
        return tuple(counts)

    @property
    def switches(self) -> tuple[int, ...]:
        """Number of switches of each tier."""
        return tuple(
            math.prod(self.children[tier + 1 :]) * math.prod(self.parents[:tier]) for tier in range(len(self.children))
        )


@topologies.register(
    "folded-clos",
    params=FoldedClos,
    example="children=2x3x4,parents=2x2",
    summary="tiers of switches, each tier with its own radix, number of cables, oversubscription and speed",
    source="Zahavi: Fat-Tree Routing and Node Ordering Providing Contention Free Traffic for MPI Global Collectives, "
    "JPDC 72(11), 2012, section 4 (PGFT)",
)
def folded_clos(params: FoldedClos) -> Plane:
    """Return a parallel-ports generalised fat tree, whose cables need not divide evenly.

    The parametrisation is the PGFT's, in which a switch of tier t has ``m_t`` switches below and ``w_t`` above, with
    ``p`` parallel cables to each; htsim's ``Radix_Down``, ``Radix_Up`` and ``Bundle`` say the same.  Here
    ``children`` is m, ``parents`` is w, and ``uplinks`` is ``w p``, which may be any number from w on: the cables
    between the ``m`` switches and their ``w`` common parents are dealt out in turn, so that no switch has more than one
    more than another.  Where they do not divide, two children share their parents unequally, and traffic between them
    alone cannot use all their uplinks.

    Tier t has ``children[t + 1] * ... * parents[0] * ... * parents[t - 1]`` switches, and those that share all
    descendants follow each other.  So it is in ``fat-tree``, which is the case of children ``k/2 x ... x k/2 x k`` and
    parents ``k/2 x ... x k/2``.
    """
    counts, uplinks = params.switches, params.cables_up
    cables = [count * up for count, up in zip(counts[:-1], uplinks, strict=True)]
    hosts = counts[0] * params.children[0]
    check_size("folded-clos", switches=sum(counts), cables=sum(cables), hosts=hosts)
    u, v = [], []
    below = 0
    for tier, (parents, up) in enumerate(zip(params.parents, uplinks, strict=True)):
        # Child c of group g, the p-th of those with its descendants, is joined to the parents (g, p, 0), (g, p, 1), ...
        children, same = params.children[tier + 1], math.prod(params.parents[:tier])
        parent = deal(children * up, children, parents)[1].reshape(children, up)
        group, child, place, cable = np.indices((counts[tier] // (children * same), children, same, up))
        u.append((below + (group * children + child) * same + place).ravel())
        below += counts[tier]
        v.append((below + (group * same + place) * parents + parent[child, cable]).ravel())
    return Plane.from_cables(
        [f"{name}{i}" for name, count in zip(_names(len(counts)), counts, strict=True) for i in range(count)],
        np.concatenate(u),
        np.concatenate(v),
        np.repeat(params.speeds, cables),
        racks=np.arange(counts[0]),
        host_switch=on_rails(counts[0], params.children[0], params.rails, "folded-clos"),
        access_gbps=params.access_gbps,
        tier=np.repeat(np.arange(len(counts)), counts),
    )


def _names(tiers: int) -> list[str]:
    """Return what the switches of each tier are called, before their number; as in ``fat-tree``."""
    middle = ["agg"] if tiers == 3 else [f"agg{tier}-" for tier in range(1, tiers - 1)]
    return ["edge", *middle, "core"]
