"""Throughput: the flow problem, its solvers, and the certificate that proves every number.

``problems`` is what there is to solve, ``solvers`` by what, ``objectives`` what for, ``bounds`` what can be said
without solving, ``proofs`` how an answer is kept and checked.  ``solve`` takes the steps from one to the next,
``facade`` does so for expressions, and ``verify`` checks a stored answer.
"""

from pnet_lp.throughput.facade import solve
from pnet_lp.throughput.objectives import OBJECTIVES
from pnet_lp.throughput.problems import FlowProblem, build_problem
from pnet_lp.throughput.solve import Interrupted, Progress, WarmStart
from pnet_lp.throughput.solvers import SOLVERS

__all__ = ["OBJECTIVES", "SOLVERS", "FlowProblem", "Interrupted", "Progress", "WarmStart", "build_problem", "solve"]
