"""Solve as if lists of shortest paths were always long: flows are stated by destination."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def unlisted() -> Iterator[None]:
    """Let no list of shortest paths be short enough."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pnet_lp.throughput.problems.shortest._LISTED", -1)
        patch.setattr("pnet_lp.throughput.problems.shortest._PER_ARC", -1.0)
        yield
