"""Kinds of charts of experiments, by the expressions that a spec names them with."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from pnet_lp.registry import Entry, Params, Registry, parse_expression


class ChartParams(Params):
    """Base of the parameters of a kind of chart.

    Class attributes:
        along: whether it has an axis of a key of cases, and what goes with one.
    """

    along: ClassVar[bool] = False

    @property
    def quantities(self) -> list[str]:
        """What it shows in place of the column of the experiment; texts that may have other words."""
        return []

    def check(self, columns: Collection[str]) -> None:
        """Raise SpecError where it shows what is none of the columns of a question."""


CHART_KINDS: Registry[Any] = Registry("chart", package="pnet_lp.report.charts", group="pnet_lp.charts")
"""Classes that are made of parameters, an experiment, its rows and the claims about it."""


def parse_chart(expression: str) -> tuple[Entry[Any], ChartParams]:
    """Return the kind of chart that an expression names, and its parameters.

    Raises:
        SpecError: there is no such kind, or a parameter is wrong.
    """
    name, values = parse_expression(expression, CHART_KINDS)
    entry = CHART_KINDS.get(name)
    params = entry.validate(values)
    assert isinstance(params, ChartParams)
    return entry, params
