"""Every single failure against a solve of its own, and what makes them few."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import pnet_lp as pn
from pnet_lp.cli import main
from pnet_lp.errors import InfeasibleError, SpecError
from pnet_lp.executors.base import this_machine
from pnet_lp.failures import Each, Failures, RiskGroup, fail, single_failures
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.questions.failures.answer import FailuresAnswer
from pnet_lp.questions.failures.words import report, write_plot
from pnet_lp.throughput import single, solve
from pnet_lp.throughput.objectives import parse_objective
from pnet_lp.throughput.single import single_failure_trials
from pnet_lp.throughput.trials import failure_trials, solve_connected
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

TIGHT = 1e-8
SLACK = 2e-7


def separately(network: Network, traffic: TrafficMatrix, name: str, routing: str) -> tuple[float, int]:
    """K of connected pairs and the demands lost, by a trial of its own with ``--fail``."""
    failures = Failures(names=tuple(name.split(", ")))
    (trial,) = failure_trials(network, traffic, failures, trials=1, tolerance=TIGHT, routing=routing)
    return trial.throughput_gbps, trial.lost_demands


@st.composite
def wans(draw: st.DrawFn, n: int = 6) -> Network:
    """A ring of n switches with chords, some cables parallel, of several speeds, in one plane or two."""
    planes = []
    for _ in range(draw(st.integers(1, 2))):
        chords = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(1, n - 1)), max_size=4))
        ends = [(i, (i + 1) % n) for i in range(n)] + [(u, (u + d) % n) for u, d in chords]
        speeds = draw(st.lists(st.sampled_from([10.0, 40.0, 100.0]), min_size=len(ends), max_size=len(ends)))
        planes.append(Plane.from_cables(n, [u for u, _ in ends], [v for _, v in ends], speeds))
    return Network.from_planes(planes)


@st.composite
def matrices(draw: st.DrawFn, demands: st.SearchStrategy[int], n: int = 6) -> TrafficMatrix:
    """Some demands between the racks of :func:`wans`."""
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    drawn = np.array(draw(st.lists(demands, min_size=len(pairs), max_size=len(pairs)).filter(any)), dtype=float)
    src, dst = np.array(pairs)[drawn > 0].T
    return TrafficMatrix.from_entries("rack", n, src, dst, drawn[drawn > 0])


@settings(deadline=None, max_examples=10)
@given(wans(), st.sampled_from(["ideal", "ecmp-split", "ksp:3"]), st.sampled_from(["link", "switch"]), st.data())
def test_each_failure_is_a_solve_of_its_own(network: Network, routing: str, each: Each, data: st.DataObject) -> None:
    traffic = data.draw(matrices(st.integers(0, 3)), "traffic")
    intact, *found = single_failure_trials(network, traffic, each, routing=routing, tolerance=TIGHT)
    assert intact.throughput_gbps == pytest.approx(
        solve(network, traffic, routing=routing, tolerance=TIGHT).throughput_gbps, rel=SLACK
    )
    assert sum(trial.equivalent for trial in found) == len(single_failures(network, each))
    for trial in found:
        rate, lost = separately(network, traffic, trial.failure, routing)
        assert (trial.throughput_gbps, trial.lost_demands) == (pytest.approx(rate, rel=SLACK), lost)
    order = [(-trial.lost_share, float(f"{trial.throughput_gbps:.9g}")) for trial in found]
    assert order == sorted(order)


@pytest.mark.parametrize(
    ("each", "sets"),
    [
        ("link", {"edge0-agg0": 16, "agg0-core0": 16}),
        ("switch", {"edge0": 8, "agg0": 8, "core0": 4}),
        ("port", {"0:h0": 32}),
        ("nic", {"h0": 16}),
    ],
)
def test_symmetric_failures_are_one(each: Each, sets: dict[str, int]) -> None:
    network = build_network("fat-tree:k=4", planes=1 if "edge0" in str(sets) else 2)
    traffic = build_traffic("all-to-all", network)
    _, *found = single_failure_trials(network, traffic, each)
    assert {trial.failure: trial.equivalent for trial in found} == sets
    # Each of a set is worth as much as the one that stands for it.
    for failure in single_failures(network, each)[::5]:
        rate, lost = separately(network, traffic, failure.name, "ideal")
        assert any(
            trial.lost_demands == lost and trial.throughput_gbps == pytest.approx(rate, rel=2e-4) for trial in found
        )


def backbone(switches: int, links: int, seed: int) -> tuple[Network, TrafficMatrix]:
    """Switches at random places, joined by a tree and to near ones by links of three speeds; gravity demands."""
    random = np.random.default_rng(seed)
    place, mass = random.random((switches, 2)), random.lognormal(size=switches)
    distance = np.hypot(*(place[:, None] - place[None]).T)
    ends = {(int(np.argmin(distance[v, :v])), v) for v in range(1, switches)}
    near = sorted((distance[u, v] * random.uniform(0.5, 1.5), u, v) for u, v in combinations(range(switches), 2))
    for _, u, v in near:
        if len(ends) < links:
            ends.add((u, v))
    u, v = zip(*sorted(ends), strict=True)
    plane = Plane.from_cables(switches, list(u), list(v), random.choice([10.0, 40.0, 100.0], links).tolist())
    src, dst = np.nonzero(~np.eye(switches, dtype=bool))
    traffic = TrafficMatrix.from_entries("rack", switches, src, dst, mass[src] * mass[dst])
    return Network.from_planes([plane]), traffic


@pytest.mark.parametrize("seed", range(5))
def test_links_of_a_backbone_fail_from_one_basis(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    network, traffic = backbone(12, 19, seed)

    def refuse(*_: object) -> None:
        raise AssertionError("solved from nothing")

    with monkeypatch.context() as patched:
        patched.setattr(single, "solve_in_part", refuse)
        intact, *found = single_failure_trials(network, traffic, "link", tolerance=1e-7)
    assert len(found) == 19
    for trial in found:
        rate, lost = separately(network, traffic, trial.failure, "ideal")
        assert (trial.throughput_gbps, trial.lost_demands) == (pytest.approx(rate, rel=1e-6), lost)
        assert trial.status == "certified"
        if not lost:
            bounds, whole = (each.bounds(parse_objective("concurrent")) for each in (trial, intact))
            assert bounds.lower <= whole.lower
            assert bounds.upper <= whole.upper


def test_a_failure_attains_no_more_than_the_whole_network() -> None:
    # At so coarse a tolerance some failure is solved more closely than the network without failures.
    network, traffic = backbone(12, 19, 1)
    intact, *found = single_failure_trials(network, traffic, "link", tolerance=0.1, solver="structured")
    concurrent = parse_objective("concurrent")
    bounds = [trial.bounds(concurrent) for trial in found if not trial.lost_demands]
    assert bounds
    whole = intact.bounds(concurrent)
    assert whole.lower >= max(each.lower for each in bounds)
    assert whole.upper >= max(each.upper for each in bounds)


SIZES = ((8, 12), (10, 16), (13, 21), (16, 26), (20, 33))
"""Switches and links of five backbones."""


@pytest.mark.parametrize("seed", range(len(SIZES)))
def test_every_link_of_five_backbones_equals_a_solve_of_its_own(seed: int) -> None:
    network, traffic = backbone(*SIZES[seed], seed)
    concurrent, utilisation = (
        {trial.failure: trial for trial in single_failure_trials(network, traffic, "link", tolerance=1e-7, objective=o)}
        for o in ("concurrent", "min-max-utilisation")
    )
    goal = parse_objective("min-max-utilisation")
    for failure in single_failures(network, "link"):
        # By another program and solver, without anything that the other failures have left.
        alone = solve_connected(network, traffic, {"tolerance": 1e-8, "solver": "highs-ipx"}, failure.mask(network))
        for found in (concurrent[failure.name], utilisation[failure.name]):
            assert (found.status, found.lost_demands) == ("certified", alone.lost_demands)
            assert found.throughput_gbps == pytest.approx(alone.throughput_gbps, rel=1e-6)
        assert utilisation[failure.name].attained(goal) == pytest.approx(1 / alone.throughput_gbps, rel=1e-6)


OTHERS = ("min-max-utilisation", "total", "total:floor=0.9", "max-min", "max-min:cap=demand", "min-cost:at=0.9")


@pytest.mark.parametrize("objective", OTHERS)
@settings(deadline=None, max_examples=2)
@given(network=wans(4), data=st.data())
def test_each_objective_equals_a_solve_of_its_own(network: Network, objective: str, data: st.DataObject) -> None:
    traffic = data.draw(matrices(st.sampled_from([0, 5, 20, 60]), 4), "traffic")
    # Close to what just fits, it is not known whether it does.
    most = solve(network, traffic, tolerance=TIGHT).throughput_gbps
    traffic = traffic.scaled(most)
    goal, options = parse_objective(objective), {"tolerance": 1e-6, "objective": objective}
    _, *found = single_failure_trials(network, traffic, "link", **options)
    masks = {failure.name: failure.mask(network) for failure in single_failures(network, "link")}
    for trial in found:
        alone = solve_connected(network, traffic, options, masks[trial.failure])
        assert trial.attained(goal) == pytest.approx(alone.attained(goal), rel=1e-5)
        assert (trial.lost_demands, trial.infeasible) == (alone.lost_demands, alone.infeasible)
    ranks = [trial.rank(goal) for trial in found]
    assert ranks == sorted(ranks)


def test_an_idle_link_that_is_the_only_path_loses_its_demand() -> None:
    # The sum of rates is largest if nothing goes from 0 over 1 to 2: the other two demands get all of both links.
    plane = Plane.from_cables(4, [0, 1, 2], [1, 2, 3], [10.0, 10.0, 10.0])
    traffic = TrafficMatrix.from_entries("rack", 4, [0, 1, 0], [1, 2, 3], [10.0, 10.0, 10.0])
    intact, *found = single_failure_trials(Network.from_planes([plane]), traffic, "link", objective="total")
    assert intact.result is not None
    assert intact.result.value == pytest.approx(20)
    worst = {trial.failure: (trial.attained(parse_objective("total")), trial.lost_demands) for trial in found}
    assert worst == {"0-1": (pytest.approx(10), 2), "1-2": (pytest.approx(10), 2), "2-3": (pytest.approx(20), 1)}


def test_failures_with_which_the_request_does_not_fit_come_first() -> None:
    # A ring of four with a chord: 30 Gb/s leave 0, and 20 where a link has failed.
    plane = Plane.from_cables(4, [0, 1, 2, 3, 0], [1, 2, 3, 0, 2], [10.0] * 5)
    network = Network.from_planes([plane])
    traffic = TrafficMatrix.from_entries("rack", 4, [0, 1], [2, 3], [25.0, 6.0])
    for objective in ("total:floor=0.9", "min-cost:at=0.9"):
        intact, *found = single_failure_trials(network, traffic, "link", objective=objective)
        assert intact.status == "certified"
        assert [trial.status for trial in found] == ["infeasible"] * sum(trial.infeasible for trial in found)
        document = FailuresAnswer(network, traffic, tuple(found), intact, parse_objective(objective)).to_json()
        assert document["infeasible"] == 5
        assert document[parse_objective(objective).headline.key] is None
    with pytest.raises(InfeasibleError, match="the floors do not fit together"):
        single_failure_trials(network, traffic, "link", objective="total:floor=1")


def test_utilisation_counts_what_is_above_100_percent(tmp_path: Path) -> None:
    # Two parallel links of 10: 8 Gb/s fit on one of them, 12 do not.
    network = Network.from_planes([Plane.from_cables(3, [0, 0, 1], [1, 1, 2], [10.0, 10.0, 40.0])])
    traffic = TrafficMatrix.from_entries("rack", 3, [0, 1], [1, 2], [12.0, 1.0])
    intact, *found = single_failure_trials(network, traffic, "link", objective="min-max-utilisation")
    answer = FailuresAnswer(network, traffic, tuple(found), intact, parse_objective("min-max-utilisation"))
    document = answer.to_json()
    assert (document["intact"], document["max_utilisation"]) == (pytest.approx(0.6), pytest.approx(1.2))
    assert (document["failures"], document["below_demand"], document["undecided"]) == (3, 2, 0)
    # Without 1-2 a demand is lost, which leaves the others as they are.
    first, second = document["trials"]
    assert (first["failure"], first["lost_demands"], first["max_utilisation"]) == ("1-2", 1, pytest.approx(0.6))
    assert (second["failure"], second["limit"], second["equivalent"]) == ("0-1#0", "0 -> 1", 2)
    assert answer.headline.value == pytest.approx(1.2)
    said = "\n".join(" ".join(str(cell) for cell in column.cells) for column in report(document)[0].columns)
    assert "120 % of the fullest link, the largest; 60 % without failures" in said
    assert "2 put a link above 100 %" in said
    write_plot(answer, "utilisation", tmp_path / "chart.svg")
    assert "max utilisation, of the fullest link" in (tmp_path / "chart.svg").read_text()


def test_processes_change_nothing() -> None:
    # So many that each process has some.
    network, traffic = backbone(20, 40, 2)
    one, two = (
        [
            (trial.failure, trial.throughput_gbps, trial.limit)
            for trial in single_failure_trials(network, traffic, "link", executor=this_machine(jobs))
        ]
        for jobs in (1, 2)
    )
    assert one == two


def test_what_differs_is_not_one() -> None:
    # Demands, speeds or metrics make links different that look the same.
    network = build_network("ring:n=6")
    all_pairs = build_traffic("all-to-all", network)
    assert len(single_failure_trials(network, all_pairs, "link")) == 1 + 1
    one = TrafficMatrix.from_entries("rack", 6, [0], [1], [1.0])
    assert len(single_failure_trials(network, one, "link")) > 1 + 1
    plane = network.planes[0]
    faster = Plane.from_cables(6, plane.cable_u, plane.cable_v, [100, 100, 100, 100, 100, 200])
    assert len(single_failure_trials(Network.from_planes([faster]), all_pairs, "link")) > 1 + 1


def test_pairs_and_groups() -> None:
    network = build_network("ring:n=4")
    traffic = build_traffic("all-to-all", network)
    names = [failure.name for failure in single_failures(network, "link")]
    _, *pairs = single_failure_trials(network, traffic, "pair")
    assert {trial.failure for trial in pairs} == {", ".join(pair) for pair in combinations(names, 2)}
    assert all(trial.lost_demands for trial in pairs)
    group = RiskGroup(name="duct", cables=(("0", "1"), ("2", "3")), probability=0.1)
    _, only = single_failure_trials(network, traffic, "group", [group])
    certain = Failures(groups=(group.model_copy(update={"probability": 1.0}),))
    pairs_left = TrafficMatrix.from_entries("rack", 4, [0, 1, 2, 3], [3, 2, 1, 0])
    whole = solve(fail(network, certain), pairs_left, tolerance=TIGHT)
    assert (only.failure, only.lost_demands) == ("duct", 8)
    assert only.throughput_gbps == pytest.approx(whole.throughput_gbps, rel=1e-4)


def test_the_command_lists_the_worst_first() -> None:
    result = CliRunner().invoke(main, ["failures", "fat-tree:k=4", "--each", "switch", "--json"])
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert [row["failure"] for row in document["trials"]] == ["edge0", "agg0", "core0"]
    assert document["throughput_gbps"] == pytest.approx(25 / 7)
    assert document["intact_gbps"] == pytest.approx(20 / 3)
    assert (document["failures"], document["below_demand"]) == (20, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--each", "link", "--fail-links", "0.1"], "give either --each or --fail-links"),
        (["--each", "link", "--trials", "3"], "give either --each or --trials"),
        (["--each", "group"], "groups fail by themselves or not at all"),
        (["--each", "edge"], "'edge' is not one of"),
        (["--each", "link", "--objective", "min-cost"], "each failure would be asked for another K"),
        (["--fail-links", "0.1", "--objective", "min-cost:fraction=0.5"], "allowed: min-cost:at=K"),
        (["--each", "link", "--objective", "least"], "unknown objective 'least'"),
        (["--each", "link", "--objective", "max-min-fill"], "needs one path or one fixed split for each demand"),
        (["--each", "link", "--objective", "total", "--solver", "structured"], "structured"),
        (["--each", "link", "--traffic", "permutation", "--objective", "total:floor=2"], "less than or equal to 1"),
        (["--each", "link", "--traffic", "stride:s=4", "--objective", "min-cost:at=1e6"], "the matrix does not fit"),
    ],
)
def test_what_has_no_meaning_beside_it_is_refused(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["failures", "fat-tree:k=4", *arguments])
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("each", ["link", "switch", "port", "nic", "server"])
def test_parts_of_networks_with_servers_fail_alone(each: Each) -> None:
    """What fails has the answer that the network has without it; of a server all NICs do."""
    network = pn.build_network(
        "leaf-spine:leaves=2,spines=1,hosts_per_leaf=2", planes=2, server="single-switch:hosts=2", server_gbps=300
    )
    traffic = build_traffic("all-to-all", network)
    intact, *found = single_failure_trials(network, traffic, each)
    assert intact.throughput_gbps == pytest.approx(solve(network, traffic).throughput_gbps, rel=2e-4)
    assert sum(one.equivalent for one in found) == {"link": 4, "switch": 6, "port": 8, "nic": 4, "server": 2}[each]
    for trial in found:
        first = 2 * int(trial.failure.removeprefix("server ")) if each == "server" else 0
        name = ", ".join(network.host_names[first : first + 2]) if each == "server" else trial.failure
        rate, lost = separately(network, traffic, name, "ideal")
        assert (trial.throughput_gbps, trial.lost_demands) == (pytest.approx(rate, rel=2e-4), lost)


def test_a_network_without_such_parts_is_refused() -> None:
    network = build_network("ring:n=4")
    with pytest.raises(SpecError, match="each: the network has no servers, found 'server'; allowed: a network with"):
        single_failures(network, "server")
    with pytest.raises(SpecError, match="the network has 0 failures of this kind"):
        single_failures(network, "port")
    with pytest.raises(SpecError, match=r"has \d+,\d+ failures of this kind"):
        single_failures(build_network("torus:dims=16x16"), "pair")
