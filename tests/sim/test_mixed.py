"""Flows of one run with different transports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pnet_lp as pn
from pnet_lp.errors import PnetError, SpecError, WorkloadError
from pnet_lp.model import Network, Workload
from pnet_lp.sim import simulate
from pnet_lp.topology import build_network
from pnet_lp.workload import build_workload

from .conftest import check_conserved

US = 10**6

EVERY = (
    "tcp",
    "tcp:initial_window=2,ack_every=2,ack_delay=1us",
    "dctcp",
    "mptcp:subflows=2",
    "mptcp:subflows=3",
    "swift",
    "hpcc",
    "roce",
    "ndp",
    "cbr:rate=3Gbps",
    "min-tcp",
)


def test_each_flow_is_as_in_a_run_of_its_transport() -> None:
    network = build_network(f"single-switch:hosts={2 * len(EVERY)}", link_gbps=10)
    # Hosts in pairs, so that flows share nothing but the switch.
    ends = np.arange(2 * len(EVERY)).reshape(-1, 2)
    plain = Workload.from_flows(len(ends) * 2, ends[:, 0], ends[:, 1], 400_000, np.arange(len(ends)) * 7 * US)
    words: dict[str, Any] = {"queue": "ecn:packets=60,threshold=20"}
    mixed = simulate(network, plain.sent_by(EVERY), **words)
    check_conserved(mixed)
    for number, transport in enumerate(EVERY):
        alone = simulate(network, plain, transport=transport, **words)
        for name in ("end_ps", "ideal_ps", "packets_sent", "packets_dropped", "marked"):
            assert mixed.flow[name][number] == alone.flow[name][number], (transport, name)
    assert mixed.settings["transport"] == EVERY
    assert mixed.flows["transport"].to_pylist() == list(EVERY)


def test_transports_share_a_link() -> None:
    """Of two packets for one host, the stream's comes first, 2 (1.2 + 1) us; the other waits 1.1 us behind it.

    TCP's is acknowledged 2 (0.032 + 1) us later.
    """
    network = build_network("single-switch:hosts=3", link_gbps=10)
    flows = Workload.from_flows(3, [0, 1], [2, 2], 1460, [0, US // 10])
    found = simulate(network, flows.sent_by(["line-rate", ""]), transport="tcp:handshake=false")
    assert found.completion_ps.tolist() == [4_400_000, 5_600_000 - US // 10 + 2_064_000]
    assert found.settings["transport"] == ("line-rate", "tcp:handshake=false")


def test_a_transport_that_flows_name_is_that_of_the_run() -> None:
    network = build_network("fat-tree:k=4", link_gbps=10)
    plain = build_workload("incast:senders=8,sizes=64kB", network)
    over = build_workload("over:transport=[tcp:rto_min=1ms],of=[incast:senders=8,sizes=64kB]", network)
    assert over.fingerprint != plain.fingerprint
    run, own = simulate(network, plain, transport="tcp:rto_min=1ms"), simulate(network, over)
    assert run.flow["end_ps"].tolist() == own.flow["end_ps"].tolist()
    assert own.settings["transport"] == "tcp:rto_min=1ms"
    assert not own.is_mixed


def test_stages_and_jobs_with_transports_of_their_own() -> None:
    words: dict[str, Any] = {"link_gbps": 10, "queue": "ecn:packets=200,threshold=20"}
    job = "hadoop:data=4MB,mappers=2,reducers=2,block=1MB"
    answer = pn.simulate("fat-tree:k=4", workload=f"over:transport=dctcp,stage=shuffle,of=[{job}]", **words)
    (result,) = answer.results
    names = np.array(result.flows["transport"].to_pylist())
    stages = np.array(result.flows["stage"].to_pylist())
    assert set(names[stages == "shuffle"]) == {"dctcp"}
    assert set(names[stages != "shuffle"]) == {"tcp"}
    both = pn.simulate(
        "fat-tree:k=4",
        workload="over:transport=dctcp,of=[each:sizes=1MB]+over:transport=swift,of=[incast:senders=4,sizes=50kB]",
        traffic="stride:s=4",
        **words,
    ).to_json()
    assert [(row["transport"], row["flows"], row["completed"]) for row in both["transports"]] == [
        ("dctcp", 16, 16),
        ("swift", 4, 4),
    ]
    assert list(both["transport"]) == ["dctcp", "swift"]
    assert "transports" not in pn.simulate("fat-tree:k=4", workload=job, **words).to_json()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"model": "fluid"}, "a fluid has the terms of one transport, found 'dctcp'; allowed: model=packets"),
        ({"transport": "cbr:rate=1Gbps"}, None),
        ({"queue": "trim", "transport": "ndp"}, "makes nothing of the rest"),
        ({"forwarding": "reps", "transport": "nscc"}, "answers to every packet, which the transport does not give"),
    ],
)
def test_what_does_not_fit_one_of_them_is_refused(words: dict[str, str], says: str | None) -> None:
    network = build_network("single-switch:hosts=4", link_gbps=10)
    flows = Workload.from_flows(4, [0, 1], [2, 3], 1000).sent_by(["dctcp", ""])
    if says is None:
        assert simulate(network, flows, **words).completed == 2
        return
    with pytest.raises(PnetError, match=says):
        simulate(network, flows, **words)


def test_transports_that_nobody_has_or_that_are_none_are_refused(tree: Network) -> None:
    network = build_network("single-switch:hosts=4", link_gbps=10)
    flows = Workload.from_flows(4, [0, 1], [2, 3], 1000)
    with pytest.raises(SpecError, match=r"workload: transport: unknown transport 'dtcp' \(did you mean 'dctcp'"):
        simulate(network, flows.sent_by("dtcp"))
    with pytest.raises(SpecError, match="transport: all flows have a transport of their own, found 'swift'"):
        simulate(network, flows.sent_by("dctcp"), transport="swift")
    assert simulate(network, flows.sent_by("dctcp"), preset="modern").completed == 2
    with pytest.raises(SpecError, match="receivers ask for the packets of one transport at most"):
        simulate(network, flows.sent_by(["ndp", "ndp:window=3"]))
    with pytest.raises(WorkloadError, match=r"flow 1: flows of one connection have different transports, found 'tcp'"):
        Workload.from_flows(4, [0, 0], [1, 1], 1000, connection=[0, 0], transport=["dctcp", "tcp"])
    with pytest.raises(WorkloadError, match=r"stage: no such stage, found 'map'; allowed: read, shuffle, write"):
        build_workload("over:transport=tcp,stage=map,of=[hadoop:data=1MB,mappers=1,reducers=1]", tree)
    with pytest.raises(SpecError, match=r"over: of: unknown workload 'incst'"):
        build_workload("over:transport=tcp,of=incst", network)
