"""Slim Fly: McKay-Miller-Siran graphs, of diameter 2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.model.layout import Groups
from pnet_lp.topology.family import HostParams, check_size, topologies
from pnet_lp.topology.finite_field import FiniteField, PrimePower, prime_power
from pnet_lp.topology.hosts import flat_plane
from pnet_lp.topology.sizing import Equipment, sizings, two_smallest


class SlimFly(HostParams):
    """Parameters of ``slim-fly``."""

    q: PrimePower = Field(ge=3, le=200, description="a power of a prime other than 2 (paper: q); 2q^2 switches")
    p: int | None = Field(
        None,
        ge=0,
        description="hosts on each switch (paper: p); default: half the cables of a switch, k'/2, rounded up; "
        "0: rack level",
    )

    @property
    def degree(self) -> int:
        """Cables of a switch (paper: k'), (3q - d)/2 where q = 4w + d and d is -1, 0 or 1."""
        return (3 * self.q + 1 - (self.q + 1) % 4) // 2

    @property
    def hosts(self) -> int:
        """Hosts on each switch."""
        return (self.degree + 1) // 2 if self.p is None else self.p


@topologies.register(
    "slim-fly",
    params=SlimFly,
    example="q=3",
    summary="McKay-Miller-Siran graph of 2q^2 switches, diameter 2",
    source="Besta, Hoefler: Slim Fly: A Cost Effective Low-Diameter Network Topology, SC 2014, section II-B",
)
def slim_fly(params: SlimFly) -> Plane:
    """Return the graph of network degree (3q - d)/2, where q = 4w + d and d is -1, 0 or 1.

    Switches (0, x, y) and (0, x, y') are joined where y - y' is in X, switches (1, m, c) and (1, m, c') where c - c'
    is in X', and (0, x, y) and (1, m, c) where y = m x + c; x, y, m, c are elements of GF(q).  A switch's index is
    ``(s q + first) q + second``.
    """
    q = params.q
    check_size("slim-fly", switches=2 * q * q, cables=q * q * params.degree, hosts=2 * q * q * params.hosts)
    field = FiniteField(q)
    u, v = [], []
    for side, generators in enumerate(_generators(q, field.powers)):
        difference = field.add[:, field.negative]
        a, b = np.nonzero(np.triu(np.isin(difference, list(generators)), 1))
        first = (side * q + np.arange(q))[:, None] * q
        u.append((first + a).ravel())
        v.append((first + b).ravel())
    x, m, c = np.indices((q, q, q)).reshape(3, -1)
    u.append(x * q + field.add[field.multiply[m, x], c])
    v.append((q + m) * q + c)
    layout = Groups((q, 2 * q))
    return flat_plane(2 * q * q, np.concatenate(u), np.concatenate(v), params.hosts, params, layout)


def _generators(q: int, powers: list[int]) -> tuple[set[int], set[int]]:
    """Return X and X': each holds with an element its negative.

    The last exponent of X' is q - 1 in all but the case q = 4w + 1, and that power is 1 again.
    """
    one = powers[:1]
    if q % 4 == 1:
        return set(powers[0::2]), set(powers[1::2])
    if q % 4 == 0:
        return set(powers[0::2]), {*powers[1::2], *one}
    w = (q + 1) // 4
    return ({*powers[0 : 2 * w - 1 : 2], *powers[2 * w - 1 :: 2]}, {*powers[1 : 2 * w : 2], *powers[2 * w :: 2], *one})


@sizings.register("slim-fly", summary="the two smallest graphs that have room")
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield the two smallest graphs, or in fine steps all sensible ones; see :func:`two_smallest`."""
    powers = filter(prime_power, range(3, 201))
    return two_smallest(equipment, ((q, 2 * q * q, SlimFly.model_validate({"q": q}).degree) for q in powers))
