"""Broken files: each gives one sentence with file and line, and never another exception."""

from pathlib import Path

import pytest

from pnet_lp.errors import TopologyError
from pnet_lp.topology import read_plane

GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n<graph edgedefault="{}">\n{}\n</graph></graphml>'
NODES = '<node id="a"/><node id="b"/>\n'
NO_FORMAT = "not a known network format"
NAMING = "; allowed: a suffix that names the format: .adj, "
CABLE = "u v [capacity_gbps [capacity_back_gbps]]"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("f.txt", b"", "f.txt: the file is empty"),
        ("f.gml", b" \n\t\n", "f.gml: the file is empty"),
        ("f.txt", b"0 1\n\xff\xfe", "f.txt:2: not a text file; allowed: UTF-8 text"),
        ("f.txt", b"0 1\n1 2\n\0", "f.txt:3: not a text file; allowed: UTF-8 text"),
        ("f.json", b"\x80\x04\x95", "f.json:1: not a text file; allowed: UTF-8 text"),
        # adjacency tokens
        (
            "f.adj",
            b"c2_0_1 c2_1_0\nc2_1_2\n",
            "f.adj:2: c2_1_2 has no reverse c2_2_1; allowed: every cable in both directions",
        ),
        (
            "f.txt",
            b"c2_0_1 c2_1_0\nc2_1_2 c2_2_1\nc2_0_1\n",
            "f.txt:3: c2_0_1 has no reverse c2_1_0; allowed: every cable in both directions",
        ),
        (
            "f.txt",
            b"c2_0_1\nc2_1_0\nc2_1-2\nc2_2_1\n",
            "f.txt:3: not an adjacency token, found 'c2_1-2'; allowed: c2_u_v, u and v the numbers of two switches",
        ),
        (
            "f.txt",
            b"c2_0_1\nc2_1_0\nc3_1_2 c3_2_1\n",
            "f.txt:3: not an adjacency token, found 'c3_1_2'; allowed: c2_u_v, u and v the numbers of two switches",
        ),
        ("f.txt", b"c2_0_1 c2_1_0 c2_4_4\n", "f.txt:1: a cable joins switch 4 to itself, found 'c2_4_4'"),
        (
            "f.gml",
            b"graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] edge [ source 0 target 1 ] ]",
            "f.gml: not GML: edge #1 (0--1) is duplicated",
        ),
        # edge lists
        ("f.txt", b"0 1\n1\n", f"f.txt:2: not a cable, found '1'; allowed: {CABLE}"),
        ("f.txt", b"0 1\n1 2 3 4 5.5\n", f"f.txt:2: not a cable, found '1 2 3 4 5.5'; allowed: {CABLE}"),
        ("f.txt", b"0 1\n1 2 -4\n", "f.txt:2: not a valid link speed, found '-4'; allowed: 0, or 1e-15 to 1e+15 Gb/s"),
        (
            "f.txt",
            b"0 1\n1 2 nan\n",
            "f.txt:2: not a valid link speed, found 'nan'; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
        (
            "f.txt",
            b"0 1\n1 2 3 inf\n",
            "f.txt:2: not a valid link speed, found 'inf'; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
        (
            "f.txt",
            b"0 1 {'weight': 3}\n",
            "f.txt:1: not a valid link speed, found \"{'weight':\"; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
        ("f.txt", b"0 1\n\n2 2\n", "f.txt:3: a cable joins switch '2' to itself"),
        ("f.edges", b"# nothing\n", f"f.edges: the file names no switch; allowed: lines {CABLE}"),
        ("f.txt", b"# nothing\n", f"f.txt: {NO_FORMAT}{NAMING}"),
        ("f.txt", b"hello world\ngood morning\n", f"f.txt: {NO_FORMAT}, found 'hello world'{NAMING}"),
        ("f.txt", b"#: switch a box=1\na b\n", "f.txt: switch 'b' has no box, and others have one"),
        (
            "f.txt",
            b"#: switch a box=-1\na b\n",
            "f.txt:1: not a property of a switch, found 'box=-1'; "
            "allowed: #: switch NAME [tier=T] [rack=R] [box=B] [at=X,Y]",
        ),
        ("f.txt", b"0 1\n#: hist h 0 1\n", "f.txt:2: not a declaration, found 'hist h 0 1'; allowed: #: switch NAME"),
        ("f.txt", b"0 1\n#: host h 0\n", "f.txt:2: not a declaration, found 'host h 0'; allowed: #: switch NAME"),
        ("f.txt", b"0 1\n#: host h 9 10\n", "f.txt:2: host 'h' is on an unknown switch, found '9'"),
        ("f.txt", b"0 1\n#: host h 0 1\n#: host h 1 1\n", "f.txt:3: the name 'h' is used by two hosts"),
        ("f.txt", b"#: switch 0\n#: switch 0\n0 1\n", "f.txt:2: the name '0' is used by two switches"),
        ("f.txt", b"#: switch 0 rack=0\n#: switch 1 rack=0\n", "f.txt:2: two racks are number 0"),
        ("f.txt", b"#: switch 0 tier=-1\n", "f.txt:1: not a property of a switch, found 'tier=-1'; allowed: "),
        # JSON
        ("f.json", b"[1, 2]", "f.json: not a node-link document; allowed: an object with nodes and edges"),
        ("f.json", b'{"nodes": [],\n "edges": [}', "f.json:2: not JSON: "),
        ("f.json", b"0 1\n", "f.json:1: not JSON: Extra data"),
        ("f.json", b"[" * 100_000, "f.json: not JSON: maximum recursion depth exceeded"),
        ("f.json", b'{"nodes": []}', "f.json: 'edges' is missing or not a list of objects"),
        ("f.json", b'{"nodes": [], "edges": []}', "f.json: a plane needs at least one switch"),
        (
            "f.json",
            b'{"nodes": [{"id": 1}, {"id": 1}], "edges": []}',
            "f.json: nodes[1]: the id 1 is used by two nodes",
        ),
        ("f.json", b'{"nodes": [{"id": 1}, {"id": "1"}], "edges": []}', "f.json: the name '1' is used by two switches"),
        (
            "f.json",
            b'{"nodes": [{"name": 1}], "edges": []}',
            "f.json: nodes[0]: 'id' is missing or not a name; allowed: text or a number",
        ),
        (
            "f.json",
            b'{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 2}]}',
            "f.json: edges[0]: target 2 is not a node",
        ),
        (
            "f.json",
            b'{"nodes": [{"id": 1}, {"id": 2}], "edges": [{"source": 1, "target": 2, "capacity_gbps": NaN}]}',
            "f.json: cable '1' - '2': invalid speed, found nan; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
        (
            "f.json",
            b'{"nodes": [{"id": 1}, {"id": 2}], "edges": [{"source": 1, "target": 2, "capacity": "fast"}]}',
            "f.json: cable 1 - 2: speed is not a number, found 'fast'; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
        (
            "f.json",
            b'{"nodes": [{"id": 1}, {"id": 2}], "edges": [{"source": 1, "target": 2, "capacity": 1, "bandwidth": 2}]}',
            "f.json: edges have both capacity and bandwidth; allowed: capacity_gbps, or one of the two",
        ),
        (
            "f.json",
            b'{"nodes": [{"id": "a\\nb"}], "edges": []}',
            "f.json: a switch's name is not printable text, found 'a\\nb'",
        ),
        # GraphML
        ("f.graphml", b"<html>\n<body/></html>", "f.graphml: not GraphML: file not successfully read as graphml"),
        ("f.graphml", b"<graphml>\n<graph>", "f.graphml:2: not XML: no element found"),
        ("f.graphml", b"0 1\n", "f.graphml:1: not XML: syntax error"),
        ("f.xml", b"<!DOCTYPE x [\n]><graphml/>", "f.xml:1: a document type declaration is refused"),
        (
            "f.graphml",
            GRAPHML.format("undirected", '<node id="a"/>\n<node id="a"/>').encode(),
            "f.graphml:4: the id 'a' is used by two nodes",
        ),
        (
            "f.graphml",
            GRAPHML.format("undirected", NODES + '<edge source="a" target="c"/>').encode(),
            "f.graphml:4: an edge ends at 'c', which is not a node",
        ),
        (
            "f.graphml",
            GRAPHML.format(
                "undirected", NODES + '<edge id="e" source="a" target="b"/>\n<edge id="e" source="b" target="a"/>'
            ).encode(),
            "f.graphml:5: the id 'e' is used by two edges between 'b' and 'a'",
        ),
        (
            "f.graphml",
            GRAPHML.format("directed", NODES + '<edge source="a" target="b"/>').encode(),
            "f.graphml: link 'a' -> 'b' has no reverse link 'b' -> 'a'; allowed: directed graphs that hold both",
        ),
        ("f.graphml", GRAPHML.format("undirected", "").encode(), "f.graphml: a plane needs at least one switch"),
        ("f.graphml", b"<graphml>\n<graph/>\n<graph/></graphml>", "f.graphml:3: the file holds several graphs"),
        # GML
        (
            "f.gml",
            b'graph [\n node [ id 0 label "a" ]\n node [ id 0 label "b" ]\n]',
            "f.gml: not GML: node id 0 is duplicated",
        ),
        ("f.gml", b"graph [\n node [ id 0\n edge 3 ]\n", "f.gml:4: not GML: expected ']', found EOF"),
        ("f.gml", b"graph [\n node [ id ?0 ]\n]\n", "f.gml:2: not GML: cannot tokenize ?0 ]"),
        ("f.gml", b"0 1\n", "f.gml:1: not GML: expected EOF, found 0"),
        (
            "f.gml",
            b"graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 capacity -3 ] ]",
            "f.gml: cable '0' - '1': invalid speed, found -3.0; allowed: 0, or 1e-15 to 1e+15 Gb/s",
        ),
    ],
)
def test_broken_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    with pytest.raises(TopologyError) as caught:
        read_plane(name)
    assert str(caught.value).startswith(message)


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="none: cannot read the file: No such file or directory"):
        read_plane(tmp_path / "none")
    with pytest.raises(TopologyError, match=": cannot read the file: Is a directory"):
        read_plane(tmp_path)
