"""Road networks and trips of TNTP: by hand, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pnet_lp.errors import PnetError
from pnet_lp.model import Network
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network, read_plane
from pnet_lp.topology.io import parse_plane
from pnet_lp.traffic import build_traffic
from pnet_lp.traffic.io import MATRIX_FORMATS

DATA = Path(__file__).parents[1] / "data"
ROADS = (DATA / "roads.tntp").read_text()
TRIPS = "<NUMBER OF ZONES> 2\n<TOTAL OD FLOW> 6\n<END OF METADATA>\nOrigin 1\n 1 : 5; 2 : 6.0;\n"


def test_roads_and_trips(tmp_path: Path) -> None:
    """From 1 to 2: 10 by node 3, 5 and 1 directly; six trips fit 16/6 times.  There is no road back."""
    plane = read_plane(DATA / "roads.tntp")
    assert (plane.switch_names, plane.rack_names) == (("1", "2", "3"), ("1", "2"))
    assert plane.capacity_uv_gbps.tolist() == [10, 10.5, 5, 1]
    assert plane.capacity_vu_gbps.tolist() == [4, 0, 0, 0]
    assert plane.attributes["free_flow_time"].tolist() == [[6, 6.5], [2, 2], [9, 9], [9, 9]]
    assert "('2')" in plane.warnings[0]
    trips = tmp_path / "trips.tntp"
    trips.write_text(TRIPS)
    network = build_network(str(DATA / "roads.tntp"))
    traffic = build_traffic(str(trips), network)
    assert (traffic.src.tolist(), traffic.dst.tolist(), traffic.demand.tolist()) == ([0], [1], [6])
    assert solve(network, traffic).throughput_gbps == pytest.approx(16 / 6)
    trips.write_text(TRIPS.replace("Origin 1", "Origin 2").replace("2 : 6", "1 : 6").replace("1 : 5", "2 : 5"))
    assert solve(network, build_traffic(str(trips), network)).throughput_gbps == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROADS.replace("<FIRST THRU NODE> 1", "<FIRST THRU NODE> 3"), "f: zones that traffic does not pass through"),
        (ROADS.replace("<NUMBER OF LINKS> 6", "<NUMBER OF LINKS> 7"), "f: there are 6 links instead of 7"),
        (
            ROADS.replace("<NUMBER OF ZONES> 2", "<NUMBER OF ZONES> 4"),
            "f: invalid metadata, found '4 zones of 3 nodes'",
        ),
        (ROADS.replace("<END OF METADATA>", ""), "f:10: not a line of metadata"),
        (ROADS.replace("\t1\t3\t10", "\t1\t4\t10"), "f:10: no such node, found '4'; allowed: 1 to 3"),
        (ROADS.replace("\t1\t3\t10", "\t1\t3\tx"), "f:10: not a valid link speed, found 'x'"),
        (ROADS.replace("\t1\t3\t10\t6", "\t1\t3\t10"), "f:10: not a link"),
    ],
)
def test_faults_of_roads(text: str, message: str) -> None:
    with pytest.raises(PnetError) as caught:
        parse_plane(text.encode(), "f")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TRIPS.replace("Origin 1", "Origin 3"), "f:4: no such zone, found '3'; allowed: 1 to 2"),
        (TRIPS.replace("2 : 6", "0 : 6"), "f:5: no such zone, found '0'"),
        (TRIPS.replace("2 : 6.0", "2 : x"), "f:5: "),
        (TRIPS.replace("2 : 6.0", "2 6"), "f:5: not a trip, found '2 6'; allowed: Origin N, then DESTINATION : TRIPS"),
        (TRIPS.replace("Origin 1\n", ""), "f:4: not a trip"),
    ],
)
def test_faults_of_trips(text: str, message: str) -> None:
    network = Network.from_planes([read_plane(DATA / "roads.tntp")])
    with pytest.raises(PnetError) as caught:
        MATRIX_FORMATS.parse(text.encode(), "f", network, "rack")
    assert message in str(caught.value)
