"""What an experiment asks: ``spec.yaml`` and, beside it, what a paper published."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from pnet_lp.errors import SpecError
from pnet_lp.files import read_yaml
from pnet_lp.model.network import Level, Variant
from pnet_lp.registry import Params, nearest, validate
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE
from pnet_lp.units import DEFAULT_LINK_GBPS

SPEC_FILE = "spec.yaml"
PUBLISHED_FILE = "published.yaml"

CaseName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
"""Names folders under ``results/``, so it is lower case and has no separators."""


def _one_or_more(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Case(Params):
    """One network under one traffic matrix; the keys mean what the options of ``pnet-lp throughput`` mean.

    Files are looked for from where the command runs, as on the command line.
    """

    topology: Annotated[tuple[str, ...], BeforeValidator(_one_or_more), Field(min_length=1)]
    planes: int = Field(1, ge=1)
    variant: Variant | None = None
    link_gbps: float = Field(DEFAULT_LINK_GBPS, gt=0)
    hosts_per_switch: int = Field(0, ge=0)
    seed: int = 0
    traffic: str = "all-to-all"
    level: Level | None = None
    routing: str = "ideal"
    objective: str = "concurrent"
    solver: str = "auto"
    tolerance: float = Field(DEFAULT_TOLERANCE, gt=0, lt=1)
    time_limit_s: float | None = Field(None, gt=0)


class Claim(Params):
    """A published ratio of two cases.

    Attributes:
        case: the case it is about.
        relative_to: the case it is compared with.
        percent: throughput of ``case`` in per cent of ``relative_to``.
        kind: whether the paper gives the value itself or its maximum over a range.
        statement: the claim in words.
    """

    case: str
    relative_to: str
    percent: float = Field(gt=0)
    kind: Literal["equal", "at-most"]
    statement: str


class Published(Params):
    """What a paper reports for an experiment."""

    source: str
    claims: tuple[Claim, ...]


class Experiment(Params):
    """An experiment: cases to run one after another, and the one that the others are compared with.

    Attributes:
        name: the name of its folder.
        title: heads tables and charts.
        unit: of the throughput, in words.
        baseline: the case that is 100 per cent.
        cases: by name, in the order they run.
        published: what a paper reports, if there is such a file.
    """

    name: str
    title: str
    unit: str = "Gb/s per unit demand"
    baseline: str
    cases: dict[CaseName, Case] = Field(min_length=1)
    published: Published | None = None


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
    cases = _mapping(values.get("cases", {}), "cases", file)
    override = {} if seed is None else {"seed": seed}
    values["cases"] = {
        name: validate(
            Case, {**common, **_mapping(case, f"cases.{name}", file), **override}, f"{file}: cases.{name}"
        )
        for name, case in cases.items()
    }
    values["name"] = folder.resolve().name
    published = folder / PUBLISHED_FILE
    if published.exists():
        values["published"] = validate(
            Published, _mapping(read_yaml(published), "", published), str(published)
        )
    experiment = validate(Experiment, values, str(file))
    _check_name(experiment.baseline, experiment, f"{file}: baseline")
    for i, claim in enumerate(experiment.published.claims if experiment.published else ()):
        _check_name(claim.case, experiment, f"{published}: claims.{i}.case")
        _check_name(claim.relative_to, experiment, f"{published}: claims.{i}.relative_to")
    return experiment


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
