"""PolarFly: Erdos-Renyi polarity graphs, of diameter 2 and nearly the Moore bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.model.layout import Circle
from pnet_lp.topology.family import HostParams, check_size, topologies
from pnet_lp.topology.finite_field import FiniteField, PrimePower, prime_power
from pnet_lp.topology.hosts import flat_plane
from pnet_lp.topology.sizing import Equipment, sizings, two_smallest


class PolarFly(HostParams):
    """Parameters of ``polarfly``."""

    q: PrimePower = Field(ge=2, le=100, description="a power of a prime (paper: q); q^2 + q + 1 switches")
    p: int | None = Field(
        None,
        ge=0,
        description="hosts on each switch (paper: p); default: half the cables of a switch, (q + 1)/2, rounded up; "
        "0: rack level",
    )

    @property
    def hosts(self) -> int:
        """Hosts on each switch."""
        return (self.q + 2) // 2 if self.p is None else self.p


@topologies.register(
    "polarfly",
    params=PolarFly,
    example="q=3",
    summary="polarity graph ER_q of q^2 + q + 1 switches, diameter 2",
    source="Lakhotia et al.: PolarFly: A Cost-Effective and Flexible Low-Diameter Topology, SC 2022, section IV",
)
def polarfly(params: PolarFly) -> Plane:
    """Return ER_q: the points of the projective plane over GF(q), joined where their scalar product is 0.

    Degrees are q + 1, but q for the q + 1 quadrics, the points orthogonal to themselves.
    """
    q = params.q
    n = q * q + q + 1
    check_size("polarfly", switches=n, cables=n * (q + 1) // 2, hosts=n * params.hosts)
    v = _orthogonal_points(FiniteField(q))
    u = np.broadcast_to(np.arange(n)[:, None], v.shape)
    once = u < v
    return flat_plane(n, u[once], v[once], params.hosts, params, Circle())


def _orthogonal_points(field: FiniteField) -> npt.NDArray[np.int64]:
    """Return int64 ``[q^2 + q + 1, q + 1]``: for each point, in order, those on the line orthogonal to it.

    A point is the vector whose first coordinate other than 0 is 1.  Point ``y q + z`` is (1, y, z), ``q^2 + z`` is
    (0, 1, z), and the last is (0, 0, 1).
    """
    q = field.q
    everything = np.arange(q)
    y, z = np.indices((q, q)).reshape(2, -1)
    finite, last = q * q + everything, q * q + q
    line = np.empty((last + 1, q + 1), dtype=np.int64)

    # (a, b, c) with c other than 0: the points (1, t, -(a + b t)/c) for all t, and (0, 1, -b/c).
    point = np.concatenate([np.flatnonzero(z), finite[1:], [last]])
    a = (point < q * q).astype(np.int64)
    b = np.concatenate([y[z > 0], np.ones(q - 1, dtype=np.int64), [0]])
    c = np.concatenate([z[z > 0], everything[1:], [1]])
    over_c = field.negative[field.inverse[c]]
    numerator = field.add[a[:, None], field.multiply[b[:, None], everything]]
    line[point, :q] = everything * q + field.multiply[over_c[:, None], numerator]
    line[point, q] = q * q + field.multiply[over_c, b]

    # (1, b, 0) and (0, 1, 0), b other than 0: the points (1, -1/b, t) or (1, 0, t), and (0, 0, 1).
    minus_inverse = field.negative[field.inverse[everything[1:]]]
    line[everything[1:] * q, :q] = minus_inverse[:, None] * q + everything
    line[q * q, :q] = everything
    line[[*(everything[1:] * q), q * q], q] = last

    # (1, 0, 0): the points (0, 1, t), and (0, 0, 1).
    line[0, :q], line[0, q] = finite, last
    return np.sort(line, axis=1)


@sizings.register("polarfly", summary="the two smallest graphs that have room")
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield the two smallest graphs, or in fine steps all sensible ones; see :func:`two_smallest`."""
    powers = filter(prime_power, range(2, 101))
    return two_smallest(equipment, ((q, q * q + q + 1, q + 1) for q in powers))
