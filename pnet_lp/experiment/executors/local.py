"""Processes of this machine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import TypeVar

from pnet_lp.experiment.executor import EXECUTORS, Executor
from pnet_lp.registry import NoParams, Params
from pnet_lp.workers import map_in_order, threads_each

T = TypeVar("T")
R = TypeVar("R")


@EXECUTORS.register("local", summary="processes of this machine, as many as --jobs says")
class Local(Executor):
    """See :class:`Executor`; without ``jobs`` there is no process beside this one."""

    shares_files = True

    def __init__(self, params: Params, jobs: int | None) -> None:
        assert isinstance(params, NoParams)
        self._jobs = jobs or 1

    @property
    def processes(self) -> int:
        """See :attr:`Executor.processes`."""
        return self._jobs

    @property
    def alone(self) -> bool:
        """See :attr:`Executor.alone`."""
        return self._jobs == 1

    def threads(self, requested: int) -> int:
        """See :meth:`Executor.threads`: all cores, divided among the jobs."""
        return threads_each(requested, self._jobs)

    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> Generator[tuple[int, R]]:
        """See :meth:`Executor.run`."""
        with closing(map_in_order(function, tasks, self._jobs)) as found:
            yield from enumerate(found)
