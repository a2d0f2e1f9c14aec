"""What paths a routing allows, as the user names it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from pnet_lp.errors import RoutingError

Policy: TypeAlias = Literal["any", "round-robin", "shortest", "single"]
POLICIES: tuple[str, ...] = get_args(Policy)

ALL = 2**31 - 1
"""More paths than any pair has."""

_KSP = re.compile(r"ksp:(\d{1,9})")


@dataclass(frozen=True)
class PathRule:
    """Which paths a pair of endpoints has.

    Attributes:
        count: paths per pair at most.
        equal_cost: whether only paths as short as the shortest count.
        policy: ``any``: of all planes together, shortest first; ``round-robin``: ``count`` divided over the planes, the
            first ones getting one more where it does not divide; ``shortest``: of the planes in which the pair is
            nearest; ``single``: of one plane, drawn by seed.
        seed: which of several equally long paths are taken where not all are; every choice is equally likely, and
            that of one pair does not depend on the others.
    """

    count: int
    equal_cost: bool
    policy: Policy = "any"
    seed: int = 0


def parse_rule(text: str, *, policy: Policy = "any", seed: int = 0) -> PathRule:
    """Return the rule that a routing's name stands for.

    Args:
        text: ``ecmp`` (one of the shortest paths), ``ecmp-lp`` or ``ecmp-split`` (all shortest paths), or ``ksp:K``
            (K shortest simple paths).
        policy: see :class:`PathRule`.
        seed: see :class:`PathRule`.

    Raises:
        RoutingError: anything else, or K = 0.
    """
    if text == "ecmp":
        return PathRule(1, equal_cost=True, policy=policy, seed=seed)
    if text in ("ecmp-lp", "ecmp-split"):
        return PathRule(ALL, equal_cost=True, policy=policy, seed=seed)
    match = _KSP.fullmatch(text)
    if match is None or int(match[1]) == 0:
        raise RoutingError(
            "not a routing with paths",
            where="--routing",
            found=text,
            allowed="ecmp, ecmp-lp, ecmp-split, or ksp:K with K >= 1",
        )
    return PathRule(int(match[1]), equal_cost=False, policy=policy, seed=seed)
