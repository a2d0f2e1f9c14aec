"""The workflows of the hosted CI: that what they call exists, and the script that tries what they build."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in yaml.safe_load(path.read_text())["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_what_there_is(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text())
    # YAML reads the key `on` as true.
    assert set(workflow) >= {"name", True, "permissions", "jobs"}
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for job in workflow["jobs"].values():
        assert set(job.get("needs", [])) <= set(workflow["jobs"]) or job["needs"] in workflow["jobs"]
        assert "runs-on" in job
    for step in steps(path):
        assert ("uses" in step) != ("run" in step), step
        if "uses" in step:
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[\w./-]+", step["uses"]), "an action has a version"
        said = step.get("run", "")
        assert set(re.findall(r"\bmake ([a-z-]+)", said)) <= set(targets), said
        for script in re.findall(r"(?:python|bash) ((?:tools|\.ci)/\S+)", said):
            assert (ROOT / script).is_file(), script


def test_a_release_has_a_tried_wheel_for_every_platform_and_an_sdist() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]
    built = {one["name"] for one in jobs["wheels"]["strategy"]["matrix"]["include"]}
    assert built == {"manylinux-x86_64", "manylinux-aarch64", "macos-x86_64", "macos-arm64", "windows-x86_64"}
    for job in ("wheels", "sdist"):
        said = [step.get("run") or step["uses"] for step in jobs[job]["steps"]]
        tried = [i for i, one in enumerate(said) if "tools/smoke.py" in one]
        assert tried
        assert max(tried) < next(i for i, one in enumerate(said) if "upload-artifact" in one)
    assert jobs["release"]["needs"] == ["wheels", "sdist"]


def test_a_package_that_cannot_be_installed_is_not_released(tmp_path: Path) -> None:
    broken = tmp_path / "pnet_lp-0.1.0-py3-none-any.whl"
    broken.write_bytes(b"no wheel")
    command = [sys.executable, "tools/smoke.py", broken, "--no-index"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "smoke: exit code" in done.stderr


def test_notebooks_have_buttons_where_the_repository_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    # What builds the site is installed by `make docs` only; of it, the buttons need nothing.
    for name in ("mkdocs", "mkdocs.plugins", "mkdocs.structure", "mkdocs.structure.files"):
        monkeypatch.setitem(sys.modules, name, MagicMock())
    monkeypatch.setenv("GITHUB_REPOSITORY", "owner/name")
    site = runpy.run_path(str(ROOT / "tools" / "site.py"))
    for notebook in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        page = type("Page", (), {"file": type("File", (), {"src_uri": notebook.relative_to(ROOT).as_posix()})})
        shown = site["on_page_content"]("<h1>", page=page)
        assert shown.endswith("<h1>")
        assert f"https://mybinder.org/v2/gh/owner/name/HEAD?urlpath=lab/tree/docs/notebooks/{notebook.name}" in shown
        assert f"https://colab.research.google.com/github/owner/name/blob/main/docs/notebooks/{notebook.name}" in shown


def test_binder_installs_the_pinned_versions() -> None:
    environment = yaml.safe_load((ROOT / ".binder" / "environment.yml").read_text())
    assert any(str(one).startswith("rust") for one in environment["dependencies"])
    after = ROOT / ".binder" / "postBuild"
    assert after.stat().st_mode & 0o100, "Binder runs it"
    assert "--constraint constraints.txt '.[notebook]'" in after.read_text()
