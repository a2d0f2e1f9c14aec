"""ns-3's topology.txt: a file by hand, what comes back whole, what is refused and how."""

from pathlib import Path

import numpy as np
import pytest

import pnet_lp as pn
from pnet_lp.errors import TopologyError
from pnet_lp.model import Plane
from pnet_lp.topology import build_plane, read_plane, write_plane
from pnet_lp.topology.io import parse_inside
from pnet_lp.topology.io.files import parse_plane

from .conftest import same

DATA = Path(__file__).parents[1] / "data"


def test_a_file_by_hand(tmp_path: Path) -> None:
    """Hosts behind switch 0 and switch 4; units of rates and delays as ns-3 has them; the words at the end."""
    plane = read_plane(DATA / "rack.topology.txt")
    assert plane.switch_names == ("0", "4")
    assert plane.host_names == ("1", "2", "3")
    assert plane.host_switch.tolist() == [0, 0, 1]
    assert plane.access_up_gbps.tolist() == [100, 25, 100]
    assert plane.access_delay_ns is not None
    assert plane.access_delay_ns.tolist() == [1000, 1000, 500]
    assert plane.delay_ns is not None
    assert (plane.capacity_uv_gbps.tolist(), plane.delay_ns.tolist()) == ([0.4], [2000])
    write_plane(plane, tmp_path / "net.topology.txt")
    # Numbers stay, for flow files name hosts by them.
    assert (tmp_path / "net.topology.txt").read_text().splitlines()[:3] == ["5 2 4", "0 4", "1 0 100Gbps 1000.0ns 0"]
    assert same(read_plane(tmp_path / "net.topology.txt"), plane)


def test_a_file_of_simai(tmp_path: Path) -> None:
    """NVSwitches are switches; servers of two GPUs with one link each."""
    path = tmp_path / "nvlink_only"
    path.write_text(
        "6 2 2 0 4 H20\n4 5 \n0 4 900Gbps 0.000025ms 0\n1 4 900Gbps 25ns 0\n2 5 900Gbps 25ns 0\n3 5 900Gbps 25ns 0\n"
    )
    plane = read_plane(path)
    assert plane.host_switch.tolist() == [0, 0, 1, 1]
    assert plane.access_delay_ns is not None
    assert set(plane.access_delay_ns.tolist()) == {25.0}


def rails(*, servers: int = 3, gpus: int = 2, nvlink: str = "2880Gbps") -> str:
    """Return SimAI's single ToR by rails: hosts, an NVSwitch a server, a switch a rail, one spine."""
    hosts = servers * gpus
    nvswitches, leaves = range(hosts, hosts + servers), range(hosts + servers, hosts + servers + gpus)
    spine = leaves[-1] + 1
    lines = [f"{host} {nvswitches[host // gpus]} {nvlink} 0.000025ms 0" for host in range(hosts)]
    lines += [f"{host} {leaves[host % gpus]} 200Gbps 0.0005ms 0" for host in range(hosts)]
    lines += [f"{leaf} {spine} 400Gbps 0.0005ms 0" for leaf in leaves]
    ids = " ".join(map(str, (*nvswitches, *leaves, spine)))
    return f"{spine + 1} {gpus} {servers} {gpus + 1} {len(lines)} A100\n{ids} \n" + "\n".join(lines) + "\n"


def test_servers_of_simai_are_no_part_of_a_plane(tmp_path: Path) -> None:
    (tmp_path / "rails").write_text(rails())
    plane = read_plane(tmp_path / "rails")
    assert plane.switch_names == ("9", "10", "11")
    assert plane.host_switch.tolist() == [0, 1, 0, 1, 0, 1]
    assert set(plane.access_up_gbps.tolist()) == {200.0}
    assert plane.warnings == ()
    inside = parse_inside(rails().encode(), "rails")
    assert inside is not None
    assert (inside.switch_names, inside.access_up_gbps.tolist()) == (("NVSwitch",), [2880.0, 2880.0])


@pytest.mark.parametrize(
    ("old", "new"),
    [("0 6 2880", "0 6 900"), ("0 6 2880", "0 7 2880"), ("9 11 400", "9 8 400"), ("0 6 2880Gbps", "0 10 200Gbps")],
)
def test_servers_that_are_not_identical_are_refused(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "rails").write_text(rails().replace(old, new))
    with pytest.raises(TopologyError, match="NVSwitches do not join identical servers; allowed: as many"):
        read_plane(tmp_path / "rails")


def test_a_host_with_an_nvswitch_alone_sends_by_the_cards_of_others(tmp_path: Path) -> None:
    """Without the card of its last accelerator, the third server has one of 200 Gb/s for 2 x 4 shares each way."""
    (tmp_path / "rails").write_text(rails().replace("5 10 200Gbps", "9 10 200Gbps"))
    plane = read_plane(tmp_path / "rails")
    assert plane.host_switch.tolist() == [0, 1, 0, 1, 0, -1]
    found = pn.throughput(str(tmp_path / "rails"), traffic="all-to-all").result
    assert found.throughput_gbps == pytest.approx(200 / 8, rel=1e-4)
    (tmp_path / "ports").write_text(rails().replace("5 10 200Gbps", "4 10 200Gbps"))
    with pytest.raises(TopologyError, match=r":14: host 4 has a second link; allowed: as many links for each host"):
        read_plane(tmp_path / "ports")


@pytest.mark.parametrize("line", ["9000 4000 8000", "9000 8 3000 1000 8000 H100"])
def test_a_second_line_longer_than_the_head_is_recognised(line: str) -> None:
    numbers = " ".join(map(str, range(5000, 9000)))
    with pytest.raises(TopologyError, match="f: there are 0 links instead of 8000"):
        parse_plane(f"{line}\n{numbers}\n".encode(), "f")


@pytest.mark.parametrize(
    "text", ["fat-tree:k=4,host_gbps=10", "jellyfish:k=6", "ring:n=6", "leaf-spine:leaves=3,spines=2"]
)
@pytest.mark.parametrize("delays", [False, True])
def test_families_come_back(tmp_path: Path, text: str, delays: bool) -> None:
    plane = build_plane(text)
    if delays:
        plane = Plane.from_cables(
            plane.switch_names,
            plane.cable_u,
            plane.cable_v,
            plane.capacity_uv_gbps,
            host_switch=plane.host_switch,
            host_names=plane.host_names,
            delay_ns=np.arange(plane.cable_count) / 8,
            access_delay_ns=0.125,
        )
    write_plane(plane, tmp_path / "net.ns3")
    assert same(read_plane(tmp_path / "net.ns3"), plane)
    assert same(read_plane((tmp_path / "net.ns3").rename(tmp_path / "net")), plane)


def test_hosts_are_numbered_before_switches(tmp_path: Path) -> None:
    """So that flows between hosts by index are between these nodes."""
    write_plane(build_plane("leaf-spine:leaves=2,spines=1,hosts_per_leaf=1"), tmp_path / "net.ns3")
    first = (tmp_path / "net.ns3").read_text().splitlines()[:4]
    assert first == ["5 3 4", "2 3 4", "0 2 100Gbps 1000ns 0", "1 3 100Gbps 1000ns 0"]


HEAD = "4 2 3\n0 1\n"
LINKS = "0 1 1Gbps 1us 0\n2 0 1Gbps 1us 0\n3 1 1Gbps 1us 0\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("4 2\n", ":1: invalid first line, found '4 2'; allowed: NODES SWITCHES LINKS, or of SimAI NODES GPUS_PER"),
        ("4 5 3\n0 1\n" + LINKS, ":1: invalid number of switches, found 5; allowed: 1 to 4"),
        ("9 2 3\n0 1\n" + LINKS, ":1: 7 hosts need a link each, found '3 links'"),
        ("4 2 3\n0 0\n" + LINKS, ":2: the second line does not name 2 switches, found '0 0'; allowed: the number of"),
        ("4 2 3\n0 7\n" + LINKS, ":2: no such node, found '7'; allowed: 0 to 3"),
        ("4 2 4\n0 1\n" + LINKS, ": there are 3 links instead of 4; allowed: u v RATE DELAY ERROR_RATE"),
        (HEAD + LINKS + "1 2 1Gbps 1us 0\n", ":6: there are more links than 3, found '1 2 1Gbps 1us 0'"),
        (
            HEAD + LINKS.replace("0 1 1G", "2 1 1G"),
            ":4: host 2 has a second link; allowed: as many links for each host",
        ),
        (HEAD + LINKS.replace("0 1 1G", "2 3 1G"), ":3: a link joins hosts 2 and 3"),
        (HEAD + LINKS.replace("2 0 1G", "1 0 1G"), ":4: nodes 1 and 0 have a second link; allowed: one"),
        (HEAD + LINKS.replace("0 1 1G", "1 1 1G"), ":3: a link joins node 1 to itself"),
        (
            "4 2 3\n0 1\n" + LINKS.replace("3 1 1Gbps 1us 0", "3 1 1Gbps 1us 1e-3"),
            ":5: a link loses packets, found '1e-3'",
        ),
        (HEAD + LINKS.replace("2 0 1Gbps", "2 0 fast"), ":4: not a link, found '2 0 fast 1us 0'; allowed: u v RATE"),
        (
            HEAD + LINKS.replace("2 0 1Gbps 1us", "2 0 1Gbps 2s"),
            ":4: invalid delay, found '2s'; allowed: 0 to 1e+09 ns, which is a second",
        ),
        (HEAD + LINKS + "#: switch a\n", ":6: 1 names for 2 switches; allowed: all or none"),
    ],
)
def test_faults_are_named_where_they_are(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "net.topology.txt"
    path.write_text(text)
    with pytest.raises(TopologyError) as caught:
        read_plane(path)
    assert str(caught.value).startswith(f"{path}{sentence}")


@pytest.mark.parametrize(
    ("plane", "obstacle"),
    [
        (Plane.from_cables(2, [0, 0], [1, 1]), "parallel cables"),
        (Plane.from_cables(2, [0], [1], 1, capacity_back_gbps=2), "a speed for each direction"),
        (Plane.from_cables(2, [0], [1], 1e-10), "speeds that are not positive whole numbers of bit/s, found 1e-10"),
        (Plane.from_cables(2, [0], [1], 0), "speeds that are not positive whole numbers of bit/s"),
        (Plane.from_cables(2, [0], [1], host_switch=[-1, 0, 1]), "hosts without a link"),
        (Plane.from_cables(2, [0], [1], host_switch=[0], delay_ns=1), "delays of some links only"),
        (Plane.from_cables(["a b", "c"], [0], [1]), "names with blanks or a leading #, found 'a b'"),
    ],
)
def test_what_it_cannot_hold(tmp_path: Path, plane: Plane, obstacle: str) -> None:
    with pytest.raises(TopologyError) as caught:
        write_plane(plane, tmp_path / "net.ns3")
    assert f"topology files of ns-3 cannot hold {obstacle}" in str(caught.value)
    assert not list(tmp_path.iterdir())
