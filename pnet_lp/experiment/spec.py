"""What an experiment asks: ``spec.yaml`` and, beside it, what is claimed of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, SerializeAsAny

from pnet_lp.errors import SpecError, naming
from pnet_lp.experiment.case import Case, CaseName
from pnet_lp.experiment.claims import Claims
from pnet_lp.experiment.grid import GRID, NAME, expand
from pnet_lp.experiment.question import DEFAULT_QUESTION, QUESTIONS
from pnet_lp.files import read_yaml
from pnet_lp.model.brief import brief
from pnet_lp.registry import OneOrMore, Params, unknown, validate
from pnet_lp.seeds import check_draws

SPEC_FILE = "spec.yaml"
CLAIMS_FILE = "claims.yaml"


class Chart(Params):
    """A chart of lines: what the experiment shows over one key, a line for each value of others.

    Attributes:
        x: the key along the axis; a case without a value of it is not drawn.
        lines: the keys whose values make a line; a case without a value of the first is on every line.
        saturated_percent: a case is saturated if it carries this much of its number of planes times the baseline; the
            first such case of each line is marked.
    """

    x: str
    lines: Annotated[tuple[str, ...], OneOrMore, Field(min_length=1)]
    saturated_percent: float | None = Field(None, gt=0)


@brief("name", "question", "cases")
class Experiment(Params):
    """An experiment: cases of one question, and the one that the others are compared with.

    Attributes:
        name: the name of its folder.
        title: heads tables and charts.
        question: the kind of question its cases are of.
        column: the column that is compared and drawn, by default the question's headline.
        unit: of that, in words; default: as the answers say.
        baseline: the case that is 100 per cent; None to show values as they are.
        cases: by name, in the order they run.
        chart: the lines to draw; None for bars.
        claimed: what a paper or others claim of it, if there is such a file.
    """

    name: str
    title: str
    question: str = DEFAULT_QUESTION
    column: str | None = None
    unit: str | None = None
    baseline: str | None = None
    cases: dict[CaseName, SerializeAsAny[Case]] = Field(min_length=1)
    chart: Chart | None = None
    claimed: Claims | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that the spec gives to any of its cases, in the order of the model."""
        first = next(iter(self.cases.values()))
        given = set().union(*(case.model_fields_set for case in self.cases.values()))
        return tuple(key for key in type(first).model_fields if key in given - {"seed", "draws"})

    def reduced(self, *, draws: int | None = None, cases: Sequence[str] = ()) -> Experiment:
        """Return the experiment with another number of draws, or with some cases only.

        Args:
            draws: of every case.
            cases: names, in which ``*`` stands for any text; a baseline stays in any event.

        Raises:
            SpecError: a name that no case has.
        """
        for pattern in cases:
            if not any(fnmatchcase(name, pattern) for name in self.cases):
                raise unknown("no case is called", pattern, self.cases, where=self.name)
        kept = {
            name: case if draws is None else case.model_copy(update={"draws": draws})
            for name, case in self.cases.items()
            if not cases or name == self.baseline or any(fnmatchcase(name, pattern) for pattern in cases)
        }
        found = self.model_copy(update={"cases": kept})
        check_draws(f"{self.name}: draws of all cases", found.draws)
        return found

    @property
    def draws(self) -> int:
        """Draws of all cases together."""
        return sum(case.draws for case in self.cases.values())


def load_experiment(path: str | Path, *, seed: int | None = None) -> Experiment:
    """Return the experiment in a folder.

    Args:
        path: the folder, or its ``spec.yaml``.
        seed: replaces the seed of every case.

    Raises:
        SpecError: naming the file and the line or the key, what was found and what is allowed.
    """
    folder = Path(path)
    if folder.name == SPEC_FILE:
        folder = folder.parent
    file = folder / SPEC_FILE
    values = _mapping(read_yaml(file), "", file)
    with naming(f"{file}: question"):
        model = QUESTIONS.get(str(values.get("question", DEFAULT_QUESTION))).params
    assert issubclass(model, Case)
    common = _mapping(values.pop("common", {}), "common", file)
    for key in common:
        _check_known(key, model.model_fields, "unknown parameter", f"{file}: common")
    values["cases"] = _cases(_mapping(values.get("cases", {}), "cases", file), common, seed, file, model)
    for key, place in (("name", "its folder's name"), ("claimed", CLAIMS_FILE)):
        if key in values:
            raise SpecError(f"a spec has no {key} of its own", where=f"{file}: {key}", allowed=place)
    values["name"] = folder.resolve().name
    claimed = folder / CLAIMS_FILE
    if claimed.exists():
        values["claimed"] = validate(Claims, _mapping(read_yaml(claimed), "", claimed), str(claimed))
    experiment = validate(Experiment, values, str(file))
    _check(experiment, model, file, claimed)
    return experiment


def _check(experiment: Experiment, model: type[Case], file: Path, claimed: Path) -> None:
    """Raise SpecError where a name is none of a case, a key or a column, or where there are too many draws."""
    cases, chart = experiment.cases, experiment.chart
    check_draws(f"{file}: draws of all cases", experiment.draws)
    if experiment.baseline is not None:
        _check_known(experiment.baseline, cases, "no case is called", f"{file}: baseline")
    if experiment.column is not None:
        _check_known(experiment.column, model.columns, "no column is called", f"{file}: column")
    for key in (chart.x, *chart.lines) if chart else ():
        _check_known(key, model.model_fields, "no key of a case is called", f"{file}: chart")
    if (
        chart
        and chart.saturated_percent is not None
        and not (experiment.baseline is not None and "planes" in model.model_fields)
    ):
        raise SpecError(
            "saturation is a share of planes times the baseline",
            where=f"{file}: chart.saturated_percent",
            allowed="with a baseline, and cases that have planes",
        )
    for i, claim in enumerate(experiment.claimed.claims if experiment.claimed else ()):
        where = f"{claimed}: claims.{i}"
        if (name := claim.missing(cases)) is not None:
            raise unknown("no case is called", name, cases, where=where)
        if claim.column is not None:
            _check_known(claim.column, model.columns, "no column is called", f"{where}.column")


def _cases(
    entries: Mapping[str, Any], common: Mapping[str, Any], seed: int | None, file: Path, model: type[Case]
) -> dict[str, Case]:
    """Return the cases that the entries of a spec stand for."""
    override = {} if seed is None else {"seed": seed}
    cases: dict[str, Case] = {}
    for entry, given in entries.items():
        where = f"{file}: cases.{entry}"
        own = _mapping(given, f"cases.{entry}", file)
        for name, point in expand(entry, own, where, model.model_fields).items():
            if name in cases:
                raise SpecError(f"a second case is called {name!r}", where=where)
            shown = where if {GRID, NAME}.isdisjoint(own) else f"{where}: {name}"
            cases[name] = validate(model, {**common, **point, **override}, shown)
    return cases


def _check_known(name: str, known: Collection[str], problem: str, where: str) -> None:
    if name not in known:
        raise unknown(problem, name, known, where=where)


def _mapping(value: object, key: str, file: Path) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise SpecError(
            "not a mapping", where=f"{file}: {key}" if key else str(file), found=value, allowed="key: value"
        )
    return {str(name): item for name, item in value.items()}
