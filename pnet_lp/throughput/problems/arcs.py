"""The problem of ``ideal`` routing: any path in any plane."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SpecError
from pnet_lp.model import AnyCertificate, Certificate, ColourCertificate, Interval
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.throughput.problems.arc_form import ArcForm, arc_certificate
from pnet_lp.throughput.problems.base import Problem
from pnet_lp.throughput.problems.colours import Colours
from pnet_lp.throughput.problems.program import ProgramGoal
from pnet_lp.throughput.problems.proof import Certified, Flows, Proof
from pnet_lp.throughput.problems.starts import carry, check_shapes


@brief("demand_count", "flow_variables")
@dataclass(frozen=True, eq=False, repr=False)
class ArcProblem(Problem):
    """Maximum flow without restriction of the paths."""

    form = "arc"
    proof_types = (_core.Proof, ColourCertificate)

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
    def size(self) -> tuple[int, int, int]:
        """See :attr:`Problem.size`."""
        return ArcForm.size(self.flow)

    @cached_property
    def colours(self) -> Colours | None:
        """The problem on classes of what is alike, None where there are too many."""
        return Colours.of(self.flow)

    def formulate(self, goal: ProgramGoal | None = None) -> ArcForm:
        """See :meth:`Problem.formulate`."""
        return ArcForm(self.flow, goal)

    def nothing(self) -> Proof:
        """See :meth:`Problem.nothing`."""
        return Flows.nothing(self.flow).proof(self.flow)

    def bounds(self, proof: Proof) -> tuple[float, float]:
        """See :meth:`Problem.bounds`."""
        if isinstance(proof, ColourCertificate):
            return self._coloured().bounds(proof)
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

    def access_loads(self, certificate: AnyCertificate, rate: FloatArray | float) -> FloatArray:
        """See :meth:`Problem.access_loads`."""
        if not isinstance(certificate, ColourCertificate):
            return super().access_loads(certificate, rate)
        load = rate * self._coloured().loads(certificate)
        classes = np.stack([certificate.up_class, certificate.down_class])
        return floats(np.where(classes >= 0, load[classes], 0.0))

    def farthest(self, certificate: AnyCertificate, lengths: Lengths) -> float:
        """See :meth:`Problem.farthest`."""
        if isinstance(certificate, ColourCertificate):
            return self._coloured().farthest(lengths)
        return super().farthest(certificate, lengths)

    def start(self, certificate: AnyCertificate, earlier: Problem) -> _core.Proof:
        """See :meth:`Problem.start`."""
        if not isinstance(certificate, Certificate):
            raise SpecError(
                "a start is the certificate of a result over any path, as columns and structured give it",
                found=type(certificate).__name__,
            )
        flow = earlier.flow
        check_shapes(
            ("links", certificate.length, flow.capacity.shape),
            ("access links", certificate.up_length, flow.attach.shape),
            ("demands", certificate.share, (flow.plane_count, flow.demand_count)),
            ("destinations", certificate.split_ptr, (len(flow.rows) + 1,)),
        )
        return carry(certificate, flow, self.flow)

    def _coloured(self) -> Colours:
        assert self.colours is not None
        return self.colours

    def _certified(self, proof: Proof) -> Certified:
        if isinstance(proof, ColourCertificate):
            lower, upper, load = self._coloured().evaluate(proof)
            return Certified(proof, Interval(lower, upper), floats(lower * load[: len(self.flow.tail)]))
        given = _checked(proof)
        found = _core.evaluate(self.flow.core, given)
        return Certified(arc_certificate(given), Interval(found.lower, found.upper), floats(found.load))


def _checked(proof: Proof) -> _core.Proof:
    """Return ``proof``, which is one on arcs."""
    assert isinstance(proof, _core.Proof)
    return proof
