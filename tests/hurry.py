"""Solve as if there were no time: what is proved then is one tree and one cut, or one path of each demand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pnet_lp.errors import TimeLimitError
from pnet_lp.throughput.problems import ArcProblem, PathProblem
from pnet_lp.throughput.problems.splits import SplitProblem

NO_TIME_S = 1e-5
"""The time limit to solve with."""


@contextmanager
def no_time() -> Iterator[None]:
    """Let the machine be as busy as it is, and what takes long not be done in time."""
    whole = PathProblem.of.__func__  # type: ignore[attr-defined]

    def one_path(cls: type[PathProblem], flow: Any, network: Any, level: Any, routing: Any, threads: int = 0) -> Any:
        if routing.expression not in {"ksp:1", "ecmp"}:
            raise TimeLimitError("over")
        return whole(cls, flow, network, level, routing, threads)

    def late(_: SplitProblem) -> None:
        raise TimeLimitError("over")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pnet_lp.deadline.GRACE_S", 600.0)
        patch.setattr(ArcProblem, "first_bounds_s", 1e9)
        patch.setattr(PathProblem, "of", classmethod(one_path))
        patch.setattr(SplitProblem, "usage", property(late))
        yield
