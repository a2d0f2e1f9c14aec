"""Planes in files: what is written is read back, whatever the plane, and formats are told by content."""

import hashlib
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import TopologyError
from pnet_lp.model import Network, Plane
from pnet_lp.topology import build_network, build_plane, read_plane, write_network, write_plane

from .conftest import planes, same

SUFFIXES = [".edges", ".json", ".graphml", ".gml"]


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(plane=planes())
@settings(max_examples=25, deadline=None)
def test_what_is_written_is_read_back(suffix: str, plane: Plane) -> None:
    names = (*plane.switch_names, *plane.host_names)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"plane{suffix}"
        if suffix == ".edges" and any(name.startswith("#") for name in names):
            with pytest.raises(TopologyError):
                write_plane(plane, path)
            assert not path.exists()
        else:
            write_plane(plane, path)
            assert same(read_plane(path), plane)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "text", ["fat-tree:k=4,host_gbps=10", "jellyfish:k=6", "leaf-spine:leaves=3,spines=2,parallel=3", "star:n=4"]
)
def test_families_survive_every_format(tmp_path: Path, text: str, suffix: str) -> None:
    plane = build_plane(text)
    write_plane(plane, tmp_path / f"net{suffix}")
    assert same(read_plane(tmp_path / f"net{suffix}", link_gbps=1), plane)


@given(plane=planes(names=st.integers(0, 30).map(str)), speed=st.floats(0.1, 400))
@settings(max_examples=25, deadline=None)
def test_adjacency_tokens_hold_bare_multigraphs(plane: Plane, speed: float) -> None:
    names = sorted({plane.switch_names[end] for end in (*plane.cable_u, *plane.cable_v)}, key=int)
    if not names:
        return
    index = {name: i for i, name in enumerate(names)}
    u = [index[plane.switch_names[end]] for end in plane.cable_u]
    v = [index[plane.switch_names[end]] for end in plane.cable_v]
    bare = Plane.from_cables(names, u, v, speed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "plane.adj"
        write_plane(bare, path)
        assert same(read_plane(path, link_gbps=speed), bare)


@pytest.mark.parametrize(
    ("plane", "obstacle"),
    [
        (build_plane("jellyfish:k=4"), "hosts"),
        (build_plane("leaf-spine:leaves=2,spines=2"), "a choice of racks"),
        (Plane.from_cables(["a", "1"], [0], [1]), "switch names that are not numbers"),
        (Plane.from_cables(["0", "9" * 5000], [0], [1]), "switch names that are not numbers"),
        (Plane.from_cables(["1", "0"], [0], [1]), "switches out of order"),
        (Plane.from_cables(3, [0], [1]), "a switch without cables"),
        (Plane.from_cables(3, [0, 1], [1, 2], racks=[0, 2]), "a choice of racks"),
        (Plane.from_cables(2, [0], [1], tier=[0, 1]), "tiers"),
        (Plane.from_cables(2, [0, 0], [1, 1], [1, 2]), "different speeds"),
    ],
)
def test_adjacency_tokens_refuse_what_they_cannot_hold(tmp_path: Path, plane: Plane, obstacle: str) -> None:
    with pytest.raises(TopologyError) as caught:
        write_plane(plane, tmp_path / "net.adj")
    assert f"adjacency tokens cannot hold {obstacle}; allowed: JSON node-link, GraphML, GML" in str(caught.value)
    assert not list(tmp_path.iterdir())


ARTIFACT = {
    1: "371228f252c3d9f7219e38ece5801e4ce7c1f7e862d77545125a2d64afe585c1",
    2: "f176b420f6dc74d8e24a49783a495f6d50be568e80a4970f565434fab1bc372b",
}
"""SHA-256 of the files of P-Net's artifact, which list each switch's cables by the other end's number."""


@pytest.mark.parametrize("number", ARTIFACT)
def test_the_artifact_is_the_one_published(tmp_path: Path, number: int) -> None:
    plane = build_plane(f"pnet-jellyfish-k8-plane{number}")
    write_plane(plane, tmp_path / "net.adj")
    tokens = (tmp_path / "net.adj").read_text().split()
    tokens.sort(key=lambda token: [int(end) for end in token.split("_")[1:]])
    text = "".join(f"{token}\n" for token in tokens)
    assert hashlib.sha256(text.encode()).hexdigest() == ARTIFACT[number]
    (tmp_path / "plane.txt").write_text(text)
    assert same(read_plane(tmp_path / "plane.txt", link_gbps=10), plane)


def test_the_artifact_survives(tmp_path: Path) -> None:
    plane = build_plane("pnet-jellyfish-k8-plane1")
    assert (plane.switch_count, plane.cable_count) == (80, 256)
    assert plane.cable_u[:2].tolist() == [0, 0]
    assert plane.cable_v[:2].tolist() == [9, 27]
    for suffix in (".adj", *SUFFIXES):
        write_plane(plane, tmp_path / f"net{suffix}")
        assert same(read_plane(tmp_path / f"net{suffix}", link_gbps=10), plane)


def test_the_same_graph_in_bare_files_is_the_same_plane(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("c2_0_10 c2_10_0 c2_2_10 c2_10_2 c2_0_2 c2_2_0\n")
    (tmp_path / "b").write_text("0 10\n2 10\n0 2\n")
    assert same(read_plane(tmp_path / "a"), read_plane(tmp_path / "b"))
    assert read_plane(tmp_path / "a").switch_names == ("0", "2", "10")


def test_parallel_tokens_are_parallel_cables(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("c2_0_1 c2_0_1\r\nc2_1_0\r\n\r\nc2_1_0 c2_1_2 c2_2_1")
    plane = read_plane(tmp_path / "a.txt", link_gbps=40)
    assert sorted(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True)) == [(0, 1), (0, 1), (1, 2)]
    assert set(plane.capacity_uv_gbps.tolist()) == {40.0}


def test_an_edge_list_by_hand(tmp_path: Path) -> None:
    (tmp_path / "net").write_text(
        "# comment\n\n  a b\nb a 10 # parallel\nb c 40 25\n#: host h0 a 10\n#: host h1 c 10 5\n#: host h2\n# a z\n"
    )
    plane = read_plane(tmp_path / "net", link_gbps=1)
    assert plane.switch_names == ("a", "b", "c")
    assert plane.cable_u.tolist() == [0, 1, 1]
    assert plane.cable_v.tolist() == [1, 0, 2]
    assert plane.capacity_uv_gbps.tolist() == [1, 10, 40]
    assert plane.capacity_vu_gbps.tolist() == [1, 10, 25]
    assert plane.host_names == ("h0", "h1", "h2")
    assert plane.host_switch.tolist() == [0, 2, -1]
    assert plane.access_up_gbps.tolist() == [10, 10, 0]
    assert plane.access_down_gbps.tolist() == [10, 5, 0]
    assert plane.rack_names == ("a", "c")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_content_tells_the_format(tmp_path: Path, suffix: str) -> None:
    plane = build_plane("leaf-spine:leaves=3,spines=2,hosts_per_leaf=1")
    write_plane(plane, tmp_path / f"net{suffix}")
    for other in (".txt", ".dat", "", ".edges"):
        target = (tmp_path / f"net{suffix}").rename(tmp_path / f"renamed{other}")
        assert same(read_plane(target), plane)
        target.rename(tmp_path / f"net{suffix}")


@pytest.mark.parametrize("attribute", ["capacity_gbps", "capacity", "bandwidth"])
@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph])
def test_graphs_of_other_programs(tmp_path: Path, attribute: str, make: type[nx.Graph]) -> None:
    graph = make()
    graph.add_edge(0, 1, **{attribute: 40, "weight": 3})
    graph.add_edge(1, 2)
    if graph.is_directed():
        graph.add_edge(1, 0, **{attribute: 10})
        graph.add_edge(2, 1)
    nx.write_graphml(graph, tmp_path / "net.graphml")
    nx.write_gml(graph, tmp_path / "net.gml")
    (tmp_path / "net.json").write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    (tmp_path / "old.json").write_text(json.dumps(nx.node_link_data(graph, edges="links")))
    for path in tmp_path.iterdir():
        plane = read_plane(path, link_gbps=1)
        assert plane.switch_names == ("0", "1", "2")
        assert plane.capacity_uv_gbps.tolist() == [40, 1]
        assert plane.capacity_vu_gbps.tolist() == [10 if graph.is_directed() else 40, 1]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_of_brackets(tmp_path: Path, suffix: str) -> None:
    plane = Plane.from_cables(["()", "[]", "{}"], [0, 1], [1, 2], host_switch=[0], host_names=["(]"])
    write_plane(plane, tmp_path / f"net{suffix}")
    assert same(read_plane(tmp_path / f"net{suffix}"), plane)


def test_edges_whose_speed_is_not_understood_are_named(tmp_path: Path) -> None:
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, 40, "speed")
    nx.set_edge_attributes(graph, "copper", "kind")
    nx.write_graphml(graph, tmp_path / "net.graphml")
    nx.write_gml(graph, tmp_path / "net.gml")
    (tmp_path / "net.json").write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    for path in tmp_path.iterdir():
        plane = read_plane(path, link_gbps=25)
        assert plane.capacity_uv_gbps.tolist() == [25, 25]
        assert plane.warnings == (
            f"{path}: no edge has a speed (capacity_gbps, capacity, bandwidth, LinkSpeedRaw), and all get 25 Gb/s, "
            "the speed of links without one (--link-gbps); not read: kind, speed",
        )


@pytest.mark.parametrize("attribute", ["capacity_gbps", "bandwidth", "LinkSpeedRaw"])
def test_edges_without_the_speed_that_others_have_are_counted(tmp_path: Path, attribute: str) -> None:
    graph = nx.path_graph(4)
    graph.edges[1, 2][attribute] = 10
    nx.write_gml(graph, tmp_path / "net.gml")
    assert read_plane(tmp_path / "net.gml").warnings == (
        f"{tmp_path}/net.gml: 2 of 3 edges have no {attribute} and get 100 Gb/s, the speed of links without one "
        "(--link-gbps)",
    )


def test_files_that_say_all_or_nothing_of_speeds_are_read_without_a_warning(tmp_path: Path) -> None:
    graph = nx.path_graph(3)
    nx.write_graphml(graph, tmp_path / "bare.graphml")
    nx.set_edge_attributes(graph, 10, "bandwidth")
    nx.set_edge_attributes(graph, 3, "weight")
    nx.write_graphml(graph, tmp_path / "fast.graphml")
    for path in tmp_path.iterdir():
        assert read_plane(path).warnings == (), path


def test_gml_without_labels(tmp_path: Path) -> None:
    (tmp_path / "net.gml").write_text("graph\n[ node [ id 3 ] node [ id 5 ] edge [ source 3 target 5 ] ]\n")
    assert read_plane(tmp_path / "net.gml").switch_names == ("3", "5")


def test_defaults_in_graphml(tmp_path: Path) -> None:
    (tmp_path / "net.graphml").write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="c" for="edge" attr.name="capacity_gbps" attr.type="double"><default>25</default></key>'
        '<graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/>'
        '<edge source="b" target="a"><data key="c">10</data></edge></graph></graphml>'
    )
    assert sorted(read_plane(tmp_path / "net.graphml").capacity_uv_gbps.tolist()) == [10, 25]


def test_a_network_goes_to_one_file_per_plane(tmp_path: Path) -> None:
    network = build_network(["jellyfish:k=4"], planes=3, variant="heterogeneous")
    files = write_network(network, tmp_path / "net.json")
    assert [path.name for path in files] == ["net.0.json", "net.1.json", "net.2.json"]
    assert sorted(tmp_path.iterdir()) == list(files)
    again = build_network([str(path) for path in files])
    assert again.fingerprint == network.fingerprint
    assert write_network(Network.from_planes(network.planes[:1]), tmp_path / "one.gml") == (tmp_path / "one.gml",)


def test_writing_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "net.edges"
    path.write_text("before\n")
    with pytest.raises(TopologyError, match="edge lists cannot hold names with blanks or a leading #, found 'a b'"):
        write_plane(Plane.from_cables(["a b", "c"], [0], [1]), path)
    assert path.read_text() == "before\n"
    write_plane(build_plane("ring:n=3"), path)
    assert read_plane(path).cable_count == 3
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("net.csv", "unknown network format, found '.csv'; allowed: .adj, "),
        ("net", "unknown network format, found ''; allowed: "),
    ],
)
def test_files_that_cannot_be_written(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        write_plane(build_plane("ring:n=3"), tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: {message}")


@pytest.mark.parametrize(
    ("name", "attribute"), [("net.gml", "weight"), ("net.graphml", "metric"), ("net.json", "dist")]
)
def test_weights_that_are_not_followed_are_named(tmp_path: Path, name: str, attribute: str) -> None:
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, 40, "capacity_gbps")
    nx.set_edge_attributes(graph, {(0, 1): 1, (1, 2): 5}, attribute)
    write = {".gml": nx.write_gml, ".graphml": nx.write_graphml}.get(Path(name).suffix)
    if write:
        write(graph, tmp_path / name)
    else:
        (tmp_path / name).write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    said = f"shortest paths are those of fewest hops, whatever the {attribute} (--metric {attribute})"
    assert read_plane(tmp_path / name).assumptions == (f"{tmp_path}/{name}: {said}",)
    # Where all are equal the shortest paths are the same.
    nx.set_edge_attributes(graph, 1, attribute)
    nx.write_gml(graph, tmp_path / "equal.gml")
    assert read_plane(tmp_path / "equal.gml").assumptions == ()


def test_weights_of_repetita_and_lengths_of_topohub_are_named() -> None:
    data = Path(__file__).parents[1] / "data"
    for file, name in (("small.graph", "weight"), ("small.topohub.json", "dist")):
        (warning,) = [text for text in read_plane(data / file).assumptions if "no edge has a speed" not in text]
        said = f"shortest paths are those of fewest hops, whatever the {name} (--metric {name})"
        assert warning == f"{data / file}: {said}"
