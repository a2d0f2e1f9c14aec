"""A network: several planes over common racks and hosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from pnet_lp.errors import SpecError, TopologyError
from pnet_lp.model.arrays import IntArray, fingerprint, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.plane import Plane

if TYPE_CHECKING:
    from pnet_lp import Drawing

Variant: TypeAlias = Literal["serial", "homogeneous", "heterogeneous", "serial-high"]
VARIANTS: tuple[str, ...] = get_args(Variant)

Level: TypeAlias = Literal["rack", "host"]
LEVELS: tuple[str, ...] = get_args(Level)

MOST_PLANES = 4096
"""Planes of a network."""


@brief("variant", "plane_count", "rack_count", "host_count", "switch_count", "cable_count")
@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """Several planes over the same hosts or racks (P-Net, section 3).

    Build one with :meth:`from_planes`.  All planes list hosts in the same order.  If ``common_racks`` is true, they
    also list racks in the same order: index ``i`` means the same rack in every plane.

    Attributes:
        planes: the planes, at least one.
        variant: how the planes relate; only for tables, nothing is derived from it.
        common_racks: whether all planes have the same racks, so that rack-level demands make sense.
    """

    planes: tuple[Plane, ...]
    variant: Variant
    common_racks: bool

    @classmethod
    def from_planes(cls, planes: Sequence[Plane], variant: Variant | None = None) -> Network:
        """Return the network of ``planes``, with racks and hosts matched by name.

        Racks and hosts get the order of the first plane.  Planes with different racks make a network for host-level
        demands only, if they have hosts.

        Raises:
            TopologyError: there is no plane, or the planes have different hosts, or they share neither hosts nor racks.
        """
        if not planes:
            raise TopologyError("a network needs at least one plane")
        if len(planes) > MOST_PLANES:
            raise TopologyError("too many planes", found=len(planes), allowed=f"at most {MOST_PLANES}")
        first = planes[0]
        hosts_aligned = [_align_hosts(plane, first) for plane in planes]
        rack_order = first.rack_names
        common = all(plane is first or set(plane.rack_names) == set(rack_order) for plane in hosts_aligned)
        if not common and first.host_count == 0:
            other = next(p for p in hosts_aligned if set(p.rack_names) != set(rack_order))
            name = min(set(other.rack_names) ^ set(rack_order))
            raise TopologyError(
                f"planes {first.label or 0!r} and {other.label!r} have no common racks: only one has {name!r}",
                allowed="planes over the same racks, or with hosts of the same names",
            )
        aligned = [_align_racks(plane, rack_order) for plane in hosts_aligned] if common else hosts_aligned
        if variant is None:
            same = all(plane.fingerprint == aligned[0].fingerprint for plane in aligned)
            variant = "serial" if len(aligned) == 1 else "homogeneous" if same else "heterogeneous"
        return cls(planes=tuple(aligned), variant=variant, common_racks=common)

    @property
    def plane_count(self) -> int:
        """Number of planes."""
        return len(self.planes)

    @property
    def host_count(self) -> int:
        """Number of hosts; 0 in a network of racks only."""
        return self.planes[0].host_count

    @property
    def host_names(self) -> tuple[str, ...]:
        """Name of each host."""
        return self.planes[0].host_names

    @property
    def rack_names(self) -> tuple[str, ...]:
        """Name of each rack; if planes have different racks, those of the first plane."""
        return self.planes[0].rack_names

    @property
    def rack_count(self) -> int:
        """Number of racks of the first plane."""
        return len(self.planes[0].rack_switch)

    @property
    def switch_count(self) -> int:
        """Number of switches in all planes together."""
        return sum(plane.switch_count for plane in self.planes)

    @property
    def cable_count(self) -> int:
        """Number of switch-to-switch cables in all planes together."""
        return sum(plane.cable_count for plane in self.planes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Assumptions about planes whose sources leave something open, one sentence each."""
        return tuple(dict.fromkeys(warning for plane in self.planes for warning in plane.assumptions))

    @property
    def default_level(self) -> Level:
        """``host`` if the network has hosts, else ``rack``."""
        return "host" if self.host_count else "rack"

    def endpoint_names(self, level: Level) -> tuple[str, ...]:
        """Return the names that demands of ``level`` refer to, or raise SpecError where there is no such level."""
        check_level(level)
        return self.host_names if level == "host" else self.rack_names

    def check_level(self, level: Level) -> None:
        """Check that demands of ``level`` mean something on this network.

        Raises:
            SpecError: there is no such level.
            TopologyError: the network has no endpoints of it.
        """
        check_level(level)
        if level == "host" and self.host_count == 0:
            raise TopologyError(
                "the network has no hosts, so host-level demands mean nothing",
                allowed="level=rack, or hosts_per_switch=n",
            )
        if level == "rack" and not self.common_racks:
            raise TopologyError(
                "the planes do not share their racks, so rack-level demands mean nothing", allowed="level=host"
            )

    def settled_level(self, level: Level | None) -> Level:
        """Return ``level``, or by default :attr:`default_level`; errors as of :meth:`check_level`."""
        settled = self.default_level if level is None else level
        self.check_level(settled)
        return settled

    def restricted(self, level: Level, kept: IntArray) -> Network:
        """Return the network without the racks, or at host level without the hosts, that are not ``kept``.

        Args:
            level: what endpoints are.
            kept: indices of racks or hosts, in the order that they get.
        """
        names = [self.host_names[i] for i in kept.tolist()] if level == "host" else []
        made = {
            id(plane): _with_hosts(plane, kept, tuple(names))
            if level == "host"
            else replace(plane, rack_switch=ints(plane.rack_switch[kept]))
            for plane in self.planes
        }
        return replace(self, planes=tuple(made[id(plane)] for plane in self.planes))

    def draw(self, path: str | Path | None = None, **shown: Any) -> Drawing:
        """Return a drawing of the network, and write it to ``path`` if given; see :func:`pnet_lp.draw`."""
        import pnet_lp  # noqa: PLC0415 - it lies above this layer

        return pnet_lp.draw(self, path, **shown)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the planes' fingerprints, in order."""
        return fingerprint(["network/1", *(plane.fingerprint for plane in self.planes)])


def check_level(level: object) -> None:
    """Raise SpecError where ``level`` is none of :data:`LEVELS`."""
    if level not in LEVELS:
        raise SpecError("no such level", where="level", found=level, allowed=", ".join(LEVELS))


def check_network(found: object) -> None:
    """Raise SpecError where ``found`` is not a network."""
    if not isinstance(found, Network):
        raise SpecError(
            "not a network", where="network", found=type(found).__name__, allowed="a Network, as build_network returns"
        )


def _reordered(names: tuple[str, ...], order: tuple[str, ...]) -> list[int]:
    index = {name: i for i, name in enumerate(names)}
    return [index[name] for name in order]


def _align_hosts(plane: Plane, first: Plane) -> Plane:
    if plane.host_names == first.host_names:
        return plane
    if set(plane.host_names) != set(first.host_names):
        name = min(set(plane.host_names) ^ set(first.host_names))
        raise TopologyError(
            f"planes name different hosts: only one of {first.label!r} ({first.host_count} hosts) and "
            f"{plane.label!r} ({plane.host_count} hosts) has {name!r}",
            allowed="planes over the same hosts",
        )
    return _with_hosts(plane, _reordered(plane.host_names, first.host_names), first.host_names)


def _with_hosts(plane: Plane, hosts: Sequence[int] | IntArray, names: tuple[str, ...]) -> Plane:
    return replace(
        plane,
        host_names=names,
        host_switch=ints(plane.host_switch[hosts]),
        access_up_gbps=floats(plane.access_up_gbps[hosts]),
        access_down_gbps=floats(plane.access_down_gbps[hosts]),
        access_delay_ns=None if plane.access_delay_ns is None else floats(plane.access_delay_ns[hosts]),
    )


def _align_racks(plane: Plane, rack_order: tuple[str, ...]) -> Plane:
    if plane.rack_names == rack_order:
        return plane
    return replace(plane, rack_switch=ints(plane.rack_switch[_reordered(plane.rack_names, rack_order)]))
