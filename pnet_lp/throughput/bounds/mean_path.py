"""The bound of the path lengths: a demand over h hops takes h links' worth of capacity."""

from __future__ import annotations

import numpy as np

from pnet_lp import _core
from pnet_lp.throughput.bounds.base import BOUNDS, Bound, Instance
from pnet_lp.throughput.bounds.volume import bound_by_volume


@BOUNDS.register(
    "mean-path",
    summary="capacity of all links over the sum of demand times hops",
    source="Singla, Godfrey, Kolla: High Throughput Data Center Topology Design, NSDI 2014, section 4",
)
def mean_path(instance: Instance) -> Bound:
    """Return ``sum c_a / sum d_st hops(s, t)``, hops being the fewest over the planes in which the pair has a path.

    A pair without a path has infinitely many, which makes the bound 0.
    """
    problem = instance.problem
    nothing = np.zeros(problem.attach.shape)
    hops = _core.demand_distances(problem.core, np.ones(len(problem.capacity)), nothing, nothing)
    value, lengths = bound_by_volume(problem, float((problem.demand * hops).sum()))
    return Bound(value, exact=True, witness=lengths)
