"""What a run leaves behind, one folder per experiment.

::

    results/<experiment>/manifest.json                  code, versions, build profile, machine
    results/<experiment>/chart.png, cases.csv, draws.csv
    results/<experiment>/<case>/draw-0/result.json      one draw: equal specs, seeds and code give equal bytes
    results/<experiment>/<case>/draw-0/seconds.json     its timings, kept apart for that reason
    results/<experiment>/<case>/draw-0/proof.json       its certificate, for `pnet-lp verify`, where there is one

A draw's ``result.json`` is written last, so a draw that has one is complete.  It holds the checksums of itself and of
the proof, so that a draw of which something was changed or removed since is not taken for what was computed.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pnet_lp.experiment.manifest import environment
from pnet_lp.experiment.question import Answer
from pnet_lp.experiment.record import Draw
from pnet_lp.files import json_text
from pnet_lp.writing import naming_output, write_json

_SCHEMA = "pnet-lp/draw/3"


MANIFEST, CHART, CASES, DRAWS = OWN_FILES = ("manifest.json", "chart.png", "cases.csv", "draws.csv")
"""What stands beside the folders of the cases, so that no case can be called so."""

_SUM = "sha256"


class Store:
    """The draws of one experiment.

    Args:
        folder: where they are; made when first written to.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def find(self, case: str, index: int, fingerprint: str) -> Draw | str | None:
        """Return a stored draw of a case, or None if there is none or it is of another fingerprint.

        Where it is not as it was stored, the answer is what is wrong with it, in words.
        """
        file, proof = self._file(case, index, "result.json"), self.proof(case, index)
        if not file.exists():
            return None
        try:
            stored = json.loads(file.read_text(encoding="utf-8"))
            if stored["schema"] != _SCHEMA:
                return None
            if stored.pop(_SUM, None) != _checksum(stored):
                return f"{file.name} was changed"
            if stored["fingerprint"] != fingerprint:
                return None
            timings = json.loads(self._file(case, index, "seconds.json").read_text(encoding="utf-8"))
            seconds = {part: float(spent) for part, spent in timings.items()}
            if stored["proof"] is not None and not proof.exists():
                return f"{proof.name} is missing"
            if stored["proof"] != _proof_checksum(proof):
                return f"{proof.name} was changed"
            return Draw(case, index, fingerprint, stored["settings"], Answer.from_json(stored, seconds))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return "its files cannot be read"

    def add(
        self, case: str, index: int, *, fingerprint: str, settings: dict[str, Any], answer: Answer
    ) -> Draw:
        """Store the answer of a draw, and its proof if it has one; return the draw as :meth:`find` will.

        Raises:
            OutputError: it cannot be written.
        """
        file, proof = self._file(case, index, "result.json"), self.proof(case, index)
        with naming_output(file):
            file.parent.mkdir(parents=True, exist_ok=True)
        # An old result must not stand beside new timings and a new proof, should the run end between the two.
        for old in (file, proof):
            with naming_output(old):
                old.unlink(missing_ok=True)
        if answer.save is not None:
            answer.save(proof)
        write_json(self._file(case, index, "seconds.json"), dict(answer.seconds))
        document = {
            "schema": _SCHEMA,
            "case": case,
            "draw": index,
            "fingerprint": fingerprint,
            "proof": _proof_checksum(proof),
            "settings": settings,
            **answer.to_json(),
        }
        write_json(file, document | {_SUM: _checksum(document)})
        stored = self.find(case, index, fingerprint)
        assert isinstance(stored, Draw), stored
        return stored

    def proof(self, case: str, index: int = 0) -> Path:
        """Return the file of a draw's certificate, which only some questions have."""
        return self._file(case, index, "proof.json")

    def write_manifest(self, spec: dict[str, Any]) -> None:
        """Write what a run depends on beside its spec: code, versions, build profile, machine."""
        with naming_output(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        write_json(self.folder / MANIFEST, environment() | {"spec": spec})

    def _file(self, case: str, index: int, name: str) -> Path:
        return self.folder / case / f"draw-{index}" / name


def _checksum(document: object) -> str:
    return hashlib.sha256(json_text(document).encode()).hexdigest()


def _proof_checksum(proof: Path) -> str | None:
    if not proof.exists():
        return None
    with proof.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
