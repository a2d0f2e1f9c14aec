"""containerlab's labs: a small Clos by hand, what is refused and how."""

from pathlib import Path

import pytest

from pnet_lp.errors import TopologyError
from pnet_lp.topology import build_network
from pnet_lp.topology.io.files import parse_plane
from pnet_lp.topology.io.format import NETWORK_FORMATS

LAB = Path(__file__).parents[1] / "data" / "clos.containerlab"


def test_a_lab_by_hand() -> None:
    (plane,) = build_network(str(LAB), link_gbps=25.0).planes
    assert plane.switch_names == ("leaf1", "leaf2", "spine1", "spine2")
    assert (plane.cable_u.tolist(), plane.cable_v.tolist()) == ([0, 0, 1, 1], [2, 3, 2, 3])
    assert plane.host_names == ("client1", "client2", "client3")
    assert plane.host_switch.tolist() == [0, 1, -1]
    assert plane.rack_switch.tolist() == [0, 1]
    assert set(plane.capacity_uv_gbps.tolist()) == {25.0}
    assert plane.warnings == (f"{LAB}: 2 of 8 links leave the lab and are not kept",)


@pytest.mark.parametrize(
    ("old", "new"),
    [("topology:\n", "topology:  # of four\n# no indent\n"), ("  nodes:\n", "  \n\n  nodes: # switches first\n")],
)
def test_comments_and_blank_lines_may_stand_anywhere(old: str, new: str) -> None:
    text = LAB.read_text()
    assert old in text
    assert parse_plane(text.replace(old, new).encode(), "f").host_count == 3


def test_blank_lines_are_no_choice_for_the_recognition() -> None:
    """With two readings of each it would not end."""
    (known,) = (format_ for format_ in NETWORK_FORMATS.formats if format_.name == "containerlab")
    assert not known.recognise("topology:\n" + "  \n" * 2000)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            '["leaf1:e1-1", "spine1:e1-1"]',
            '["leaf1:e1-1"]',
            ": link 1: not a link, found {'endpoints': ['leaf1:e1-1']}",
        ),
        (
            '["leaf1:e1-1", "spine1:e1-1"]',
            '["leaf1:e1-1", "spin:e1-1"]',
            ": link 1: a link of an unknown node, found 'spin'",
        ),
        ("type: veth", "type: rope", ": link 4: not a link, found {'type': 'rope'"),
        ("  links:", "  links: 1\n  other:", ": not a lab; allowed: topology with nodes and a list of links"),
        ('["client1:eth1", "leaf1:e1-3"]', '["client1:eth1", "client3:eth1"]', "are joined without a switch"),
        ('["leaf1:e1-1", "spine1:e1-1"]', '["leaf1:e1-1", "leaf1:e1-9"]', "joins switch 'leaf1' to itself"),
    ],
)
def test_faults_are_named(old: str, new: str, sentence: str) -> None:
    text = LAB.read_text()
    assert old in text
    with pytest.raises(TopologyError) as caught:
        parse_plane(text.replace(old, new).encode(), "f")
    assert str(caught.value).startswith("f")
    assert sentence in str(caught.value)
