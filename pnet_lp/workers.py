"""Worker processes, whose results come in the order of the tasks."""

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
from pnet_lp.stdout import divert

T = TypeVar("T")
R = TypeVar("R")

_GRACE_S = 2.0
"""Seconds from SIGTERM to SIGKILL, to remove temporary files."""


def threads_each(threads: int, jobs: int) -> int:
    """Return the threads of each of ``jobs`` processes: the requested number, or for 0 its share of all cores."""
    if jobs == 1:
        return threads
    return threads or max(1, (os.cpu_count() or 1) // jobs)


def processor_seconds(root: Path = Path("/")) -> float:
    """Return the processor time of this process and of its children, in seconds.

    Children that are still running, as the processes of some solvers are, count only where there is ``/proc``.

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
    """Processes that are started for the first tasks and kept for more, as a context manager.

    If the caller is interrupted or stops early, or a task fails, the processes are terminated at once: a task must
    write its files completely or not at all.

    Args:
        count: number of processes; 1 for this one alone.
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
            tasks: its arguments; a single one is computed in this process.

        Raises:
            PnetError: a worker process was killed.
        """
        if self.count == 1 or len(tasks) < 2:
            yield from map(function, tasks)
            return
        call = functools.partial(_call, function)
        try:
            pool = self._started()
            with _sigint_blocked():
                futures = [pool.submit(call, task) for task in tasks]
            for future in futures:
                yield future.result()
        except BrokenProcessPool:
            raise PnetError("a worker process was killed, perhaps for lack of memory", allowed="fewer --jobs") from None
        except BaseException:
            # The pool itself would wait for running tasks.
            _terminate(set(multiprocessing.active_children()) - self._others)
            raise

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._others = set(multiprocessing.active_children())
            # Spawned, not forked: threads of solvers and their locks do not survive a fork.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_initialize)
        return self._pool


def map_in_order(function: Callable[[T], R], tasks: Sequence[T], workers: int) -> Generator[R]:
    """Yield ``function(task)`` for each task, in order, by up to ``workers`` processes; see :meth:`Workers.map`."""
    with Workers(min(workers, max(len(tasks), 1))) as found:
        yield from found.map(function, tasks)


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
