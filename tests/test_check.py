"""tools/check.py and check_all.py, written from docs/certificates.md alone, against `pnet-lp verify`."""

import base64
import importlib
import io
import json
import random
import re
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

import numpy as np
import pytest
from click.testing import CliRunner

from pnet_lp.cli import main
from pnet_lp.errors import PnetError
from pnet_lp.model.certificates import CERTIFICATES
from pnet_lp.routing import POLICIES, ROUTINGS
from pnet_lp.throughput.objectives import OBJECTIVES
from pnet_lp.throughput.verify import verify_file

from .hurry import NO_TIME_S, no_time
from .tampering.adversary import KINDS, _suits, _value, written
from .tampering.answers import Document, saved_results
from .tampering.cases import CELLS, case
from .tampering.mutations import decoded, encoded, mutated

TOOLS = Path(__file__).parents[1] / "tools"
CHECK, CHECK_ALL = TOOLS / "check.py", TOOLS / "check_all.py"
LEFT_OUT = [
    "ring:n=6 --solver symmetric",
    "fat-tree:k=4 --planes 2 --solver symmetric --objective min-max-utilisation",
    "leaf-spine:leaves=3,spines=2,hosts_per_leaf=2 --solver symmetric --traffic stride:s=2",
    *(
        f"{{metric}} --level rack --planes 2 --routing {routing} --plane-policy {policy}"
        for routing in ("edge-disjoint:3", "hedera", "hedera:annealing")
        for policy in ("any", "shortest", "round-robin", "single")
    ),
    "fat-tree:k=4 --planes 2 --traffic stride:s=2 --routing edge-disjoint:k=5 --objective total",
    "fat-tree:k=4 --traffic random:flows=3 --routing hedera:placement=annealing,steps=60 --objective max-min",
    "torus:dims=3x3 --level rack --routing hedera:gff --fail-links 3 --objective min-cost",
]
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
    "ring:n=5 --level rack --routing ksp:k=2 --least-load",
    *(
        f"{{metric}} --level rack --planes 2 --routing {routing}"
        for routing in ("ksp:5", "ksp:2 --plane-policy round-robin", "ecmp", "ecmp-lp --plane-policy single", "vlb")
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


def check(*arguments, whole=False):
    """Run the checker, in this process; the ``whole`` one is check_all.py."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = checker().main([str(x) for x in arguments], *[whole_claim()] * whole)
    return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())


@cache
def checker() -> ModuleType:
    """The checker, as a module."""
    return loaded("check")


@cache
def whole_claim():
    """What check_all.py makes of a file."""
    return loaded("check_all").Claim


def loaded(name):
    sys.path.insert(0, str(TOOLS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(TOOLS))


def whole(document):
    """What check_all.py says of a document, read as from a file."""
    return checker().check(json.loads(json.dumps(document)), whole_claim())


def test_it_is_one_short_file_of_the_standard_library():
    for path, beside in ((CHECK, set()), (CHECK_ALL, {"check"})):
        source = path.read_text()
        imported = {re.split(r"[ .]", line)[1] for line in source.splitlines() if line.startswith(("import ", "from "))}
        assert imported <= sys.stdlib_module_names | beside
        assert len(source.splitlines()) <= 600


def test_it_says_how_it_is_used_and_what_it_cannot_read(tmp_path):
    assert check("--help").stdout.startswith("A third checker")
    assert check("--help", whole=True).stdout.startswith("What `check.py` leaves out")
    assert [check(*arguments).returncode for arguments in (["--help"], [], ["--json", "x"], ["x", "y"])] == [0, 2, 2, 2]
    path = tmp_path / "r.json"
    assert "No such file" in check(path).stderr
    for text, error in (
        ("", "Expecting value"),
        ("[1]", "format"),
        ('{"format": "pnet-lp-result/2", "level": "rack"}', "format"),
        ('{"a": 1, "a": 2}', "a key occurs twice"),
        ('{"a": NaN}', "NaN is not a number of JSON"),
    ):
        path.write_text(text)
        done = check(path)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert done.stderr.startswith(f"Error: {str(path)!a}: {error}")


def test_it_runs_without_the_package(tmp_path):
    for words, code in (("ring:n=6 --routing ksp:2", 0), ("ring:n=6 --routing edge-disjoint:2", 4)):
        path = saved(tmp_path, words)
        for program, expected in ((CHECK, code), (CHECK_ALL, 0)):
            command = [sys.executable, "-E", "-S", str(program), str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
            assert done.returncode == expected, done.stderr
            assert (" concurrent proved in [" in done.stdout) == (expected == 0)


@pytest.mark.parametrize("case", [*CASES, *LEFT_OUT])
def test_both_checkers_agree(tmp_path, case):
    path = saved(tmp_path, case)
    document = json.loads(path.read_text())
    status, low, high, gap, _ = found = whole(document)
    if case in LEFT_OUT:
        done = check(path)
        assert done.returncode == 4
        assert done.stderr.endswith("is checked by check_all.py only\n")
    else:
        assert checker().check(document) == found
    other = json.loads(CliRunner().invoke(main, ["verify", str(path), "--json"]).stdout)
    assert status == other["status"]
    assert float(gap) == pytest.approx(other["relative_gap"], abs=1e-9)
    if "lower_bound_gbps" in other:
        assert float(low) == pytest.approx(other["lower_bound_gbps"], rel=1e-9)
        assert float(high) == pytest.approx(other["upper_bound_gbps"], rel=1e-9)
        assert Fraction(other["lower_bound_gbps"]) <= low
        assert high <= Fraction(other["upper_bound_gbps"])


@pytest.mark.parametrize(
    ("question", "key", "wrong"),
    [
        (
            "--routing ksp:2",
            "routing",
            ["ksp:+2", "ksp:2.0", "ksp:0", "ksp:2147483648", f"ksp:{2**64 - 1}", "ksp:k=2,k=2"],
        ),
        (
            "--objective total:floor=0.1",
            "objective",
            ["total:floor=0_0.1", "total:floor=0.1,floor=0.1", "total:floor=-1"],
        ),
    ],
)
def test_numbers_in_questions_are_written_in_one_way(tmp_path, question, key, wrong):
    path = saved(tmp_path, f"ring:n=4 {question}")
    file = json.loads(path.read_text())
    for text in wrong:
        path.write_text(json.dumps(file | {key: text}))
        assert check(path).returncode == 1
        with pytest.raises(PnetError, match="question is none"):
            verify_file(path)


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


@pytest.mark.parametrize("name", ["hedera:steps=5", "hedera:annealing,steps=5", "hedera:", "hedera:placement=other"])
def test_a_placement_without_a_meaning_is_refused(tmp_path, name):
    path = saved(tmp_path, "ring:n=4 --routing hedera:annealing")
    path.write_text(path.read_text().replace("hedera:annealing", name))
    done = check(path, whole=True)
    assert done.returncode == 1
    assert "routing: " in done.stderr


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("generator", lambda image: image[:, ::-1]),
        ("target", lambda target: target + 1),
        ("kind", lambda kind: kind + 1),
        ("node_class", lambda of: np.roll(of, 1, axis=1)),
        ("entry", lambda rows: np.roll(rows, 1, axis=1)),
        ("entry", lambda rows: np.repeat(rows[:1], len(rows), axis=0)),
        ("fraction", lambda fraction: fraction * 0),
        ("class_length", lambda length: length * 0),
        ("class_length", lambda length: length[::-1]),
        ("arc_class", lambda of: of[::-1]),
        ("up_class", lambda of: of + 100),
    ],
)
def test_a_forged_quotient_is_refused(tmp_path, key, change):
    path = saved(tmp_path, "fat-tree:k=4 --solver symmetric")
    file = json.loads(path.read_text())
    file["certificate"][key] = encoded(change(decoded(file["certificate"][key])))
    path.write_text(json.dumps(file))
    with pytest.raises(PnetError):
        verify_file(path)
    assert check(path, whole=True).returncode == 1


def own(registry):
    """The names of the entries of this package."""
    return {entry.name for entry in registry if entry.build.__module__.startswith("pnet_lp.")}


@pytest.mark.parametrize("form", ["tree", "one-path"])
@pytest.mark.parametrize("objective", sorted(own(OBJECTIVES)))
def test_what_is_proved_without_time_is_checked(tmp_path, objective, form):
    path, routing = tmp_path / "r.json", "ideal" if form == "tree" else "ecmp-lp"
    words = f"throughput jellyfish:switches=12,ports=5 --planes 2 --variant heterogeneous --objective {objective}"
    with no_time():
        command = [*words.split(), "--routing", routing, f"--time-limit={NO_TIME_S}", "--save", str(path)]
        done = CliRunner().invoke(main, command)
    if objective == "max-min-fill":
        assert done.exit_code == 2
        return
    assert done.exit_code in (0, 3), done.output
    assert json.loads(path.read_text())["certificate"]["form"] == form
    assert check(path).returncode == 4
    done, found = check(path, whole=True), verify_file(path)
    assert done.returncode == (0 if found.status == "certified" else 3), done.stderr
    assert f"{found.status}: {objective} proved" in done.stdout


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("part", lambda part: part * 0),
        ("part", lambda part: part[:-1]),
        ("to_root", lambda arcs: arcs[::-1]),
        ("to_root", lambda arcs: arcs * 0 - 1),
        ("to_root", lambda arcs: arcs - 2),
        ("to_root", lambda arcs: arcs + 1000),
        ("from_root", lambda arcs: np.roll(arcs, 1)),
    ],
)
def test_a_forged_tree_is_refused(tmp_path, key, change):
    path = tmp_path / "r.json"
    path.write_text(json.dumps(case(CELLS.index(("concurrent", "tree")), 0).document))
    assert check(path, whole=True).returncode != 1
    file = json.loads(path.read_text())
    file["certificate"][key] = encoded(change(decoded(file["certificate"][key])))
    path.write_text(json.dumps(file))
    with pytest.raises(PnetError):
        verify_file(path)
    assert check(path, whole=True).returncode == 1


@pytest.mark.parametrize("routing", ["ksp:1", "ksp:3", "edge-disjoint:3"])
def test_where_no_path_is_known_beforehand_there_is_no_one_path(tmp_path, routing):
    path = saved(tmp_path, f"path:n=3 --planes 2 --routing {routing} --plane-policy round-robin")
    file = json.loads(path.read_text())
    del file["certificate"]["weight"]
    file["certificate"]["form"] = "one-path"
    path.write_text(json.dumps(file))
    with pytest.raises(PnetError):
        verify_file(path)
    assert check(path, whole=True).returncode == 1


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    folder = tmp_path_factory.mktemp("results")
    placed = [case for case in LEFT_OUT if "hedera" in case]
    placed = [json.loads(saved(folder, case).read_text()) for case in placed]
    return [*(case(cell, 0).document for cell in range(len(CELLS))), *saved_results(folder), *placed]


def test_every_form_objective_routing_and_policy_is_among_them(documents):
    """So that one which is added is checked a third time, or fails here."""
    names = lambda key: {document[key].partition(":")[0] for document in documents}  # noqa: E731
    assert {document["certificate"]["form"] for document in documents if document["certificate"]} == {*CERTIFICATES}
    assert {*whole_claim().proofs} == {*CERTIFICATES}
    assert names("objective") == own(OBJECTIVES)
    assert names("routing") == {*whole_claim().routings} == own(ROUTINGS)
    assert names("plane_policy") == {*POLICIES}


def test_both_checkers_prove_the_same_of_every_objective_routing_and_form(documents, tmp_path):
    path, forms = tmp_path / "r.json", Counter()
    for document in documents:
        form = (document["certificate"] or {}).get("form")
        path.write_text(json.dumps(document))
        status, low, high, gap, _ = whole(document)
        found = verify_file(path)
        shown = json.loads(json.dumps(found.to_json()))
        assert status == shown["status"]
        assert float(gap) == pytest.approx(found.gap, abs=1e-9)
        kind = (
            document["objective"]
            if document["objective"].endswith("cap=demand")
            else document["objective"].partition(":")[0]
        )
        forms[kind, form] += 1
        if found.headline.bounded and low is not None:
            lower, upper = (shown[key] for key in found.headline.bounds)
            assert (lower, upper) == pytest.approx((float(low), float(high)), rel=1e-9)
            assert Fraction(lower) <= low
            assert high <= Fraction(upper)
    assert len(forms) > len(CELLS)


def test_what_verify_refuses_is_not_accepted(documents, tmp_path):
    """Of tampered files, but those with other bottlenecks, or with a gap that is above the tolerance by rounding."""
    path, seen = tmp_path / "r.json", Counter()
    for number in range(60):
        draw = random.Random(number)
        path.write_text(mutated(draw.choice(documents), documents, draw))
        code = check(path, whole=True).returncode
        found, error = None, ""
        try:
            found = verify_file(path)
        except PnetError as refused:
            error = str(refused)
        allowed = {"certified": (0, 1), "bounds": (3, 1)}[found.status] if found else (1,)
        described = any(words in error for words in ("but the gap is", "binding", "bottleneck"))
        assert code in allowed or described, (number, error)
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
            status, low, high, gap, figures = whole(forgery)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            seen["refused"] += 1
            continue
        seen["accepted"] += 1
        assert status == "bounds" or gap <= Fraction(1e-4)
        if low is not None:
            truth = _value(honest, figures)
            assert truth is not None
            assert low <= truth <= high
    assert seen["accepted"] > 10


def test_networks_with_servers_are_not_checked(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    servers = ["single-switch:hosts=4", "--server", "complete:n=2", "--traffic", "all-to-all", "--save", str(file)]
    assert CliRunner().invoke(main, ["throughput", *servers]).exit_code == 0
    for whole in (False, True):
        done = check(str(file), whole=whole)
        assert (done.returncode, done.stderr.endswith("networks with servers are checked by verify only\n")) == (
            4,
            True,
        )
