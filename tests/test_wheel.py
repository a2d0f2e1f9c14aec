"""The built wheel, installed into an empty environment and run from an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

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
        list(map(str, command)),
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def registry_is_silent(text: str) -> bool:
    """Whether pip failed because it reached no package registry at all, as on a machine without a network."""
    return "Failed to establish a new connection" in text or "Name or service not known" in text


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with the pinned maturin on top of what cargo has built before."""
    folder = tmp_path_factory.mktemp("wheel")
    flags = ("--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--wheel-dir", folder)
    done = run(sys.executable, "-m", "pip", "wheel", *flags, ROOT, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
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
    assert "abi3" in wheel.name, "one wheel a platform must serve every supported Python"


def test_wheel_works_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    place, empty = tmp_path / "environment", tmp_path / "empty"
    empty.mkdir()
    venv.create(place, with_pip=True)
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    flags = ("--quiet", "--disable-pip-version-check", "--constraint", ROOT / "constraints.txt")
    done = run(programs / "python", "-m", "pip", "install", *flags, wheel, cwd=empty)
    if done.returncode and registry_is_silent(done.stderr) and "CI" not in os.environ:
        pytest.skip("no package registry can be reached to fill an empty environment from")
    assert done.returncode == 0, done.stderr

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
