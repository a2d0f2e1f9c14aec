"""Files that tasks name go with them to other machines."""

import math
import pickle
import time
from pathlib import Path

import pytest

from pnet_lp.deadline import Deadline
from pnet_lp.errors import SpecError
from pnet_lp.executors.base import Missing, Travelling
from pnet_lp.files import exists, named_files, read_limited, shipped
from pnet_lp.travel import answers, names_in, our_files


def content(name: str) -> bytes | None:
    return read_limited(name, SpecError) if exists(name) else None


def catalogue(folder: str) -> list[str]:
    return sorted(named_files(folder))


def test_a_task_comes_back_for_what_it_has_not_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file of the same name holds there does not count."""
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("here")
    found = Travelling(content, {})("a.csv")
    assert found == Missing(("a.csv", ""))
    travelling = pickle.loads(pickle.dumps(Travelling(content, answers([found.question, ("none.csv", "")]))))
    Path("a.csv").write_text("there")
    Path("none.csv").touch()
    assert [travelling(name) for name in ("a.csv", "none.csv", "a.csv")] == [b"here", None, b"here"]
    assert content("a.csv") == b"there"
    # Used, it leaves nothing of this machine in what goes on.
    assert pickle.loads(pickle.dumps(travelling))("a.csv") == b"here"


def test_names_in_folders_travel_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("topologies").mkdir()
    Path("topologies", "mine.yaml").touch()
    expected = catalogue("topologies")
    assert "mine" in expected
    files = answers([("topologies", "**/*.yaml"), (str(shipped("topologies")), "**/*.yaml")])
    monkeypatch.chdir("/")
    assert isinstance(Travelling(catalogue, {})("topologies"), Missing)
    files[f"shipped:{shipped('topologies').name}", "**/*.yaml"] = ()
    assert Travelling(catalogue, files)("topologies") == ["mine"]
    assert names_in(tmp_path / "no", "*") == []


def test_what_a_run_has_left_is_no_input(tmp_path: Path) -> None:
    (tmp_path / "result.json").touch()
    with our_files():
        assert exists(str(tmp_path / "result.json"))
    assert (str(tmp_path / "result.json"), "") not in answers()


def test_a_deadline_is_the_same_moment_for_another_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    deadline = Deadline(50.0)
    sent, now = pickle.dumps(deadline), time.monotonic()
    monkeypatch.setattr("time.monotonic", lambda: now + 1e6)
    assert math.isclose(pickle.loads(sent).left_s(), 50.0, abs_tol=2.0)
