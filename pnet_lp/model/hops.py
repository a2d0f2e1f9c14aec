"""The hop counts of all pairs as a histogram."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from pnet_lp.errors import SpecError


@dataclass(frozen=True)
class HopDistribution:
    """Ordered pairs of distinct endpoints by hops (switch-to-switch links, fewest over the planes).

    Attributes:
        pairs: ``pairs[h]`` is the number of pairs at ``h`` hops; the last is not 0, unless it is the only one.
        disconnected: pairs without a path.
    """

    pairs: tuple[int, ...]
    disconnected: int

    @property
    def connected(self) -> int:
        """Pairs with a path."""
        return sum(self.pairs)

    @property
    def total(self) -> int:
        """All pairs."""
        return self.connected + self.disconnected

    @property
    def connected_share(self) -> float | None:
        """Share of the pairs that have a path; None where there is no pair."""
        return self.connected / self.total if self.total else None

    @property
    def diameter(self) -> int | None:
        """Most hops of a pair; None where there is no pair, or one without a path."""
        return None if self.disconnected else self.most

    @property
    def mean(self) -> float | None:
        """Mean hops of the pairs that have a path, None where there is none: read it with :attr:`disconnected`."""
        return sum(h * n for h, n in enumerate(self.pairs)) / self.connected if self.connected else None

    @property
    def most(self) -> int | None:
        """Most hops of a pair that has a path."""
        return len(self.pairs) - 1 if self.connected else None

    def percentile(self, percent: int) -> int | None:
        """Return the fewest hops within which ``percent`` per cent of all pairs are.

        Pairs without a path count as farther than all others: None where so few pairs are connected.

        Raises:
            SpecError: ``percent`` is not within 1 to 100.
        """
        if not 1 <= percent <= 100:
            raise SpecError("not a percentile", found=percent, allowed="1 to 100")
        within = 0
        for hops, count in enumerate(self.pairs):
            within += count
            # In whole numbers, so that no rounding moves a pair across the boundary.
            if self.total > 0 and 100 * within >= percent * self.total:
                return hops
        return None

    @classmethod
    def added_up(cls, parts: Iterable[HopDistribution]) -> HopDistribution:
        """Return the pairs of all parts together."""
        found = list(parts)
        columns = zip_longest(*(part.pairs for part in found), fillvalue=0)
        return cls(tuple(map(sum, columns)) or (0,), sum(part.disconnected for part in found))
