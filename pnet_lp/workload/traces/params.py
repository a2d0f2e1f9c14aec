"""What a trace leaves open, as parameters behind its file: ``run.0.et:all_reduce=tree,placement=random``."""

from __future__ import annotations

from pathlib import Path
from typing import Self, get_args

from pydantic import Field, model_validator

from pnet_lp.collectives import AlgorithmOf, Operation
from pnet_lp.errors import WorkloadError
from pnet_lp.files import read_limited
from pnet_lp.groups import Placement
from pnet_lp.layouts import decoded, parse_json
from pnet_lp.model import Workload
from pnet_lp.quantities import Bytes
from pnet_lp.seeds import OwnSeed
from pnet_lp.workload.base import WorkloadContext, WorkloadParams
from pnet_lp.workload.collective import ALGORITHM, HOSTS, PLACEMENT, chosen_hosts
from pnet_lp.workload.traces.expand import Expansion, expanded
from pnet_lp.workload.traces.format import TRACE_FORMATS


class TraceParams(WorkloadParams):
    """Parameters behind the file of a trace."""

    all_reduce: AlgorithmOf = Field("ring", validate_default=True, description=ALGORITHM)
    all_gather: AlgorithmOf = Field("ring", validate_default=True, description=ALGORITHM)
    reduce_scatter: AlgorithmOf = Field("ring", validate_default=True, description=ALGORITHM)
    all_to_all: AlgorithmOf = Field("pairwise", validate_default=True, description=ALGORITHM)
    broadcast: AlgorithmOf = Field("tree", validate_default=True, description=ALGORITHM)
    reduce: AlgorithmOf = Field("tree", validate_default=True, description=ALGORITHM)
    gather: AlgorithmOf = Field("linear", validate_default=True, description=ALGORITHM)
    scatter: AlgorithmOf = Field("linear", validate_default=True, description=ALGORITHM)
    tflops: float | None = Field(
        None, gt=0, le=1e9, description="10^12 operations that a rank computes in a second, where a trace counts them"
    )
    size: Bytes | None = Field(None, description="bytes of a rank's whole buffer, for an algorithm of MSCCL")
    groups: str | None = Field(None, description="JSON file with the ranks of each group: {NAME: [RANK, ...], ...}")
    hosts: str = Field("all", description=HOSTS)
    placement: Placement = Field("in-order", description=PLACEMENT)
    seed: OwnSeed = None

    @model_validator(mode="after")
    def _check_algorithms(self) -> Self:
        for operation, algorithm in self.expansion().algorithms.items():
            algorithm.check(operation, where=operation.replace("-", "_"))
        return self

    def expansion(self, groups: dict[str, tuple[int, ...]] | None = None) -> Expansion:
        """Return what is stated, with these groups."""
        return Expansion(
            {operation: getattr(self, operation.replace("-", "_")) for operation in get_args(Operation)},
            self.tflops,
            groups or {},
            self.size,
        )

    def workload(self, data: bytes, where: str, context: WorkloadContext) -> Workload:
        """Return the flows of a trace, the content of the file ``where``.

        Raises:
            SpecError: an algorithm that does not fit the ranks of an operation.
            WorkloadError: a broken file; fewer hosts than ranks; what
                :func:`~pnet_lp.workload.traces.expand.expanded` raises.
        """
        groups = {} if self.groups is None else _groups(Path(self.groups))
        places = chosen_hosts(context, self.hosts, self.placement, self.seed)
        found = TRACE_FORMATS.parse(data, where, len(places))
        place = places[: found.check_ranks(len(places))]
        return expanded(found, self.expansion(groups), context.hosts, place, context.label)


def _groups(path: Path) -> dict[str, tuple[int, ...]]:
    where = str(path)
    document = parse_json(decoded(read_limited(path, WorkloadError), where, WorkloadError), where, WorkloadError)
    if not isinstance(document, dict) or not all(map(_is_group, document.values())):
        raise WorkloadError("not groups of ranks", where=where, allowed="{NAME: [RANK, ...], ...}")
    return {name: tuple(ranks) for name, ranks in document.items()}


def _is_group(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(rank, int) and not isinstance(rank, bool) for rank in value)
