"""Random graphs in which every switch has the same number of cables."""

from __future__ import annotations

from pydantic import Field, model_validator

from pnet_lp.model import Plane
from pnet_lp.model.layout import Circle
from pnet_lp.seeds import Seed, generator
from pnet_lp.topology.family import LinkParams, check_size, topologies
from pnet_lp.topology.random_graph import random_graph


class RandomRegular(LinkParams):
    """Parameters of ``random-regular``."""

    n: int = Field(ge=2, description="number of switches (paper: N)")
    degree: int = Field(ge=1, description="cables at each switch (paper: r)")
    seed: Seed = Field(0, description="which random graph")

    @model_validator(mode="after")
    def _exists(self) -> RandomRegular:
        if self.degree >= self.n:
            raise ValueError(f"degree {self.degree} needs at least {self.degree + 1} switches, n is {self.n}")
        if self.n * self.degree % 2:
            raise ValueError(f"n * degree must be even, not {self.n} * {self.degree}")
        if self.degree == 1 and self.n > 2:
            raise ValueError("degree 1 joins no more than two switches")
        return self


@topologies.register(
    "random-regular",
    params=RandomRegular,
    example="n=12,degree=3",
    summary="random simple connected graph, every switch with the same number of cables",
    source="Singla, Godfrey, Kolla: High Throughput Data Center Topology Design, NSDI 2014",
)
def random_regular(params: RandomRegular) -> Plane:
    """Return a random regular graph: simple, connected, every switch a rack."""
    check_size("random-regular", switches=params.n, cables=params.n * params.degree // 2)
    cables = random_graph([params.degree] * params.n, generator(params.seed, "random-regular"))
    return Plane.from_cables(params.n, cables[:, 0], cables[:, 1], params.link_gbps, layout=Circle())
