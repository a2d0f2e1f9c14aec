"""What works without the libraries of extras, and what names the one that is missing."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import pnet_lp as pn
from pnet_lp.cli import main
from pnet_lp.errors import PnetError
from pnet_lp.executors.base import parse_executor
from pnet_lp.extras import EXTRAS, install_command

ROOT = Path(__file__).resolve().parent.parent
FLOWS = ("fat-tree:k=4", "--link-gbps", "10", "--traffic", "stride:s=4", "--flow-size", "10kB")


@pytest.fixture(autouse=True)
def base(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Leave nothing but the base install, in an empty folder."""
    for library in EXTRAS:
        monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, words, prog_name="pnet-lp")
    return done.exit_code, done.output


def missing(library: str) -> str:
    return f"{library} is not installed: install it with `{install_command(library)}`"


def test_extras_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for library, extra in EXTRAS.items():
        assert [re.split("[<>=]", one)[0] for one in extras[extra]] == [library]
    assert extras["all"] == [f"pnet-lp[{','.join(sorted(set(EXTRAS.values())))}]"]
    assert not [one for one in project["dependencies"] if re.split("[<>=]", one)[0] in EXTRAS]


@pytest.mark.parametrize(
    "words",
    [
        ("throughput", "ring:n=5", "--level", "rack", "--save", "a.json", "--links", "a.csv"),
        ("bounds", "ring:n=5", "--level", "rack", "-o", "b.csv"),
        ("draw", "ring:n=5", "-o", "c.svg"),
        ("hops", "ring:n=5", "-o", "d.json"),
        ("simulate", *FLOWS, "--plot", "e.svg"),
        ("list", "solvers"),
    ],
    ids=lambda words: words[0],
)
def test_base_install_works(words: tuple[str, ...]) -> None:
    code, output = run(*words)
    assert code == 0, output
    for file in (word for word in words if re.search(r"\.(csv|json|svg)$", word)):
        assert Path(file).stat().st_size > 0


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (("throughput", "ring:n=5", "--level", "rack", "--links", "x.parquet"), "x.parquet"),
        (("bounds", "ring:n=5", "--level", "rack", "-o", "x.parquet"), "x.parquet"),
        (("traffic", "stride:s=1", "--on", "star:n=4", "-o", "x.parquet"), "x.parquet"),
        (("simulate", *FLOWS, "-o", "x.csv"), "--out"),
        (("simulate", *FLOWS, "--records", "x"), "--records"),
        (("crosscheck", *FLOWS, "-o", "x.csv"), "--out"),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_commands_name_what_is_missing(words: tuple[str, ...], where: str) -> None:
    """They do so before anything is computed."""
    assert run(*words) == (1, f"Error: {where}: {missing('pyarrow')}\n")
    assert not list(Path().iterdir())


def test_files_to_be_read_name_what_is_missing() -> None:
    Path("x.parquet").write_bytes(b"PAR1")
    assert missing("pyarrow") in run("traffic", "x.parquet", "--on", "star:n=4")[1]
    assert missing("pyarrow") in run("workload", "x.parquet", "--on", "fat-tree:k=4")[1]
    assert missing("pyarrow") in run("draw", "ring:n=5", "--load", "x.parquet", "-o", "x.svg")[1]


def test_python_names_what_is_missing() -> None:
    answer = pn.throughput("ring:n=5", level="rack", tolerance=1e-6)
    assert answer.certified
    with pytest.raises(PnetError, match=re.escape(f"tables: {missing('pandas')}")):
        _ = answer.links
    with pytest.raises(PnetError, match=re.escape(f"sweep: {missing('pandas')}")):
        pn.sweep("ring:n=5", vary={"planes": [1, 2]})
    with pytest.raises(PnetError, match=re.escape(f"dask: {missing('distributed')}")):
        parse_executor("dask://localhost:1", None)
