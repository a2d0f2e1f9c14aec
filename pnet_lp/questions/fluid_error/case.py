"""Keys of a question about the error of the fluid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Self, TypeVar

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.errors import SpecError, naming
from pnet_lp.flags import Flag
from pnet_lp.model import Network, TrafficMatrix, Workload
from pnet_lp.questions.base import Case, Value
from pnet_lp.registry import OneOrMore, validate
from pnet_lp.seeds import generator
from pnet_lp.sim import SimulationSettings
from pnet_lp.sim.fluid import parse_correction
from pnet_lp.sim.settings import FLUID_ONLY, PACKETS_ONLY, EveryModelSettings
from pnet_lp.throughput.facade import solve
from pnet_lp.topology import PlaneSettings, check_topology
from pnet_lp.traffic import build_traffic, check_traffic
from pnet_lp.workload import build_workload, check_hosts, check_workload

SIZE_CLASSES = {"below_10kb": 1e4, "below_100kb": 1e5, "below_1mb": 1e6, "above_1mb": np.inf}
"""Classes by the bytes that flows are below."""

Words = Annotated[tuple[str, ...], OneOrMore, Flag(metavar="EXPR", several="repeated"), Field(min_length=1)]
T = TypeVar("T")


class FluidErrorCase(EveryModelSettings, PlaneSettings, Case):
    """Compute the error of the fluid's 99th percentile of slowdowns against that of packets, over random mixes.

    What a mix consists of is drawn evenly from what is given, its load from a range.
    """

    headline = "error_percent"
    columns = dict.fromkeys(
        [
            "packets_p99",
            *(f"{model}_{name}" for model in ("plain", "corrected") for name in ("p99", "percent", *SIZE_CLASSES)),
            *("plain_error_percent", "mix_topology", "mix_traffic", "mix_workload"),
        ],
        "",
    )
    example = (
        "--topologies fat-tree:k=4 --traffics permutation --arrivals poisson --flow-sizes pfabric-web-search "
        "--load 0.3,0.5 --flows 200"
    )
    rows = "mix"
    threads = None

    topologies: Words = Field(description="networks of hosts, one of which is drawn")
    traffics: Words = Field(description="matrices between hosts, one of which is drawn")
    arrivals: Words = Field(
        description="workloads that arrive at a load, one of which is drawn: poisson, log-normal:sigma=2"
    )
    flow_sizes: str = Field(description="flow sizes")
    flows: int = Field(20_000, ge=1, le=10**9, description="number of flows")
    load: tuple[float, float] = Field(
        description="from where to where the load of the busiest link is drawn, by bytes offered and equal splits over "
        "shortest paths"
    )
    plain: str = Field("none", description="another correction, whose error is given beside that of ``correction``")

    @model_validator(mode="after")
    def _check_mixes(self) -> Self:
        low, high = self.load
        if not 0 < low <= high <= 1:
            raise SpecError("not a range of loads", where="load", found=[low, high], allowed="0 < least <= most <= 1")
        with naming("plain"):
            parse_correction(self.plain)
        return self

    def check(self) -> None:
        """See the base class."""
        super().check()
        with naming("topologies"):
            for text in self.topologies:
                self._warnings += check_topology(text, link_gbps=self.link_gbps)
                self.check_planes((text,))
        with naming("traffics"):
            for text in self.traffics:
                check_traffic(text)
        with naming("arrivals"):
            for text in self.arrivals:
                check_workload(self._workload(text, self.load[1], 1.0), self.traffics[0])

    @property
    def packets(self) -> SimulationSettings:
        """The settings of the packets."""
        return validate(SimulationSettings, {"model": "packets", **self._given(FLUID_ONLY)})

    def fluid(self, correction: str) -> SimulationSettings:
        """Return the settings of the fluid with this correction."""
        given = {**self._given(PACKETS_ONLY), "model": "fluid", "correction": correction}
        idle = SimulationSettings.meaningless(given)
        return validate(SimulationSettings, {key: value for key, value in given.items() if key not in idle})

    def _given(self, but: tuple[str, ...]) -> dict[str, Any]:
        """Return the settings of a simulation that were given, without some."""
        names = self.model_fields_set & set(SimulationSettings.model_fields) - set(but)
        return {key: getattr(self, key) for key in SimulationSettings.model_fields if key in names}

    def draw(self, seed: int) -> tuple[Network, Workload, dict[str, Value]]:
        """Return the mix of a seed: its network, its flows, and what was drawn."""
        random = generator(seed, "mix")
        topology, traffic, arrivals = (_one(words, random) for words in (self.topologies, self.traffics, self.arrivals))
        load = float(random.uniform(*self.load))
        network = self.intact((topology,), seed)
        check_hosts(network, traffic)
        matrix = build_traffic(traffic, network, "host", seed=seed)
        workload = self._workload(arrivals, load, _capacity_gbps(network, matrix))
        drawn: dict[str, Value] = {"mix_topology": topology, "mix_traffic": traffic, "mix_workload": workload}
        return network, build_workload(workload, network, matrix, seed=seed), drawn

    def _workload(self, arrivals: str, load: float, capacity_gbps: float) -> str:
        more = f"sizes={self.flow_sizes},load={load:.6g},flows={self.flows},capacity_gbps={capacity_gbps:.6g}"
        return f"{arrivals}{',' if ':' in arrivals else ':'}{more}"


def _capacity_gbps(network: Network, matrix: TrafficMatrix) -> float:
    """Return the sum of all demands that fills the busiest link, where each switch splits evenly over its next hops."""
    found = solve(network, matrix, routing="ecmp-split").throughput_gbps
    assert found is not None
    return found * float(matrix.demand.sum())


def _one(words: Sequence[T], random: np.random.Generator) -> T:
    return words[int(random.integers(len(words)))]
