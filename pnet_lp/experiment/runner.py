"""Runs an experiment's cases, on one process, several or a cluster; each draw is stored as soon as it is done."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pnet_lp.errors import naming
from pnet_lp.executors.base import Executor, in_order, this_machine
from pnet_lp.experiment.record import Draw, Record, RecordedAnswer, Spent
from pnet_lp.experiment.spec import Experiment
from pnet_lp.experiment.store import Parcel, Store
from pnet_lp.files import json_text
from pnet_lp.manifest import code_identity
from pnet_lp.memory import peak_bytes, reset_peak
from pnet_lp.model.arrays import fingerprint
from pnet_lp.questions.base import QUESTIONS, Case, Posed, ProgressCallback, Run
from pnet_lp.scratch import ScratchFolder
from pnet_lp.threads import check_threads, processor_seconds

T = TypeVar("T")

ProgressDisplay: TypeAlias = Callable[[str], AbstractContextManager[ProgressCallback]]
"""Takes the name of a draw; returns a context manager whose value is the ``on_progress`` of its answer."""


def _unwatched(_: str) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True)
class _Task:
    """One draw to answer."""

    question: str
    name: str
    case: Case
    index: int
    threads: int

    def note(self, old: str | Draw | None) -> str:
        """Return a note if the stored draw was changed; else an empty string."""
        return f"{self.words}: {old}; computed again" if isinstance(old, str) else ""

    @property
    def words(self) -> str:
        """Name of the draw in progress messages."""
        if self.case.draws == 1:
            return self.name
        return f"{self.name}, draw {self.index + 1} of {self.case.draws}"


@dataclass(frozen=True)
class Shard:
    """One of several parts of the draws of an experiment, each computed by itself.

    Attributes:
        number: which, from 1.
        count: how many there are.
    """

    number: int
    count: int

    def of(self, draws: Sequence[T]) -> Sequence[T]:
        """Return every ``count``-th draw, so that each case is in each shard."""
        return draws[self.number - 1 :: self.count]


def run_experiment(
    experiment: Experiment,
    store: Store,
    *,
    resume: bool = True,
    jobs: int = 1,
    executor: Executor | None = None,
    threads: int = 0,
    watch: ProgressDisplay = _unwatched,
    on_draw: Callable[[Draw], None] | None = None,
    on_note: Callable[[str], None] | None = None,
) -> Iterator[Record]:
    """Yield the record of each case, in order.

    A draw that the store already holds, for the same settings, files and code, is not computed again.  An interrupted
    one is not stored.  Stored bytes, timings aside, depend on none of ``jobs``, ``executor``, ``threads``.

    Args:
        experiment: what to run.
        store: where the draws go.
        resume: whether to reuse stored draws.
        jobs: processes of this machine that solve draws at the same time.  Where it is more than 1, a script must
            call this below ``if __name__ == "__main__"``, since every process imports the script.
        executor: who solves them; None for processes of this machine.
        threads: of each solve; 0 for all cores, divided among the jobs; on a cluster for one.
        watch: shows the progress of a solve; only where they are solved one after the other in this process.
        on_draw: called with each draw, in order, as it is done.
        on_note: called with a sentence if a stored draw was changed, or lost its proof, and is computed again.

    Raises:
        KeyboardInterrupt: the user stopped the run; the draws done so far are stored.
        PnetError: a case cannot be built or solved.
    """
    check_threads(threads, jobs)
    where = executor or this_machine(jobs)
    manifest = store.begin(experiment.model_dump(mode="json"))
    tasks = _tasks(experiment, where.threads(threads))
    records = []
    with closing(in_order(_stored(where, tasks, store, resume, watch if where.alone else _unwatched))) as answered:
        for name, case in experiment.cases.items():
            draws = []
            for draw, note in islice(answered, case.draws):
                draws.append(draw)
                if note and on_note is not None:
                    on_note(note)
                if on_draw is not None:
                    on_draw(draw)
            records.append(Record(name, tuple(draws)))
            yield records[-1]
    store.finish(manifest, records)


def run_shard(
    experiment: Experiment,
    store: Store,
    shard: Shard,
    *,
    resume: bool = True,
    executor: Executor,
    threads: int = 0,
    watch: ProgressDisplay = _unwatched,
    on_note: Callable[[str], None],
) -> Iterator[Draw]:
    """Yield the draws of a shard, in order, each stored as by :func:`run_experiment`, which then finds them.

    Arguments and errors are those of :func:`run_experiment`.
    """
    check_threads(threads, executor.processes)
    store.begin(experiment.model_dump(mode="json"))
    tasks = shard.of(_tasks(experiment, executor.threads(threads)))
    with closing(
        in_order(_stored(executor, tasks, store, resume, watch if executor.alone else _unwatched))
    ) as answered:
        for draw, note in answered:
            if note:
                on_note(note)
            yield draw


def _tasks(experiment: Experiment, threads: int) -> list[_Task]:
    return [
        _Task(experiment.question, name, case, index, threads)
        for name, case in experiment.cases.items()
        for index in range(case.draws)
    ]


_Done: TypeAlias = tuple[Draw, str]
"""A stored draw and a note about it, or an empty string."""


def _stored(
    where: Executor, tasks: Sequence[_Task], store: Store, resume: bool, watch: ProgressDisplay
) -> Generator[tuple[int, _Done]]:
    """Yield the numbers of tasks with their draws, as they are stored."""
    if where.shares_files:
        here = functools.partial(_run_draw, store=store, resume=resume, watch=watch)
        yield from where.run(here, tasks)
        return
    known = [store.find(task.name, task.index, None) if resume else None for task in tasks]
    remote = [
        _RemoteTask(task, old.fingerprint if isinstance(old, Draw) else None)
        for task, old in zip(tasks, known, strict=True)
    ]
    for i, parcel in where.run(_run_elsewhere, remote):
        task, old = tasks[i], known[i]
        if parcel is None:
            assert isinstance(old, Draw)
            yield i, (old, "")
        else:
            yield i, (store.unpack(task.name, task.index, parcel), task.note(old))


def _run_draw(task: _Task, *, store: Store, resume: bool, watch: ProgressDisplay) -> _Done:
    """Answer a draw and store it, unless it is stored."""
    posed = _pose(task)
    old = store.find(task.name, task.index, posed.fingerprint) if resume else None
    if isinstance(old, Draw):
        return old, ""
    return store.add(*_answer(task, posed, watch)), task.note(old)


@dataclass(frozen=True)
class _RemoteTask:
    """A draw to answer on a machine without access to our files.

    Attributes:
        task: the draw.
        known: fingerprint of the stored draw, if any.
    """

    task: _Task
    known: str | None


def _run_elsewhere(remote: _RemoteTask) -> Parcel | None:
    """Return the files of a draw, or None if the stored ones are up to date."""
    task = remote.task
    posed = _pose(task)
    if posed.fingerprint == remote.known:
        return None
    scratch = ScratchFolder()
    try:
        store = Store(scratch.path)
        store.add(*_answer(task, posed, _unwatched))
        return store.pack(task.name, task.index)
    finally:
        scratch.remove()


@dataclass(frozen=True)
class _Posed:
    """A draw that is ready to be answered, with clock readings from before, and whether peak memory was reset."""

    fingerprint: str
    settings: dict[str, Any]
    posed: Posed
    began: float
    worked: float
    resets: bool


def _pose(task: _Task) -> _Posed:
    began, worked, resets = time.perf_counter(), processor_seconds(), reset_peak()
    settings = task.case.draw_settings(task.index)
    with naming(task.name):
        posed = QUESTIONS.get(task.question).build(task.case, settings["seed"])
    parts = ["draw/5", code_identity(), task.question, json_text(settings), *posed.inputs]
    return _Posed(fingerprint(parts), settings, posed, began, worked, resets)


def _answer(task: _Task, posed: _Posed, watch: ProgressDisplay) -> tuple[Draw, Callable[[Path], object] | None]:
    """Return a draw and the function that writes its proof."""
    with naming(task.name), watch(task.words) as on_progress:
        answer = posed.posed.answer(Run(task.threads, on_progress=on_progress))
    seconds = time.perf_counter() - posed.began
    stored = RecordedAnswer.of(answer)
    if not stored.seconds:
        stored = replace(stored, seconds={"all": seconds})
    spent = Spent(seconds, peak_bytes() if posed.resets else None, processor_seconds() - posed.worked)
    draw = Draw(task.name, task.index, posed.fingerprint, posed.settings, stored, spent)
    return draw, answer.save
