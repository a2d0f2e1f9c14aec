"""What folded Clos networks have in common: cables distributed between two tiers, hosts between edge switches."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
from pydantic import Field

from pnet_lp.errors import TopologyError
from pnet_lp.model.arrays import IntArray, ints

Rails: TypeAlias = Annotated[
    int,
    Field(
        ge=1,
        description="edge switches of a pod, over which consecutive hosts are spread one by one: host i of a server "
        "attaches to that of its rail, i modulo this",
    ),
]
"""How many edge switches take turns."""


def on_rails(switches: int, hosts: int, rails: int, family: str) -> IntArray:
    """Return the edge switch of each host, int32 ``[switches * hosts]``: as many consecutive ones as rails take turns.

    Args:
        switches: how many they are.
        hosts: those on each.
        rails: how many edge switches take turns.
        family: whose parameter that is, for messages.

    Raises:
        TopologyError: the switches are not in pods of one for each rail.
    """
    if switches % rails:
        raise TopologyError(
            f"{switches} edge switches are not in pods of one for each rail",
            where=f"{family}: rails",
            found=rails,
            allowed="a divisor of it",
        )
    host = np.arange(switches * hosts)
    pod, place = np.divmod(host, max(rails * hosts, 1))
    return ints(pod * rails + place % rails)


def deal(cables: int, lower: int, upper: int) -> tuple[IntArray, IntArray]:
    """Return the lower and the upper end of each cable, int32 ``[cables]``, as a pack of cards is dealt.

    The lower switches follow each other, each with its share of the cables, and the cables go to the upper switches
    in turn.  So two lower switches differ by at most one in their cables, two upper ones likewise, and so do two
    pairs of a lower and an upper switch that have the same lower one.  Where everything divides, each pair has
    ``cables / (lower * upper)``.
    """
    cable = np.arange(cables)
    return ints(cable * lower // cables), ints(cable % upper)
