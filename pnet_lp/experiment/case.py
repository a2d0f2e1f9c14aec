"""One case of an experiment: a network under a traffic matrix, solved once or for several seeds."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from pnet_lp.model.network import Level, Variant
from pnet_lp.model.paths import Policy
from pnet_lp.registry import Params
from pnet_lp.seeds import derive_seed
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE
from pnet_lp.units import DEFAULT_LINK_GBPS

CaseName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
"""Names folders under ``results/``, so it is lower case and has no separators."""


def _one_or_more(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Case(Params):
    """One network under one traffic matrix; the keys mean what the options of ``pnet-lp throughput`` mean.

    Files are looked for from where the command runs, as on the command line.

    ``draws`` is how many seeds the case is solved for, each of them deciding all that ``seed`` decides: random
    patterns, random topologies without a seed of their own, ties between paths and hashes.
    """

    topology: Annotated[tuple[str, ...], BeforeValidator(_one_or_more), Field(min_length=1)]
    planes: int = Field(1, ge=1)
    variant: Variant | None = None
    link_gbps: float = Field(DEFAULT_LINK_GBPS, gt=0)
    hosts_per_switch: int = Field(0, ge=0)
    seed: int = 0
    draws: int = Field(1, ge=1)
    traffic: str = "all-to-all"
    level: Level | None = None
    routing: str = "ideal"
    plane_policy: Policy = "any"
    objective: str = "concurrent"
    solver: str = "auto"
    tolerance: float = Field(DEFAULT_TOLERANCE, gt=0, lt=1)
    time_limit_s: float | None = Field(None, gt=0)

    def draw_seed(self, index: int) -> int:
        """Return the seed of a draw: of the first one ``seed`` itself, so that more draws keep those there are."""
        return derive_seed(self.seed, "draw", index) if index else self.seed

    def draw_settings(self, index: int) -> dict[str, Any]:
        """Return the settings of one draw as JSON values: those of the case, with the draw's own seed."""
        return self.model_dump(mode="json", exclude={"draws"}) | {"seed": self.draw_seed(index)}
