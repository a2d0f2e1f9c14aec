"""DCell: servers with several ports, joined to each other and by small switches."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.model.layout import Groups
from pnet_lp.topology.family import LinkParams, check_size, topologies
from pnet_lp.topology.hosts import server_plane


class DCell(LinkParams):
    """Parameters of ``dcell``."""

    n: int = Field(ge=2, description="servers of a DCell_0, on one switch (paper: n)")
    k: int = Field(ge=0, le=4, description="level (paper: k); a server has k + 1 ports")


@topologies.register(
    "dcell",
    params=DCell,
    example="n=3,k=1",
    summary="servers of k + 1 ports that forward for each other: one cable between every two cells of each level",
    source="Guo et al.: DCell: A Scalable and Fault-Tolerant Network Structure for Data Centers, SIGCOMM 2008",
)
def dcell(params: DCell) -> Plane:
    """Return DCell_k of ``t_k`` servers, where t_0 = n and t_k = t_(k-1) (t_(k-1) + 1).

    In each DCell of level l, sub-cells i < j are joined by the cable between server j - 1 of i and server i of j.
    Servers forward, so a server is a node of the graph (tier 0, a rack of its own) with one host behind it; see
    :func:`~pnet_lp.topology.hosts.server_plane`.
    """
    n = params.n
    sizes = [n]
    for _ in range(params.k):
        sizes.append(sizes[-1] * (sizes[-1] + 1))
        check_size("dcell", hosts=sizes[-1], cables=sizes[-1] * (params.k + 2) // 2)
    servers = sizes[-1]
    u, v = [np.arange(servers)], [servers + np.arange(servers) // n]
    for size in sizes[:-1]:
        i, j = np.triu_indices(size + 1, 1)
        first = np.arange(0, servers, size * (size + 1))[:, None]
        u.append((first + i * size + j - 1).ravel())
        v.append((first + j * size + i).ravel())
    names = [f"switch{i}" for i in range(servers // n)]
    layout = Groups((n, *(size + 1 for size in sizes[:-1])))
    tiers = np.ones(len(names))
    return server_plane(servers, names, tiers, np.concatenate(u), np.concatenate(v), params.k + 1, params, layout)
