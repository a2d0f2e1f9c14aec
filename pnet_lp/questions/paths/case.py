"""Keys of a question about paths."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from pnet_lp.errors import SpecError
from pnet_lp.flags import Flag
from pnet_lp.model.network import Level
from pnet_lp.questions.keys import MetricKeys, PairName
from pnet_lp.routing import RoutingSettings


class PathsCase(RoutingSettings, MetricKeys):
    """List the paths that a routing allows between two endpoints, or statistics of all paths.

    --seed breaks ties between equally good paths.  Not every routing has such a list.
    """

    headline = "paths_per_pair"
    columns = dict.fromkeys(("paths", "mean_hops", "max_hops", "disconnected_pairs"), "")
    example = "fat-tree:k=4 --routing ksp:4 --pair h0 h15"
    progress = False
    rows = "path, with --stats one per number of hops"

    routing: str = Field("ksp:8", description="paths that demands may use (`pnet-lp list routings`)")
    pair: PairName = Field(None, description="show the paths from one endpoint to another")
    stats: Annotated[bool, Flag(excludes=("pair",))] = Field(
        False, description="show statistics over all ordered pairs"
    )
    level: Level | None = Field(
        None, description="whether pairs are of racks or hosts; default: host if the network has hosts"
    )

    @model_validator(mode="after")
    def _check_pair(self) -> Self:
        if self.pair is None and not self.stats:
            raise SpecError("nothing is requested", allowed="pair=A B or stats=true")
        return self

    def check(self) -> None:
        """See the base class."""
        super().check()
        self.check_level(self.level)
