"""BCube: servers with several ports, joined by switches that are not joined to each other."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import LinkParams, check_size, topologies
from pnet_lp.topology.hosts import server_plane


class BCube(LinkParams):
    """Parameters of ``bcube``."""

    n: int = Field(ge=2, description="ports of a switch (paper: n)")
    k: int = Field(ge=0, le=12, description="level (paper: k); a server has k + 1 ports")


@topologies.register(
    "bcube",
    params=BCube,
    example="n=3,k=1",
    summary="n^(k+1) servers of k + 1 ports that forward for each other, (k+1) n^k switches",
    source="Guo et al.: BCube: A High Performance, Server-centric Network Architecture for Modular Data Centers, "
    "SIGCOMM 2009",
)
def bcube(params: BCube) -> Plane:
    """Return BCube_k: server and switch of level l are joined where their digits agree but for the server's l-th.

    Servers forward, so a server is a node of the graph (tier 0, a rack of its own) with one host behind it; see
    :func:`~pnet_lp.topology.hosts.server_plane`.
    """
    n, levels = params.n, params.k + 1
    servers, per_level = n**levels, n**params.k
    check_size("bcube", switches=servers + levels * per_level, cables=servers * levels, hosts=servers)
    server = np.arange(servers)
    u, v = [], []
    for level in range(levels):
        low, high = server % n**level, server // n ** (level + 1)
        u.append(server)
        v.append(servers + level * per_level + high * n**level + low)
    names = [f"switch{level}.{i}" for level in range(levels) for i in range(per_level)]
    tiers = np.repeat(np.arange(1, levels + 1), per_level)
    return server_plane(servers, names, tiers, np.concatenate(u), np.concatenate(v), levels, params)
