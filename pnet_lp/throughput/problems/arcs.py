"""The problem of ``ideal`` routing: any path in any plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pnet_lp import _core
from pnet_lp.model import AnyCertificate, Certificate, Interval
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.throughput.problems.arc_form import ArcForm, arc_certificate
from pnet_lp.throughput.problems.base import Problem
from pnet_lp.throughput.problems.flow import FlowProblem, Lengths
from pnet_lp.throughput.problems.program import ProgramGoal
from pnet_lp.throughput.problems.proof import Certified, Flows, Proof


@brief("demand_count", "flow_variables")
@dataclass(frozen=True, eq=False, repr=False)
class ArcProblem(Problem):
    """Maximum flow without restriction of the paths."""

    form = "arc"
    proof_type = _core.Proof

    flow: FlowProblem

    @property
    def flow_variables(self) -> int:
        """Arc-flow variables of the destination-aggregated LP."""
        return self.flow.flow_variables

    @property
    def proof_bytes(self) -> int:
        """See :attr:`Problem.proof_bytes`."""
        return self.flow.proof_bytes

    @property
    def disconnected(self) -> IntArray:
        """int32: the demands that no plane can carry."""
        return self.flow.disconnected

    @property
    def size(self) -> tuple[int, int]:
        """See :attr:`Problem.size`."""
        return ArcForm.size(self.flow)

    def formulate(self, goal: ProgramGoal | None = None) -> ArcForm:
        """See :meth:`Problem.formulate`."""
        return ArcForm(self.flow, goal)

    def nothing(self) -> Proof:
        """See :meth:`Problem.nothing`."""
        return Flows.nothing(self.flow).proof(self.flow)

    def bounds(self, proof: Proof) -> tuple[float, float]:
        """See :meth:`Problem.bounds`."""
        found = _core.evaluate(self.flow.core, _checked(proof))
        return found.lower, found.upper

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`Problem.distances`."""
        return _core.demand_distances(self.flow.core, *lengths)

    def plane_shares(self, certificate: AnyCertificate) -> FloatArray:
        """See :meth:`Problem.plane_shares`."""
        assert isinstance(certificate, Certificate)
        return certificate.share

    def keeping(self, kept: IntArray) -> Self:
        """See :meth:`Problem.keeping`."""
        return type(self)(self.flow.keeping(kept))

    def _certified(self, proof: Proof) -> Certified:
        given = _checked(proof)
        found = _core.evaluate(self.flow.core, given)
        return Certified(arc_certificate(given), Interval(found.lower, found.upper), floats(found.load))


def _checked(proof: Proof) -> _core.Proof:
    """Return ``proof``, which is one on arcs."""
    assert isinstance(proof, _core.Proof)
    return proof
