"""Mutated files give a network, a matrix, or one sentence; `tests/fuzz.py` tries many more."""

import random

import pytest

from .fuzz import readers, tried

READERS = readers()
BY_PACKAGES = {"network lstopo", "network nccl", "network netgraph"}
"""Of other packages, which take 20 ms for a small file."""


@pytest.mark.parametrize("name", READERS)
def test_mutated_files_are_read_or_refused(name: str) -> None:
    rng = random.Random(f"sample of {name}")
    outcomes = [tried(READERS[name](rng)) for _ in range(40 if name in BY_PACKAGES else 400)]
    faults = [error for error in outcomes if error]
    assert 0 < len(faults) < len(outcomes)
    for error in faults:
        assert error.exit_code == 2
        assert str(error).startswith("f")
        assert "\n" not in str(error)
