"""What anybody may have written: every reader answers with what it reads or with one sentence, and soon."""

import itertools
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from pnet_lp.errors import PnetError, SpecError, TopologyError, TrafficError
from pnet_lp.experiment import load_experiment
from pnet_lp.files import parse_yaml, read_limited, read_yaml
from pnet_lp.formats import Formats
from pnet_lp.questions.base import QUESTIONS
from pnet_lp.topology import build_network, build_plane, read_plane
from pnet_lp.topology.description import describe
from pnet_lp.traffic import build_traffic
from pnet_lp.traffic.io import read_traffic
from pnet_lp.units import format_bytes

from .campaign import FAULTS, foreign_to, outcome, tried
from .commands import ran
from .readers import EXPERIMENTS, readers
from .structures import structure
from .test_house import REGISTRIES

ROOT = Path(__file__).parents[1]
READERS = readers()
PARTS = 2
FED_BYTES = 1_000_000
INPUTS = ("blanks", "comments", "one line")
"""What readers are given here; ``python -m tests.campaign feed`` has more, ten times as large."""


@pytest.mark.parametrize("name", READERS)
def test_distorted_input_is_read_or_refused(name: str) -> None:
    count = int(os.environ.get("PNET_LP_MUTATIONS", "20"))
    seen, shown = tried(name, READERS[name], count, foreign_to(READERS))
    assert not [kind for kind in FAULTS if seen[kind]], shown


@pytest.mark.parametrize("name", ["result", "matrix npz", "matrix parquet", "network graphml", "claims", "price book"])
def test_faults_of_structure_are_read_or_refused(name: str) -> None:
    """Of keys, values, arrays, rows and members, which bytes changed at random seldom reach."""
    count = 5 * int(os.environ.get("PNET_LP_MUTATIONS", "20"))
    rng, reader, changed, found = random.Random(f"structure of {name}"), READERS[name], 0, []
    for _ in range(count):
        seed = rng.choice(reader.seeds)
        data = structure(seed, rng)
        changed += data != seed
        found.append(outcome(reader, data))
    assert [one for one in found if one[0] in FAULTS] == []
    # Not each can be written, and some change nothing.
    assert changed > count / 2


def test_commands_on_faulty_files(tmp_path: Path) -> None:
    count = 4 * int(os.environ.get("PNET_LP_MUTATIONS", "20"))
    found = list(itertools.islice(ran(READERS, random.Random("commands"), tmp_path), count))
    assert [one for one in found if one[1]] == []
    assert {what[-3:] for what, *_ in found} >= {"(0)", "(2)"}


def test_every_registry_has_a_reader() -> None:
    for registry in REGISTRIES:
        if registry is QUESTIONS:
            assert {f"experiment {name}" for name in registry.names()} <= set(READERS)
        elif isinstance(registry, Formats):
            names = {f"{registry.noun} {known.name}" for known in registry.formats if known.read}
            assert names <= set(READERS)
        else:
            assert f"{registry.kind} expression" in READERS


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_reader_is_fed(part: int) -> None:
    command = [sys.executable, "-m", "tests.campaign", "feed", str(part), str(PARTS), *INPUTS]
    environment = {**os.environ, "PNET_LP_FED_BYTES": str(FED_BYTES)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    # A hang is ended by the limit on CPU time; what was being read stands last.
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-300:]
    assert len(done.stdout.splitlines()) == len(INPUTS) * len(list(READERS)[part::PARTS])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f.edges", "\n" * 200 + "0 1 10\n"),
        ("f", "\n" * 200 + "0 1 10\n"),
        ("f", "# a\n\n" * 200_000 + "0 1 10\n"),
        ("f.graphml", "<!-- a -->\n" * 200 + '<graphml><graph><node id="a"/><node id="b"/></graph></graphml>'),
        ("f.adj", "\n" * 60_000 + "c2_0_1 c2_1_0"),
        ("f.topobench", "\n" * 60_000 + "1 2 3 4 5"),
    ],
)
def test_what_is_before_a_network_takes_no_time(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_plane(tmp_path / name).switch_count >= 2


def test_two_words_a_line_are_no_network(tmp_path: Path) -> None:
    for name in ("prose", "prose.txt"):
        (tmp_path / name).write_text("hello world\ngood morning\n")
        with pytest.raises(TopologyError, match="not a known network format, found 'hello world'"):
            read_plane(tmp_path / name)
        (tmp_path / name).write_text("hello world\ngood morning 10\n")
        assert read_plane(tmp_path / name).cable_count == 2
    (tmp_path / "prose.edges").write_text("hello world\n")
    assert read_plane(tmp_path / "prose.edges").switch_names == ("hello", "world")


def test_specs_that_name_specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.yaml").write_text("planes:\n  - file: net.yaml\n")
    with pytest.raises(SpecError) as caught:
        build_plane("net.yaml")
    assert str(caught.value) == ("net.yaml: file: a spec names files of planes, not another spec, found 'net.yaml'")
    Path("t.yaml").write_text("file: t.yaml\n")
    with pytest.raises(SpecError, match=r"^t\.yaml: file: a spec names a file of demands, not another spec"):
        build_traffic("t.yaml", build_network("ring:n=4"))
    for key in ("topology", "traffic"):
        other = "" if key == "topology" else "topology: 'ring:n=4', "
        Path("spec.yaml").write_text(f"title: a\ncases:\n  a: {{{other}{key}: spec.yaml}}\n")
        with pytest.raises(PnetError, match=rf"^spec\.yaml: cases\.a: {key}: spec\.yaml: unknown parameter"):
            load_experiment(".")


def test_yaml_means_the_same_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a: [1", "a: b: c", "\t- a", "{a: 1}\n{b", "\ud800", "[" * 3000, "%YAML 9.9\n--- a", "--- a\n--- b"]
    texts += ["a: 0x_", "? [a]\n: b", '- "a\\qb"', "a: |\n  x\n y", "", '{a:1, "b":2}', "a: @x", "\0", "? a\n? a"]
    texts += [path.read_text() for path in sorted(EXPERIMENTS.glob("*/spec.yaml"))[::9]]

    def read(text: str) -> object:
        try:
            return parse_yaml(text, "f")
        except SpecError as error:
            return str(error)

    assert yaml.__with_libyaml__
    found = [repr(read(text)) for text in texts]
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert [repr(read(text)) for text in texts] == found


def bomb(merge: bool = False) -> str:
    lines, last = ["a: &a {k: v}"], "a"
    for name in "bcdefghi":
        items = ", ".join([f"*{last}"] * 9)
        lines.append(f"{name}: &{name} {{<<: [{items}]}}" if merge else f"{name}: &{name} [{items}]")
        last = name
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (bomb(), "f:6: not YAML: aliases that stand for more than 100000 values"),
        (bomb(merge=True), "f:6: not YAML: aliases that stand for more than 100000 values"),
        ("a: &a [*a]", "f:1: not YAML: a value contains itself"),
        ("a: 0x" + "f" * 5000, "f:1: not YAML: a whole number of 5002 digits"),
        ("a: !!timestamp 2001-01-01", "f:1: not YAML: a value with the tag !!timestamp"),
        ("a: !!bool x", "f: not YAML: 'x'"),
        ("a" * (1 << 21), "f: too large for YAML; allowed: at most 1.0 MiB"),
        ("[" * 10_000, "f: not YAML: maximum recursion depth exceeded"),
    ],
)
def test_yaml_that_is_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_yaml(text, "f")
    assert str(caught.value).startswith(message)


def test_dates_are_texts() -> None:
    assert parse_yaml("2001-01-02: 2001-13-45", "f") == {"2001-01-02": "2001-13-45"}


def test_files_have_a_largest_size(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a" * 11)
    assert len(read_limited(tmp_path / "f", SpecError, 11)) == 11
    with pytest.raises(SpecError, match=r"f: the file is too large; allowed: at most 10 B$"):
        read_limited(tmp_path / "f", SpecError, 10)
    with pytest.raises(SpecError, match=r"^/dev/zero: the file is too large; allowed: at most 1\.0 MiB"):
        read_yaml("/dev/zero")


def test_archives_say_their_size_first(tmp_path: Path) -> None:
    network, count = build_network("ring:n=4"), 5_000_000
    zeros = np.zeros(count, dtype=np.int8)
    np.savez_compressed(tmp_path / "f.npz", src=zeros, dst=zeros, demand=zeros)
    pq.write_table(pa.table({"src": zeros, "dst": zeros, "demand": zeros}), tmp_path / "f.parquet")
    for name, where in (("f.npz", "f.npz: src"), ("f.parquet", "f.parquet")):
        with pytest.raises(TrafficError) as caught:
            read_traffic(tmp_path / name, network, "rack")
        assert str(caught.value).endswith(f"{where}: too many entries, found 5000000; allowed: at most 4194304")
    pq.write_table(pa.table({"src": ["a" * 10_000_000], "dst": ["b"], "demand": [1.0]}), tmp_path / "f.parquet")
    with pytest.raises(TrafficError, match=r"1 rows unpack to .* MiB; allowed: at most 1\.0 MiB"):
        read_traffic(tmp_path / "f.parquet", network, "rack")


def test_sizes_beyond_any_float_have_words() -> None:
    assert format_bytes(10**5000) == "more than 1023 PiB"
    assert format_bytes((1 << 60) - (1 << 50)) == "1023.0 PiB"


def test_messages_are_short_and_one_line() -> None:
    deep: object = [1]
    for _ in range(30):
        deep = [deep] * 9
    for found in (deep, "a" * 10**6, 10**5000, {"a" * 1000: "b"}):
        error = SpecError("b\n" * 1000, where="c\x1b[31m\udcff" * 500, found=found, allowed="d " * 5000)
        assert len(str(error)) < 2000
        assert str(error).isprintable()
    assert str(SpecError("no", found=10**5000)) == "no, found a whole number of 16610 bits"
    path = "/a" * 100 + "/f.csv:17"
    assert str(SpecError("no", where=path)).startswith(f"{path}: ")


def test_runs_are_counted_before_they_are_listed(tmp_path: Path) -> None:
    for given, message in (
        ("draws: 1000000000000", "cases.a: draws: input should be less than or equal to 1000000"),
        (f"grid: {{seed: {list(range(400))}, draws: {list(range(1, 400))}}}", "cases.a: grid: too many cases"),
    ):
        (tmp_path / "spec.yaml").write_text(f"title: a\ncases:\n  a: {{topology: 'ring:n=4', {given}}}\n")
        with pytest.raises(SpecError) as caught:
            load_experiment(tmp_path)
        assert message in str(caught.value)


def test_large_planes_are_built() -> None:
    for text in ("path:n=200000", "star:n=200000"):
        assert build_plane(text).cable_count >= 199_999
    assert describe(build_network("path:n=300")).planes[0].diameter == 299
