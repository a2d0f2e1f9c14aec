"""How many shortest paths there are, without listing them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.model import Network
from pnet_lp.model.arrays import FloatArray, IntArray
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level
from pnet_lp.model.paths import Policy
from pnet_lp.routing.searches import CORE_POLICIES, Searches, prepare


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class ShortestCounts:
    """The shortest paths of ``J`` pairs over ``P`` planes.

    Attributes:
        hops: int32 ``[J, P]``, links between switches on a plane's paths, -1 where the plane has none for the pair.
        count: float64 ``[J, P]``, how many these are, parallel cables counted each: exact up to 2^53, rounded above,
            and 1e300 for more than that.
    """

    hops: IntArray
    count: FloatArray


def count_shortest(
    network: Network,
    level: Level,
    src: npt.ArrayLike,
    dst: npt.ArrayLike,
    *,
    policy: Policy = "any",
    seed: int = 0,
    threads: int = 0,
) -> ShortestCounts:
    """Return how many paths ``ecmp-lp`` has for each pair ``(src[j], dst[j])`` in each plane.

    The time is that of one search per destination and plane, however many paths there are.

    Args:
        network: the planes.
        level: whether the pairs are racks or hosts.
        src: index of each pair's source.
        dst: index of each pair's destination.
        policy: planes that count, see :class:`~pnet_lp.routing.PathRule`.
        seed: what draws the plane of the policy ``single``.
        threads: 0 for all cores.

    Raises:
        RoutingError: an index out of range.
        TopologyError: pairs of that level mean nothing on the network.
    """
    return count_prepared(prepare(network, level, src, dst), policy, seed, threads)


def count_prepared(
    searches: Searches, policy: Policy, seed: int, threads: int, deadline: Deadline = NEVER
) -> ShortestCounts:
    """Return the same for prepared pairs."""
    with deadline.doing("looking for paths") as limit_s:
        found = _core.count_shortest(
            searches.planes,
            searches.src,
            searches.dst,
            policy=CORE_POLICIES[policy],
            seed=seed,
            threads=threads,
            limit_s=limit_s,
        )
    return ShortestCounts(*found)
