"""Bounds for which there is next to no time: a tree and a cut, one path of each demand, and failures left out."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp.deadline import Deadline
from pnet_lp.errors import CertificateError, TimeLimitError
from pnet_lp.failures import Failures
from pnet_lp.model import Network, OnePathCertificate, Plane, ThroughputResult, TrafficMatrix, TreeCertificate
from pnet_lp.routing import parse_routing
from pnet_lp.throughput import solve, trials
from pnet_lp.throughput.problems import ArcProblem, build_problem
from pnet_lp.throughput.proofs.store import load_result, save_result
from pnet_lp.throughput.single import single_failure_trials
from pnet_lp.throughput.trials import FailureTrial, failure_trials
from pnet_lp.throughput.verify import verify, verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from ..hurry import NO_TIME_S, no_time

OBJECTIVES = (
    "concurrent",
    "min-max-utilisation",
    "total",
    "total:floor=0.001",
    "max-min",
    "max-min:cap=demand",
    "min-cost",
    "min-cost:at=0.001",
)
NETWORKS = (
    ("jellyfish:switches=8,ports=5", 1, "homogeneous"),
    ("jellyfish:switches=8,ports=5", 2, "heterogeneous"),
    ("ring:n=7", 1, "homogeneous"),
)

PATTERNS = tuple(zip(NETWORKS, ("all-to-all", "permutation", "gravity"), strict=True))


@pytest.fixture
def without_time() -> Iterator[None]:
    with no_time():
        yield


def posed(case: tuple[str, int, Any], pattern: str, level: Any) -> tuple[Network, TrafficMatrix]:
    expression, planes, variant = case
    network = build_network(expression, planes=planes, variant=variant, hosts_per_switch=2)
    return network, build_traffic(pattern, network, level).scaled(50)


@pytest.mark.usefixtures("without_time")
@pytest.mark.parametrize("routing", ["ideal", "ksp:4", "ecmp-lp", "ecmp-split", "ecmp"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(("case", "pattern"), PATTERNS)
def test_every_objective_is_bounded_without_time(
    case: tuple[str, int, Any], pattern: str, objective: str, routing: str, tmp_path: Path
) -> None:
    for level in ("rack", "host"):
        network, traffic = posed(case, pattern, level)
        result = solve(network, traffic, objective=objective, routing=routing, time_limit_s=NO_TIME_S)
        assert 0 < result.interval.lower <= result.interval.upper
        if routing not in {"ecmp-split", "ecmp"}:
            kind = TreeCertificate if routing == "ideal" else OnePathCertificate
            assert isinstance(result.certificate, kind)
            assert result.solver == "none"
        save_result(tmp_path / "r.json", network, traffic, result)
        found = verify_file(tmp_path / "r.json")
        assert found.figures["relative_gap"] == pytest.approx(result.figures["relative_gap"], abs=1e-9)


@pytest.mark.parametrize("pattern", ["all-to-all", "permutation", "gravity"])
@pytest.mark.parametrize("case", NETWORKS)
def test_the_truth_is_between_the_bounds(case: tuple[str, int, Any], pattern: str) -> None:
    network, traffic = posed(case, pattern, "host")
    routings = ("ideal", "ksp:3", "ecmp-lp")
    with no_time():
        rough = [solve(network, traffic, routing=routing, time_limit_s=NO_TIME_S) for routing in routings]
    for found, routing in zip(rough, routings, strict=True):
        true = solve(network, traffic, routing=routing, tolerance=1e-6).interval
        assert found.interval.lower <= true.upper
        assert true.lower <= found.interval.upper


def test_links_that_lead_one_way_are_in_no_tree(tmp_path: Path) -> None:
    """The link from 0 to 1 has none back: the tree goes over 2."""
    speeds = np.array([9.0, 1.0, 2.0])
    plane = Plane.from_cables(3, [0, 1, 2], [1, 2, 0], speeds, capacity_back_gbps=np.array([0.0, 1.0, 2.0]))
    network = Network.from_planes([plane])
    traffic = TrafficMatrix.from_entries("rack", 3, np.array([0, 1]), np.array([1, 0]), np.ones(2))
    true = solve(network, traffic, tolerance=1e-7).interval
    with no_time():
        found = solve(network, traffic, time_limit_s=NO_TIME_S)
    assert found.interval.lower == pytest.approx(1.0)
    assert found.interval.lower <= true.lower
    assert true.upper <= found.interval.upper * (1 + 1e-9)
    save_result(tmp_path / "r.json", network, traffic, found)
    assert verify_file(tmp_path / "r.json").status in {"bounds", "certified"}


@pytest.mark.usefixtures("without_time")
def test_the_bounds_of_a_tree_by_hand(tmp_path: Path) -> None:
    """On a path of three switches there is one tree, and the link at an end is a cut: both are exact."""
    network = build_network("path:n=3", link_gbps=1)
    result = solve(network, build_traffic("all-to-all", network, "rack"), time_limit_s=NO_TIME_S)
    assert result.interval.lower == pytest.approx(1 / 2)
    assert result.interval.upper == pytest.approx(1 / 2)
    # Of a ring of six, the tree leaves out the link across from its root: at the root three switches meet three, K =
    # 1/9.  The same cut of the ring has two links: 2/9.
    network = build_network("ring:n=6", link_gbps=1)
    traffic = build_traffic("all-to-all", network, "rack")
    result = solve(network, traffic, time_limit_s=NO_TIME_S)
    assert result.interval.lower == pytest.approx(1 / 9)
    assert result.interval.upper == pytest.approx(2 / 9)
    save_result(tmp_path / "r.json", network, traffic, result)
    assert verify_file(tmp_path / "r.json").status == "bounds"


@pytest.mark.usefixtures("without_time")
def test_what_limits_a_tree_is_named_without_distances_over_all_links(monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network("ring:n=7")
    monkeypatch.delattr(ArcProblem, "distances")
    result = solve(network, build_traffic("all-to-all", network, "rack"), objective="max-min", time_limit_s=NO_TIME_S)
    assert isinstance(result.certificate, TreeCertificate)
    assert result.binding == "core link"


def test_rates_that_take_far_longer_than_the_limit_are_refused_at_once() -> None:
    network = build_network("ring:n=2000")
    traffic = build_traffic("all-to-all", network, "rack")
    with pytest.raises(TimeLimitError, match=r"the rates of 3,998,000 demands alone take about 6\.4 s"):
        solve(network, traffic, objective="max-min", time_limit_s=0.1)


def forged(result: ThroughputResult) -> Iterator[Any]:
    """Yield certificates that are none, or prove less."""
    honest = result.certificate
    assert isinstance(honest, TreeCertificate)
    inner = np.flatnonzero(honest.to_root >= 0)
    up, down = honest.to_root.copy(), honest.from_root.copy()
    up[inner[0]], down[inner[0]] = honest.from_root[inner[0]], honest.to_root[inner[0]]
    yield dataclasses.replace(honest, to_root=up, from_root=down)  # upside down
    up, down = honest.to_root.copy(), honest.from_root.copy()
    up[inner[-1]] = down[inner[-1]] = -1
    yield dataclasses.replace(honest, to_root=up, from_root=down)  # a switch is cut off
    up = honest.to_root.copy()
    up[inner[0]] = 10**6
    yield dataclasses.replace(honest, to_root=up)
    up[inner[0]] = -2
    yield dataclasses.replace(honest, to_root=up)
    yield dataclasses.replace(honest, part=np.zeros(len(honest.part)))
    yield dataclasses.replace(honest, part=-honest.part)
    yield dataclasses.replace(honest, length=np.zeros(len(honest.length)))


@pytest.mark.usefixtures("without_time")
def test_trees_that_are_none_are_refused(tmp_path: Path) -> None:
    network = build_network("jellyfish:switches=12,ports=5", hosts_per_switch=1)
    traffic = build_traffic("permutation", network, "rack")
    result = solve(network, traffic, time_limit_s=NO_TIME_S)
    save_result(tmp_path / "r.json", network, traffic, result)
    stored = load_result(tmp_path / "r.json")
    assert verify(stored).status == "bounds"
    for certificate in forged(result):
        with pytest.raises(CertificateError):
            verify(dataclasses.replace(stored, certificate=certificate))
    # Nor is a bound that the tree does not prove.
    figures = {**stored.figures, "lower_bound_gbps": result.interval.lower * 1.001}
    with pytest.raises(CertificateError):
        verify(dataclasses.replace(stored, figures=figures))


def test_a_cycle_is_no_tree(tmp_path: Path) -> None:
    network = build_network("ring:n=4", link_gbps=1)
    traffic = build_traffic("all-to-all", network, "rack")
    result = solve(network, traffic)
    save_result(tmp_path / "r.json", network, traffic, result)
    stored = load_result(tmp_path / "r.json")
    problem = ArcProblem(build_problem(network, traffic))
    tail, head = problem.flow.tail, problem.flow.head
    arc = {pair: a for a, pair in enumerate(zip(tail.tolist(), head.tolist(), strict=True))}
    around = [(u, (u + 1) % 4) for u in range(4)]
    certificate = TreeCertificate(
        *stored.certificate.lengths,  # type: ignore[union-attr]
        part=np.ones(1),
        to_root=np.array([arc[pair] for pair in around], dtype=np.int32),
        from_root=np.array([arc[v, u] for u, v in around], dtype=np.int32),
    )
    with pytest.raises(CertificateError, match="circle"):
        verify(dataclasses.replace(stored, certificate=certificate))


def test_a_host_without_a_link_is_in_no_tree(tmp_path: Path) -> None:
    """Nor is it taken for the last switch, whose index of -1 it has: here it is sent to in vain."""
    switch, speed = np.array([0, 1, -1]), np.array([9.0, 9.0, 0.0])
    plane = Plane.from_cables(2, [0], [1], 1.0, host_switch=switch, access_gbps=speed, access_down_gbps=speed)
    network = Network.from_planes([plane])
    traffic = TrafficMatrix.from_entries("host", 3, [0, 0], [1, 2], 1.0)
    result = solve(network, traffic, objective="total")
    save_result(tmp_path / "r.json", network, traffic, result)
    stored = load_result(tmp_path / "r.json")
    assert verify(stored).status == "certified"
    roots = {"to_root": np.array([-1, 1], dtype=np.int32), "from_root": np.array([-1, 0], dtype=np.int32)}
    certificate = TreeCertificate(*stored.certificate.lengths, part=np.ones(1), **roots)  # type: ignore[union-attr]
    with pytest.raises(CertificateError, match="does not join all endpoints"):
        verify(dataclasses.replace(stored, certificate=certificate))


@pytest.mark.parametrize("policy", ["any", "shortest", "single"])
@pytest.mark.parametrize("routing", ["ksp:3", "ksp:8", "ecmp-lp"])
def test_the_one_path_is_one_of_those_of_the_routing(routing: str, policy: Any) -> None:
    network = build_network("jellyfish:switches=16,ports=5", planes=2, variant="heterogeneous", hosts_per_switch=1)
    src, dst = np.nonzero(~np.eye(16, dtype=bool))
    for seed in range(5):
        whole = parse_routing(routing, policy=policy, seed=seed)
        assert whole.narrowed is not None
        several, one = (each.paths(network, "rack", src, dst) for each in (whole, whole.narrowed))
        assert np.all(one.paths_per_pair == 1)
        listed = {
            (
                int(several.pair_of_path[n]),
                int(several.plane[n]),
                *several.path_arc[slice(*several.path_ptr[n : n + 2])],
            )
            for n in range(several.path_count)
        }
        for n in range(one.path_count):
            assert (n, int(one.plane[n]), *one.path_arc[slice(*one.path_ptr[n : n + 2])]) in listed


@pytest.mark.parametrize("routing", ["ksp:1", "edge-disjoint:4", "ecmp"])
def test_other_routings_have_no_path_that_is_known_beforehand(routing: str) -> None:
    assert parse_routing(routing).narrowed is None
    assert parse_routing("ksp:8", policy="round-robin").narrowed is None


def test_draws_without_time_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network("jellyfish:switches=12,ports=5", hosts_per_switch=1)
    traffic = build_traffic("all-to-all", network, "rack")
    solved: list[FailureTrial] = []
    late_after(3, solved, monkeypatch)
    keys: dict[str, Any] = {"deadline": Deadline(1e6), "solver": "highs-ipx"}
    found = failure_trials(network, traffic, Failures(links=0.2), trials=8, **keys)
    assert [trial.trial for trial in found] == [0, 1, 2]
    late_after(0, solved, monkeypatch)
    with pytest.raises(TimeLimitError, match="solving the first draw"):
        failure_trials(network, traffic, Failures(links=0.2), trials=8, **keys)


def test_of_failures_without_time_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network("star:n=4", hosts_per_switch=1)
    traffic = build_traffic("permutation", network, "host")
    solved: list[FailureTrial] = []
    late_after(1, solved, monkeypatch)
    intact, *found = single_failure_trials(network, traffic, "link", deadline=Deadline(1e6))
    unsolved = [trial for trial in found if trial.unsolved]
    assert intact.status == "certified"
    assert len(unsolved) == len(found) - len(solved) > 0
    assert all(trial.status == "bounds" for trial in unsolved)


def late_after(count: int, solved: list[FailureTrial], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be time for so many failures."""
    monkeypatch.undo()
    whole = trials.solve_connected
    solved.clear()

    def some(*arguments: Any) -> FailureTrial:
        if len(solved) == count:
            raise TimeLimitError("over")
        solved.append(whole(*arguments))
        return solved[-1]

    monkeypatch.setattr(trials, "solve_connected", some)
