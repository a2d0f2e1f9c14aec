"""``max-min`` by column generation: the rates of HiGHS, proofs that hold, the same bits again."""

from pathlib import Path

import numpy as np
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file

from .conftest import case_of

Case = tuple[Network, TrafficMatrix]


@pytest.mark.parametrize(
    ("case", "routing"),
    [
        # Seven levels; two planes, whose flows add up; access links; many levels in a tree; lists of paths.
        (case_of("jellyfish:k=4", "permutation"), "ideal"),
        (case_of("jellyfish:k=4", "random:flows=2", planes=2), "ideal"),
        (case_of("jellyfish:k=4", "permutation", "host"), "ideal"),
        (case_of("fat-tree:k=4", "random:flows=2"), "ideal"),
        (case_of("jellyfish:k=4", "random:flows=2", planes=2), "ksp:3"),
        (case_of("jellyfish:k=4", "permutation", "host"), "ksp:4"),
        (case_of("torus:dims=3x3", "random:flows=2"), "ecmp-lp"),
    ],
)
def test_rates_are_those_of_highs(tmp_path: Path, case: Case, routing: str) -> None:
    ours = solve(*case, objective="max-min", routing=routing, solver="columns", tolerance=1e-3)
    theirs = solve(*case, objective="max-min", routing=routing, solver="highs-ipx", tolerance=1e-3)
    assert (ours.status, ours.solver) == ("certified", "columns")
    assert ours.rates_gbps == pytest.approx(theirs.rates_gbps, rel=2e-3)
    save_result(path := tmp_path / "a.json", *case, ours)
    assert verify_file(path).figures["relative_gap"] <= 1e-3


@pytest.mark.parametrize("routing", ["ideal", "ksp:3"])
def test_the_number_of_threads_changes_no_bit(routing: str) -> None:
    case = case_of("jellyfish:k=4", "random:flows=2")
    one, two = (solve(*case, objective="max-min", routing=routing, solver="columns", threads=n) for n in (1, 2))
    assert np.array_equal(one.rates_gbps, two.rates_gbps)
    assert one.levels[0].upper == two.levels[0].upper


@pytest.mark.parametrize("routing", ["ideal", "ksp:3"])
def test_a_limit_leaves_what_is_proved(tmp_path: Path, routing: str) -> None:
    case = case_of("jellyfish:k=4", "permutation")
    found = solve(*case, objective="max-min", routing=routing, solver="columns", time_limit_s=1e-9)
    assert found.status == "bounds"
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] == pytest.approx(found.figures["relative_gap"])


def test_caps_need_another_solver() -> None:
    with pytest.raises(SpecError, match="maximises K only"):
        solve(*case_of("jellyfish:k=4", "permutation"), objective="max-min:cap=demand", solver="columns")
