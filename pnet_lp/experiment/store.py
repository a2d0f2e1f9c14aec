"""What a run leaves behind, one folder per experiment.

::

    results/<experiment>/manifest.json           versions, build profile, machine
    results/<experiment>/<case>/result.json      the record: equal specs and seeds give equal bytes
    results/<experiment>/<case>/seconds.json     its timings, kept apart for that reason
    results/<experiment>/<case>/proof.json       the same with its certificate, for `pnet-lp verify`

A case's ``result.json`` is written last, so a case that has one is complete.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pnet_lp.errors import SpecError
from pnet_lp.experiment.manifest import environment
from pnet_lp.files import write_json
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.throughput.store import save_result

_SCHEMA = "pnet-lp/record/1"


@dataclass(frozen=True)
class Record:
    """One case's answer.

    Attributes:
        case: its name.
        fingerprint: SHA-256 over everything that determines the result.
        settings: the case as it ran, defaults included.
        result: the JSON document of the throughput, without its timings.
        seconds: wall time of each part.
    """

    case: str
    fingerprint: str
    settings: dict[str, Any]
    result: dict[str, Any]
    seconds: dict[str, float]


class Store:
    """The records of one experiment.

    Args:
        folder: where they are; made when first written to.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def find(self, case: str, fingerprint: str) -> Record | None:
        """Return the stored record of a case, or None if there is none or it is of another fingerprint.

        Raises:
            SpecError: the record is there and cannot be read.
        """
        file = self._file(case, "result.json")
        if not file.exists():
            return None
        try:
            stored = json.loads(file.read_text(encoding="utf-8"))
            if stored["schema"] != _SCHEMA or stored["fingerprint"] != fingerprint:
                return None
            seconds = json.loads(self._file(case, "seconds.json").read_text(encoding="utf-8"))
            return Record(case, fingerprint, stored["settings"], stored["result"], seconds)
        except (OSError, ValueError, KeyError, TypeError):
            raise SpecError(
                "the stored record cannot be read", where=str(file), allowed="--no-resume to compute it again"
            ) from None

    def add(
        self,
        case: str,
        *,
        fingerprint: str,
        settings: dict[str, Any],
        network: Network,
        traffic: TrafficMatrix,
        result: ThroughputResult,
    ) -> Record:
        """Store a case's result and its proof, and return the record."""
        document = result.to_json()
        seconds = document.pop("seconds")
        record = Record(case, fingerprint, settings, document, seconds)
        file = self._file(case, "result.json")
        file.parent.mkdir(parents=True, exist_ok=True)
        # An old record must not stand beside new timings and a new proof, should the run end between the two.
        file.unlink(missing_ok=True)
        save_result(self.proof(case), network, traffic, replace(result, seconds={}))
        write_json(self._file(case, "seconds.json"), seconds)
        write_json(
            file,
            {
                "schema": _SCHEMA,
                "case": case,
                "fingerprint": fingerprint,
                "settings": settings,
                "result": document,
            },
        )
        return record

    def proof(self, case: str) -> Path:
        """Return the file of a case's certificate."""
        return self._file(case, "proof.json")

    def write_manifest(self, spec: dict[str, Any]) -> None:
        """Write what a run depends on beside its spec: versions, build profile, machine."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_json(
            self.folder / "manifest.json",
            environment() | {"spec": spec},
        )

    def _file(self, case: str, name: str) -> Path:
        return self.folder / case / name
