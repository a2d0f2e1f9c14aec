"""Problems: what a network, a matrix and a routing leave to solve, behind one interface.

``base`` says what a problem is: it can be written as a linear program, say what an answer proves, and leave demands
out.  ``arcs`` is the one of any path in any plane, ``paths`` that over given paths, ``splits`` that in which the
routing leaves nothing open but how much each demand gets; ``quotient`` is the first one on equivalence classes, for K
alone.  All hold the same ``flow``: links and demands as arrays.
"""

from pnet_lp.model.flow import FlowProblem, Lengths, build_problem
from pnet_lp.throughput.problems.arcs import ArcProblem
from pnet_lp.throughput.problems.base import ConcurrentProblem, Problem
from pnet_lp.throughput.problems.paths import PathProblem
from pnet_lp.throughput.problems.proof import Attained, Certified
from pnet_lp.throughput.problems.state import state_problem

__all__ = [
    "ArcProblem",
    "Attained",
    "Certified",
    "ConcurrentProblem",
    "FlowProblem",
    "Lengths",
    "PathProblem",
    "Problem",
    "build_problem",
    "state_problem",
]
