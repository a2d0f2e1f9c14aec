"""A whole scenario as text, from the topology on, so that other seeds of it can run in other processes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

from pnet_lp.errors import SpecError
from pnet_lp.failures import FailureSettings, fail
from pnet_lp.model import Network, TrafficMatrix, Workload
from pnet_lp.model.brief import brief
from pnet_lp.seeds import LARGEST_SEED
from pnet_lp.sim.flows import FlowSettings
from pnet_lp.sim.outage import Outage, OutageSettings
from pnet_lp.sim.result import SimulationResult
from pnet_lp.sim.scenario import OnSimulationProgress, SimulationScenario
from pnet_lp.sim.settings import SimulationSettings
from pnet_lp.topology import PlaneSettings
from pnet_lp.workers import map_in_order


@brief("topologies", "seed")
@dataclass(frozen=True, repr=False)
class ScenarioText:
    """What a scenario is made of, as one would type it.

    Attributes:
        topologies: one for each plane, or one for all.
        flows: which flows there are.
        planes: how topologies become planes.
        failures: what is down.
        outage: when, if that is not all the time.
        settings: how to simulate.
        trace: what to trace.
        seed: all that is drawn is drawn from this.
        network: without failures, in place of what ``topologies`` and ``planes`` say; None to build it.
        matrix: in place of the traffic that ``flows`` says; None to build it.
    """

    topologies: tuple[str, ...]
    flows: FlowSettings
    planes: PlaneSettings = field(default_factory=partial(PlaneSettings.model_validate, {}))
    failures: FailureSettings = field(default_factory=partial(FailureSettings.model_validate, {}))
    outage: OutageSettings = field(default_factory=partial(OutageSettings.model_validate, {}))
    settings: SimulationSettings = field(default_factory=partial(SimulationSettings.model_validate, {}))
    trace: tuple[str, ...] = ()
    seed: int = 0
    network: Network | None = None
    matrix: TrafficMatrix | None = None

    def given(self) -> tuple[Network, Workload, Outage | None]:
        """Return the network, its flows and what fails while they run; raises whatever is wrong with an expression."""
        network = self.network or self.planes.intact(self.topologies, self.seed)
        failures = self.failures.failures
        outage = self.outage.outage(network, failures, self.seed)
        if outage is None:
            network = fail(network, failures, seed=self.seed)
        return network, self.flows.build(network, self.seed, self.matrix), outage

    def build(self) -> SimulationScenario:
        """Return the scenario; raises whatever is wrong with an expression."""
        network, workload, outage = self.given()
        return self.settings.scenario(network, workload, self.seed, trace=self.trace, outage=outage)


def run_text(
    text: ScenarioText,
    *,
    repeat: int = 1,
    jobs: int = 1,
    on_progress: Callable[[int], OnSimulationProgress | None] = lambda _: None,
) -> Generator[SimulationResult]:
    """Yield the result of the scenario and of those with the next seeds, in their order.

    The records do not depend on ``jobs``.

    Args:
        text: the scenario of the first run.
        repeat: number of runs; run i has the seed ``text.seed + i``, so network, traffic and flows are drawn anew.
        jobs: processes that run at the same time.  Where it is more than 1, a script must call this below
            ``if __name__ == "__main__"``, since every process imports the script.
        on_progress: given the number of a run, returns what is called now and then during it; only where ``jobs`` is 1.

    Raises:
        KeyboardInterrupt: the user stopped one of several runs.
    """
    if repeat == 1:
        yield text.build().run(on_progress(0))
        return
    if text.seed + repeat - 1 > LARGEST_SEED:
        raise SpecError("the last run's seed would be too large", where="repeat", found=repeat)
    tasks = [replace(text, seed=text.seed + i) for i in range(repeat)]
    if jobs == 1:
        runs: Generator[SimulationResult] = (
            task.build().run(on_progress(i), runs=repeat) for i, task in enumerate(tasks)
        )
    else:
        runs = map_in_order(partial(_run, jobs=min(jobs, repeat), runs=repeat), tasks, jobs)
    with closing(runs):
        for result in runs:
            if result.end == "interrupted":
                raise KeyboardInterrupt
            yield result


def _run(text: ScenarioText, jobs: int, runs: int) -> SimulationResult:
    return text.build().run(jobs=jobs, runs=runs)
