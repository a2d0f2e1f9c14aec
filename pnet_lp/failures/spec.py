"""What is to fail, before it is drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from pnet_lp.errors import SpecError
from pnet_lp.failures.groups import RiskGroup

Unit: TypeAlias = Literal["cable", "direction", "box", "position"]
UNITS: tuple[str, ...] = get_args(Unit)

Mode: TypeAlias = Literal["random", "independent", "betweenness"]
MODES: tuple[str, ...] = get_args(Mode)


@dataclass(frozen=True)
class Failures:
    """What is to fail, in every plane.

    Attributes:
        links: share of the cables, in [0, 1].
        switches: share of the switches, in [0, 1].
        planes: planes that fail as a whole.
        unit: what fails together.  ``cable``: both directions of a cable, a switch by itself.  ``direction``: each
            direction of a cable by itself, always independently, with the share as probability.  ``box``: all switches
            of a box (``Plane.box``).  ``position``: the cables, or the switches, of one position in all planes, which a
            P-Net bundles and puts into one box (P-Net, section 3.1).
        mode: how units are chosen.  ``random``: the share of them, rounded, without replacement.  ``independent``: each
            by itself, with the share as probability.  ``betweenness``: those with the most shortest paths between racks
            first, which is the worst case by that measure.
        groups: shared-risk groups; each fails by itself with its probability.
    """

    links: float = 0.0
    switches: float = 0.0
    planes: tuple[int, ...] = ()
    unit: Unit = "cable"
    mode: Mode = "random"
    groups: tuple[RiskGroup, ...] = ()

    def __post_init__(self) -> None:
        for option, share in (("fail_links", self.links), ("fail_switches", self.switches)):
            if not (math.isfinite(share) and 0 <= share <= 1):
                raise SpecError("not a share", where=option, found=share, allowed="0 to 1")
        for option, value, allowed in (("fail_unit", self.unit, UNITS), ("fail_mode", self.mode, MODES)):
            if value not in allowed:
                raise SpecError("unknown value", where=option, found=value, allowed=", ".join(allowed))
        if self.unit == "direction" and self.mode == "betweenness":
            raise SpecError(
                "directions fail independently",
                where="fail_mode",
                found=self.mode,
                allowed="random, or fail_unit=cable",
            )

    def check_planes(self, count: int) -> None:
        """Raise SpecError where a plane is to fail that a network of ``count`` planes does not have."""
        for plane in self.planes:
            if not 0 <= plane < count:
                raise SpecError("no such plane", where="fail_planes", found=plane, allowed=f"0 to {count - 1}")

    def __bool__(self) -> bool:
        """Whether anything can fail."""
        return bool(self.links or self.switches or self.planes or self.groups)

    @property
    def random(self) -> bool:
        """Whether one trial can differ from another."""
        drawn = (self.links or self.switches) and self.mode != "betweenness"
        return bool(drawn or any(group.probability < 1 for group in self.groups))
