"""How much sooner a workload's communication ends on circuits set for it than on a fat tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Self

from pydantic import Field, model_validator

from pnet_lp.errors import SpecError
from pnet_lp.experiment.keys import ToleranceKeys, TrafficKeys
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed
from pnet_lp.optical import SCENARIOS, TESTBEDS, Scenario, speedup
from pnet_lp.optical.speedup import DEFAULT_SOLVES, RECONFIGURATION_S


class SpeedUpCase(ToleranceKeys, TrafficKeys):
    """One workload on both networks of a scenario, as of ``pnet-lp cost speedup``."""

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
    scenario: Literal["1", "2"] = Field(
        "1", description="pair of the paper: 1:25 tree and 6 links, 1:4 and 20"
    )
    job: bool = Field(False, description="the paper's job on four racks in place of the whole cluster")
    oversubscription: float | None = Field(
        None, ge=1, allow_inf_nan=False, description="of another tree than the scenario's"
    )
    links: int | None = Field(None, ge=1, description="other number of optical links of a ToR")
    servers: int | None = Field(None, ge=1, description="other number of hosts")
    servers_per_rack: int | None = Field(None, ge=1, description="other number of hosts of a rack")
    scattered: bool = Field(False, description="whether the racks are dealt over the tree at random")
    search: int = Field(
        DEFAULT_SOLVES, ge=1, description="most throughputs to solve in the search for circuits"
    )
    delay_s: float = Field(
        RECONFIGURATION_S, ge=0, allow_inf_nan=False, description="seconds to set the circuits"
    )

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        if self.job and self._sizes:
            raise SpecError(
                "a job has sizes of its own", where=min(self._sizes), found=self._sizes[min(self._sizes)]
            )
        return self

    @property
    def _sizes(self) -> dict[str, float]:
        given = {
            "oversubscription": self.oversubscription,
            "links": self.links,
            "servers": self.servers,
            "servers_per_rack": self.servers_per_rack,
        }
        return {key: value for key, value in given.items() if value is not None}

    @property
    def networks(self) -> Scenario:
        """The two networks."""
        known = TESTBEDS if self.job else SCENARIOS
        return replace(known[self.scenario], **self._sizes)  # type: ignore[arg-type]


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
            scattered=case.scattered,
            delay_s=case.delay_s,
            solves=case.search,
            tolerance=case.tolerance,
            threads=threads,
            on_progress=on_progress,
        )
        document, proved = found.to_json(), found.proved_ratio
        return Answer(
            Headline("speedup", "", "speed-up", found.ratio, proved.lower, proved.upper),
            document["status"],
            {name: document[name] for name in SpeedUpCase.columns},
            document,
        )

    # The demands that a file holds are known by content once they are built for these servers.
    traffic = case.matrix(scenario.tree(), seed)
    return Posed((traffic.fingerprint,), answer)
