from __future__ import annotations

import pytest

from pnet_lp.model import Network, Workload
from pnet_lp.sim import SimulationResult
from pnet_lp.topology import build_network


@pytest.fixture(scope="session")
def tree() -> Network:
    """A fat tree of 16 hosts at 10 Gb/s."""
    return build_network("fat-tree:k=4", link_gbps=10)


def flows(network: Network, *rows: tuple[int, int, int, int]) -> Workload:
    """Return flows ``(src, dst, bytes, start_ps)``."""
    src, dst, size, start = zip(*rows, strict=True)
    return Workload.from_flows(network.host_count, src, dst, size, start)


def check_conserved(result: SimulationResult) -> None:
    """Check that no packet is missing, flow by flow and link by link, from the records alone."""
    flow, port = result.flow, result.port
    left = flow["packets_sent"] - flow["packets_delivered"] - flow["packets_dropped"]
    assert (left >= 0).all()
    assert flow["packets_dropped"].sum() == port["dropped"].sum() + port["lost"].sum()
    assert (flow["received_bytes"] <= flow["bytes"]).all()
    assert (flow["received_bytes"][result.done] == flow["bytes"][result.done]).all()
    assert (result.plane_bytes.sum(axis=1) == flow["data_bytes"]).all()
    assert (result.subflow_bytes.sum(axis=1) == flow["data_bytes"]).all()
    assert (result.completion_ps[result.done] >= flow["ideal_ps"][result.done]).all()
    assert (port["packets"][~result.places.connected] == 0).all()
