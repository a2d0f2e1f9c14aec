"""Keys of a question about throughput."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from pnet_lp.errors import SpecError
from pnet_lp.flags import Flag
from pnet_lp.quantities import Bytes
from pnet_lp.questions.base import OutputOption
from pnet_lp.questions.keys import DemandKeys, MetricKeys
from pnet_lp.tables import TABLE_FORMATS
from pnet_lp.throughput.objectives import CONCURRENT
from pnet_lp.throughput.settings import LoadSettings
from pnet_lp.throughput.write_lp import LP_SUFFIXES


class ThroughputCase(LoadSettings, MetricKeys, DemandKeys):
    """Compute how much of a traffic matrix fits into a network.

    Each TOPOLOGY is one plane: an expression such as fat-tree:k=8 or jellyfish:k=8,seed=1 (`pnet-lp list
    topologies`), or a file; 8x[TOPOLOGY] is eight planes, [TOPOLOGY]+4x[TOPOLOGY] five.  The result is the largest K
    such that every demand d gets K d at the same time, between two proved bounds that `pnet-lp verify` can check
    without a solver.  Other objectives maximise the sum of rates or their fairness, or minimise cost.

    With --trials the failures are drawn many times, as `pnet-lp failures` does.

    Exit code 3: the bounds have not met within the tolerance; they hold all the same.
    """

    heading = "Output"
    columns = {"solved_by": "solver"}  # noqa: RUF012 - of a model, which is frozen
    example = "jellyfish:k=8 --planes 4 --variant heterogeneous --level rack"
    rows = "demand, with its rate"
    instead = {"trials": "failures"}  # noqa: RUF012 - of a model, which is frozen
    outputs = {  # noqa: RUF012 - of a model, which is frozen
        "save": OutputOption("Save the result with its proof, for `pnet-lp verify`."),
        "links": OutputOption(
            "Write load, utilisation and length (dual price) of every directed link as a table.", TABLE_FORMATS
        ),
        "paths": OutputOption(
            "Write the share of each demand on each path as a table, to configure routers with.", TABLE_FORMATS
        ),
        "write_lp": OutputOption(
            "Before solving, write the linear program of K for another solver.", suffixes=LP_SUFFIXES
        ),
    }

    min_share: float = Field(
        0.0, ge=0, lt=1, description="remove paths with a smaller share of their demand, and say what the rest carries"
    )
    max_paths: int | None = Field(
        None, ge=1, description="keep so many paths of each demand, those with the largest shares, and say the same"
    )
    demand_size: Annotated[Bytes | None, Flag(metavar="BYTES")] = Field(
        None, description="bytes that a demand of 1.0 is: say how long it takes at least to move all demands"
    )

    @model_validator(mode="after")
    def _check_time(self) -> Self:
        if self.demand_size is not None and self.objective != CONCURRENT:
            raise SpecError(
                "has a meaning for equal shares of all demands", where="demand_size", allowed=f"objective={CONCURRENT}"
            )
        return self
