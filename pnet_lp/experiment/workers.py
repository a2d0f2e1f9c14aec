"""Work on several processes, whose results come in the order of the tasks whoever is done first."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from pnet_lp.errors import PnetError

T = TypeVar("T")
R = TypeVar("R")


def map_in_order(function: Callable[[T], R], tasks: Sequence[T], workers: int) -> Generator[R]:
    """Yield ``function(task)`` for each task, in order, computed by up to ``workers`` processes.

    If the caller is interrupted or stops early, or a task fails, the processes are ended at once: a task must leave
    its traces whole or not at all.

    Args:
        function: importable by name, as are its argument and result.
        tasks: what it is called with.
        workers: number of processes; 1 for none beside this one.

    Raises:
        PnetError: a process died.
    """
    if workers == 1 or len(tasks) < 2:
        yield from map(function, tasks)
        return
    others = set(multiprocessing.active_children())
    # Started afresh, not forked: threads of solvers and their locks do not survive a fork.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(tasks)), mp_context=context, initializer=_begin)
    try:
        for future in [pool.submit(function, task) for task in tasks]:
            yield future.result()
    except BrokenProcessPool:
        raise PnetError(
            "a worker process was ended from outside, perhaps for want of memory", allowed="fewer --jobs"
        ) from None
    except BaseException:
        # The pool itself would wait for tasks that have begun.
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Prepare a worker: it ends when its parent says so, or is no more."""
    # A terminal sends Ctrl-C to all processes; what to do about it is the parent's to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
