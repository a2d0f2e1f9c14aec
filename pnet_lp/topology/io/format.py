"""What a file format is: text to plane, plane to text."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pnet_lp.errors import TopologyError
from pnet_lp.model import Plane


@dataclass(frozen=True)
class Format:
    """One file format.

    Attributes:
        name: for messages.
        suffixes: of files in this format, lower case, the usual one first.
        matches: whether a text is in this format, broken or not; only called with texts that are not blank.
        parse: ``(text, where, link_gbps) -> plane``; ``where`` is the file, ``link_gbps`` the speed of links without
            one.  Raises TopologyError, naming file and line where the format has lines, and nothing else.
        render: ``plane -> text``, such that ``parse`` gives the same plane back; raises TopologyError where the
            format cannot hold the plane.
    """

    name: str
    suffixes: tuple[str, ...]
    matches: Callable[[str], bool]
    parse: Callable[[str, str, float], Plane]
    render: Callable[[Plane], str]


def parse_speed(token: str, where: str) -> float:
    """Return the speed in Gb/s that ``token`` gives, or raise TopologyError."""
    try:
        speed = float(token)
    except ValueError:
        speed = math.nan
    if not 0 <= speed < math.inf:
        raise TopologyError("not a speed", where=where, found=token, allowed="finite Gb/s >= 0")
    return speed
