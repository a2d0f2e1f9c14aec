"""How much of the links, switches or ports of a plane fails: a share of them, or a number of them."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import Any, TypeAlias

from pydantic import BeforeValidator

from pnet_lp.errors import SpecError
from pnet_lp.flags import Flag
from pnet_lp.units import parse_number

Portion: TypeAlias = float | int | str
"""A share below 1, a number from 2 on, or as text ``100%`` or ``1 link``: a bare 1 could be either."""

ALL = "100%"

_COUNT = re.compile(r"([0-9]{1,9}) ?([a-z]+)")


def parse_portion(value: object, part: str) -> Portion:
    """Return what is written as ``0.01``, ``1%``, ``3`` or ``1 link``, for links, as a :data:`Portion`.

    Args:
        value: a number or a text.
        part: ``link``, ``switch``, ``port``, ``nic`` or ``server``.

    Raises:
        SpecError: it is none of these, or a bare 1.
    """
    where = f"fail_{plural(part)}"
    text = str(value).strip().lower()
    counted = _COUNT.fullmatch(text)
    if counted and counted[2] in (part, plural(part)):
        count = int(counted[1])
        return count if count > 1 else f"1 {part}" if count else 0.0
    percent = text.endswith("%")
    number = math.nan if isinstance(value, bool) else parse_number(text.removesuffix("%")) / (100 if percent else 1)
    if percent and number == 1:
        return ALL
    if 0 <= number < 1:
        return number
    if number == 1:
        meant = f"{ALL} for all, '1 {part}' for one"
        raise SpecError("may mean all of them or a single one", where=where, found=value, allowed=meant)
    if percent or not (number > 1 and number == int(min(number, 1e9))):
        allowed = f"0.01 or 1%, 3, '1 {part}', {ALL}"
        raise SpecError(f"not a share or a number of {plural(part)}", where=where, found=value, allowed=allowed)
    return int(number)


def portion_of(part: str, **flag: Any) -> tuple[BeforeValidator, Flag]:
    """Return the metadata of a field that says how many ``part`` fail."""
    parse = partial(parse_portion, part=part)
    return BeforeValidator(parse), Flag(metavar="F", parse=parse, **flag)


def plural(part: str) -> str:
    """Return the plural of a part."""
    return f"{part}es" if part.endswith("ch") else f"{part}s"


def is_count(portion: Portion) -> bool:
    """Whether it is a number of parts, not a share of them."""
    return isinstance(portion, int) or (isinstance(portion, str) and portion != ALL)


def share_of(portion: Portion) -> float:
    """Return a share as a number; 1 for all."""
    return 1.0 if portion == ALL else float(portion)


def count_of(portion: Portion, total: int) -> int:
    """Return how many of ``total`` parts fail; halves are rounded up."""
    if not is_count(portion):
        return math.floor(share_of(portion) * total + 0.5)
    return portion if isinstance(portion, int) else 1


def in_words(portion: Portion, part: str) -> str:
    """Return it as it is shown: ``20 %`` or ``3 links``."""
    if not is_count(portion):
        return f"{100 * share_of(portion):g} %"
    return portion if isinstance(portion, str) else f"{portion:,} {plural(part)}"
