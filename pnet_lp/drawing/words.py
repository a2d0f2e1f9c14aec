"""Numbers in the words of a picture."""

from __future__ import annotations


def counted(count: int, what: str) -> str:
    """Return ``3 cables``, or ``1 cable``; the plural of a switch is in ``es``."""
    ending = "" if count == 1 else "es" if what.endswith("ch") else "s"
    return f"{count:,} {what}{ending}"


def number(value: float) -> str:
    """Return a number as far as a picture needs it."""
    return f"{value:,.6g}"
