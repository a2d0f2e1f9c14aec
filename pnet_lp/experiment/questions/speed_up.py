"""How much sooner a workload's communication ends on circuits set for it than on a fat tree."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.experiment.keys import TrafficKeys
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed
from pnet_lp.optical import SpeedUpSettings, speedup
from pnet_lp.throughput.settings import ToleranceSettings


class SpeedUpCase(SpeedUpSettings, ToleranceSettings, TrafficKeys):
    """One workload on both networks of a scenario, as of ``pnet-lp cost speedup``."""

    headline = "speedup"
    columns = (
        "tree_gbps",
        "tree_upper_gbps",
        "circuits_gbps",
        "circuits_upper_gbps",
        "limit_gbps",
        "mean_hops",
        "solves",
        "break_even_bytes",
    )

    traffic: str = Field("mpi-fft", description="what the processes, one for each server, send each other")


@QUESTIONS.register(
    "speed-up",
    params=SpeedUpCase,
    summary="time of a workload's communication on a fat tree over that on circuits set for it",
    source="hybrid optical/electrical network, section 5",
)
def speed_up(case: SpeedUpCase, seed: int) -> Posed:
    """Pose the case with the demands, ties and places that ``seed`` draws."""
    scenario = case.networks

    def answer(threads: int, on_progress: OnProgress) -> Answer:
        found = speedup(
            scenario,
            case.traffic,
            level=case.level,
            seed=seed,
            tolerance=case.tolerance,
            threads=threads,
            on_progress=on_progress,
            **case.options(),
        )
        document, proved = found.to_json(), found.proved_ratio
        return Answer(
            Headline(case.headline, "", "speed-up", found.ratio, proved.lower, proved.upper),
            document["status"],
            {name: document[name] for name in SpeedUpCase.columns},
            document,
        )

    # The demands that a file holds are known by content once they are built for these servers.
    traffic = case.matrix(scenario.tree(), seed)
    return Posed((traffic.fingerprint,), answer)
