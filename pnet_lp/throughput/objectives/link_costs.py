"""What a Gb/s on each link costs, from a file, for ``min-cost``."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.model import Network
from pnet_lp.model.arcs import usable_arcs
from pnet_lp.model.arrays import FloatArray, floats

COLUMNS = ["plane", "u", "v", "cost"]


def read_link_costs(path: str | Path, network: Network) -> FloatArray:
    """Return float64 ``[A]``: what a Gb/s on each arc of the flow problem costs.

    The file is a table ``plane,u,v,cost``, a row for each directed link between switches, given by the number of its
    plane and the names of its ends; of parallel links all cost the same.  Links that it does not name cost 1.

    Raises:
        SpecError: the file cannot be read, or a row does not name a link and a finite cost >= 0; the message has the
            line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no text in UTF-8"
        raise SpecError(f"cannot be read ({reason})", where=str(path)) from None
    rows = list(csv.reader(lines))
    if not rows or rows[0] != COLUMNS:
        raise SpecError(
            "the first line is no header of link costs",
            where=f"{path}:1",
            found=",".join(rows[0]) if rows else "",
            allowed=",".join(COLUMNS),
        )
    arcs = usable_arcs(network)
    places: dict[tuple[str, str, str], list[int]] = {}
    for p, plane in enumerate(network.planes):
        names = plane.switch_names
        for a in range(arcs.ptr[p], arcs.ptr[p + 1]):
            places.setdefault((str(p), names[arcs.tail[a]], names[arcs.head[a]]), []).append(a)
    costs = np.ones(len(arcs.capacity))
    for number, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        where = f"{path}:{number}"
        if len(row) != len(COLUMNS):
            raise SpecError(
                "not a row of link costs", where=where, found=",".join(row), allowed=",".join(COLUMNS)
            )
        *link, text = row
        here = places.get((link[0], link[1], link[2]))
        if here is None:
            raise SpecError(f"plane {link[0]} has no link from {link[1]!r} to {link[2]!r}", where=where)
        costs[here] = _cost(text, where)
    return floats(costs)


def _cost(text: str, where: str) -> float:
    try:
        cost = float(text)
    except ValueError:
        cost = math.nan
    if not (math.isfinite(cost) and cost >= 0):
        raise SpecError("not a cost", where=where, found=text, allowed="a finite number >= 0")
    return cost
