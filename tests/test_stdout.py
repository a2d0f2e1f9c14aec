"""Standard output has our own answer and nothing else, whatever libraries print, and in whatever language."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

SOLVE = ("throughput", "ring:n=5", "--level", "rack", "--solver", "highs-simplex")
SOURCES = {"C", "descriptor", "Python", "child"}

NOISE = """
import ctypes, os, subprocess, sys

def make_noise():
    ctypes.CDLL(None).printf(b"noise from C\\n")  # written when its buffer is full, or the process ends
    os.write(1, b"noise from descriptor\\n")
    print("noise from Python")
    subprocess.run([sys.executable, "-c", "import os; os.write(1, b'noise from child\\\\n')"], check=True)
"""

COMMAND = f"""{NOISE}
from pnet_lp import stdout
stdout.claim()
from pnet_lp.throughput.solvers import highs
pass_model = highs.pass_model
def noisy(*args, **kwargs):
    make_noise()
    return pass_model(*args, **kwargs)
highs.pass_model = noisy
from pnet_lp.__main__ import run
run()
"""


def noise_in(text: str) -> set[str]:
    return set(re.findall("noise from (\\w+)", text))


def noisy(*words: str) -> list[str]:
    return [sys.executable, "-c", COMMAND, *words]


def test_what_a_library_prints_goes_to_standard_error() -> None:
    done = subprocess.run(noisy(*SOLVE, "--json"), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["throughput_gbps"] == pytest.approx(100 / 3)
    assert noise_in(done.stderr) == SOURCES


def test_a_result_to_standard_output_stays_apart() -> None:
    done = subprocess.run(noisy(*SOLVE, "--save", "/dev/stdout"), capture_output=True, text=True, check=True)
    saved, end = json.JSONDecoder().raw_decode(done.stdout)
    assert saved["format"].startswith("pnet-lp-result/")
    assert done.stdout[end:].lstrip().startswith("throughput  33.3333333 Gb/s")
    assert noise_in(done.stdout) == set()


def test_noise_gets_into_no_file_where_standard_output_is_closed(tmp_path: Path) -> None:
    """The first file opened would have its number."""
    command = shlex.join(noisy(*SOLVE, "--save", "f.json")) + " >&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert json.loads((tmp_path / "f.json").read_text())
    assert noise_in(done.stderr) == SOURCES


@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-"])
def test_standard_error_may_be_closed(closed: str, tmp_path: Path) -> None:
    command = shlex.join(noisy(*SOLVE, "--json")) + f" {closed}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert noise_in(done.stdout) == set()
    assert not done.stdout or json.loads(done.stdout)
    assert bool(done.stdout) == (closed == "2>&-")


def test_the_banner_of_highs_is_not_printed_at_all() -> None:
    done = subprocess.run([sys.executable, "-m", "pnet_lp", *SOLVE], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("throughput")
    assert done.stderr == ""


WORKERS = f"""{NOISE}
from pnet_lp.executors.base import this_machine

def task(number):
    make_noise()
    return number

if __name__ == "__main__":
    print(list(this_machine(2).map(task, [1, 2, 3])))
"""


def test_workers_print_nothing(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(WORKERS)
    done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == "[1, 2, 3]\n"
    assert noise_in(done.stderr) == SOURCES


def test_a_process_that_is_not_ours_keeps_its_standard_output() -> None:
    script = f"""{NOISE}
import pnet_lp as pn
before = os.fstat(1), sys.stdout
pn.throughput("ring:n=5", level="rack", solver="highs-simplex")
assert (os.fstat(1), sys.stdout) == before
make_noise()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert noise_in(done.stdout) == SOURCES
    assert "HiGHS" not in done.stdout
    assert done.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_terminal_is_one_still() -> None:
    """Its width counts also where the other streams are none."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 50, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    subprocess.run(
        [sys.executable, "-m", "pnet_lp", "bounds", "ring:n=5", "--level", "rack"],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=environment | {"TERM": "xterm"},
        check=True,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert b"\x1b[" in shown
    rows = re.sub("\x1b\\[[0-9;]*m", "", shown.decode()).splitlines()
    [row] = [row for row in rows if row.startswith("tub")]
    assert 40 < len(row) <= 50
