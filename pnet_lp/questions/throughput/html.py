"""A result as HTML: its bounds on a scale, and what it is of."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from pnet_lp.errors import printable
from pnet_lp.model import ThroughputResult
from pnet_lp.questions.throughput.sentences import throughput_lines
from pnet_lp.units import format_bounds

_WIDTH, _HEIGHT, _EDGE = 360, 46, 8


def result_html(result: ThroughputResult, document: Mapping[str, Any]) -> str:
    """Return a result, of which the ``document`` is, as a table, below a drawing of its two bounds where it has two."""
    rows = "".join(
        f"<tr><th scope='row' style='text-align:left;font-weight:600'>{escape(label)}</th>"
        f"<td style='text-align:left'>{escape(printable(text))}</td></tr>"
        for label, text in throughput_lines(document)
    )
    return f"<div>{_bounds(result)}<table>{rows}</table></div>"


def _bounds(result: ThroughputResult) -> str:
    """Return the interval between the bounds as SVG, on a scale from 0 on that just holds it.

    Colours are those of the text around it, so that it is seen on any background.
    """
    lower, upper = result.interval.lower, result.interval.upper
    if not (result.headline.bounded and 0 < upper < float("inf")):
        return ""
    left, right = (_EDGE + (_WIDTH - 2 * _EDGE) * bound / upper for bound in (lower, upper))
    words = format_bounds(lower, upper)
    middle = _HEIGHT - 16
    return (
        f"<svg role='img' aria-label='{escape(words)}' width='{_WIDTH}' height='{_HEIGHT}' "
        f"viewBox='0 0 {_WIDTH} {_HEIGHT}' style='color:inherit'>"
        f"<line x1='{_EDGE}' x2='{right:.2f}' y1='{middle}' y2='{middle}' stroke='currentColor' stroke-opacity='0.3'/>"
        f"<rect x='{left:.2f}' width='{max(right - left, 1.5):.2f}' y='{middle - 6}' height='12' fill='#0072b2'/>"
        f"<text x='{right:.2f}' y='{middle - 12}' text-anchor='end' font-size='12' fill='currentColor'>"
        f"{escape(words)}</text>"
        f"<text x='{_EDGE}' y='{_HEIGHT}' font-size='11' fill='currentColor'>0</text></svg>"
    )
