"""The topologies of SimAI's documentation, made here as its template makes them: read, certified, priced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pnet_lp as pn
from pnet_lp.errors import SpecError, TopologyError
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network, build_plane, read_plane, write_network
from pnet_lp.traffic import build_traffic

GPUS = 8
"""In a server."""


def simai(
    gpus: int,
    *,
    rails: bool = True,
    sides: int = 1,
    planes: int = 1,
    spines: int = 64,
    nics: int = 64,
    nic: str = "400Gbps",
    nvlink: str = "2880Gbps",
    gpu: str = "H100",
) -> str:
    """Return a topology: each GPU on ``sides`` leaves, of rails or not, with ``nics`` links each, and spines above."""
    leaves = GPUS if rails else 1
    segment = nics * leaves
    servers, own = gpus // GPUS, -(-gpus // segment) * leaves
    first = gpus + servers
    count = first + sides * own + spines
    lines = []
    for i in range(gpus):
        leaf = i // segment * leaves + i % leaves
        lines.append(f"{i} {gpus + i // GPUS} {nvlink} 0.000025ms 0")
        lines += [f"{i} {first + side * own + leaf} {nic} 0.0005ms 0" for side in range(sides)]
    top, part = first + sides * own, spines // planes
    for side in range(sides):
        begin = top + (side * part if planes > 1 else 0)
        for leaf in range(own):
            lines += [f"{first + side * own + leaf} {begin + j} 400Gbps 0.0005ms 0" for j in range(part)]
    head = f"{count} {GPUS} {servers} {count - first} {len(lines)} {gpu}\n"
    return head + "".join(f"{i} " for i in range(gpus, count)) + "\n" + "".join(f"{line}\n" for line in lines)


DUAL = {"sides": 2, "nic": "200Gbps", "nics": 128}
EXAMPLES: dict[str, tuple[dict[str, Any], tuple[int, int, int, int], float]] = {
    # What the template is given; planes, switches, cables and hosts; K of all-to-all between hosts, Gb/s.
    "Spectrum-X_8g": ({"gpus": 8, "spines": 1}, (1, 9, 8, 8), 400 / 7),
    "Spectrum-X_128g": (
        {"gpus": 128, "nic": "100Gbps", "nvlink": "2400Gbps", "gpu": "A100"},
        (1, 72, 512, 128),
        100 / 127,
    ),
    "Spectrum-X_256g": ({"gpus": 256}, (1, 72, 512, 256), 400 / 255),
    "Rail_Opti_SingleToR_8g": (
        {"gpus": 8, "nic": "200Gbps", "nvlink": "2400Gbps", "gpu": "H20"},
        (1, 72, 512, 8),
        200 / 7,
    ),
    "Rail_Opti_SingleToR_16g": (
        {"gpus": 16, "nic": "200Gbps", "nvlink": "2400Gbps", "gpu": "H20"},
        (1, 72, 512, 16),
        200 / 15,
    ),
    "Rail_Opti_SingleToR_32g_200Gbps": (
        {"gpus": 32, "nic": "200Gbps", "spines": 8, "gpu": "A100"},
        (1, 16, 64, 32),
        200 / 31,
    ),
    "Rail_Opti_SingleToR_32g_400Gbps": ({"gpus": 32, "nvlink": "1360Gbps"}, (1, 72, 512, 32), 400 / 31),
    "DCN+SingleToR_256g": ({"gpus": 256, "rails": False}, (1, 68, 256, 256), 400 / 255),
    "AlibabaHPN_64g_DualToR_DualPlane": ({"gpus": 64, **DUAL, "planes": 2, "spines": 16}, (2, 32, 128, 64), 400 / 63),
    # Each port is a host.  One on a leaf sends to the 128 on the other, over 8 spines.
    "DCN+DualToR_128g": ({"gpus": 128, "rails": False, **DUAL, "spines": 8}, (1, 10, 16, 256), 3200 / 128**2),
    "AlibabaHPN_64g_DualToR_SinglePlane": ({"gpus": 64, **DUAL, "spines": 16}, (1, 32, 256, 128), 200 / 127),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_read_certified_and_priced(tmp_path: Path, name: str) -> None:
    given, sizes, rate = EXAMPLES[name]
    path = tmp_path / name
    path.write_text(simai(**given))
    network = build_network(str(path))
    assert (network.plane_count, network.switch_count, network.cable_count, network.host_count) == sizes
    found = solve(network, build_traffic("all-to-all", network, "host")).interval
    assert found.lower == pytest.approx(rate, rel=1e-4)
    assert found.lower <= rate * (1 + 1e-9)
    assert found.upper >= rate * (1 - 1e-9)
    bill = pn.cost(f"topology:{path}", bisection=False).document
    assert (bill["boxes"], bill["links"]) == sizes[1:3]
    assert bill["total_usd"] == pytest.approx(sum(part["usd"] for part in bill["parts"]))


@pytest.mark.parametrize("name", EXAMPLES)
def test_servers_are_those_of_the_file(tmp_path: Path, name: str) -> None:
    """What accelerators send out of their server passes all its ports: nothing has to change leaves."""
    given, (planes, *_, hosts), _ = EXAMPLES[name]
    path = tmp_path / name
    path.write_text(simai(**given))
    network = pn.build_network(str(path))
    assert network.servers is not None
    size, ports = network.servers.size, given.get("sides", 1) // planes
    nic, nvlink = (float(given.get(key, default)[:-4]) for key, default in (("nic", "400Gbps"), ("nvlink", "2880Gbps")))
    assert (size, network.servers.relay) == (GPUS * ports, "ends")
    assert set(network.servers.scale_up.access_up_gbps.tolist()) == {nvlink / ports}
    rate = planes * nic / (hosts - size) if hosts > size else (nvlink + nic) / (hosts - 1)
    found = pn.throughput(str(path), traffic="all-to-all")
    assert found.document["throughput_gbps"] == pytest.approx(rate, rel=1e-4)


def test_servers_of_files_may_be_left_out_and_told_how(tmp_path: Path) -> None:
    path, other = tmp_path / "f", tmp_path / "other"
    path.write_text(simai(16))
    other.write_text(simai(16, nvlink="900Gbps"))
    assert pn.build_network(str(path), server="none").servers is None
    relayed = pn.build_network(str(path), relay="none").servers
    assert relayed is not None
    assert relayed.relay == "none"
    for topology in (f"2x[{path}]", [str(path), str(path)], [str(path), read_plane(path)]):
        network = pn.build_network(topology)
        assert (network.plane_count, network.servers and network.servers.size) == (2, 8)
    for given, said in (
        ({"topology": str(path), "server_gbps": 5.0}, "server_gbps: every link of the server has a speed of its own"),
        ({"topology": [str(path), str(other)]}, f"server: {path} and {other} differ; allowed: server=TOPOLOGY, or "),
        ({"topology": "fat-tree:k=4", "server": "none"}, "server: no file among the topologies has servers, found"),
        ({"topology": str(path), "server": "none", "rails": 2}, "rails: has no meaning without servers, found 2"),
    ):
        with pytest.raises(SpecError) as caught:
            pn.build_network(**given)
        assert str(caught.value).startswith(said)
    with pytest.raises(TopologyError, match="a file of a plane holds no servers; allowed: server=none where a file"):
        write_network(pn.build_network(str(path)), tmp_path / "net.json")
    with pytest.raises(TopologyError, match="rack-level demands mean nothing on the network; allowed: level=host"):
        pn.throughput(str(path), traffic="all-to-all", level="rack")


def test_ports_and_planes_of_one_file(tmp_path: Path) -> None:
    path = tmp_path / "ports"
    # Two hosts with two links each, to two switches that are joined, and then are not.
    path.write_text(
        "4 2 5\n2 3\n0 2 10Gbps 1us 0\n0 3 20Gbps 1us 0\n1 2 10Gbps 1us 0\n1 3 20Gbps 1us 0\n2 3 5Gbps 1us 0\n"
    )
    plane = read_plane(path)
    assert plane.host_names == ("0.0", "0.1", "1.0", "1.1")
    assert (plane.host_switch.tolist(), plane.access_up_gbps.tolist()) == ([0, 1, 0, 1], [10, 20, 10, 20])
    assert plane.warnings == (
        f"{path}: all hosts have 2 links into the plane, each of which is a host here (0.0 for 0); "
        "--server single-switch:hosts=2 --server-gbps 40 lets traffic of one take them all",
    )
    path.write_text(path.read_text().replace("4 2 5", "4 2 4").replace("2 3 5Gbps 1us 0\n", ""))
    one, two = build_network(str(path)).planes
    assert (one.host_names, one.switch_names, two.switch_names) == (("0", "1"), ("2",), ("3",))
    assert (one.access_up_gbps.tolist(), two.access_up_gbps.tolist()) == ([10, 10], [20, 20])
    with pytest.raises(TopologyError, match="ports: the file holds 2 planes; allowed: one, or a TOPOLOGY of its own"):
        read_plane(path)
    with pytest.raises(SpecError, match="ports: expected one plane, found 2"):
        build_plane(str(path))
    assert build_network([str(path), str(path)]).plane_count == 4
