"""What a solver is: capabilities as class data, one method, and a result that is proved elsewhere.

A solver is one file in this package.  It registers a class with :data:`SOLVERS`; third parties register theirs from
a module named in the entry-point group ``pnet_lp.solvers``.  A solver's module imports without the library behind it,
which is only loaded by :meth:`Solver.installed` and :meth:`Solver.solve`.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias

import numpy as np

from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.errors import SolverError, SpecError
from pnet_lp.memory import check_fits
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem
from pnet_lp.registry import Named, Params, Registry, parse_expression
from pnet_lp.throughput.problems import ConcurrentProblem, Problem
from pnet_lp.throughput.problems.proof import P

OnProgress: TypeAlias = Callable[[int, float, float], bool]
"""Called with the iterations done and the bounds proved so far (0 and ``inf`` until the solver proves some);
a false answer stops the solve, which then returns what it has."""


_ROUTINGS = {"arc": "over any path", "shortest": "over shortest paths, unlisted", "path": "over given paths"}
"""The routings of a form."""

FRUGAL = "structured"
"""The solver that takes the least memory, which is advised where another does not fit."""

_MARGIN = 1.2
"""What was measured is up to 16 per cent above the estimates: allocators round up, and threads have stacks."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class InitialPoint(Generic[P]):
    """Where a warm start begins: what the answer to a similar problem says about this one.

    Attributes:
        proof: a proof of the problem to be solved, near that of the similar one.
        solver: which solved that; empty where it is not known.
        iterations: in how many iterations.
    """

    proof: P
    solver: str = ""
    iterations: int = 0


@brief()
@dataclass(frozen=True, repr=False)
class SolveOptions:
    """How far and how long to solve.

    Attributes:
        tolerance: relative gap between the proved bounds at which to stop.
        deadline: when to stop at the latest.
        max_iterations: in the solver's own unit; None for the solver's own limit.
        threads: 0 for all cores.
        initial: where a warm start begins; solvers without ``warm_start`` ignore it.
        enough_below: stop also once K is proved to be at most this; 0 for never.
    """

    tolerance: float = 1e-4
    deadline: Deadline = NEVER
    max_iterations: int | None = None
    threads: int = 0
    initial: InitialPoint | None = None
    enough_below: float = 0.0

    def of_core(self, on_progress: OnProgress) -> dict[str, Any]:
        """Return the arguments that the solvers of the core share."""
        return {
            "tolerance": self.tolerance,
            "max_iterations": sys.maxsize if self.max_iterations is None else self.max_iterations,
            "time_limit_s": self.deadline.left_s(),
            "threads": self.threads,
            "on_progress": on_progress,
        }


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class RawSolution(Generic[P]):
    """What a solver returns; nothing in it is trusted until the certificate is evaluated.

    Attributes:
        proof: the best flow and the best lengths it found.
        iterations: in the solver's own unit.
        interrupted: whether the user stopped it.
        message: how it ended where that is worth a warning, else empty.
    """

    proof: P
    iterations: int
    interrupted: bool = False
    message: str = ""


class Solver(Named, ABC):
    """Base of all solvers.

    Class attributes:
        forms: the forms of the problem it takes: ``arc`` (any path), ``shortest`` (by destination over shortest paths),
            ``path`` (given paths).
        objectives: names of the objectives it can maximise.
        interruptible: whether a stop takes effect within an iteration or so and keeps what was reached.
        warm_start: the forms on which it makes use of an initial point.
        programs: the forms of routings for which it solves the linear program of any objective, ``split`` where the
            split is fixed; otherwise it maximises K only.
        takes_rate: whether these programs may have a rate K; otherwise the goal fixes what each demand gets at most.
        install_hint: how to get the library behind it.

    Attributes:
        params: what follows the name, as in ``pulp:solver=CPLEX_CMD``.
    """

    forms: ClassVar[frozenset[str]] = frozenset({"arc", "path"})
    objectives: ClassVar[frozenset[str]] = frozenset({"concurrent"})
    interruptible: ClassVar[bool] = True
    warm_start: ClassVar[frozenset[str]] = frozenset()
    programs: ClassVar[frozenset[str]] = frozenset()
    takes_rate: ClassVar[bool] = True
    install_hint: ClassVar[str] = ""

    def __init__(self, params: Params) -> None:
        self.params = params

    @classmethod
    def installed(cls) -> bool:
        """Whether the library behind the solver can be used."""
        return True

    @abstractmethod
    def estimate_bytes(self, problem: Problem) -> int:
        """Return about how much memory a solve takes, the problem itself not counted."""

    def proof_bytes(self, problem: Problem) -> int:
        """Return about how much memory its proof takes at most."""
        return problem.proof_bytes

    def reduced(self, problem: Problem, deadline: Deadline = NEVER) -> ConcurrentProblem:
        """Return the problem that is solved in place of ``problem``, with the same K.

        Raises:
            SolverError: the solver needs a smaller one, and there is none.
            TimeLimitError: it is not found before the ``deadline``.
        """
        del deadline
        return problem

    @abstractmethod
    def solve(self, problem: ConcurrentProblem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Maximise K of a problem, :meth:`reduced`, without disconnected demands.

        A stop requested by ``on_progress``, Ctrl-C, the time or the iteration limit is not an error: the best flows and
        lengths so far come back.

        Raises:
            SolverError: the solver failed.
        """

    def check(self, problem: Problem, *, instead: str = FRUGAL) -> None:
        """Check that the solver takes the problem.

        Args:
            problem: the problem, not yet written as a program, which takes memory as well.
            instead: a solver that takes less and is to be advised; empty where there is none for the objective.

        Raises:
            SpecError: it is for other routings.
            SolverError: a solve would not fit into memory.
        """
        if problem.form not in self.forms:
            others = (entry.name for entry in SOLVERS if problem.form in entry.build.forms)
            raise SpecError(
                f"solver {self.name!r} does not take routings {_ROUTINGS[problem.form]}",
                where="solver",
                allowed=", ".join(["auto", *others]),
            )
        check_fits(
            int(_MARGIN * (self.estimate_bytes(problem) + self.proof_bytes(problem))),
            f"solver {self.name!r} with {problem.flow_variables:,} flow variables",
            SolverError,
            allowed=lambda: self._smaller(problem.flow, instead),
        )

    def _smaller(self, flow: FlowProblem, instead: str) -> str:
        """Return what takes less memory, as text."""
        found = [f"solver={instead}"] if instead not in ("", self.name) else []
        # Racks are fewer places only where hosts of one rack are not one place already.
        racks = np.unique(flow.attach, axis=1).shape[1]
        found += ["level=rack"] if racks < flow.attach.shape[1] else []
        found += ["fewer planes"] if flow.plane_count > 1 else []
        return ", ".join([*found, "a smaller network"])


SOLVERS: Registry[type[Solver]] = Registry("solver", package="pnet_lp.throughput.solvers", group="pnet_lp.solvers")


def solver_names(*, installed_only: bool = False) -> list[str]:
    """Return the names of all registered solvers, sorted."""
    return [entry.name for entry in SOLVERS if entry.build.installed() or not installed_only]


def get_solver(expression: str) -> Solver:
    """Return the solver that ``name`` or ``name:key=value,...`` stands for.

    Raises:
        SpecError: no such solver, the message offers the nearest name; or no such parameter.
        SolverError: its library is not installed.
    """
    name, values = parse_expression(expression, SOLVERS)
    entry = SOLVERS.get(name)
    params = entry.validate(values)
    if not entry.build.installed():
        hint = f" ({entry.build.install_hint})" if entry.build.install_hint else ""
        raise SolverError(
            f"solver {name!r} is not installed{hint}", allowed=", ".join(solver_names(installed_only=True))
        )
    return entry.build(params)
