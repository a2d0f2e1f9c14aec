"""Runs an experiment's cases, on one process or several; each draw is stored as soon as it is done."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from pnet_lp.errors import naming
from pnet_lp.experiment.case import Case
from pnet_lp.experiment.manifest import code_identity
from pnet_lp.experiment.question import QUESTIONS
from pnet_lp.experiment.record import Draw, Record
from pnet_lp.experiment.spec import Experiment
from pnet_lp.experiment.store import Store
from pnet_lp.files import json_text
from pnet_lp.model.arrays import fingerprint
from pnet_lp.throughput import Progress
from pnet_lp.workers import map_in_order, threads_each

Watch: TypeAlias = Callable[[str], AbstractContextManager[Callable[[Progress], None] | None]]
"""Given what is solved, in words, returns a context manager around it whose value is its ``on_progress``."""


def _unwatched(_: str) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True)
class _Task:
    """One draw to answer."""

    question: str
    name: str
    case: Case
    index: int

    @property
    def words(self) -> str:
        """What is solved, for whoever watches."""
        if self.case.draws == 1:
            return self.name
        return f"{self.name}, draw {self.index + 1} of {self.case.draws}"


def run_experiment(
    experiment: Experiment,
    store: Store,
    *,
    resume: bool = True,
    jobs: int = 1,
    threads: int = 0,
    watch: Watch = _unwatched,
    on_draw: Callable[[Draw], None] | None = None,
    on_note: Callable[[str], None] | None = None,
) -> Iterator[Record]:
    """Yield the record of each case, in order.

    A draw that the store already holds, for the same settings, files and code, is not computed again.  An interrupted
    one is not stored.  Stored bytes, timings aside, depend on neither ``jobs`` nor ``threads``.

    Args:
        experiment: what to run.
        store: where the draws go.
        resume: whether to reuse stored draws.
        jobs: processes that solve draws at the same time.  Where it is more than 1, a script must call this below
            ``if __name__ == "__main__"``, since every process imports the script.
        threads: of each solve; 0 for all cores, divided among the jobs.
        watch: shows the progress of a solve; only where ``jobs`` is 1.
        on_draw: called with each draw, in order, as it is done.
        on_note: called with a sentence where a stored draw had been changed, or had lost its proof, and was computed
            again.

    Raises:
        KeyboardInterrupt: the user stopped the run; the draws done so far are stored.
        PnetError: a case cannot be built or solved.
    """
    store.write_manifest(experiment.model_dump(mode="json"))
    tasks = [
        _Task(experiment.question, name, case, index)
        for name, case in experiment.cases.items()
        for index in range(case.draws)
    ]
    threads = threads_each(threads, jobs)
    if jobs > 1:
        watch = _unwatched
    run = functools.partial(_run_draw, store=store, resume=resume, threads=threads, watch=watch)
    with closing(map_in_order(run, tasks, jobs)) as solved:
        for name, case in experiment.cases.items():
            draws = []
            for draw, note in islice(solved, case.draws):
                draws.append(draw)
                if note and on_note is not None:
                    on_note(note)
                if on_draw is not None:
                    on_draw(draw)
            yield Record(name, tuple(draws))


def _run_draw(task: _Task, *, store: Store, resume: bool, threads: int, watch: Watch) -> tuple[Draw, str]:
    """Return a draw, and what is to be said of it."""
    began = time.perf_counter()
    settings = task.case.draw_settings(task.index)
    with naming(task.name):
        posed = QUESTIONS.get(task.question).build(task.case, settings["seed"])
    identity = fingerprint(["draw/3", code_identity(), task.question, json_text(settings), *posed.inputs])
    stored = store.find(task.name, task.index, identity) if resume else None
    if isinstance(stored, Draw):
        return stored, ""
    with naming(task.name), watch(task.words) as on_progress:
        answer = posed.answer(threads, on_progress)
    if not answer.seconds:
        answer = replace(answer, seconds={"all": time.perf_counter() - began})
    draw = store.add(task.name, task.index, fingerprint=identity, settings=settings, answer=answer)
    return draw, f"{task.words}: {stored}; computed again" if stored else ""
