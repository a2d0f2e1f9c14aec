"""What a run leaves behind, one folder per experiment.

::

    results/<experiment>/manifest.json                  code, versions, build profile, machine
    results/<experiment>/records.json                   of a complete run: what reports are made of
    results/<experiment>/chart.png, cases.csv, draws.csv, datapackage.json
    results/<experiment>/<case>/draw-0/result.json      one draw: equal specs, seeds and code give equal bytes
    results/<experiment>/<case>/draw-0/spent.json       its timings and memory, kept apart for that reason
    results/<experiment>/<case>/draw-0/proof.json       its certificate, for `pnet-lp verify`, where there is one

A draw's ``result.json`` is written last, so a draw that has one is complete.  It holds the checksums of itself and of
the proof, so that a draw of which something was changed or removed since is not taken for what was computed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from pnet_lp.errors import SpecError
from pnet_lp.experiment.record import Draw, Record, RecordedAnswer, Spent
from pnet_lp.files import check_regular, json_text, read_limited
from pnet_lp.manifest import environment
from pnet_lp.travel import our_files
from pnet_lp.writing import naming_output, output_file, write_json

_SCHEMA = "pnet-lp/draw/4"
_RECORDS_SCHEMA = "pnet-lp/records/1"

MANIFEST, RECORDS, CHART, CASES, DRAWS, PACKAGE, *_ = OWN_FILES = (
    "manifest.json",
    "records.json",
    "chart.png",
    "cases.csv",
    "draws.csv",
    "datapackage.json",
    "cases.parquet",
    "draws.parquet",
)
"""What stands beside the folders of the cases, which no case can be named after."""

_SUM = "sha256"

_OTHER_CONTENT = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What comes of reading JSON that was not written here."""

Parcel: TypeAlias = dict[str, bytes]
"""The files of a draw, by name."""


class Store:
    """The draws of one experiment.

    Args:
        folder: where they are; made when first written to.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def find(self, case: str, index: int, fingerprint: str | None) -> Draw | str | None:
        """Return a stored draw of a case, or None if there is none or it is of another fingerprint than one given.

        Where it is not as it was stored, the answer is what is wrong with it, in words.
        """
        file, proof = self._file(case, index, "result.json"), self.proof(case, index)
        if not file.exists():
            return None
        try:
            stored = _read(file)
            if stored["schema"] != _SCHEMA:
                return None
            if stored.pop(_SUM, None) != _checksum(stored):
                return f"{file.name} was changed"
            if fingerprint not in (None, stored["fingerprint"]):
                return None
            spent = _read(self._file(case, index, "spent.json"))
            parts = {part: float(seconds) for part, seconds in spent.pop("parts").items()}
            if stored["proof"] is not None and not proof.exists():
                return f"{proof.name} is missing"
            if stored["proof"] != _proof_checksum(proof):
                return f"{proof.name} was changed"
            answer = RecordedAnswer.from_json(stored, parts)
            return Draw(case, index, stored["fingerprint"], stored["settings"], answer, Spent(**spent))
        except (SpecError, *_OTHER_CONTENT):
            return "its files cannot be read"

    def add(self, draw: Draw, save: Callable[[Path], object] | None = None) -> Draw:
        """Store a draw, and return it as :meth:`find` will.

        Args:
            draw: the draw.
            save: writes the proof of its answer; None where it has none.

        Raises:
            OutputError: it cannot be written.
        """
        case, index, answer = draw.case, draw.index, draw.answer
        assert draw.spent is not None
        file, proof = self._file(case, index, "result.json"), self.proof(case, index)
        self._make_room(case, index)
        if save is not None:
            save(proof)
        write_json(self._file(case, index, "spent.json"), asdict(draw.spent) | {"parts": dict(answer.seconds)})
        document = {
            "schema": _SCHEMA,
            "case": case,
            "draw": index,
            "fingerprint": draw.fingerprint,
            "proof": _proof_checksum(proof),
            "settings": draw.settings,
            **answer.to_json(),
        }
        write_json(file, document | {_SUM: _checksum(document)})
        stored = self.find(case, index, draw.fingerprint)
        assert isinstance(stored, Draw), stored
        return stored

    def pack(self, case: str, index: int) -> Parcel:
        """Return the files of a draw, by name."""
        return {path.name: path.read_bytes() for path in self._file(case, index, "result.json").parent.iterdir()}

    def unpack(self, case: str, index: int, parcel: Parcel) -> Draw:
        """Store the files of a draw that was answered elsewhere, and return it.

        Raises:
            OutputError: it cannot be written.
        """
        folder = self._file(case, index, "result.json").parent
        self._make_room(case, index)
        # As where it was answered, the result comes last.
        for name in sorted(parcel, key=lambda name: name == "result.json"):
            with output_file(folder / name) as temporary:
                temporary.write_bytes(parcel[name])
        stored = self.find(case, index, None)
        assert isinstance(stored, Draw), stored
        return stored

    def _make_room(self, case: str, index: int) -> None:
        """Make the folder of a draw, without an old result: it must not stand beside new timings and a new proof."""
        file, proof = self._file(case, index, "result.json"), self.proof(case, index)
        with naming_output(file):
            file.parent.mkdir(parents=True, exist_ok=True)
        for old in (file, proof, self._file(case, index, "spent.json")):
            with naming_output(old):
                old.unlink(missing_ok=True)

    def proof(self, case: str, index: int = 0) -> Path:
        """Return the file of a draw's certificate, which only some questions have."""
        return self._file(case, index, "proof.json")

    def begin(self, spec: dict[str, Any]) -> dict[str, Any]:
        """Write what a run depends on, and return it: spec, code, versions, build profile, machine.

        What the run before this one has left for reports is removed.
        """
        with naming_output(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        with naming_output(self.folder / RECORDS):
            (self.folder / RECORDS).unlink(missing_ok=True)
        manifest = environment() | {"spec": spec}
        write_json(self.folder / MANIFEST, manifest)
        return manifest

    def finish(self, manifest: dict[str, Any], records: Sequence[Record]) -> None:
        """Write what reports are made of: the numbers of all draws, and beside what they depend on what they took."""
        spent = {record.case: [draw.spent and asdict(draw.spent) for draw in record.draws] for record in records}
        write_json(self.folder / MANIFEST, manifest | {"spent": spent})
        write_records(self.folder / RECORDS, records)

    def read(self) -> tuple[dict[str, Any], list[Record]] | None:
        """Return the manifest and the records of a complete run, without proofs; None if there is none.

        Raises:
            SpecError: a file is not as it was written.
        """
        if not (self.folder / RECORDS).exists():
            return None
        try:
            manifest, document = (_read(self.folder / name) for name in (MANIFEST, RECORDS))
            if document["schema"] != _RECORDS_SCHEMA:
                return None
            return manifest, [
                _from_json(name, stored, manifest["spent"][name], manifest["spec"]["cases"][name])
                for name, stored in document["cases"].items()
            ]
        except _OTHER_CONTENT:
            raise SpecError("not written by a sweep", where=str(self.folder / RECORDS)) from None

    def _file(self, case: str, index: int, name: str) -> Path:
        return self.folder / case / f"draw-{index}" / name


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Write the numbers of all draws, without their timings: equal records give equal bytes."""
    cases = {record.case: _to_json(record) for record in records}
    write_json(path, {"schema": _RECORDS_SCHEMA, "cases": cases})


_SHARED = ("column", "unit", "quantity", "words")
"""What the headlines of all draws of a case have in common."""


def _to_json(record: Record) -> dict[str, Any]:
    rows = []
    for draw in record.draws:
        stored = draw.answer.to_json()
        del stored["result"]
        headline = stored.pop("headline")
        rows.append({"seed": draw.settings["seed"]} | {k: v for k, v in headline.items() if k not in _SHARED} | stored)
    return {"headline": {key: headline[key] for key in _SHARED}, "draws": rows}


def _from_json(
    case: str, stored: dict[str, Any], spent: list[dict[str, Any] | None], settings: dict[str, Any]
) -> Record:
    draws = []
    for i, (row, took) in enumerate(zip(stored["draws"], spent, strict=True)):
        headline = stored["headline"] | {key: row[key] for key in ("value", "lower", "upper")}
        seconds = {"all": took["seconds"]} if took else {}
        answer = RecordedAnswer.from_json(row | {"headline": headline, "result": {}}, seconds)
        draws.append(Draw(case, i, "", settings | {"seed": row["seed"]}, answer, Spent(**took) if took else None))
    return Record(case, tuple(draws))


def _checksum(document: object) -> str:
    return hashlib.sha256(json_text(document).encode()).hexdigest()


@our_files()
def _read(path: Path) -> Any:
    """Return the JSON value in a file that a run has written; SpecError where it is no such file."""
    check_regular(path, SpecError)
    return json.loads(read_limited(path, SpecError))


@our_files()
def _proof_checksum(proof: Path) -> str | None:
    if not proof.exists():
        return None
    # A proof may be larger than what is read into memory, and a device may have no end.
    check_regular(proof, SpecError)
    with proof.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
