"""Saved results over given paths and with fixed splits: what was tampered with is caught."""

import tracemalloc
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from pnet_lp.errors import CertificateError
from pnet_lp.model import LoadCertificate, Network, PathCertificate, TrafficMatrix
from pnet_lp.routing import parse_routing
from pnet_lp.throughput import solve
from pnet_lp.throughput.problems import PathProblem, state_problem
from pnet_lp.throughput.proofs.store import StoredResult, load_result, save_result
from pnet_lp.throughput.verify import verify
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic


def stored(routing: str, **options: Any) -> StoredResult:
    network = build_network(["jellyfish:k=6,seed=1"], planes=2, variant="heterogeneous", link_gbps=10)
    return saved(network, build_traffic("permutation", network, "host", seed=1), routing, **options)


def saved(network: Network, traffic: TrafficMatrix, routing: str, **options: Any) -> StoredResult:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "r.json"
        save_result(path, network, traffic, solve(network, traffic, routing=routing, seed=1, **options))
        return load_result(path)


def changed(found: StoredResult, **changes: Any) -> StoredResult:
    """The same file with other arrays in its certificate."""
    certificate: Any = found.certificate
    return replace(found, certificate=replace(certificate, **changes))


def claiming(found: StoredResult, **changes: Any) -> StoredResult:
    """The same file with other keys in its document."""
    return replace(found, claims={**found.claims, **changes})


def test_weights_must_be_a_split() -> None:
    found = stored("ksp:4")
    assert isinstance(found.certificate, PathCertificate)
    weight = found.certificate.weight.copy()
    weight[0] += 0.5
    with pytest.raises(CertificateError, match="the weights of a demand do not sum to 1"):
        verify(changed(found, weight=weight))
    weight[:2] = (-0.5, 1.5)
    with pytest.raises(CertificateError, match=r"certificate\.weight has a negative or infinite entry"):
        verify(changed(found, weight=weight))
    with pytest.raises(CertificateError, match=r"certificate\.weight has the shape \(3,\), not"):
        verify(changed(found, weight=weight[:3]))


def test_another_split_carries_less() -> None:
    found = stored("ksp:4")
    problem = state_problem(found.network, found.traffic, parse_routing("ksp:4", seed=1))
    assert isinstance(problem, PathProblem)
    weight = np.zeros(problem.flow_variables)
    weight[problem.paths.pair_ptr[:-1]] = 1.0
    with pytest.raises(CertificateError, match="throughput_gbps is claimed to be"):
        verify(changed(found, weight=weight))


def test_longer_lengths_prove_less() -> None:
    found = stored("ksp:4")
    assert found.certificate is not None
    length = found.certificate.length + 1.0
    with pytest.raises(CertificateError, match="upper_bound_gbps is claimed to be"):
        verify(changed(found, length=length, up_length=np.zeros_like(found.certificate.up_length)))


@pytest.mark.parametrize("routing", ["ecmp", "ecmp-split", "vlb"])
@pytest.mark.parametrize("key", ["load", "share"])
def test_loads_must_be_those_of_the_routing(routing: str, key: str) -> None:
    found = stored(routing)
    assert isinstance(found.certificate, LoadCertificate)
    values = getattr(found.certificate, key) * 0.9
    with pytest.raises(CertificateError, match=rf"certificate\.{key} is not what the routing gives"):
        verify(changed(found, **{key: values}))


@pytest.mark.parametrize("key", ["routing_seed", "plane_policy"])
def test_the_draw_belongs_to_the_claim(key: str) -> None:
    """Another seed, or another policy, draws other paths, so that the loads are not theirs."""
    found = stored("ecmp")
    other = {"routing_seed": 2, "plane_policy": "single"}[key]
    claim = claiming(found, **{key: other})
    with pytest.raises(CertificateError, match="is not what the routing gives"):
        verify(claim)


def test_the_kind_of_proof_must_fit_the_routing() -> None:
    found = stored("ksp:4")
    claim = claiming(found, routing="ecmp-split")
    with pytest.raises(CertificateError, match="routing ecmp-split needs LoadCertificate"):
        verify(claim)
    unknown = claiming(found, routing="fastest")
    with pytest.raises(CertificateError, match="the question is none: unknown routing 'fastest'"):
        verify(unknown)


@pytest.mark.parametrize(("key", "text"), [("routing", "ksp:4 "), ("routing", "ksp: 4"), ("objective", "concurrent\n")])
def test_the_question_is_written_as_a_solve_writes_it(key: str, text: str) -> None:
    found = stored("ksp:4")
    with pytest.raises(CertificateError) as caught:
        verify(claiming(found, **{key: text}))
    assert str(caught.value).startswith(f"{found.path}: {key} is not written as a solve writes it, found ")
    verify(stored(**{"routing": "ksp:4", key: text}))


def test_no_more_paths_are_listed_than_a_file_can_have() -> None:
    """Two million paths a demand would take hours, and more memory than there is."""
    found = stored("ksp:4")
    assert isinstance(found.certificate, PathCertificate)
    paths = len(found.certificate.weight)
    claim = claiming(found, routing="ksp:2000000")
    with pytest.raises(CertificateError, match=rf"certificate\.weight has the shape \({paths},\), not"):
        verify(claim)


@pytest.mark.parametrize("routing", ["ecmp-split", "ecmp"])
def test_a_demand_is_checked_in_memory_of_its_own_size(routing: str) -> None:
    network = build_network("ring:n=2000")
    traffic = TrafficMatrix.from_entries("rack", 2000, [0], [750], [1.0])
    found = saved(network, traffic, routing)
    tracemalloc.start()
    try:
        assert verify(found).status == "certified"
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Hops between all switches take 32 MB.
    assert peak < 10_000_000
