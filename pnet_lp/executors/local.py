"""Processes of this machine."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from multiprocessing.util import Finalize
from types import FrameType
from typing import TypeVar

from pnet_lp.errors import PnetError
from pnet_lp.executors.base import EXECUTORS, Executor
from pnet_lp.registry import NoParams, Params
from pnet_lp.stdout import divert
from pnet_lp.threads import threads_each

T = TypeVar("T")
R = TypeVar("R")

_GRACE_S = 2.0
"""Seconds from SIGTERM to SIGKILL, to remove temporary files."""


@EXECUTORS.register("local", summary="processes of this machine, as many as --jobs says")
class Local(Executor):
    """See :class:`Executor`; without ``jobs`` there is no process beside this one.

    If the caller is interrupted or stops early, or a task fails, the processes are terminated at once: a task must
    write its files completely or not at all.
    """

    shares_files = True

    def __init__(self, params: Params, jobs: int | None) -> None:
        assert isinstance(params, NoParams)
        self._jobs = jobs or 1
        self._pool: ProcessPoolExecutor | None = None
        self._others = set[BaseProcess]()

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

    def close(self) -> None:
        """See :meth:`Executor.close`."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> Generator[tuple[int, R]]:
        """See :meth:`Executor.run`; results come in order, a single one from this process."""
        if self.alone or len(tasks) < 2:
            yield from enumerate(map(function, tasks))
            return
        call = functools.partial(_call, function)
        with self:
            try:
                pool = self._started()
                with _sigint_blocked():
                    futures = [pool.submit(call, task) for task in tasks]
                for i, future in enumerate(futures):
                    yield i, future.result()
            except BrokenProcessPool:
                raise PnetError(
                    "a worker process was killed, perhaps for lack of memory", allowed="fewer --jobs"
                ) from None
            except BaseException:
                # The pool itself would wait for running tasks.
                _terminate(set(multiprocessing.active_children()) - self._others)
                raise

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._others = set(multiprocessing.active_children())
            # Spawned, not forked: threads of solvers and their locks do not survive a fork.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._jobs, mp_context=context, initializer=_initialize)
        return self._pool


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Block SIGINT, which processes started in the block inherit; here it is delivered at the end of the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _terminate(processes: set[BaseProcess]) -> None:
    """Terminate processes, and kill those that are still running after the grace period."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(_GRACE_S)
        if process.is_alive():
            process.kill()


class _Terminated(SystemExit):
    """The parent has terminated this worker."""


def _initialize() -> None:
    """Prepare a worker: it prints nothing to standard output, and ends when its parent terminates it, or is gone."""
    divert()
    # A terminal sends Ctrl-C to all processes, and the parent decides what to do about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # While it exits, all is written, and it ends anyway.
    Finalize(None, signal.signal, (signal.SIGTERM, signal.SIG_IGN), exitpriority=0)
    # Last: the pool prints whatever is raised before this function has returned.
    signal.signal(signal.SIGTERM, _on_terminate)


def _on_terminate(_signal: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code is _initialize.__code__:
            # Nothing is half-written yet.
            os._exit(1)
        frame = frame.f_back
    # As an exception, so that half-written files are removed.
    raise _Terminated(1)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _call(function: Callable[[T], R], task: T) -> R:
    try:
        return function(task)
    except (_Terminated, KeyboardInterrupt):
        # Or the pool would continue with the next task.
        os._exit(1)
