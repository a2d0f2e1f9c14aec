"""What a result depends on beside its spec: the code, versions, build profile, machine."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pnet_lp._core import __version__, build_profile
from pnet_lp.extras import EXTRAS

_PACKAGE = Path(__file__).resolve().parent

_ASIDE = ("cli", "report", "data")
"""Folders that no result depends on: no question may import the packages, and a case says what it takes from data."""

_PRINTS = "words.py"
"""What prints the answers to a question."""

_PACKAGES = ("numpy", "scipy", "highspy", "networkx", "pydantic")


@functools.cache
def code_identity() -> str:
    """Return ``"sha256:..."`` over the files that results are computed by: this package, its core, entries of others.

    It is computed once in a process, which runs the code that it has loaded, whatever becomes of the files.
    """
    return identify(_PACKAGE, *_extensions())


def identify(package: Path, *others: Path) -> str:
    """Return ``"sha256:..."`` over the files of a package, those of :data:`_ASIDE` aside, and over ``others``."""
    digest = hashlib.sha256()
    for path in (*sorted(_sources(package)), *sorted(others)):
        name = path.relative_to(package).as_posix() if path.is_relative_to(package) else path.name
        data = path.read_bytes()
        digest.update(f"{name} {len(data)};".encode())
        digest.update(data)
    return f"sha256:{digest.hexdigest()}"


def _sources(package: Path) -> Iterator[Path]:
    for folder, inside, names in os.walk(package):
        here = Path(folder)
        inside[:] = [name for name in inside if name != "__pycache__" and (here != package or name not in _ASIDE)]
        yield from (here / name for name in names if name != _PRINTS and name.endswith((".py", ".yaml", ".so", ".pyd")))


def _extensions() -> set[Path]:
    """Return the files of the packages that add entries to our registries."""
    points = (point for package in importlib.metadata.distributions() for point in package.entry_points)
    packages = {point.module.partition(".")[0] for point in points if point.group.startswith("pnet_lp.")}
    found: set[Path] = set()
    for spec in map(importlib.util.find_spec, packages):
        if spec is not None:
            for place in spec.submodule_search_locations or ():
                found.update(Path(place).rglob("*.py"))
            found.update([Path(spec.origin)] if spec.origin else [])
    return found


def _git(*arguments: str) -> str | None:
    """Return what git says of the checkout that this package runs from, or None where it does not."""
    if not (_PACKAGE.parent / ".git").exists():
        return None
    command = ["git", "-C", str(_PACKAGE.parent), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def environment() -> dict[str, Any]:
    """Return the code, versions, the build profile of the extension and the machine, as a JSON object.

    ``commit`` and ``dirty`` are null where the package does not run from a checkout.
    """
    changes = _git("status", "--porcelain")
    return {
        "pnet_lp": __version__,
        "code": code_identity(),
        "commit": _git("rev-parse", "HEAD"),
        "dirty": None if changes is None else bool(changes),
        "build_profile": build_profile,
        "python": sys.version.split()[0],
        "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "processor": _processor(),
            "cores": os.cpu_count(),
        },
    }


def dependencies() -> dict[str, str | None]:
    """Return the version of each library that is needed, by extras too; None where it is missing."""
    extras = {extra: library for library, extra in EXTRAS.items()}
    needed = importlib.metadata.requires("pnet-lp") or []
    base = {re.split(r"[^\w.-]", one)[0] for one in needed if "extra ==" not in one}
    return {name: _version(name) for name in (*sorted(base, key=str.lower), *sorted(extras.values()))}


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    """Return the processor's name where Linux tells it, else what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
