"""Starting a solve from the answer to a similar question: the same paths, other capacities or other demands.

The split and the lengths of the last certificate are near the new optimum where little has changed, which spares the
structured solver iterations on path form; solvers that cannot use them start as always.  What is proved does not depend
on the start.
"""

from __future__ import annotations

from pnet_lp.errors import SpecError
from pnet_lp.model import AnyCertificate, PathCertificate
from pnet_lp.throughput.fixed_split import FixedSplit
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.proof import PathProof
from pnet_lp.throughput.split_problem import SplitProblem


def start_proof(
    problem: FlowProblem | PathProblem | FixedSplit | SplitProblem, start: AnyCertificate
) -> PathProof:
    """Return the proof in a certificate, to start a solve of ``problem`` from.

    Raises:
        SpecError: ``problem`` is not over given paths with the split open, ``start`` is not the certificate of one, or
            they differ in the number of paths or links.
    """
    if not isinstance(problem, PathProblem):
        raise SpecError(
            "a start has no meaning for this routing",
            allowed="routings with paths and an open split such as ksp:8",
        )
    if not isinstance(start, PathCertificate):
        raise SpecError("a start is the certificate of a result over given paths", found=type(start).__name__)
    flow = problem.flow
    for what, found, wanted in (
        ("paths", start.weight.shape, (problem.flow_variables,)),
        ("links", start.length.shape, flow.capacity.shape),
        ("access links", start.up_length.shape, flow.attach.shape),
    ):
        if found != wanted:
            raise SpecError(f"the start is for other {what}", found=_times(found), allowed=_times(wanted))
    return PathProof(start.weight, start.length, start.up_length, start.down_length)


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
