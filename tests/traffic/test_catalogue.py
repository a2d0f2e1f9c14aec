"""Every demand of the catalogue is built on a network of its paper; what a spec may say, and what it may not."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import yaml

from pnet_lp.errors import PnetError
from pnet_lp.files import named_files
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.traffic import build_traffic, traffics

from .conftest import fat_tree, ring_of

CATALOGUE = Path(__file__).parents[2] / "traffic_matrices"


def racks_of(racks: int, hosts: int) -> Network:
    """Return racks around one switch, hosts in each."""
    host_switch = np.repeat(np.arange(racks), hosts)
    plane = Plane.from_cables(
        racks + 1, np.arange(racks), np.full(racks, racks), host_switch=host_switch, racks=np.arange(racks)
    )
    return Network.from_planes([plane])


HEDERA, SORTING, TESTBED = fat_tree(4), racks_of(25, 10), racks_of(4, 10)
ONE_EACH = (16, 16.0, 1)

EXPECTED = {
    "hedera-hotspot": (HEDERA, 16, 16, 3),
    "hedera-randbij0": (HEDERA, *ONE_EACH),
    "hedera-randx4": (HEDERA, 64, 64, None),
    "hedera-stag0-0.2-0.3": (HEDERA, *ONE_EACH),
    "hedera-stag0-0.5-0.3": (HEDERA, *ONE_EACH),
    "hedera-stride1": (HEDERA, *ONE_EACH),
    "hedera-stride2": (HEDERA, *ONE_EACH),
    "hedera-stride4": (HEDERA, *ONE_EACH),
    "hedera-stride8": (HEDERA, *ONE_EACH),
    # Scenario 1: 40 servers in 4 racks; on 5 x 4 x 2 processes a face across the axis of 5 is the largest.
    "hybrid-fft": (TESTBED, 40 * 39, 40 * 39, 39),
    "hybrid-mg": (TESTBED, 40 * 5, 40 * (2 + 2 * 0.8 + 0.8), 4.4),
    "hybrid-sp": (TESTBED, 2 * (4 * 8 + 5 * 6 + 20), 2 * (4 * 8 + 5 * 6 * 0.8 + 20 * 0.4), 2 + 1.6 + 0.4),
    "pnet-all-to-all": (fat_tree(8), 128 * 127, 128 * 127, 127),
    "pnet-all-to-all-racks": (fat_tree(8), 32 * 31, 32 * 31, 31),
    "pnet-hadoop-read": (SORTING, 32, 32, 1),
    "pnet-hadoop-shuffle": (SORTING, 32 * 32, 32, 1),
    "pnet-hadoop-write": (SORTING, 32, 32, None),
    "pnet-permutation": (fat_tree(8), 128, 128, 1),
    "sopa-four-flows": (HEDERA, 4, 4, 2),
    "sopa-one-flow": (HEDERA, 1, 1, 1),
    "sopa-permutation": (fat_tree(24), 3456, 3456, 1),
    "two-groups-8": (ring_of(8), 56, 8 * 4, 4),
}
"""The network, and on it the number of demands, their sum, and the most that anybody receives."""


def test_the_catalogue_is_the_one_tested() -> None:
    assert {path.stem for path in CATALOGUE.glob("*.yaml")} == set(EXPECTED)
    assert not set(EXPECTED) & set(traffics.names())


@pytest.mark.parametrize("name", EXPECTED)
def test_entries_are_built_and_described(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    network, demands, total, received = EXPECTED[name]
    matrix = build_traffic(name, network, seed=5)
    assert matrix.label == name
    assert demands in (None, matrix.demand_count)
    assert total is None or matrix.total == pytest.approx(total)
    most = np.bincount(matrix.dst, matrix.demand).max()
    assert received is None or most == pytest.approx(received)
    # A name means one demand, whatever the seed of the run.
    assert build_traffic(name, network, seed=6).fingerprint == matrix.fingerprint
    spec = yaml.safe_load((CATALOGUE / f"{name}.yaml").read_text())
    assert spec["source"]
    assert spec["description"]
    assert "file" not in spec or "sha256" in spec


def pairs(matrix: TrafficMatrix) -> set[tuple[int, int]]:
    return set(zip(matrix.src.tolist(), matrix.dst.tolist(), strict=True))


def test_the_papers_flows() -> None:
    assert pairs(build_traffic("sopa-four-flows", HEDERA)) == {(0, 4), (0, 5), (1, 4), (1, 5)}
    both_directions = pairs(build_traffic("pnet-permutation", fat_tree(8)))
    assert both_directions == {(t, s) for s, t in both_directions}
    read, shuffle, write = (build_traffic(f"pnet-hadoop-{stage}", SORTING) for stage in ("read", "shuffle", "write"))
    mappers, reducers = set(shuffle.src.tolist()), set(shuffle.dst.tolist())
    assert len(mappers) == len(reducers) == 32
    assert not mappers & reducers
    assert (set(read.dst.tolist()), set(write.src.tolist())) == (mappers, reducers)
    assert np.all(read.src // 10 != read.dst // 10)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of demands of an empty working directory."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "traffic_matrices"
    folder.mkdir()
    return folder


def test_an_own_folder_adds_and_replaces(own: Path) -> None:
    (own / "one-step.yaml").write_text("pattern: stride:s=1\n")
    (own / "hedera-stride1.yaml").write_text("pattern: 3*stride:s=2+stride:s=1\n")
    (own / "deep").mkdir()
    (own / "deep" / "two.yaml").write_text("file: ../two.csv\n")
    (own / "two.csv").write_text("src,dst,demand\n0,1,2\n")
    ring = ring_of(5)

    def built(text: str) -> TrafficMatrix:
        return build_traffic(text, ring)

    assert built("one-step").fingerprint == built("stride:s=1").fingerprint
    assert built("hedera-stride1").fingerprint == built("stride:s=1+3*stride:s=2").fingerprint
    assert built("deep/two").total == 2
    total = built("2*one-step+hedera-stride1+deep/two")
    assert total.total == 2 * 5 + 4 * 5 + 2
    assert total.label == "2*one-step+hedera-stride1+deep/two"
    assert built("traffic_matrices/one-step.yaml").fingerprint == built("one-step").fingerprint
    # A pattern wins over a name, and a file over a name.
    (own / "ring.yaml").write_text("pattern: all-to-all\n")
    assert built("ring").demand_count == 5
    Path("one-step").write_text("src,dst,demand\n3,1,7\n")
    assert built("one-step").total == 7


def test_the_level_of_a_spec_is_the_default(own: Path) -> None:
    (own / "racks.yaml").write_text("pattern: all-to-all\nlevel: rack\n")
    network = ring_of(4, hosts_per_switch=2)
    assert build_traffic("all-to-all", network).level == "host"
    assert build_traffic("racks+all-to-all", network).level == "rack"
    assert build_traffic("racks", network, "rack").endpoints == 4


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("- 1\n", "x.yaml: not a demand spec; allowed: a mapping with pattern or file"),
        ("a: [\n", "x.yaml:2: not YAML: "),
        ("pattern: ring\nlevl: rack\n", "x.yaml: unknown parameter 'levl' (did you mean 'level'?); allowed: "),
        ("pattern: ring\nlevel: pod\n", "x.yaml: level: input should be 'rack' or 'host', found 'pod'"),
        ("level: rack\n", "x.yaml: a demand has either a pattern or a file"),
        ("pattern: ring\nfile: a.csv\n", "x.yaml: a demand has either a pattern or a file"),
        ("pattern: ring\nsha256: 12\n", "x.yaml: sha256: input should be a valid string"),
        ("pattern: ring\nsha256: ab\n", "x.yaml: sha256 has no meaning beside pattern"),
        ("pattern: stride\n", "x.yaml: stride: parameter 's' is required"),
        ("pattern: strde:s=1\n", "x.yaml: unknown traffic 'strde' (did you mean 'stride'?); allowed: all-"),
        ("pattern: 0*ring\n", "x.yaml: 0*ring: invalid factor, found '0'; allowed: finite numbers > 0"),
        ("pattern: x\n", "x.yaml: unknown traffic 'x'"),
        ("pattern: a.csv\n", "x.yaml: unknown traffic 'a.csv'"),
        ("file: a.csv\n", "a.csv: cannot read the file: No such file or directory"),
        ("file: a.csv\nsha256: ab\n", "a.csv: cannot read the file: No such file or directory"),
        ("pattern: stride:s=4\n", "x: a stride of 4 over 4 racks makes every rack a fixed point"),
        ("pattern: ring\nlevel: host\n", "the network has no hosts, so host-level demands mean nothing"),
    ],
)
def test_broken_specs(own: Path, spec: str, message: str) -> None:
    (own / "x.yaml").write_text(spec)
    with pytest.raises(PnetError) as caught:
        build_traffic("x", ring_of(4))
    assert str(caught.value).removeprefix("traffic_matrices/").startswith(message)
    assert caught.value.exit_code == 2


def test_files_that_are_missing_or_not_the_one_meant(own: Path) -> None:
    (own / "a.csv").write_text("src,dst,demand\n0,1,2\n")
    checksum = sha256((own / "a.csv").read_bytes()).hexdigest()
    (own / "x.yaml").write_text(f"file: a.csv\nsha256: {checksum.upper()}\n")
    assert build_traffic("x", ring_of(4)).total == 2
    (own / "a.csv").write_text("src,dst,demand\n0,1,3\n")
    with pytest.raises(PnetError, match=r"a\.csv: the checksum does not match, found '"):
        build_traffic("x", ring_of(4))
    with pytest.raises(PnetError, match=r"^no/such\.yaml: cannot read the file: No such file or directory$"):
        build_traffic("no/such.yaml", ring_of(4))
    (own / "x.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PnetError, match=r"x\.yaml: not YAML: "):
        build_traffic("x", ring_of(4))


def test_levels_that_contradict(own: Path) -> None:
    (own / "racks.yaml").write_text("pattern: all-to-all\nlevel: rack\n")
    (own / "hosts.yaml").write_text("pattern: all-to-all\nlevel: host\n")
    network = ring_of(4, hosts_per_switch=2)
    with pytest.raises(PnetError) as caught:
        build_traffic("racks", network, "host")
    assert str(caught.value) == "level: racks is traffic between racks, found 'host'; allowed: rack"
    with pytest.raises(PnetError) as caught:
        build_traffic("racks+2*hosts", network)
    assert str(caught.value) == "racks: hosts is traffic between hosts, found 'rack'; allowed: host"


@pytest.mark.parametrize(
    ("text", "nearest"),
    [("hedera-strid1", "hedera-stride"), ("sopa-four-flow", "sopa-four-flows"), ("gravty", "gravity")],
)
def test_unknown_names_offer_the_nearest_of_all(text: str, nearest: str) -> None:
    with pytest.raises(PnetError) as caught:
        build_traffic(text, HEDERA)
    message = str(caught.value)
    assert message.startswith(f"unknown traffic '{text}' (did you mean '{nearest}")
    assert all(f" {name}," in message for name in [*traffics.names(), *named_files("traffic_matrices")])
    assert message.endswith(", or a file")


def test_a_name_takes_no_parameters() -> None:
    with pytest.raises(PnetError) as caught:
        build_traffic("hedera-stride1:s=2", HEDERA)
    assert "sopa-four-flows" not in str(caught.value)
