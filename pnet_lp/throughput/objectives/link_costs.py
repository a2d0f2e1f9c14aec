"""What a Gb/s on each link costs, from a file or as the network's own files say, for ``min-cost``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.model.arcs import usable_arcs
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.topology.links import read_link_values
from pnet_lp.units import AMOUNTS, are_amounts


def read_link_costs(path: str | Path, network: Network) -> FloatArray:
    """Return float64 ``[A]``: what a Gb/s on each arc of the flow problem costs.

    Args:
        path: the file, or the name of a number that the source of each plane gives its cables.
        network: the network.

    Raises:
        SpecError: as :func:`~pnet_lp.topology.links.read_link_values` for the column ``cost``; a plane without such a
            number, or with one that is no cost.
    """
    arcs = usable_arcs(network)
    if any(str(path) in plane.attributes for plane in network.planes):
        costs = [_own(plane, str(path)) for plane in network.planes]
    else:
        costs = read_link_values(path, network, "cost", lambda cost: bool(are_amounts(cost)), AMOUNTS)
    ranges = zip(arcs.ptr, arcs.ptr[1:], strict=False)
    return floats(np.concatenate([cost[arcs.id[first:end]] for cost, (first, end) in zip(costs, ranges, strict=True)]))


def _own(plane: Plane, name: str) -> FloatArray:
    values = plane.attributes.get(name)
    if values is None or not are_amounts(values).all():
        found = None if values is None else float(values[~are_amounts(values)][0])
        raise SpecError(f"not every link of {plane.label or 'a plane'} has a {name}", found=found, allowed=AMOUNTS)
    return floats(values.ravel())
