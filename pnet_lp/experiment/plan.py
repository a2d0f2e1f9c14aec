"""How long experiments will take, as far as earlier runs tell, and which of them fit into a time and into memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from pnet_lp.experiment.finished import read_run
from pnet_lp.experiment.record import Record
from pnet_lp.experiment.spec import QUICK, Experiment
from pnet_lp.experiment.store import Store
from pnet_lp.units import format_bytes, format_seconds

PUBLISHED = Path("published")
"""Where published results are, below all others."""


@dataclass(frozen=True)
class Estimate:
    """What an experiment will take, one draw after the other.

    Attributes:
        experiment: as it is to be run.
        seconds: processor time of all draws, computed anew, or wall time where a run has measured nothing else; None
            where nothing is known.
        peak_bytes: the most memory that a process held; None where that is not known.
        machine: where that was measured.
        at_least: whether that was at quick size, of which it only can be said that this takes no less.
    """

    experiment: Experiment
    seconds: float | None = None
    peak_bytes: int | None = None
    machine: str = ""
    at_least: bool = False

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
            "at_least": self.at_least,
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

    Where ``results`` has no such run, that below its ``published`` counts, which may be of another machine.  Where that
    is missing too, the run at quick size: what its cases took there, and the others as much as these in the mean.

    Raises:
        SpecError: what a run has left is not as it was written.
    """
    for folder in (results, results / PUBLISHED):
        run = read_run(experiment, folder)
        if run is not None and not run.missing:
            found = _of_draws(experiment, run.manifest, run.records)
            if found is not None:
                return found
    if experiment.size != QUICK:
        small = Store(results / f"{experiment.name}-{QUICK}").read()
        found = small and _of_draws(experiment, *small, at_least=True)
        if found is not None:
            return found
    return Estimate(experiment)


def _of_draws(
    experiment: Experiment, manifest: Mapping[str, Any], records: Sequence[Record], *, at_least: bool = False
) -> Estimate | None:
    """Return what draws as those of a run will take; None where it does not say of each what it took."""
    spent = {
        record.case: [draw.spent for draw in record.draws if draw.spent]
        for record in records
        if record.case in experiment.cases
    }
    if not spent or not all(spent.values()):
        return None
    per_draw = {case: fmean(one.work_seconds for one in took) for case, took in spent.items()}
    other = fmean(per_draw.values())
    peaks = [one.peak_bytes for took in spent.values() for one in took]
    known = [peak for peak in peaks if peak is not None]
    machine = manifest["machine"]
    return Estimate(
        experiment,
        sum(case.draws * per_draw.get(name, other) for name, case in experiment.cases.items()),
        max(known) if len(known) == len(peaks) else None,
        f"{machine['processor']}, {machine['cores']} cores",
        at_least,
    )


def plan(estimates: Sequence[Estimate], *, budget_s: float | None, jobs: int, free_bytes: int | None) -> list[Planned]:
    """Return the order in which experiments are run, and what is left out.

    The longest come first, those last of which less is known: they get what time is left.

    Args:
        estimates: of all.
        budget_s: seconds for all together; None for any time.
        jobs: processes that work at the same time, each with a draw.
        free_bytes: memory for all of them; None where it is others'.
    """
    left = budget_s
    found = []
    for one in sorted(
        estimates, key=lambda one: (one.seconds is None, one.at_least, -(one.seconds or 0), one.experiment.name)
    ):
        about = "at least" if one.at_least else "about"
        memory = (one.peak_bytes or 0) * min(jobs, one.experiment.draws)
        if free_bytes is not None and memory > free_bytes:
            why = f"needs {about} {format_bytes(memory)} of memory, {format_bytes(free_bytes)} are free"
        elif left is not None and one.seconds is not None and one.seconds / jobs > left:
            why = f"needs {about} {format_seconds(one.seconds / jobs)}, of the budget {format_seconds(left)} are left"
        else:
            why = ""
            left = None if left is None else left - (one.seconds or 0) / jobs
        found.append(Planned(one, why))
    return found
