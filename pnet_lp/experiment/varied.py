"""A spec from axes: every combination of some values, without a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pnet_lp.errors import SpecError
from pnet_lp.experiment.grid import GRID, NAME, slug

ENTRY = "sweep"
"""What the one entry of such a spec is called."""


def varied_spec(
    question: str,
    fixed: Mapping[str, Any],
    axes: Mapping[str, Sequence[Any]],
    *,
    baseline: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the mapping of a ``spec.yaml`` that asks ``question`` for every combination of the axes.

    The last axis varies fastest.  The first one is along the axis of the chart, and the others make its lines.

    Args:
        question: a registered kind of question.
        fixed: keys that all cases share, ``draws`` and ``seed`` among them.
        axes: values by key.
        baseline: values of some axes: each case is compared with the one that has these and is otherwise like it.

    Raises:
        SpecError: no axis, one without values, a key twice, or a baseline that is on no axis.
    """
    if not axes:
        raise SpecError("nothing varies", where="vary", allowed="key=[value, value]")
    for key, values in axes.items():
        if not values:
            raise SpecError("no values", where=f"vary: {key}", allowed="[value, value]")
        if key in fixed:
            raise SpecError("is fixed, and cannot vary", where=key, found=fixed[key])
    for key, value in (baseline or {}).items():
        if key not in axes:
            raise SpecError("does not vary", where=f"baseline: {key}", allowed=", ".join(axes))
        if value not in axes[key]:
            raise SpecError(
                "not among the values",
                where=f"baseline: {key}",
                found=value,
                allowed=", ".join(map(str, axes[key])),
            )
    template = "-".join(f"{key.replace('_', '-')}-{{{key}}}" for key in axes)
    spec: dict[str, Any] = {
        "title": f"{question} by {', '.join(key.replace('_', ' ') for key in axes)}",
        "question": question,
        "common": dict(fixed),
        "cases": {ENTRY: {GRID: {key: list(values) for key, values in axes.items()}, NAME: template}},
    }
    first, *others = axes
    if others:
        spec["chart"] = {"x": first, "lines": others}
    if baseline:
        spec["baseline"] = "-".join(
            f"{key.replace('_', '-')}-{slug(baseline[key]) if key in baseline else f'{{{key}}}'}"
            for key in axes
        )
    return spec
