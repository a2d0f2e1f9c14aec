"""Charts in files: formats of figures of matplotlib, chosen by suffix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pnet_lp.errors import SpecError
from pnet_lp.formats import Formats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHART_FORMATS: Formats[Figure] = Formats("chart", SpecError, package="pnet_lp.charts", group="pnet_lp.chart_formats")
"""``write(figure, path)``; equal figures give equal bytes with the same matplotlib."""
