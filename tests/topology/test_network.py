"""From the words of a command to a network: expressions, files, variants, options that contradict each other."""

import hashlib
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from pnet_lp.errors import PnetError, SpecError, TopologyError
from pnet_lp.model import Plane
from pnet_lp.seeds import derive_seed
from pnet_lp.topology import attach_hosts, build_network, build_plane, topologies, write_plane


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_one_plane_is_serial() -> None:
    network = build_network(["jellyfish:k=4"])
    assert (network.plane_count, network.variant, network.host_count) == (1, "serial", 16)
    assert network.planes[0].label == "jellyfish:k=4"
    assert build_network(["jellyfish:k=4"], variant="serial").fingerprint == network.fingerprint


def test_a_single_topology_may_stand_by_itself() -> None:
    assert build_network("jellyfish:k=4").fingerprint == build_network(["jellyfish:k=4"]).fingerprint
    with pytest.raises(SpecError, match="unknown topology 'jelly'"):
        build_network("jelly:k=4")


def test_homogeneous_planes_are_copies() -> None:
    network = build_network(["jellyfish:k=4"], planes=4)
    assert (network.plane_count, network.variant) == (4, "homogeneous")
    assert len({plane.fingerprint for plane in network.planes}) == 1


def test_heterogeneous_planes_are_drawn_by_seed() -> None:
    network = build_network(["jellyfish:k=4,seed=7"], planes=4, variant="heterogeneous")
    assert (network.plane_count, network.variant, network.common_racks) == (4, "heterogeneous", True)
    assert len({plane.fingerprint for plane in network.planes}) == 4
    assert network.planes[0].fingerprint == build_plane("jellyfish:k=4,seed=7").fingerprint
    for i in range(1, 4):
        again = build_plane(f"jellyfish:k=4,seed={derive_seed(7, 'plane', i)}")
        assert network.planes[i].fingerprint == again.fingerprint
        assert build_plane(network.planes[i].label).fingerprint == again.fingerprint
    shorter = build_network(["jellyfish:k=4,seed=7"], planes=2, variant="heterogeneous")
    assert [p.fingerprint for p in shorter.planes] == [p.fingerprint for p in network.planes[:2]]
    assert {tuple(plane.host_switch) for plane in network.planes} == {tuple(network.planes[0].host_switch)}


def test_the_seed_of_the_command_is_used_where_the_expression_gives_none() -> None:
    drawn = build_network(["jellyfish:k=4"], planes=2, variant="heterogeneous", seed=7)
    given = build_network(["jellyfish:k=4,seed=7"], planes=2, variant="heterogeneous", seed=1)
    assert drawn.fingerprint == given.fingerprint


def test_serial_high_multiplies_every_link() -> None:
    network = build_network(["ring:n=4"], planes=4, variant="serial-high", link_gbps=10, hosts_per_switch=2)
    (plane,) = network.planes
    assert network.variant == "serial-high"
    assert set(plane.capacity_uv_gbps.tolist()) == set(plane.capacity_vu_gbps.tolist()) == {40.0}
    assert set(plane.access_up_gbps.tolist()) == set(plane.access_down_gbps.tolist()) == {40.0}


def test_several_topologies_are_planes_over_the_same_racks() -> None:
    network = build_network(["ring:n=8", "hypercube:d=3", "complete:n=8"], hosts_per_switch=1)
    assert (network.plane_count, network.variant) == (3, "heterogeneous")
    assert (network.rack_count, network.host_count) == (8, 8)
    assert build_network(["ring:n=8", "ring:n=8"]).variant == "homogeneous"
    assert build_network(["ring:n=8", "ring:n=8"], variant="homogeneous").plane_count == 2
    assert build_network(["ring:n=8", "ring:n=8"], variant="heterogeneous").variant == "heterogeneous"


def test_hosts_attach_to_the_racks_of_planes_without_hosts() -> None:
    plane = attach_hosts(build_plane("leaf-spine:leaves=3,spines=2"), 2, 25)
    assert plane.host_names == ("leaf0.h0", "leaf0.h1", "leaf1.h0", "leaf1.h1", "leaf2.h0", "leaf2.h1")
    assert plane.host_switch.tolist() == [0, 0, 1, 1, 2, 2]
    assert set(plane.access_up_gbps.tolist()) == {25.0}
    assert plane.tier.tolist() == [0, 0, 0, 1, 1]
    assert attach_hosts(plane, 5, 25) is plane


def test_what_was_assumed_of_planes_is_said_once() -> None:
    bare = nx.Graph([("a", "b", {"speed": 1})])
    nx.write_graphml(bare, "net.graphml")
    network = build_network(["net.graphml"], planes=2, hosts_per_switch=1)
    assert len(network.warnings) == 1
    assert network.warnings[0].endswith("not read: speed")
    assert build_network(["ring:n=4"]).warnings == ()


def test_attaching_hosts_changes_nothing_else() -> None:
    before = Plane.from_cables(3, [0, 1], [1, 2], [1, 2], position=[[1, 2], [3, 4], [np.nan] * 2], box=[0, 0, 1])
    after = attach_hosts(before, 1, 25)
    assert after.host_count == 3
    for name in ("switch_names", "cable_u", "cable_v", "capacity_uv_gbps", "capacity_vu_gbps", "rack_switch", "tier"):
        assert np.array_equal(getattr(after, name), getattr(before, name)), name
    assert after.box is not None
    assert after.box.tolist() == [0, 0, 1]
    assert np.array_equal(after.position, before.position, equal_nan=True)  # type: ignore[arg-type]


def test_hosts_of_racks_in_another_order_are_matched() -> None:
    Path("a.edges").write_text("x y\ny z\n")
    Path("b.edges").write_text("z x\nx y\n")
    network = build_network(["a.edges", "b.edges"], hosts_per_switch=2)
    for plane in network.planes:
        at = [plane.switch_names[switch] for switch in plane.host_switch]
        assert [name.split(".")[0] for name in network.host_names] == at


def test_a_file_is_a_plane_and_its_own_speeds_win() -> None:
    Path("net.edges").write_text("a b 40\nb c\n")
    plane = build_plane("net.edges", link_gbps=10)
    assert plane.capacity_uv_gbps.tolist() == [40.0, 10.0]
    assert plane.label == "net.edges"
    assert build_network(["net.edges"], planes=3, link_gbps=10).variant == "homogeneous"


def test_a_family_wins_over_a_file_of_its_name() -> None:
    write_plane(build_plane("path:n=3"), "ring.edges")
    Path("ring.edges").rename("ring")
    with pytest.raises(SpecError, match="ring: parameter 'n' is required"):
        build_plane("ring")
    assert build_plane("./ring").cable_count == 2


def test_a_spec_repeats_a_builder() -> None:
    Path("net.yaml").write_text("builder: jellyfish\nparameters: {k: 4, seed: 3}\nplanes: 3\nvariant: heterogeneous\n")
    network = build_network(["net.yaml"])
    again = build_network(["jellyfish:k=4,seed=3"], planes=3, variant="heterogeneous")
    assert network.fingerprint == again.fingerprint
    both = build_network(["net.yaml", "jellyfish:k=4"])
    assert both.plane_count == 4
    assert build_network(["net.yaml"], planes=3, variant="heterogeneous").fingerprint == network.fingerprint
    with pytest.raises(SpecError, match=r"net\.yaml: expected one plane, found 3"):
        build_plane("net.yaml")


def test_a_spec_lists_planes_and_checks_files() -> None:
    file = Path("sub/a.edges")
    file.parent.mkdir()
    file.write_text("0 1\n1 2\n2 0\n")
    Path("sub/net").write_text(
        "# recognised without a suffix\nplanes:\n"
        f"  - {{file: a.edges, link_gbps: 25, sha256: {hashlib.sha256(file.read_bytes()).hexdigest()}}}\n"
        "  - builder: complete\n    parameters: {n: 3, link_gbps: 10}\n"
    )
    network = build_network(["sub/net"])
    assert [plane.capacity_uv_gbps[0] for plane in network.planes] == [25.0, 10.0]
    file.write_text("0 1\n1 2\n")
    with pytest.raises(TopologyError, match=r"sub/a\.edges: the checksum does not match, found '"):
        build_network(["sub/net"])


def test_names_of_the_catalogue() -> None:
    network = build_network(["jellyfish-k8"])
    assert network.fingerprint == build_network(["jellyfish:k=8,seed=1"]).fingerprint
    Path("topologies").mkdir()
    Path("topologies/jellyfish-k8.yaml").write_text("builder: ring\nparameters: {n: 4}\n")
    assert build_network(["jellyfish-k8"]).switch_count == 4
    with pytest.raises(SpecError, match=r"unknown topology 'jellyfish-k9' \(did you mean 'jellyfish-k8'\?\)"):
        build_network(["jellyfish-k9"])


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[2] / "topologies").glob("**/*.yaml")), ids=lambda p: p.stem
)
def test_every_spec_shipped_builds(path: Path) -> None:
    assert build_network([str(path)]).switch_count > 1


def test_planes_of_the_artifact() -> None:
    network = build_network(["pnet-jellyfish-k8"])
    assert (network.plane_count, network.rack_count, network.cable_count) == (2, 80, 512)
    assert network.rack_names == tuple(map(str, range(80)))
    assert np.bincount(network.planes[0].degree).tolist()[6:] == [48, 32]
    assert network.planes[0].capacity_uv_gbps.max() == 10.0


FAMILIES = f"{', '.join(topologies.names())}, or a file"


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        ([], {}, "a network needs at least one topology"),
        (["jelyfish:k=8"], {}, f"unknown topology 'jelyfish' (did you mean 'jellyfish'?); allowed: {FAMILIES}"),
        (["a b"], {}, "not an expression, found 'a b'; allowed: name or name:key=value,key=value"),
        (["ring:n"], {}, "ring: not a key=value parameter, found 'n'; allowed: key=value, such as ring:n=7"),
        (["ring:n=4,n=5"], {}, "ring: parameter 'n' is given twice"),
        (["no/such"], {}, "no/such: cannot read the file: No such file or directory"),
        (["none.txt"], {}, "none.txt: cannot read the file: No such file or directory"),
        (["none.yaml"], {}, "none.yaml: cannot read the file: No such file or directory"),
        (["./"], {}, "./: cannot read the file: Is a directory"),
        (["ring:n=4"], {"planes": 0}, "planes: a network has at least one plane, found 0"),
        (
            ["ring:n=4", "ring:n=4"],
            {"planes": 2},
            "planes: several planes are given, and only a single one can be repeated, found 2",
        ),
        (
            ["ring:n=4", "ring:n=4"],
            {"variant": "serial-high"},
            "variant: several planes are given, found 'serial-high'; "
            "allowed: homogeneous, heterogeneous, or a single TOPOLOGY",
        ),
        (
            ["ring:n=4", "path:n=4"],
            {"variant": "homogeneous"},
            "variant: the given planes are not identical, found 'homogeneous'",
        ),
        (
            ["ring:n=4"],
            {"variant": "parallel"},
            "variant: unknown variant, found 'parallel'; allowed: serial, homogeneous, heterogeneous, serial-high",
        ),
        (
            ["ring:n=4"],
            {"planes": 2, "variant": "heterogeneous"},
            "ring:n=4: heterogeneous planes differ by seed, and topology 'ring' has none; "
            "allowed: a random family, or one TOPOLOGY for each plane",
        ),
        (
            ["jellyfish:k=4"],
            {"planes": 4, "variant": "serial"},
            "variant: a serial network has one plane, but 4 are requested, found 'serial'; "
            "allowed: serial-high, which is one plane 4 times as fast, or planes=1",
        ),
        (
            ["jellyfish:k=4"],
            {"variant": "heterogeneous"},
            "variant: a single plane cannot be heterogeneous, found 'heterogeneous'; "
            "allowed: planes=2 or more, or no variant",
        ),
        (["fat-tree:k=4"], {"hosts_per_switch": 7}, "hosts_per_switch: the network already has hosts, found 7"),
        (["ring:n=4"], {"link_gbps": -1.0}, "link_gbps: not a valid link speed, found -1.0; allowed: finite Gb/s > 0"),
        (["ring:n=4"], {"link_gbps": np.nan}, "link_gbps: not a valid link speed, found nan; allowed: finite Gb/s > 0"),
        (["ring:n=4"], {"hosts_per_switch": -1}, "hosts_per_switch: a negative number of hosts, found -1"),
        (
            ["ring:n=4"],
            {"hosts_per_switch": 10**9},
            "hosts_per_switch: too many hosts, found 4000000000; allowed: at most 16777216",
        ),
        (
            ["ring:n=4", "ring:n=5"],
            {},
            "planes 'ring:n=4' and 'ring:n=5' have no common racks: only one has '4'; "
            "allowed: planes over the same racks, or with hosts of the same names",
        ),
        (
            ["fat-tree:k=4", "ring:n=4"],
            {},
            "planes name different hosts: only one of 'fat-tree:k=4' (16 hosts) and 'ring:n=4' (0 hosts) has 'h0'; "
            "allowed: planes over the same hosts",
        ),
    ],
)
def test_what_makes_no_network(texts: list[str], options: dict[str, object], message: str) -> None:
    with pytest.raises(PnetError) as caught:
        build_network(texts, **options)  # type: ignore[arg-type]
    assert str(caught.value) == message
    assert caught.value.exit_code == 2


def test_a_file_has_no_seed() -> None:
    Path("net.edges").write_text("a b\n")
    with pytest.raises(SpecError, match=r"net\.edges: heterogeneous planes differ by seed, and a file has none"):
        build_network(["net.edges"], planes=2, variant="heterogeneous")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("builder: rang\n", {}, "s.yaml: unknown topology 'rang' (did you mean 'ring'?); allowed: "),
        ("builder: ring\n", {}, "s.yaml: ring: parameter 'n' is required"),
        (
            "builder: ring\nparameters: {n: 2}\n",
            {},
            "s.yaml: ring: n: input should be greater than or equal to 3, found 2",
        ),
        ("builder: ring\nbuilder: path\n", {}, "s.yaml:2: not YAML: key 'builder' is given twice"),
        ("builder: ring\n x: [\n", {}, "s.yaml:2: not YAML: mapping values are not allowed here"),
        ("builder: [\n", {}, "s.yaml:2: not YAML: expected the node content, but found '<stream end>'"),
        ("- ring\n", {}, "s.yaml: not a network spec; allowed: a mapping with builder, file or planes"),
        ("planes: []\n", {}, "s.yaml: planes: tuple should have at least 1 item after validation, not 0, found []"),
        ("planes: 2\n", {}, "s.yaml: a plane has either a builder or a file"),
        ("planes: [{}]\n", {}, "s.yaml: planes.0: a plane has either a builder or a file, found {}"),
        ("planes: [ring]\n", {}, "s.yaml: planes.0: "),
        ("planes: 0\nbuilder: ring\n", {}, "s.yaml: planes: input should be greater than or equal to 1, found 0"),
        ("file: b.adj\nparameters: {}\n", {}, "s.yaml: parameters has no meaning beside file"),
        ("file: b.adj\n", {}, "b.adj: cannot read the file: No such file or directory"),
        ("builder: ring\nplane: 4\n", {}, "s.yaml: unknown parameter 'plane' (did you mean 'planes'?); allowed: "),
        (
            "builder: !!python/object:os.system {}\n",
            {},
            "s.yaml:1: not YAML: a value with the tag !!python/object:os.system",
        ),
        ("builder: jellyfish\nparameters: {k: 4}\nplanes: 3\n", {"planes": 2}, "planes: s.yaml says 3, found 2"),
        (
            "builder: jellyfish\nparameters: {k: 4}\nplanes: 3\nvariant: heterogeneous\n",
            {"variant": "serial"},
            "variant: s.yaml says heterogeneous, found 'serial'",
        ),
    ],
)
def test_wrong_specs(text: str, options: dict[str, object], message: str) -> None:
    Path("s.yaml").write_text(text)
    with pytest.raises(PnetError) as caught:
        build_network(["s.yaml"], **options)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)
    assert caught.value.exit_code == 2
