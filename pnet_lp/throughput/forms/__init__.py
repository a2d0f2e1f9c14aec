"""Problems as linear programs, one file per form, for the solvers that take one.

The arc form has a flow variable per arc and destination, the path form one per path.  A form is the body of a program:
what links carry; a :class:`Head` adds what an objective asks for.  :func:`formulate` chooses the form by the problem;
:class:`Form` is what solvers see.
"""

from pnet_lp.throughput.forms.arc_form import ArcForm
from pnet_lp.throughput.forms.linear_program import Form, Head, LinearProgram
from pnet_lp.throughput.forms.path_form import PathForm
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.split_problem import SplitProblem

__all__ = ["Form", "Head", "LinearProgram", "formulate", "lp_size"]


def formulate(problem: FlowProblem | PathProblem | SplitProblem, head: Head | None = None) -> Form:
    """Return ``problem`` as a linear program, with the objective ``head``: maximum concurrent flow, if there is none.

    Raises:
        SolverError: more entries than 32-bit indices can count.
    """
    return ArcForm(problem, head) if isinstance(problem, FlowProblem) else PathForm(problem, head)


def lp_size(problem: FlowProblem | PathProblem) -> tuple[int, int]:
    """Return the rows and columns of the program, without building any: upper bounds, nearly reached."""
    return PathForm.size(problem) if isinstance(problem, PathProblem) else ArcForm.size(problem)
