"""FatClique: cliques of cliques of cliques."""

from __future__ import annotations

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.model import Plane
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.layout import Groups
from pnet_lp.topology.family import HostParams, check_size, topologies


class FatClique(HostParams):
    """Parameters of ``fat-clique``."""

    s_c: int = Field(ge=1, description="switches of a sub-block, every two joined (paper: S_c)")
    s_b: int = Field(1, ge=1, description="sub-blocks of a block (paper: S_b)")
    n_b: int = Field(1, ge=1, description="number of blocks (paper: N_b)")
    block_ports: int = Field(0, ge=0, description="ports of a switch for other sub-blocks of its block")
    global_ports: int = Field(0, ge=0, description="ports of a switch for other blocks")
    hosts_per_switch: int = Field(0, ge=0, description="hosts on each switch (paper: s)")

    @model_validator(mode="after")
    def _cliques(self) -> FatClique:
        if self.s_c * self.s_b * self.n_b == 1:
            raise ValueError("a single switch is not a network; s_c, s_b or n_b must be more than 1")
        levels = (
            ("block_ports", self.block_ports, self.s_c, self.s_b, "s_b", "sub-blocks"),
            ("global_ports", self.global_ports, self.s_c * self.s_b, self.n_b, "n_b", "blocks"),
        )
        for key, ports, size, groups, count, what in levels:
            if groups == 1 and ports:
                raise ValueError(f"{key} has no meaning where {count} is 1")
            if size * ports < groups - 1:
                raise ValueError(
                    f"every two {what} need a cable: {groups - 1} from each, and {key} gives {size} x {ports}"
                )
        return self


@topologies.register(
    "fat-clique",
    params=FatClique,
    example="s_c=3,s_b=2,n_b=2,block_ports=1,global_ports=1",
    summary="switches in cliques (sub-blocks), sub-blocks in cliques (blocks), blocks in a clique",
    source="Zhang et al.: Understanding Lifecycle Management Complexity of Datacenter Topologies, NSDI 2019",
)
def fat_clique(params: FatClique) -> Plane:
    """Return a FatClique of ``n_b s_b s_c`` switches.

    Every two sub-blocks of a block are joined by equally many cables, as many as ``block_ports`` allows, and every two
    blocks likewise by ``global_ports``; ports that are left over stay free.  The cables of a group go round its
    switches in turn, those of a block changing the sub-block each time.  Switch c of sub-block b of block a
    is ``(a s_b + b) s_c + c``.
    """
    s_c, s_b, n_b = params.s_c, params.s_b, params.n_b
    block = s_c * s_b
    n = n_b * block
    per_switch = s_c - 1 + params.block_ports + params.global_ports
    check_size("fat-clique", switches=n, cables=n * per_switch // 2, hosts=n * params.hosts_per_switch)
    i, j = np.triu_indices(s_c, 1)
    inside = np.stack([i, j])
    between = _clique_of_groups(s_b, s_c, params.block_ports)
    u, v = [], []
    for first in range(0, n, block):
        for sub in range(first, first + block, s_c):
            u.append(sub + inside[0])
            v.append(sub + inside[1])
        u.append(first + between[0])
        v.append(first + between[1])
    across = _clique_of_groups(n_b, block, params.global_ports)
    place = across % block
    across = ints(across - place + place % s_b * s_c + place // s_b)
    u.append(across[0])
    v.append(across[1])
    return Plane.from_cables(
        n,
        np.concatenate(u),
        np.concatenate(v),
        params.link_gbps,
        host_switch=np.repeat(np.arange(n), params.hosts_per_switch),
        access_gbps=params.access_gbps,
        layout=Groups((s_c, s_b, n_b)),
    )


def _clique_of_groups(groups: int, size: int, ports: int) -> IntArray:
    """Return int32 ``[2, m]``, the ends of equally many cables between every two groups of ``size`` members.

    Members take their turns, so that no two of a group differ by more than one cable, and the second end moves on by
    one member each time the first has gone round once, so that a pair of members is joined twice only
    where there are more cables than pairs.
    """
    if groups == 1:
        return ints(np.empty((2, 0)))
    each = size * ports // (groups - 1)
    i, j = (index[:, None] for index in np.triu_indices(groups, 1))
    cable = np.arange(each)
    # The last, incomplete round does not move on: it must begin where the group's turn is.
    moved = np.where(cable // size < each // size, cable // size + 1, 0)
    # Group j is the (j - 1)-th neighbour of i < j, and i the i-th neighbour of j.
    first = i * size + ((j - 1) * each + cable) % size
    second = j * size + (i * each + cable + moved) % size
    return ints(np.stack([first.ravel(), second.ravel()]))
