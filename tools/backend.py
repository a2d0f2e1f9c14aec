"""The build backend: maturin's, and a wheel has the data folders of the repository inside the package.

Maturin puts files where they are in the repository, and folders called ``topologies`` and ``experiments`` have no place
among everybody's packages.  ``pnet_lp.files.shipped`` finds them in either place.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import maturin
from maturin import (  # noqa: F401 - what a build backend has
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

ROOT = Path(__file__).resolve().parents[1]
FILES = ("CITATION.cff",)
FOLDERS = ("experiments", "topologies", "traffic_matrices")
INSIDE = "pnet_lp/data"


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build the wheel into a folder and return its name."""
    name: str = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    data = {
        f"{INSIDE}/{path.relative_to(ROOT).as_posix()}": path.read_bytes()
        for path in [
            *(ROOT / name for name in FILES),
            *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))),
        ]
        if path.is_file()
    }
    add_to_wheel(Path(wheel_directory, name), data)
    return name


def add_to_wheel(wheel: Path, files: dict[str, bytes]) -> None:
    """Put files, by their paths in it, into a wheel and its list of files."""
    whole = wheel.with_suffix(".whole")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename.endswith(".dist-info/RECORD"):
                rows = io.StringIO()
                csv.writer(rows, lineterminator="\n").writerows(
                    (name, f"sha256={_digest(data)}", len(data)) for name, data in files.items()
                )
                content += rows.getvalue().encode()
            new.writestr(entry, content)
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = 0o100644 << 16, zipfile.ZIP_DEFLATED
            new.writestr(entry, data)
    whole.replace(wheel)


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
