"""Which cases of an experiment are drawn, and in which part of its chart: as a bar, or on which line."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pnet_lp.experiment import Chart, Experiment
from pnet_lp.experiment.grid import slug
from pnet_lp.experiment.spec import value_text
from pnet_lp.questions.base import Case

_QUANTITY = re.compile(r"(.*?)[0-9]+(?:\.[0-9]+)?[A-Za-z]*")
"""Words that end in a number, maybe with its unit: what stands before it."""

MOST_LINES = 8
"""Of one panel: as many as there are colours that all can tell apart."""

_NUMBERED = re.compile(r"(.*?)([0-9]+(?:\.[0-9]+)?)$")
"""Words that end in a number: what stands before it, and it."""


@dataclass(frozen=True)
class ChartLine:
    """One line of a chart.

    Attributes:
        label: the values that make it, in words.
        style: its number among the lines of all panels: equal numbers look the same.
        cases: names of its cases, by their place along the axis.
        places: that place: a number, or the position of a word.
    """

    label: str
    style: int
    cases: tuple[str, ...]
    places: tuple[float, ...]


@dataclass(frozen=True)
class ChartAxis:
    """The values along the axis.

    Attributes:
        places: where each value stands.
        labels: what is written there.
        words: whether that are words, a step apart, and no numbers.
        ordered: whether they have an order, so that lines between them mean something.
        write: what is written at a number between them.
    """

    places: tuple[float, ...]
    labels: tuple[str, ...]
    words: bool = False
    ordered: bool = True
    write: Callable[[float], str] = "{:g}".format


@dataclass(frozen=True)
class ChartPanel:
    """A part of a chart.

    Attributes:
        label: the value that makes it, in words; empty of a chart in one part.
        lines: its lines.
    """

    label: str
    lines: tuple[ChartLine, ...]

    @property
    def cases(self) -> list[str]:
        """The cases of its lines."""
        return [case for line in self.lines for case in line.cases]


def chart_panels(experiment: Experiment) -> tuple[ChartAxis, list[ChartPanel]]:
    """Return the axis and the lines of an experiment's chart, in the order in which the spec names their cases.

    Numbers stand at their values.  Words stand one step apart, those that differ by a number at their end in its order;
    and so do numbers that the chart calls by words, all of them.
    A case whose first line key is open is on every line of its panel.  More lines than :data:`MOST_LINES` are drawn in
    several panels: one for each value of the first of several keys, or else as many lines in each.
    """
    chart = experiment.chart
    if chart is None or chart.x is None:
        return ChartAxis((), ()), []
    axis, panels = _panels(experiment, chart, chart.x)
    if not chart.panels and len(chart.lines) > 1 and len(panels[0].lines) > MOST_LINES:
        first, *others = chart.lines
        axis, panels = _panels(
            experiment, chart.model_copy(update={"panels": (first,), "lines": tuple(others)}), chart.x
        )
    return axis, [part for panel in panels for part in _parts(panel)]


def _parts(panel: ChartPanel) -> list[ChartPanel]:
    """Return a panel in parts that have at most :data:`MOST_LINES` lines each, as equal as can be."""
    count = math.ceil(len(panel.lines) / MOST_LINES)
    if count < 2:
        return [panel]
    size = math.ceil(len(panel.lines) / count)
    return [
        ChartPanel(f"{panel.label} ({i + 1} of {count})".strip(), panel.lines[i * size : (i + 1) * size])
        for i in range(count)
    ]


def _panels(experiment: Experiment, chart: Chart, along: str) -> tuple[ChartAxis, list[ChartPanel]]:
    drawn = {name: case for name, case in _drawn(experiment).items() if case.chart_value(along) is not None}
    values = list(dict.fromkeys(case.chart_value(along) for case in drawn.values()))
    numbers = all(isinstance(value, int | float) for value in values)
    words = not numbers or all(value_text(value) in chart.words for value in values)
    values = sorted(values) if numbers else _numbered(values)
    place = {value: float(i if words else value) for i, value in enumerate(values)}
    shared = {name for name, case in drawn.items() if chart.lines and case.chart_value(chart.lines[0]) is None}
    keys = {
        name: tuple(case.chart_value(key) for key in chart.lines) for name, case in drawn.items() if name not in shared
    }
    labels = _labels(chart, list(dict.fromkeys(keys.values())) or [()])
    found = []
    for label, members in _by_panel(chart, drawn).items():
        lines = []
        for style, key in enumerate(labels):
            own = [name for name in members if keys.get(name) == key]
            if own or not keys:
                ordered = sorted(
                    (place[drawn[name].chart_value(along)], name)
                    for name in (*(one for one in members if one in shared), *own)
                )
                lines.append(
                    ChartLine(labels[key], style, tuple(name for _, name in ordered), tuple(at for at, _ in ordered))
                )
        found.append(ChartPanel(label, tuple(lines)))
    quantity = type(experiment.cases[next(iter(drawn))]).quantity(along) if drawn and numbers else None
    write = (lambda value: quantity.format(round(value))) if quantity else "{:g}".format
    written = tuple(
        chart.words.get(value_text(value), write(value) if numbers else value_text(value)) for value in place
    )
    in_order = numbers or _ordered([value_text(value) for value in place])
    return ChartAxis(tuple(place.values()), written, words, in_order, write), found


def bar_panels(experiment: Experiment, cases: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return for each panel its label and, by what stands beside a bar, its cases out of those given.

    That is what the chart calls the case, or its name, without the value that makes the panel where no two are then
    called the same.
    """
    chart = experiment.chart
    drawn = {name: case for name, case in _drawn(experiment).items() if name in cases}
    if chart is None:
        return [("", {name: name for name in drawn})]
    found = []
    for label, members in (_by_panel(chart, drawn) if chart.panels else {"": list(drawn)}).items():
        short = {
            name: chart.words.get(name) or _without(name, [drawn[name].chart_value(key) for key in chart.panels])
            for name in members
        }
        apart = len(set(short.values())) == len(short)
        found.append((label, {short[name] if apart else name: name for name in members}))
    return found


def case_styles(experiment: Experiment, cases: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return for each case the number of its style and what it is called: by the values of ``lines``, or by its name.

    Cases of other panels with equal values have equal styles.
    """
    chart = experiment.chart
    if chart is None or not chart.lines:
        words = {} if chart is None else chart.words
        return {case: (i, words.get(case, case)) for i, case in enumerate(dict.fromkeys(cases))}
    keys = {name: tuple(experiment.cases[name].chart_value(key) for key in chart.lines) for name in cases}
    labels = _labels(chart, list(dict.fromkeys(keys.values())))
    # What has none of these values is called what it is called.
    labels |= {key: name for name, key in keys.items() if not labels[key]}
    numbers = {key: i for i, key in enumerate(labels)}
    return {name: (numbers[key], labels[key]) for name, key in keys.items()}


def saturation_points(experiment: Experiment, percent: Mapping[str, float]) -> list[tuple[str, str | None]]:
    """Return each line's label and its first saturated case, or None where there is none.

    Args:
        experiment: whose chart says from which per cent on a case counts as saturated.
        percent: throughput of cases in per cent of the baseline; those missing count as not saturated.
    """
    if experiment.chart is None or experiment.chart.saturated_percent is None:
        return []
    share = experiment.chart.saturated_percent
    _, panels = chart_panels(experiment)
    return [
        (
            ", ".join(filter(None, (panel.label, line.label))),
            next(
                (
                    name
                    for name in line.cases
                    if percent.get(name, 0.0) >= share * experiment.cases[name].chart_value("planes")
                ),
                None,
            ),
        )
        for panel in panels
        for line in panel.lines
        if any(name in percent for name in line.cases)
    ]


def _drawn(experiment: Experiment) -> dict[str, Case]:
    chart = experiment.chart
    return {name: case for name, case in experiment.cases.items() if chart is None or chart.draws(name)}


def _by_panel(chart: Chart, drawn: Mapping[str, Case]) -> dict[str, list[str]]:
    """Return the names of each panel's cases by its label; those without a value of its key are in all."""
    own = {name: tuple(case.chart_value(key) for key in chart.panels) for name, case in drawn.items()}
    nothing = (None,) * len(chart.panels)
    found = {}
    for values in dict.fromkeys(values for values in own.values() if values != nothing):
        pairs = zip(chart.panels, values, strict=True)
        label = ", ".join(_value_label(chart, key, value) for key, value in pairs if value is not None)
        found[label] = [name for name, its in own.items() if its in (nothing, values)]
    return found or {"": list(drawn)}


def _without(name: str, values: Iterable[Any]) -> str:
    """Return the name of a case without values that make its panel."""
    for value in values:
        name = name.replace(f"-{slug(value)}", "")
    return name


def _labels(chart: Chart, keys: Sequence[tuple[Any, ...]]) -> dict[tuple[Any, ...], str]:
    """Return what each line is called: its values in words, but for those that all share, where each has another."""
    telling = [len(set(values)) > 1 for values in zip(*keys, strict=True)]

    def label(key: tuple[Any, ...], tells: Sequence[bool]) -> str:
        words = (
            _value_label(chart, name, value)
            for name, value, told in zip(chart.lines, key, tells, strict=False)
            if told and value is not None
        )
        return ", ".join(filter(None, words))

    short = {key: label(key, telling) for key in keys}
    return short if all(short.values()) else {key: label(key, [True] * len(key)) for key in keys}


def _numbered(values: Iterable[Any]) -> list[Any]:
    """Return words with those that differ by a number at their end in its order, where the first of them stands."""
    groups: dict[str, list[tuple[float, Any]]] = {}
    for value in values:
        found = _NUMBERED.match(value_text(value))
        groups.setdefault(found[1] if found else value_text(value), []).append(
            (float(found[2]) if found else 0.0, value)
        )
    return [value for group in groups.values() for _, value in sorted(group, key=lambda one: one[0])]


def _ordered(words: Sequence[str]) -> bool:
    """Return whether words differ by a number at their end, all but one of several."""
    groups = Counter(match[1] for word in words if (match := _QUANTITY.fullmatch(word)))
    return max(groups.values(), default=0) >= max(len(words) - 1, min(len(words), 2))


def _value_label(chart: Chart, key: str, value: Any) -> str:
    if (words := chart.words.get(value_text(value))) is not None:
        return words
    if key == "planes":
        return "1 plane" if value == 1 else f"{value} planes"
    if isinstance(value, str | tuple):
        return value_text(value)
    return f"{key.replace('_', ' ').replace('.', ' ')} {value:g}"
