"""A whole scenario in words, from the topology on, so that other seeds of it can run in other processes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field, replace

from pnet_lp.errors import SpecError
from pnet_lp.failures import FailureModel, Failures, fail
from pnet_lp.model import Network
from pnet_lp.model.network import Variant
from pnet_lp.seeds import LARGEST_SEED
from pnet_lp.sim.outage import Outage
from pnet_lp.sim.result import SimulationResult
from pnet_lp.sim.scenario import OnProgress, Scenario
from pnet_lp.sim.settings import Settings
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.units import DEFAULT_LINK_GBPS, parse_duration
from pnet_lp.workers import map_in_order
from pnet_lp.workload import build_workload


@dataclass(frozen=True)
class ScenarioWords:
    """What a scenario is made of, as one would type it.

    Attributes:
        topologies: one for each plane, or one for all.
        workload: an expression.
        traffic: the matrix that it takes its pairs from, if it does.
        planes, variant, link_gbps, hosts_per_switch: as of :func:`~pnet_lp.topology.build_network`.
        failures: what is down.
        fail_at, fail_until: from when until when; None for from the start, and for ever.
        reroute_after: how long paths need to take note of what fails or comes back meanwhile; None where they never do.
        settings: everything else.
        seed: all that is drawn is drawn from this.
    """

    topologies: tuple[str, ...]
    workload: str
    traffic: str | None = None
    planes: int = 1
    variant: Variant | None = None
    link_gbps: float = DEFAULT_LINK_GBPS
    hosts_per_switch: int = 0
    failures: Failures = field(default_factory=Failures)
    fail_at: str | None = None
    fail_until: str | None = None
    reroute_after: str | None = None
    settings: Settings = field(default_factory=Settings)
    seed: int = 0

    def build(self) -> Scenario:
        """Return the scenario; raises whatever is wrong with a word."""
        intact = build_network(
            self.topologies,
            planes=self.planes,
            variant=self.variant,
            link_gbps=self.link_gbps,
            hosts_per_switch=self.hosts_per_switch,
            seed=self.seed,
        )
        outage = self._outage(intact)
        network = fail(intact, self.failures, seed=self.seed) if outage is None else intact
        traffic = (
            None if self.traffic is None else build_traffic(self.traffic, network, "host", seed=self.seed)
        )
        workload = build_workload(self.workload, network, traffic, seed=self.seed)
        return self.settings.scenario(network, workload, self.seed, outage=outage)

    def _outage(self, network: Network) -> Outage | None:
        """Return what fails for a time only, None where everything that fails is down all the time."""
        if self.fail_at is None and self.fail_until is None:
            return None
        begin = parse_duration(self.fail_at or "0s", "fail_at")
        end = None if self.fail_until is None else parse_duration(self.fail_until, "fail_until")
        if end is not None and end <= begin:
            raise SpecError(
                "what fails would be back before",
                where="fail_until",
                found=self.fail_until,
                allowed=f"more than {self.fail_at or 0}",
            )
        reroute = None if self.reroute_after is None else parse_duration(self.reroute_after, "reroute_after")
        return Outage(FailureModel(network, self.failures).draw(self.seed), begin, end, reroute)


def run_words(
    words: ScenarioWords,
    *,
    repeat: int = 1,
    jobs: int = 1,
    on_progress: Callable[[int], OnProgress | None] = lambda _: None,
) -> Generator[SimulationResult]:
    """Yield the result of the scenario and of those with the next seeds, in their order.

    The records do not depend on ``jobs``.

    Args:
        words: the scenario of the first run.
        repeat: number of runs; run i has the seed ``words.seed + i``, so network, traffic and flows are drawn anew.
        jobs: processes that run at the same time.  Where it is more than 1, a script must call this below
            ``if __name__ == "__main__"``, since every process imports the script.
        on_progress: given the number of a run, returns what is called now and then during it; only where ``jobs`` is 1.

    Raises:
        KeyboardInterrupt: the user stopped one of several runs.
    """
    if repeat == 1:
        yield words.build().run(on_progress(0))
        return
    if words.seed + repeat - 1 > LARGEST_SEED:
        raise SpecError("the last run's seed would be too large", where="repeat", found=repeat)
    tasks = [replace(words, seed=words.seed + i) for i in range(repeat)]
    if jobs == 1:
        runs: Generator[SimulationResult] = (task.build().run(on_progress(i)) for i, task in enumerate(tasks))
    else:
        runs = map_in_order(_run, tasks, jobs)
    with closing(runs):
        for result in runs:
            if result.end == "interrupted":
                raise KeyboardInterrupt
            yield result


def _run(words: ScenarioWords) -> SimulationResult:
    return words.build().run()
