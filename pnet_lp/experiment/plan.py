"""How long experiments will take, as far as earlier runs tell, and which of them fit into a time and into memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pnet_lp.experiment.finished import read_run
from pnet_lp.experiment.spec import Experiment
from pnet_lp.units import format_bytes, format_seconds

PUBLISHED = Path("published")
"""Where published results are, below all others."""


@dataclass(frozen=True)
class Estimate:
    """What an experiment will take, one draw after the other.

    Attributes:
        experiment: as it is to be run.
        seconds: of all draws, computed anew; None where no run has had every case.
        peak_bytes: the most memory that a process held; None where that is not known.
        machine: where that was measured.
    """

    experiment: Experiment
    seconds: float | None = None
    peak_bytes: int | None = None
    machine: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "experiment": self.experiment.name,
            "size": self.experiment.size,
            "cases": len(self.experiment.cases),
            "draws": self.experiment.draws,
            "seconds": self.seconds,
            "peak_bytes": self.peak_bytes,
            "measured_on": self.machine or None,
        }


@dataclass(frozen=True)
class Planned:
    """An estimate, and why its experiment is left out; empty where it is not."""

    estimate: Estimate
    left_out: str = ""

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return self.estimate.experiment.name


def estimate(experiment: Experiment, results: Path) -> Estimate:
    """Return what an experiment will take: for each case the mean of its draws in the last whole run, times draws.

    Where ``results`` has no such run, that below its ``published`` counts, which may be of another machine.

    Raises:
        SpecError: what a run has left is not as it was written.
    """
    for folder in (results, results / PUBLISHED):
        run = read_run(experiment, folder)
        if run is None or run.missing:
            continue
        spent = {record.case: [draw.spent for draw in record.draws if draw.spent] for record in run.records}
        if not all(spent.values()):
            continue
        peaks = [one.peak_bytes for took in spent.values() for one in took]
        known = [peak for peak in peaks if peak is not None]
        machine = run.manifest["machine"]
        return Estimate(
            experiment,
            sum(
                experiment.cases[case].draws * sum(one.seconds for one in took) / len(took)
                for case, took in spent.items()
            ),
            max(known) if len(known) == len(peaks) else None,
            f"{machine['processor']}, {machine['cores']} cores",
        )
    return Estimate(experiment)


def plan(
    estimates: Sequence[Estimate], *, budget_s: float | None, jobs: int, free_bytes: int | None
) -> list[Planned]:
    """Return the order in which experiments are run, and what is left out.

    The longest come first, those of which nothing is known last: they get what time is left.

    Args:
        estimates: of all.
        budget_s: seconds for all together; None for any time.
        jobs: processes that work at the same time, each with a draw.
        free_bytes: memory for all of them; None where it is others'.
    """
    left = budget_s
    found = []
    for one in sorted(
        estimates, key=lambda one: (one.seconds is None, -(one.seconds or 0), one.experiment.name)
    ):
        memory = (one.peak_bytes or 0) * min(jobs, one.experiment.draws)
        if free_bytes is not None and memory > free_bytes:
            why = f"needs about {format_bytes(memory)} of memory, {format_bytes(free_bytes)} are free"
        elif left is not None and one.seconds is not None and one.seconds / jobs > left:
            why = f"needs about {format_seconds(one.seconds / jobs)}, of the budget {format_seconds(left)} are left"
        else:
            why = ""
            left = None if left is None else left - (one.seconds or 0) / jobs
        found.append(Planned(one, why))
    return found
