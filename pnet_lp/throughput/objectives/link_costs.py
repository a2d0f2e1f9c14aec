"""What a Gb/s on each link costs, from a file, for ``min-cost``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.files import read_table
from pnet_lp.model import Network
from pnet_lp.model.arcs import usable_arcs
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.units import AMOUNTS, are_amounts, parse_number

COLUMNS = ["plane", "u", "v", "cost"]


def read_link_costs(path: str | Path, network: Network) -> FloatArray:
    """Return float64 ``[A]``: what a Gb/s on each arc of the flow problem costs.

    The file is a table ``plane,u,v,cost``, a row for each directed link between switches, given by the number of its
    plane and the names of its ends; of parallel links all cost the same.  Links that it does not name cost 1.

    Raises:
        SpecError: the file cannot be read, or a row does not name a link and a finite cost >= 0; the message has the
            line.
    """
    arcs = usable_arcs(network)
    places: dict[tuple[str, str, str], list[int]] = {}
    for p, plane in enumerate(network.planes):
        names = plane.switch_names
        for a in range(arcs.ptr[p], arcs.ptr[p + 1]):
            places.setdefault((str(p), names[arcs.tail[a]], names[arcs.head[a]]), []).append(a)
    costs = np.ones(len(arcs.capacity))
    for where, (*link, text) in read_table(path, COLUMNS, SpecError):
        here = places.get((link[0], link[1], link[2]))
        if here is None:
            raise SpecError(f"plane {link[0]} has no link from {link[1]!r} to {link[2]!r}", where=where)
        costs[here] = _cost(text, where)
    return floats(costs)


def _cost(text: str, where: str) -> float:
    cost = parse_number(text)
    if not are_amounts(cost):
        raise SpecError("not a cost", where=where, found=text, allowed=AMOUNTS)
    return cost
