"""Sizing: the networks of a family that hold a number of hosts with switches of a given size.

A family says so in its own file, with a second registration.  Those that do not, such as the server-centric ones, are
left out of a search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pnet_lp.registry import Registry


@dataclass(frozen=True)
class Equipment:
    """What a network must hold, and what it is built from.

    Attributes:
        hosts: at least so many, each with one link.
        ports: of a switch, at most.
        fine: whether to try sizes in fine steps, rather than a few that are far apart.
    """

    hosts: int
    ports: int
    fine: bool = False

    def splits(self) -> Iterable[tuple[int, int]]:
        """Yield numbers of switches and of cables of each, from three hosts for a cable to three cables for a host.

        In fine steps from four hosts for a cable on, which is the most of :data:`OVERSUBSCRIPTIONS`.
        """
        few = dict.fromkeys(map(self._with, (3 / 4, 2 / 3, 3 / 5, 1 / 2, 2 / 5, 1 / 3, 1 / 4)))
        for switches in fine_steps(self._with(4 / 5), self.most_switches) if self.fine else few:
            cables = self.ports - self.switches(switches)
            if cables > 0:
                yield switches, cables

    @property
    def most_switches(self) -> int:
        """How many switches it takes where hosts have only a quarter of the ports."""
        return self._with(1 / 4)

    def _with(self, part: float) -> int:
        """Return how many switches it takes whose hosts have such a part of their ports."""
        return self.switches(max(1, int(self.ports * part + 1e-9)))

    def switches(self, each: int) -> int:
        """Return how many switches it takes with ``each`` hosts on every one."""
        return math.ceil(self.hosts / each)


def fine_steps(first: int, last: int) -> Iterator[int]:
    """Yield numbers from ``first`` to ``last``, each by one more than the one before, or by 1 % where that is more."""
    while first <= last:
        yield first
        first += max(1, first // 100)


def two_smallest(equipment: Equipment, graphs: Iterable[tuple[int, int, int]]) -> Iterator[dict[str, int]]:
    """Yield ``q`` and ``p``, hosts of a switch, of the two smallest graphs whose switches have ports for all of it.

    In fine steps they are all with a quarter of the ports or more for hosts.

    Args:
        equipment: what they must hold.
        graphs: ``(q, switches, cables of a switch)`` of all, ascending.
    """
    found = 0
    for q, switches, degree in graphs:
        hosts, more = equipment.switches(switches), equipment.fine and switches <= equipment.most_switches
        if degree + hosts <= equipment.ports and (found < 2 or more):
            found += 1
            yield {"q": q, "p": hosts}


OVERSUBSCRIPTIONS = (1, 2, 3, 4)
"""Hosts of an edge switch for each of its uplinks."""

Sizing: TypeAlias = Callable[[Equipment], Iterable[Mapping[str, Any]]]
"""``equipment -> parameters``: of networks of the family that hold as many hosts, the smallest for each sensible
oversubscription, or in fine steps all that are sensible.  ``hosts_per_switch`` among them is the setting of that
name."""

sizings: Registry[Sizing] = Registry("sizing", package="pnet_lp.topology.families", group="pnet_lp.topologies")
