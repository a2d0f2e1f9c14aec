"""The check of all lists of a routing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp.model.arrays import BoolArray
from pnet_lp.model.flow import FlowProblem
from pnet_lp.model.paths import PathSet
from pnet_lp.routing.rule import ALL, PathKind, PathRule
from pnet_lp.verification.path_lists.disjoint import EdgeDisjoint
from pnet_lp.verification.path_lists.judge import NO, YES, Judge, Verdicts
from pnet_lp.verification.path_lists.lists import Budget, Lists
from pnet_lp.verification.path_lists.shortest import EqualCost, Shortest

STEPS = 1 << 25
"""Steps of a search by default, about ten seconds; a step visits one link."""


@dataclass(frozen=True)
class Completeness:
    """How far lists of paths were checked.

    Attributes:
        checked: demands whose list is right.
        trusted: demands whose list was taken on trust, as the budget ran out before anything was found wrong with it.
    """

    checked: int
    trusted: int


def check_complete(
    flow: FlowProblem, paths: PathSet, available: BoolArray, rule: PathRule, *, budget: int = STEPS
) -> Completeness:
    """Check that each demand has the paths that a routing gives it: not one too few, none twice, none better left out.

    Args:
        flow: links and demands.
        paths: of each demand simple paths from its source to its destination, as ``second_paths.check_paths`` sees to.
        available: bool ``[P, J]``, whether each plane has a path for each demand.
        rule: which paths there are.
        budget: how many steps the searches may take; a demand for which they are not enough is taken on trust.

    Raises:
        CertificateError: a list is wrong; the message names the demand.
    """
    count, policy = rule.count, rule.policy
    lists = Lists(flow, paths, available, rule, Budget(budget))
    lists.refuse(lists.repeated, "lists a path twice")
    foreign = np.any((lists.number > 0) & ~lists.allowed, axis=0)
    lists.refuse(foreign, f"lists a path in a plane that the policy {policy!r} does not give it")
    judge = _JUDGES[rule.kind](lists)
    best = judge.best()
    lists.refuse(best == NO, judge.worse)
    expected = str(count)
    if rule.equal_cost:
        expected = f"{'all' if count == ALL else count} of the shortest"
    if policy == "round-robin":
        enough = _divided(lists, judge, count)
        lists.refuse(enough == NO, f"does not list {expected} paths divided over the planes that connect it")
    else:
        listed = lists.fold(np.add, lists.number)
        enough = np.where(listed > count, NO, judge.all(listed < count))[0]
        lists.refuse(enough == NO, f"does not list {expected} paths, although it has more than those listed")
    checked = int(np.count_nonzero(np.minimum(best, enough) == YES))
    return Completeness(checked, flow.demand_count - checked)


def _divided(lists: Lists, judge: Judge, count: int) -> Verdicts:
    """Return whether ``count`` paths are divided over the planes, the rest going round from the drawn one, ``[J]``."""
    planes = np.maximum(1, np.count_nonzero(lists.allowed, axis=0))
    turn = np.cumsum(lists.allowed, axis=0)
    first = np.take_along_axis(turn, lists.drawn[None, :], axis=0)
    expected = count // planes + ((turn - first) % planes < count % planes)
    # A plane may fall short of its part only if it has no more paths.
    right = np.where(lists.number > expected, NO, judge.all(lists.number < expected))
    verdict: Verdicts = np.where(lists.allowed, right, YES).min(axis=0).astype(np.int8)
    return verdict


_JUDGES: dict[PathKind, type[Judge]] = {
    PathKind.EqualCost: EqualCost,
    PathKind.KShortest: Shortest,
    PathKind.EdgeDisjoint: EdgeDisjoint,
}
