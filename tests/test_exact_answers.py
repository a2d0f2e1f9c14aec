"""Every printed interval holds the exact optimum; `exact_answers.py` asks many more questions.

``PNET_LP_EXACT`` sets how many are asked; the default is a sample.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pnet_lp.throughput import solve

from .exact_answers import answered, question

COUNT = int(os.environ.get("PNET_LP_EXACT", "100"))
PARTS = 2


@pytest.mark.parametrize("part", range(PARTS))
def test_every_interval_holds_the_truth(part: int, tmp_path: Path) -> None:
    answers = 0
    for outcome in answered(range(part, COUNT, PARTS), tmp_path):
        assert not outcome.faults, (outcome.number, str(outcome.question), outcome.faults)
        answers += not outcome.error
    assert answers > 0.8 * COUNT / PARTS


@pytest.mark.parametrize("number", [506, 2132, 100298, 103047, 213189, 515743])
def test_questions_once_answered_so_that_verify_refused(number: int, tmp_path: Path) -> None:
    """Numbers far apart; switches that do not reach the destination; a level without a bound; a plane for each pair; a
    sum of loads that is no double.
    """
    (outcome,) = answered(range(number, number + 1), tmp_path)
    assert not outcome.error
    assert not outcome.faults, (str(outcome.question), outcome.faults)


@pytest.mark.parametrize("number", [20130, 20235, 20438, 20602, 502578, 506754, 511282])
def test_what_solvers_give_up_has_bounds(number: int, tmp_path: Path) -> None:
    """Capacities far apart: a K to carry that is between the bounds, three fair rates without a first level, and a
    demand that is infinite to HiGHS.
    """
    (outcome,) = answered(range(number, number + 1), tmp_path)
    assert outcome.status in {"bounds", "certified"}, outcome.error
    assert not outcome.faults, (str(outcome.question), outcome.faults)


@pytest.mark.parametrize("number", [65, 97, 171, 188, 196, 252, 268, 383])
def test_capacities_far_apart_are_certified_all_the_same(number: int) -> None:
    """First-order steps come to a standstill there, and end; an interior point does not see small capacities."""
    requested, exact = question(number)
    of_rule: dict[str, Any] = {"plane_policy": requested.rule["policy"], "seed": requested.rule["seed"]}
    given = of_rule | {"routing": requested.routing, "tolerance": requested.tolerance, "threads": 1}
    alone = solve(requested.network, requested.traffic, solver="structured", max_iterations=200_000, **given)
    assert alone.iterations < 100_000
    found = solve(requested.network, requested.traffic, **given)
    assert found.status == "certified"
    assert found.interval.lower <= exact.concurrent() <= found.interval.upper
