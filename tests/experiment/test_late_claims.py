"""Claims that were written or changed when there was a result say so: the history of the repository knows."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from pnet_lp.files import read_yaml

ROOT = Path(__file__).parents[2]
PUBLISHED = "results/published/"
EXPERIMENTS = sorted(path.parent.name for path in (ROOT / "experiments").glob("*/claims.yaml"))

TOLD = {"statement", "source", "origin", "cause", "not_comparable", "late"}
"""What may be reworded: it does not change which values agree."""


def git(*words: str) -> str | None:
    """Return what git prints, or None where it fails."""
    found = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout if found.returncode == 0 else None


@pytest.fixture(scope="module")
def first_results() -> dict[str, str]:
    """The commit that brought the first result of each experiment."""
    if git("rev-parse", "--is-shallow-repository") != "false\n":
        pytest.skip("needs the whole history of the repository")
    log = git("log", "--reverse", "--diff-filter=A", "--no-renames", "--format=@%H", "--name-only", "--", PUBLISHED)
    found: dict[str, str] = {}
    commit = ""
    for line in (log or "").splitlines():
        if line.startswith("@"):
            commit = line[1:]
        elif line:
            found.setdefault(line.removeprefix(PUBLISHED).partition("/")[0].removesuffix("-quick"), commit)
    return found


def said(claim: dict[str, Any]) -> str:
    """Return what decides whether a value agrees."""
    return repr(sorted((key, value) for key, value in claim.items() if key not in TOLD))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_claim_that_is_younger_than_the_first_result_is_marked(
    name: str, first_results: dict[str, str], tmp_path: Path
) -> None:
    file = f"experiments/{name}/claims.yaml"
    if name not in first_results:
        pytest.skip("no results are stored of it")
    text = git("show", f"{first_results[name]}:{file}") or "claims: []"
    (tmp_path / "claims.yaml").write_text(text)
    before = {said(claim) for claim in read_yaml(tmp_path / "claims.yaml")["claims"]}
    claims = read_yaml(ROOT / file)["claims"]
    unmarked = [claim["statement"] for claim in claims if said(claim) not in before and not claim.get("late")]
    assert unmarked == []
