"""Sentences about a document, as templates: ``"{flows[completed]:,} of {flows[total]:,} complete"``.

Templates are those of :meth:`str.format_map`, with more formats, and with parts that may be left out::

    {fct[mean]:us}         microseconds, in the unit that suits: 1.5 ms
    {lost_share:.3g %}     a share in per cent: 12.3 %
    {delay_us:.5g us}      a unit behind a number
    {planes:plane}         a count and its noun: 1 plane, 1,024 planes
    {rate_gbps:short}      a number with four digits: 1590
    {p99:-|.4g}            what stands before the bar where there is no value; "none" without a bar
    [[lost?, {lost:,} lost]]   left out where what stands before the question mark is missing, None, 0 or empty
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from typing import Any

from pnet_lp.units import format_short, format_us

_OPTIONAL = re.compile(r"\[\[([^?]+)\?(.*?)\]\](?!\])", re.DOTALL)
_NOUN = re.compile(r"[a-z]{3,}")


class _Formatter(string.Formatter):
    """Fills templates."""

    def format_field(self, value: Any, format_spec: str) -> str:
        absent, bar, form = format_spec.rpartition("|")
        if value is None:
            return absent if bar else "none"
        if form == "us":
            return format_us(value)
        if form == "short":
            return format_short(value)
        if _NOUN.fullmatch(form):
            return counted(value, form)
        number, blank, unit = form.partition(" ")
        return f"{100 * value if unit == '%' else value:{number}}{blank}{unit}"


_FORMATTER = _Formatter()


def fill(template: str, values: Mapping[str, Any]) -> str:
    """Return a template filled with values by name."""
    parts = _OPTIONAL.sub(lambda part: part[2] if _known(part[1], values) else "", template)
    return _FORMATTER.vformat(parts, (), values)


def _known(name: str, values: Mapping[str, Any]) -> bool:
    try:
        return bool(_FORMATTER.get_field(name, (), values)[0])
    except (KeyError, TypeError):
        return False


def counted(number: float, noun: str) -> str:
    """Return how many there are of something: ``1 switch``, ``2 switches``."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"
