"""The built wheel, installed into an empty environment and run from an empty folder."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that sees no other environment than the one its own path belongs to."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_CONSTRAINT", "PIP_TARGET"}
    }
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=600
    )


def declared(name: str) -> Iterator[Distribution]:
    """Yield what is installed here of a distribution's dependencies, of theirs, and so on."""
    waiting, seen = [Requirement(name)], {canonicalize_name(name)}
    while waiting:
        found = distribution(waiting.pop().name)
        if canonicalize_name(found.name) != canonicalize_name(name):
            yield found
        for requirement in map(Requirement, found.requires or ()):
            expected = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if expected and canonicalize_name(requirement.name) not in seen:
                seen.add(canonicalize_name(requirement.name))
                waiting.append(requirement)


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """The wheel, built with the pinned maturin on top of what cargo has built before."""
    folder = tmp_path / "wheel"
    flags = ("--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--wheel-dir", folder)
    done = run(sys.executable, "-m", "pip", "wheel", *flags, ROOT, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


def check_content(wheel: Path) -> None:
    """The package and nothing else."""
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {"pnet_lp"}
    assert "pnet_lp/py.typed" in names
    assert "pnet_lp/_core.pyi" in names
    assert [name for name in names if name.startswith("pnet_lp/_core.") and name.endswith((".so", ".pyd"))]
    sources = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "pnet_lp").rglob("*")
        if path.suffix in {".py", ".yaml"} and "__pycache__" not in path.parts
    }
    assert sources <= set(names), "some modules are missing from the wheel"
    data = {
        f"pnet_lp/data/{path.relative_to(ROOT).as_posix()}": path.read_bytes()
        for folder in ("CITATION.cff", "experiments", "topologies", "traffic_matrices")
        for path in [ROOT / folder, *(ROOT / folder).rglob("*")]
        if path.is_file()
    }
    archive = zipfile.ZipFile(wheel)
    assert {name: archive.read(name) for name in names if name.startswith("pnet_lp/data/")} == data
    [record] = (name for name in names if name.endswith(".dist-info/RECORD"))
    listed = [row[0] for row in csv.reader(archive.read(record).decode().splitlines())]
    assert sorted(listed) == sorted(names)
    assert "abi3" in wheel.name, "one wheel a platform must serve every supported Python"


def test_wheel_works_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    """Nothing is there but the wheel and, by links to what is installed here, the dependencies that it declares."""
    check_content(wheel)
    place, empty = tmp_path / "environment", tmp_path / "empty"
    empty.mkdir()
    venv.create(place, symlinks=os.name != "nt")
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", programs / "python")
    done = run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=empty)
    assert done.returncode == 0, done.stderr
    (packages,) = (path.parent for path in place.rglob("pnet_lp") if path.parent.name == "site-packages")
    for found in declared("pnet-lp"):
        for name in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (packages / name).exists():
                (packages / name).symlink_to(Path(str(found.locate_file(name))))
    done = run(*pip, "check", cwd=empty)
    assert done.returncode == 0, done.stdout

    command = ("throughput", "complete:n=8", "--level", "rack", "--traffic", "all-to-all", "--link-gbps", 1)
    done = run(programs / "pnet-lp", *command, "--tolerance", "1e-7", "--json", cwd=empty)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["status"] == "certified"
    assert answer["throughput_gbps"] == pytest.approx(1.0, rel=1e-6)

    done = run(programs / "pnet-lp", "list", "topologies", cwd=empty)
    assert done.returncode == 0, done.stderr
    assert "jellyfish" in done.stdout
    assert not list(empty.iterdir()), "a command left files behind"

    # What is shipped is found, and what is written goes where the command runs.
    done = run(programs / "pnet-lp", "sweep", "ideal-planes", "--size", "quick", "--case", "serial", cwd=empty)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in empty.iterdir()} == {"results"}
    done = run(programs / "pnet-lp", "report", "table1-components", cwd=empty)
    assert "allowed: pnet-lp sweep table1-components first" in done.stderr
    done = run(programs / "pnet-lp", "topology", "jellyfish-k8", cwd=empty)
    assert done.returncode == 0, done.stderr
