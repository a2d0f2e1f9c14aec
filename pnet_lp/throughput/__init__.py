"""Throughput: the flow problem, its solvers, and the certificate that proves every number."""

from pnet_lp.throughput.objectives import OBJECTIVES
from pnet_lp.throughput.problem import FlowProblem, build_problem
from pnet_lp.throughput.solve import Progress, solve
from pnet_lp.throughput.solvers.base import SOLVERS

__all__ = ["OBJECTIVES", "SOLVERS", "FlowProblem", "Progress", "build_problem", "solve"]
