"""What a network has to carry, and what it may be made of."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from pnet_lp.cost import BookSettings, ChipGbps, HostPartSettings
from pnet_lp.cost.bill import broken_out
from pnet_lp.deadline import Deadline
from pnet_lp.errors import SpecError, naming
from pnet_lp.failures import DRAWN, DrawnFailureSettings
from pnet_lp.flags import Flag
from pnet_lp.registry import OneOrMore, unknown
from pnet_lp.seeds import Seed
from pnet_lp.throughput.settings import ToleranceSettings
from pnet_lp.topology.settings import ServerSettings
from pnet_lp.topology.sizing import sizings
from pnet_lp.traffic import check_traffic

Rank: TypeAlias = Literal["cost", "power", "throughput"]
Sizes: TypeAlias = Literal["few", "fine"]

MOST_PLANES_TRIED = 64
MOST_PORTS = 4096

_OF_FAILURES = Flag(needs=DRAWN)


class FindSettings(DrawnFailureSettings, HostPartSettings, ServerSettings, ToleranceSettings, BookSettings):
    """What is asked of a network; see :func:`~pnet_lp.design.search.find`."""

    hosts: int = Field(ge=2, le=1 << 20, description="minimum number of hosts")
    min_gbps_per_host: float = Field(gt=0, description="minimum of what hosts send on average at once, in Gb/s")
    traffic: Annotated[str, Flag(metavar="EXPR")] = Field(
        "longest-matching", description="traffic matrix between hosts, a pattern for any network"
    )
    radix: Annotated[int, Flag(excludes=("chip",))] = Field(
        64, ge=3, le=MOST_PORTS, description="ports of every switch"
    )
    chip: ChipGbps = Field(
        None,
        gt=0,
        description="in place of radix, what every switch carries, such as 51.2T: as many ports as fit at each speed",
    )
    speeds: Annotated[tuple[float, ...], OneOrMore, Flag(metavar="GBPS,...")] = Field(
        (100.0,), min_length=1, description="speeds of ports to try, in Gb/s; all links of a network have the same"
    )
    planes: Annotated[tuple[int, ...], OneOrMore, Flag(metavar="N,...|N..M")] = Field(
        (1, 2, 4, 8), min_length=1, description="numbers of planes to try"
    )
    families: Annotated[
        tuple[str, ...], OneOrMore, Flag(metavar="NAME,...", help="{}.  [default: all]", listed=sizings.names)
    ] = Field((), description="topology families to try; default: all that come in sizes")
    sizes: Sizes = Field(
        "few", description="sizes of each family to try: a few that are far apart, or also those between, in fine steps"
    )
    budget: float | None = Field(None, gt=0, description="maximum price in USD")
    best: int | None = Field(None, ge=1, description="stop when so many networks of the front are found, best first")
    rank: Rank = Field("cost", description="what ranks networks: least cost, least power or most throughput")
    min_gain: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="least part by which a network must carry more than one that costs no more; 0: any more",
    )
    confidence: Annotated[float, _OF_FAILURES] = Field(
        0.9, gt=0, le=1, description="share of the draws of failures in which the load must be carried"
    )
    trials: Annotated[int, _OF_FAILURES] = Field(20, ge=1, le=10_000, description="draws of failures")
    seed: Seed = Field(0, description="seed of all random choices")
    time_limit_s: Annotated[float | None, Flag("--time-limit")] = Field(
        None, gt=0, allow_inf_nan=True, description="seconds after which to stop with the networks found so far"
    )

    def ports(self, gbps: float) -> int:
        """Return the ports of a switch whose links have the speed ``gbps``."""
        return self.radix if self.chip is None else broken_out(self.chip, gbps)

    def deadline(self) -> Deadline:
        """Return the deadline of a search that begins now."""
        return Deadline(math.inf if self.time_limit_s is None else self.time_limit_s)

    def _check_servers(self) -> None:
        """Raise SpecError where servers do not fit, or there are none and something is said of them."""
        servers = self.servers(self.seed)
        if servers is None:
            if self.scale_up:
                raise SpecError("there are no servers", where="scale_up", allowed="with server=TOPOLOGY")
        elif "traffic" not in self.model_fields_set:
            raise SpecError(
                f"the default, {self.traffic}, is about distances between racks, and is not defined with servers",
                where="traffic",
                allowed="another pattern, such as all-to-all",
            )
        elif servers.size % servers.rails:
            raise SpecError(
                f"servers of {servers.size} cannot be dealt evenly to rails",
                where="rails",
                found=servers.rails,
                allowed="a divisor of it",
            )
        elif all(planes % servers.rails for planes in self.planes):
            raise SpecError(
                f"none of {', '.join(map(str, self.planes))} planes can be dealt evenly to {servers.rails} rails",
                where="planes",
                allowed=f"multiples of {servers.rails}",
            )

    @property
    def enough_gbps_per_host(self) -> float:
        """What has to be attained: as much as is asked for, but for the gap that bounds may have."""
        return self.min_gbps_per_host * (1 - self.tolerance)

    @property
    def more(self) -> float:
        """The factor by which a network has to carry more than one that costs no more, bounds having a gap."""
        return 1 + max(self.min_gain, self.tolerance)

    @model_validator(mode="after")
    def _check(self) -> Self:
        with naming("traffic"):
            check_traffic(self.traffic)
        for name in self.families:
            if name not in sizings:
                raise unknown("no family that comes in sizes is called", name, sizings.names(), where="families")
        for key, values in (("speeds", self.speeds), ("planes", self.planes), ("families", self.families)):
            if len(set(values)) < len(values):
                raise SpecError("a value is given twice", where=key, found=", ".join(map(str, values)))
        for speed in self.speeds:
            if not (math.isfinite(speed) and speed > 0):
                raise SpecError("not a valid link speed", where="speeds", found=speed, allowed="finite Gb/s > 0")
            if not 3 <= self.ports(speed) <= MOST_PORTS:
                raise SpecError(
                    f"a chip of {self.chip or 0:g} Gb/s has {self.ports(speed):,} ports of {speed:g} Gb/s",
                    where="chip",
                    allowed=f"3 to {MOST_PORTS:,} ports",
                )
        for count in self.planes:
            if not 1 <= count <= MOST_PLANES_TRIED:
                raise SpecError("out of range", where="planes", found=count, allowed=f"1 to {MOST_PLANES_TRIED}")
        if self.best is not None and self.rank == "throughput":
            raise SpecError(
                "has no meaning where throughput ranks, since the front is found from the least cost on",
                where="best",
                found=self.best,
                allowed="ranks cost and power",
            )
        self._check_servers()
        if not self.failures:
            for key in sorted(self.model_fields_set & {"confidence", "trials"}):
                raise SpecError(f"has no meaning without {' or '.join(DRAWN)}", where=key, found=getattr(self, key))
        return self
