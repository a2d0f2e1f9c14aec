"""Inside groups of neighbours, then between those of one place in all groups, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from pnet_lp.collectives.base import ALGORITHMS, Algorithm, AlgorithmOf, AlgorithmParams, Operation
from pnet_lp.collectives.schedule import Schedule, servers


class TwoLevelParams(AlgorithmParams):
    """Parameters of ``two-level``."""

    operations: ClassVar[tuple[Operation, ...]] = ("all-reduce", "all-gather", "reduce-scatter")
    local: int = Field(ge=2, description="ranks of a group, such as the accelerators of a server")
    within: AlgorithmOf = Field("ring", validate_default=True, description="algorithm inside groups")
    between: AlgorithmOf = Field(
        "ring", validate_default=True, description="algorithm between the ranks of one place in all groups, a rail"
    )

    @property
    def pipelined(self) -> bool:
        """See the base class."""
        return self.within.params.pipelined and self.between.params.pipelined


@ALGORITHMS.register(
    "two-level",
    params=TwoLevelParams,
    example="local=2",
    summary="sums inside groups of neighbours, then along rails between groups, and back",
    source="Cho, Finkler, Kung, Hunter: BlueConnect: Decomposing All-Reduce for Deep Learning on Heterogeneous Network "
    "Hierarchy, MLSys 2019",
)
def two_level(params: TwoLevelParams, operation: Operation, ranks: int) -> Schedule:
    """Return the steps: sums scatter inside, go along rails, a part on each, and are gathered inside.

    A reduce-scatter is the first two of these, an all-gather the last two.

    Raises:
        SpecError: the ranks do not fill the groups; an algorithm that does not do what is needed of it.
    """
    members = servers(ranks, params.local)
    used: dict[Operation, bool] = {
        "reduce-scatter": operation != "all-gather",
        "all-gather": operation != "reduce-scatter",
    }
    inside = {half: _part("within", params.within, half, params.local) for half, needed in used.items() if needed}
    along = _part("between", params.between, operation, len(members))
    own = next(iter(inside.values())).own
    phases = {half: [step.within(members, 0, along.blocks) for step in part.steps] for half, part in inside.items()}
    rails = [step.within(members.T, own[:, None] * along.blocks) for step in along.steps]
    parts = [phases.get("reduce-scatter", []), rails, phases.get("all-gather", [])]
    steps = [replace(step, whole=step.whole or number == 0) for part in parts for number, step in enumerate(part)]
    owned = (own * along.blocks + along.own[:, None]).ravel()
    return Schedule(ranks, params.local * along.blocks, tuple(steps), owned)


def _part(key: str, algorithm: Algorithm, operation: Operation, ranks: int) -> Schedule:
    algorithm.check(operation, where=key)
    return algorithm.schedule(operation, ranks) if ranks > 1 else Schedule(1, 1, ())
