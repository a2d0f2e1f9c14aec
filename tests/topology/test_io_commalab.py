"""Instances of CommaLab: by hand, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import pnet_lp as pn
from pnet_lp.errors import PnetError
from pnet_lp.topology import build_network, read_plane
from pnet_lp.topology.io import parse_plane
from pnet_lp.traffic import build_traffic

FILE = Path(__file__).parents[1] / "data" / "small.commalab"
TEXT = FILE.read_text()


def test_an_instance_by_hand() -> None:
    """Of 12 from 1 to 3, 10 go over 2 at 2 each, the others straight at 5; 10 + 8 + 1 fit."""
    plane = read_plane(FILE)
    assert plane.rack_names == ("1", "2", "3")
    assert list(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True)) == [(0, 1), (1, 2), (0, 2), (0, 2)]
    assert (plane.capacity_uv_gbps.tolist(), plane.capacity_vu_gbps.tolist()) == ([10, 10, 8, 1], [4, 0, 0, 0])
    assert plane.attributes["unit_cost"].tolist() == [[1, 2], [1, 1], [5, 5], [9, 9]]
    network = build_network(str(FILE))
    traffic = build_traffic(str(FILE), network)
    assert (traffic.src.tolist(), traffic.dst.tolist(), traffic.demand.tolist()) == ([0], [2], [12])
    keys = {"traffic": str(FILE), "level": "rack"}
    found = pn.throughput(str(FILE), objective="min-cost:at=1,costs=unit_cost", **keys)
    assert found.document["cost_gbps_links"] == pytest.approx(30, rel=1e-5)
    assert found.document["warnings"] == []
    assert pn.throughput(str(FILE), **keys).document["throughput_gbps"] == pytest.approx(19 / 12)
    by_cost = pn.throughput(str(FILE), routing="ecmp", metric="unit_cost", **keys).document
    assert by_cost["throughput_gbps"] == pytest.approx(10 / 12)


def test_costs_are_those_of_a_number_that_there_is() -> None:
    with pytest.raises(PnetError, match="cannot read the file"):
        pn.throughput(str(FILE), traffic=str(FILE), level="rack", objective="min-cost:at=1,costs=price")
    plane = parse_plane(TEXT.replace("9           1", "-1           1").encode(), "small.commalab")
    network = build_network([plane])
    with pytest.raises(PnetError, match=r"not every link of small.commalab has a unit_cost, found -1.0"):
        pn.throughput(network, traffic=str(FILE), level="rack", objective="min-cost:at=1,costs=unit_cost")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TEXT.replace("              5\n", "              6\n"),
            "f: there are 6 lines of arcs and commodities instead of 7",
        ),
        (TEXT.replace("  2           1          10", "  4           1          10"), "f:4: no such node, found '4'"),
        (TEXT.replace("  10\n", "  -10\n", 1), "f:4: not a valid link speed, found '-10'"),
        (
            TEXT.replace("  10\n", "  10 7\n", 1),
            "f:4: not an arc or commodity, found '1 2 1 10 7'; allowed: FROM TO COST",
        ),
        (
            TEXT.replace("              3\n", "              0\n", 1),
            "f: invalid first lines; allowed: numbers of nodes, ",
        ),
    ],
)
def test_faults_of_instances(text: str, message: str) -> None:
    with pytest.raises(PnetError) as caught:
        parse_plane(text.encode(), "f")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        # PDS: an arc for each commodity; a grid in the same layout; a last number that the head cuts.
        "1\t1\t75\t1\t0\t351\t0\n1\t1\t75\t2\t0\t96\t0\n",
        "1\t1\t2\t-1\t91.000000\t139.000000\t1\n2\t1\t6\t-1\t97.000000\t286.000000\t2\n",
        "1 1 2 1 5 -1 0\n2 2 3 1 7 40 1\n3 3 1 1 7 40 1",
    ],
)
def test_arcs_for_single_commodities_are_refused(text: str) -> None:
    with pytest.raises(PnetError, match=r"f\.arc: an instance of Mnetgen's layout, such as PDS, .* arcs with one"):
        parse_plane(text.encode(), "f.arc")


@pytest.mark.parametrize(
    "text", ["0 1 2 3 4 5 6\n1 2 3 4 5 6 7\n", "1 2 3 4 5 6 7\n2 3 4 5 6 7\n", "1 2 3 4 5 6\n2 3 4 5 6 7\n"]
)
def test_other_lists_of_neighbours_are_read(text: str) -> None:
    assert parse_plane(text.encode(), "f.topobench").switch_count == len({*text.split()})


def test_faults_of_commodities(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(TEXT.replace("   12\n", "   -12\n"))
    with pytest.raises(PnetError, match="f:9: "):
        build_traffic(str(tmp_path / "f"), build_network(str(FILE)))
