"""A complete run, as its spec stands now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pnet_lp.errors import SpecError
from pnet_lp.experiment.record import Record
from pnet_lp.experiment.spec import SPEC_FILE, Experiment
from pnet_lp.experiment.store import Store
from pnet_lp.files import exists, parse_yaml, read_yaml_text, shipped
from pnet_lp.questions.base import Case
from pnet_lp.registry import nearest

FOLDER = "experiments"
"""Where experiments are, below the working directory and among what is shipped."""

ALIASES = "aliases"
"""The key of a spec with other names of its experiment."""


@dataclass(frozen=True)
class FinishedRun:
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


def read_run(experiment: Experiment, results: Path) -> FinishedRun | None:
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
    kept = (known[name] for name, case in experiment.cases.items() if name in known and _same(case, ran[name]))
    return FinishedRun(experiment, manifest, tuple(kept))


def find_experiment(text: str | Path, missing: str = "no experiment") -> Path:
    """Return the folder of an experiment given by a path, by its name, or by another name that its spec says.

    A name is that of a folder in :data:`FOLDER`, or of an experiment that comes with this package.

    Args:
        text: the path, or the name.
        missing: what to say that there is not.

    Raises:
        SpecError: there is none, or there are two.
    """
    if exists(str(text)):
        return Path(text)
    places = (Path(FOLDER), shipped(FOLDER))
    for place in places:
        if exists(str(place / text / SPEC_FILE)):
            return place / text
    for place in places:
        if (folder := aliases(place, str(text)).get(str(text))) is not None:
            return folder
    folders = all_experiments()
    names = [folder.name for folder in folders]
    names += aliases(folders[0].parent) if folders else ()
    raise SpecError(
        f"{missing} is called {str(text)!r}{nearest(str(text), names)}",
        allowed=f"a folder with a {SPEC_FILE}, or a name of `pnet-lp list experiments`",
    )


def aliases(place: Path, sought: str = ALIASES) -> dict[str, Path]:
    """Return the folders of the experiments in ``place`` by the other names that they have.

    Args:
        place: the folder of experiments.
        sought: what only specs are read for that say it somewhere: reading all takes a while.

    Raises:
        SpecError: a spec cannot be read, or a name is that of another experiment too.
    """
    found: dict[str, Path] = {}
    for file in sorted(place.glob(f"*/{SPEC_FILE}")):
        text = read_yaml_text(file)
        if sought not in text or ALIASES not in text:
            continue
        spec = parse_yaml(text, str(file))
        given = spec.get(ALIASES) if isinstance(spec, dict) else None
        for name in map(str, given if isinstance(given, list) else ()):
            if name in found or exists(str(place / name / SPEC_FILE)):
                other = found.get(name, place / name).name
                raise SpecError(
                    f"the name is already used by {other}",
                    where=f"{file}: {ALIASES}",
                    found=name,
                    allowed="another name",
                )
            found[name] = file.parent
    return found


def is_experiment(text: str | Path) -> bool:
    """Whether a text is the path or the name of an experiment."""
    try:
        return exists(str(find_experiment(text) / SPEC_FILE))
    except SpecError:
        return False


def all_experiments() -> list[Path]:
    """Return the folders of all experiments in :data:`FOLDER`, by name; where it has none, of those shipped."""
    places = (Path(FOLDER), shipped(FOLDER))
    found = (sorted(path.parent for path in place.glob(f"*/{SPEC_FILE}")) for place in places)
    return next(filter(None, found))


def name_of(folder: Path) -> str:
    """Return what :func:`find_experiment` takes for a folder: the name of one that is shipped, else the path."""
    return folder.name if folder.parent == shipped(FOLDER) else folder.as_posix()


def _same(case: Case, ran: Mapping[str, Any]) -> bool:
    """Whether a case is that of a run; how often is left open, and what came later or changed had its former value."""
    model = type(case)
    later = model.model_construct().model_dump(mode="json", include=model.model_fields.keys() - ran.keys())
    return {**case.model_dump(mode="json"), "draws": 0} == {**later, **ran, **model.formerly(ran), "draws": 0}
