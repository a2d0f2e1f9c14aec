"""What solvers return: flows and lengths, to be proved elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from pnet_lp import _core
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.problem import FlowProblem


@dataclass(frozen=True, eq=False)
class Flows:
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
        return cls(
            flow=np.zeros(problem.flow_variables),
            injection=problem.available.astype(np.float64),
            length=1.0 / problem.capacity,
            up_length=_reciprocal(problem.access_up),
            down_length=_reciprocal(problem.access_down),
        )

    def proof(self, problem: FlowProblem) -> _core.Proof:
        """Return the exactly feasible proof that these flows round to."""
        return _core.round_flow(
            problem.core, self.flow, self.injection, self.length, self.up_length, self.down_length
        )


@dataclass(frozen=True, eq=False)
class PathProof:
    """The split of each demand over its paths, and lengths; of any scale, rounded where it is evaluated.

    Attributes:
        weight: float64 ``[N]``, what each path carries of its demand, >= 0.
        length: float64 ``[A]``, length of each arc, >= 0.
        up_length, down_length: float64 ``[P, E]``, lengths of the access links, >= 0.
    """

    weight: FloatArray
    length: FloatArray
    up_length: FloatArray
    down_length: FloatArray


Proof: TypeAlias = _core.Proof | PathProof
"""A proof on arc form, or on path form."""


def _reciprocal(capacity: FloatArray) -> FloatArray:
    """Return 1 / capacity, and 0 where a link limits nothing (infinite) or carries nothing (0)."""
    with np.errstate(divide="ignore"):
        lengths = 1.0 / capacity
    return np.where(np.isfinite(lengths), lengths, 0.0)
