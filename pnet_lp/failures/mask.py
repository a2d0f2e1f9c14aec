"""A mask: what of a network is down."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Network, Plane
from pnet_lp.model.arrays import BoolArray, booleans, floats, ints
from pnet_lp.model.brief import brief


@brief("arc_count", "switch_count", "host_count")
@dataclass(frozen=True, eq=False, repr=False)
class Mask:
    """What is down, plane by plane.

    Attributes:
        arcs: bool ``[2 m]`` for each plane, in the order of ``Plane.arcs``: the directions that carry nothing, those of
            failed switches included.
        switches: bool ``[n]`` for each plane: the switches that have failed, hosts attached to them being cut off.
        hosts: bool ``[hosts]`` for each plane: the access links that have failed.
        inside: bool over the links inside servers, by their numbers in :class:`~pnet_lp.model.servers.Inside`: those
            that have failed.
    """

    arcs: tuple[BoolArray, ...]
    switches: tuple[BoolArray, ...]
    hosts: tuple[BoolArray, ...]
    inside: BoolArray

    @classmethod
    def of(
        cls,
        network: Network,
        arcs: list[BoolArray],
        switches: list[BoolArray],
        hosts: list[BoolArray] | None = None,
        inside: BoolArray | None = None,
    ) -> Mask:
        """Return the mask of failed directions, switches, access links and links inside servers.

        A switch takes its cables with it.
        """
        down = []
        for plane, lost, dead in zip(network.planes, arcs, switches, strict=True):
            tail, head, _ = plane.arcs
            down.append(booleans(lost | dead[tail] | dead[head]))
        cut = hosts or [np.zeros(plane.host_count, dtype=np.bool_) for plane in network.planes]
        within = nothing_inside(network) if inside is None else inside
        return cls(tuple(down), tuple(map(booleans, switches)), tuple(map(booleans, cut)), booleans(within))

    def __or__(self, other: Mask) -> Mask:
        """Return the mask of what is down in either."""
        return self._with(other, np.logical_or)

    def __and__(self, other: Mask) -> Mask:
        """Return the mask of what is down in both."""
        return self._with(other, np.logical_and)

    @property
    def key(self) -> bytes:
        """What tells masks of one network apart."""
        return b"".join(part.tobytes() for part in (*self.arcs, *self.switches, *self.hosts, self.inside))

    @property
    def nothing(self) -> Mask:
        """The same with nothing down."""
        return self._with(self, np.logical_xor)

    def _with(self, other: Mask, rule: np.ufunc) -> Mask:
        """Return what a rule makes of both, part by part."""

        def planes(mine: tuple[BoolArray, ...], others: tuple[BoolArray, ...]) -> tuple[BoolArray, ...]:
            return tuple(booleans(rule(a, b)) for a, b in zip(mine, others, strict=True))

        return Mask(
            planes(self.arcs, other.arcs),
            planes(self.switches, other.switches),
            planes(self.hosts, other.hosts),
            booleans(rule(self.inside, other.inside)),
        )

    @property
    def arc_count(self) -> int:
        """Directions that are down."""
        return int(sum(down.sum() for down in self.arcs))

    @property
    def switch_count(self) -> int:
        """Switches that are down."""
        return int(sum(dead.sum() for dead in self.switches))

    @property
    def host_count(self) -> int:
        """Access links that are down."""
        return int(sum(cut.sum() for cut in self.hosts))

    @property
    def counts(self) -> dict[str, int]:
        """How many parts of each kind are down."""
        inside = {"links inside servers": int(self.inside.sum())} if len(self.inside) else {}
        return {
            "link directions": self.arc_count,
            "switches": self.switch_count,
            "access links": self.host_count,
            **inside,
        }


def nothing_inside(network: Network) -> npt.NDArray[np.bool_]:
    """Return bool over the links inside the servers of a network: none is down."""
    servers = network.servers
    links = 0 if servers is None else network.host_count // servers.size * servers.link_count
    return np.zeros(links, dtype=np.bool_)


def apply_mask(network: Network, mask: Mask) -> Network:
    """Return ``network`` with the masked links, switches and access links down.

    Planes that lose nothing are the same objects; the others share all arrays with the original but capacities and,
    where a switch has failed, what hosts attach to.  Racks of a failed switch keep it, without any link.  Labels say
    how much is down.
    """
    planes = tuple(map(_masked, network.planes, mask.arcs, mask.switches, mask.hosts))
    servers = None if network.servers is None else network.servers.without(mask.inside)
    return replace(network, planes=planes, servers=servers)


def _masked(plane: Plane, arcs: BoolArray, switches: BoolArray, hosts: BoolArray) -> Plane:
    kinds = {"link directions": arcs, "switches": switches, "access links": hosts}
    down = [f"{int(lost.sum())} of {len(lost)} {kind}" for kind, lost in kinds.items() if lost.any()]
    if not down:
        return plane
    attached = (plane.host_switch >= 0) & ~switches[plane.host_switch] & ~hosts
    return replace(
        plane,
        capacity_uv_gbps=floats(np.where(arcs[0::2], 0.0, plane.capacity_uv_gbps)),
        capacity_vu_gbps=floats(np.where(arcs[1::2], 0.0, plane.capacity_vu_gbps)),
        host_switch=ints(np.where(attached, plane.host_switch, -1)),
        access_up_gbps=floats(np.where(attached, plane.access_up_gbps, 0.0)),
        access_down_gbps=floats(np.where(attached, plane.access_down_gbps, 0.0)),
        label=f"{plane.label} ({', '.join(down)} down)".lstrip(),
    )
