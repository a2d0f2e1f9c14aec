"""A run that came to its end, as its spec stands now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pnet_lp.errors import SpecError
from pnet_lp.experiment.record import Record
from pnet_lp.experiment.spec import SPEC_FILE, Experiment
from pnet_lp.experiment.store import Store

FOLDER = "experiments"
"""Where experiments are, below the working directory."""


@dataclass(frozen=True)
class Finished:
    """An experiment and what its last run has left.

    Attributes:
        experiment: as its spec and its claims are now.
        manifest: what the run depended on, and what each draw took.
        records: of those cases that the spec still has as they were run, in its order.
    """

    experiment: Experiment
    manifest: Mapping[str, Any]
    records: tuple[Record, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of all other cases."""
        known = {record.case for record in self.records}
        return tuple(name for name in self.experiment.cases if name not in known)


def read_run(experiment: Experiment, results: Path) -> Finished | None:
    """Return what the last run of an experiment has left, or None if it did not come to its end.

    Args:
        experiment: as it is now.
        results: where runs leave their folders.

    Raises:
        SpecError: what is left is not as it was written.
    """
    left = Store(results / experiment.folder).read()
    if left is None:
        return None
    manifest, records = left
    ran = manifest["spec"]["cases"]
    known = {record.case: record for record in records}
    kept = (
        known[name]
        for name, case in experiment.cases.items()
        if name in known and _same(case.model_dump(mode="json"), ran[name])
    )
    return Finished(experiment, manifest, tuple(kept))


def find_experiment(text: str | Path) -> Path:
    """Return the folder of an experiment given by a path, or by its name below :data:`FOLDER`."""
    named = Path(FOLDER) / text
    return named if not Path(text).exists() and (named / SPEC_FILE).exists() else Path(text)


def all_experiments() -> list[Path]:
    """Return the folders of all experiments below :data:`FOLDER`, by name.

    Raises:
        SpecError: there is none.
    """
    found = sorted(path.parent for path in Path(FOLDER).glob(f"*/{SPEC_FILE}"))
    if not found:
        raise SpecError(f"no {SPEC_FILE} in any folder", where=FOLDER, allowed="from where experiments/ is")
    return found


def _same(asked: Mapping[str, Any], ran: Mapping[str, Any]) -> bool:
    """Whether two cases ask the same; how often is left open."""
    return {**asked, "draws": 0} == {**ran, "draws": 0}
