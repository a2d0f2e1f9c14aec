"""DOT: the grammar by hand, and what is refused with its line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pnet_lp.errors import TopologyError
from pnet_lp.model import Plane
from pnet_lp.topology import read_plane, write_plane
from pnet_lp.topology.io import parse_plane

DATA = Path(__file__).parents[1] / "data"


def read(text: str, link_gbps: float = 7.0) -> Plane:
    return parse_plane(text.encode(), "f", link_gbps=link_gbps)


def cables(plane: Plane) -> list[tuple[str, str, float]]:
    names = plane.switch_names
    ends = zip(plane.cable_u.tolist(), plane.cable_v.tolist(), plane.capacity_uv_gbps.tolist(), strict=True)
    return sorted((*sorted((names[u], names[v])), gbps) for u, v, gbps in ends)


def test_a_tree_with_subgraphs_defaults_chains_and_ports() -> None:
    plane = read_plane(DATA / "tree.dot")
    assert cables(plane) == [("leaf0", "spine", 100), ("leaf1", "spine", 100)]
    assert (plane.host_names, plane.access_up_gbps.tolist()) == (("h0", "h 1"), [25, 25])
    assert [plane.switch_names[switch] for switch in plane.host_switch] == ["leaf0", "leaf0"]
    assert plane.tier[plane.switch_names.index("spine")] == 1
    assert plane.position is not None
    assert plane.position[plane.switch_names.index("spine")].tolist() == [3, 4]
    assert plane.delay_ns is not None
    assert plane.delay_ns.tolist() == [5, 5]


def test_parallel_directed_and_strict_edges() -> None:
    assert cables(read("graph { a -- b; b -- a; }")) == [("a", "b", 7)] * 2
    assert cables(read("strict graph { a -- b; b -- a }")) == [("a", "b", 7)]
    directed = read("DIGRAPH { a -> b [capacity=3]; b -> a [capacity=5] }")
    assert (directed.capacity_uv_gbps.tolist(), directed.capacity_vu_gbps.tolist()) == ([3], [5])
    with pytest.raises(TopologyError, match="b"):
        read("digraph { a -> b }")


def test_names_are_any_text(tmp_path: Path) -> None:
    names = ['a"b', "graph", "1.5", "c -- d", "#;", "\u00e9<", "x=1"]
    plane = Plane.from_cables(names, [0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6], [1e-7, 2, 0.1, 3, 5e14, 0])
    write_plane(plane, tmp_path / "a.gv")
    again = read_plane(tmp_path / "a.gv")
    assert (again.switch_names, again.fingerprint) == (tuple(names), plane.fingerprint)
    odd = Plane.from_cables(["a\\", "b"], [0], [1])
    with pytest.raises(TopologyError, match="DOT cannot hold names with a backslash"):
        write_plane(odd, tmp_path / "b.gv")


def test_reading_takes_time_in_proportion() -> None:
    """3,000 edges: parsers that go back for each token take ten seconds."""
    text = "graph {" + "\n".join(f"a{i} -- a{i + 1} [capacity_gbps=10];" for i in range(3000)) + "}"
    begin = time.process_time()
    assert read(text).cable_count == 3000
    assert time.process_time() - begin < 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph {\n a - b }", "f:2: not DOT, found '- b }'"),
        ("graph {\n a -> b }", "f:2: not an edge of this kind of graph, found '->'; allowed: --"),
        ("digraph {\n a -- b }", "f:2: not an edge of this kind of graph, found '--'; allowed: ->"),
        ("graph {\n a -- }", "f:2: not DOT, found '}'; allowed: a node"),
        ("graph {\n a [x=] }", "f:2: not DOT, found ']'; allowed: a value"),
        ("graph {\n a [x 1] }", "f:2: not DOT, found '1'; allowed: ="),
        ("graph {\n a -- b\n", "f:3: not DOT, found 'the end of the file'; allowed: a node"),
        ("graph {\n} graph {}", "f:2: not DOT, found 'graph'; allowed: one graph"),
        ("graph {\n a -- <b> -- <c }", "f:2: an angle bracket is not closed"),
        ("graph {" + "{" * 200, "f:1: subgraphs are nested too deeply; allowed: 100"),
        ('graph {\n a -- b [capacity_gbps="1_0"] }', "f:2: not a decimal number, found '1_0'"),
        ("graph { a -- b [capacity_gbps=fast] }", "f: cable 'a' - 'b': speed is not a number, found 'fast'"),
    ],
)
def test_faults(text: str, message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        read(text)
    assert message in str(caught.value)
