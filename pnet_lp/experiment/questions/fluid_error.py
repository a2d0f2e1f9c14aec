"""How far the fluid's slowdowns are from those of packets, over random mixes of networks, matrices and workloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self, TypeVar

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.errors import SpecError, naming
from pnet_lp.experiment.case import Case
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed, Value
from pnet_lp.model import Network, TrafficMatrix, Workload
from pnet_lp.registry import OneOrMore, validate
from pnet_lp.seeds import derive_seed, generator
from pnet_lp.sim import SimulationResult, SimulationScenario, SimulationSettings
from pnet_lp.sim.fluid import parse_correction
from pnet_lp.sim.settings import FLUID_ONLY, PACKETS_ONLY, EveryModelSettings
from pnet_lp.throughput import solve
from pnet_lp.topology import PlaneSettings, check_topology
from pnet_lp.traffic import build_traffic, check_traffic
from pnet_lp.workload import build_workload, check_hosts, check_workload

_CLASSES = {"below_10kb": 1e4, "below_100kb": 1e5, "below_1mb": 1e6, "above_1mb": np.inf}
"""Size classes, by the bytes that their flows are below."""

_TAIL_PERCENT = 99.0
Words = Annotated[tuple[str, ...], OneOrMore, Field(min_length=1)]
T = TypeVar("T")


class FluidErrorCase(EveryModelSettings, PlaneSettings, Case):
    """Mixes, of which each draw is one: what it consists of is drawn evenly from the lists that are given."""

    headline = "error_percent"
    columns = (
        "packets_p99",
        *(f"{model}_{name}" for model in ("plain", "corrected") for name in ("p99", "percent", *_CLASSES)),
        "plain_error_percent",
        "mix_topology",
        "mix_traffic",
        "mix_workload",
    )

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
    plain: str = Field(
        "none", description="another correction, whose error is given beside that of ``correction``"
    )

    @model_validator(mode="after")
    def _check_mixes(self) -> Self:
        low, high = self.load
        if not 0 < low <= high <= 1:
            raise SpecError(
                "no range of loads", where="load", found=[low, high], allowed="0 < least <= most <= 1"
            )
        with naming("topologies"):
            for text in self.topologies:
                self._warnings += check_topology(text, link_gbps=self.link_gbps)
                self.check((text,))
        with naming("traffics"):
            for text in self.traffics:
                check_traffic(text)
        with naming("arrivals"):
            for text in self.arrivals:
                check_workload(self._workload(text, high, 1.0), self.traffics[0])
        with naming("plain"):
            parse_correction(self.plain)
        return self

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
        topology, traffic, arrivals = (
            _one(words, random) for words in (self.topologies, self.traffics, self.arrivals)
        )
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


@QUESTIONS.register(
    "fluid-error",
    params=FluidErrorCase,
    summary="error of the fluid's 99th percentile of slowdowns against packets, over random mixes",
)
def fluid_error(case: FluidErrorCase, seed: int) -> Posed:
    """Pose the case on the mix that ``seed`` draws; cases of other sizes or loads have other mixes."""
    seed = derive_seed(seed, f"fluid-error/{case.flow_sizes}/{case.load}")
    network, workload, drawn = case.draw(seed)
    asked: Mapping[str, SimulationSettings] = {
        "packets": case.packets,
        "plain": case.fluid(case.plain),
        "corrected": case.fluid(case.correction),
    }
    scenarios = {name: settings.scenario(network, workload, seed) for name, settings in asked.items()}
    settings = {name: scenario.to_json() for name, scenario in scenarios.items()}

    def answer(_: int, __: OnProgress) -> Answer:
        results = {name: _run(scenario) for name, scenario in scenarios.items()}
        columns: dict[str, Value] = {"packets_p99": _tail(results["packets"])}
        for name in ("plain", "corrected"):
            columns |= _errors(name, results[name], results["packets"])
        off = {
            name: 100 * abs(_tail(results[name]) / _tail(results["packets"]) - 1)
            for name in ("plain", "corrected")
        }
        columns |= {"plain_error_percent": off["plain"], **drawn}
        return Answer(
            Headline.exact(
                case.headline, "percent", "error of the 99th percentile of slowdowns", off["corrected"], "%"
            ),
            "exact",
            columns,
            {"settings": settings, **columns},
        )

    return Posed((network.fingerprint, workload.fingerprint, repr(settings)), answer)


def _run(scenario: SimulationScenario) -> SimulationResult:
    result = scenario.run()
    if result.end == "interrupted":
        raise KeyboardInterrupt
    return result


def _errors(name: str, fluid: SimulationResult, packets: SimulationResult) -> dict[str, Value]:
    """Return the fluid's 99th percentile of slowdowns, and by how many per cent it is above that of packets."""
    size = packets.flow["bytes"]
    found: dict[str, Value] = {
        f"{name}_p99": _tail(fluid),
        f"{name}_percent": 100 * (_tail(fluid) / _tail(packets) - 1),
    }
    least = 0.0
    for label, most in _CLASSES.items():
        within = (size >= least) & (size < most)
        found[f"{name}_{label}"] = (
            100 * (_tail(fluid, within) / _tail(packets, within) - 1) if within.any() else None
        )
        least = most
    return found


def _tail(result: SimulationResult, among: Any = slice(None)) -> float:
    """Return the 99th percentile of the slowdowns of some flows, all of which are complete."""
    slowdown = result.slowdown[among]
    return float(np.percentile(slowdown, _TAIL_PERCENT, method="inverted_cdf"))


def _capacity_gbps(network: Network, matrix: TrafficMatrix) -> float:
    """Return the sum of all demands that fills the busiest link, where each switch splits evenly over its next hops."""
    found = solve(network, matrix, routing="ecmp-split").throughput_gbps
    assert found is not None
    return found * float(matrix.demand.sum())


def _one(words: Sequence[T], random: np.random.Generator) -> T:
    return words[int(random.integers(len(words)))]
