"""What a picture shows: cuts, loads, lengths, failures; and what is refused."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import pnet_lp
from pnet_lp.drawing import draw
from pnet_lp.errors import CertificateError, PnetError, SpecError, TopologyError
from pnet_lp.failures import Failures, fail
from pnet_lp.model import Network, Plane
from pnet_lp.model.arrays import ints
from pnet_lp.questions.throughput.links import link_table
from pnet_lp.tables import write_table
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from ..topology.conftest import planes
from .conftest import net, read, read_text

DUMBBELL = Plane.from_cables(6, [0, 0, 1, 3, 3, 4, 2], [1, 2, 2, 4, 5, 5, 3], label="dumbbell")
"""Two triangles, joined by one cable."""


def names(elements: list) -> set[str]:
    """Return what the titles of switches or cables call them."""
    return {one.title.split(";")[0].split(" ", 3)[3] for one in elements}


def test_the_cut_of_a_dumbbell_is_its_bar() -> None:
    drawing = draw(Network.from_planes([DUMBBELL]), cut="bisection")
    picture = read(drawing)
    assert names(picture.of("cut")) == {"2 - 3"}
    sides = {frozenset(names(picture.of(f"side-{side}"))) for side in "ab"}
    assert sides == {frozenset("012"), frozenset("345")}
    assert drawing.captions[1] == (
        "bisection: 100 Gb/s in 1 cable between halves of the 6 racks (no halves are joined by less: proved)"
    )
    assert drawing.captions[1] in " ".join(picture.texts)
    assert {"side A of the cut", "side B of the cut", "cable in the cut"} <= set(picture.texts)


def test_a_cut_of_access_links_alone_says_so() -> None:
    """Hosts are not drawn: nothing is thick, and all switches are on one side."""
    network = build_network("complete:n=6", hosts_per_switch=2)
    drawing = draw(network, cut="bisection")
    assert drawing.captions[1].startswith(
        "bisection: 600 Gb/s in 6 access links and no cable, which level=rack would cut, between halves of the 12 hosts"
    )
    texts = read(drawing).texts
    assert len({"side A of the cut", "side B of the cut"} & set(texts)) == 1
    assert "cable in the cut" not in texts
    assert " in 9 cables between" in draw(network, cut="bisection", level="rack").captions[1]


@pytest.mark.parametrize(
    ("text", "level"), [("torus:dims=4x4", "rack"), ("fat-tree:k=4", "host"), ("jellyfish:k=4", "rack")]
)
@pytest.mark.parametrize("kind", ["bisection", "sparsest"])
def test_what_is_thick_parts_the_sides(text: str, level: str, kind: str) -> None:
    network = net(text)
    drawing = draw(network, cut=kind, level=level)  # type: ignore[arg-type]
    picture, cut = read(drawing), drawing.document["cut"]
    assert len(picture.of("cut")) == cut["cables"]
    [plane] = network.planes
    graph = plane.to_networkx()
    graph.remove_edges_from(
        [
            (u, v, key)
            for u, v, key in graph.edges(keys=True)
            if f"{u} - {v}" in names(picture.of("cut")) or f"{v} - {u}" in names(picture.of("cut"))
        ]
    )
    parts = [set(part) for part in nx.connected_components(graph)]
    first = names(picture.of("side-a"))
    assert all(part & set(plane.switch_names) <= first or not part & first for part in parts)
    if level == "rack":
        assert cut["capacity_gbps"] == 100 * cut["cables"]
    assert ("heuristic" in drawing.captions[1]) == (kind == "sparsest")
    if kind == "bisection" and text.startswith("fat-tree"):
        # As narrow as the access links of half of the hosts, but a cut of the network, pods whole.
        assert cut["cables"] == 8
        assert {f"agg{i}" for i in range(8)} & first in ({f"agg{i}" for i in range(b, b + 4)} for b in (0, 4))


def test_cables_show_what_they_carry(tmp_path: Path) -> None:
    """The same from a result, a saved one, and a table of any format."""
    network = fail(net("jellyfish:k=4", 2, "heterogeneous"), Failures(links=0.1), seed=1)
    matrix = build_traffic("permutation", network)
    result = solve(network, matrix, routing="ksp:4")
    drawing = draw(network, traffic=matrix, load=result)
    table = link_table(network, matrix, result)
    save_result(tmp_path / "r.json", network, matrix, result)
    assert draw(network, load=tmp_path / "r.json").svg() == drawing.svg()
    assert draw(network, traffic="permutation", routing="ksp:4").svg() == drawing.svg()
    styles = {one.title: one.style for one in read(drawing).of("cable")}
    for name in ("links.csv", "links.json", "links.parquet"):
        write_table(table, tmp_path / name)
        other = draw(network, load=tmp_path / name)
        assert {one.title: one.style for one in read(other).of("cable")} == styles
        assert other.captions[1] == f"loads of {name}"
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    core = [row for row in rows if row["kind"] == "core"]
    fullest: dict[tuple[object, object], float] = {}
    for row in core:
        key = row["plane"], row["cable"]
        fullest[key] = max(fullest.get(key, 0.0), float(row["utilisation"]))  # type: ignore[arg-type]
        there = next(title for title in styles if _is_of(title, row))
        assert f"{row['load_gbps']:.4g} Gb/s ({row['utilisation']:.1%})" in there
    # Ten shades, each for its tenth of the scale; dashed grey is what has failed.
    strokes = Counter(style.split("stroke: ")[1].split(";")[0] for style in styles.values())
    failed = sum(int(np.sum(plane.capacity_uv_gbps == 0)) for plane in network.planes)
    tenths = Counter(min(int(value * 10), 9) for value in fullest.values())
    tenths[0] -= failed
    shades = [count for count in (*tenths.values(), failed) if count]
    assert sorted(shades) == sorted(strokes.values())


@pytest.mark.parametrize(
    "options", [{"solver": "symmetric"}, {"objective": "min-max-utilisation"}, {"objective": "total"}]
)
def test_saved_loads_are_those_of_the_solve(options: dict[str, str], tmp_path: Path) -> None:
    network = net("fat-tree:k=4")
    matrix = build_traffic("all-to-all", network, "rack")
    result = solve(network, matrix, **options)  # type: ignore[arg-type]
    save_result(tmp_path / "r.json", network, matrix, result)
    assert draw(network, load=tmp_path / "r.json").svg() == draw(network, traffic=matrix, load=result).svg()


def test_saved_loads_of_traffic_routed_by_metrics_are_drawn_without_them(tmp_path: Path) -> None:
    ring = net("ring:n=4")
    [plane] = ring.planes
    far = replace(ring, planes=(replace(plane, metric=ints([[1, 1], [1, 1], [5, 5], [1, 1]])),))
    matrix = build_traffic("all-to-all", far, "rack")
    save_result(tmp_path / "r.json", far, matrix, solve(far, matrix, routing="ecmp-split"))
    assert draw(ring, load=tmp_path / "r.json").svg() == draw(far, load=tmp_path / "r.json").svg()
    with pytest.raises(SpecError, match="another network"):
        draw(net("ring:n=5"), load=tmp_path / "r.json")


def _is_of(title: str, row: dict[str, object]) -> bool:
    ends = (f"{row['u']} - {row['v']};", f"{row['v']} - {row['u']};")
    return title.startswith(tuple(f"plane {row['plane']}, cable {end}" for end in ends))


def test_lengths_are_on_what_binds() -> None:
    network = Network.from_planes([DUMBBELL])
    drawing = draw(network, traffic="all-to-all", lengths=True)
    shades = {one.title.split(";")[0]: one.style for one in read(drawing).of("cable")}
    bar = shades.pop("plane 0, cable 2 - 3")
    assert "#440154" in bar
    assert all("#440154" not in style for style in shades.values())
    assert drawing.document["colours"] == "length"
    assert any("dual length" in text for text in read(drawing).texts)


def test_what_has_failed_is_dashed() -> None:
    network = net("torus:dims=4x4")
    cables = fail(network, Failures(links=0.25), seed=3)
    picture = read(draw(cables))
    assert len(picture.of("failed")) == 8
    assert all("stroke-dasharray" in one.style for one in picture.of("failed"))
    assert "failed cable" in picture.texts
    directions = fail(network, Failures(links=0.25, unit="direction"), seed=3)
    [plane] = directions.planes
    one_way = (plane.capacity_uv_gbps == 0) != (plane.capacity_vu_gbps == 0)
    assert len(read(draw(directions)).of("half-failed")) == np.sum(one_way) > 0
    alone = fail(network, Failures(switches=0.2), seed=3)
    assert len(read(draw(alone)).of("dead")) == 3


def test_planes_side_by_side_as_layers_and_identical() -> None:
    same, different = net("torus:dims=3x3", 3), net("jellyfish:k=4", 3, "heterogeneous")
    assert len(read(same.draw()).of("switch")) == 9
    assert "planes 0 to 2, identical" in read(same.draw()).texts
    assert len(read(different.draw()).of("switch")) == 60
    layers = read(same.draw(layers=True))
    assert len(layers.of("switch")) == 27
    assert len({one.points.tobytes() for one in layers.of("switch")}) == 27
    one_failed = fail(same, Failures(planes=(1,)), seed=0)
    assert "planes 0, 2, identical: torus:dims=3x3" in read(one_failed.draw()).texts


def test_a_large_network_is_drawn_as_its_tiers() -> None:
    network = net("fat-tree:k=22")
    drawing = draw(network, cut="bisection", level="rack")
    picture = read(drawing)
    assert drawing.summarised
    assert not picture.elements
    assert {"121 x edge, side A", "121 x edge, side B", "121 racks, 1,331 hosts"} <= set(picture.texts)
    counts = [int(text.split()[0].replace(",", "")) for text in picture.texts if text.endswith(" cables")]
    assert sum(counts) == 2 * 2662
    assert "too many to draw one by one" in drawing.captions[0]
    similar = draw(build_network(["random-regular:n=402,degree=3"], planes=3, variant="heterogeneous"))
    assert "3 planes with these numbers" in read(similar).texts


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png", ".html"])
def test_the_same_network_gives_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        drawing = net("star:n=3").draw(tmp_path / f"{name}{suffix}")
    first, second = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("a", "b"))
    assert first == second
    assert first.startswith({".svg": b"<svg", ".pdf": b"%PDF", ".png": b"\x89PNG", ".html": b"<!DOCTYPE"}[suffix])
    if suffix == ".html":
        text = first.decode()
        assert drawing.svg() in text
        # Names of formats aside, it points nowhere.
        assert {part.split('"')[0] for part in text.split("http")[1:]} == {
            "://www.w3.org/2000/svg",
            "://www.w3.org/1999/xlink",
        }
    if suffix == ".pdf":
        assert b"/FontFile2" in first  # text, not outlines


@given(planes())
@settings(max_examples=6)
def test_any_plane_can_be_drawn(plane: Plane) -> None:
    """Also names that mean something to XML or to a typesetter."""
    picture = read(draw(Network.from_planes([plane])))
    assert len(picture.of("cable")) == plane.cable_count
    for one, name in zip(picture.of("switch"), plane.switch_names, strict=True):
        assert one.title.startswith(f"plane 0, switch {name};")


def test_python_finds_it() -> None:
    drawing = net("ring:n=5").draw()
    assert isinstance(drawing, pnet_lp.Drawing)
    assert ElementTree.fromstring(drawing._repr_svg_()).tag.endswith("svg")
    assert repr(drawing) == "Drawing(title='ring:n=5', summarised=False)"


RING = net("ring:n=4")
OTHER = net("ring:n=5")


@pytest.mark.parametrize(
    ("network", "arguments", "message"),
    [
        (RING, {"path": "x.gif"}, "x.gif: unknown picture format, found '.gif'; allowed: .html, .pdf, .png, .svg"),
        (
            RING,
            {"lengths": True},
            "lengths: nothing is solved, so there are no lengths; allowed: load or traffic with it",
        ),
        (RING, {"level": "rack"}, "level: nothing depends on it; allowed: traffic or cut with it"),
        (RING, {"routing": "ecmp"}, "routing: nothing is solved; allowed: traffic with it, and no load"),
        (
            RING,
            {"load": "x.csv", "traffic": "all-to-all"},
            "traffic: a file of loads has its own traffic matrix; allowed: load or traffic",
        ),
        (RING, {"cut": "bisection", "level": "host"}, "the network has no hosts, so host-level demands mean nothing"),
        (
            Network.from_planes([Plane.from_cables(1, [], [])]),
            {"cut": "bisection"},
            "cut: one rack cannot be halved, found 'bisection'; allowed: a network of two or more racks or hosts",
        ),
        (Network.from_planes([Plane.from_cables(1, [], [])]), {"cut": "sparsest"}, "cut: one rack cannot be divided"),
        (
            RING,
            {"load": solve(OTHER, build_traffic("all-to-all", OTHER)), "traffic": build_traffic("all-to-all", RING)},
            "load: the result is of another network, found 'sha256:",
        ),
        (net("random-regular:n=402,degree=3"), {"layers": True}, "layers: a network this large is drawn as its tiers"),
        (
            net("random-regular:n=8,degree=3", 17, "heterogeneous"),
            {},
            "too many planes that look different, found 17; allowed: at most 16 in a picture",
        ),
    ],
)
def test_what_makes_no_picture(network: Network, arguments: dict, message: str) -> None:
    with pytest.raises(PnetError) as caught:
        draw(network, **arguments)
    assert str(caught.value).startswith(message)


HEADER = "plane,u,v,kind,cable,capacity_gbps,load_gbps,utilisation,length\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("src,dst,demand,rate_gbps\n0,1,1,1\n", "links.csv:1: not the header, found 'src,dst,demand,rate_gbps'"),
        (HEADER, "links.csv: the link from '0' to '1' of plane 0 has no row"),
        (f"{HEADER}0,0,2,core,0,100,1,0.01,0\n", "links.csv:2: the network drawn has no such link, found"),
        (f"{HEADER}1,0,1,core,0,100,1,0.01,0\n", "links.csv:2: the network drawn has no such link, found"),
        (f"{HEADER}0,0,1,core,0.5,100,1,0.01,0\n", "links.csv:2: cable is not a whole number, found '0.5'"),
        (f"{HEADER}0,0,1,core,0,40,1,0.01,0\n", "links.csv:2: the link has another speed in the network drawn"),
        (f"{HEADER}0,0,1,core,0,100,-1,0,0\n", "links.csv:2: invalid load_gbps, found '-1'; allowed: a number >= 0"),
        (HEADER + 2 * "0,0,1,core,0,100,1,0.01,0\n", "links.csv:3: the link has two rows"),
    ],
)
def test_a_table_that_is_of_no_link_here(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text(content)
    with pytest.raises(PnetError) as caught:
        draw(RING, load=path)
    assert str(caught.value).removeprefix(f"{tmp_path}/").startswith(message)


def test_a_file_that_holds_no_loads(tmp_path: Path) -> None:
    matrix = build_traffic("all-to-all", RING)
    result = solve(RING, matrix)
    save_result(tmp_path / "r.json", RING, matrix, result)
    document = json.loads((tmp_path / "r.json").read_text())
    with pytest.raises(PnetError, match="another network"):
        draw(OTHER, load=tmp_path / "r.json")
    (tmp_path / "answer.json").write_text(json.dumps(result.to_json()))
    with pytest.raises(PnetError, match="format"):
        draw(RING, load=tmp_path / "answer.json")
    document["throughput_gbps"] *= 2
    (tmp_path / "r.json").write_text(json.dumps(document))
    with pytest.raises(CertificateError, match="throughput_gbps"):
        draw(RING, load=tmp_path / "r.json")
    for content, message in (("[1]", "not a row of links"), ("[", "not JSON"), ("", "not JSON")):
        (tmp_path / "l.json").write_text(content)
        with pytest.raises(PnetError, match=message):
            draw(RING, load=tmp_path / "l.json")
    (tmp_path / "l.parquet").write_text("PAR1")
    with pytest.raises(PnetError, match="not Parquet"):
        draw(RING, load=tmp_path / "l.parquet")


def test_the_pictures_of_the_documentation_are_these() -> None:
    """The same elements in the same places; which of several optima is shown depends on the solver."""
    pictures = Path(__file__).parents[2] / "docs" / "pictures"
    tree = net("fat-tree:k=4").draw(cut="bisection", traffic="permutation")
    torus = net("torus:dims=4x6").draw(traffic="longest-matching", lengths=True)
    for drawing, name in ((tree, "fat-tree.svg"), (torus, "torus.svg")):
        before, now = read_text((pictures / name).read_text()), read(drawing)
        both = [
            {one.title.split(";")[0]: (one.classes, one.points.tolist()) for one in picture.elements}
            for picture in (before, now)
        ]
        assert both[0].keys() == both[1].keys()
        for key, (classes, points) in both[0].items():
            assert both[1][key][0] == classes
            np.testing.assert_allclose(both[1][key][1], points, atol=0.1)


def test_positions_whose_differences_are_no_numbers(tmp_path: Path) -> None:
    """Too far apart they are refused, and next to nothing apart they are one place."""
    with pytest.raises(TopologyError, match=r"a position is too far away, found 1e\+308; allowed: up to 1e\+15"):
        Plane.from_cables(2, [0], [1], position=[[1e308, 0], [-1e308, 0]])
    near = Plane.from_cables(3, [0, 1], [1, 2], position=[[0, 0], [5e-324, 0], [0, 5e-324]])
    Network.from_planes([near]).draw(tmp_path / "n.svg")
    assert (tmp_path / "n.svg").read_text().startswith("<svg")


def test_a_map_has_names_beside_its_switches_that_cover_nothing() -> None:
    rng = np.random.default_rng(3)
    count = 40
    places = rng.uniform(0, 10, (count, 2))
    cables = np.arange(count - 1)
    called = [f"Place number {i}" for i in range(count)]
    mapped = Plane.from_cables(called, cables, cables + 1, position=places)
    figure = draw(Network.from_planes([mapped]))._drawn.figure
    texts = [text for text in figure.axes[0].texts if text.get_text() in called]
    assert len(texts) > count // 2
    boxes = np.array([text.get_window_extent().extents for text in texts])
    page = figure.bbox.extents
    assert (boxes[:, :2] >= page[:2]).all()
    assert (boxes[:, 2:] <= page[2:]).all()
    for i, box in enumerate(boxes):
        others = np.delete(boxes, i, axis=0)
        assert not ((box[:2] < others[:, 2:]) & (box[2:] > others[:, :2])).all(axis=1).any()
    # By cables, switches of long names have none.
    plain = draw(Network.from_planes([Plane.from_cables(called, cables, cables + 1)]))
    assert not {text.get_text() for text in plain._drawn.figure.axes[0].texts} & set(called)
