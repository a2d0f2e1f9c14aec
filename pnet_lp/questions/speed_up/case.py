"""Keys of a question about a speed-up."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pnet_lp.cost import PriceSettings
from pnet_lp.flags import Flag
from pnet_lp.optical import SpeedUpSettings
from pnet_lp.questions.base import OutputOption, Series
from pnet_lp.questions.keys import TrafficKeys
from pnet_lp.tables import TABLE_FORMATS
from pnet_lp.throughput.settings import ToleranceSettings

_COLUMNS = (
    "tree_gbps", "tree_upper_gbps", "circuits_gbps", "circuits_upper_gbps", "limit_gbps", "mean_hops", "solves",
    "break_even_bytes",
)  # fmt: skip

_TRAFFIC = Flag(metavar="EXPR|FILE", several="repeated")


class SpeedUpCase(SpeedUpSettings, PriceSettings, ToleranceSettings, TrafficKeys):
    """Compute how much faster a workload communicates over optical circuits set for it than over a fat tree.

    Processes are clustered into racks, circuits chosen for the demands between racks, and both networks solved.
    """

    headline = "speedup"
    columns = dict.fromkeys(_COLUMNS, "")
    example = "--scenario 1 --job --traffic mpi-fft --traffic mpi-mg"
    rows = "workload"
    outputs = {  # noqa: RUF012 - of a model, which is frozen
        "circuits": OutputOption("Write a table, one row per pair of racks.", TABLE_FORMATS)
    }
    series = (Series("", {"traffic": _TRAFFIC}, rows="workload"),)

    traffic: Annotated[str, _TRAFFIC] = Field(
        "mpi-fft", description="traffic matrix between processes, one per server; repeat it for several rows"
    )
    volume: float | None = Field(None, gt=0, description="bytes of a whole workload, for its speed-up with the delay")
