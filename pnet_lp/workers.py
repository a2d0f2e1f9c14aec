"""Work on several processes, whose results come in the order of the tasks whoever is done first."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Self, TypeVar

from pnet_lp.errors import PnetError

T = TypeVar("T")
R = TypeVar("R")

_PATIENCE_S = 2.0
"""How long a process that is told to end may take to tidy up."""


def threads_each(threads: int, jobs: int) -> int:
    """Return how many threads each of ``jobs`` processes has: those asked for, or for 0 its part of all cores."""
    if jobs == 1:
        return threads
    return threads or max(1, (os.cpu_count() or 1) // jobs)


def processor_seconds(root: Path = Path("/")) -> float:
    """Return the processor time of this process and of those that it has started.

    Those that go on, as the processes of some solvers do, count before they end only where the system tells of them.

    Args:
        root: where ``proc`` is mounted.
    """
    ticks = 0
    for listed in (root / "proc/self/task").glob("*/children"):
        with suppress(OSError):  # gone meanwhile
            for pid in listed.read_text().split():
                with suppress(OSError):
                    # After the name: user and system time, then those of its own children.
                    fields = (root / "proc" / pid / "stat").read_text().rpartition(")")[2].split()
                    ticks += sum(map(int, fields[11:15]))
    # Small draws take less than a tick, in which the system counts other processes.
    others = ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0
    return time.process_time() + sum(os.times()[2:4]) + others


class Workers:
    """Processes that are started for the first tasks and stay for more, as a context.

    If the caller is interrupted or stops early, or a task fails, the processes are ended at once: a task must leave
    its traces whole or not at all.

    Args:
        count: number of processes; 1 for none beside this one.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: ProcessPoolExecutor | None = None
        self._others = set[BaseProcess]()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def map(self, function: Callable[[T], R], tasks: Sequence[T]) -> Generator[R]:
        """Yield ``function(task)`` for each task, in order.

        Args:
            function: importable by name, as are its argument and result.
            tasks: what it is called with; a single one is computed here.

        Raises:
            PnetError: a process died.
        """
        if self.count == 1 or len(tasks) < 2:
            yield from map(function, tasks)
            return
        call = functools.partial(_call, function)
        try:
            pool = self._started()
            with _deaf():
                futures = [pool.submit(call, task) for task in tasks]
            for future in futures:
                yield future.result()
        except BrokenProcessPool:
            raise PnetError(
                "a worker process was ended from outside, perhaps for want of memory", allowed="fewer --jobs"
            ) from None
        except BaseException:
            # The pool itself would wait for tasks that have begun.
            _end(set(multiprocessing.active_children()) - self._others)
            raise

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._others = set(multiprocessing.active_children())
            # Started afresh, not forked: threads of solvers and their locks do not survive a fork.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_begin)
        return self._pool


def map_in_order(function: Callable[[T], R], tasks: Sequence[T], workers: int) -> Generator[R]:
    """Yield ``function(task)`` for each task, in order, by up to ``workers`` processes; see :meth:`Workers.map`."""
    with Workers(min(workers, max(len(tasks), 1))) as found:
        yield from found.map(function, tasks)


@contextmanager
def _deaf() -> Iterator[None]:
    """Have processes that start in the block begin deaf to Ctrl-C, which comes here when the block has ended."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(processes: set[BaseProcess]) -> None:
    """End processes: those that do not when told to, by force."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(_PATIENCE_S)
        if process.is_alive():
            process.kill()


class _Ended(SystemExit):
    """The parent has told this worker to end."""


def _begin() -> None:
    """Prepare a worker: it ends when its parent says so, or is no more."""
    # A terminal sends Ctrl-C to all processes; what to do about it is the parent's to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Last: the pool prints whatever is raised before this function has returned.
    signal.signal(signal.SIGTERM, _told_to_end)


def _told_to_end(_signal: int, _frame: FrameType | None) -> None:
    # As an exception, so that half-written files are removed on the way out.
    raise _Ended(1)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _call(function: Callable[[T], R], task: T) -> R:
    try:
        return function(task)
    except (_Ended, KeyboardInterrupt):
        # The pool would go on to the next task.
        os._exit(1)
