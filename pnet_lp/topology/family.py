"""The registry of topology families, and the parameters they have in common."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from pnet_lp.errors import SpecError, TooLarge
from pnet_lp.flags import SPEED_WORDS, Flag
from pnet_lp.memory import check_fits
from pnet_lp.model import Plane
from pnet_lp.registry import Params, Registry
from pnet_lp.units import DEFAULT_LINK_GBPS, MIB

PlaneBuilder: TypeAlias = Callable[[Any], Plane]
"""``parameters -> plane``; the parameters are an instance of the entry's model."""

topologies: Registry[PlaneBuilder] = Registry(
    "topology", package="pnet_lp.topology.families", group="pnet_lp.topologies"
)

LARGEST = 1 << 24
"""Most switches, hosts or cables that a family builds; more is a slip of the pen, not a network."""

_BYTES_PER_CABLE, _BYTES_PER_PLACE = 100, 180
"""Peak of building: measured 45 to 55 for a cable, and as much again for a look at its two directions; 125 to 170 for a
switch or host, with its name."""

_WORTH_A_LOOK = 16 * MIB
"""Less than this is not compared with what is free."""

_WRITTEN_OUT = 10**15
"""A larger count is given by its magnitude, because a power can have thousands of digits."""


class LinkParams(Params):
    """Parameters of every family."""

    link_gbps: Annotated[float, Flag(also=SPEED_WORDS)] = Field(
        DEFAULT_LINK_GBPS, gt=0, description="speed of every cable, Gb/s in each direction"
    )


class HostParams(LinkParams):
    """Parameters of the families that have hosts of their own."""

    host_gbps: float | None = Field(
        None, gt=0, description="speed of every access link, Gb/s in each direction; default: link_gbps"
    )

    @property
    def access_gbps(self) -> float:
        """Speed of every access link in Gb/s."""
        return self.link_gbps if self.host_gbps is None else self.host_gbps


def check_size(family: str, **counts: int) -> None:
    """Raise SpecError if a count (``cables=...``) of the network to build is beyond :data:`LARGEST`."""
    for what, count in counts.items():
        if count > _WRITTEN_OUT:
            raise SpecError(
                TooLarge(f"too many {what}, about 10^{math.log10(count):.0f}"),
                where=family,
                allowed=f"at most {LARGEST}",
            )
        if count > LARGEST:
            raise SpecError(TooLarge(f"too many {what}"), where=family, found=count, allowed=f"at most {LARGEST}")
    places = counts.get("switches", 0) + counts.get("hosts", 0)
    check_memory(family, _BYTES_PER_CABLE * counts.get("cables", 0) + _BYTES_PER_PLACE * places)


def check_memory(family: str, needed: int) -> None:
    """Raise SpecError where a network that takes ``needed`` bytes while it is built does not fit into memory."""
    if needed > _WORTH_A_LOOK:
        check_fits(needed, f"building a network of the family {family}", SpecError, allowed="a smaller network")
