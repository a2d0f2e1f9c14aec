"""Expressions for several planes: ``8x[leaf-spine:leaves=4,spines=2]``, ``[a]+4x[b]``, ``8~[jellyfish:k=8]``.

The grammar, with blanks anywhere outside a TOPOLOGY::

    planes  = term {"+" term}
    term    = [count ("x" | "~")] "[" (planes | TOPOLOGY) "]"

``x`` repeats what stands in brackets; ``~`` draws as many planes of one random TOPOLOGY, each with a seed of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pnet_lp.errors import SpecError
from pnet_lp.model.network import MOST_PLANES

Sign: TypeAlias = Literal["x", "~"]

_OPENING = re.compile(r"\s*(?:(?P<count>[0-9]+)\s*(?P<sign>[x~])\s*)?\[")
_BRACKET = re.compile(r"[\[\]]")
_DEEPEST = 16

_FORM = "such as 8x[TOPOLOGY] or [TOPOLOGY]+4x[TOPOLOGY]"


@dataclass(frozen=True)
class Term:
    """One term of an expression for several planes.

    Attributes:
        text: what stands in brackets.
        count: how often it is there.
        sign: ``~`` where the planes are drawn one by one, ``x`` where they are copies.
    """

    text: str
    count: int = 1
    sign: Sign = "x"

    def __str__(self) -> str:
        return f"{'' if (self.count, self.sign) == (1, 'x') else f'{self.count}{self.sign}'}[{self.text}]"


def is_planes(text: str) -> bool:
    """Whether ``text`` begins as an expression for several planes does."""
    return _OPENING.match(text) is not None


def parse_planes(text: str) -> tuple[Term, ...]:
    """Return the terms of an expression for several planes; what stands in their brackets is not parsed.

    Raises:
        SpecError: a bracket that is not closed or not open, something else between terms, empty brackets, a count out
            of range, or brackets nested too deeply; the message gives the position of the character, from 1.
    """
    terms: list[Term] = []
    place = 0
    while True:
        opening = _OPENING.match(text, place)
        if opening is None:
            raise _error("expected a term", text, place)
        end = _closing(text, opening.end() - 1)
        count, sign = opening["count"] or "1", opening["sign"] or "x"
        if len(count) > len(str(MOST_PLANES)) or not 1 <= int(count) <= MOST_PLANES:
            raise SpecError("number of planes out of range", where=text, found=count, allowed=f"1 to {MOST_PLANES}")
        inner = text[opening.end() : end].strip()
        if not inner:
            raise _error("empty brackets", text, opening.end() - 1)
        terms.append(Term(inner, int(count), "x" if sign == "x" else "~"))
        place = end + 1 + len(text[end + 1 :]) - len(text[end + 1 :].lstrip())
        if place == len(text):
            return tuple(terms)
        if text[place] != "+":
            raise _error("']' closes no bracket" if text[place] == "]" else "expected '+'", text, place)
        place += 1


def leaves(text: str) -> tuple[str, ...]:
    """Return the TOPOLOGIES of an expression for several planes, each occurrence once; of any other text, itself."""
    if not is_planes(text):
        return (text,)
    return tuple(leaf for term in parse_planes(text) for leaf in leaves(term.text))


def check_brackets(text: str) -> None:
    """Raise SpecError where brackets stand in a ``text`` that is no expression for several planes."""
    bracket = _BRACKET.search(text)
    if bracket is not None:
        problem = "']' closes no bracket" if bracket[0] == "]" else "a TOPOLOGY stands before a bracket"
        raise _error(problem, text, bracket.start())


def _closing(text: str, opening: int) -> int:
    """Return the place of the bracket that closes the one at ``opening``."""
    depth = 0
    for bracket in _BRACKET.finditer(text, opening):
        depth += 1 if bracket[0] == "[" else -1
        if depth == 0:
            return bracket.start()
        if depth > _DEEPEST:
            raise _error(f"brackets are nested more than {_DEEPEST} deep", text, bracket.start())
    raise _error("'[' is not closed", text, opening)


def _error(problem: str, text: str, place: int) -> SpecError:
    return SpecError(f"{problem} at character {place + 1}", found=text, allowed=_FORM)
