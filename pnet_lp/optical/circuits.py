"""A setting of the optical switches: which pairs of racks are joined, by how many circuits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, shortest_path

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, checked_array, floats, ints
from pnet_lp.model.brief import brief


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Circuits:
    """Full-duplex circuits between racks.

    Build one with :meth:`from_ends`, which checks everything.

    Attributes:
        racks: number of racks.
        links: optical ports of a rack.
        u, v: int32 ``[m]``, the racks that each circuit joins, ``u < v``, sorted; parallel circuits are separate.
        link_gbps: Gb/s of a circuit in each direction.
    """

    racks: int
    links: int
    u: IntArray
    v: IntArray
    link_gbps: float

    @classmethod
    def from_ends(cls, racks: int, links: int, ends: npt.ArrayLike, link_gbps: float) -> Circuits:
        """Return checked circuits, given ``[m, 2]`` the racks that each joins.

        Raises:
            SpecError: a rack out of range or joined to itself, or with more circuits than ports.
        """
        pairs = np.sort(checked_array(ends, SpecError, "circuits", whole=True).reshape(-1, 2), axis=1)
        if np.any(wrong := (pairs < 0) | (pairs >= racks)):
            raise SpecError("no such rack", where="circuits", found=int(pairs[wrong][0]), allowed=f"0 to {racks - 1}")
        if np.any(loops := pairs[:, 0] == pairs[:, 1]):
            raise SpecError(f"a circuit joins rack {int(pairs[loops][0, 0])} to itself", where="circuits")
        used = np.bincount(pairs.ravel(), minlength=racks)
        if used.max(initial=0) > links:
            rack = int(np.argmax(used))
            raise SpecError(
                f"rack {rack} has more circuits than ports",
                where="circuits",
                found=int(used[rack]),
                allowed=f"at most {links}",
            )
        order = np.lexsort((pairs[:, 1], pairs[:, 0]))
        return cls(racks, links, ints(pairs[order, 0]), ints(pairs[order, 1]), link_gbps)

    @property
    def count(self) -> int:
        """Number of circuits."""
        return len(self.u)

    @property
    def ports_used(self) -> IntArray:
        """int32 ``[racks]``: circuits at each rack."""
        return ints(np.bincount(np.concatenate([self.u, self.v]), minlength=self.racks))

    @cached_property
    def hops(self) -> FloatArray:
        """float64 ``[racks, racks]``: circuits on a shortest path, ``inf`` where there is none."""
        return floats(fewest_hops(self.racks, self.u, self.v))

    def joins(self, traffic: TrafficMatrix) -> bool:
        """Whether every demand between racks has a path."""
        part = connected_components(_graph(self.racks, self.u, self.v), directed=False)[1]
        return bool(np.all(part[traffic.src] == part[traffic.dst]))

    def mean_hops(self, traffic: TrafficMatrix) -> float:
        """Return the circuits that a unit of demand between racks crosses on shortest paths.

        Times the demands it is the load that the circuits of the paper's controller are chosen to make small.
        """
        return float((traffic.demand * self.hops[traffic.src, traffic.dst]).sum() / traffic.demand.sum())

    def network(self) -> Network:
        """Return the network of the racks, joined by these circuits alone."""
        plane = Plane.from_cables(
            self.racks, self.u, self.v, self.link_gbps, racks=np.arange(self.racks), label="circuits"
        )
        return Network.from_planes([plane])


def fewest_hops(racks: int, u: npt.NDArray[np.integer], v: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Return ``[racks, racks]``: the circuits on a shortest path, ``inf`` where there is none."""
    return np.asarray(shortest_path(_graph(racks, u, v), method="D", directed=False, unweighted=True))


def _graph(racks: int, u: npt.NDArray[np.integer], v: npt.NDArray[np.integer]) -> sp.csr_array:
    return sp.csr_array((np.ones(len(u)), (u, v)), shape=(racks, racks))
