"""How far the fluid's slowdowns are from those of packets, in a random mix of network, matrix and workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, ProgressStep, Run, Summary, Value
from pnet_lp.questions.fluid_error.case import SIZE_CLASSES, FluidErrorCase
from pnet_lp.seeds import derive_seed
from pnet_lp.sim import SimulationResult, SimulationScenario, SimulationSettings

_TAIL_PERCENT = 99.0
MODELS = ("plain", "corrected")


@dataclass(frozen=True, eq=False, repr=False)
class FluidErrorAnswer(Answer):
    """The same flows in packets and in two fluids.

    Attributes:
        mix: what was drawn.
        settings: of each simulation.
        results: by name: ``packets``, ``plain``, ``corrected``.
    """

    mix: Mapping[str, Value]
    settings: Mapping[str, Any]
    results: Mapping[str, SimulationResult]

    def error_percent(self, name: str) -> float:
        """Return the absolute error of a fluid's 99th percentile, in per cent of that of packets."""
        return 100 * abs(_tail(self.results[name]) / _tail(self.results["packets"]) - 1)

    def summary(self) -> Summary:
        """See the base class."""
        what, found = "error of the 99th percentile of slowdowns", self.document
        headline = Headline.exact(FluidErrorCase.headline, "percent", what, found[FluidErrorCase.headline], "%")
        return Summary(headline, FluidErrorCase.columns_in(found))

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        packets = self.results["packets"]
        plain, corrected = (_errors(name, self.results[name], packets) for name in MODELS)
        return {
            # Of fluids, the size of the error counts, be it above or below.
            FluidErrorCase.headline: abs(corrected["corrected_percent"]),
            "packets_p99": _tail(packets),
            **plain,
            **corrected,
            "plain_error_percent": abs(plain["plain_percent"]),
            **self.mix,
            "settings": dict(self.settings),
        }


@QUESTIONS.register(
    "fluid-error",
    params=FluidErrorCase,
    summary="error of the fluid's 99th percentile of slowdowns against packets, over random mixes",
)
def fluid_error(case: FluidErrorCase, seed: int) -> Posed:
    """Pose the case on the mix that ``seed`` draws; cases of other sizes or loads have other mixes."""
    seed = derive_seed(seed, f"fluid-error/{case.flow_sizes}/{case.load}")
    network, workload, drawn = case.draw(seed)
    models: Mapping[str, SimulationSettings] = {
        "packets": case.packets,
        "plain": case.fluid(case.plain),
        "corrected": case.fluid(case.correction),
    }
    scenarios = {name: settings.scenario(network, workload, seed) for name, settings in models.items()}
    settings = {name: scenario.to_json() for name, scenario in scenarios.items()}

    def answer(run: Run) -> Answer:
        results = {name: _complete(name, scenario, run) for name, scenario in scenarios.items()}
        return FluidErrorAnswer(drawn, settings, results)

    return Posed((network.fingerprint, workload.fingerprint, repr(settings)), answer)


def _complete(name: str, scenario: SimulationScenario, run: Run) -> SimulationResult:
    report = run.on_progress
    result = scenario.run(report and (lambda progress: report(ProgressStep(name, progress))))
    if result.end == "interrupted":
        raise KeyboardInterrupt
    return result


def _errors(name: str, fluid: SimulationResult, packets: SimulationResult) -> dict[str, Any]:
    """Return the fluid's 99th percentile of slowdowns, and by how many per cent it is above that of packets."""
    size = packets.flow["bytes"]
    found: dict[str, Any] = {f"{name}_p99": _tail(fluid), f"{name}_percent": 100 * (_tail(fluid) / _tail(packets) - 1)}
    least = 0.0
    for label, most in SIZE_CLASSES.items():
        within = (size >= least) & (size < most)
        found[f"{name}_{label}"] = 100 * (_tail(fluid, within) / _tail(packets, within) - 1) if within.any() else None
        least = most
    return found


def _tail(result: SimulationResult, among: Any = slice(None)) -> float:
    """Return the 99th percentile of the slowdowns of some flows, all of which are complete."""
    slowdown = result.slowdown[among]
    return float(np.percentile(slowdown, _TAIL_PERCENT, method="inverted_cdf"))
