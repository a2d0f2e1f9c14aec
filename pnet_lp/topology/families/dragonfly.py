"""Dragonfly: groups of switches, every two of them joined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from pnet_lp.model import Plane
from pnet_lp.model.layout import Groups
from pnet_lp.topology.family import HostParams, check_size, topologies
from pnet_lp.topology.hosts import flat_plane
from pnet_lp.topology.sizing import Equipment, fine_steps, sizings

Arrangement: TypeAlias = Literal["absolute", "relative", "circulant"]
_Groups: TypeAlias = npt.NDArray[np.int64]


class Dragonfly(HostParams):
    """Parameters of ``dragonfly``; what is not given is balanced: a = 2h, p = h, g = a h + 1."""

    h: int = Field(ge=1, description="cables of each switch to other groups (paper: h)")
    a: int | None = Field(None, ge=1, description="switches of a group (paper: a); default: 2h")
    p: int | None = Field(None, ge=0, description="hosts on each switch (paper: p); default: h")
    g: int | None = Field(None, ge=2, description="groups (paper: g), at most a h + 1; default: a h + 1")
    arrangement: Arrangement = Field(
        "absolute",
        description="group that port k of group i leads to; absolute: k, leaving out i; relative: i + k + 1; "
        "circulant: i + 1, i - 1, i + 2, i - 2, ...",
    )

    @property
    def size(self) -> tuple[int, int, int]:
        """Numbers of switches in a group, of hosts on a switch, of groups."""
        a = 2 * self.h if self.a is None else self.a
        p = self.h if self.p is None else self.p
        return a, p, a * self.h + 1 if self.g is None else self.g

    @model_validator(mode="after")
    def _enough_ports(self) -> Dragonfly:
        a, _, g = self.size
        if g > a * self.h + 1:
            raise ValueError(f"g = {g} groups are too many for a h = {a * self.h} cables out of each")
        return self


@topologies.register(
    "dragonfly",
    params=Dragonfly,
    example="h=2",
    summary="fully joined groups of a switches, joined to each other by h cables of each switch",
    source="Kim, Dally, Scott, Abts: Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA 2008; arrangements: "
    "Camarero, Vallejo, Beivide: Topological Characterization of Hamming and Dragonfly Networks and Its "
    "Implications on Routing, TACO 2014",
)
def dragonfly(params: Dragonfly) -> Plane:
    """Return ``g`` groups of ``a`` switches; switch j of group i has index ``i a + j``, and ports j h to j h + h - 1.

    With fewer than a h + 1 groups the ports are used in rounds, each of which joins every two groups once.  Ports that
    do not fill a round join each group to its nearest neighbours in index; one port of each group stays free where
    the number of groups and of those ports are both odd.
    """
    a, p, g = params.size
    ports = a * params.h
    check_size("dragonfly", switches=a * g, cables=g * (a * (a - 1) + ports) // 2, hosts=a * g * p)
    i, j = np.triu_indices(a, 1)
    first = np.arange(g)[:, None] * a
    here, port, there, back = global_cables(params.arrangement, ports, g)
    u = np.concatenate([(first + i).ravel(), here * a + port // params.h])
    v = np.concatenate([(first + j).ravel(), there * a + back // params.h])
    return flat_plane(a * g, u, v, p, params, Groups((a, g)))


def global_cables(arrangement: Arrangement, ports: int, g: int) -> _Groups:
    """Return int64 ``[4, m]``, the cables between ``g`` groups of ``ports`` ports: group and port at each end."""
    group = np.arange(g)
    cables = [np.empty((4, 0), dtype=np.int64)]

    def join(port: int, there: _Groups, back: _Groups) -> None:
        """Join ``port`` of each group to port ``back`` of the group ``there``, each cable once."""
        ends = np.stack([group, np.full(g, port), there, back])
        cables.append(ends[:, group < there])

    rounds, rest = divmod(ports, g - 1)
    for turn in range(rounds):
        for k in range(g - 1):
            there, back = _other_end(arrangement, group, k, g)
            join(turn * (g - 1) + k, there, turn * (g - 1) + back)
    begin = rounds * (g - 1)
    for k in range(rest - rest % 2):
        there, back = _other_end("circulant", group, k, g)
        join(begin + k, there, begin + back)
    if rest % 2 and g % 2 == 0:
        # The last port joins opposite groups.
        join(begin + rest - 1, (group + g // 2) % g, np.full(g, begin + rest - 1))
    return np.concatenate(cables, axis=1)


def _other_end(arrangement: Arrangement, group: _Groups, port: int, g: int) -> tuple[_Groups, _Groups]:
    """Return the group and the port at the other end of ``port`` of each group, where every two groups are joined."""
    if arrangement == "absolute":
        there = np.where(port < group, port, port + 1)
        return there, np.where(group < there, group, group - 1)
    if arrangement == "relative":
        return (group + port + 1) % g, np.full_like(group, g - 2 - port)
    step = port // 2 + 1
    if 2 * step == g:
        return (group + step) % g, np.full_like(group, port)
    return (group + (step if port % 2 == 0 else -step)) % g, np.full_like(group, port ^ 1)


@sizings.register("dragonfly", summary="balanced groups, as large and as small as switches and hosts allow")
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield balanced networks: that of the largest switches, and that of the smallest that are enough.

    In fine steps they are those between too.
    """
    fit = []
    for h in range(1, (equipment.ports + 1) // 4 + 1):
        groups = max(2, -(-equipment.hosts // (2 * h * h)))
        if groups <= 2 * h * h + 1:
            fit.append({"h": h, "g": groups})
    if equipment.fine:
        yield from (fit[i - 1] for i in fine_steps(1, len(fit)))
    else:
        yield from fit if len(fit) < 2 else (fit[0], fit[-1])
