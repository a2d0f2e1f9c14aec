"""Which cases of an experiment make which line of its chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pnet_lp.experiment import Case, Experiment


@dataclass(frozen=True)
class Line:
    """One line of a chart.

    Attributes:
        label: the values that make it, in words; empty where there is nothing to tell apart.
        cases: names of its cases, by their place along the axis.
        places: that place: a number, or the position of a word in the order in which the spec uses them.
        panel: the value of the panel that it is in, in words; empty where there is one panel.
    """

    label: str
    cases: tuple[str, ...]
    places: tuple[float, ...]
    panel: str = ""

    @property
    def name(self) -> str:
        """Its panel and its label."""
        return ", ".join(filter(None, (self.panel, self.label)))


@dataclass(frozen=True)
class Axis:
    """The values along the axis.

    Attributes:
        places: where each value stands.
        labels: what is written there.
        words: whether that are words, a step apart, and no numbers.
    """

    places: tuple[float, ...]
    labels: tuple[str, ...]
    words: bool = False


def chart_lines(experiment: Experiment) -> tuple[Axis, list[Line]]:
    """Return the axis and the lines of an experiment's chart, in the order in which the spec names their cases.

    Numbers stand at their values, anything else one step apart.  A case whose first line key is open is on every line.
    """
    chart = experiment.chart
    if chart is None:
        return Axis((), ()), []
    drawn = {name: case for name, case in experiment.cases.items() if _value(case, chart.x) is not None}
    values = {_value(case, chart.x): str(case.cell(chart.x)) for case in drawn.values()}
    words = not all(isinstance(value, int | float) for value in values)
    if words:
        place = {value: float(i) for i, value in enumerate(values)}
    else:
        place = {value: float(value) for value in sorted(values)}

    panels: dict[str, dict[str, Case]] = {}
    for name, case in drawn.items():
        value = None if chart.facet is None else case.cell(chart.facet)
        panel = "" if value is None else _words(str(chart.facet), value)
        panels.setdefault(panel, {})[name] = case
    lines = []
    for panel, cases in panels.items():
        for label, members in _members(cases, chart.lines):
            ordered = sorted((place[_value(case, chart.x)], name) for name, case in members.items())
            lines.append(
                Line(label, tuple(name for _, name in ordered), tuple(at for at, _ in ordered), panel)
            )
    return Axis(tuple(place.values()), tuple(values[value] for value in place), words), lines


def _members(cases: Mapping[str, Case], keys: Sequence[str]) -> list[tuple[str, dict[str, Case]]]:
    """Return the lines that the values of ``keys`` make of cases: their labels and members."""
    shared = {name: case for name, case in cases.items() if keys and _value(case, keys[0]) is None}
    members: dict[tuple[Any, ...], dict[str, Case]] = {}
    for name, case in cases.items():
        if name not in shared:
            members.setdefault(tuple(case.cell(key) for key in keys), {})[name] = case
    return [
        (
            ", ".join(
                _words(key, value) for key, value in zip(keys, values, strict=False) if value is not None
            ),
            shared | own,
        )
        for values, own in (members or {(): {}}).items()
    ]


def saturation_points(experiment: Experiment, percent: Mapping[str, float]) -> list[tuple[str, str | None]]:
    """Return each line's label and its first saturated case, or None where there is none.

    Args:
        experiment: whose chart says from which per cent on a case counts as saturated.
        percent: throughput of cases in per cent of the baseline; those missing count as not saturated.
    """
    if experiment.chart is None or experiment.chart.saturated_percent is None:
        return []
    share = experiment.chart.saturated_percent
    _, lines = chart_lines(experiment)
    return [
        (
            line.name,
            next(
                (
                    name
                    for name in line.cases
                    if percent.get(name, 0.0) >= share * _value(experiment.cases[name], "planes")
                ),
                None,
            ),
        )
        for line in lines
        if any(name in percent for name in line.cases)
    ]


def _value(case: Case, key: str) -> Any:
    return getattr(case, key)


def _words(key: str, value: Any) -> str:
    if key == "planes":
        return "1 plane" if value == 1 else f"{value} planes"
    return str(value) if isinstance(value, str) else f"{key.replace('_', ' ')} {value:g}"
