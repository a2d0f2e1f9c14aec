"""Pictures of networks with servers: boxes, rails, loads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import pnet_lp as pn
from pnet_lp.drawing import Drawing
from pnet_lp.errors import SpecError
from pnet_lp.model.servers import RELAYS
from pnet_lp.plot import COLOURS

from .conftest import read

TREE = "leaf-spine:leaves=2,spines=2,hosts_per_leaf=4"
SERVED = {"planes": 2, "server": "single-switch:hosts=4", "rails": 2, "link_gbps": 50, "server_gbps": 400}


def drawn(topology: str = TREE, **keys: Any) -> Drawing:
    return pn.draw(topology, **{**SERVED, **keys})


def test_all_that_there_is_is_shown_once() -> None:
    """Two servers of four behind a switch, ports of two rails, and two planes of four switches and four cables."""
    picture = read(drawn())
    switches = [one.title for one in picture.of("switch")]
    assert len(switches) == 8 + 2 + 2 * 4
    assert sum("accelerator" in one for one in switches) == 8
    assert "server 1, accelerator s1a3, rail 1; 2 cables" in switches
    assert "server 1, scale-up switch s1.0; 4 cables" in switches
    cables = picture.of("cable")
    assert len(cables) == 8 + 8 + 2 * 4
    assert sum(one.title.startswith("inside a server") for one in cables) == 8
    assert {"accelerator", "switch", "rail 0", "rail 1", "link inside a server", "s0", "s1"} <= set(picture.texts)


def test_rails_have_colours() -> None:
    for one in read(drawn()).of("cable"):
        plane = one.title[len("plane ")] if one.title.startswith("plane") else None
        if plane is not None:
            assert COLOURS[int(plane)] in one.style
        else:
            assert not any(colour in one.style for colour in COLOURS[:2])
    assert "rail 0" not in read(drawn(rails=1)).texts


@pytest.mark.parametrize("relay", RELAYS)
def test_loads_are_those_of_the_solve(relay: str) -> None:
    """Inside rails every pair has its ports, of which each sends and receives 3 shares of 50/3 Gb/s: all full."""
    picture = read(drawn("single-switch:hosts=16", relay=relay, traffic="groups:size=4,stride=4,of=all-to-all"))
    ports = [one.title for one in picture.of("cable") if one.title.startswith("plane")]
    assert len(ports) == 16
    assert all("carries 50 Gb/s (100.0%), back 50 Gb/s (100.0%)" in title for title in ports)
    assert not {"rail 0", "link inside a server"} & set(picture.texts)


def test_links_inside_have_their_loads() -> None:
    """Two accelerators of a server exchange 10 and 20 Gb/s over a link of 40 that both layers have a half of."""
    network = pn.build_network("single-switch:hosts=2", link_gbps=10, server="complete:n=2", server_gbps=40)
    picture = read(pn.draw(network, traffic="ring", lengths=False))
    (title,) = [one.title for one in picture.of("cable") if one.title.startswith("inside")]
    assert "carries 40 Gb/s (100.0%), back 40 Gb/s (100.0%)" in title


def test_what_is_down_is_shown() -> None:
    picture = read(drawn(fail=["s0.0", "s1a0"]))
    assert len(picture.of("cable", "failed")) == 4
    assert len(picture.of("cable")) == 8 + 7 + 2 * 4
    assert any("scale-up switch s0.0" in one.title for one in picture.of("switch", "dead"))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"cut": "bisection"}, "cut: halves of hosts would divide servers; allowed: a network without servers"),
        ({"layers": True}, "layers: servers and planes are one picture"),
        ({"load": Path("loads.csv")}, "load: a file of loads has no servers to show"),
    ],
)
def test_what_servers_do_not_show_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        drawn(**keys)


def test_large_networks_are_drawn_as_tiers(monkeypatch: pytest.MonkeyPatch) -> None:
    large = "leaf-spine:leaves=4,spines=4,hosts_per_leaf=128"
    found = drawn(large)
    assert found.summarised
    assert "hosts are in 128 servers of 4, 2 rails, relay ends; too many to draw one by one" in found.captions[0]
    # Nothing is solved for what is not drawn.
    monkeypatch.setattr(sys.modules["pnet_lp.drawing.draw"], "solve", None)
    with pytest.raises(SpecError, match="traffic: a network with servers this large"):
        drawn(large, traffic="groups:size=4,of=ring")
