"""What holds the house together: layers, file sizes, registered entries, versions, words no file may hold."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from pnet_lp import __version__, _core
from pnet_lp.charts import CHART_FORMATS
from pnet_lp.charts.kinds import CHART_KINDS
from pnet_lp.collectives import ALGORITHMS
from pnet_lp.cost import ARCHITECTURES
from pnet_lp.drawing.formats import PICTURE_FORMATS
from pnet_lp.executors.base import EXECUTORS
from pnet_lp.formats import Formats
from pnet_lp.questions.base import QUESTIONS
from pnet_lp.registry import Registry, parse_expression
from pnet_lp.routing import ROUTINGS
from pnet_lp.sim import FORWARDINGS, PRESETS, QUEUES, TRANSPORTS
from pnet_lp.tables import TABLE_FORMATS
from pnet_lp.throughput import OBJECTIVES, SOLVERS
from pnet_lp.throughput.bounds import BOUNDS
from pnet_lp.topology import topologies
from pnet_lp.topology.io import NETWORK_FORMATS
from pnet_lp.topology.sizing import sizings
from pnet_lp.traffic import traffics
from pnet_lp.traffic.io import MATRIX_FORMATS
from pnet_lp.workload import SIZES, WORKLOADS
from pnet_lp.workload.io import WORKLOAD_FORMATS
from pnet_lp.workload.traces import TRACE_FORMATS

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 500
"""Lines of a source file that one still reads in one sitting."""

FORMATS: list[Formats] = [
    CHART_FORMATS,
    MATRIX_FORMATS,
    NETWORK_FORMATS,
    PICTURE_FORMATS,
    TABLE_FORMATS,
    TRACE_FORMATS,
    WORKLOAD_FORMATS,
]
REGISTRIES: list[Registry] = [
    *FORMATS,
    ALGORITHMS,
    BOUNDS,
    OBJECTIVES,
    QUESTIONS,
    SOLVERS,
    ROUTINGS,
    ARCHITECTURES,
    FORWARDINGS,
    PRESETS,
    QUEUES,
    SIZES,
    TRANSPORTS,
    WORKLOADS,
    EXECUTORS,
    CHART_KINDS,
    sizings,
    topologies,
    traffics,
]


def committed() -> list[Path]:
    """Every file of the repository, those not yet added included."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    return [path for name in set(done.stdout.split("\0")) if name and (path := ROOT / name).is_file()]


def text_of(path: Path) -> str | None:
    """The file's text, or None if it is binary."""
    data = path.read_bytes()
    return None if b"\0" in data else data.decode("utf-8")


def test_layers() -> None:
    """The contracts of pyproject.toml hold, and every package of pnet_lp has its place in them."""
    program = "import sys; from importlinter.cli import lint_imports as lint; sys.exit(lint(no_cache=True))"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_extension_is_used_by_few() -> None:
    """Arrays cross into Rust where flows, paths, hops and packets are computed; a manifest may name the build.

    What ends its work early may know it, too, and the version is that of the extension everywhere.
    """
    allowed = {"throughput", "routing", "sim", "hops", "model", "manifest", "deadline", "interrupts"}
    for path in (ROOT / "pnet_lp").rglob("*.py"):
        home = path.relative_to(ROOT / "pnet_lp").parts[0].removesuffix(".py")
        if home not in allowed:
            imported = {
                f"{node.module}.{alias.name}"
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
            }
            imported.discard("pnet_lp._core.__version__")
            assert not any(name.startswith("pnet_lp._core") for name in imported), f"{path} imports _core"


@pytest.mark.parametrize("home", ["experiment", "report"])
def test_a_question_is_named_nowhere(home: str) -> None:
    """What runs and compares answers knows what questions have in common, and none of them."""
    known = {path.name for path in (ROOT / "pnet_lp" / "questions").iterdir() if path.is_dir()}
    for path in (ROOT / "pnet_lp" / home).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            modules = {
                ast.Import: lambda node: [alias.name for alias in node.names],
                ast.ImportFrom: lambda node: [f"{node.module}.{alias.name}" for alias in node.names],
            }.get(type(node), lambda _: [])(node)
            named = {".".join(name.split(".")[2:3]) for name in modules if name.startswith("pnet_lp.questions.")}
            assert not named & known, f"{path.relative_to(ROOT)} imports {named & known}"


@pytest.mark.parametrize("folder", ["pnet_lp", "crates"])
def test_files_stay_short(folder: str) -> None:
    long = {}
    for path in committed():
        # The types of the extension are one file, as it is one module, and so are those that tools/stubs.py writes.
        if (
            path.is_relative_to(ROOT / folder)
            and path.suffix in {".py", ".rs", ".pyi"}
            and path.name not in {"_core.pyi", "ask.pyi"}
        ):
            lines = len(path.read_text().splitlines())
            if lines > LONGEST:
                long[str(path.relative_to(ROOT))] = lines
    assert not long, f"longer than {LONGEST} lines; split by what they are about: {long}"


def test_packages_say_what_they_hold() -> None:
    for path in (ROOT / "pnet_lp").rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), f"{path.relative_to(ROOT)} has no docstring"


def test_data_folders_say_what_they_hold() -> None:
    for name in ("topologies", "traffic_matrices", "experiments", "results", "benchmarks"):
        assert (ROOT / name / "README.md").is_file(), f"{name}/ has no README.md"


def test_all_registries_are_here() -> None:
    sources = [path.read_text() for path in (ROOT / "pnet_lp").rglob("*.py")]
    assert sum(
        len(re.findall(r": (?:Registry|Formats)\[.*\] = (?:Registry|Formats)\(", text)) for text in sources
    ) == len(REGISTRIES)


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_entries_are_documented(registry: Registry) -> None:
    assert registry.names(), "nothing is registered"
    for entry in registry:
        assert re.fullmatch(r"[a-z][a-z0-9-]*", entry.name), "names are lower case with hyphens"
        assert entry.summary, f"{entry.name} has no summary"
        assert "\n" not in entry.summary
        assert entry.params.model_config.get("frozen"), f"{entry.name}: parameters are immutable"
        for key, field in entry.params.model_fields.items():
            assert field.description, f"{entry.name}: parameter {key!r} has no description"


@pytest.mark.parametrize(
    "registry", [one for one in REGISTRIES if one is not QUESTIONS], ids=lambda registry: registry.kind
)
def test_entries_have_examples(registry: Registry) -> None:
    """What tests and pages need of each: parameters of a small instance, where the defaults are none."""
    for entry in registry:
        name, values = parse_expression(entry.expression)
        assert name == entry.name
        assert entry.validate(values)


@pytest.mark.parametrize("registry", FORMATS, ids=lambda registry: registry.kind)
def test_a_suffix_names_one_format(registry: Formats) -> None:
    suffixes = [suffix for known in registry.formats for suffix in (*known.suffixes, *known.vague_suffixes)]
    assert sorted(suffixes) == sorted(registry.suffixes())
    assert all(re.fullmatch(r"(\.[a-z0-9]+)+", suffix) for suffix in suffixes)


def test_one_version() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    lock = {p["name"]: p["version"] for p in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]}
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    released = re.findall(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    found = {
        "Cargo.toml": cargo,
        "Cargo.lock, pnet-core": lock["pnet-core"],
        "Cargo.lock, pnet-py": lock["pnet-py"],
        "CITATION.cff": citation,
        "CHANGELOG.md": released[0],
        "the installed package": __version__,
        "the extension": _core.__version__,
    }
    assert {name: version for name, version in found.items() if version != pyproject} == {}


def test_extension_is_a_release_build() -> None:
    assert _core.build_profile == "release"


def test_pins_cover_the_project() -> None:
    """Every dependency, of the project and of its development, has an exact version and nothing but that."""
    pins = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            match = re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.]+)", line)
            assert match, f"constraints.txt: not name==version: {line!r}"
            pins[_normal(match[1])] = match[2]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    expected = [*project["project"]["dependencies"], *extras["dev"], *extras["docs"]]
    missing = [name for name in expected if _normal(re.split(r"[<>=!~\[; ]", name)[0]) not in pins]
    assert not missing, f"constraints.txt lacks {missing}; run `make pins`"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


# Where the repository's text may point to: standards, papers and the like, not to where packages come from.
HOSTS = {
    "choosealicense.com",
    "citation-file-format.github.io",
    "doi.org",
    "arxiv.org",
    "graphml.graphdrawing.org",
    "sndlib.zib.de",
    "json-schema.org",
    "keepachangelog.com",
    "semver.org",
    "www.w3.org",
    # The buttons of the notebooks.
    "colab.research.google.com",
    "mybinder.org",
}
LOCK_SOURCE = re.compile(r'^source = "registry\+[^"]*"$', re.MULTILINE)


def test_addresses_lead_to_standards_only() -> None:
    for path in committed():
        text = text_of(path)
        if text is None:
            continue
        if path.name == "Cargo.lock":
            text = LOCK_SOURCE.sub("", text)
        hosts = set(re.findall(r"https?://([A-Za-z0-9.-]+)", text)) - HOSTS
        assert not hosts, f"{path.relative_to(ROOT)} names {sorted(hosts)}"


def test_no_file_names_a_package_index_or_somebodys_machine() -> None:
    # In pieces, so that this file does not hold what it looks for.
    index = ["py" + r"pi\.org", "crates" + r"\.io", "python" + "hosted", "--ha" + "sh=", "--index" + "-url"]
    places = ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/[a-z]", "/Us" + "ers/[a-z]"]
    forbidden = re.compile("|".join(index + places))
    for path in committed():
        text = text_of(path)
        if text is None:
            continue
        if path.name == "Cargo.lock":
            text = LOCK_SOURCE.sub("", text)
        hit = forbidden.search(text)
        assert hit is None, f"{path.relative_to(ROOT)} holds {hit[0]!r}"


WRITES = {"write_text", "write_bytes", "savefig", "write_table", "writeModel", "savez", "savez_compressed"}


def test_files_are_written_in_one_way() -> None:
    """What writes to a path writes to the ``temporary`` one that ``pnet_lp.writing.output_file`` has yielded.

    The system's ``counters`` are no file of anybody's.
    """
    for path in (ROOT / "pnet_lp").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                modes = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
                opens = call.func.attr == "open" and any(set("wax+") & set(str(mode)) for mode in modes)
                if opens or call.func.attr in WRITES:
                    names = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
                    assert names & {"temporary", "file", "counters"}, (
                        f"{path}:{call.lineno} writes to a file of its own"
                    )


def test_classes_answer_for_themselves() -> None:
    """Where throughput asks for a class it walks JSON; what a problem, a solver or a certificate can do is its own."""
    lines = [
        f"{path.name}: {line.strip()}"
        for path in (ROOT / "pnet_lp" / "throughput").rglob("*.py")
        for line in path.read_text().splitlines()
        if "isinstance(" in line
    ]
    assert len(lines) <= 20, lines


def test_the_oldest_versions_are_the_lower_bounds() -> None:
    """Each dependency of users has one; `make test-deps` reads them from there."""
    done = subprocess.run([sys.executable, "tools/oldest.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    expected = [
        *project["dependencies"],
        *(
            one
            for extra in ("cluster", "infragraph", "netgraph", "notebook", "ortools", "parquet", "pulp", "slurm")
            for one in extras[extra]
        ),
    ]
    assert sorted(done.stdout.split()) == sorted(one.replace(">=", "==") for one in expected)
