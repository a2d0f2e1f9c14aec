"""Who sends how much to whom: the same settings for options and keys of a spec."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pnet_lp.flags import Flag
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.registry import Params
from pnet_lp.traffic.build import build_traffic


class TrafficSettings(Params):
    """The demands on a network; see :func:`~pnet_lp.traffic.build.build_traffic`."""

    heading = "Traffic"

    traffic: Annotated[str, Flag(metavar="EXPR|FILE")] = Field(
        "all-to-all",
        description="traffic matrix: a name (`pnet-lp list traffic`), a file, or a sum such as 2*stride:s=1+FILE",
    )
    level: Level | None = Field(
        None,
        description="whether demands are between racks or hosts; default: as the catalogue says, else host if the "
        "network has hosts",
    )

    def matrix(self, network: Network, seed: int) -> TrafficMatrix:
        """Return the demands on ``network``."""
        return build_traffic(self.traffic, network, self.level, seed=seed)
