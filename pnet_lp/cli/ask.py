"""The command of a question, made from the model of its cases."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from pnet_lp import questions
from pnet_lp.charts.style import FigureStyle, styled
from pnet_lp.cli.command import BOUNDS_ONLY, OUTPUT, Command, CommandFamily, call_them, flags, given, json_option
from pnet_lp.cli.commands import OTHERS, plain_command
from pnet_lp.cli.completion import AXIS
from pnet_lp.cli.options import (
    axis_option,
    executor_options,
    option,
    plot_option,
    say,
    setting,
    table_option,
    threads_needing,
)
from pnet_lp.cli.output import Output, OutputFile, OutputFolder
from pnet_lp.cli.progress import progress_line, progress_option
from pnet_lp.cli.time_limit import ending_at
from pnet_lp.errors import PnetError, SpecError
from pnet_lp.flags import flag_of
from pnet_lp.interrupts import INTERRUPTED
from pnet_lp.progress import counted
from pnet_lp.questions.ask import ask
from pnet_lp.questions.base import QUESTIONS, Answer, Case, Posed, Run, Series, model_of, sibling
from pnet_lp.questions.shown import table as answer_table
from pnet_lp.registry import validate
from pnet_lp.tables import Columns, Document, from_rows


@dataclass(frozen=True)
class _Question:
    """A question by its name, and the name of the command that asks it."""

    name: str
    command: str

    @property
    def model(self) -> type[Case]:
        """The model of its cases."""
        return model_of(self.name)

    def module(self, name: str) -> ModuleType:
        """Return one of its modules: a question in one file has a single one."""
        return sibling(QUESTIONS.get(self.name).build.__module__, name)


def command_of(command: str) -> Command:
    """Return a command that asks a question, by its name, ``cost`` or ``cost speedup``.

    Raises:
        SpecError: there is no such question.
    """
    question = _Question(questions.commands().get(command, (command, ""))[0], command)
    series = {one.name: one for one in question.model.series}
    others = {name: one.summary for name, one in series.items() if name}
    known = {name: line for name, (_, line) in questions.commands().items()} | OTHERS
    prefix = f"{command} "
    others |= {name.removeprefix(prefix): line for name, line in known.items() if name.startswith(prefix)}

    def load(other: str) -> Command:
        if other in series:
            return _command(question, series[other], inline=False)
        return (plain_command if f"{command} {other}" in OTHERS else command_of)(f"{command} {other}")

    return _command(question, series.get(""), inline=True, others=others, load=load)


def _command(
    question: _Question,
    series: Series | None,
    *,
    inline: bool,
    others: Mapping[str, str] | None = None,
    load: Callable[[str], Command] | None = None,
) -> Command:
    """Return the command of a question, of a series beside it, or of both in one where it is ``inline``."""
    model = question.model
    name = question.command if inline or series is None else f"{question.command} {series.name}"
    shown = model if inline or series is None else series

    def call(**values: Any) -> None:
        for key, other in model.instead.items():
            if given([key]):
                _answer_instead(_Question(other, question.command), key, values)
                return
        axes = {key: values.pop(f"{AXIS}{key}") for key in series.axes} if series else {}
        several = any(len(found) > 1 or (found and key in values) for key, found in axes.items())
        if series and (several or not inline):
            known = flags(click.get_current_context())
            call_them({key: known[f"{AXIS}{key}"] for key in axes if f"{AXIS}{key}" in known}, instead=True)
            _answer_series(question, series, axes, values)
        else:
            _answer(question, values, {key: found[0] for key, found in axes.items() if found})

    for decorate in reversed(list(_options(model, series, inline=inline))):
        call = decorate(call)
    more: dict[str, Any] = {"others": others, "load": load} if others else {}
    make = click.command(
        name,
        cls=CommandFamily if others else Command,
        example=f"pnet-lp {name} {shown.example}",
        help=(series.help if series and not inline else "") or inspect.getdoc(model),
        **more,
    )
    made = make(call)
    assert isinstance(made, Command)
    return made


def _options(model: type[Case], series: Series | None, *, inline: bool) -> Iterator[Callable[..., Any]]:
    """Yield what adds the arguments and options of a model's keys, and those of how and where it is answered."""
    axes = series.axes if series else {}
    for key, flag in axes.items():
        yield axis_option(model, key, flag, f"{AXIS}{key}", default=series and series.defaults.get(key))
    for key, field in model.model_fields.items():
        # An axis takes the place of the option that has its name.
        taken = key in axes and (not inline or axes[key].name == flag_of(field.metadata).name)
        if (key != "draws" or model.pooled) and not taken:
            needs = flag_of(field.metadata).needs
            more = tuple(f"{AXIS}{name}" for name in needs if name in axes)
            yield setting(model, key, **({"needs": (*needs, *more)} if more else {}))
    if model.threads is not None:
        yield threads_needing(*model.threads)
    if model.jobs is not None:
        yield executor_options(*model.jobs)
    for key, output in model.outputs.items() if inline else ():
        yield option(
            f"--{key.replace('_', '-')}",
            key,
            heading=OUTPUT,
            type=OutputFolder() if output.folder else OutputFile(output.formats, suffixes=output.suffixes),
            help=output.help,
            excludes=output.excludes,
        )
    plot = model.plot or (series.plot if series else "")
    if plot:
        needs = () if model.plot or not inline else tuple(f"{AXIS}{key}" for key in axes)
        yield plot_option(plot, needs=needs)
    for key, other in model.instead.items() if inline else ():
        kind = model_of(other)
        yield setting(kind, key, excludes=tuple(model.outputs), default=None, show_default=False)
        yield executor_options(key)
        yield plot_option(kind.plot, needs=(key,))
    rows = series.rows if series and not inline else model.rows
    if rows:
        yield table_option(rows)
    if model.progress:
        yield progress_option
    yield json_option


def _answer_instead(question: _Question, key: str, values: dict[str, Any]) -> None:
    """Ask another question, which ``key`` is of; raise SpecError where a key is given that is not."""
    shown = {"as_json", "out", "plot", "threads", "executor"}
    for name in given(values):
        if name not in question.model.model_fields and name not in shown:
            raise SpecError(f"has no meaning with {key}", where=name, found=values[name])
    _answer(question, values, {})


def _answer(question: _Question, values: dict[str, Any], single: Mapping[str, Any]) -> None:
    """Ask, and write the answer; ``single`` are keys given by options that could have given several values."""
    places, how, keys = _split_values(question.model, values)
    case = _case(question, {**keys, **single}, places)

    said: dict[str, None] = {}

    def tell(warnings: Iterable[str]) -> None:
        say(warning for warning in dict.fromkeys(warnings) if warning not in said)
        said.update(dict.fromkeys(warnings))

    def prepare(posed: Posed) -> None:
        tell(posed.warnings)
        posed.prepare(places)

    with progress_line() as line, _without_argument_names(question.model):
        answer = _ask(question, case, Run(**how, on_progress=line, keep_partial=True, ending=ending_at), prepare)
    tell(answer.warnings)
    _emit(question, case, values, places, answer.to_json(), answer, code=_code(answer), said=said)


def _answer_series(
    question: _Question, series: Series, axes: Mapping[str, Sequence[Any]], values: dict[str, Any]
) -> None:
    """Ask for every combination of the values of the axes, and write all answers as one."""
    places, how, keys = _split_values(question.model, values)
    fixed = {**{key: value for key, value in series.defaults.items() if key not in axes}, **keys}
    points = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    cases = [_case(question, {**fixed, **question.model.point(point)}, places) for point in points]
    warnings: dict[str, None] = {}
    with progress_line() as line, _without_argument_names(question.model):
        different = dict.fromkeys(cases)
        answered = (
            _ask(
                question,
                case,
                Run(**how, on_progress=line),
                lambda posed: warnings.update(dict.fromkeys(posed.warnings)),
            )
            for case in different
        )
        found = dict(zip(different, counted(answered, len(different), "cases done", line), strict=True))
    say(warnings)
    answers = [found[case] for case in cases]
    name = series.name or "series"
    document = getattr(question.module("answer"), name)(points, answers)
    code = max(map(_code, answers))
    _emit(question, cases[0], values, places, document, document, answers, code=code, prefix=f"{name}_")


def _emit(
    question: _Question,
    case: Case,
    values: Mapping[str, Any],
    places: Mapping[str, Path],
    document: Document,
    *shown: Any,
    code: int,
    prefix: str = "",
    said: Container[str] = (),
) -> None:
    """Print a document and write files of what is ``shown``, by the functions of the question's words.

    Lines to read do without the warnings that were ``said``.
    """
    words, title = question.module("words"), _title(case)

    def table() -> Columns:
        if not prefix:
            return answer_table(shown[-1])
        if hasattr(words, f"{prefix}table"):
            found: Columns = getattr(words, f"{prefix}table")(*shown)
            return found
        return from_rows(document[shown[-1][0].rows_at])

    writers = {key: getattr(words, f"write_{key}", None) for key in question.model.outputs}
    files = [(places.get(key), partial(write, shown[-1])) for key, write in writers.items() if write]

    def plot(path: Path) -> None:
        with styled(values.get("figure_style", FigureStyle())):
            getattr(words, f"write_{prefix}plot")(*shown, title, path)

    Output(values["as_json"], places.get("out")).emit(
        document,
        lambda: getattr(words, f"{prefix}report")(_without_warnings(document, said)),
        table=table,
        files=[(places.get("plot"), plot), *files],
        code=code,
    )


def _without_warnings(document: Document, said: Container[str]) -> Document:
    """Return a document, and those in it, without the warnings that were ``said``."""
    return {
        key: [warning for warning in value if warning not in said]
        if key == "warnings"
        else _without_warnings(value, said)
        if isinstance(value, dict)
        else value
        for key, value in document.items()
    }


def _code(answer: Answer) -> int:
    """Return the exit code that an answer stands for."""
    return INTERRUPTED if answer.interrupted else BOUNDS_ONLY if answer.partial else 0


def _ask(question: _Question, case: Case, run: Run, on_posed: Callable[[Posed], None]) -> Answer:
    deadline = case.deadline()

    def begin(posed: Posed) -> None:
        with ending_at(deadline, "writing files"):
            on_posed(posed)

    return ask(question.name, case, replace(run, deadline=deadline), on_posed=begin)


def _split_values(
    model: type[Case], values: Mapping[str, Any]
) -> tuple[dict[str, Path], dict[str, Any], dict[str, Any]]:
    """Return the files to write, how to answer, and the keys of the case, of the parameters of a command."""
    places = {key: values[key] for key in (*model.outputs, "plot", "out") if values.get(key) is not None}
    how = {key: values[key] for key in ("threads", "executor") if key in values}
    return places, how, {key: values[key] for key in given(model.model_fields) if key in values}


def _case(question: _Question, keys: Mapping[str, Any], places: Mapping[str, Path]) -> Case:
    with _without_argument_names(question.model):
        case = validate(question.model, keys)
        case.check_alone()
    if places and (check := getattr(question.module("words"), "check_places", None)):
        check(case, places)
    return case


@contextmanager
def _without_argument_names(model: type[Case]) -> Iterator[None]:
    """Do not call arguments by name in errors of the block: in the command line they have none."""
    names = {key for key, field in model.model_fields.items() if flag_of(field.metadata).argument}
    try:
        yield
    except PnetError as error:
        place, _, rest = (error.where or "").partition(": ")
        if place not in names:
            raise
        shown = type(error)(error.problem, where=rest, found=error.found, allowed=error.allowed)
        raise shown from error


def _title(case: Case) -> str:
    """Return what a chart of a case is called."""
    names = [key for key, field in type(case).model_fields.items() if flag_of(field.metadata).argument]
    return ", ".join(str(case.cell(key)).replace(" + ", ", ") for key in names)
