"""The problem of ``ideal`` routing: any path in any plane."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from pnet_lp import _core
from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.model import ArcCertificate, Certificate, Interval
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.certificates import by_destination
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.throughput.problems.arc_form import ArcForm
from pnet_lp.throughput.problems.base import Problem
from pnet_lp.throughput.problems.merge import MergedPlanes, merge_planes
from pnet_lp.throughput.problems.program import ProgramGoal
from pnet_lp.throughput.problems.proof import Certified, Flows
from pnet_lp.throughput.problems.quotient import QuotientProblem
from pnet_lp.throughput.problems.warm_starts import carry, check_shapes, of_kind

_SECONDS_PER_VARIABLE, _SECONDS_PER_ENTRY, _SECONDS_PER_DEMAND = 2e-8, 4e-8, 1e-7
"""What bounds without a solver take: distances by arcs and targets, and flows, whose memory is touched first."""


@brief("demand_count", "flow_variables")
@dataclass(frozen=True, eq=False, repr=False)
class ArcProblem(Problem[_core.Proof, ArcCertificate]):
    """Maximum flow without restriction of the paths."""

    form: ClassVar[Literal["arc", "shortest"]] = "arc"

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
    def first_bounds_s(self) -> float:
        """See :attr:`Problem.first_bounds_s`."""
        # As many destinations as there are endpoints: to count switches takes longer than some trees.
        flow = self._planes.problem
        arcs = np.diff(flow.arc_ptr).astype(np.int64)
        targets = np.minimum(flow.node_count, flow.attach.shape[1])
        entries = np.minimum(arcs * targets, float(self.demand_count) * flow.node_count)
        seconds = _SECONDS_PER_VARIABLE * float(arcs @ targets) + _SECONDS_PER_ENTRY * float(entries.sum())
        return seconds + _SECONDS_PER_DEMAND * self.demand_count

    def in_outline(self) -> ArcProblem:
        """See :meth:`Problem.in_outline`."""
        from pnet_lp.throughput.problems.trees import TreeProblem  # noqa: PLC0415 - is an ArcProblem

        # Trees add up demands that are inside groups pair by pair.
        plain = self.flow.partner is None and self.flow.demands.groups is None
        return (TreeProblem.within(self.flow) if plain else None) or self

    @property
    def disconnected(self) -> IntArray:
        """int32: the demands that no plane can carry."""
        return self.flow.disconnected

    @property
    def size(self) -> tuple[int, int, int]:
        """See :attr:`Problem.size`."""
        return ArcForm.size(self.flow)

    @cached_property
    def _quotients(self) -> dict[Deadline, QuotientProblem | None]:
        return {}

    def quotient(self, deadline: Deadline = NEVER) -> QuotientProblem | None:
        """See :meth:`Problem.quotient`: None where there are too many classes."""
        if deadline not in self._quotients:
            self._quotients[deadline] = QuotientProblem.of(self.flow, deadline)
        return self._quotients[deadline]

    def formulate(self, goal: ProgramGoal | None = None) -> ArcForm:
        """See :meth:`Problem.formulate`."""
        return ArcForm(self.flow, goal)

    def nothing(self) -> _core.Proof:
        """See :meth:`Problem.nothing`."""
        planes = self._planes
        return planes.expand(Flows.nothing(planes.problem).proof(planes.problem))

    @cached_property
    def _planes(self) -> MergedPlanes:
        return merge_planes(self.flow)

    def bounds(self, proof: _core.Proof) -> tuple[float, float]:
        """See :meth:`Problem.bounds`."""
        found = _core.evaluate(self.flow.core, proof)
        return found.lower, found.upper

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`Problem.distances`."""
        return _core.demand_distances(self.flow.core, *lengths)

    def access_loads(self, certificate: ArcCertificate, rate: FloatArray | float) -> FloatArray:
        """See :meth:`Problem.access_loads`."""
        return self.flow.access_loads(certificate.share * self.flow.rates(rate))

    def keeping(self, kept: IntArray) -> ArcProblem:
        """See :meth:`Problem.keeping`."""
        return ArcProblem(self.flow.keeping(kept))

    def weighted(self, demand: FloatArray) -> ArcProblem:
        """See :meth:`Problem.weighted`."""
        return ArcProblem(self.flow.weighted(demand))

    def warm_start(self, certificate: Certificate, earlier: Problem) -> _core.Proof:
        """See :meth:`Problem.warm_start`."""
        given, flow = (
            of_kind(ArcCertificate, certificate, "over any path, as columns and structured give it"),
            earlier.flow,
        )
        check_shapes(
            ("links", given.length, flow.capacity.shape),
            ("access links", given.up_length, flow.attach.shape),
            ("demands", given.share, (flow.plane_count, flow.demand_count)),
            ("destinations", given.split_ptr, (len(flow.rows) + 1,)),
        )
        return carry(given, flow, self.flow)

    def _certified(self, proof: _core.Proof) -> Certified[ArcCertificate]:
        found = _core.evaluate(self.flow.core, proof)
        certificate = by_destination(self.flow, proof)
        if self.flow.partner is not None:
            certificate = replace(certificate, length=self.flow.tied(certificate.length))
        return Certified(certificate, Interval(found.lower, found.upper), floats(found.load))
