"""A spec from axes: every combination of some values, without a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.experiment.grid import GRID, NAME, slug
from pnet_lp.experiment.record import Spread
from pnet_lp.experiment.spec import Experiment, state_experiment
from pnet_lp.registry import unknown

ENTRY = "sweep"
"""What the one entry of such a spec is called."""


def varied_spec(
    question: str,
    fixed: Mapping[str, Any],
    axes: Mapping[str, Sequence[Any]],
    *,
    baseline: Mapping[str, Any] | None = None,
    facet: str | None = None,
    percent: bool | None = None,
    column: str | None = None,
    spread: Spread | None = None,
) -> dict[str, Any]:
    """Return the mapping of a ``spec.yaml`` that asks ``question`` for every combination of the axes.

    The last axis varies fastest.  The first one is along the axis of the chart, and the others make its lines; a single
    one of words makes bars.

    Args:
        question: a registered kind of question.
        fixed: keys that all cases share, ``draws`` and ``seed`` among them.
        axes: values by key.
        baseline: values of some axes: each case is compared with the one that has these and is otherwise like it.
        facet: the axis of which each value gets a chart of its own.
        percent: whether the chart is in per cent of the baseline; default: where there is one.
        column: as of :class:`~pnet_lp.experiment.spec.Experiment`.
        spread: as of :class:`~pnet_lp.experiment.spec.Experiment`.

    Raises:
        SpecError: no axis, one that is no list or without values, a key twice, a baseline that is on no axis, a facet
            that is none, or the only one.
    """
    if not isinstance(axes, Mapping) or not axes:
        raise SpecError("nothing varies", where="vary", allowed="values by key, such as planes and 1, 2, 4")
    axes = {key: _listed(key, values) for key, values in axes.items()}
    for key, values in axes.items():
        if not values:
            raise SpecError("no values", where=f"vary: {key}", allowed="one at least")
        if key in fixed:
            raise SpecError("is fixed, and cannot vary", where=key, found=fixed[key])
        if key == "draws":
            raise SpecError("the number of draws cannot vary", where=f"vary: {key}")
    if percent and not baseline:
        raise SpecError("needs a baseline", where="unit", found="percent")
    if facet is not None and facet not in axes:
        raise unknown("no axis is called", facet, axes, where="facet")
    along = [key for key in axes if key != facet]
    if not along:
        raise SpecError("nothing else varies", where="facet", found=facet, allowed="another axis beside it")
    for key, value in (baseline or {}).items():
        if key not in axes:
            raise SpecError("does not vary", where=f"baseline: {key}", allowed=", ".join(axes))
        if value not in axes[key]:
            raise SpecError(
                "not among the values", where=f"baseline: {key}", found=value, allowed=", ".join(map(str, axes[key]))
            )
    template = "-".join(f"{key.replace('_', '-')}-{{{key}}}" for key in axes)
    spec: dict[str, Any] = {
        "title": f"{question} by {', '.join(key.replace('_', ' ') for key in axes)}",
        "question": question,
        "common": dict(fixed),
        "cases": {ENTRY: {GRID: axes, NAME: template}},
    }
    first, *others = along
    if len(axes) > 1 or percent is not None or all(isinstance(value, int | float) for value in axes[first]):
        chart = {"x": first, "lines": others, "panels": facet, "percent": percent}
        spec["chart"] = {key: value for key, value in chart.items() if value not in (None, [])}
    spec |= {key: value for key, value in {"column": column, "spread": spread}.items() if value is not None}
    if baseline:
        spec["baseline"] = "-".join(
            f"{key.replace('_', '-')}-{slug(baseline[key]) if key in baseline else f'{{{key}}}'}" for key in axes
        )
    return spec


def _listed(key: str, values: object) -> list[Any]:
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise SpecError("not a list of values", where=f"vary: {key}", found=values, allowed="[1, 2, 4]")
    return list(values)


def spec_text(spec: Mapping[str, Any]) -> str:
    """Return a mapping as the text of a ``spec.yaml``."""
    import yaml  # noqa: PLC0415 - slow to load

    return yaml.safe_dump(dict(spec), sort_keys=False, default_flow_style=None, width=110, allow_unicode=True)


def varied_experiment(spec: Mapping[str, Any]) -> Experiment:
    """Return the experiment that :func:`varied_spec` states.

    It is called after what is asked, of what and along which axes, so that results of the same are found again, also
    where an axis has got more values, or cases more draws.

    Raises:
        PnetError: naming the key, what was found and what is allowed.
    """
    axes = spec["cases"][ENTRY][GRID]
    fixed = sorted((key, value) for key, value in spec["common"].items() if key != "draws")
    content = hashlib.sha256(repr(fixed).encode()).hexdigest()[:8]
    name = "-".join(slug(word) for word in (spec["question"], "by", *axes, content))
    try:
        return state_experiment(spec, name, name)
    except PnetError as error:
        raise _of_axes(error, f"{name}: cases.{ENTRY}: ", axes) from None


def _of_axes(error: PnetError, prefix: str, axes: Mapping[str, Any]) -> PnetError:
    """Return an error that names a key, or an axis and the case, where ``error`` names an entry of a spec."""
    if not (error.where or "").startswith(prefix):
        return error
    case, _, rest = str(error.where).removeprefix(prefix).partition(": ")
    key = rest.partition(": ")[0]
    where = f"vary: {rest or case}" if key in axes or not rest else rest
    problem = f"{error.problem} (case {case})" if len(axes) > 1 else error.problem
    return type(error)(problem, where=where, found=error.found, allowed=error.allowed)
