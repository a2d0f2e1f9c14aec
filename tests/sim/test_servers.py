"""Servers of accelerators in packets and as a fluid: where flows may go, and what they take at least."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import pnet_lp as pn
from pnet_lp.crosscheck import crosscheck
from pnet_lp.errors import PnetError
from pnet_lp.failures import FailureModel, Failures
from pnet_lp.model import Network
from pnet_lp.sim import Outage, SimulationResult, simulate
from pnet_lp.sim.figures import figures
from tests.sim.conftest import check_conserved, flows

WIRE, FULL = 1500, 1460
RELAYS = ("source", "ends", "any")


def rail_only(n: int = 3, g: int = 4, *, scale_up: float = 400, gbps: float = 100, **keys: Any) -> Network:
    """Return ``n`` servers of ``g`` accelerators, and a switch for those of each index."""
    named = {"planes": g, "rails": g, "server": f"single-switch:hosts={g}", **keys}
    return pn.build_network(f"single-switch:hosts={n * g}", link_gbps=gbps, server_gbps=scale_up, **named)


def used(result: SimulationResult) -> set[tuple[str, str]]:
    """Return the links that carried anything, from where to where; ``1:0`` is the switch of plane 1."""
    named, carried, plane = result.places.named, np.flatnonzero(result.port["bytes"]), result.places.plane
    ends = [(i, str(named["u"][i]), str(named["v"][i])) for i in carried.tolist()]
    return {tuple(f"{plane[i]}:{name}" if name == "0" else name for name in pair) for i, *pair in ends}  # type: ignore[misc]


def fluid(network: Network, *rows: tuple[int, int], **settings: Any) -> SimulationResult:
    workload = flows(network, *((src, dst, 100 * FULL, 0) for src, dst in rows))
    return simulate(network, workload, model="fluid", **settings)


@pytest.mark.parametrize(
    ("relay", "g", "n", "scale_up", "gbps"),
    [("ends", 4, 3, 400, 100), ("source", 2, 4, 100, 100), ("any", 2, 2, 900, 50), ("none", 3, 3, 200, 400)],
)
def test_all_reduce_by_two_levels_takes_what_its_closed_form_says(
    relay: str, g: int, n: int, scale_up: float, gbps: float
) -> None:
    """Twice (g - 1) / g of it at s, and (n - 1) / n of a g-th at b; all bytes at once take the longer of both."""
    packets = 240
    size = packets * FULL * g * n
    found = crosscheck(
        rail_only(n, g, scale_up=scale_up, gbps=gbps, relay=relay),
        f"all-reduce:size={size},algorithm=two-level:local={g}",
        transport="line-rate",
        queue="unbounded",
        link_delay="0us",
    )
    bits = packets * WIRE * 8 * g * n / 1e3
    inside = 2 * bits * (g - 1) / g / scale_up
    along = 2 * bits / g * (n - 1) / n / gbps
    lp, bare = found.linear["ideal"], found.fluids["bare"]
    assert lp.at_least_us <= max(inside, along) * (1 + 1e-9)
    assert lp.all_us == pytest.approx(max(inside, along), rel=1e-4)
    assert bare.makespan_ps == pytest.approx(1e6 * (inside + along), rel=1e-6)
    # A packet waits for its end before it goes on, on two links of each step.
    steps = 2 * (g - 1) * WIRE * 8e3 / scale_up + 2 * (n - 1) * WIRE * 8e3 / gbps
    assert found.packets.makespan_ps == pytest.approx(1e6 * (inside + along) + steps, rel=1e-5)


@pytest.mark.parametrize("relay", RELAYS)
@pytest.mark.parametrize("forwarding", ["ecmp", "sopa", "plane-spray", "given:routing=ksp:3"])
def test_nothing_is_faster_than_the_linear_program(relay: str, forwarding: str) -> None:
    network = rail_only(relay=relay, scale_up=150)
    traffic = pn.build_traffic("all-to-all", network)
    options = {"forwarding": forwarding, "link_delay": "0us", "transport": "line-rate"}
    found = crosscheck(network, "each:sizes=40kB", traffic=traffic, seed=3, **options)
    least = found.linear["ideal"].at_least_us * (1 - 1e-9)
    # n servers of g, ports of b, a switch of s: the slower of g (n - 1) shares at b and (g - 1) n at s.
    wire = (40_000 + -(-40_000 // FULL) * 40) * 8e-3
    assert found.linear["ideal"].all_us == pytest.approx(max(4 * 2 / 100, 3 * 3 / 150) * wire, rel=1e-4)
    assert all(result.makespan_ps / 1e6 >= least for result in found.simulations.values())
    if forwarding.startswith("given"):
        assert found.linear["paths"].at_least_us * (1 - 1e-9) <= found.packets.makespan_ps / 1e6
    check_conserved(found.packets)


def test_a_flow_inside_a_server_stays_there_where_that_is_as_short() -> None:
    network = pn.build_network("single-switch:hosts=8", planes=2, server="single-switch:hosts=4", server_gbps=400)
    for relay in ("none", *RELAYS):
        served = pn.build_network(
            "single-switch:hosts=8", planes=2, server="single-switch:hosts=4", server_gbps=400, relay=relay
        )
        result = fluid(served, (0, 1), (6, 4))
        assert used(result) == {("s0a0", "s0.0"), ("s0.0", "s0a1"), ("s1a2", "s1.0"), ("s1.0", "s1a0")}
        assert result.plane_bytes[:, :2].sum() == 0
    # Given paths are those of the routing, planes among them.
    spread = simulate(
        network, flows(network, (0, 1, 10**6, 0)), forwarding="given:routing=ksp:3", transport="mptcp:subflows=3"
    )
    assert {"0:0", "s0.0"} <= {v for _, v in used(spread)}
    found = figures([spread])
    assert found["server_share"] == pytest.approx(1 / 3, abs=0.3)
    # What is inside servers is in no plane.
    assert {row["plane"] is None for row in found["queues"] if row["kind"] == "links inside servers"} == {True}
    assert all(row["plane"] in (0, 1) for row in found["queues"] if row["kind"] != "links inside servers")


@pytest.mark.parametrize(
    ("relay", "allowed"),
    [
        ("source", [["s0a0", "s0.0", "s0a1", "1:0", "s1a1"]]),
        ("ends", [["s0a0", "s0.0", "s0a1", "1:0", "s1a1"], ["s0a0", "0:0", "s1a0", "s1.0", "s1a1"]]),
        ("any", [["s0a0", "s0.0", "s0a1", "1:0", "s1a1"], ["s0a0", "0:0", "s1a0", "s1.0", "s1a1"]]),
    ],
)
def test_packets_change_rails_where_accelerators_forward(relay: str, allowed: list[list[str]]) -> None:
    network = rail_only(2, 2, relay=relay)
    links = {link for path in allowed for link in pairwise(path)}
    result = simulate(network, flows(network, (0, 3, 200 * FULL, 0)), forwarding="sopa", transport="line-rate")
    data = {(u, v) for u, v in used(result) if (v, u) not in links}
    assert data == links
    check_conserved(result)
    seen = [fluid(network, (0, 3), seed=seed) for seed in range(6)]
    assert {frozenset(used(one)) for one in seen} == {frozenset(pairwise(p)) for p in allowed}


def test_without_forwarding_there_is_no_path_to_another_rail() -> None:
    with pytest.raises(PnetError, match="no path leads from 's0a0' to 's1a1'"):
        fluid(rail_only(2, 2, relay="none"), (0, 3))
    assert fluid(rail_only(2, 2, relay="none"), (0, 2)).completed == 1


def test_only_any_leads_over_a_third_server() -> None:
    """Without two ports no two servers have a rail in common but by the third."""
    lost = {"fail": ["0:s0a0", "1:s1a1"]}
    with pytest.raises(PnetError, match="no path leads from 's0a1' to 's1a0'"):
        fluid(rail_only(3, 2, relay="ends", **lost), (1, 2))
    result = fluid(rail_only(3, 2, relay="any", **lost), (1, 2))
    path = ["s0a1", "1:0", "s2a1", "s2.0", "s2a0", "0:0", "s1a0"]
    assert used(result) == set(pairwise(path))


@pytest.mark.parametrize("server", ["complete:n=4", "torus:dims=2x2", "ring:n=4"])
def test_accelerators_pass_on_what_direct_links_bring_them(server: str) -> None:
    """From a corner to the one across: by a direct link, or over a neighbour."""
    network = rail_only(2, 4, server=server, relay="none")
    result = fluid(network, (0, 2) if server != "torus:dims=2x2" else (0, 3), correction="none")
    assert len(used(result)) == (1 if server == "complete:n=4" else 2)
    assert result.makespan_ps == pytest.approx(100 * WIRE * 8e3 / 400, rel=1e-6)
    packets = simulate(network, "each:sizes=30kB", traffic=pn.build_traffic("groups:size=4,of=all-to-all", network))
    assert packets.completed == packets.flow_count == 24
    check_conserved(packets)


def test_links_inside_servers_fail_while_flows_run() -> None:
    """A flow over the switch of its server stops when that fails, and goes on over the plane if paths take note."""
    network = pn.build_network("single-switch:hosts=4", link_gbps=100, server="single-switch:hosts=2", server_gbps=200)
    workload, half = flows(network, (0, 1, 1000 * FULL, 0)), 1000 * WIRE * 8 // 2
    mask = FailureModel(network, Failures(names=("s0.0",))).draw()
    times = {"mask": mask, "from_ps": half * 1000 // 200}
    bare = {"model": "fluid", "correction": "none"}
    stuck = simulate(network, workload, outage=Outage(**times), **bare)
    assert (stuck.end, stuck.completed) == ("no events left", 0)
    assert stuck.settings["outage"]["links_inside_servers"] == 2
    result = simulate(network, workload, outage=Outage(**times, reroute_ps=0), **bare)
    assert result.makespan_ps == pytest.approx(half * 1000 * (1 / 200 + 1 / 100), rel=1e-6)
    assert {("s0a0", "0:0"), ("0:0", "s0a1")} < used(result)
    given = simulate(network, workload, outage=Outage(**times, reroute_ps=0), routing="ecmp-lp", seed=1, **bare)
    assert given.completed == 1


def test_spraying_by_switches_is_refused() -> None:
    with pytest.raises(PnetError, match="switches that choose for every packet do not know which accelerators forward"):
        fluid(rail_only(2, 2), (0, 3), forwarding="rps")


def test_policies_of_planes_are_about_the_planes_that_paths_lead_through() -> None:
    """Subflows go round four planes; with one plane a flow they all take the same."""
    network = pn.build_network("single-switch:hosts=8", planes=4, server="single-switch:hosts=2", server_gbps=400)
    workload = flows(network, (0, 7, 400 * FULL, 0))
    for policy, planes in (("round-robin", 4), ("single", 1)):
        for transport, forwarding in (("mptcp:subflows=4", "ecmp"), ("line-rate", "plane-spray")):
            result = simulate(network, workload, transport=transport, forwarding=forwarding, plane_policy=policy)
            assert np.count_nonzero(result.plane_bytes) == planes
