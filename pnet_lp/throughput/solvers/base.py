"""What a solver is: capabilities as class data, one method, and a result that is proved elsewhere.

A solver is one file in this package.  It registers a class with :func:`register`; third parties register theirs from
a module named in the entry-point group ``pnet_lp.solvers``.  A solver's module imports without the library behind it,
which is only loaded by :meth:`Solver.installed` and :meth:`Solver.solve`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, TypeVar

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.model.arrays import FloatArray
from pnet_lp.registry import Registry
from pnet_lp.throughput.problem import FlowProblem

OnProgress: TypeAlias = Callable[[int, float, float], bool]
"""Called with the iterations done and the bounds proved so far (0 and ``inf`` where the solver proves none on its way);
a false answer stops the solve, which then returns what it has."""


@dataclass(frozen=True)
class SolveOptions:
    """How far and how long to solve.

    Attributes:
        tolerance: relative gap between the proved bounds at which to stop.
        time_limit_s: seconds of wall time.
        max_iterations: in the solver's own unit; None for the solver's own limit.
        threads: 0 for all cores.
    """

    tolerance: float = 1e-4
    time_limit_s: float = math.inf
    max_iterations: int | None = None
    threads: int = 0


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
class RawSolution:
    """What a solver returns; nothing in it is trusted until the certificate is evaluated.

    Attributes:
        found: a finished proof, or flows to round to one.
        iterations: in the solver's own unit.
        interrupted: whether the user stopped it.
        message: how it ended where that is worth a warning, else empty.
    """

    found: _core.Proof | Flows
    iterations: int
    interrupted: bool = False
    message: str = ""

    def proof(self, problem: FlowProblem) -> _core.Proof:
        """Return the proof, rounded from the flows if need be."""
        return self.found.proof(problem) if isinstance(self.found, Flows) else self.found


class Solver(ABC):
    """Base of all solvers.

    Class attributes:
        name: what users type.
        summary: one line for ``pnet-lp list solvers``.
        routings: names of the routings it can optimise over.
        objectives: names of the objectives it can maximise.
        interruptible: whether a stop takes effect within an iteration or so and keeps what was reached.
        install_hint: how to get the library behind it.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    routings: ClassVar[frozenset[str]] = frozenset({"ideal"})
    objectives: ClassVar[frozenset[str]] = frozenset({"concurrent"})
    interruptible: ClassVar[bool] = True
    install_hint: ClassVar[str] = ""

    @classmethod
    def installed(cls) -> bool:
        """Whether the library behind the solver can be used."""
        return True

    @abstractmethod
    def estimate_bytes(self, problem: FlowProblem) -> int:
        """Return about how much memory a solve takes, the problem itself not counted."""

    @abstractmethod
    def solve(self, problem: FlowProblem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve a problem without disconnected demands.

        A stop asked for by ``on_progress``, Ctrl-C, the time or the iteration limit is no error: the best flows and
        lengths so far come back.

        Raises:
            SolverError: the solver failed.
        """

    def check_memory(self, problem: FlowProblem) -> None:
        """Raise SolverError where a solve would not fit into the memory that is free now."""
        others = "" if self.name == "structured" else "--solver structured, "
        check_fits(
            self.estimate_bytes(problem),
            f"solver {self.name!r} with {problem.flow_variables:,} flow variables",
            SolverError,
            allowed=f"{others}--level rack, fewer planes, or a smaller network",
        )


S = TypeVar("S", bound=Solver)

SOLVERS: Registry[type[Solver]] = Registry(
    "solver", package="pnet_lp.throughput.solvers", group="pnet_lp.solvers"
)


def register(solver: type[S]) -> type[S]:
    """Register a solver class under its ``name``; used as a decorator."""
    SOLVERS.register(solver.name, summary=solver.summary)(solver)
    return solver


def solver_names(*, installed_only: bool = False) -> list[str]:
    """Return the names of all registered solvers, sorted."""
    return [entry.name for entry in SOLVERS if entry.build.installed() or not installed_only]


def get_solver(name: str) -> Solver:
    """Return the solver called ``name``.

    Raises:
        SpecError: no such solver; the message offers the nearest name.
        SolverError: its library is not installed.
    """
    solver = SOLVERS.get(name).build
    if not solver.installed():
        raise SolverError(
            f"solver {name!r} is not installed"
            + (f" ({solver.install_hint})" if solver.install_hint else ""),
            allowed=", ".join(solver_names(installed_only=True)),
        )
    return solver()


def _reciprocal(capacity: FloatArray) -> FloatArray:
    """Return 1 / capacity, and 0 where a link limits nothing (infinite) or carries nothing (0)."""
    with np.errstate(divide="ignore"):
        lengths = 1.0 / capacity
    return np.where(np.isfinite(lengths), lengths, 0.0)
