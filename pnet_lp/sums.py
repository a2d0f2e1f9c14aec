"""Expressions inside expressions: what stands outside of brackets, and the terms of a sum."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pnet_lp.errors import SpecError

MOST_TERMS = 1000
"""Of a sum."""

# A plus begins a term where a name or a factor follows it: 1e+3 is one number.  Possessive where it repeats: the search
# never goes back, so its time is linear.
_PLUS = re.compile(r"(?<![0-9][eE])\+(?=\s*+(?:[0-9.][^*+\s]*+\s*+\*\s*+)?[A-Za-z./~])")


def split_sum(text: str) -> list[str]:
    """Return the terms of a sum, or raise SpecError: there are too many, or brackets do not match."""
    parts = list(outside_brackets(_PLUS, text))
    if len(parts) > MOST_TERMS:
        raise SpecError("too many terms of a sum", found=len(parts), allowed=f"at most {MOST_TERMS}")
    return parts


def outside_brackets(separator: re.Pattern[str], text: str) -> Iterator[str]:
    """Yield the parts of ``text`` between the separators outside of square brackets.

    Raises:
        SpecError: brackets that do not match.
    """
    depth = begin = done = 0
    for match in separator.finditer(text):
        depth += text.count("[", done, match.start()) - text.count("]", done, match.start())
        done = match.start()
        if depth < 0:
            break
        if depth == 0:
            yield text[begin:done]
            begin = match.end()
    if depth + text.count("[", done) - text.count("]", done):
        raise SpecError("brackets that do not match", found=text)
    yield text[begin:]
