"""Formats of other programs: what hand-made files mean, what comes back whole, what is refused and how."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.cli import main
from pnet_lp.errors import TopologyError
from pnet_lp.model import Network, Plane
from pnet_lp.topology import build_plane, read_plane, write_network, write_plane

from .conftest import same

DATA = Path(__file__).parents[1] / "data"
HOLDS_ALL = [".edges", ".json", ".graphml", ".gml", ".dot"]
MAPS = [".sndlib", ".sndlib.xml", ".graph", ".topohub.json", ".infragraph.json"]
ASYMMETRIC = [".graph", ".topohub.json"]
COORDINATES = st.floats(-1e6, 1e6, allow_subnormal=False)


@st.composite
def maps(draw: st.DrawFn, *, symmetric: bool) -> Plane:
    """Multigraphs of racks with or without positions."""
    words = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,5}", fullmatch=True)
    names = draw(st.lists(words, min_size=2, max_size=8, unique=True))
    n = len(names)
    ends = st.tuples(st.integers(0, n - 1), st.integers(1, n - 1)).map(lambda pair: (pair[0], sum(pair) % n))
    cables = np.array(draw(st.lists(ends, max_size=12)), dtype=int).reshape(-1, 2)
    speeds = st.lists(st.floats(1e-15, 1e9), min_size=len(cables), max_size=len(cables))
    not_0 = st.floats(1e-9, 1e6) | st.floats(-1e6, -1e-9)
    places = st.lists(st.tuples(COORDINATES, not_0), min_size=n, max_size=n)
    return Plane.from_cables(
        names,
        cables[:, 0],
        cables[:, 1],
        draw(speeds),
        capacity_back_gbps=None if symmetric else draw(speeds),
        position=draw(st.none() | places),
    )


@pytest.mark.parametrize("suffix", [*HOLDS_ALL, *MAPS])
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_maps_come_back_whole(suffix: str, data: st.DataObject) -> None:
    plane = data.draw(maps(symmetric=suffix not in (*HOLDS_ALL, *ASYMMETRIC)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"net{suffix}"
        write_plane(plane, path)
        assert same(read_plane(path, link_gbps=7), plane)
        assert same(read_plane(path.rename(Path(folder) / "net"), link_gbps=7), plane)


@pytest.mark.parametrize("suffix", [*HOLDS_ALL, ".topohub.json", ".infragraph.json"])
def test_some_positions_come_back(tmp_path: Path, suffix: str) -> None:
    plane = Plane.from_cables(3, [0, 1], [1, 2], position=[[1, 2], [np.nan, np.nan], [0.1, -3e-9]])
    write_plane(plane, tmp_path / f"net{suffix}")
    assert same(read_plane(tmp_path / f"net{suffix}"), plane)


def test_positions_are_not_part_of_what_a_plane_is() -> None:
    plane = Plane.from_cables(2, [0], [1], position=[[1, 2], [3, 4]])
    assert plane.fingerprint == Plane.from_cables(2, [0], [1]).fingerprint
    for wrong in ([[1, 2]], [[1, np.inf], [3, 4]], [[1, np.nan], [3, 4]]):
        with pytest.raises(TopologyError, match="position"):
            Plane.from_cables(2, [0], [1], position=wrong)


@given(
    edges=st.integers(1, 3),
    pods=st.integers(2, 4),
    hosts=st.integers(1, 3),
    fan=st.integers(1, 3),
    bundle=st.integers(1, 2),
)
@settings(max_examples=20, deadline=None)
def test_trees_come_back_whole(edges: int, pods: int, hosts: int, fan: int, bundle: int) -> None:
    text = (
        f"Nodes {pods * edges * hosts}\nTiers 3\nPodsize {edges * hosts}\n"
        f"Tier 0\nDownlink_speed_Gbps 10\nRadix_Down {hosts}\nRadix_Up {2 * bundle}\n"
        f"Tier 1\nDownlink_speed_Gbps 20\nRadix_Down {edges * bundle}\nRadix_Up {fan}\nBundle {bundle}\n"
        f"Tier 2\nDownlink_speed_Gbps 40\nRadix_Down {pods}\n"
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "net.topo"
        path.write_text(text)
        plane = read_plane(path)
        counts = (pods * edges, 2 * pods, 2 * fan)
        assert tuple(np.bincount(plane.tier).tolist()) == counts
        assert plane.cable_count == counts[0] * 2 * bundle + counts[1] * fan
        write_plane(plane, path)
        assert same(read_plane(path), plane)


@pytest.mark.parametrize("text", ["fat-tree:k=4", "fat-tree:k=6,oversubscription=2", "fat-tree:k=4,tiers=2"])
def test_fat_trees_come_back_whole(tmp_path: Path, text: str) -> None:
    plane = build_plane(text)
    write_plane(plane, tmp_path / "net.topo")
    assert same(read_plane(tmp_path / "net.topo"), plane)


@given(pairs=st.sets(st.frozensets(st.integers(0, 9), min_size=2, max_size=2), min_size=1))
@settings(max_examples=20, deadline=None)
def test_simple_graphs_come_back_whole_from_topobench(pairs: set[frozenset[int]]) -> None:
    names = sorted({end for pair in pairs for end in pair})
    ends = [[names.index(end) for end in pair] for pair in pairs]
    plane = Plane.from_cables(list(map(str, names)), [u for u, _ in ends], [v for _, v in ends], 7)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "net.topobench"
        write_plane(plane, path)
        assert same(read_plane(path, link_gbps=7), plane)


@pytest.mark.parametrize("name", ["zoo.gml", "zoo.graphml"])
def test_topology_zoo(name: str) -> None:
    plane = read_plane(DATA / name, link_gbps=1)
    assert plane.switch_names == ("Port", "Mill#1", "Mill#7")
    assert sorted(plane.capacity_uv_gbps.tolist()) == [1, 2.5, 10]
    assert plane.position is not None
    assert plane.position[:2].tolist() == [[10.5, 50.25], [11, 51]]
    assert np.isnan(plane.position[2]).all()


@pytest.mark.parametrize("name", ["small.sndlib", "small.sndlib.xml"])
def test_sndlib(name: str) -> None:
    plane = read_plane(DATA / name, link_gbps=40)
    assert plane.switch_names == ("North", "East", "South")
    assert plane.capacity_uv_gbps.tolist() == [9.92, 0.622, 40, 1]
    assert plane.capacity_vu_gbps.tolist() == [9.92, 0.622, 40, 1]
    assert plane.position is not None
    assert plane.position.tolist() == [[10, 54], [14.5, 52], [11, 48.1]]


def test_repetita() -> None:
    plane = read_plane(DATA / "small.graph")
    assert plane.capacity_uv_gbps.tolist() == [9.95328, 9.95328, 0.155]
    assert plane.capacity_vu_gbps.tolist() == [2.48832, 9.95328, 0.155]


@pytest.mark.parametrize("suffix", [".graph", ".gml", ".graphml"])
def test_links_from_a_switch_to_itself_are_left_out_with_a_warning(suffix: str, tmp_path: Path) -> None:
    """As in Interoute of the Topology Zoo, and of Repetita."""
    path = tmp_path / f"net{suffix}"
    if suffix == ".graph":
        looped = (DATA / "small.graph").read_text().replace("EDGES 6", "EDGES 8")
        path.write_text(looped + "edge_6 1 1 1 1000 5\nedge_7 1 1 1 1000 5\n")
        plain = read_plane(DATA / "small.graph")
    else:
        plain = read_plane(DATA / "zoo.gml", link_gbps=1)
        graph = plain.to_networkx()
        graph.add_edge("Mill#1", "Mill#1", capacity_gbps=5)
        graph.add_edge("Mill#1", "Mill#1", capacity_gbps=5)
        getattr(nx, f"write_{suffix[1:]}")(graph, path)
    plane = read_plane(path, link_gbps=1)
    assert plane.fingerprint == plain.fingerprint
    loop = plane.switch_names[1]
    assert plane.warnings == (f"{path}: links from a switch to itself carry nothing and are left out ({loop!r})",)


def test_topohub() -> None:
    plane = read_plane(DATA / "small.topohub.json", link_gbps=40)
    assert plane.switch_names == ("North", "East", "South")
    assert plane.capacity_uv_gbps.tolist() == [40, 40]


def test_htsim() -> None:
    assert same(read_plane(DATA / "tree.topo"), build_plane("fat-tree:k=4"))
    spine = read_plane(DATA / "spine.topo")
    assert (spine.switch_count, spine.host_count, spine.cable_count) == (5, 12, 12)


def test_topobench() -> None:
    plane = read_plane(DATA / "neighbours.topobench")
    assert (plane.switch_count, plane.cable_count) == (5, 6)


@pytest.mark.parametrize("source", sorted(path.name for path in DATA.glob("*.*") if path.suffix in {".gml", ".graph"}))
@pytest.mark.parametrize("suffix", [*HOLDS_ALL, ".topohub.json"])
def test_files_are_converted_from_the_command_line(tmp_path: Path, source: str, suffix: str) -> None:
    target = tmp_path / f"out{suffix}"
    done = CliRunner().invoke(main, ["topology", str(DATA / source), "--out", str(target)])
    assert done.exit_code == 0, done.output
    assert same(read_plane(target), read_plane(DATA / source))


def test_planes_are_numbered_before_a_long_suffix(tmp_path: Path) -> None:
    network = Network.from_planes([build_plane("ring:n=4"), build_plane("ring:n=4")])
    files = write_network(network, tmp_path / "net.v2.sndlib.xml")
    assert [path.name for path in files] == ["net.v2.0.sndlib.xml", "net.v2.1.sndlib.xml"]


RING = build_plane("ring:n=4")
PLACED = replace(RING, position=np.array([[1.0, 2], [3, 4], [5, 6], [np.nan, np.nan]]))


@pytest.mark.parametrize(
    ("plane", "suffix", "obstacle"),
    [
        (Plane.from_cables(2, [0], [1], tier=[0, 1]), ".sndlib", "tiers"),
        (build_plane("fat-tree:k=4"), ".graph", "hosts"),
        (PLACED, ".sndlib", "positions of only some switches"),
        (PLACED, ".adj", "positions"),
        (PLACED, ".topobench", "positions"),
        (replace(RING, box=np.array([0, 0, 1, 1], dtype=np.int32)), ".sndlib", "boxes"),
        (replace(build_plane("fat-tree:k=4"), box=np.zeros(20, dtype=np.int32)), ".topo", "boxes"),
        (replace(build_plane("fat-tree:k=4"), delay_ns=np.full(32, 7.0)), ".topo", "delays"),
        (replace(RING, delay_ns=np.full(4, 7.0)), ".graph", "delays"),
        (Plane.from_cables(["a b", "c"], [0], [1]), ".sndlib", "names of other than letters, digits, - and _"),
        (Plane.from_cables(["a b", "c"], [0], [1]), ".graph", "names with blanks"),
        (Plane.from_cables(2, [0], [1], 1, capacity_back_gbps=2), ".sndlib.xml", "cables with a different speed"),
        (Plane.from_cables(2, [0], [1], 0), ".sndlib", "cables that carry nothing"),
        (Plane.from_cables(2, [0, 1], [1, 0]), ".topobench", "parallel cables"),
        (Plane.from_cables(3, [0, 1], [1, 2], racks=[0]), ".topohub.json", "a choice of racks"),
        (RING, ".topo", "networks other than fat trees of two or three tiers with hosts"),
        (build_plane("fat-tree:k=4,link_gbps=2.5"), ".topo", "speeds that are not whole Gb/s"),
        (build_plane("leaf-spine:leaves=2,spines=2,hosts_per_leaf=1"), ".topo", "this network without loss"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tmp_path: Path, plane: Plane, suffix: str, obstacle: str) -> None:
    with pytest.raises(TopologyError) as caught:
        write_plane(plane, tmp_path / f"net{suffix}")
    assert f"cannot hold {obstacle}" in str(caught.value)
    assert not list(tmp_path.iterdir())


HEADER = "?SNDlib native format; type: network; version: 1.0"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("f", f"{HEADER[:20]}\n", f"f:1: invalid first line, found '{HEADER[:20]}'; allowed: {HEADER}"),
        ("f", f"{HEADER}\n", "f: a plane needs at least one switch"),
        ("f", f"{HEADER}\nNODES (\n a ( 1 x )\n)\n", "f:3: not a position, found '1 x'; allowed: two finite"),
        ("f", f"{HEADER}\nNODES (\n a b\n)\n", "f:3: not a node, found 'a b'; allowed: NAME ( X Y )"),
        ("f", f"{HEADER}\nNODES (\n a ( 1 2 )\n", "f: section NODES does not end; allowed: a line )"),
        ("f", f"{HEADER}\nNODES (\n)\nNODES (\n)\n", "f:4: section NODES is given twice"),
        (
            "f",
            f"{HEADER}\nNODES (\n a ( 1 2 )\n)\nLINKS (\n L ( a b ) 1 0 0 0 ( )\n)\n",
            "f:6: a link ends at 'b', which is not a node",
        ),
        (
            "f",
            f"{HEADER}\nNODES (\n a ( 1 2 )\n b ( 3 4 )\n)\nLINKS (\n L ( a b ) -1 0 0 0 ( )\n)\n",
            "f:7: not a valid capacity, found '-1'; allowed: finite Mbit/s >= 0",
        ),
        ("f", "<network>\n</network>", "f: networkStructure is missing"),
        ("f", "<!DOCTYPE a>\n<network/>", "f:1: "),
        ("f", "NODES 2\nlabel x y\na 0 0\n", "f: table NODES has 1 rows instead of 2"),
        (
            "f",
            "NODES 1\nlabel x y\na 0 0\nEDGES 1\nlabel src dest weight bw delay\ne 0 3 1 1 1\n",
            "f:6: no such node, found '3'; allowed: 0 to 0",
        ),
        (
            "f",
            "NODES 2\nlabel x y\na 0 0\nb 0 0\nEDGES 1\nlabel src dest weight bw delay\ne 0 1 1 1 1\n",
            "f:7: link 0 -> 1 has no reverse link 1 -> 0; allowed: every cable in both directions",
        ),
        ("f", "Nodes 4\nTiers 5\nPodsize 4\n", "f:2: unsupported number of tiers, found 5; allowed: 2 or 3"),
        ("f", "Nodes 4\nTiers 2\nPodsize 4\n", "f: Radix_Down of tier 0 is missing"),
        ("f", "Nodes 4\nTiers 2\nPods 4\n", "f:3: not a key, found 'Pods'; allowed: Nodes, Tiers, Podsize, Tier"),
        ("f.topobench", "1 2\n3\n", "f.topobench:2: a line without neighbours, found '3'; allowed: u v ..."),
    ],
)
def test_broken_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    with pytest.raises(TopologyError) as caught:
        read_plane(name)
    assert str(caught.value).startswith(message)
