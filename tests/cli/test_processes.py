"""What only a real process shows: clean streams, closed pipes, Ctrl-C."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..conftest import PATIENCE_S

PNET_LP = [sys.executable, "-m", "pnet_lp"]


def test_stdout_holds_the_document_and_nothing_else(tmp_path: Path) -> None:
    result = subprocess.run(
        [*PNET_LP, "throughput", "hypercube:d=3", "--link-gbps", "1", "--json"],
        capture_output=True,
        cwd=tmp_path,
        check=True,
    )
    document = json.loads(result.stdout)
    assert document["throughput_gbps"] == pytest.approx(0.25, rel=1e-4)
    assert result.stderr == b""
    assert list(tmp_path.iterdir()) == []


def test_errors_go_to_stderr() -> None:
    result = subprocess.run([*PNET_LP, "throughput", "rign:n=4"], capture_output=True, check=False, text=True)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: unknown topology 'rign' (did you mean 'ring'?)")
    assert len(result.stderr.splitlines()) == 1


def test_a_reader_that_leaves_early_is_no_error() -> None:
    process = subprocess.Popen(
        [*PNET_LP, "list", "topologies", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(timeout=PATIENCE_S)


def interrupted_after(seconds: float, folder: Path) -> tuple[int, bytes, bytes]:
    """Start a solve that takes minutes, send Ctrl-C, and return exit code, stdout and stderr."""
    network = ["jellyfish:switches=200,ports=8", "--planes", "4", "--variant", "heterogeneous"]
    solve = ["--solver", "structured", "--threads", "1", "--tolerance", "1e-15", "--json"]
    process = subprocess.Popen(
        [*PNET_LP, "throughput", *network, *solve], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    )
    try:
        time.sleep(seconds)
        assert process.poll() is None, "solved too soon for this test"
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
    return process.returncode, stdout, stderr


def test_ctrl_c_while_solving_leaves_the_bounds_reached(tmp_path: Path) -> None:
    # On a busy machine the signal may come before the solve has begun, which ends the process with 130 or at once.
    for seconds in (2.0, 8.0, 20.0):
        code, stdout, stderr = interrupted_after(seconds, tmp_path)
        if code not in (130, -signal.SIGINT):
            break
    assert code == 3, stderr
    document = json.loads(stdout)
    assert document["status"] == "bounds"
    assert document["interrupted"] is True
    assert 0 < document["lower_bound_gbps"] < document["upper_bound_gbps"]
    assert stderr == b""


def test_a_closed_stdout_is_no_error() -> None:
    command = shlex.join([*PNET_LP, "topology", "ring:n=4"]) + " >&-"
    result = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, b"")


@pytest.mark.parametrize("arguments", [["list", "topologies"], ["throughput", "ring:n=4", "--json"]])
def test_a_narrow_encoding_is_no_error(arguments: list[str]) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    result = subprocess.run([*PNET_LP, *arguments], capture_output=True, env=environment, check=True)
    assert result.stdout.isascii()
    assert result.stderr == b""


def processes_of(folder: Path) -> set[int]:
    """The processes whose temporary files are in ``folder`` or below."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"TMPDIR={folder}".encode() in (entry / "environ").read_bytes():
                found.add(int(entry.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize(
    "arguments",
    [
        ["throughput", "jellyfish:switches=60,ports=8", "--solver", "pulp"],
        ["throughput", "jellyfish:switches=60,ports=8", "--solver", "ortools-glop"],
        ["sweep", "trial", "--jobs", "2"],
    ],
    ids=["pulp", "ortools", "jobs"],
)
def test_who_is_killed_leaves_no_process_and_no_temporary_file(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "trial").mkdir()
    (tmp_path / "trial" / "spec.yaml").write_text(
        "title: T\ncommon: {topology: 'jellyfish:switches=60,ports=8', solver: pulp}\n"
        "cases: {a: {}, b: {seed: 1}, c: {seed: 2}}\n"
    )
    folder = tmp_path / "tmp"
    folder.mkdir()
    process = subprocess.Popen(
        [*PNET_LP, *arguments], env=os.environ | {"TMPDIR": str(folder)}, cwd=tmp_path, stderr=subprocess.PIPE
    )
    workers, expected = set[Path](), 2 if "--jobs" in arguments else 1
    deadline = time.monotonic() + PATIENCE_S
    while len(workers) < expected and process.poll() is None and time.monotonic() < deadline:
        # CBC reads a file, other workers write a log that has no name.
        workers = set(folder.glob("*/*.mps" if "ortools-glop" not in arguments else "*"))
        time.sleep(0.05)
    time.sleep(1.0)
    assert process.poll() is None, "solved too soon for this test"
    assert len(processes_of(folder)) > expected
    process.kill()
    process.communicate()
    deadline = time.monotonic() + PATIENCE_S
    while (processes_of(folder) or list(folder.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = processes_of(folder)
    for each in left:
        os.kill(each, signal.SIGKILL)
    assert not left
    assert not list(folder.iterdir())
