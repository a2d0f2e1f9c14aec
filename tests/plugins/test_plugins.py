"""A package of its own adds one of each kind, a file each, and everything takes it as its own.

Nothing of pnet-lp names them: they are found through entry points, in a process that has the package on its path.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PACKAGE = HERE / "package" / "pnet_fieldwork"
CONTRIBUTING = HERE.parents[1] / "CONTRIBUTING.md"

Run = Callable[..., Any]

ADDED = [
    ("topologies", "bipartite", "topology.py"),
    ("traffic", "mirror", "traffic.py"),
    ("routings", "one-plane:PLANE", "routing.py"),
    ("objectives", "headroom", "objective.py"),
    ("bounds", "uplinks", "bound.py"),
    ("solvers", "dual-simplex", "solver.py"),
    ("questions", "diameter", "question.py"),
    ("workloads", "relay", "workload.py"),
    ("sizes", "two", "sizes.py"),
    ("collectives", "server", "algorithm.py"),
    ("queues", "shallow", "queue.py"),
    ("transports", "quick-tcp", "transport.py"),
    ("forwardings", "rps-single", "forwarding.py"),
    ("presets", "lab", "preset.py"),
    ("executors", "threads", "executor.py"),
    ("formats", "neighbours", "network_format.py"),
    ("formats", "tsv", "table_format.py"),
]
"""Kind, name and file."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a command in a process that finds the package as an installed one; return its JSON document."""
    place = tmp_path_factory.mktemp("site")
    shutil.copytree(PACKAGE, place / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    described = place / "pnet_fieldwork-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: pnet-fieldwork\nVersion: 1.0\n")
    shutil.copy(HERE / "package" / "entry_points.txt", described)

    def process(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            input=given,
            env={**os.environ, "PYTHONPATH": str(place)},
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )

    def invoke(*words: str, code: int = 0) -> Any:
        found = process("-m", "pnet_lp", *words, "--json")
        assert found.returncode == code, found.stderr
        return json.loads(found.stdout) if code == 0 else found.stderr

    invoke.place, invoke.process = place, process  # type: ignore[attr-defined]
    return invoke


def test_each_is_listed(run: Run) -> None:
    program = "import json, sys\nfrom pnet_lp.report.registries import list_documents\n"
    program += "print(json.dumps([list_documents(*asked) for asked in json.load(sys.stdin)]))"
    requested = [(kind, name) for kind, name, _ in ADDED]
    found = run.process("-c", program, given=json.dumps(requested))  # type: ignore[attr-defined]
    assert found.returncode == 0, found.stderr
    listed = json.loads(found.stdout)
    assert [[entry["name"] for entry in entries] for entries in listed] == [[name] for _, name in requested]
    assert all(entry["summary"] for entries in listed for entry in entries)


def test_all_at_once_on_the_command_line(run: Run) -> None:
    """Of 2 x 4 switches in two planes, one plane carries K = n / (3 n - 2) for all-to-all, more for its mirror."""
    network = ("bipartite:n=4", "--planes", "2", "--link-gbps", "1")
    found = run("throughput", *network, "--routing", "one-plane:plane=1,k=64", "--solver", "dual-simplex")
    assert found["throughput_gbps"] == pytest.approx(4 / 10, rel=1e-6)
    assert found["solver"] == "dual-simplex"
    both = run("throughput", *network, "--solver", "dual-simplex")
    assert both["throughput_gbps"] == pytest.approx(8 / 10, rel=1e-6)
    mirrored = run("throughput", *network, "--traffic", "mirror", "--objective", "headroom", "--save", "h.json")
    # Each demand has its link, and three hops over the others, where it takes three links: 1 and 1 in each plane.
    assert mirrored["headroom"] == pytest.approx(1 - 1 / 4, rel=1e-4)
    assert "throughput_gbps" not in mirrored
    assert run("verify", "h.json")["verified"]
    case = (*network, "--traffic", "mirror", "--objective", "headroom")
    each = run("failures", *case, "--each", "link")
    alone = run("throughput", *case, "--fail", each["trials"][0]["failure"])
    assert (each["headroom"], each["intact"]) == pytest.approx((alone["headroom"], mirrored["headroom"]), rel=1e-4)
    assert each["headroom"] < 0.99 * each["intact"]
    bounds = {item["name"]: item["value_gbps"] for item in run("bounds", *network, "--traffic", "mirror")["bounds"]}
    assert bounds["uplinks"] == pytest.approx(8.0)
    assert run("traffic", "mirror", "--on", "bipartite:n=4", "--level", "rack")["demands"] == 8


def test_a_saved_result_over_paths_of_another_package_says_what_it_trusts(run: Run) -> None:
    run("throughput", "bipartite:n=3", "--routing", "one-plane:0", "--save", "p.json")
    assert run("verify", "p.json")["trusted"] == ["which paths there are is taken as the routing lists them"]


def test_a_simulation_of_parts_of_another_package(run: Run) -> None:
    """A message through four hosts, one after the other: each hop of it waits for the one before."""
    line = ("simulate", "ring:n=4", "--hosts-per-switch", "1", "--planes", "2", "--link-gbps", "1")
    found = run(*line, "--workload", "relay:sizes=two:share=0", "--preset", "lab")
    assert found["flows"] == {"completed": 3, "unfinished": 0}
    assert found["transport"] == "quick-tcp:initial_window=4"
    assert (found["queue"], found["forwarding"], found["link_delay"]) == ("shallow", "rps-single", "300ns")
    assert found["workload"]["bytes"] == 3 * 10**6
    assert found["tasks_us"]["max"] >= 3 * 10**6 * 8 / 1000
    assert "initial_window: input should be" in run(
        *line, "--workload", "relay:sizes=two", "--transport", "quick-tcp:initial_window=0", code=2
    )


def test_files_in_formats_of_another_package(run: Run) -> None:
    network = ("bipartite:n=3", "--link-gbps", "1")
    run("topology", *network, "--out", "sides.neighbours")
    folder = Path(run.place)  # type: ignore[attr-defined]
    assert (folder / "sides.neighbours").read_text().startswith("0: 3 4 5\n1: 3 4 5\n")
    (folder / "sides.neighbours").rename(folder / "sides")
    solved = run("throughput", "sides", "--link-gbps", "1", "--links", "links.tsv")
    assert solved["throughput_gbps"] == pytest.approx(3 / 7, rel=1e-4)
    header, *rows = (folder / "links.tsv").read_text().splitlines()
    assert header.startswith("plane\t")
    assert len(rows) == 18
    assert ".csv, .json, .parquet, .tsv" in run("throughput", "sides", "--links", "links.xls", code=2)
    (folder / "broken").write_text("0: 1\n1 2\n")
    assert "broken:2: not a switch, found '1 2'" in run("topology", "broken", code=2)


def test_refusals_are_those_of_our_own(run: Run) -> None:
    assert "plane: no such plane, found 3" in run("throughput", "ring:n=4", "--routing", "one-plane:3", code=2)
    assert "(did you mean 'bipartite'?)" in run("throughput", "bipartit:n=4", code=2)


def test_in_a_sweep(run: Run) -> None:
    """A question of another package, over a grid of topologies, one of which is its own."""
    folder = Path(run.place) / "wide"  # type: ignore[attr-defined]
    folder.mkdir()
    (folder / "spec.yaml").write_text(
        "title: How wide\nquestion: diameter\nbaseline: ring\ncases:\n"
        "  ring: {topology: 'ring:n=8'}\n  sides: {topology: 'bipartite:n=4'}\n"
    )
    cases = {case["case"]: case for case in run("sweep", "wide")["cases"]}
    assert [cases[name]["diameter_hops"] for name in ("ring", "sides")] == [4, 2]
    # Any file of the package counts as code that results were computed by.
    stored = folder.parent / "results" / "wide" / "ring" / "draw-0" / "result.json"
    before = json.loads(stored.read_text())["fingerprint"]
    run("sweep", "wide")
    assert json.loads(stored.read_text())["fingerprint"] == before
    with (folder.parent / PACKAGE.name / "__init__.py").open("a") as file:
        file.write("# changed\n")
    run("sweep", "wide")
    assert json.loads(stored.read_text())["fingerprint"] != before


def test_a_question_has_a_command_a_sweep_and_a_function(run: Run) -> None:
    """One file, which no other names; all three say the same."""
    printed = run("diameter", "bipartite:n=4", "--planes", "2")
    assert printed == {"hops": 2}
    folder = Path(run.place) / "far"  # type: ignore[attr-defined]
    folder.mkdir()
    (folder / "spec.yaml").write_text(
        "title: How far\nquestion: diameter\ncases: {one: {topology: 'bipartite:n=4', planes: 2}}\n"
    )
    run("sweep", "far")
    stored = folder.parent / "results" / "far" / "one" / "draw-0" / "result.json"
    assert json.loads(stored.read_text())["result"] == printed
    program = "import json\nfrom pnet_lp.notebook import ask\n"
    program += "print(json.dumps(ask.diameter('bipartite:n=4', planes=2).to_json()))"
    process = run.process  # type: ignore[attr-defined]
    assert json.loads(process("-c", program).stdout) == printed
    assert process("-m", "pnet_lp", "diameter", "ring:n=8").stdout == "diameter  4 hops\n"
    shown = process("-m", "pnet_lp", "diameter", "--help").stdout
    assert "Count the links between the racks that are farthest apart." in shown
    assert "Example:\n  pnet-lp diameter ring:n=8\n" in shown
    assert "ring: n: input should be greater than or equal to 3" in run("diameter", "ring:n=2", code=2)


def test_the_how_to_is_this_code() -> None:
    """CONTRIBUTING shows these files, whole."""
    blocks = dict(
        re.findall(r"<!-- plugin: (\w+\.py) -->\n```python\n(.*?)```\n", CONTRIBUTING.read_text(), flags=re.DOTALL)
    )
    assert blocks == {file: (PACKAGE / file).read_text() for *_, file in ADDED}
