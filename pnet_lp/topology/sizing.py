"""Networks of a family for a number of hosts: how families are made that have to hold so many, of switches so large.

A family says so in its own file, with a second registration.  Those that do not, such as the server-centric ones, are
left out of a search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pnet_lp.registry import Registry


@dataclass(frozen=True)
class Equipment:
    """What a network has to hold, and what it can be made of.

    Attributes:
        hosts: at least so many, each with one link.
        ports: of a switch, at most.
    """

    hosts: int
    ports: int

    def splits(self) -> Iterable[tuple[int, int]]:
        """Yield numbers of hosts and of cables of a switch: one host to one cable, to two, and so on."""
        for part in (1 / 4, 1 / 3, 2 / 5, 1 / 2, 3 / 5, 2 / 3, 3 / 4):
            hosts = max(1, int(self.ports * part + 1e-9))
            if hosts < self.ports:
                yield hosts, self.ports - hosts

    def switches(self, each: int) -> int:
        """Return how many switches it takes with ``each`` hosts on every one."""
        return math.ceil(self.hosts / each)


OVERSUBSCRIPTIONS = (1, 2, 3, 4)
"""Hosts of an edge switch for each of its uplinks."""

Sizing: TypeAlias = Callable[[Equipment], Iterable[Mapping[str, Any]]]
"""``equipment -> parameters``: of networks of the family that hold as many hosts, the smallest for each sensible
oversubscription.  ``hosts_per_switch`` among them is the setting of that name."""

sizings: Registry[Sizing] = Registry(
    "sizing", package="pnet_lp.topology.families", group="pnet_lp.topologies"
)
