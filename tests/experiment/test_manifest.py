"""What stored draws depend on: the code that computed them, and where that came from."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from pnet_lp import manifest
from pnet_lp.experiment import Experiment, Store, load_experiment, run_experiment, runner

ROOT = Path(__file__).parents[2]
GIT = shutil.which("git")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    for name in ("solve.py", "prices/list.yaml", "cli/app.py", "report/cli/table.py", "sub/cli/deep.py"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    (folder / "_core.abi3.so").write_bytes(b"core")
    return folder


@pytest.mark.parametrize("name", ["solve.py", "prices/list.yaml", "_core.abi3.so", "sub/cli/deep.py"])
def test_changed_code_has_another_identity(package: Path, name: str) -> None:
    before = manifest.identify(package)
    assert manifest.identify(package) == before
    changed = package / name
    changed.write_bytes(changed.read_bytes() + b"\n")
    assert manifest.identify(package) != before


def test_a_new_file_or_name_has_another_identity(package: Path, tmp_path: Path) -> None:
    before = manifest.identify(package)
    (package / "new.py").touch()
    added = manifest.identify(package)
    (package / "new.py").rename(package / "newer.py")
    assert len({before, added, manifest.identify(package)}) == 3
    other = tmp_path / "plugin.py"
    other.write_text("a plugin")
    assert manifest.identify(package, other) != manifest.identify(package)


def test_what_no_result_depends_on_does_not_count(package: Path) -> None:
    before = manifest.identify(package)
    (package / "cli" / "app.py").write_text("changed")
    (package / "report" / "cli" / "table.py").write_text("changed")
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "solve.py").touch()
    (package / "notes.txt").touch()
    assert manifest.identify(package) == before


def trial(folder: Path) -> Experiment:
    (folder / "spec.yaml").write_text("title: T\ncases:\n  a: {topology: 'ring:n=4'}\n")
    return load_experiment(folder)


def test_changed_code_computes_draws_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment, store = trial(tmp_path), Store(tmp_path / "results")
    seconds = store.folder / "a" / "draw-0" / "spent.json"
    seen = []
    for identity in ("sha256:one", "sha256:one", "sha256:other"):
        monkeypatch.setattr(runner, "code_identity", lambda value=identity: value)
        list(run_experiment(experiment, store))
        seen.append((seconds.stat().st_mtime_ns, json.loads(store_result(store))["fingerprint"]))
    assert seen[0] == seen[1]
    assert seen[1][0] != seen[2][0]
    assert seen[1][1] != seen[2][1]


def store_result(store: Store) -> str:
    return (store.folder / "a" / "draw-0" / "result.json").read_text()


def test_the_manifest_names_code_and_commit(tmp_path: Path) -> None:
    list(run_experiment(trial(tmp_path), Store(tmp_path / "results")))
    written = json.loads((tmp_path / "results" / "manifest.json").read_text())
    assert written["code"] == manifest.code_identity()
    assert {"pnet_lp", "build_profile", "python", "packages", "machine", "spec"} <= written.keys()
    if GIT is None or not (ROOT / ".git").exists():
        assert written["commit"] is None
    else:
        done = subprocess.run([GIT, "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
        assert written["commit"] == done.stdout.strip()
        assert isinstance(written["dirty"], bool)


@pytest.mark.skipif(GIT is None, reason="git is not installed")
def test_a_changed_checkout_is_dirty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "_PACKAGE", tmp_path / "pnet_lp")
    assert manifest.environment()["commit"] is None
    assert manifest.environment()["dirty"] is None
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run([str(GIT), "init", "-q"], cwd=tmp_path, check=True)
    assert manifest.environment()["commit"] is None, "nothing is committed yet"
    subprocess.run([str(GIT), *identity, "commit", "-q", "--allow-empty", "-m", "first"], cwd=tmp_path, check=True)
    assert len(manifest.environment()["commit"]) == 40
    assert manifest.environment()["dirty"] is False
    (tmp_path / "new.txt").touch()
    assert manifest.environment()["dirty"] is True


def test_without_git_there_is_no_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert manifest.environment()["commit"] is None
    assert manifest.environment()["dirty"] is None
