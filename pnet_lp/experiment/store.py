"""What a run leaves behind, one folder per experiment.

::

    results/<experiment>/manifest.json                  code, versions, build profile, machine
    results/<experiment>/<case>/draw-0/result.json      one draw: equal specs, seeds and code give equal bytes
    results/<experiment>/<case>/draw-0/seconds.json     its timings, kept apart for that reason
    results/<experiment>/<case>/draw-0/proof.json       its certificate, for `pnet-lp verify`, where there is one

A draw's ``result.json`` is written last, so a draw that has one is complete.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pnet_lp.errors import SpecError
from pnet_lp.experiment.manifest import environment
from pnet_lp.experiment.question import Answer
from pnet_lp.experiment.record import Draw
from pnet_lp.writing import write_json

_SCHEMA = "pnet-lp/draw/2"


class Store:
    """The draws of one experiment.

    Args:
        folder: where they are; made when first written to.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def find(self, case: str, index: int, fingerprint: str) -> Draw | None:
        """Return a stored draw of a case, or None if there is none or it is of another fingerprint.

        Raises:
            SpecError: the draw is there and cannot be read.
        """
        file = self._file(case, index, "result.json")
        if not file.exists():
            return None
        try:
            stored = json.loads(file.read_text(encoding="utf-8"))
            if stored["schema"] != _SCHEMA or stored["fingerprint"] != fingerprint:
                return None
            seconds = json.loads(self._file(case, index, "seconds.json").read_text(encoding="utf-8"))
            return Draw(case, index, fingerprint, stored["settings"], Answer.from_json(stored, seconds))
        except (OSError, ValueError, KeyError, TypeError):
            raise SpecError(
                "the stored record cannot be read", where=str(file), allowed="--no-resume to compute it again"
            ) from None

    def add(
        self, case: str, index: int, *, fingerprint: str, settings: dict[str, Any], answer: Answer
    ) -> Draw:
        """Store the answer of a draw, and its proof if it has one; return the draw as :meth:`find` will."""
        file, proof = self._file(case, index, "result.json"), self.proof(case, index)
        file.parent.mkdir(parents=True, exist_ok=True)
        # An old result must not stand beside new timings and a new proof, should the run end between the two.
        for old in (file, proof):
            old.unlink(missing_ok=True)
        if answer.save is not None:
            answer.save(proof)
        write_json(self._file(case, index, "seconds.json"), dict(answer.seconds))
        document = {"case": case, "draw": index, "fingerprint": fingerprint, "settings": settings}
        write_json(file, {"schema": _SCHEMA, **document, **answer.to_json()})
        stored = self.find(case, index, fingerprint)
        assert stored is not None
        return stored

    def proof(self, case: str, index: int = 0) -> Path:
        """Return the file of a draw's certificate, which only some questions have."""
        return self._file(case, index, "proof.json")

    def write_manifest(self, spec: dict[str, Any]) -> None:
        """Write what a run depends on beside its spec: code, versions, build profile, machine."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_json(self.folder / "manifest.json", environment() | {"spec": spec})

    def _file(self, case: str, index: int, name: str) -> Path:
        return self.folder / case / f"draw-{index}" / name
