"""What paths a routing allows, as the user names it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from pnet_lp.errors import RoutingError
from pnet_lp.model.paths import Policy

POLICIES: tuple[str, ...] = get_args(Policy)

RoutingKind: TypeAlias = Literal["ecmp", "ecmp-split", "ecmp-lp", "ksp", "edge-disjoint", "vlb"]

ROUTINGS: dict[str, str] = {
    "ideal": "any path in any plane, split in the best way",
    "ecmp": "one of the shortest paths, drawn by a seeded hash per flow",
    "ecmp-split": "all shortest paths, split equally at every hop",
    "ecmp-lp": "all shortest paths, split in the best way",
    "ksp:K": "the K shortest loop-free paths, split in the best way",
    "edge-disjoint:K": "K paths without a common link, of least total length, split in the best way",
    "vlb": "via every switch, two shortest legs, split equally",
}
"""Every routing as it is written, and one line for each."""

ALL = 2**31 - 1
"""More paths than any pair has."""

_COUNTED = re.compile(r"(ksp|edge-disjoint):(\d{1,9})")
_COUNTS: dict[str, int] = {"ecmp": 1, "ecmp-split": ALL, "ecmp-lp": ALL, "vlb": ALL}


@dataclass(frozen=True)
class PathRule:
    """Which paths a pair of endpoints has.

    Attributes:
        kind: the routing without its K.
        count: paths per pair at most: K, 1 for ``ecmp``, :data:`ALL` for the others.
        policy: ``any``: of all planes together, shortest first; ``round-robin``: ``count`` divided over the planes,
            the rest going round from a plane drawn by seed; ``shortest``: of the planes in which the pair is nearest;
            ``single``: of one plane, drawn by seed.
        seed: which of several equally good choices is taken; that of one pair does not depend on the other pairs.
    """

    kind: RoutingKind
    count: int
    policy: Policy = "any"
    seed: int = 0

    @property
    def equal_cost(self) -> bool:
        """Whether only paths as short as the shortest count."""
        return self.kind in ("ecmp", "ecmp-split", "ecmp-lp")

    @property
    def per_flow(self) -> bool:
        """Whether choices are made for each flow, as by a hash over its endpoints.

        ``ecmp`` and the policy ``single`` do so.  Elsewhere a choice is made for the switches that the endpoints attach
        to, in all planes, so that hosts that attach alike have the same paths.
        """
        return self.kind == "ecmp" or self.policy == "single"


def parse_rule(text: str, *, policy: Policy = "any", seed: int = 0) -> PathRule:
    """Return the rule that a routing's name stands for.

    Args:
        text: ``ecmp`` (one of the shortest paths), ``ecmp-lp`` or ``ecmp-split`` (all shortest paths), ``ksp:K``
            (K shortest simple paths), ``edge-disjoint:K`` (K paths without a common link) or ``vlb``.
        policy: see :class:`PathRule`.
        seed: see :class:`PathRule`.

    Raises:
        RoutingError: anything else, or K = 0.
    """
    match = _COUNTED.fullmatch(text)
    kind, count = (match[1], int(match[2])) if match else (text, _COUNTS.get(text, 0))
    if count == 0:
        raise RoutingError(
            "not a routing with paths",
            where="--routing",
            found=text,
            allowed="ecmp, ecmp-lp, ecmp-split, vlb, or ksp:K and edge-disjoint:K with K >= 1",
        )
    return PathRule(kind, count, policy=policy, seed=seed)  # type: ignore[arg-type]
