"""Sums of matrices in one expression, such as ``0.5*all-to-all+2*permutation:seed=3``."""

from __future__ import annotations

import re

from pnet_lp.errors import SpecError
from pnet_lp.sums import split_sum
from pnet_lp.units import parse_number

# Possessive where it repeats: the search never goes back, so its time is linear.
_TERM = re.compile(r"(?:(?P<factor>[-0-9.][^*\s]*+)\s*+\*\s*+)?(?P<text>.*)", re.DOTALL)


def split_terms(text: str) -> list[tuple[float, str]]:
    """Split ``text`` into its terms, each a factor (1.0 where none is given) and the expression or file it scales.

    Raises:
        SpecError: a factor that is not a positive number, a term without anything to scale, or too many terms.
    """
    return [_term(part, text) for part in split_sum(text)]


def _term(part: str, text: str) -> tuple[float, str]:
    match = _TERM.fullmatch(part.strip())
    assert match is not None  # everything in the pattern is optional
    if not match["text"]:
        raise SpecError("a term of a sum is empty", found=text, allowed="2*name+name:key=value")
    if match["factor"] is None:
        return 1.0, match["text"]
    factor = parse_number(match["factor"])
    if not 0 < factor < float("inf"):
        raise SpecError("invalid factor", where=text, found=match["factor"], allowed="finite numbers > 0")
    return factor, match["text"]
