"""A rack sends no more than the links out of its switches carry."""

import numpy as np

from pnet_lp.throughput.bounds import Bound, Instance
from pnet_lp.throughput.bounds.base import BOUNDS


@BOUNDS.register("uplinks", summary="links out of an endpoint's switches, over what the endpoint sends")
def uplinks(instance: Instance) -> Bound:
    """Return the least ratio over all endpoints; what stays on a switch needs no link, so it is left out."""
    flow = instance.problem
    sent = np.zeros(flow.attach.shape[1])
    away = np.all(flow.attach[:, flow.src] != flow.attach[:, flow.dst], axis=0)
    np.add.at(sent, flow.src[away], flow.demand[away])
    carried = np.zeros(len(sent))
    for p in range(flow.plane_count):
        arcs = slice(flow.arc_ptr[p], flow.arc_ptr[p + 1])
        out = np.bincount(flow.tail[arcs], flow.capacity[arcs], minlength=flow.node_count[p])
        carried += np.where(flow.attach[p] >= 0, out[flow.attach[p]], 0.0)
    requested = sent > 0
    return Bound(float((carried[requested] / sent[requested]).min(initial=np.inf)), exact=True)
