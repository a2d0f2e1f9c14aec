"""Options of ``sweep`` that make an experiment out of options of other commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click

from pnet_lp.cli.command import call_them
from pnet_lp.cli.options import grouped, option
from pnet_lp.errors import SpecError, naming
from pnet_lp.experiment.axes import (
    GUESSED,
    axis_values,
    is_flag,
    key_of,
    keys_of,
    question_of,
    spec_value,
    split_values,
    takes_several,
)
from pnet_lp.experiment.finished import is_experiment
from pnet_lp.experiment.record import Spread
from pnet_lp.experiment.spec import SPEC_FILE
from pnet_lp.experiment.varied import spec_text, varied_spec
from pnet_lp.questions.base import QUESTIONS
from pnet_lp.writing import naming_output, write_text

PERCENT = "percent"

_WHAT = ("topology", "architecture")
"""Keys that are arguments, not options."""


@dataclass(frozen=True)
class Varying:
    """What varies, and how it is shown."""

    vary: tuple[str, ...]
    question: str | None
    baseline: tuple[str, ...]
    facet: str | None
    unit: str | None
    column: str | None
    spread: Spread | None
    write_spec: Path | None

    def spec(self, words: Sequence[str], *, draws: int | None, seed: int | None) -> dict[str, Any]:
        """Return the spec that the command line stands for.

        Args:
            words: TOPOLOGIES, or an ARCHITECTURE, and options of other commands with their values.
            draws: as of the option.
            seed: as of the option.

        Raises:
            SpecError, UsageError: a word, a key or a value that means nothing.
        """
        if self.question is not None:
            with naming("question"):
                QUESTIONS.get(self.question)
        places, options = _split_words(words, (self.question,) if self.question else GUESSED)
        pairs = [_pair(text, "vary") for text in self.vary]
        question = self.question or question_of([name for name, _ in (*pairs, *options)])
        call_them({key: f"--{key.replace('_', '-')}" for key in keys_of(question) if key not in _WHAT})
        axes: dict[str, list[Any]] = {}
        for name, text in pairs:
            with naming("vary"):
                key = key_of(name, question)
                if key in axes:
                    raise SpecError("varies twice", where=key, allowed="all values in one list")
                axes[key] = axis_values(key, text, question)
        fixed = _fixed(options, question) | _argument_key(places, question, axes)
        fixed |= {key: value for key, value in (("draws", draws), ("seed", seed)) if value is not None}
        base = {}
        for name, text in (_pair(text, "baseline") for text in self.baseline):
            with naming("baseline"):
                key = key_of(name, question)
                base[key], *others = axis_values(key, text, question)
                if others:
                    raise SpecError("several values", where=key, found=text, allowed="one")
        percent = None if self.unit is None or not (base or self.unit == PERCENT) else self.unit == PERCENT
        facet = None if self.facet is None else key_of(self.facet, question)
        return varied_spec(
            question, fixed, axes, baseline=base, facet=facet, percent=percent, column=self.column, spread=self.spread
        )

    def written(self, spec: Mapping[str, Any]) -> Path:
        """Write the spec where ``--write-spec`` says, and return the folder.

        Raises:
            SpecError: the file is there already, or its name is that of no spec.
            OutputError: it cannot be written.
        """
        assert self.write_spec is not None
        file = self.write_spec if self.write_spec.suffix else self.write_spec / SPEC_FILE
        if file.name != SPEC_FILE:
            raise SpecError(f"a spec is called {SPEC_FILE}", where="write_spec", found=str(file), allowed="its folder")
        if file.exists():
            raise SpecError("there is a spec already", where="write_spec", found=str(file))
        with naming_output(file.parent):
            file.parent.mkdir(parents=True, exist_ok=True)
        write_text(file, spec_text(spec))
        return file.parent


VARYING = "Varying options"
"""Heading of the options of a sweep that no spec describes."""

vary_options = grouped(
    "varying",
    Varying,
    option(
        "--vary",
        multiple=True,
        metavar="KEY=V,V,...",
        heading=VARYING,
        excludes=("every", "size"),
        help="Answer for each value of an option of `throughput`, `hops`, `cost` or `simulate`; may be repeated, for "
        "all combinations. A comma ends a value, unless a parameter follows (jellyfish:k=8,seed=1) or within double "
        "quotes.",
    ),
    option(
        "--question",
        heading=VARYING,
        needs=("vary",),
        listed=QUESTIONS.names,
        help=f"What is asked: {{}}.  [default: the first of {', '.join(GUESSED)} that has all options given]",
    ),
    option(
        "--baseline",
        multiple=True,
        metavar="KEY=V",
        heading=VARYING,
        needs=("vary",),
        help="Compare each case with the one that has this value and is otherwise equal; may be repeated.",
    ),
    option(
        "--facet",
        metavar="KEY",
        heading=VARYING,
        needs=("vary",),
        help="One panel of the chart for each value of this axis.",
    ),
    option(
        "--unit",
        metavar="UNIT",
        heading=VARYING,
        needs=("vary",),
        help="Unit of the chart: percent of the baseline, or that of the values: gbps, hops, usd, us.  [default: "
        "percent if there is a baseline]",
    ),
    option(
        "--column",
        heading=VARYING,
        needs=("vary",),
        help="Compare and plot this column of the table instead of the first.",
    ),
    option(
        "--spread",
        type=click.Choice(get_args(Spread)),
        heading=VARYING,
        needs=("vary",),
        help="What ± shows for several draws.  [default: standard-error]",
    ),
    option(
        "--write-spec",
        type=click.Path(path_type=Path),
        metavar="FOLDER",
        heading=VARYING,
        needs=("vary",),
        excludes=("out", "chart", "as_json", "results", "resume", "cases", "jobs", "executor", "threads"),
        help="Only write the spec.yaml of this sweep, for `pnet-lp sweep FOLDER`.",
    ),
)


def _split_words(words: Sequence[str], questions: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the arguments among words, and the options: pairs of a name and a value."""
    places: list[str] = []
    options: list[tuple[str, str]] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("-"):
            places.append(word)
        elif not word.startswith("--") or not name:
            raise click.NoSuchOption(word, ctx=click.get_current_context())
        elif equals:
            options.append((name, value))
        else:
            options.append((name, "true" if is_flag(name, questions) else _value(name, rest)))
    return places, options


def _value(name: str, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None or value.startswith("--"):
        raise click.UsageError(f"--{name} needs a value", click.get_current_context())
    return value


def _pair(text: str, option: str) -> tuple[str, str]:
    key, equals, values = text.partition("=")
    if not (key and equals and values):
        raise SpecError("not KEY=VALUE", where=option, found=text, allowed="such as planes=1")
    return key.strip(), values


def _fixed(options: Sequence[tuple[str, str]], question: str) -> dict[str, Any]:
    """Return the keys that options set."""
    fixed: dict[str, Any] = {}
    for name, text in options:
        key = key_of(name, question)
        several = takes_several(key, question)
        if key in fixed and not several:
            raise SpecError("is given twice", where=key, allowed="one value, or --vary with it")
        fixed[key] = spec_value(key, [*fixed.get(key, []), *split_values(text)] if several else text, question)
    return fixed


def _argument_key(places: Sequence[str], question: str, axes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the key that the arguments stand for."""
    for place in places:
        if is_experiment(place):
            raise SpecError("an experiment defines what varies", where=place, allowed="a TOPOLOGY")
    key = next((key for key in _WHAT if key in keys_of(question)), None)
    if key is None and places:
        raise SpecError(f"the question {question} takes no TOPOLOGY", found=places[0])
    if key is not None and not places and key not in axes:
        raise click.UsageError(f"give a {key.upper()}, or --vary {key}=...", click.get_current_context())
    if key is None or not places:
        return {}
    if len(places) > 1 and not takes_several(key, question):
        raise SpecError(f"{len(places)} are given", where=key, allowed=f"one, or --vary {key}=A,B")
    return {key: list(places) if len(places) > 1 else places[0]}
