"""What all questions have in common: what they declare, refuse before the first run, and give whoever runs them."""

import json
import math
import multiprocessing
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

from pnet_lp.errors import PnetError
from pnet_lp.executors.base import Executor
from pnet_lp.experiment import Experiment, Record, Store, load_experiment, run_experiment
from pnet_lp.questions.base import QUESTIONS, Case
from pnet_lp.report.experiment import compare, comparison_table, draw_table, result_table

T = TypeVar("T")
R = TypeVar("R")

SMALL = {
    "throughput": "{topology: 'jellyfish:k=4', traffic: permutation, routing: 'ksp:2', fail_links: 0.05}",
    "fluid-error": "{topologies: 'fat-tree:k=4', link_gbps: 10, traffics: all-to-all, "
    "arrivals: [poisson, 'log-normal:sigma=2'], flow_sizes: 10kB, flows: 50, load: [0.2, 0.4], plain: none, "
    "correction: 'propagation,queueing', transport: dctcp, queue: ecn}",
    "hops": "{topology: 'jellyfish:k=4', planes: 2, variant: heterogeneous, fail_links: 0.1, trials: 2}",
    "failures": "{topology: 'jellyfish:k=4', traffic: permutation, fail_links: 0.1, trials: 2}",
    "bounds": "{topology: 'jellyfish:k=4', traffic: permutation}",
    "cost": "{architecture: 'jellyfish-k8', prices: [hybrid-list, example]}",
    "crosscheck": "{topology: 'jellyfish:k=4', traffic: permutation, flow_size: 10kB}",
    "price-performance": "{topology: ['jellyfish:k=4,seed=1', 'fat-tree:k=4'], traffic: permutation, fail_links: 0.1}",
    "simulate": "{topology: 'jellyfish:k=4', traffic: permutation, flow_size: 10kB, preset: pnet}",
    "speed-up": "{job: true, traffic: random}",
    "step-time": "{topology: 'jellyfish:k=4', traffic: 'permutation+2*stride:s=1', fail_links: 0.05}",
    "find": "{hosts: 12, min_gbps_per_host: 20, radix: 8, planes: 1, families: [leaf-spine, jellyfish]}",
    "paths": "{topology: 'jellyfish:k=4', stats: true, routing: 'ksp:2'}",
}
"""One small case of each question."""


def load(folder: Path, question: str, case: str, more: str = "") -> Experiment:
    (folder / "spec.yaml").write_text(f"title: T\nquestion: {question}\ncases:\n  a: {case}\n{more}")
    return load_experiment(folder)


def answered(folder: Path, question: str, case: str) -> Record:
    """The record of a spec of one case."""
    [record] = run_experiment(load(folder, question, case), Store(folder / "results"))
    return record


def lasting(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        # The manifest says what the draws took.
        if path.is_file() and path.name not in {"spent.json", "manifest.json"}
    }


def test_every_kind_is_tried_here() -> None:
    assert QUESTIONS.names() == sorted(SMALL)


@pytest.mark.parametrize("question", SMALL)
def test_answers_have_the_columns_declared(question: str, tmp_path: Path) -> None:
    experiment = load(tmp_path, question, SMALL[question]).reduced(draws=2)
    records = list(run_experiment(experiment, Store(tmp_path / "results")))
    model = QUESTIONS.get(question).params
    assert issubclass(model, Case)
    for draw in records[0].draws:
        assert list(draw.answer.columns) == list(model.columns)
        assert draw.answer.headline.lower <= draw.answer.headline.upper
        assert draw.answer.headline.column not in model.columns
        assert draw.answer.headline.column == experiment.cases[draw.case].headline_column
        assert not {*model.columns, draw.answer.headline.column} & model.model_fields.keys()
        assert sum(draw.answer.seconds.values()) > 0
    table = draw_table(experiment, records)
    assert table["draw"] == [0, 1]
    assert len(set(table["seed"])) == 2
    assert {"case", *experiment.keys, *model.columns} <= table.keys()
    [row] = compare(experiment, records)
    assert list(result_table([row])[row.shown.column]) == [row.shown.value]
    assert comparison_table(experiment, [row]).row_count == 1
    json.dumps(row.to_json(), allow_nan=False)


class Apart(Executor):
    """One process that answers the draws of all tests, so that its start is paid for once."""

    shares_files = True
    processes = 1

    def __init__(self) -> None:
        self.pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))

    def threads(self, requested: int) -> int:
        return requested

    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> Generator[tuple[int, R]]:
        yield from enumerate(self.pool.map(function, tasks))


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    executor = Apart()
    with executor.pool:
        yield executor


@pytest.mark.parametrize("question", SMALL)
def test_equal_bytes_from_another_process_and_nothing_twice(question: str, tmp_path: Path, apart: Apart) -> None:
    experiment = load(tmp_path, question, SMALL[question]).reduced(draws=2)
    for where, executor in (("here", None), ("there", apart)):
        store = Store(tmp_path / where)
        found = list(run_experiment(experiment, store, executor=executor, threads=1))
        seconds = [path.read_bytes() for path in sorted(store.folder.rglob("spent.json"))]
        assert list(run_experiment(experiment, store)) == found
        assert [path.read_bytes() for path in sorted(store.folder.rglob("spent.json"))] == seconds
    assert lasting(tmp_path / "here") == lasting(tmp_path / "there")


@pytest.mark.parametrize("question", ["throughput", "hops", "failures", "bounds"])
def test_failures_can_be_an_axis(question: str, tmp_path: Path) -> None:
    grid = "{topology: 'complete:n=4', planes: 4, grid: {fail_planes: [[0], [0, 1], 2]}, name: '{fail_planes}'}"
    experiment = load(tmp_path, question, grid)
    assert list(experiment.cases) == ["0", "0-1", "2"]
    table = result_table(compare(experiment, list(run_experiment(experiment, Store(tmp_path / "results")))))
    assert table["fail_planes"] == ["0", "0 + 1", "2"]
    if "throughput_gbps" in table:
        assert table["throughput_gbps"] == pytest.approx([300, 200, 300], rel=1e-4)


def test_traffic_can_be_an_axis(tmp_path: Path) -> None:
    experiment = load(tmp_path, "throughput", "{topology: 'ring:n=6', grid: {traffic: ['stride:s=1', 'stride:s=3']}}")
    rows = compare(experiment, list(run_experiment(experiment, Store(tmp_path / "results"))))
    # Next neighbours have their link, and the five links the other way round; those opposite take 3 links of 12.
    assert [row.shown.value for row in rows] == pytest.approx([120, 200 / 3], rel=1e-3)


@pytest.mark.parametrize(
    ("question", "case", "message"),
    [
        ("throughputs", "{}", "question: unknown question 'throughputs' (did you mean 'throughput'?); allowed: bounds"),
        ("throughput", "{}", "cases.a: parameter 'topology' is required"),
        ("throughput", "{topology: []}", "cases.a: topology: tuple should have at least 1 item"),
        (
            "throughput",
            "{topology: rng}",
            "cases.a: topology: unknown topology 'rng' (did you mean 'ring'?); allowed: ",
        ),
        ("throughput", "{topology: 'ring:m=3'}", "cases.a: topology: ring: unknown parameter 'm'"),
        ("throughput", "{topology: 'ring:n=x'}", "cases.a: topology: ring: n: input should be a valid integer"),
        (
            "throughput",
            "{topology: nowhere/net.adj}",
            "cases.a: topology: nowhere/net.adj: cannot read the file: No such file or directory",
        ),
        ("throughput", "{topology: 'ring:n=4', traffic: permutaton}", "cases.a: traffic: unknown traffic 'permutaton'"),
        (
            "throughput",
            "{topology: 'ring:n=4', traffic: nowhere/d.csv}",
            "cases.a: traffic: nowhere/d.csv: cannot read the file: No such file or directory",
        ),
        (
            "throughput",
            "{topology: 'ring:n=4', routing: 'kps:8'}",
            "cases.a: routing: unknown routing 'kps' (did you mean 'ksp'?)",
        ),
        (
            "throughput",
            "{topology: 'ring:n=4', plane_policy: shortest}",
            "cases.a: routing: plane_policy: a plane policy has no meaning for ideal routing",
        ),
        (
            "throughput",
            "{topology: 'ring:n=4', objective: concurent}",
            "cases.a: objective: unknown objective 'concurent'",
        ),
        ("throughput", "{topology: 'ring:n=4', solver: structurd}", "cases.a: solver: unknown solver 'structurd'"),
        (
            "throughput",
            "{topology: 'ring:n=4', fail_links: 1}",
            "cases.a: fail_links: may mean all of them or a single one, found 1; allowed: 100% for all",
        ),
        (
            "throughput",
            "{topology: 'ring:n=4', fail_links: 0.1, fail_unit: direction, fail_mode: betweenness}",
            "cases.a: fail_mode: directions fail independently, found 'betweenness'",
        ),
        (
            "hops",
            "{topology: 'ring:n=4', fail_groups: nowhere.yaml}",
            "cases.a: fail_groups: nowhere.yaml: cannot read the file: No such file or directory",
        ),
        ("hops", "{topology: 'ring:n=4', traffic: permutation}", "cases.a: unknown parameter 'traffic'"),
        ("hops", "{topology: 'ring:n=4', trials: 0}", "cases.a: trials: input should be greater than or equal to 1"),
        ("failures", "{topology: 'ring:n=4', least_load: true}", "cases.a: unknown parameter 'least_load'"),
        ("bounds", "{topology: 'ring:n=4', bounds: tob}", "cases.a: bounds: unknown bound 'tob' (did you mean 'tub'?)"),
        (
            "cost",
            "{architecture: hybrd}",
            "cases.a: architecture: unknown architecture 'hybrd' (did you mean 'hybrid'?)",
        ),
        ("cost", "{architecture: 'hybrid:beta=99'}", "cases.a: architecture: hybrid: beta is at most ports / 2 = 32"),
        ("cost", "{architecture: hybrid, prices: exmple}", "cases.a: prices: unknown price book 'exmple'"),
        ("cost", "{architecture: hybrid, powers: none.yaml}", "cases.a: powers: none.yaml: cannot read the file: "),
        ("cost", "{architecture: hybrid, planes: 4}", "cases.a: planes: has no meaning for the architecture 'hybrid'"),
        ("cost", "{architecture: 'hybrid:beta=2', beta: 4}", "cases.a: beta: 'hybrid:beta=2' already gives it"),
        ("cost", "{architecture: 'parallel', beta: 4}", "cases.a: beta: has no meaning for 'parallel'"),
        (
            "cost",
            "{architecture: hybrid, fail_links: 0.1}",
            "cases.a: fail_links: has no meaning for the architecture 'hybrid', found 0.1",
        ),
        (
            "cost",
            "{architecture: 'ring:n=4', fail_links: 0.1, bisection: false}",
            "cases.a: fail_links: has no meaning for a cost without traffic or bisection: what fails is paid for, too",
        ),
        (
            "cost",
            "{architecture: 'ring:n=4', traffic: all-to-all, fail_planes: 1}",
            "cases.a: fail_planes: no such plane, found 1",
        ),
        (
            "hops",
            "{topology: 'ring:n=4', rate_gbps: 10}",
            "cases.a: rate_gbps: has no meaning without rpc_bytes, found 10.0",
        ),
        ("hops", "{topology: 'ring:n=4', rpc_bytes: 0}", "cases.a: rpc_bytes: input should be greater than 0, found 0"),
        ("cost", "{architecture: 'ring:n=4', beta: 4}", "cases.a: beta: has no meaning for 'ring:n=4'"),
        ("cost", "{architecture: hybrid, level: rack}", "cases.a: level: has no meaning without traffic, found 'rack'"),
        ("cost", "{architecture: parallel, prices: hybrid-list}", "cases.a: hybrid-list: no price for part 'chassis'"),
        (
            "throughput",
            "{topology: 'ring:n=4', objective: total, solver: structured}",
            "cases.a: solver: solver 'structured' maximises K only",
        ),
        (
            "throughput",
            "{topology: 'ring:n=4', objective: max-min-fill}",
            "cases.a: objective: max-min-fill needs one path or one fixed split for each demand",
        ),
        (
            "throughput",
            "{topology: 'ring:n=4', routing: ecmp, solver: highs-ipx}",
            "cases.a: solver: a solver has no meaning here",
        ),
        (
            "throughput",
            "{topology: 'jellyfish:k=4', variant: heterogeneous}",
            "cases.a: variant: a single plane cannot be heterogeneous, found 'heterogeneous'",
        ),
        (
            "throughput",
            "{topology: 'jellyfish:k=4', planes: 4, variant: serial}",
            "cases.a: variant: a serial network has one plane, but 4 are requested",
        ),
        (
            "hops",
            "{topology: 'jellyfish:k=4', planes: 2, fail_planes: [0, 2]}",
            "cases.a: fail_planes: no such plane, found 2; allowed: 0 to 1",
        ),
        *(
            (
                question,
                "{topology: 'ring:n=4', level: host}",
                "cases.a: level: the network has no hosts, so host-level demands mean nothing; allowed: level=rack",
            )
            for question in ("throughput", "bounds", "hops")
        ),
        (
            "throughput",
            "{topology: 'ring:n=4,link_gbps=40', link_gbps: 10}",
            "cases.a: link_gbps: every link has a speed of its own, found 10.0",
        ),
        (
            "cost",
            "{architecture: 'ring:n=4', variant: heterogeneous}",
            "cases.a: variant: a single plane cannot be heterogeneous",
        ),
        (
            "failures",
            "{topology: 'ring:n=4'}",
            "cases.a: nothing fails; allowed: each or fail_links or fail_switches or fail_ports or fail_nics or "
            "fail_servers",
        ),
        (
            "failures",
            "{topology: 'ring:n=4', planes: 2, fail_planes: 1, trials: 3}",
            "cases.a: trials: has no meaning where failures are not random, found 3",
        ),
        (
            "bounds",
            "{topology: 'ring:n=4', bounds: [nic, nic]}",
            "cases.a: bounds: a bound is named twice, found 'nic'",
        ),
        ("speed-up", "{scenario: '3'}", "cases.a: scenario: input should be '1' or '2', found '3'"),
        ("speed-up", "{job: true, links: 4}", "cases.a: job: has no meaning beside links, found True"),
        ("speed-up", "{traffic: mpi-ftt}", "cases.a: traffic: unknown traffic 'mpi-ftt'"),
    ],
)
def test_what_is_wrong_is_refused_before_the_first_run(question: str, case: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(PnetError) as caught:
        load(tmp_path, question, case)
    assert str(caught.value).startswith(f"{tmp_path}/spec.yaml: {message}")
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            "column: mean",
            "column: no column is called 'mean' (did you mean 'mean_hops'?); allowed: p50_hops, p99_hops, ",
        ),
        ("baseline: b", "baseline: no case is called 'b'; allowed: a"),
        (
            "chart: {x: fail_links, lines: planes, saturated_percent: 90}",
            "chart.saturated_percent: saturation is a share of planes times the baseline; allowed: with a baseline",
        ),
        ("chart: {x: traffic, lines: planes}", "chart: no key of a case is called 'traffic'"),
    ],
)
def test_what_a_question_has_not_cannot_be_shown(more: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(PnetError) as caught:
        load(tmp_path, "hops", "{topology: 'ring:n=4'}", more)
    assert str(caught.value).startswith(f"{tmp_path}/spec.yaml: {message}")


def test_a_column_can_be_shown(tmp_path: Path) -> None:
    experiment = load(tmp_path, "hops", "{topology: 'ring:n=6'}", "column: max_hops")
    [row] = compare(experiment, list(run_experiment(experiment, Store(tmp_path / "results"))))
    assert (row.shown.column, row.shown.value, row.columns["mean_hops"]) == ("max_hops", 3, 1.8)


def test_no_value_is_no_number(tmp_path: Path) -> None:
    """Nothing is connected: JSON has null, tables are empty there, and the reader sees a word."""
    record = answered(tmp_path, "hops", "{topology: 'ring:n=6', fail_links: 100%}")
    assert math.isnan(record.mean().value)
    stored = json.loads((tmp_path / "results" / "a" / "draw-0" / "result.json").read_text())
    assert stored["headline"]["value"] is None
    assert stored["columns"]["connected_share"] == 0
    [row] = compare(load_experiment(tmp_path), [record])
    assert row.to_json()["mean_hops"] is None
