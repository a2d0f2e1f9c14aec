"""Asks a question once, for a command or a Python call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial

from pnet_lp.executors.base import this_machine
from pnet_lp.progress import counted
from pnet_lp.questions.base import QUESTIONS, Answer, Case, Posed, ProgressStep, Run
from pnet_lp.questions.keys import NOTHING_BUILT, Built


def ask(
    question: str,
    case: Case,
    run: Run,
    *,
    built: Built = NOTHING_BUILT,
    on_posed: Callable[[Posed], None] = lambda _: None,
) -> Answer:
    """Return the answer to a case; where its draws are pooled, to all of them together.

    Args:
        question: its name.
        case: an instance of its model.
        run: how it is answered.
        built: a network or demands given as values instead of names, the same for every draw.
        on_posed: called before answering.

    Raises:
        PnetError: the case cannot be built or answered.
        KeyboardInterrupt: the user stopped it before there was a partial answer.
    """
    given = () if built is NOTHING_BUILT else (built,)
    if case.draws == 1:
        with run.ending(run.deadline or case.deadline(), "building the network and its demands"):
            posed = QUESTIONS.get(question).build(case, case.seed, *given)
        on_posed(posed)
        return posed.answer(run)
    return _pooled(question, case, given, run)


def _pooled(question: str, case: Case, given: tuple[Built, ...], run: Run) -> Answer:
    """Return one answer of all draws; those done where Ctrl-C stops it and part of an answer is wanted."""
    where = run.executor
    each = replace(
        run,
        executor=this_machine(),
        jobs=min(where.sharing, case.draws),
        kept=case.draws,
        threads=where.threads(run.threads),
        keep_partial=False,
        # A function that reports cannot go to another process.
        on_progress=run.on_progress if where.alone else None,
    )
    answers: list[Answer] = []
    draws = where.map(partial(_draw, question, case, given, each), range(case.draws))
    stopped = False
    try:
        with closing(draws):
            for answer in counted(draws, case.draws, "draws done", run.on_progress):
                answers.append(answer)  # noqa: PERF402 - those done stay where Ctrl-C stops it
    except KeyboardInterrupt:
        if not (answers and run.keep_partial):
            raise
        stopped = True
    return type(answers[0]).pooled(answers, stopped=stopped)


def _draw(question: str, case: Case, given: tuple[Built, ...], run: Run, index: int) -> Answer:
    if run.on_progress is not None:
        report, label = run.on_progress, f"draw {index + 1} of {case.draws}"
        run = replace(run, on_progress=lambda progress: report(ProgressStep(label, progress)))
    return QUESTIONS.get(question).build(case, case.draw_seed(index), *given).answer(run)
