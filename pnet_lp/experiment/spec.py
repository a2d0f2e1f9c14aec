"""What an experiment asks: ``spec.yaml`` and, beside it, what is claimed of it."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import BeforeValidator, Field, SerializeAsAny

from pnet_lp.charts.kinds import parse_chart
from pnet_lp.errors import SpecError, naming
from pnet_lp.experiment.case import CaseName
from pnet_lp.experiment.claims import Claims, Size
from pnet_lp.experiment.grid import GRID, NAME, expand, filled, placeholders, slug
from pnet_lp.experiment.record import Spread
from pnet_lp.files import read_yaml
from pnet_lp.model.brief import brief
from pnet_lp.questions.base import DEFAULT_QUESTION, Case, model_of
from pnet_lp.registry import OneOrMore, Params, unknown, validate
from pnet_lp.seeds import check_draws

SPEC_FILE = "spec.yaml"
CLAIMS_FILE = "claims.yaml"
QUICK: Final = "quick"


class Chart(Params):
    """A chart: lines of what the experiment shows over one key; without one a bar for each case, or another kind.

    Its keys may be those of parameters, ``workload.load``, as of :meth:`~pnet_lp.questions.base.Case.chart_value`.

    Attributes:
        kind: which of :data:`~pnet_lp.charts.kinds.CHART_KINDS`, with its parameters; default: ``lines`` with an ``x``,
            else ``bars``.
        x: the key along the axis; a case without it is not drawn.
        lines: keys whose values make a line; a case without the first of them is on every line.
        panels: key, or keys, with a panel for each value; a case without a value of any is in every panel.
        cases: names of the cases drawn, with ``*`` for any text; default: all.
        words: labels of keys and values in the chart; empty for none.
        scale: scale of the value axis of lines.
        percent: whether lines are in per cent of the baseline; default: if there is one.
        saturated_percent: a case is saturated if it carries this much of its number of planes times the baseline; the
            first such case of each line is marked.
    """

    kind: str | None = None
    x: str | None = None
    lines: Annotated[tuple[str, ...], OneOrMore] = ()
    panels: Annotated[tuple[str, ...], OneOrMore, BeforeValidator(lambda keys: () if keys is None else keys)] = ()
    cases: tuple[str, ...] = ()
    words: dict[str, str] = Field(default_factory=dict)
    scale: Literal["linear", "log"] = "linear"
    percent: bool | None = None
    saturated_percent: float | None = Field(None, gt=0)

    @property
    def shown_as(self) -> str:
        """The expression of its kind."""
        return self.kind or ("bars" if self.x is None else "lines")

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that distinguish the cases."""
        return tuple(key for key in (self.x, *self.lines, *self.panels) if key is not None)

    def draws(self, case: str) -> bool:
        """Whether a case is drawn."""
        return not self.cases or any(fnmatchcase(case, pattern) for pattern in self.cases)


class Variation(Params):
    """What was changed of a published experiment.

    Attributes:
        of: the name of that experiment.
        settings: values by key.
        dropped: how many of its claims say nothing about the variation.
    """

    of: str
    settings: dict[str, list[Any]]
    dropped: int = 0

    @property
    def texts(self) -> tuple[str, ...]:
        """The settings as ``--set`` takes them."""
        return tuple(f"{key}={','.join(map(_value_text, values))}" for key, values in self.settings.items())

    @property
    def text(self) -> str:
        """The settings to read."""
        return ", ".join(self.texts)


def _value_text(value: object) -> str:
    return f'"{",".join(map(str, value))}"' if isinstance(value, list | tuple) else str(value)


@brief("name", "question", "cases")
class Experiment(Params):
    """An experiment: cases of one question, and the baseline that they are compared with.

    Attributes:
        name: the name of its folder.
        aliases: other names of it, such as that of a figure, ``pnet-figure-9``.
        size: ``paper`` as in the spec, or ``quick``, reduced as its key ``quick`` says.
        title: title of tables and charts.
        question: the question that its cases ask.
        column: the column that is compared and drawn; default: the headline of the question.
        unit: its unit to print; default: that of the answers.
        baseline: the case that is 100 per cent, or, with keys in braces, that of each case's values of these, and with
            ``{case}`` that of the entry it came out of; None to show values as they are.
        spread: what ± means for several draws.
        cases: by name, in the order they run.
        bases: where the baseline has braces, the case that is 100 per cent for each case.
        chart: the chart; None for one bar per case.
        claimed: published claims about it, if there are any.
        variation: what was changed, where it is not as published.
    """

    name: str
    aliases: tuple[CaseName, ...] = ()
    size: Size = "paper"
    title: str
    question: str = DEFAULT_QUESTION
    column: str | None = None
    unit: str | None = None
    baseline: str | None = None
    spread: Spread = "standard-error"
    cases: dict[CaseName, SerializeAsAny[Case]] = Field(min_length=1)
    bases: dict[str, str] = Field(default_factory=dict)
    chart: Chart | None = None
    claimed: Claims | None = None
    variation: Variation | None = None

    @property
    def folder(self) -> str:
        """The name of the folder of its results: sizes do not mix."""
        return self.name if self.size == "paper" else f"{self.name}-{self.size}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that the spec gives to any of its cases, in the order of the model; a seed where it varies."""
        first, *others = self.cases.values()
        given = set().union(*(case.model_fields_set for case in self.cases.values()))
        hidden = {"draws"} if any(case.seed != first.seed for case in others) else {"draws", "seed"}
        return tuple(key for key in type(first).model_fields if key in given - hidden)

    @property
    def in_percent(self) -> bool:
        """Whether the lines of the chart are in per cent of the baseline."""
        percent = self.chart.percent if self.chart else None
        return self.baseline is not None if percent is None else percent

    @property
    def baseline_label(self) -> str | None:
        """The baseline to read."""
        keys = placeholders(self.baseline or "")
        if not keys:
            return self.baseline
        # Of planes-1-routing-{routing} the case is planes-1.
        named = {f"{key.replace('_', '-')}-{{{key}}}": f"{{{key}}}" for key in keys}
        template = functools.reduce(lambda text, one: text.replace(*one), named.items(), self.baseline or "")
        rest = "-".join(filter(None, filled(template, dict.fromkeys(keys, "")).split("-")))
        return f"{rest} of the same {' and '.join(key.replace('_', ' ') for key in keys)}"

    def base_of(self, name: str) -> str | None:
        """Return the case that is 100 per cent for a case, None without a baseline."""
        return self.bases.get(name, self.baseline)

    def reduced(self, *, draws: int | None = None, cases: Sequence[str] = ()) -> Experiment:
        """Return the experiment with another number of draws, or with some cases only.

        Args:
            draws: of every case.
            cases: names, in which ``*`` stands for any text; a baseline stays in any event.

        Raises:
            SpecError: a name that no case has.
        """
        kept = {
            name: case if draws is None else case.model_copy(update={"draws": draws})
            for name, case in _matching(self, cases, self.name).items()
        }
        found = self.model_copy(update={"cases": kept})
        check_draws(f"{self.name}: draws of all cases", found.draws)
        return found

    @property
    def draws(self) -> int:
        """Draws of all cases together."""
        return sum(case.draws for case in self.cases.values())


def load_experiment(path: str | Path, *, seed: int | None = None, size: Size = "paper") -> Experiment:
    """Return the experiment in a folder, both of whose sizes are checked.

    Args:
        path: the folder, or its ``spec.yaml``.
        seed: replaces the seed of every case.
        size: one without ``quick`` is of paper size at either.

    Raises:
        SpecError: naming the file and the line or the key, what was found and what is allowed.
    """
    found = read_spec(path)
    values = found.values if found.claimed is None else {**found.values, "claimed": found.claimed}
    return state_experiment(values, found.name, found.file, seed=seed, size=size, claims=found.claims_file)


class SpecFiles(NamedTuple):
    """What the files of an experiment hold.

    Attributes:
        values: the mapping in ``spec.yaml``.
        claimed: the claims, if there are any.
        name: of the experiment.
        file, claims_file: paths, for messages.
    """

    values: dict[str, Any]
    claimed: Claims | None
    name: str
    file: str
    claims_file: str


def read_spec(path: str | Path) -> SpecFiles:
    """Return what the files in the folder of an experiment hold; arguments and errors as of :func:`load_experiment`."""
    folder = Path(path)
    if folder.name == SPEC_FILE:
        folder = folder.parent
    file, claims = folder / SPEC_FILE, folder / CLAIMS_FILE
    values = _mapping(read_yaml(file), "", str(file))
    for key, place in (
        ("name", "its folder's name"),
        ("claimed", CLAIMS_FILE),
        ("size", "--size"),
        ("bases", "baseline"),
        ("variation", "--set"),
    ):
        if key in values:
            raise SpecError(f"a spec has no {key} of its own", where=f"{file}: {key}", allowed=place)
    name = folder.resolve().name
    if name.endswith(f"-{QUICK}"):
        other = name.removesuffix(f"-{QUICK}")
        raise SpecError(
            f"the results of this folder would mix with those of {other} at {QUICK} size", where=str(folder)
        )
    claimed = validate(Claims, _mapping(read_yaml(claims), "", str(claims)), str(claims)) if claims.exists() else None
    return SpecFiles(values, claimed, name, str(file), str(claims))


def state_experiment(
    spec: Mapping[str, Any], name: str, where: str, *, seed: int | None = None, size: Size = "paper", claims: str = ""
) -> Experiment:
    """Return the experiment that the mapping in a ``spec.yaml`` states.

    Args:
        spec: the mapping, with ``claimed`` if there are claims.
        name: of the experiment.
        where: what the spec is called in messages.
        seed: replaces the seed of every case.
        size: as of :func:`load_experiment`.
        claims: what the claims are called in messages.

    Raises:
        SpecError: naming the key, what was found and what is allowed.
    """
    values = {**spec, "name": name}
    with naming(f"{where}: question"):
        model = model_of(str(values.get("question", DEFAULT_QUESTION)))
    common = _mapping(values.pop("common", {}), "common", where)
    for key in common:
        _check_known(key, model.model_fields, "unknown parameter", f"{where}: common")
    quick = _Quick.read(values.pop(QUICK, None), where, model)
    entries = _entries(_mapping(values.get("cases", {}), "cases", where), where, model)
    override = {} if seed is None else {"seed": seed}
    values["cases"] = {
        entry.name: _case(model, {**common, **entry.given, **override}, entry.where) for entry in entries
    }
    experiment = validate(Experiment, values, where)
    experiment = experiment.model_copy(update={"bases": _bases(experiment, entries, common, model, where)})
    _check(experiment, model, where, claims)
    if quick is None and not any(entry.quick for entry in entries):
        return experiment
    quick = quick or _Quick()
    kept = _matching(experiment, quick.cases, f"{where}: {QUICK}.cases")
    small = {
        entry.name: _case(
            model, {**common, **entry.given, **quick.keys, **entry.quick, **override}, f"{entry.where}, at {QUICK} size"
        )
        for entry in entries
        if entry.name in kept
    }
    # The title names sizes that the paper has.
    title = f"Quick size of: {experiment.title}"
    reduced = experiment.model_copy(update={"size": QUICK, "title": title, "cases": small})
    check_draws(f"{where}: draws of all cases at {QUICK} size", reduced.draws)
    for i, claim in enumerate(experiment.claimed.claims if experiment.claimed else ()):
        if claim.size == QUICK and (missing := claim.missing(small)) is not None:
            raise unknown(f"{QUICK} size has no case", missing, small, where=f"{claims}: claims.{i}")
    return reduced if size == QUICK else experiment


def _case(model: type[Case], values: Mapping[str, Any], where: str) -> Case:
    """Return a case, of which all is checked that can be before anything runs."""
    case = validate(model, values, where)
    with naming(where):
        case.check()
    return case


@dataclass(frozen=True)
class _Entry:
    """A case as a spec gives it, out of its grid.

    Attributes:
        name: the case.
        entry: what it came out of.
        where: file and entry, for messages.
        given: its keys.
        quick: those in their place at quick size.
    """

    name: str
    entry: str
    where: str
    given: Mapping[str, Any]
    quick: Mapping[str, Any]


@dataclass(frozen=True)
class _Quick:
    """What a spec says of its quick size.

    Attributes:
        keys: those of every case that are replaced.
        cases: the names of those that are kept; ``*`` stands for any text.
    """

    keys: Mapping[str, Any] = field(default_factory=dict)
    cases: tuple[str, ...] = ()

    @classmethod
    def read(cls, given: object, file: str, model: type[Case]) -> _Quick | None:
        if given is None:
            return None
        keys = _mapping(given, QUICK, file)
        for key in keys:
            _check_known(key, ["cases", *model.model_fields], "unknown parameter", f"{file}: {QUICK}")
        cases = keys.pop("cases", None)
        if cases is None:
            return cls(keys)
        if not isinstance(cases, list) or not cases or not all(isinstance(name, str) for name in cases):
            where = f"{file}: {QUICK}.cases"
            raise SpecError("not a list of names", where=where, found=cases, allowed="[name, name]")
        return cls(keys, tuple(cases))


def _check(experiment: Experiment, model: type[Case], file: str, claimed: str) -> None:
    """Raise SpecError where a name is none of a case, a key or a column, or where there are too many draws."""
    cases, chart = experiment.cases, experiment.chart
    # Of cases that ask for different things, no headline is a column of all.
    headlines = {case.headline_column for case in cases.values()} - {""}
    columns = [*model.columns, *(headlines if len(headlines) == 1 else ())]
    check_draws(f"{file}: draws of all cases", experiment.draws)
    if experiment.baseline is not None:
        for base in dict.fromkeys(experiment.bases.values()) or (experiment.baseline,):
            _check_known(base, cases, "no case is called", f"{file}: baseline")
    if experiment.column is not None:
        _check_known(experiment.column, columns, "no column is called", f"{file}: column")
    if chart is not None:
        _check_chart(experiment, chart, model, columns, f"{file}: chart")
    for i, claim in enumerate(experiment.claimed.claims if experiment.claimed else ()):
        where = f"{claimed}: claims.{i}"
        if (name := claim.missing(cases)) is not None:
            raise unknown("no case is called", name, cases, where=where)
        if claim.column is not None:
            _check_known(claim.column, columns, "no column is called", f"{where}.column")


def _check_chart(experiment: Experiment, chart: Chart, model: type[Case], columns: Collection[str], where: str) -> None:
    """Raise SpecError where a chart asks for what no case has, or for what it does not draw."""
    for key in chart.keys:
        _check_known(key.partition(".")[0], model.model_fields, "no key of a case is called", where)
        if "." in key and all(case.chart_value(key) is None for case in experiment.cases.values()):
            raise SpecError("no case gives this parameter", where=where, found=key)
    if twice := [key for key, count in Counter(chart.keys).items() if count > 1]:
        raise SpecError(f"{twice[0]} is given twice", where=where, allowed="each of x, lines, panels another key")
    with naming(f"{where}.kind"):
        _, params = parse_chart(chart.shown_as)
        params.check(columns)
    if chart.kind is not None and params.along != (chart.x is not None):
        raise SpecError(f"{chart.kind} {'needs an' if params.along else 'has no'} axis of a key", where=f"{where}.x")
    of_lines = {"percent", "saturated_percent"} | ({"lines", "scale"} if chart.kind is None else set())
    if chart.x is None and chart.model_dump(include=of_lines, exclude_defaults=True):
        raise SpecError("lines, scale, percent and saturated_percent need an axis", where=where, allowed="with an x")
    if chart.percent and experiment.baseline is None:
        raise SpecError("percent needs a baseline", where=f"{where}.percent")
    for pattern in chart.cases:
        if not any(fnmatchcase(name, pattern) for name in experiment.cases):
            raise unknown("no case is called", pattern, experiment.cases, where=f"{where}.cases")
    named = {value_text(case.chart_value(key)) for case in experiment.cases.values() for key in chart.keys}
    named |= {name for name in experiment.cases if chart.x is None and chart.draws(name)}
    for word in chart.words:
        _check_known(
            word, {*chart.keys, *named, *params.quantities}, "no key, value or case of the chart is", f"{where}.words"
        )
    if chart.saturated_percent is not None and not (experiment.baseline is not None and "planes" in model.model_fields):
        raise SpecError(
            "saturation is a share of planes times the baseline",
            where=f"{where}.saturated_percent",
            allowed="with a baseline, and cases that have planes",
        )


def value_text(value: object) -> str:
    """Return the value of a key as charts write it, and as their ``words`` name it."""
    return " + ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _entries(given: Mapping[str, Any], file: str, model: type[Case]) -> list[_Entry]:
    """Return the cases that the entries of a spec stand for."""
    found: dict[str, _Entry] = {}
    for entry, words in given.items():
        where = f"{file}: cases.{entry}"
        own = _mapping(words, f"cases.{entry}", file)
        quick = _mapping(own.pop(QUICK, {}), f"cases.{entry}.{QUICK}", file)
        for key in quick:
            _check_known(key, model.model_fields, "unknown parameter", f"{where}.{QUICK}")
        for name, point in expand(entry, own, where, model.model_fields).items():
            if name in found:
                raise SpecError(f"a second case is called {name!r}", where=where)
            shown = where if {GRID, NAME}.isdisjoint(own) else f"{where}: {name}"
            found[name] = _Entry(name, entry, shown, point, quick)
    return list(found.values())


def _bases(
    experiment: Experiment, entries: Sequence[_Entry], common: Mapping[str, Any], model: type[Case], file: str
) -> dict[str, str]:
    """Return the baseline of each case, where its name depends on keys of the case or on the entry it came out of."""
    template = experiment.baseline or ""
    keys = placeholders(template)
    for key in keys:
        _check_known(key, ["case", *model.model_fields], "no key of a case is called", f"{file}: baseline")
    if not keys:
        return {}
    return {
        entry.name: filled(
            template,
            {key: entry.entry if key == "case" else slug(_said(entry, common, key, experiment)) for key in keys},
        )
        for entry in entries
    }


def _said(entry: _Entry, common: Mapping[str, Any], key: str, experiment: Experiment) -> Any:
    """Return the value of a key as the name of its case has it: as it is given, where it is."""
    return {**common, **entry.given}.get(key, getattr(experiment.cases[entry.name], key))


def _matching(experiment: Experiment, patterns: Sequence[str], where: str) -> dict[str, Case]:
    """Return the cases that a pattern stands for, and their baselines; all where there is no pattern."""
    cases = experiment.cases
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in cases):
            raise unknown("no case is called", pattern, cases, where=where)
    kept = {name for name in cases if not patterns or any(fnmatchcase(name, one) for one in patterns)}
    kept |= {base for name in kept if (base := experiment.base_of(name)) is not None}
    return {name: case for name, case in cases.items() if name in kept}


def _check_known(name: str, known: Collection[str], problem: str, where: str) -> None:
    if name not in known:
        raise unknown(problem, name, known, where=where)


def _mapping(value: object, key: str, file: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise SpecError(
            "not a mapping", where=f"{file}: {key}" if key else str(file), found=value, allowed="key: value"
        )
    return {str(name): item for name, item in value.items()}
