"""The seam to the Rust core: kinds are members of enums, errors of all its modules are one exception."""

from __future__ import annotations

import itertools
import pickle
import subprocess
import sys
from typing import Any, get_args

import numpy as np
import pytest

from pnet_lp import _core
from pnet_lp.model.paths import Policy
from pnet_lp.routing.searches import CORE_POLICIES

from .conftest import PATIENCE_S
from .core_faults import declared, examples


def ints(*values: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.array(values, dtype=np.int32)


def cable() -> _core.Planes:
    """A plane of two switches, a cable and an endpoint at each."""
    return _core.Planes(ints(2), ints(0, 2), ints(0, 1), ints(1, 0), ints(0, 1).reshape(1, 2))


def test_every_policy_has_its_member() -> None:
    assert set(CORE_POLICIES) == set(get_args(Policy))
    assert len(set(CORE_POLICIES.values())) == len(CORE_POLICIES)
    assert _core.Policy.Any == CORE_POLICIES["any"] != _core.Policy.Single


def test_a_kind_is_no_string() -> None:
    src, dst, limits = (ints(0), ints(1), {"policy": _core.Policy.Any, "seed": 0, "threads": 1, "limit_s": np.inf})
    found = _core.count_shortest(cable(), src, dst, **limits)
    assert found[0].tolist() == [[1]]
    with pytest.raises(TypeError, match="policy"):
        _core.count_shortest(cable(), src, dst, **{**limits, "policy": "any"})
    with pytest.raises(TypeError, match="kind"):
        _core.enumerate_paths(cable(), src, dst, kind="shortest", count=1, per_flow=False, **limits)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="split"):
        _core.split_loads(cable(), src, dst, np.ones(1), split="ecmp", **limits)  # type: ignore[arg-type]


def test_errors_pass_between_processes() -> None:
    with pytest.raises(_core.InvalidError) as caught:
        _core.Queue("drop-tail", packets=0.5)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is _core.InvalidError
    assert (again.place, again.problem, str(again)) == (caught.value.place, caught.value.problem, str(caught.value))


def test_errors_of_the_core_name_the_array() -> None:
    with pytest.raises(_core.CoreError, match=r"^tail: arcs are not sorted by tail$"):
        _core.Planes(ints(2), ints(0, 2), ints(1, 0), ints(0, 1), ints(0).reshape(1, 1))
    limits = {"policy": _core.Policy.Any, "seed": 0, "threads": 1, "limit_s": np.inf}
    with pytest.raises(_core.CoreError, match=r"^dst: 2 is not in 0\.\.2$"):
        _core.count_shortest(cable(), ints(0), ints(2), **limits)
    with pytest.raises(_core.CoreError, match=r"^demand: 2 entries for 1 pairs$"):
        _core.split_loads(cable(), ints(0), ints(1), np.ones(2), split=_core.Split.Ecmp, **limits)
    nothing = np.zeros((1, 2), dtype=bool)
    with pytest.raises(_core.CoreError, match=r"^size: 1 entries for 2 sites$"):
        _core.count_hops(cable(), ints(1), nothing, nothing, threads=1)
    with pytest.raises(_core.CoreError, match=r"^sites_down: 3 entries for 1 trials of 2$"):
        _core.count_hops(cable(), ints(1, 1), nothing, np.zeros((1, 3), dtype=bool), threads=1)
    offsets = np.array([-1, 1])
    with pytest.raises(_core.CoreError, match=r"^pair_ptr: -1 is negative$"):
        _core.PathProblem(np.ones(1), np.ones(1), offsets, offsets, ints(0))


def test_everything_declared_has_an_example_that_can_be_spoilt() -> None:
    assert examples().keys() == declared()


def test_no_argument_makes_the_core_panic_hang_or_die() -> None:
    """In a process of its own, which the worst of them would end."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.core_faults"], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    lines = done.stdout.splitlines()
    faults = [line for pair in itertools.pairwise(lines) for line in pair if pair[1][:6] == "fault:"]
    assert (done.returncode, faults, lines[-1:]) == (0, [], ["done"]), (lines[-2:], done.stderr[-2000:])
