"""Failures of servers, scale-up switches and links inside servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pnet_lp as pn
from pnet_lp.errors import CertificateError, SpecError
from pnet_lp.failures import FailureModel, Failures, fail, read_groups, single_failures
from pnet_lp.model import Network
from pnet_lp.model.servers import RELAYS
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.document import StoredArray
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file
from pnet_lp.traffic import build_traffic

TWO = {"planes": 2, "link_gbps": 50, "server": "single-switch:hosts=4", "server_gbps": 400}
"""NICs of 100 Gb/s, of eight accelerators in two servers."""


def two_servers(**keys: object) -> Network:
    return pn.build_network("single-switch:hosts=8", **{**TWO, **keys})  # type: ignore[arg-type]


def carried(network: Network, traffic: str = "all-to-all") -> float:
    return solve(network, build_traffic(traffic, network)).throughput_gbps


@pytest.mark.parametrize("relay", RELAYS)
def test_without_its_scale_up_switch_a_server_has_its_nics(relay: str) -> None:
    """Seven shares leave each NIC of 100 Gb/s; without any scale-up switch servers are as slow as with speed 0."""
    network = two_servers(relay=relay)
    assert carried(fail(network, Failures(names=("s0.0",)))) == pytest.approx(100 / 7, rel=1e-4)
    nowhere = carried(fail(network, Failures(names=("s0.0", "s1.0"))))
    assert nowhere == pytest.approx(carried(two_servers(relay=relay, server_gbps=0)), rel=1e-4)


@pytest.mark.parametrize("relay", RELAYS)
def test_a_link_inside_a_server_fails_alone(relay: str) -> None:
    """Inside servers, what s0a1 exchanges with three others has its NIC of 100 Gb/s alone."""
    network = fail(two_servers(relay=relay), Failures(names=("s0.0-s0a1",)))
    assert carried(network, "groups:size=4,of=all-to-all") == pytest.approx(100 / 3, rel=1e-4)
    assert network.fingerprint != two_servers(relay=relay).fingerprint


def test_a_link_between_accelerators_has_their_names() -> None:
    """In a server of two whose link is down both have their NICs."""
    network = pn.build_network("single-switch:hosts=4", link_gbps=10, server="complete:n=2", server_gbps=100)
    broken = fail(network, Failures(names=("s1a1-s1a0",)))
    assert carried(network, "groups:size=2,of=all-to-all") == pytest.approx(110, rel=1e-4)
    assert carried(broken, "groups:size=2,of=all-to-all") == pytest.approx(10, rel=1e-4)


@pytest.mark.parametrize("relay", RELAYS)
def test_whole_servers_are_lost(relay: str) -> None:
    """What is left is a server of four: three shares through NICs of 100 and links of 400 Gb/s."""
    answer = pn.failures(
        "single-switch:hosts=8", traffic="all-to-all", fail_servers="1 server", trials=2, relay=relay, **TWO
    )
    assert answer.headline.value == pytest.approx(500 / 3, rel=1e-4)
    assert answer.document["lost_demands"] == 56 - 12


def test_a_drawn_server_is_the_one_of_its_name() -> None:
    network = two_servers()
    mask = FailureModel(network, Failures(servers="1 server")).draw(3)
    assert mask.counts == {"link directions": 0, "switches": 0, "access links": 8, "links inside servers": 4}
    which = int(np.flatnonzero(mask.hosts[0])[0]) // 4
    named = FailureModel(network, Failures(names=(f"s{which}",))).draw()
    assert np.array_equal(named.inside, mask.inside)
    assert all(map(np.array_equal, named.hosts, mask.hosts))
    assert FailureModel(network, Failures(servers=0.5)).draw(3).counts == mask.counts


def test_each_scale_up_switch_fails_by_itself() -> None:
    network = two_servers()
    assert [each.name for each in single_failures(network, "scale-up")] == ["s0.0", "s1.0"]
    found = pn.failures("single-switch:hosts=8", traffic="all-to-all", each="scale-up", **TWO)
    assert found.headline.value == pytest.approx(100 / 7, rel=1e-4)
    with pytest.raises(SpecError, match="0 failures of this kind"):
        single_failures(two_servers(server="complete:n=4"), "scale-up")


def test_groups_have_parts_by_name(tmp_path: Path) -> None:
    (tmp_path / "g.yaml").write_text("groups: {rack: {parts: [s0, '0:s1a0', s1.0]}}")
    mask = FailureModel(two_servers(), Failures(groups=read_groups(tmp_path / "g.yaml"))).draw()
    assert mask.inside.all()
    assert [np.flatnonzero(hosts).tolist() for hosts in mask.hosts] == [[0, 1, 2, 3, 4], [0, 1, 2, 3]]
    (tmp_path / "g.yaml").write_text("groups: {rack: {parts: [s0], planes: [0]}}")
    with pytest.raises(SpecError, match="parts: planes are those of cables and switches; allowed: PLANE: before"):
        read_groups(tmp_path / "g.yaml")


@pytest.mark.parametrize(
    ("failures", "message"),
    [
        (Failures(names=("s2",)), "fail: no switch, host or link is called 's2'.*allowed: a server such as s0"),
        (Failures(names=("0:s0.0",)), "no switch, host or link is called 's0.0'"),
        (Failures(servers=3), "fail_servers: the network has fewer servers, found 3; allowed: at most 2"),
    ],
)
def test_what_servers_do_not_have(failures: Failures, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        fail(two_servers(), failures)


def test_without_servers_none_fail() -> None:
    network = pn.build_network("ring:n=4")
    with pytest.raises(
        SpecError, match=r"fail_servers: the network has no servers, found '10 %'; allowed: a network with"
    ):
        fail(network, Failures(servers=0.1))
    with pytest.raises(SpecError, match="each: the network has no servers"):
        single_failures(network, "scale-up")
    with pytest.raises(SpecError, match="fail_mode: no path is through a server"):
        Failures(servers=0.1, mode="betweenness")


def test_a_switch_that_is_called_as_a_server_is_refused(tmp_path: Path) -> None:
    (tmp_path / "net.edges").write_text("s0 t\n")
    network = pn.build_network(tmp_path / "net.edges", hosts_per_switch=2, server="complete:n=2")
    with pytest.raises(SpecError, match="'s0' stands for a part of a plane and for one inside servers"):
        fail(network, Failures(names=("s0",)))


@pytest.mark.parametrize("relay", RELAYS)
def test_proofs_say_what_is_down_inside(relay: str, tmp_path: Path) -> None:
    network = fail(two_servers(relay=relay), Failures(names=("s0.0",)))
    traffic = build_traffic("all-to-all", network)
    file = tmp_path / "result.json"
    save_result(file, network, traffic, solve(network, traffic))
    assert verify_file(file).status == "certified"
    document = json.loads(file.read_text())
    stored = document["instance"]["network"]["servers"]

    def forged(down: list[int] | None) -> None:
        stored["down"] = None if down is None else StoredArray.of(np.array(down, dtype=np.int32)).model_dump()
        file.write_text(json.dumps(document))
        with pytest.raises((CertificateError, SpecError)):
            verify_file(file)

    for down in (None, [0, 1, 2], [4, 5, 6, 7], [0, 1, 2, 3, 8], [3, 2, 1, 0], [-1, 0]):
        forged(down)


@pytest.mark.parametrize(
    ("relay", "each"),
    [
        *((relay, each) for relay in ("none", "source", "any") for each in ("switch", "port")),
        *(("ends", each) for each in ("switch", "link", "port", "nic", "server", "scale-up")),
    ],
)
def test_failures_of_one_orbit_have_one_value(relay: str, each: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each failure solved by itself gives what the first of its orbit does."""
    keys = {"server": "single-switch:hosts=2", "server_gbps": 70, "relay": relay, "planes": 2, "link_gbps": 10}

    def found() -> dict[str, Any]:
        return pn.failures(
            "leaf-spine:leaves=2,spines=2,hosts_per_leaf=2", traffic="all-to-all", each=each, **keys
        ).to_json()

    together = found()
    monkeypatch.setattr(
        "pnet_lp.throughput.single.orbits", lambda _, __, failures, ___: [[i] for i in range(len(failures))]
    )
    alone = found()
    assert len(together["trials"]) < together["failures"] == alone["failures"] == len(alone["trials"])
    for key in ("min", "p50", "max"):
        assert together["quantiles_gbps"][key] == pytest.approx(alone["quantiles_gbps"][key], rel=3e-4)
