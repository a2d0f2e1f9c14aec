"""What solvers return, flows and lengths, and what these prove."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
from typing_extensions import TypeVar

from pnet_lp import _core
from pnet_lp.model import Interval
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.certificates import Certificate, LinkCertificate, LinkLengths
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.rounded import div_up, mul_down, mul_up

P = TypeVar("P", default=Any)
"""What solvers return as the proof of a problem."""

C = TypeVar("C", bound=Certificate, default=Any)
"""The certificate that it becomes."""

L = TypeVar("L", bound=LinkCertificate)


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Flows(LinkLengths):
    """Flows and link lengths as a general solver gives them: feasible and optimal only up to its tolerances.

    Any scale will do: rounding takes fractions of the flows, and the upper bound does not depend on the lengths' unit.

    Attributes:
        flow: float64 ``[problem.flow_variables]``.  Plane by plane, a row-major matrix ``[rows, arcs]`` of the plane:
            the flow on each arc towards each row's destination.
        injection: float64 ``[P, J]``, what each plane carries of each demand.
        length: float64 ``[A]``, dual of each arc's capacity, >= 0.
        up_length, down_length: float64 ``[P, E]``, duals of the access links, >= 0.
    """

    flow: FloatArray
    injection: FloatArray
    length: FloatArray
    up_length: FloatArray
    down_length: FloatArray

    @classmethod
    def nothing(cls, problem: FlowProblem) -> Flows:
        """Return no flow, and the lengths ``1 / capacity``: bounds for where a solver found nothing."""
        length, up, down = cls.lengths_of_nothing(problem)
        return cls(np.zeros(problem.flow_variables), problem.available.astype(np.float64), length, up, down)

    @staticmethod
    def lengths_of_nothing(problem: FlowProblem) -> Lengths:
        """Return the lengths ``1 / capacity``."""
        return 1.0 / problem.capacity, _reciprocal(problem.access_up), _reciprocal(problem.access_down)

    def proof(self, problem: FlowProblem) -> _core.Proof:
        """Return the exactly feasible proof that these flows round to."""
        return _core.round_flow(problem.core, self.flow, self.injection, *self.lengths)


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Certified(Generic[C]):
    """What a proof proves.

    Attributes:
        certificate: the proof.
        interval: the bounds on K.
        load: float64 ``[A]``, Gb/s on each arc at K = the lower bound, rounded up.
        least_load: the same, rounded down, where the routing leaves no choice.
    """

    certificate: C
    interval: Interval
    load: FloatArray
    least_load: FloatArray | None = None

    def carrying(self: Certified[L], demand: FloatArray, rate: float) -> Attained:
        """Return the flow scaled to ``rate`` times each ``demand`` ``[J]``, or to the most that fits."""
        factor = fitting(self.interval.lower / rate)
        load = floats(mul_up(div_up(mul_up(factor, rate), self.interval.lower), self.load))
        attained = floats(mul_down(mul_down(factor, rate), demand))
        return Attained(attained, factor, load, self.certificate.with_load(load))


ROOM = 1e-12
"""Part of a full link that given rates leave free, at most, so that they fit, however their sums are rounded."""

_ROUNDINGS, _ROUNDINGS_PER_HOP = 9, 4
"""Of a load, each upwards: a fraction over the sum of all, a node's traffic times that, a sum of such, and that added
to what begins there; and what comes before and after."""


def fitting(most: float, hops: float = np.inf) -> float:
    """Return the part of given rates to carry, at most 1, where ``most`` times these would fit by rounded sums.

    Where no walk of the flow has more than so many ``hops``, less room is left.
    """
    roundings = _ROUNDINGS + _ROUNDINGS_PER_HOP * hops
    return min(1.0, most * (1 - min(ROOM, float(np.finfo(np.float64).eps) * roundings)))


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Attained:
    """Rates, and a flow that carries them and fits.

    Attributes:
        rate: float64 ``[J]``, Gb/s, rounded down.
        factor: the part of the requested rates that fits, at most 1.
        load: float64 ``[A]``, Gb/s on each arc, rounded up.
        certificate: the flow; its lengths are any.
    """

    rate: FloatArray
    factor: float
    load: FloatArray
    certificate: LinkCertificate

    def with_lengths(self, lengths: Lengths) -> LinkCertificate:
        """Return the certificate with these lengths."""
        return self.certificate.with_lengths(lengths)


def _reciprocal(capacity: FloatArray) -> FloatArray:
    """Return 1 / capacity, and 0 where a link limits nothing (infinite) or carries nothing (0)."""
    with np.errstate(divide="ignore"):
        lengths = 1.0 / capacity
    return np.where(np.isfinite(lengths), lengths, 0.0)
