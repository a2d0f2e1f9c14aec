"""tools/check.py, written from docs/certificates.md alone, against `pnet-lp verify`."""

import base64
import io
import json
import random
import struct
import subprocess
import sys
import zlib
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from click.testing import CliRunner

from pnet_lp.cli import main
from pnet_lp.errors import PnetError
from pnet_lp.throughput.verify import verify_file

from .tampering.adversary import KINDS, _suits, _value, written
from .tampering.answers import Document, saved_results
from .tampering.cases import CELLS, case
from .tampering.mutations import mutated

TOOLS = Path(__file__).parents[1] / "tools"
CHECK = TOOLS / "check.py"
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
    "fat-tree:k=4 --objective max-min:cap=demand --routing ksp:3 --traffic incast:fan=5",
    "torus:dims=3x3 --level rack --objective max-min-fill:cap=demand --routing vlb --traffic stride:s=2",
    "path:n=3 --level rack --fail 0-1 --fail 1-2 --objective max-min:cap=demand",
    "ring:n=6 --level rack --fail 0-1 --fail 3-4 --objective total:floor=0.01",
    "ring:n=5 --level rack --routing edge-disjoint:k=2 --least-load",
    *(
        f"{{metric}} --level rack --planes 2 --routing {routing}"
        for routing in ("ksp:5", "edge-disjoint:3", "ecmp", "vlb")
    ),
]
METRIC = """#: switch a box=0
#: switch b box=0
#: switch c box=1
#: switch d box=1
a b 3 delay=10 metric=2/1
a b 1 delay=10 metric=1/2
b c 2 delay=20 metric=1
c d 1 delay=20 metric=3
a c 1 delay=10 metric=3
a d 2 delay=10 metric=1
b d 1 delay=10 metric=2
"""


def saved(folder, case):
    """The file of a result."""
    path, metric = folder / "r.json", folder / "metric.edges"
    metric.write_text(METRIC)
    case = case.format(metric=metric)
    done = CliRunner().invoke(main, ["throughput", *case.split(), "--save", str(path)])
    assert done.exit_code in (0, 3), done.output
    return path


def check(path):
    """Run the checker, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = checker().main([str(path), "--json"])
    return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())


@cache
def checker() -> ModuleType:
    """The checker, as a module."""
    sys.path.insert(0, str(TOOLS))
    try:
        import check as found
    finally:
        sys.path.remove(str(TOOLS))
    return found


def test_it_runs_without_the_package(tmp_path):
    path = saved(tmp_path, "ring:n=6 --tolerance 0.5 --routing ksp:2")
    command = [sys.executable, "-E", "-S", str(CHECK), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode in (0, 3), done.stderr
    assert " concurrent proved in [" in done.stdout


@pytest.mark.parametrize("case", CASES)
def test_both_checkers_agree(tmp_path, case):
    path = saved(tmp_path, case)
    done = check(path)
    other = json.loads(CliRunner().invoke(main, ["verify", str(path), "--json"]).stdout)
    assert done.returncode in (0, 3), done.stderr
    mine = json.loads(done.stdout)
    assert mine["status"] == other["status"]
    assert mine["gap"] == pytest.approx(other["relative_gap"], abs=1e-9)
    if "lower_bound_gbps" in other:
        assert mine["lower"] == pytest.approx(other["lower_bound_gbps"], rel=1e-9)
        assert mine["upper"] == pytest.approx(other["upper_bound_gbps"], rel=1e-9)
        assert other["lower_bound_gbps"] <= mine["upper"]
        assert mine["lower"] <= other["upper_bound_gbps"]


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


@pytest.mark.parametrize("objective", ["max-min", "total"])
def test_what_is_not_covered_is_refused(tmp_path, objective):
    done = check(saved(tmp_path, f"ring:n=4 --objective {objective} --routing hedera"))
    assert done.returncode == 1
    assert "not checked by this program" in done.stderr


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    folder = tmp_path_factory.mktemp("results")
    return [*(case(cell, 0).document for cell in range(len(CELLS))), *saved_results(folder)]


def test_both_checkers_prove_the_same_of_every_objective_routing_and_form(documents, tmp_path):
    path, forms = tmp_path / "r.json", Counter()
    for document in documents:
        path.write_text(json.dumps(document))
        status, low, high, gap, _ = checker().check(document)
        found = verify_file(path)
        shown = json.loads(json.dumps(found.to_json()))
        assert status == shown["status"]
        assert float(gap) == pytest.approx(found.gap, abs=1e-9)
        kind = (
            document["objective"]
            if document["objective"].endswith("cap=demand")
            else document["objective"].partition(":")[0]
        )
        forms[kind, (document["certificate"] or {}).get("form")] += 1
        if found.headline.bounded and low is not None:
            lower, upper = (shown[key] for key in found.headline.bounds)
            assert (lower, upper) == pytest.approx((float(low), float(high)), rel=1e-9)
            assert Fraction(lower) <= low
            assert high <= Fraction(upper)
    assert len(forms) >= len(CELLS) + 1


def test_what_verify_refuses_is_not_accepted(documents, tmp_path):
    """Of tampered files, but those in which rounding decides that the gap is above the tolerance."""
    path, seen = tmp_path / "r.json", Counter()
    for number in range(60):
        draw = random.Random(number)
        path.write_text(mutated(draw.choice(documents), documents, draw))
        code = checker().main([str(path)])
        found, error = None, ""
        try:
            found = verify_file(path)
        except PnetError as refused:
            error = str(refused)
        allowed = {"certified": (0, 1), "bounds": (3, 1)}[found.status] if found else (1,)
        assert code in allowed or "but the gap is" in error, (number, error)
        seen["accepted" if found and code != 1 else "refused"] += 1
    assert min(seen["refused"], seen["accepted"]) > 10


def test_no_optimised_forgery_is_accepted_with_a_false_claim():
    """What is claimed of an accepted one holds for the exact optimum."""
    seen = Counter()
    for number in range(len(CELLS)):
        at, cell = divmod(number, len(CELLS))
        honest, draw = case(cell, 0), random.Random(number)
        kinds = [kind for kind in KINDS if _suits(kind, honest)]
        forgery = written(honest.document, KINDS[kinds[at % len(kinds)]](honest, draw))
        try:
            status, low, high, gap, figures = checker().check(json.loads(json.dumps(forgery)))
        except (checker().RefusedError, checker().CycleError, ArithmeticError, TypeError, ValueError):
            seen["refused"] += 1
            continue
        seen["accepted"] += 1
        assert status == "bounds" or gap <= Fraction(1e-4)
        if low is not None:
            truth = _value(honest, figures)
            assert truth is not None
            assert low <= truth <= high
    assert seen["accepted"] > 10
