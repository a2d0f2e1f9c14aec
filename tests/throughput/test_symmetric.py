"""Equivalent parts are solved once, and the quotient certificate holds for the whole network, or is refused."""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp.errors import CertificateError, PnetError, SolverError
from pnet_lp.model import Network, Plane, QuotientCertificate, ThroughputResult, TrafficMatrix
from pnet_lp.model.demands import Pairs, Product
from pnet_lp.throughput import solve
from pnet_lp.throughput.problems import ArcProblem, build_problem
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.solvers import choose_solver
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.verification import quotient

from ..tampering.mutations import decoded, encoded
from .conftest import random_hosts, random_network

FAMILIES = [
    "fat-tree:k=4",
    "leaf-spine:leaves=5,spines=3,hosts_per_leaf=2",
    "torus:dims=3x4",
    "hypercube:d=3",
    "complete:n=6",
    "ring:n=7",
    "path:n=5",
    "star:n=5",
    "jellyfish:k=4",
    "dragonfly:a=2,h=1,p=1",
]


def checked(path: Path, network: Network, traffic: TrafficMatrix, **options: Any) -> ThroughputResult:
    """A result by symmetry, which verification accepts as certified."""
    result = solve(network, traffic, solver="symmetric", **options)
    assert isinstance(result.certificate, QuotientCertificate)
    save_result(path, network, traffic, result)
    found = verify_file(path, full=True)
    assert (found.status, found.trusted) == ("certified", ())
    assert result.interval.gap < 1e-9
    return result


def broken(text: str, seed: int, *, hosts: bool) -> Network:
    """The network of ``text`` as it is, with a slow link, without a link, or with other planes beside it."""
    random = np.random.default_rng(seed)
    network = build_network(text, planes=1 + seed % 2)
    planes = list(network.planes)
    plane = planes[-1]
    speed = plane.capacity_uv_gbps.copy()
    if seed % 3 == 1:
        speed[random.integers(len(speed))] *= 0.5
    if seed % 3 == 2 and seed % 2 == 1:
        speed[random.integers(len(speed))] = 0.0
    planes[-1] = Plane.from_cables(
        plane.switch_names,
        plane.cable_u,
        plane.cable_v,
        speed,
        racks=plane.rack_switch,
        host_switch=plane.host_switch if hosts else (),
    )
    if not hosts:
        planes[:-1] = [
            Plane.from_cables(p.switch_names, p.cable_u, p.cable_v, p.capacity_uv_gbps, racks=p.rack_switch)
            for p in planes[:-1]
        ]
    return Network.from_planes(planes)


@pytest.mark.parametrize("text", FAMILIES)
@pytest.mark.parametrize("pattern", ["all-to-all", "stride:s=1"])
def test_it_finds_what_the_whole_program_has(text: str, pattern: str, tmp_path: Path) -> None:
    seed = FAMILIES.index(text) + len(pattern)
    network = broken(text, seed, hosts=False)
    traffic = build_traffic(pattern, network, "rack")
    found = checked(tmp_path / "r.json", network, traffic)
    exact = solve(network, traffic, solver="highs-simplex", tolerance=1e-9)
    assert found.throughput_gbps == pytest.approx(exact.throughput_gbps, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_it_finds_what_is_there_where_nothing_is_equivalent(seed: int, tmp_path: Path) -> None:
    network, traffic = (random_hosts if seed % 2 else random_network)(seed)
    found = checked(tmp_path / "r.json", network, traffic)
    exact = solve(network, traffic, solver="highs-simplex", tolerance=1e-9)
    assert found.throughput_gbps == pytest.approx(exact.throughput_gbps, rel=1e-9)


@pytest.mark.parametrize("text", ["fat-tree:k=4", "leaf-spine:leaves=5,spines=3,hosts_per_leaf=2"])
@pytest.mark.parametrize("pattern", ["all-to-all:fraction=0.5", "gravity", "skewed:racks=0.3"])
def test_a_rule_and_its_pairs_have_the_same_answer(text: str, pattern: str, tmp_path: Path) -> None:
    network = broken(text, 1, hosts=True)
    rule = build_traffic(pattern, network, "host", seed=3)
    assert isinstance(rule.demands, Product)
    pairs = TrafficMatrix.from_entries("host", rule.endpoints, rule.src, rule.dst, rule.demand)
    found = checked(tmp_path / "r.json", network, rule)
    assert found.throughput_gbps == pytest.approx(
        checked(tmp_path / "p.json", network, pairs).throughput_gbps, rel=1e-9
    )
    exact = solve(network, pairs, solver="highs-simplex", tolerance=1e-9)
    assert found.throughput_gbps == pytest.approx(exact.throughput_gbps, rel=1e-9)
    assert found.access_load is not None
    assert found.access_load.sum() == pytest.approx(2 * found.throughput_gbps * rule.total, rel=1e-9)


@pytest.fixture
def no_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(_: Product, what: str) -> None:
        raise AssertionError(f"pairs are written out: {what}")

    monkeypatch.setattr(Product, "listed", listed)


@pytest.mark.usefixtures("no_pairs")
@pytest.mark.parametrize(
    ("text", "planes", "optimum"),
    [
        # Over their own links hosts send to all others; edge switches by theirs, to all but their own; and from the
        # 576 switches of a torus to every other it is 12 links on average, its own counted.
        ("fat-tree:k=32", 1, 100 / 8191),
        ("fat-tree:k=24,oversubscription=3", 1, 100 * 12 / (36 * 36 * 287)),
        ("leaf-spine:leaves=64,spines=32,hosts_per_leaf=32", 4, 400 / 2047),
        ("torus:dims=24x24", 1, 100 * 4 / (64 * 64 * 576 * 12)),
    ],
)
def test_hosts_by_the_thousand(text: str, planes: int, optimum: float | None, tmp_path: Path) -> None:
    """No pair is written out, not to solve, nor to save, nor to verify."""
    network = build_network(text, planes=planes, hosts_per_switch=64 if text.startswith("torus") else 0)
    traffic = build_traffic("all-to-all", network, "host")
    assert choose_solver(ArcProblem(build_problem(network, traffic)), 1e-4) == "symmetric"
    found = checked(tmp_path / "r.json", network, traffic)
    assert found.throughput_gbps == pytest.approx(optimum, rel=1e-9)
    assert solve(network, traffic).throughput_gbps == found.throughput_gbps


@pytest.mark.parametrize(
    ("text", "optimum"),
    [
        # Each of 64 hosts of a switch sends to all others, over 4 links of each and 8.03 on average, its own counted.
        ("torus:dims=16x16", 100 * 4 / (64 * 64 * 256 * 8)),
        # Over their own links hosts send to all others.
        ("leaf-spine:leaves=64,spines=64,hosts_per_leaf=64", 100 / 4095),
        ("hypercube:d=7", 100 * 7 / (64 * 64 * 128 * 3.5)),
    ],
)
def test_small_networks_of_many_hosts_need_no_pairs_either(
    monkeypatch: pytest.MonkeyPatch, text: str, optimum: float
) -> None:
    """Where a search for equivalence classes does not pay, pairs of hosts stay a rule; those of switches are few."""
    listed = Product.listed

    def few(product: Product, what: str) -> Pairs:
        assert product.count <= 1 << 16, f"pairs are written out: {what}"
        return listed(product, what)

    monkeypatch.setattr(Product, "listed", few)
    network = build_network(text, hosts_per_switch=0 if text.startswith("leaf") else 64)
    traffic = build_traffic("all-to-all", network, "host")
    assert choose_solver(ArcProblem(build_problem(network, traffic)), 1e-4) == "structured"
    found = solve(network, traffic)
    assert (found.solver, found.status) == ("structured", "certified")
    assert found.throughput_gbps == pytest.approx(optimum, rel=1e-4)


def test_classes_that_are_no_symmetry_are_told_apart(tmp_path: Path) -> None:
    """Every switch has three neighbours, so that they are equivalent until one is set apart."""
    cycle = [(i, (i + 1) % 10) for i in range(10)]
    chords = [(0, 5), (1, 3), (2, 4), (6, 8), (7, 9)]
    u, v = zip(*cycle, *chords, strict=True)
    network = Network.from_planes([Plane.from_cables(10, u, v, 1.0)])
    traffic = build_traffic("all-to-all", network, "rack")
    found = checked(tmp_path / "r.json", network, traffic)
    assert isinstance(found.certificate, QuotientCertificate)
    assert len(found.certificate.target) > 1
    exact = solve(network, traffic, solver="highs-simplex", tolerance=1e-9)
    assert found.throughput_gbps == pytest.approx(exact.throughput_gbps, rel=1e-9)


def test_too_many_classes_are_refused() -> None:
    network = build_network("jellyfish:k=10")
    traffic = build_traffic("all-to-all", network, "rack")
    assert choose_solver(ArcProblem(build_problem(network, traffic)), 1e-4) == "structured"
    with pytest.raises(
        SolverError,
        match=r"solver: .* too many equivalence classes, found 'symmetric'; allowed: auto",
    ):
        solve(network, traffic, solver="symmetric")


def stored(path: Path) -> dict[str, Any]:
    """A proof on planes with a slow link, of several kinds of destinations."""
    network = broken("leaf-spine:leaves=6,spines=3", 1, hosts=False)
    checked(path, network, build_traffic("all-to-all", network, "rack"))
    document: dict[str, Any] = json.loads(path.read_text())
    return document


def test_a_sample_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.json"
    network = build_network("torus:dims=4x5")
    checked(path, network, build_traffic("all-to-all", network, "rack"))
    full = verify_file(path, full=True)
    monkeypatch.setattr(quotient, "MOST_VISITS", 300)
    sampled = verify_file(path)
    assert sampled.interval.lower == pytest.approx(full.interval.lower, rel=1e-12)
    assert [text.partition(" of 20 destinations")[0] for text in sampled.trusted] == ["that the other 18"]
    assert verify_file(path, full=True).trusted == ()


def swapped(values: np.ndarray) -> np.ndarray:
    flat = values.reshape(-1)
    other = int(np.flatnonzero(flat != flat[0])[0])
    flat[0], flat[other] = flat[other], flat[0]
    return values


@pytest.mark.parametrize(
    ("key", "change", "message"),
    [
        ("fraction", lambda v: v * 0.5, "do not sum to 1"),
        ("fraction", swapped, "do not sum to 1|does not see|is claimed to be"),
        ("fraction", lambda v: -v, "negative or infinite"),
        ("class_length", lambda v: v[::-1], "claimed to be|zero along a path|without a limit"),
        ("class_length", lambda v: v * 0, "zero along a path"),
        ("node_class", swapped, "equivalent nodes"),
        ("node_class", lambda v: v[:, :-1], "shape"),
        ("node_class", lambda v: 0 * v, "no links|have none|one destination|cycle|through an endpoint"),
        ("arc_class", swapped, "differ|does not see|equivalent nodes|have none"),
        ("arc_class", lambda v: v - 5, "names something that there is not"),
        ("entry", lambda v: v[::-1], "do not sum to 1|have none|cycle|endpoint|does not see|claimed"),
        ("entry", lambda v: v + 100, "class that there is not"),
        ("kind", lambda v: v - 1, "give every destination a kind"),
        ("target", lambda v: v - 1, "names something that there is not"),
    ],
)
def test_tampered_classes_are_refused(key: str, change: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    document = stored(path)
    changed = copy.deepcopy(document)
    changed["certificate"][key] = encoded(change(decoded(document["certificate"][key])))
    path.write_text(json.dumps(changed))
    with pytest.raises(PnetError, match=message):
        verify_file(path)


def test_a_link_that_fails_afterwards_breaks_the_proof(tmp_path: Path) -> None:
    """What was equivalent no longer is: destinations see something else."""
    path = tmp_path / "r.json"
    document = stored(path)
    plane = document["instance"]["network"]["planes"][0]
    speed = decoded(plane["capacity_uv_gbps"])
    speed[7] /= 2
    plane["capacity_uv_gbps"] = encoded(speed)
    path.write_text(json.dumps(document))
    with pytest.raises(CertificateError):
        verify_file(path)


def test_a_quotient_certificate_proves_k_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    document = stored(path)
    for key, value in (("objective", "total"), ("routing", "ksp:2")):
        path.write_text(json.dumps(document | {key: value}))
        with pytest.raises(CertificateError, match=r"proves nothing of|no key of a result|is not"):
            verify_file(path)
