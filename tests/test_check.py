"""tools/check.py, written from docs/certificates.md alone, against `pnet-lp verify`."""

import base64
import json
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from pnet_lp.cli import main

CHECK = Path(__file__).parents[1] / "tools" / "check.py"
CASES = [
    "path:n=4",
    "ring:n=6 --level rack --fail 0-1",
    "ring:n=6 --level rack --fail 0-1 --fail 3-4",
    "ring:n=6 --tolerance 0.5 --planes 2",
    "fat-tree:k=4 --planes 2",
    "fat-tree:k=4 --fail-links 2",
    "ring:n=6 --routing ecmp-split",
    "fat-tree:k=4 --routing ecmp-split --planes 2",
    "path:n=4 --routing ecmp-split --planes 2 --plane-policy round-robin",
]


def saved(folder, case):
    """The file of a result."""
    path = folder / "r.json"
    done = CliRunner().invoke(main, ["throughput", *case.split(), "--save", str(path)])
    assert done.exit_code in (0, 3), done.output
    return path


def check(path):
    """Run the checker."""
    return subprocess.run(
        [sys.executable, str(CHECK), str(path), "--json"], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("case", CASES)
def test_both_checkers_agree(tmp_path, case):
    path = saved(tmp_path, case)
    done = check(path)
    other = json.loads(CliRunner().invoke(main, ["verify", str(path), "--json"]).stdout)
    assert done.returncode in (0, 3), done.stderr
    mine = json.loads(done.stdout)
    assert mine["status"] == other["status"]
    assert mine["lower"] == pytest.approx(other["lower_bound_gbps"], rel=1e-9)
    assert mine["upper"] == pytest.approx(other["upper_bound_gbps"], rel=1e-9)
    assert mine["lower"] <= other["upper_bound_gbps"]
    assert other["lower_bound_gbps"] <= mine["upper"]


@pytest.mark.parametrize("key", ["throughput_gbps", "lower_bound_gbps", "upper_bound_gbps", "relative_gap"])
def test_a_wrong_figure_is_refused(tmp_path, key):
    path = saved(tmp_path, "ring:n=6 --level rack")
    file = json.loads(path.read_text())
    file[key] = file[key] * 1.01 + 0.01
    path.write_text(json.dumps(file))
    done = check(path)
    assert done.returncode == 1
    assert key in done.stderr


@pytest.mark.parametrize("key", ["length", "share", "split_ptr", "split_arc", "split_fraction"])
def test_a_forged_or_damaged_array_is_refused(tmp_path, key):
    path = saved(tmp_path, "ring:n=6 --level rack")
    whole = path.read_text()
    for data in ("", "eJw=", 7, None):
        file = json.loads(whole)
        file["certificate"][key]["data"] = data
        path.write_text(json.dumps(file))
        done = check(path)
        assert done.returncode == 1
        assert done.stderr.startswith("Error: ")
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("entry", [0.0, -1.0, float("nan"), float("inf")])
def test_forged_lengths_are_refused(tmp_path, entry):
    path = saved(tmp_path, "ring:n=6 --level rack")
    file = json.loads(path.read_text())
    data = zlib.compress(struct.pack("<12d", *[entry] * 12))
    file["certificate"]["length"]["data"] = base64.b64encode(data).decode()
    path.write_text(json.dumps(file))
    done = check(path)
    assert done.returncode == 1
    assert "length: " in done.stderr


def test_what_is_not_covered_is_refused(tmp_path):
    done = check(saved(tmp_path, "ring:n=4 --objective total"))
    assert done.returncode == 1
    assert "not checked by this program" in done.stderr
