"""``pnet-lp simulate``: the document, what is written, what is refused, and how it ends."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import Result
from rich.console import Console

from pnet_lp.cli.progress import progress_line
from pnet_lp.questions.base import ProgressStep
from pnet_lp.seeds import derive_seed
from pnet_lp.sim import SimulationProgress

from ..conftest import PATIENCE_S

Run = Callable[..., Result]
RunJson = Callable[..., Any]

TREE = ("simulate", "fat-tree:k=4", "--link-gbps", "10")
FLOWS = ("--traffic", "permutation", "--flow-size", "100kB")
LONG = ("--traffic", "permutation", "--flow-size", "20MB", "--time-limit", "2ms")


def timeless(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: timeless(value) for key, value in document.items() if key != "seconds"}
    return [timeless(item) for item in document] if isinstance(document, list) else document


def read(path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines()))


def test_document(run_json: RunJson) -> None:
    document = run_json(*TREE, *FLOWS, "--preset", "pnet")
    assert document["flows"] == {"completed": 16, "unfinished": 0}
    statistics = {"mean", "p10", "p25", "p50", "p75", "p90", "p99", "p99_9", "max"}
    assert set(document["fct_us"]) == statistics
    assert set(document["slowdown"]) == statistics | {"by_size"}
    assert 0 < document["fct_us"]["p50"] <= document["fct_us"]["p99"] <= document["fct_us"]["max"]
    assert document["goodput_gbps"]["min"] <= document["goodput_gbps"]["mean"] <= 10
    packets = document["packets"]
    assert packets["sent"] == packets["delivered"] + packets["dropped"] + packets["in_flight"]
    assert packets["sent"] == document["packets_sent"]
    for key in ("retransmitted", "fast_retransmits", "timeouts", "events", "packet_hops"):
        assert isinstance(document[key], int), key
    assert 0 <= document["reordered_share"] < 1
    assert (document["model"], document["preset"], document["end"]) == ("packets", "pnet", "complete")
    assert document["simulated_s"] * 1e6 >= document["fct_us"]["max"] * (1 - 1e-12)
    assert document["network"]["hosts"] == 16
    assert document["workload"]["flows"] == 16
    assert [one["seed"] for one in document["runs"]] == [0]
    assert document["warnings"] == []


def test_the_same_bytes_for_a_seed_and_any_jobs(run: Run, run_json: RunJson) -> None:
    line = (*TREE, *FLOWS, "--seed", "4", "--draws", "3")
    alone = run_json(*line, "--out", "alone.parquet")
    together = run_json(*line, "--jobs", "2", "--out", "together.parquet")
    assert timeless(alone) == timeless(together)
    assert Path("alone.parquet").read_bytes() == Path("together.parquet").read_bytes()
    seeds = [4, derive_seed(4, "draw", 1), derive_seed(4, "draw", 2)]
    assert [one["seed"] for one in alone["runs"]] == seeds
    single = run_json(*TREE, *FLOWS, "--seed", str(seeds[1]), "--out", "single.csv")
    assert timeless(single["runs"][0]) == timeless(alone["runs"][1])
    run(*line, "--out", "alone.csv")
    rows = read("alone.csv")
    assert [(row["run"], row["seed"]) for row in rows[::16]] == [(str(i), str(seed)) for i, seed in enumerate(seeds)]
    expected = read("single.csv")
    assert [{**row, "run": "1", "seed": str(seeds[1])} for row in expected] == rows[16:32]


def test_a_time_limit_is_a_partial_result(run: Run, run_json: RunJson) -> None:
    document = run_json(*TREE, *LONG, "--out", "flows.csv", code=3)
    assert document["flows"]["unfinished"] > 0
    assert document["end"] == "time limit"
    assert document["simulated_s"] == 0.002
    rows = read("flows.csv")
    assert len(rows) == 16
    assert {row["end_ps"] for row in rows} == {""}
    assert all(0 < int(row["received_bytes"]) < 20_000_000 for row in rows)
    shown = run(*TREE, *LONG, code=3).stdout
    assert "0 of 16 complete; ended at 2 ms of simulated time: time limit" in shown
    assert "no flow was complete, so nothing can be said" in shown


def test_an_event_limit_is_a_partial_result(run_json: RunJson) -> None:
    document = run_json(*TREE, *FLOWS, "--event-limit", "500", "--out", "flows.csv", code=3)
    assert (document["end"], document["events"], document["flows"]["completed"]) == ("event limit", 500, 0)
    assert len(read("flows.csv")) == 16


def test_report(run: Run) -> None:
    shown = run(*TREE, "--planes", "2", "--workload", "poisson:sizes=facebook-cache,load=0.3,flows=200").stdout
    for text in ("200 of 200 complete", "slowdown ", "of a host's links", "planes ", "limited by", "fullest queues"):
        assert text in shown
    assert "100,000 to 999,999" in shown
    tasks = run(*TREE, "--workload", "rpc:rounds=2,connects=message").stdout
    assert "tasks " in tasks


def test_records(run: Run) -> None:
    run(*TREE, *FLOWS, "--records", "out", "--trace", "flow:3", "--trace", "queue:h3->edge1")
    manifest = json.loads(Path("out/manifest.json").read_text(encoding="utf-8"))
    assert manifest["files"] == [f"{name}.parquet" for name in ("flows", "ports", "queues", "windows", "arrivals")]
    assert manifest["simulation"]["transport"] == "tcp"
    assert {"pnet_lp", "code", "machine"} <= set(manifest)
    assert pq.read_table("out/flows.parquet").num_rows == 16
    assert set(pq.read_table("out/arrivals.parquet").column("flow").to_pylist()) == {3}


def test_records_of_two_runs_do_not_mix(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    line = (*TREE, *FLOWS, "--records")
    run(*line, "new/out", "--trace", "flow:3")
    before = sorted(path.name for path in Path("new/out").iterdir())
    for leave in ("manifest.json", "flows.parquet"):
        # Also where a run was cut short before its manifest was written, and before anything is simulated.
        refused = run(*line, "new/out", code=1).stderr
        assert refused == f"Error: new/out: holds {leave} of another run; allowed: an empty or a new folder\n"
        Path("new/out", leave).unlink()
    assert sorted(path.name for path in Path("new/out").iterdir()) == [
        name for name in before if name not in ("manifest.json", "flows.parquet")
    ]
    Path("elsewhere").mkdir()
    Path("link").symlink_to("elsewhere")
    Path("elsewhere/manifest.json").symlink_to("kept.json")
    run(*line, "link")
    assert Path("elsewhere/manifest.json").is_symlink()
    assert json.loads(Path("elsewhere/kept.json").read_text())["simulation"]["end"] == "complete"
    Path("file").write_text("")
    for folder in ("file", "/dev/null", "file/below"):
        assert run(*line, folder, code=1).stderr == f"Error: {folder}: cannot be written (not a directory)\n"
    assert "--records': no folder is named" in run(*line, "", code=2).stderr
    monkeypatch.setattr("os.access", lambda *_: False)
    assert run(*line, "more", code=1).stderr == "Error: more: cannot be written (permission denied)\n"


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_plot(run: Run, suffix: str) -> None:
    for name in ("one", "two"):
        run(*TREE, *FLOWS, "--draws", "2", "--plot", f"{name}.{suffix}")
    assert Path(f"one.{suffix}").read_bytes() == Path(f"two.{suffix}").read_bytes()
    traced = ("--trace", "flow:3", "--trace", "queue:h3->edge1")
    run(*TREE, *FLOWS, *traced, "--plot", f"traced.{suffix}")
    assert Path(f"traced.{suffix}").stat().st_size > Path(f"one.{suffix}").stat().st_size
    # No flow is complete: empty axes, not an error.
    run(*TREE, *LONG, "--plot", f"none.{suffix}", code=3)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((*FLOWS, "--link-delay", "-1us"), "--link-delay: not a quantity, found '-1us'"),
        ((*FLOWS, "--time-limit", "-1s"), "--time-limit: not a quantity, found '-1s'"),
        ((*FLOWS, "--event-limit", "0"), "'--event-limit': 0 is not in the range 1<=x<="),
        ((*FLOWS, "--link-gbps", "0"), "'--link-gbps': 0.0 is not in the range x>0"),
        ((*FLOWS, "--link-gbps", "1e-10"), "a link is too fast or too slow to be simulated, found 1e-10"),
        ((*FLOWS, "--queue", "drop-tail:packets=0"), "--queue: drop-tail: packets: input should be greater"),
        ((*FLOWS, "--transport", "cbr:rate=0bps"), "--transport: cbr: rate: "),
        (("--workload", "poisson:sizes=1kB,load=0,flows=9"), "poisson: load: input should be greater than 0"),
        (("--workload", "incast:senders=99,sizes=1kB"), "the network has 16 hosts, found 99; allowed: up to 15"),
        (
            (*FLOWS, "--fail-links", "0.1", "--fail-at", "-1us"),
            "--fail-at: not a quantity, found '-1us'; allowed: a time with its unit",
        ),
        ((*FLOWS, "--plot", "gone/a.png"), "--plot': gone/a.png: there is no folder 'gone'"),
        ((), "no flows; allowed: --traffic T and --flow-size S, or --workload W"),
        (("--traffic", "permutation"), "--traffic needs --flow-size or --workload"),
        (("--flow-size", "1MB"), "--flow-size needs --traffic"),
        (("--workload", "each:sizes=1MB"), "workload 'each' needs a traffic matrix"),
        (("--workload", "rpc:rounds=1", "--traffic", "permutation"), "workload 'rpc' chooses its pairs itself"),
        ((*FLOWS[:3], "0"), "--flow-size: 0: invalid size, found 0"),
        ((*FLOWS[:3], "10kB,foo=1"), "--flow-size: not a quantity, found '10kB,foo=1'"),
        ((*FLOWS[:3], "facebook-cache:mode=1"), "--flow-size: facebook-cache: unknown parameter 'mode'"),
        ((*FLOWS, "--fail-links", "100%"), "no path leads from 'h"),
        ((*FLOWS, "--queue", "drop-tail:bytes=9"), "queue: bytes: a packet has 1500 bytes and never fits, found 9"),
        ((*FLOWS, "--transport", "tpc"), "--transport: unknown transport 'tpc' (did you mean 'tcp'?); allowed: "),
        ((*FLOWS, "--link-delay", "fast"), "--link-delay: not a quantity, found 'fast'"),
        ((*FLOWS, "--time-limit", "0s"), "--time-limit: input should be greater than 0, found '0s'"),
        ((*FLOWS, "--header", "2kB"), "--header: the header leaves no room for payload, found 2000"),
        ((*FLOWS, "--trace", "flow:99", "--records", "out"), "--trace: no such flow, found 'flow:99'"),
        ((*FLOWS, "--trace", "flow:1"), "--trace needs --records or --plot"),
        ((*FLOWS, "--fail-at", "1us"), "--fail-at needs --fail-links"),
        (
            (*FLOWS, "--fail-links", "0.1", "--fail-at", "2us", "--fail-until", "1us"),
            "--fail-until: what fails would be back before, found '1us'; allowed: more than 2us",
        ),
        ((*FLOWS, "--jobs", "2"), "--jobs needs --draws"),
        ((*FLOWS, "--executor", "local"), "--executor needs --draws"),
        ((*FLOWS, "--draws", "9999999"), "9999999 is not in the range 1<=x<=1000000"),
        ((*FLOWS, "--draws", "2", "--jobs", "9999"), "9999 is not in the range 1<=x<=1024"),
        ((*FLOWS, "--routing", "ideal"), "--routing: the routing has no list of paths, found 'ideal'"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, arguments: tuple[str, ...], says: str) -> None:
    refused = run(*TREE, *arguments, code=2)
    assert refused.stdout == ""
    assert says in refused.stderr
    assert "Traceback" not in refused.stderr


def test_hosts_that_are_not_there(run: Run) -> None:
    Path("matrix.csv").write_text("src,dst,demand\nh0,h99,1\n")
    refused = run(*TREE, "--traffic", "matrix.csv", "--flow-size", "1kB", code=2)
    assert "h99" in refused.stderr
    # Of what is allowed, nothing is an option that the command lacks.
    for command in (("simulate", "ring:n=4"), ("crosscheck", "ring:n=4")):
        bare = run(*command, "--traffic", "permutation", "--flow-size", "10kB", code=2)
        assert bare.stderr == (
            "Error: permutation: flows need at least two hosts, the network has 0; "
            "allowed: a topology with hosts, or --hosts-per-switch 1\n"
        )


def test_progress_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    buffer = io.StringIO()
    fake = partial(Console, file=buffer, force_terminal=True, width=140)
    monkeypatch.setattr("rich.console.Console", lambda **_: fake())
    monkeypatch.setattr(buffer, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", buffer)
    with progress_line() as line:
        line(ProgressStep("draw 2 of 3", SimulationProgress(2 * 10**9, 30_000_000, 0, 100, 0.25, None, 6.0)))
    text = buffer.getvalue()
    assert "draw 2 of 3: 2 ms simulated, 0 of 100 flows complete, 5 M events/s, 6 s, about 18 s left" in text


def interrupted_after(seconds: float, folder: Path, *more: str) -> tuple[int, bytes, bytes]:
    line = ["simulate", "fat-tree:k=8", "--link-gbps", "10", "--traffic", "all-to-all", "--flow-size", "10MB"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pnet_lp", *line, "--preset", "pnet", "--json", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        start_new_session=True,
    )
    try:
        time.sleep(seconds)
        assert process.poll() is None, "simulated too soon for this test"
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
    return process.returncode, stdout, stderr


def test_ctrl_c_leaves_what_was_reached(tmp_path: Path) -> None:
    # On a busy machine the signal may come before the run has begun, which ends the process with 130 or at once.
    for seconds in (2.0, 6.0, 25.0):
        code, stdout, stderr = interrupted_after(seconds, tmp_path)
        if code not in (130, -signal.SIGINT):
            break
    assert code == 3, stderr
    document = json.loads(stdout)
    assert document["end"] == "interrupted"
    assert document["flows"]["unfinished"] > 0
    assert document["packets"]["sent"] > 0
    assert stderr == b""


def test_ctrl_c_ends_all_jobs(tmp_path: Path) -> None:
    code, stdout, stderr = interrupted_after(3.0, tmp_path, "--draws", "4", "--jobs", "2")
    assert code == 130
    assert (stdout, stderr) == (b"", b"Error: interrupted\n")
