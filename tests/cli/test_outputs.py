"""Every option that names a file: what becomes of it on a full disk, in a pipe, in another's place."""

import contextlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import Result

from pnet_lp.charts import CHART_FORMATS
from pnet_lp.cli import main
from pnet_lp.cli.commands import commands
from pnet_lp.cli.output import OutputFile
from pnet_lp.drawing.formats import PICTURE_FORMATS
from pnet_lp.tables import TABLE_FORMATS
from pnet_lp.topology.io import NETWORK_FORMATS
from pnet_lp.traffic.io import MATRIX_FORMATS

from ..conftest import PATIENCE_S

PNET_LP = [sys.executable, "-m", "pnet_lp"]
SOLVE = ["throughput", "torus:dims=3x3", "--level", "rack"]
TREE = "fat-tree:k=4"

WRITERS = [
    *([*SOLVE, "--save", name] for name in ("f", "f.json")),
    *(
        [*SOLVE, option, f"f{suffix}"]
        for option in ("--links", "--paths", "--out")
        for suffix in TABLE_FORMATS.suffixes()
    ),
    *([*SOLVE, "--write-lp", f"f{suffix}"] for suffix in (".lp", ".mps")),
    *(
        ["topology", TREE if suffix == ".topo" else "torus:dims=3x3", "--out", f"f{suffix}"]
        for suffix in NETWORK_FORMATS.suffixes()
    ),
    *(
        ["traffic", "all-to-all", "--on", "torus:dims=3x3", "--level", "rack", "--out", f"f{suffix}"]
        for suffix in MATRIX_FORMATS.suffixes()
    ),
    *(["cost", "compare", "parallel", "serial-chassis", "--plot", f"f{suffix}"] for suffix in CHART_FORMATS.suffixes()),
    ["cost", "curve", "beta-fat-tree:servers=1024", "--beta", "1,2", "--plot", "f.svg"],
    ["cost", "curve", "beta-fat-tree:servers=1024", "--beta", "1,2", "--out", "f.csv"],
    ["cost", "compare", "parallel", "--out", "f.csv"],
    ["cost", "equal", "25", "4", "--out", "f.csv"],
    ["cost", "speedup", "--scenario", "1", "--job", "--traffic", "mpi-fft", "--out", "f.csv"],
    ["cost", "speedup", "--scenario", "1", "--job", "--traffic", "mpi-fft", "--circuits", "f.csv"],
    ["cost", "parallel", "--out", "f.csv"],
    ["hops", TREE, "--sweep", "0,0.1", "--plot", "f.png"],
    ["throughput", TREE, "--fail-links", "0.1", "--trials", "2", "--plot", "f.png"],
    ["hops", TREE, "--out", "f.csv"],
    *(
        ["failures", "ring:n=4", "--fail-links", "0.3", "--trials", "2", *words]
        for words in (["--out", "f.csv"], ["--plot", "f.png"])
    ),
    ["price-performance", "ring:n=4", "--out", "f.csv"],
    [
        *["fluid-error", "--topologies", TREE, "--traffics", "stride:s=1", "--arrivals", "poisson"],
        *["--flow-sizes", "9kB", "--load", "0.3,0.5", "--flows", "9", "--out", "f.csv"],
    ],
    ["list", "topologies", "--out", "f.csv"],
    *(
        ["simulate", TREE, "--traffic", "stride:s=1", "--flow-size", "9kB", *words]
        for words in (["--out", "f.csv"], ["--plot", "f.png"], ["--fct", "fct.txt"])
    ),
    *(
        ["crosscheck", TREE, "--traffic", "stride:s=1", "--flow-size", "9kB", *words]
        for words in (["--out", "f.csv"], ["--plot", "f.png"])
    ),
    *(
        ["find", "--hosts", "8", "--min-gbps-per-host", "9", "--radix", "8", "--planes", "1", *words]
        for words in (["--out", "f.csv"], ["--plot", "f.png"], ["--candidates", "f.csv"])
    ),
    ["step-time", "single-switch:hosts=4", "--traffic", "all-to-all", "--out", "f.csv"],
    ["workload", "incast:senders=3,sizes=9kB", "--on", TREE, "--out", "f.csv"],
    ["bounds", "torus:dims=3x3", "--level", "rack", "--out", "f.csv"],
    ["paths", "torus:dims=3x3", "--level", "rack", "--stats", "--out", "f.csv"],
    *(["draw", "ring:n=4", "--out", f"f{suffix}"] for suffix in PICTURE_FORMATS.suffixes()),
]


def writing_options(name: str, command: click.Command) -> Iterator[tuple[str, str]]:
    """Yield each option of a command, and of those beside it, that names a file to be written."""
    for param in command.params:
        if isinstance(param.type, OutputFile):
            yield name, max(param.opts, key=len)
    for other in getattr(command, "others", ()):
        yield from writing_options(f"{name} {other}", command.load(other))


def test_every_option_that_names_a_file_is_here() -> None:
    known = {pair for name in commands() for pair in writing_options(name, main.get_command(None, name))}
    names = {name for name, _ in known}
    tested = set()
    for words in WRITERS:
        both = " ".join(words[:2])
        tested.add((both if both in names else words[0], words[-2]))
    # Those of sweep are tested with its other files.
    assert tested == known - {("sweep", "--out"), ("sweep", "--chart")}


def label(arguments: list[str]) -> str:
    return f"{arguments[0]} {arguments[-2]} {arguments[-1]}"


@contextlib.contextmanager
def files_at_most(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond ``size`` bytes, as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    # Modules imported meanwhile would be cached in part, and Python takes a part for the whole.
    caches, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        sys.dont_write_bytecode = caches


@pytest.mark.parametrize("arguments", WRITERS, ids=label)
def test_a_full_disk_is_one_sentence(arguments: list[str], run: Callable[..., Result], here: Path) -> None:
    name = arguments[-1]
    (here / name).write_text("old")
    before = set(here.iterdir())
    with files_at_most(20):
        result = run(*arguments, code=1)
    # What was computed is not lost with the file.
    assert bool(result.stdout) == (
        arguments[0] not in ("topology", "traffic", "workload") and "--write-lp" not in arguments
    )
    [line] = result.stderr.splitlines()
    assert line.startswith(f"Error: {name}: cannot be written ")
    assert set(here.iterdir()) == before
    assert (here / name).read_text() == "old"


@pytest.mark.parametrize("arguments", WRITERS, ids=label)
def test_a_link_stays_and_permissions_too(arguments: list[str], run: Callable[..., Result], here: Path) -> None:
    (here / "elsewhere").mkdir()
    target = here / "elsewhere" / "target"
    target.write_text("old")
    target.chmod(0o640)
    (here / arguments[-1]).symlink_to(target)
    run(*arguments)
    assert (here / arguments[-1]).is_symlink()
    assert target.read_bytes() not in (b"", b"old")
    assert target.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in (here / "elsewhere").iterdir()] == ["target"]


@pytest.mark.parametrize("arguments", WRITERS, ids=label)
def test_a_folder_is_found_before_any_work(arguments: list[str], run: Callable[..., Result], here: Path) -> None:
    (here / arguments[-1]).mkdir()
    result = run(*arguments, code=1)
    assert result.stderr == f"Error: {arguments[-1]}: cannot be written (is a directory)\n"


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
@pytest.mark.parametrize("size", [100, 65_536, 70_000])
def test_a_linear_program_is_whole_or_absent(suffix: str, size: int, run: Callable[..., Result], here: Path) -> None:
    arguments = ["throughput", "torus:dims=4x8", "--level", "rack", "--write-lp", f"k{suffix}"]
    before = set(here.iterdir())
    with files_at_most(size):
        result = run(*arguments, code=1)
    assert result.stderr == f"Error: k{suffix}: cannot be written whole: is the disk full?\n"
    assert set(here.iterdir()) == before
    run(*arguments)
    assert (here / f"k{suffix}").stat().st_size > 100_000


def test_a_result_to_standard_output(tmp_path: Path) -> None:
    command = [*PNET_LP, *SOLVE, "--save", "/dev/stdout", "--json"]
    piped = subprocess.run(command, capture_output=True, check=True, text=True)
    with (tmp_path / "f").open("w+") as file:
        subprocess.run(command, stdout=file, check=True)
        file.seek(0)
        for text in (piped.stdout, file.read()):
            saved, end = json.JSONDecoder().raw_decode(text)
            assert saved["format"].startswith("pnet-lp-result/")
            assert json.loads(text[end:])["throughput_gbps"] == saved["throughput_gbps"]
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_reader_of_a_result_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "f").symlink_to("/dev/stdout")
    process = subprocess.Popen(
        [*PNET_LP, *SOLVE, "--save", "f"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    assert process.stdout
    process.stdout.close()
    assert process.stderr
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(timeout=PATIENCE_S)
    assert (tmp_path / "f").is_symlink()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")  # noqa: PTH110
@pytest.mark.parametrize("arguments", [SOLVE, [*SOLVE, "--json"], ["list", "topologies"], ["--help"], ["--version"]])
def test_a_full_standard_output_is_one_sentence(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        result = subprocess.run([*PNET_LP, *arguments], stdout=full, stderr=subprocess.PIPE, check=False, text=True)
    assert result.returncode == 1
    assert result.stderr.lower() == "error: standard output: cannot be written (no space left on device)\n"


SPEC = "title: T\ncommon: {topology: 'ring:n=4'}\ncases: {a: {}, b: {planes: 2}}\n"


@pytest.fixture
def sweep(here: Path) -> Path:
    """Return the results of a small experiment that has run."""
    (here / "trial").mkdir()
    (here / "trial" / "spec.yaml").write_text(SPEC)
    return here / "results" / "trial"


@pytest.mark.parametrize(
    "name", ["manifest.json", "a/draw-0/proof.json", "a/draw-0/result.json", "chart.png", "cases.csv", "draws.csv"]
)
def test_a_folder_in_the_place_of_a_file_of_a_sweep(sweep: Path, name: str, run: Callable[..., Result]) -> None:
    (sweep / name).mkdir(parents=True)
    result = run("sweep", "trial", code=1)
    [line] = result.stderr.splitlines()
    assert line.startswith(f"Error: results/trial/{name}: cannot be written (")
    assert not any(path.name.startswith(".") for path in sweep.rglob("*"))


def test_a_file_in_the_place_of_a_folder_of_a_sweep(sweep: Path, run: Callable[..., Result]) -> None:
    sweep.mkdir(parents=True)
    (sweep / "b").write_text("")
    result = run("sweep", "trial", code=1)
    assert result.stderr == "Error: results/trial/b/draw-0/result.json: cannot be written (not a directory)\n"
    (sweep / "b").unlink()
    run("sweep", "trial")


@pytest.mark.parametrize("size", [20, 1000, 3000])
def test_a_sweep_on_a_full_disk_goes_on_when_there_is_room(sweep: Path, size: int, run: Callable[..., Result]) -> None:
    with files_at_most(size):
        result = run("sweep", "trial", code=1)
    [line] = result.stderr.splitlines()
    assert line.startswith("Error: results/trial/")
    assert line.endswith(": cannot be written (file too large)")
    assert not any(path.name.startswith(".") for path in sweep.rglob("*"))
    assert run("sweep", "trial").stderr == ""


def test_a_sweep_says_what_it_computes_again(sweep: Path, run: Callable[..., Result]) -> None:
    first = run("sweep", "trial", "--out", "f.csv", "--chart", "f.svg").stdout
    assert Path("f.svg").read_text().startswith("<?xml")
    (sweep / "a" / "draw-0" / "proof.json").unlink()
    again = run("sweep", "trial")
    assert again.stderr == "Warning: a: proof.json is missing; computed again\n"
    assert len(again.stdout.splitlines()) == len(first.splitlines())
    assert run("sweep", "trial").stderr == ""
