"""A workload in each of many groups of hosts, all at the same time."""

from __future__ import annotations

import numpy as np
from pydantic import Field, field_validator

from pnet_lp.errors import SpecError, WorkloadError, naming
from pnet_lp.groups import Grouped
from pnet_lp.model.arrays import ints
from pnet_lp.model.workload import LongArray, Workload
from pnet_lp.workload.base import WORKLOADS, WorkloadContext, WorkloadParams
from pnet_lp.workload.build import parse_workload
from pnet_lp.workload.joined import joined


class GroupsParams(Grouped, WorkloadParams):
    """Parameters of ``groups``."""

    of: str = Field(description="what runs in each group: a workload, in brackets if it has several parameters")

    @field_validator("of")
    @classmethod
    def _check_workload(cls, of: str) -> str:
        with naming("of", SpecError):
            terms = parse_workload(of)
        if any(recipe.entry is None for recipe in terms):
            raise SpecError("a file is for all hosts, not for groups", where="of", found=of, allowed="a workload")
        return of


class _Group(WorkloadContext):
    """What a workload inside a group may look at; each group draws on its own."""

    _whole: WorkloadContext
    _number: int

    def __init__(self, whole: WorkloadContext, number: int, members: LongArray, label: str) -> None:
        network = whole.network.restricted("host", ints(members))
        self.__dict__.update(network=network, seed=whole.seed, label=label, traffic=None, _whole=whole, _number=number)

    @property
    def server_size(self) -> int:
        """0: members are in servers by other numbers."""
        return 0

    def random(self, component: str, seed: int | None) -> np.random.Generator:
        """Return the generator of one component."""
        return self._whole.random(f"{component}/group {self._number}", seed)


@WORKLOADS.register(
    "groups",
    params=GroupsParams,
    example="size=4,of=[incast:senders=2,sizes=1kB]",
    summary="a workload in each group of hosts",
)
def groups(params: GroupsParams, context: WorkloadContext) -> Workload:
    """Return the flows of all groups; who is in which is as in the traffic pattern of this name.

    Raises:
        WorkloadError: the hosts do not fill the groups; the workload does not fit a group.
    """
    members = params.members(np.arange(context.hosts), "hosts", context.label, WorkloadError)
    recipes = parse_workload(params.of)
    parts: list[Workload] = []
    for number, row in enumerate(members):
        parts += [recipe.build(_Group(context, number, row, recipe.text)) for recipe in recipes]
        if number == 0:
            context.check_flows(len(members) * sum(part.flow_count for part in parts))
    return joined(parts, context.hosts, context.label, [row for row in members for _ in recipes])
