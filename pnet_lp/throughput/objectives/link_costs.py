"""What a Gb/s on each link costs, from a file, for ``min-cost``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pnet_lp.model import Network
from pnet_lp.model.arcs import usable_arcs
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.topology.links import read_link_values
from pnet_lp.units import AMOUNTS, are_amounts


def read_link_costs(path: str | Path, network: Network) -> FloatArray:
    """Return float64 ``[A]``: what a Gb/s on each arc of the flow problem costs.

    Raises:
        SpecError: as :func:`~pnet_lp.topology.links.read_link_values` for the column ``cost``.
    """
    arcs = usable_arcs(network)
    costs = read_link_values(path, network, "cost", lambda cost: bool(are_amounts(cost)), AMOUNTS)
    ranges = zip(arcs.ptr, arcs.ptr[1:], strict=False)
    return floats(np.concatenate([cost[arcs.id[first:end]] for cost, (first, end) in zip(costs, ranges, strict=True)]))
