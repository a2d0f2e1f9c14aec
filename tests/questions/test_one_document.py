"""Every question says one thing, whoever asks it: the command's JSON, a sweep's record and Python's answer."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from click.core import ParameterSource
from click.testing import CliRunner

from pnet_lp import questions
from pnet_lp.cli import main
from pnet_lp.cli.ask import command_of
from pnet_lp.experiment import Store, load_experiment, run_experiment
from pnet_lp.notebook import ask
from pnet_lp.questions.base import QUESTIONS, Case

ROOT = Path(__file__).parents[2]

ANOTHER = {
    "bounds": "jellyfish:k=4 --traffic permutation --seed 2 --bound nic --bound mean-path --solve --tolerance 0.01",
    "cost": "fat-tree:k=4 --planes 2 --traffic permutation --link-gbps 10 --prices hybrid-list --prices example",
    "crosscheck": "jellyfish:k=4 --workload incast:senders=3,sizes=10kB --fail-links 0.05",
    "failures": "ring:n=6 --planes 2 --fail-planes 0 --trials 1 --level rack",
    "find": "--hosts 12 --min-gbps-per-host 20 --radix 8 --families leaf-spine --rank power",
    "fluid-error": "--topologies fat-tree:k=4 --topologies ring:n=4 --hosts-per-switch 2 --traffics stride:s=1 "
    "--arrivals poisson --arrivals log-normal:sigma=2 --flow-sizes 10kB --load 0.3,0.5 --flows 40 --link-delay 2us",
    "hops": "ring:n=6 --pair 0 3 --rpc-bytes 1500 --rate 10 --hop-delay 2 --fail-links 0.1 --trials 3",
    "paths": "jellyfish:k=4 --stats --level rack --routing ksp:2 --seed 3",
    "price-performance": "ring:n=4 complete:n=4 --ports 8 --routing ksp:2",
    "simulate": "fat-tree:k=4 --traffic stride:s=1 --flow-size 10kB --model fluid --warm-up 1us --time-limit 1ms",
    "speed-up": "--oversubscription 2 --servers 32 --ports 8 --links 2 --search 1 --traffic permutation --seed 4",
    "step-time": "single-switch:hosts=8 --traffic 2*all-to-all+groups:size=4,of=[ring+all-reduce]",
    "throughput": "torus:dims=3x3 --objective max-min --traffic permutation --planes 2 --fail-links 0.1",
}
"""A second case of each question, of other keys than its example."""

COMMANDS = {name: command for command, (name, _) in questions.commands().items()}


def model_of(name: str) -> type[Case]:
    model = QUESTIONS.get(name).params
    assert issubclass(model, Case)
    return model


LINES = [(name, line) for name in ANOTHER for line in (model_of(name).example, ANOTHER[name])]


def timeless(document: Any) -> Any:
    """A document as JSON has it, without what a clock measured."""
    if isinstance(document, Mapping):
        return {key: timeless(value) for key, value in document.items() if key != "seconds"}
    return [timeless(item) for item in document] if isinstance(document, list | tuple) else document


def cases_of(name: str, line: str) -> list[dict[str, Any]]:
    """The keys of the cases that a command line asks for, as a spec or Python has them."""
    context = command_of(COMMANDS[name]).make_context("x", shlex.split(line))
    given = {
        parameter: value
        for parameter, value in context.params.items()
        if context.get_parameter_source(parameter) is ParameterSource.COMMANDLINE
    }
    assert {parameter.removeprefix("axis_") for parameter in given} <= model_of(name).model_fields.keys()
    keys = {key: value for key, value in given.items() if not key.startswith("axis_")}
    axes = {key.removeprefix("axis_"): value for key, value in given.items() if key.startswith("axis_")}
    return [{**keys, **dict(zip(axes, point, strict=True))} for point in itertools.product(*axes.values())]


def answers(name: str, line: str) -> list[Any]:
    """The answers in Python."""
    call: Callable[..., Any] = getattr(ask, name.replace("-", "_"))
    return [call(**keys) for keys in cases_of(name, line)]


def module_of(name: str, part: str) -> ModuleType:
    folder = QUESTIONS.get(name).build.__module__.rpartition(".")[0]
    return importlib.import_module(f"{folder}.{part}")


def test_every_question_is_here() -> None:
    assert sorted(COMMANDS) == QUESTIONS.names() == sorted(ANOTHER)


@pytest.mark.parametrize(("name", "line"), LINES)
def test_one_document(name: str, line: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, [*COMMANDS[name].split(), *shlex.split(line), "--json"])
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout, parse_constant=pytest.fail)

    found = answers(name, line)
    documents = [answer.to_json() for answer in found]
    # Several values of one key make one document of a series.
    whole = documents[0] if len(found) == 1 else module_of(name, "answer").series([], found)
    assert timeless(json.loads(json.dumps(whole))) == timeless(printed)

    cases = {f"case-{i}": keys for i, keys in enumerate(json.loads(json.dumps(cases_of(name, line))))}
    spec = {"title": "T", "question": name, "cases": cases}
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(spec))
    experiment = load_experiment(tmp_path)
    records = run_experiment(experiment, Store(tmp_path / "results"))
    for record, answer, document in zip(records, found, documents, strict=True):
        [draw] = record.draws
        stored = json.loads((tmp_path / "results" / record.case / "draw-0" / "result.json").read_text())
        assert stored["result"] == timeless(json.loads(json.dumps(document)))
        assert timeless(draw.answer.document) == timeless(document)
        # The table of a sweep says what the answer says.
        assert answer.headline == draw.answer.headline
        assert answer.headline.column == experiment.cases[record.case].headline_column
        assert dict(answer.columns) == dict(draw.answer.columns)
        assert list(answer.columns) == list(model_of(name).columns)
        assert answer.status == draw.answer.status


@pytest.mark.parametrize("name", ANOTHER)
def test_answers_are_frozen(name: str) -> None:
    [answer] = answers(name, ANOTHER[name])
    assert dataclasses.is_dataclass(answer)
    for field in dataclasses.fields(answer):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(answer, field.name, None)


@pytest.mark.parametrize("name", ANOTHER)
def test_words_have_what_the_case_declares(name: str) -> None:
    model, words = model_of(name), module_of(name, "words")
    rows_at = getattr(module_of(name, "answer"), model.__name__.removesuffix("Case") + "Answer").rows_at
    expected = {"report"}
    expected |= {"table"} if model.rows and not rows_at else set()
    expected |= {"write_plot"} if model.plot else set()
    for series in model.series:
        prefix = series.name or "series"
        expected |= {f"{prefix}_report"}
        expected |= {f"{prefix}_table"} if series.rows and not rows_at else set()
        expected |= {f"write_{prefix}_plot"} if series.plot else set()
        assert callable(getattr(module_of(name, "answer"), prefix))
    assert all(callable(getattr(words, one, None)) for one in expected), expected - set(dir(words))


@pytest.mark.parametrize(("name", "key"), [(name, key) for name in ANOTHER for key in model_of(name).outputs])
def test_every_output_is_written(name: str, key: str, tmp_path: Path) -> None:
    """By ``words``, or before the answer by what poses the case."""
    output = model_of(name).outputs[key]
    suffixes = output.formats.suffixes() if output.formats else output.suffixes
    place = tmp_path / ("folder" if output.folder else f"file{suffixes[0] if suffixes else ''}")
    line = {"throughput": "ring:n=4 --level rack"}.get(name, ANOTHER[name])
    done = CliRunner().invoke(
        main, [*COMMANDS[name].split(), *shlex.split(line), f"--{key.replace('_', '-')}", str(place)]
    )
    assert done.exit_code == 0, done.output
    assert any(place.iterdir()) if output.folder else place.stat().st_size


@pytest.mark.parametrize("name", ANOTHER)
def test_rows_and_charts_are_written(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    table, chart = tmp_path / "rows.csv", tmp_path / "chart.svg"
    line = [*COMMANDS[name].split(), *shlex.split(ANOTHER[name])]
    line += ["--out", str(table)] if model.rows else []
    line += ["--plot", str(chart)] if model.plot else []
    done = CliRunner().invoke(main, line)
    assert done.exit_code == 0, done.output
    assert done.stdout.strip()
    assert not model.rows or len(table.read_text().splitlines()) > 1
    assert not model.plot or b"<svg" in chart.read_bytes()


def test_the_stub_is_that_of_the_models() -> None:
    done = subprocess.run([sys.executable, "tools/stubs.py", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "run python tools/stubs.py"
