"""What is to fail, before it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from pnet_lp.errors import SpecError
from pnet_lp.failures.groups import RiskGroup
from pnet_lp.failures.portion import Portion, is_count, parse_portion

Unit: TypeAlias = Literal["cable", "direction", "box", "position", "server"]
UNITS: tuple[str, ...] = get_args(Unit)

Mode: TypeAlias = Literal["random", "independent", "betweenness"]
MODES: tuple[str, ...] = get_args(Mode)


@dataclass(frozen=True)
class Failures:
    """What is to fail, in every plane.

    Attributes:
        links, switches, ports: how many of the cables, the switches, and the access links of hosts, of each plane: a
            share, or a number of them, as of :data:`~pnet_lp.failures.portion.Portion`.
        nics: how many network cards fail: the access links of a host in all planes.
        servers: how many servers fail with all that is in them: what their accelerators send or receive is lost.
        names: switches, hosts, servers and links by name; see :func:`~pnet_lp.failures.named.named_parts`.
        planes: planes that fail as a whole.
        unit: what fails together.  ``cable``: both directions of a cable, a switch by itself.  ``direction``: each
            direction of a cable by itself, always independently, with the share as probability.  ``box``: all switches
            of a box (``Plane.box``).  ``position``: the cables or switches of one position in all planes, which a
            P-Net bundles and puts into one box (P-Net, section 3.1).  ``server``: all NICs of a server; a cable or a
            switch by itself.  Ports fail one by one.
        mode: how units are chosen.  ``random``: the share of them, rounded, without replacement.  ``independent``: each
            by itself, with the share as probability.  ``betweenness``: those with the most shortest paths between racks
            first, which is the worst case by that measure.
        groups: shared-risk groups; each fails by itself with its probability.
    """

    links: Portion = 0.0
    switches: Portion = 0.0
    planes: tuple[int, ...] = ()
    unit: Unit = "cable"
    mode: Mode = "random"
    groups: tuple[RiskGroup, ...] = ()
    ports: Portion = 0.0
    names: tuple[str, ...] = ()
    servers: Portion = 0.0
    nics: Portion = 0.0

    def __post_init__(self) -> None:
        for key, part in (
            ("links", "link"),
            ("switches", "switch"),
            ("ports", "port"),
            ("nics", "nic"),
            ("servers", "server"),
        ):
            value = getattr(self, key)
            portion = parse_portion(value, part)
            object.__setattr__(self, key, portion)
            if is_count(portion) and (self.mode == "independent" or (key, self.unit) == ("links", "direction")):
                raise SpecError(
                    f"each {part} fails with a probability",
                    where=f"fail_{key}",
                    found=value,
                    allowed="a share, or fail_mode=random and fail_unit=cable",
                )
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
        if self.unit == "server" and not self.nics and (self.links or self.switches or self.ports):
            raise SpecError(
                "NICs of a server fail together",
                where="fail_unit",
                found=self.unit,
                allowed="fail_nics, or another unit for links and switches",
            )
        for key, some, why in (
            ("ports", self.ports, "every path of a host passes its ports"),
            ("nics", self.nics, "every path of a host passes its NIC"),
            ("servers", self.servers, "no path is through a server"),
        ):
            if some and self.mode == "betweenness":
                raise SpecError(
                    why, where="fail_mode", found=self.mode, allowed=f"random or independent, or no fail_{key}"
                )

    def check_planes(self, count: int) -> None:
        """Raise SpecError where a plane is to fail that a network of ``count`` planes does not have."""
        for plane in self.planes:
            if not 0 <= plane < count:
                raise SpecError("no such plane", where="fail_planes", found=plane, allowed=f"0 to {count - 1}")

    def __bool__(self) -> bool:
        """Whether anything can fail."""
        drawn = self.links or self.switches or self.ports or self.nics or self.servers
        return bool(drawn or self.planes or self.groups or self.names)

    @property
    def random(self) -> bool:
        """Whether one trial can differ from another."""
        drawn = (self.links or self.switches or self.ports or self.nics or self.servers) and self.mode != "betweenness"
        return bool(drawn or any(group.probability < 1 for group in self.groups))
