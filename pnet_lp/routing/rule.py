"""The rule of a path search in the core."""

from __future__ import annotations

from dataclasses import dataclass

from pnet_lp._core import PathKind
from pnet_lp.model.paths import Policy

__all__ = ["ALL", "PathKind", "PathRule"]

ALL = 2**31 - 1
"""More paths than any pair has."""


@dataclass(frozen=True)
class PathRule:
    """Which paths a pair of endpoints has.

    Attributes:
        kind: ``EqualCost``: those as short as the shortest; ``KShortest``: the shortest loop-free ones;
            ``EdgeDisjoint``: some without a common link, of least total length.
        count: paths per pair at most.
        policy: ``any``: of all planes together, shortest first; ``round-robin``: ``count`` divided over the planes,
            the rest going round from a plane drawn by seed; ``shortest``: of the planes in which the pair is nearest;
            ``single``: of one plane, drawn by seed.
        per_flow: whether choices are made for each flow, as by a hash over its endpoints.  Otherwise a choice is made
            for the switches that the endpoints attach to, in all planes, so that twin hosts have the same
            paths.
        seed: which of several equally good choices is taken; that of one pair does not depend on the other pairs.
    """

    kind: PathKind
    count: int
    policy: Policy = "any"
    per_flow: bool = False
    seed: int = 0

    @property
    def equal_cost(self) -> bool:
        """Whether only paths as short as the shortest count."""
        return self.kind == PathKind.EqualCost
