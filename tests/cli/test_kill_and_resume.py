"""A sweep killed at random moments and resumed gives the bytes of one that nobody disturbed.

Two short series are run, with one process and with two; ``PNET_LP_KILL_SERIES=20`` runs that many, of up to five kills,
and ``PNET_LP_KILL_SIGNALS=SIGKILL`` chooses by what.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SERIES = int(os.environ.get("PNET_LP_KILL_SERIES", "2"))
SIGNALS = [signal.Signals[name] for name in os.environ.get("PNET_LP_KILL_SIGNALS", "SIGKILL,SIGINT").split(",")]
MOST_KILLS = 5 if SERIES > 2 else 1
SPEC = """
title: T
common: {topology: "jellyfish:switches=20,ports=6", level: rack}
cases:
  alone: {draws: 2}
  paths: {routing: "ksp:4"}
  fixed: {routing: ecmp}
  other: {solver: pulp}
"""


def sweep(folder: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pnet_lp", "sweep", str(folder.parent / "trial"), "--threads", "1", *more]
    return subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def stored(folder: Path) -> dict[str, bytes]:
    """All files of the results by name, what names the time of a run aside."""
    found = {}
    for path in sorted((folder / "results").rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            # A manifest says whether sources have changed since.
            if path.name in ("spent.json", "manifest.json"):
                assert json.loads(data)
            elif path.name in ("cases.csv", "draws.csv"):
                assert data
            else:
                found[str(path.relative_to(folder))] = data
    return found


def values(folder: Path) -> list[list[str]]:
    """The table of draws, without the columns of their timings."""
    rows = [line.split(",") for line in (folder / "results" / "trial" / "draws.csv").read_text().splitlines()]
    kept = [i for i, name in enumerate(rows[0]) if "second" not in name]
    return [[row[i] for i in kept] for row in rows]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """A run that nobody disturbed, and how long it took."""
    folder = tmp_path_factory.mktemp("series") / "undisturbed"
    folder.mkdir()
    (folder.parent / "trial").mkdir()
    (folder.parent / "trial" / "spec.yaml").write_text(SPEC)
    since = time.monotonic()
    process = sweep(folder)
    _, stderr = process.communicate(timeout=120)
    assert (process.returncode, stderr) == (0, "")
    return folder, time.monotonic() - since


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
@pytest.mark.parametrize("series", range(SERIES))
def test_the_same_bytes(series: int, undisturbed: tuple[Path, float]) -> None:
    first, seconds = undisturbed
    chance = random.Random(series)
    folder = first.parent / str(series)
    folder.mkdir()
    more = ["--jobs", "2"] if series % 2 else []
    kills = 0
    while True:
        process = sweep(folder, *more)
        if kills < MOST_KILLS:
            try:
                process.wait(chance.uniform(0.2, 1.0) * seconds)
            except subprocess.TimeoutExpired:
                process.send_signal(chance.choice(SIGNALS))
                kills += 1
        _, stderr = process.communicate(timeout=120)
        assert "unexpected" not in stderr
        # Nothing that a kill has left counts as changed by somebody.
        assert "computed again" not in stderr
        if process.returncode == 0:
            assert stderr == ""
            break
        assert process.returncode in (-signal.SIGKILL, -signal.SIGINT, 130), stderr
    assert stored(folder) == stored(first)
    assert values(folder) == values(first)
