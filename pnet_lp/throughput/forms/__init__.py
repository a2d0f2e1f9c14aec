"""Problems as linear programs, one file per form, for the solvers that take one.

The arc form has a flow variable per arc and destination, the path form one per path.  :func:`formulate` chooses by the
problem; :class:`Form` is what solvers see.
"""

from pnet_lp.throughput.forms.arc_form import ArcForm
from pnet_lp.throughput.forms.linear_program import Form, LinearProgram
from pnet_lp.throughput.forms.path_form import PathForm
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem

__all__ = ["Form", "LinearProgram", "formulate", "lp_size"]


def formulate(problem: FlowProblem | PathProblem) -> Form:
    """Return ``problem`` as a linear program.

    Raises:
        SolverError: more entries than 32-bit indices can count.
    """
    return PathForm(problem) if isinstance(problem, PathProblem) else ArcForm(problem)


def lp_size(problem: FlowProblem | PathProblem) -> tuple[int, int]:
    """Return the rows and columns of the program, without building any: upper bounds, nearly reached."""
    return PathForm.size(problem) if isinstance(problem, PathProblem) else ArcForm.size(problem)
