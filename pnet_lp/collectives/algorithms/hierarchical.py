"""An all-to-all of two levels: inside groups of neighbours, then between those of one place in all groups."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from pnet_lp.collectives.base import ALGORITHMS, AlgorithmParams, Operation
from pnet_lp.collectives.schedule import Schedule, Sent, Step, servers


class HierarchicalParams(AlgorithmParams):
    """Parameters of ``hierarchical``."""

    operations: ClassVar[tuple[Operation, ...]] = ("all-to-all",)
    local: int = Field(ge=2, description="ranks of a group, such as the accelerators of a server")


@ALGORITHMS.register(
    "hierarchical",
    params=HierarchicalParams,
    example="local=2",
    summary="blocks go inside groups to the rank in the place of their receivers, then along rails to these",
    source="Rajbhandari et al.: DeepSpeed-MoE: Advancing Mixture-of-Experts Inference and Training to Power "
    "Next-Generation AI Scale, ICML 2022, section 5.3",
)
def hierarchical(params: HierarchicalParams, operation: Operation, ranks: int) -> Schedule:
    """Return ``local - 1`` steps inside groups, and as many along rails as there are other groups.

    Blocks are numbered by place in the group, then by group, so that those for one place follow each other.

    Raises:
        SpecError: the ranks do not fill the groups.
    """
    del operation
    members = servers(ranks, params.local)
    groups, local = members.shape
    rank = members.ravel()
    group, place = rank // local, rank % local

    def inside(time: int) -> Sent:
        other = (place + time + 1) % local
        return rank, group * local + other, other * groups

    def along(time: int) -> Sent:
        other = (group + time + 1) % groups
        return rank, other * local + place, place * groups + other

    steps = [Step(inside, ranks, groups, times=local - 1, moves=True, after="sent")]
    if groups > 1:
        # What goes along rails waits for all that came; after that, for what its sender sent.
        steps.append(Step(along, ranks, copies=local, after="both"))
        later = Step(lambda time: along(time + 1), ranks, copies=local, times=groups - 2, moves=True, after="sent")
        steps += [later] if groups > 2 else []
    return Schedule(ranks, ranks, tuple(steps), place * groups + group)
