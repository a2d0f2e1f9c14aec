"""Running an experiment: records, resuming, interruption, and that nothing but timings varies."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import pnet_lp.questions.throughput.answer as throughput
from pnet_lp import __version__, _core
from pnet_lp.errors import CertificateError, TrafficError
from pnet_lp.experiment import Experiment, Record, Store, load_experiment, run_experiment
from pnet_lp.throughput import Interrupted
from pnet_lp.throughput.verify import verify_file

SPEC = """
title: Trial
baseline: one
common: {topology: "ring:n=6", link_gbps: 10}
cases:
  one: {}
  three: {planes: 3}
  shifted: {traffic: "stride:s=2"}
"""


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    folder = tmp_path / "trial"
    folder.mkdir()
    (folder / "spec.yaml").write_text(SPEC)
    return load_experiment(folder)


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that grows by one with each solve."""
    calls: list[object] = []
    solve = throughput.solve

    def counted(*args: object, **kwargs: object) -> object:
        calls.append(kwargs)
        return solve(*args, **kwargs)

    monkeypatch.setattr(throughput, "solve", counted)
    return calls


def values(records: list[Record]) -> list[float]:
    return [record.mean().value for record in records]


def lasting(folder: Path) -> dict[str, bytes]:
    """All files but those that say what a run took."""
    return {name: data for name, data in files(folder).items() if not name.endswith(("spent.json", "manifest.json"))}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_records_are_stored_with_their_proofs(experiment: Experiment, tmp_path: Path) -> None:
    store = Store(tmp_path / "results")
    records = list(run_experiment(experiment, store))
    assert [record.case for record in records] == ["one", "three", "shifted"]
    one, three, _ = values(records)
    assert one == pytest.approx(10 / 4.5, rel=1e-4)
    assert three == pytest.approx(3 * one, rel=2e-4)
    for record in records:
        [draw] = record.draws
        assert store.find(record.case, 0, draw.fingerprint) == draw
        assert verify_file(store.proof(record.case)).interval.lower == pytest.approx(
            draw.answer.headline.lower, rel=1e-9
        )


def test_equal_specs_give_equal_bytes_but_for_timings(experiment: Experiment, tmp_path: Path) -> None:
    for name in "ab":
        list(run_experiment(experiment, Store(tmp_path / name)))
    first, second = files(tmp_path / "a"), files(tmp_path / "b")
    assert first.keys() == second.keys()
    differing = {Path(name).name for name in first if first[name] != second[name]}
    assert differing <= {"spent.json", "manifest.json"}
    assert not any("seconds" in json.loads(data).get("result", {}) for name, data in first.items() if "result" in name)


def test_the_manifest_says_what_ran(experiment: Experiment, tmp_path: Path) -> None:
    list(run_experiment(experiment, Store(tmp_path / "results")))
    manifest = json.loads((tmp_path / "results" / "manifest.json").read_text())
    assert manifest["pnet_lp"] == __version__
    assert manifest["build_profile"] == _core.build_profile
    assert manifest["spec"]["cases"]["three"]["planes"] == 3
    assert {"numpy", "highspy"} <= manifest["packages"].keys()


def test_unchanged_cases_are_not_solved_again(experiment: Experiment, tmp_path: Path, solved: list[object]) -> None:
    store = Store(tmp_path / "results")
    first = list(run_experiment(experiment, store))
    again = list(run_experiment(experiment, store))
    assert len(solved) == 3
    assert again == first
    list(run_experiment(experiment, store, resume=False))
    assert len(solved) == 6


def test_a_changed_case_is_solved_again(experiment: Experiment, tmp_path: Path, solved: list[object]) -> None:
    store = Store(tmp_path / "results")
    list(run_experiment(experiment, store))
    changed = experiment.cases["three"].model_copy(update={"planes": 2})
    list(run_experiment(experiment.model_copy(update={"cases": experiment.cases | {"three": changed}}), store))
    assert len(solved) == 4


def test_a_changed_file_is_solved_again(tmp_path: Path, solved: list[object]) -> None:
    demands = tmp_path / "demands.csv"
    (tmp_path / "spec.yaml").write_text(
        f"title: T\nbaseline: a\ncases:\n  a: {{topology: 'ring:n=6', traffic: '{demands}'}}\n"
    )
    found = []
    for demand in (1, 1, 2):
        demands.write_text(f"src,dst,demand\n0,1,{demand}\n")
        experiment = load_experiment(tmp_path)
        found += values(list(run_experiment(experiment, Store(tmp_path / "results"))))
    assert len(solved) == 2
    assert found == pytest.approx([200, 200, 100], rel=1e-4)


def test_an_interrupted_run_goes_on_where_it_stopped(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "results")
    undisturbed = throughput.solve
    calls = 0

    def interrupted(*args: object, **kwargs: object) -> object:
        nonlocal calls
        calls += 1
        result = undisturbed(*args, **kwargs)
        if calls == 2:
            raise Interrupted(result)
        return result

    monkeypatch.setattr(throughput, "solve", interrupted)
    records = run_experiment(experiment, store)
    assert next(records).case == "one"
    with pytest.raises(KeyboardInterrupt):
        next(records)
    assert not store.proof("three").exists()
    assert len(list(run_experiment(experiment, store))) == 3
    assert calls == 4


def replaced(old: str, new: str) -> Callable[[Path], object]:
    """Return what an editor does: every ``old`` in a file becomes ``new``."""

    def edit(path: Path) -> None:
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return edit


def one_figure(path: Path) -> None:
    document = json.loads(path.read_text())
    document["headline"]["value"] *= 1.1
    path.write_text(json.dumps(document, indent=2) + "\n")


def link_to(target: str) -> Callable[[Path], object]:
    """Return what puts a link in the place of a file."""

    def edit(path: Path) -> None:
        path.unlink()
        path.symlink_to(target)

    return edit


def pipe(path: Path) -> None:
    """Put a pipe that nobody writes to in the place of a file."""
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("name", "edit", "what", "jobs"),
    [
        ("result.json", one_figure, "result.json was changed", 1),
        ("result.json", one_figure, "result.json was changed", 2),
        ("result.json", replaced("certified", "bounds"), "result.json was changed", 1),
        ("result.json", replaced('"fingerprint"', '"fingerprnt"'), "result.json was changed", 1),
        ("result.json", replaced('"sha256"', '"sha257"'), "result.json was changed", 1),
        ("result.json", lambda path: path.write_text("{"), "its files cannot be read", 1),
        ("result.json", lambda path: path.write_text("[]"), "its files cannot be read", 1),
        ("result.json", lambda path: path.write_bytes(b"\xff"), "its files cannot be read", 1),
        ("result.json", lambda path: path.write_text("[" * 100_000), "its files cannot be read", 1),
        ("spent.json", lambda path: path.write_text("[" * 100_000), "its files cannot be read", 1),
        # Read on, these would never end.
        ("result.json", link_to("/dev/zero"), "its files cannot be read", 1),
        ("spent.json", pipe, "its files cannot be read", 1),
        ("proof.json", link_to("/dev/zero"), "its files cannot be read", 1),
        ("proof.json", pipe, "its files cannot be read", 1),
        ("spent.json", lambda path: path.write_text("[1]"), "its files cannot be read", 1),
        ("spent.json", Path.unlink, "its files cannot be read", 1),
        ("proof.json", Path.unlink, "proof.json is missing", 1),
        ("proof.json", replaced("ring:n=6", "ring:n=7"), "proof.json was changed", 1),
        ("proof.json", lambda path: path.write_bytes(path.read_bytes()[:-100]), "proof.json was changed", 1),
        ("proof.json", lambda path: path.write_bytes(b""), "proof.json was changed", 1),
    ],
)
def test_what_was_changed_is_computed_again_and_said(
    experiment: Experiment,
    tmp_path: Path,
    solved: list[object],
    name: str,
    edit: Callable[[Path], object],
    what: str,
    jobs: int,
) -> None:
    store, notes = Store(tmp_path / "results"), list[str]()
    first = list(run_experiment(experiment, store))
    before = lasting(store.folder)
    edit(store.folder / "three" / "draw-0" / name)
    again = list(run_experiment(experiment, store, jobs=jobs, on_note=notes.append))
    assert notes == [f"three: {what}; computed again"]
    assert len(solved) == 3 + (jobs == 1)
    assert values(again) == values(first)
    assert lasting(store.folder) == before
    list(run_experiment(experiment, store, on_note=notes.append))
    assert len(notes) == 1


def test_what_an_interrupted_run_began_is_not_worth_a_word(experiment: Experiment, tmp_path: Path) -> None:
    store, notes = Store(tmp_path / "results"), list[str]()
    list(run_experiment(experiment, store))
    (store.folder / "three" / "draw-0" / "result.json").unlink()
    old = store.folder / "one" / "draw-0" / "result.json"
    old.write_text(json.dumps(json.loads(old.read_text()) | {"schema": "pnet-lp/draw/2"}))
    list(run_experiment(experiment, store, on_note=notes.append))
    assert notes == []


def test_a_tampered_proof_does_not_pass(experiment: Experiment, tmp_path: Path) -> None:
    store = Store(tmp_path / "results")
    list(run_experiment(experiment, store))
    document = json.loads(store.proof("one").read_text())
    document["lower_bound_gbps"] = document["throughput_gbps"] = document["lower_bound_gbps"] * 1.01
    store.proof("one").write_text(json.dumps(document))
    with pytest.raises(CertificateError):
        verify_file(store.proof("one"))


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_names_the_case(tmp_path: Path, jobs: int) -> None:
    folder = tmp_path / "trial"
    folder.mkdir()
    (folder / "spec.yaml").write_text(f"{SPEC}  wide: {{traffic: 'incast:fan=99'}}\n")
    with pytest.raises(TrafficError) as caught:
        list(run_experiment(load_experiment(folder), Store(tmp_path / "results"), jobs=jobs))
    assert str(caught.value).startswith("wide: incast:fan=99: a fan of 99 is too wide for ")


def test_representations_are_short(experiment: Experiment, tmp_path: Path) -> None:
    record = next(iter(run_experiment(experiment, Store(tmp_path / "results"))))
    for value in (experiment, record, record.draws[0], record.draws[0].answer):
        assert len(repr(value)) <= 200
        assert "\n" not in repr(value)
