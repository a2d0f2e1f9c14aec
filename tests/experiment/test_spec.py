"""What an experiment may say, and what it is told when it is wrong."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.errors import SpecError
from pnet_lp.experiment import load_experiment
from pnet_lp.experiment.grid import expand

REPOSITORY = Path(__file__).parents[2]

GOOD = """
title: Trial
baseline: one
common: {topology: "ring:n=4", tolerance: 1e-3}
cases:
  one: {}
  two: {planes: 2, topology: ["ring:n=4"]}
"""


def write(folder: Path, spec: str, claims: str | None = None) -> Path:
    (folder / "spec.yaml").write_text(spec)
    if claims is not None:
        (folder / "claims.yaml").write_text(claims)
    return folder


def test_common_keys_reach_every_case(tmp_path: Path) -> None:
    folder = tmp_path / "trial"
    folder.mkdir()
    experiment = load_experiment(write(folder, GOOD))
    assert experiment.name == "trial"
    assert experiment == load_experiment(folder / "spec.yaml")
    one, two = experiment.cases.values()
    assert (one.topology, one.planes, one.tolerance) == (("ring:n=4",), 1, 1e-3)
    assert (two.topology, two.planes, two.tolerance) == (("ring:n=4",), 2, 1e-3)
    assert experiment.claimed is None


def test_a_seed_replaces_every_cases(tmp_path: Path) -> None:
    experiment = load_experiment(write(tmp_path, GOOD.replace("{}", "{seed: 4}")), seed=9)
    assert [case.seed for case in experiment.cases.values()] == [9, 9]


@pytest.mark.parametrize("folder", sorted(path.parent for path in REPOSITORY.glob("experiments/*/spec.yaml")))
def test_shipped_experiments_are_complete(folder: Path) -> None:
    experiment = load_experiment(folder)
    assert experiment.claimed
    assert experiment.claimed.claims
    readme = (folder / "README.md").read_text()
    for word in ("**Question.**", "**Paper.**", f"pnet-lp sweep experiments/{folder.name}"):
        assert word in readme


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title: Trial\n", "", "spec.yaml: parameter 'title' is required"),
        (
            "baseline: one",
            "baseline: ome",
            "spec.yaml: baseline: no case is called 'ome' (did you mean 'one'?); allowed: one, two",
        ),
        ("title:", "titel: x\ntitle:", "spec.yaml: unknown parameter 'titel' (did you mean 'title'?); allowed: "),
        ("planes: 2", "planes: 0", "spec.yaml: cases.two: planes: input should be greater than or equal to 1, found 0"),
        (
            "planes: 2",
            "plane: 2",
            "spec.yaml: cases.two: unknown parameter 'plane' (did you mean 'planes'?); allowed: ",
        ),
        (
            "1e-3",
            "much",
            "spec.yaml: cases.one: tolerance: input should be a valid number, "
            "unable to parse string as a number, found 'much'",
        ),
        (
            "tolerance:",
            "tolerence:",
            "spec.yaml: common: unknown parameter 'tolerence' (did you mean 'tolerance'?); allowed: ",
        ),
        ("  one: {}", "  one: 3", "spec.yaml: cases.one: not a mapping, found 3; allowed: key: value"),
        (
            "  one:",
            "  One:",
            "spec.yaml: cases.One.[key]: string should match pattern '^[a-z0-9][a-z0-9.-]*$', found 'One'",
        ),
        ("  one: {}", "  one: {}\n  one: {}", "spec.yaml:7: not YAML: key 'one' is given twice"),
        ("  one: {}", "  one: {", "spec.yaml:"),
        ("title: Trial", "[", "spec.yaml:"),
        ("planes: 2", "draws: 0", "spec.yaml: cases.two: draws: input should be greater than or equal to 1"),
        (
            "planes: 2",
            "plane_policy: some",
            "spec.yaml: cases.two: plane_policy: input should be 'any', 'round-robin', 'shortest' or 'single'",
        ),
        (
            "baseline: one",
            "baseline: one\nchart: {x: plane, lines: variant}",
            "spec.yaml: chart: no key of a case is called 'plane' (did you mean 'planes'?); allowed: seed, draws, ",
        ),
        (
            "baseline: one",
            "baseline: one\nchart: {lines: planes}",
            "spec.yaml: chart: lines, scale, percent and saturated_percent need an axis; allowed: with an x",
        ),
        (
            "baseline: one",
            "baseline: one\nchart: {x: planes, lines: variant, panels: planes}",
            "spec.yaml: chart: planes is given twice; allowed: each of x, lines, panels another key",
        ),
        (
            "baseline: one",
            "baseline: one\nchart: {panels: topology.seed}",
            "spec.yaml: chart: no case gives this parameter, found 'topology.seed'",
        ),
        (
            "baseline: one",
            "baseline: one\nchart: {panels: plane.seed}",
            "spec.yaml: chart: no key of a case is called 'plane' (did you mean 'planes'?); allowed: seed, draws, ",
        ),
        (
            "baseline: one",
            "baseline: one\nchart: {panels: plane}",
            "spec.yaml: chart: no key of a case is called 'plane' (did you mean 'planes'?); allowed: seed, draws, ",
        ),
        (
            "baseline: one\n",
            "chart: {kind: pie}\n",
            "spec.yaml: chart.kind: unknown chart 'pie'; allowed: bars, box, cdf, lines",
        ),
        (
            "baseline: one\n",
            "chart: {kind: 'cdf:of=throughput_gbps'}\n",
            "spec.yaml: chart.kind: of: no percentiles of it are columns, found 'throughput_gbps'",
        ),
        ("baseline: one\n", "chart: {kind: bars, x: planes}\n", "spec.yaml: chart.x: bars has no axis of a key"),
        ("baseline: one\n", "chart: {kind: lines}\n", "spec.yaml: chart.x: lines needs an axis of a key"),
        ("baseline: one", "chart: {x: planes, percent: true}", "spec.yaml: chart.percent: percent needs a baseline"),
        (
            "baseline: one",
            "baseline: one\nchart: {cases: [three]}",
            "spec.yaml: chart.cases: no case is called 'three'",
        ),
        (
            "baseline: one",
            "baseline: one\nchart: {x: planes, lines: variant, words: {homogenous: copies}}",
            "spec.yaml: chart.words: no key, value or case of the chart is 'homogenous'",
        ),
        (
            "baseline: one",
            "baseline: one\nchart: {x: planes, lines: variant, scale: cubic}",
            "spec.yaml: chart.scale: input should be 'linear' or 'log', found 'cubic'",
        ),
    ],
)
def test_faults_name_file_and_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        load_experiment(write(tmp_path, GOOD.replace(old, new)))
    assert str(caught.value).startswith(f"{tmp_path}/{message}")
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_missing_spec(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        load_experiment(tmp_path)
    assert str(caught.value) == f"{tmp_path}/spec.yaml: cannot read the file: No such file or directory"


@pytest.mark.parametrize("text", ["", "- a\n", "3"])
def test_a_spec_is_a_mapping(tmp_path: Path, text: str) -> None:
    with pytest.raises(SpecError, match=r"spec\.yaml: not a mapping"):
        load_experiment(write(tmp_path, text))


CURVES = """
title: Curves
baseline: serial
common: {topology: "ring:n=4"}
cases:
  serial: {}
  all:
    grid: {planes: [2, 4], routing: [ksp:4, ideal]}
    link_gbps: 10
  short:
    grid: {planes: [1, 2], plane_policy: [round-robin]}
    routing: ksp:2
    name: "{planes}x-{case}"
"""


def test_a_grid_stands_for_every_combination(tmp_path: Path) -> None:
    cases = load_experiment(write(tmp_path, CURVES)).cases
    assert list(cases) == [
        "serial",
        "all-planes-2-routing-ksp-4",
        "all-planes-2-routing-ideal",
        "all-planes-4-routing-ksp-4",
        "all-planes-4-routing-ideal",
        "1x-short",
        "2x-short",
    ]
    point = cases["all-planes-4-routing-ksp-4"]
    assert (point.planes, point.routing, point.link_gbps) == (4, "ksp:4", 10)
    assert cases["2x-short"].plane_policy == "round-robin"
    assert cases["serial"].routing == "ideal"


def test_a_grid_overrides_what_is_common(tmp_path: Path) -> None:
    spec = CURVES.replace('"ring:n=4"', '"ring:n=4", routing: vlb')
    cases = load_experiment(write(tmp_path, spec)).cases
    assert cases["serial"].routing == "vlb"
    assert cases["all-planes-2-routing-ideal"].routing == "ideal"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "grid: {planes: [2, 4], routing: [ksp:4, ideal]}",
            "grid: 3",
            "cases.all: grid: not a mapping, found 3; allowed: key: [value, value]",
        ),
        (
            "grid: {planes: [2, 4], routing: [ksp:4, ideal]}",
            "grid: {}",
            "cases.all: grid: not a mapping, found {}; allowed: key: [value, value]",
        ),
        (
            "planes: [2, 4]",
            "plane: [2, 4]",
            "cases.all: grid: unknown parameter 'plane' (did you mean 'planes'?); allowed: seed, draws, topology, ",
        ),
        ("[2, 4]", "2", "cases.all: grid.planes: not a list, found 2; allowed: [value, value]"),
        ("[2, 4]", "[]", "cases.all: grid.planes: not a list, found []; allowed: [value, value]"),
        ("link_gbps: 10", "planes: 8", "cases.all: grid: key 'planes' is given beside the grid as well, found 8"),
        (
            "[2, 4]",
            "[2, 2]",
            "cases.all: name: two cases of the grid are called 'all-planes-2-routing-ksp-4', found "
            "'{case}-planes-{planes}-routing-{routing}'; allowed: a name with {planes}, {routing}, whose values differ",
        ),
        (
            "{planes}x-{case}",
            "{plane}x",
            "cases.short: name: {plane} is not a key of the grid (did you mean 'planes'?), found '{plane}x'; "
            "allowed: {case}, {planes}, {plane_policy}",
        ),
        ('name: "{planes}x-{case}"', "name: 3", "cases.short: name: not a name, found 3; allowed: words with {case}"),
        ("serial: {}", "serial: {name: base}", "cases.serial: name: only the cases of a grid need names, found 'base'"),
        ("{planes}x-{case}", "all-planes-{planes}-routing-ideal", "cases.short: a second case is called"),
        ("[2, 4]", "[2, many]", "cases.all: all-planes-many-routing-ksp-4: planes: input should be a valid integer"),
        ("{planes}x-{case}", "{planes} x", "cases.1 x.[key]: string should match pattern"),
    ],
)
def test_faults_of_grids(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        load_experiment(write(tmp_path, CURVES.replace(old, new)))
    assert str(caught.value).startswith(f"{tmp_path}/spec.yaml: {message}")
    assert "\n" not in str(caught.value)


@given(
    planes=st.lists(st.integers(1, 99), min_size=1, max_size=4, unique=True),
    paths=st.lists(st.integers(1, 99), min_size=1, max_size=4, unique=True),
    named=st.booleans(),
)
def test_cases_of_a_grid_are_as_many_as_combinations(planes: list[int], paths: list[int], *, named: bool) -> None:
    grid = {"planes": planes, "routing": [f"ksp:{k}" for k in paths]}
    entry = {"grid": grid, "link_gbps": 10} | ({"name": "{case}-{planes}x{routing}"} if named else {})
    cases = expand("curve", entry, "spec.yaml: cases.curve", {"planes", "routing", "link_gbps"})
    assert {(case["planes"], case["routing"]) for case in cases.values()} == {
        (p, routing) for p in planes for routing in grid["routing"]
    }
    assert len(cases) == len(planes) * len(paths)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9.-]*", name) for name in cases)
    assert all(case.keys() == {"planes", "routing", "link_gbps"} for case in cases.values())


def test_reduced_experiments_keep_the_baseline(tmp_path: Path) -> None:
    experiment = load_experiment(write(tmp_path, CURVES))
    assert experiment.reduced() == experiment
    few = experiment.reduced(draws=3, cases=["all-*-ideal", "1x-short"])
    assert list(few.cases) == ["serial", "all-planes-2-routing-ideal", "all-planes-4-routing-ideal", "1x-short"]
    assert {case.draws for case in few.cases.values()} == {3}
    with pytest.raises(SpecError) as caught:
        experiment.reduced(cases=["1x-shirt"])
    assert str(caught.value).startswith(
        f"{tmp_path.name}: no case is called '1x-shirt' (did you mean '1x-short'?); allowed: serial, "
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("name: other", "name: a spec has no name of its own; allowed: its folder's name"),
        ("claimed: {}", "claimed: a spec has no claimed of its own; allowed: claims.yaml"),
        (
            "common: {fail_mode: independent}",
            "cases.a: fail_mode: has no meaning without fail_links or fail_switches or fail_ports or fail_nics or "
            "fail_servers, "
            "found 'independent'",
        ),
        (
            "common: {fail_unit: box, fail_planes: 0}",
            "cases.a: fail_unit: has no meaning without fail_links or fail_switches or fail_nics, found 'box'",
        ),
    ],
)
def test_what_would_be_ignored_is_refused(tmp_path: Path, change: str, message: str) -> None:
    spec = f"title: Trial\n{change}\ncases: {{a: {{topology: 'ring:n=4'}}}}\n"
    with pytest.raises(SpecError) as caught:
        load_experiment(write(tmp_path, spec))
    assert str(caught.value) == f"{tmp_path / 'spec.yaml'}: {message}"


def test_the_tree_of_a_speed_up_is_finite(tmp_path: Path) -> None:
    spec = "title: Trial\nquestion: speed-up\ncases: {a: {oversubscription: .inf}}\n"
    with pytest.raises(SpecError, match="oversubscription: input should be a finite number, found inf"):
        load_experiment(write(tmp_path, spec))


@pytest.mark.parametrize("name", ["manifest.json", "chart.png", "cases.csv", "datapackage.json"])
@pytest.mark.parametrize("case", ["{name}: {{topology: 'ring:n=4'}}", "a: {{grid: {{planes: [1]}}, name: '{name}'}}"])
def test_no_case_stands_where_a_file_of_the_results_does(tmp_path: Path, name: str, case: str) -> None:
    spec = f"title: T\ncommon: {{topology: 'ring:n=4'}}\ncases:\n  {case.format(name=name)}\n"
    with pytest.raises(SpecError) as caught:
        load_experiment(write(tmp_path, spec))
    assert str(caught.value) == (
        f"{tmp_path / 'spec.yaml'}: cases.{name}.[key]: a case cannot have the name of a file beside it "
        f"(manifest.json, records.json, chart.png, cases.csv, draws.csv, datapackage.json, "
        f"cases.parquet, draws.parquet), found '{name}'"
    )


def test_names_too_long_for_a_folder_are_found_before_the_first_run(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"should have at most 200 characters"):
        load_experiment(write(tmp_path, f"title: T\ncases:\n  {'a' * 201}: {{topology: 'ring:n=4'}}\n"))
