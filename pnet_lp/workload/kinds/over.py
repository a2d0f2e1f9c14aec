"""A workload whose flows, or those of one stage, have a transport of their own."""

from __future__ import annotations

import numpy as np
from pydantic import Field, field_validator

from pnet_lp.errors import SpecError, WorkloadError, naming
from pnet_lp.model import Workload
from pnet_lp.workload.base import WORKLOADS, Use, WorkloadContext, WorkloadParams
from pnet_lp.workload.build import terms_of
from pnet_lp.workload.joined import joined


class OverParams(WorkloadParams):
    """Parameters of ``over``."""

    transport: str = Field(description="how these flows are sent: a transport, in brackets if it has parameters")
    of: str = Field(description="the flows: a workload, in brackets if it has several parameters")
    stage: str | None = Field(None, description="the stage whose flows these are; default: all flows")

    @field_validator("of")
    @classmethod
    def _check_workload(cls, of: str) -> str:
        with naming("of", SpecError):
            terms_of(of)
        return of

    @property
    def traffic(self) -> Use:  # type: ignore[override]
        """See the base class: what the most demanding of its workloads does."""
        uses: tuple[Use, ...] = ("none", "optional", "required")
        return max((recipe.traffic for recipe in terms_of(self.of)), key=uses.index)


@WORKLOADS.register(
    "over",
    params=OverParams,
    example="transport=dctcp,of=[incast:senders=2,sizes=1kB]",
    summary="a workload whose flows, or those of one stage, have a transport of their own",
)
def over(params: OverParams, context: WorkloadContext) -> Workload:
    """Return the flows; those that have a transport already keep it.

    Raises:
        WorkloadError: no such stage.
    """
    parts = [recipe.build(context) for recipe in terms_of(params.of)]
    flows = joined(parts, context.hosts, context.label) if len(parts) > 1 else parts[0]
    chosen = flows.transport < 0
    if params.stage is not None:
        if params.stage not in flows.stages:
            raise WorkloadError(
                "no such stage",
                where=f"{context.label}: stage",
                found=params.stage,
                allowed=", ".join(flows.stages) or "a workload with stages",
            )
        chosen &= flows.stage == flows.stages.index(params.stage)
    return flows.sent_by(np.where(chosen, params.transport, flows.transport_names))
