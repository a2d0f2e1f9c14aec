"""What an experiment asks: ``spec.yaml`` and, beside it, what a paper published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from pnet_lp.errors import SpecError
from pnet_lp.experiment.case import Case, CaseName
from pnet_lp.experiment.grid import GRID, NAME, expand
from pnet_lp.experiment.published import Published
from pnet_lp.files import read_yaml
from pnet_lp.registry import Params, nearest, validate

SPEC_FILE = "spec.yaml"
PUBLISHED_FILE = "published.yaml"


def _one_or_more(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Chart(Params):
    """A chart of lines: throughput in per cent of the baseline over one key, a line for each value of others.

    Attributes:
        x: the key along the axis; a case without a value of it is not drawn.
        lines: the keys whose values make a line; a case without a value of the first is on every line.
        saturated_percent: a case is saturated if it carries this much of its number of planes times the baseline; the
            first such case of each line is marked.
    """

    x: str
    lines: Annotated[tuple[str, ...], BeforeValidator(_one_or_more), Field(min_length=1)]
    saturated_percent: float | None = Field(None, gt=0)


class Experiment(Params):
    """An experiment: cases to run, and the one that the others are compared with.

    Attributes:
        name: the name of its folder.
        title: heads tables and charts.
        unit: of the throughput, in words.
        baseline: the case that is 100 per cent.
        cases: by name, in the order they run.
        chart: the lines to draw; None for bars.
        published: what a paper reports, if there is such a file.
    """

    name: str
    title: str
    unit: str = "Gb/s per unit demand"
    baseline: str
    cases: dict[CaseName, Case] = Field(min_length=1)
    chart: Chart | None = None
    published: Published | None = None

    def reduced(self, *, draws: int | None = None, cases: Sequence[str] = ()) -> Experiment:
        """Return the experiment with another number of draws, or with some cases only.

        Args:
            draws: of every case.
            cases: names, in which ``*`` stands for any text; the baseline stays in any event.

        Raises:
            SpecError: a name that no case has.
        """
        for pattern in cases:
            if not any(fnmatchcase(name, pattern) for name in self.cases):
                raise SpecError(
                    f"no case is called {pattern!r}{nearest(pattern, self.cases)}",
                    where=self.name,
                    allowed=", ".join(self.cases),
                )
        kept = {
            name: case if draws is None else case.model_copy(update={"draws": draws})
            for name, case in self.cases.items()
            if not cases or name == self.baseline or any(fnmatchcase(name, pattern) for pattern in cases)
        }
        return self.model_copy(update={"cases": kept})


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
    common = _mapping(values.pop("common", {}), "common", file)
    for key in common:
        if key not in Case.model_fields:
            raise SpecError(
                f"unknown parameter {key!r}{nearest(key, Case.model_fields)}",
                where=f"{file}: common",
                allowed=", ".join(Case.model_fields),
            )
    values["cases"] = _cases(_mapping(values.get("cases", {}), "cases", file), common, seed, file)
    values["name"] = folder.resolve().name
    published = folder / PUBLISHED_FILE
    if published.exists():
        values["published"] = validate(
            Published, _mapping(read_yaml(published), "", published), str(published)
        )
    experiment = validate(Experiment, values, str(file))
    _check_name(experiment.baseline, experiment, f"{file}: baseline")
    if experiment.chart:
        for key in (experiment.chart.x, *experiment.chart.lines):
            if key not in Case.model_fields:
                raise SpecError(
                    f"no key of a case is called {key!r}{nearest(key, Case.model_fields)}",
                    where=f"{file}: chart",
                    allowed=", ".join(Case.model_fields),
                )
    for i, claim in enumerate(experiment.published.claims if experiment.published else ()):
        _check_name(claim.case, experiment, f"{published}: claims.{i}.case")
        _check_name(claim.relative_to, experiment, f"{published}: claims.{i}.relative_to")
    return experiment


def _cases(
    entries: Mapping[str, Any], common: Mapping[str, Any], seed: int | None, file: Path
) -> dict[str, Case]:
    """Return the cases that the entries of a spec stand for."""
    override = {} if seed is None else {"seed": seed}
    cases: dict[str, Case] = {}
    for entry, given in entries.items():
        where = f"{file}: cases.{entry}"
        own = _mapping(given, f"cases.{entry}", file)
        for name, point in expand(entry, own, where).items():
            if name in cases:
                raise SpecError(f"a second case is called {name!r}", where=where)
            shown = where if {GRID, NAME}.isdisjoint(own) else f"{where}: {name}"
            cases[name] = validate(Case, {**common, **point, **override}, shown)
    return cases


def _check_name(name: str, experiment: Experiment, where: str) -> None:
    if name not in experiment.cases:
        raise SpecError(
            f"no case is called {name!r}{nearest(name, experiment.cases)}",
            where=where,
            allowed=", ".join(experiment.cases),
        )


def _mapping(value: object, key: str, file: Path) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise SpecError(
            "not a mapping", where=f"{file}: {key}" if key else str(file), found=value, allowed="key: value"
        )
    return {str(name): item for name, item in value.items()}
