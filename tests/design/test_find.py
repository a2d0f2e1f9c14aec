"""The search for networks: known answers, and that nothing that it rules out would have done."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import pnet_lp as pn
from pnet_lp.cli import main
from pnet_lp.cost import quote_network
from pnet_lp.design import FindSettings, candidates, candidates_between, find, search
from pnet_lp.design.failing import CLOSE
from pnet_lp.design.search import Survivor
from pnet_lp.errors import PnetError, SpecError, TimeLimitError, TooLarge, TrafficError
from pnet_lp.executors.base import this_machine
from pnet_lp.failures import Failures
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.registry import validate
from pnet_lp.throughput import solve
from pnet_lp.throughput.trials import failure_trials
from pnet_lp.topology.family import topologies
from pnet_lp.topology.sizing import Equipment, sizings
from pnet_lp.traffic import build_traffic


def requested(**given: Any) -> FindSettings:
    return validate(FindSettings, {"hosts": 16, "radix": 8, **given})


@pytest.mark.parametrize("sizes", ["few", "fine"])
@pytest.mark.parametrize("needs", [Equipment(16, 8), Equipment(100, 12), Equipment(1024, 64)])
def test_sizes_hold_the_hosts_and_have_the_ports(needs: Equipment, sizes: str) -> None:
    settings = requested(hosts=needs.hosts, radix=needs.ports, min_gbps_per_host=1, planes=1, speeds=400, sizes=sizes)
    found = list(candidates(settings))
    assert len({one.topology.partition(":")[0] for one in found}) >= 8
    for one in found:
        (plane,) = one.network.planes
        hosts = [0] * plane.switch_count
        for switch in plane.host_switch:
            hosts[switch] += 1
        assert one.network.host_count >= needs.hosts, one
        assert max(map(sum, zip(hosts, plane.degree.tolist(), strict=True))) <= needs.ports, one
        speeds = {*plane.capacity_uv_gbps.tolist(), *plane.access_up_gbps.tolist()}
        assert speeds == {400.0}, one


@pytest.mark.parametrize(
    ("hosts", "least", "topology"),
    [(64, 100, "single-switch:hosts=64"), (126, 30, "hyperx:dims=3,k=11,t=42"), (128, 50, "hyperx:dims=4,k=10,t=32")],
)
def test_the_fewest_switches_with_all_their_ports(hosts: int, least: float, topology: str) -> None:
    """With 64 ports: 64 hosts need one switch; 126 three, 42 hosts and two bundles of 11 on each.

    Of three, each sends to the next: over 11 cables, and over the third as far as half of the 11 back: 16.5 for 42
    hosts.  Of four, in two pairs, each has 10 cables to its partner, and 10 of the 20 by way of the others: 20 for 32.
    """
    needs = requested(hosts=hosts, min_gbps_per_host=least, radix=64, planes=1)
    assert find(needs).front[0].candidate.topology == topology


def test_rows_of_bundled_cables_are_tried() -> None:
    """Two switches with 32 hosts and 32 cables each carry all that the hosts send, for less than a leaf-spine."""
    found = find(requested(hosts=64, min_gbps_per_host=100, radix=64, planes=1, families=("hyperx", "leaf-spine")))
    assert found.front[0].candidate.topology == "hyperx:dims=2,k=32,t=32"
    assert found.front[0].gbps_per_host == pytest.approx(100, rel=1e-3)
    assert {one.topology for one in candidates(found.settings)} >= {"hyperx:dims=2,k=8,t=32"}


def test_traffic_between_racks_leaves_a_single_switch_out() -> None:
    found = find(requested(hosts=8, min_gbps_per_host=10, traffic="kodialam", planes=1))
    assert "single-switch:hosts=8" not in [one.candidate.topology for one in found.front]
    (why,) = (one.why for one in found.ruled_out if one.candidate.topology == "single-switch:hosts=8")
    assert why.startswith("its one rack, within which this traffic is not defined, proves")


@pytest.mark.parametrize(("least", "factor"), [(100, 1), (51, 1), (50, 2), (26, 2), (25, 4), (20, 4)])
def test_a_fat_tree_is_oversubscribed_as_far_as_it_may_be(least: float, factor: int) -> None:
    """Where nobody sends within a rack, n hosts to an uplink get 1/n of the access speed.

    With 3 to an uplink there are more hosts than with 2, on as many switches: it costs more and carries less.
    """
    found = find(requested(hosts=32, radix=16, min_gbps_per_host=least, families="fat-tree", planes=1))
    assert found.front[0].candidate.topology.endswith(f",tiers=2,oversubscription={factor}")
    assert found.front[0].gbps_per_host == pytest.approx(100 / factor, rel=1e-3)


@pytest.mark.parametrize("gain", [0, 0.01, 0.3])
def test_nothing_that_is_ruled_out_would_have_done(gain: float) -> None:
    """Every candidate is solved: none that is cheaper than the winner carries enough, and no other is on the front."""
    settings = requested(min_gbps_per_host=60, planes=(1, 2), min_gain=gain)
    found = find(settings)
    front = {one.candidate: one for one in found.front}
    carried = {}
    for one in candidates(settings):
        traffic = build_traffic(settings.traffic, one.network, "host")
        each = traffic.total / one.network.host_count
        carried[one] = solve(one.network, traffic).interval.upper * each
    ruled = {one.candidate: one for one in found.ruled_out}
    assert ruled.keys() | front.keys() == carried.keys()
    assert not ruled.keys() & front.keys()
    for candidate, one in ruled.items():
        assert one.most_gbps_per_host >= carried[candidate] * (1 - 1e-3) or "solved" in one.why
    best = 0.0
    books = settings.books
    by_price = sorted(carried, key=lambda one: one.quote(books, settings.radix).total_usd)
    for one in by_price:
        if carried[one] < 60 * (1 - 1e-3) or carried[one] <= best * (1 + max(gain, 1e-3)):
            continue
        assert one in front, one
        best = front[one].gbps_per_host
    assert [one.candidate for one in found.front] == [one for one in by_price if one in front]


def test_a_gain_below_the_least_is_none() -> None:
    """Two planes that differ carry 0.9 % more than two copies of one, which cost less."""
    given = {"hosts": 256, "radix": 32, "min_gbps_per_host": 150, "planes": 2, "families": "jellyfish"}
    every, least = (find(requested(**given, min_gain=gain)) for gain in (0, 0.01))
    (first, second) = every.front[:2]
    assert second.candidate.variant == "heterogeneous"
    assert 1.001 < second.gbps_per_host / first.gbps_per_host < 1.01
    (out,) = [one for one in least.ruled_out if one.candidate == second.candidate]
    assert out.why == "solved, it carries at most 1 % more than something as cheap"
    assert second.gbps_per_host <= out.most_gbps_per_host <= first.gbps_per_host * 1.01
    assert first.candidate == least.front[0].candidate


@pytest.mark.parametrize("gain", [-0.1, 1.0, float("nan")])
def test_gains_that_no_search_has(gain: float) -> None:
    with pytest.raises(SpecError, match="min_gain"):
        requested(min_gbps_per_host=1, min_gain=gain)


def test_fine_steps_try_the_sizes_between_the_few() -> None:
    """With 16 ports and 64 hosts: from 6 switches with 11 hosts on most of them, to 16 with 4 hosts and 12 cables."""
    jellyfish = requested(hosts=64, radix=16, min_gbps_per_host=60, families="jellyfish", planes=1, sizes="fine")
    tried = [one.network.planes[0].switch_count for one in candidates(jellyfish)]
    assert sorted(tried) == list(range(6, 17))
    few, fine = (
        find(requested(hosts=64, radix=16, min_gbps_per_host=60, planes=1, sizes=sizes, best=1))
        for sizes in ("few", "fine")
    )
    assert fine.front[0].quote.total_usd < few.front[0].quote.total_usd
    assert {one.candidate for one in few.ruled_out} < {one.candidate for one in fine.ruled_out}


def test_fine_steps_begin_where_the_few_do() -> None:
    """The most oversubscribed of the few, 59 leaves of 51 hosts, and 63 of 48: those between are cheaper than 63."""
    leaves = requested(
        hosts=3000, radix=64, min_gbps_per_host=27.5, families="leaf-spine", planes=1, sizes="fine", best=1
    )
    assert find(leaves).front[0].quote.total_usd <= 1_713_400
    assert {len(one.network.planes[0].rack_names) for one in candidates(leaves)} == set(range(59, 65))


def test_families_without_sizes_between_have_no_more_candidates() -> None:
    trees = requested(hosts=32, radix=16, min_gbps_per_host=50, families="fat-tree", planes=1)
    assert candidates_between(trees) == 0
    cubes = requested(hosts=1000, radix=8, min_gbps_per_host=50, families="torus", planes=1)
    assert candidates_between(cubes) == len({9, 11, 12})


def test_fine_sizes_are_named_where_they_may_help() -> None:
    needs = {"hosts": 64, "radix": 16, "planes": 1, "min_gbps_per_host": 60, "budget": 80_000}
    with pytest.raises(PnetError, match=r"allowed: a larger budget, fine sizes, or less traffic$"):
        find(requested(**needs))
    assert find(requested(**needs, sizes="fine")).front[0].quote.total_usd < 80_000


def test_planes_that_differ_are_bounded_as_they_are() -> None:
    settings = requested(min_gbps_per_host=150, planes=2, families=("jellyfish", "xpander"))
    found = find(settings)
    variants = {one.candidate.variant for one in [*found.front, *found.ruled_out]}
    assert variants == {"homogeneous", "heterogeneous"}
    for one in found.front:
        assert one.result.status == "certified"
        assert one.gbps_per_host <= one.most_gbps_per_host


def test_one_plane_is_solved_for_all_its_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = list[int]()

    def counted(network: Network, traffic: TrafficMatrix, **options: Any) -> ThroughputResult:
        if "routing" not in options:
            solved.append(network.plane_count)
        return solve(network, traffic, **options)

    monkeypatch.setattr(search, "solve", counted)
    found = find(requested(min_gbps_per_host=40, families="leaf-spine", planes=(1, 2, 4)))
    copies = [one for one in found.front if one.candidate.planes > 1]
    assert {one.candidate.planes for one in copies} == {2, 4}
    assert set(solved) == {1}
    for one in copies:
        each = one.traffic.total / one.candidate.network.host_count
        assert one.result.network["planes"] == one.candidate.planes
        assert one.result.interval.lower * each == pytest.approx(one.gbps_per_host, rel=1e-4)
        assert one.result.status == one.status == "certified"


def test_a_solve_ends_once_its_upper_bound_rules_the_candidate_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found is the same; a plane that alone carries too little is solved again for copies that may do."""
    settings = requested(hosts=64, min_gbps_per_host=40, radix=16, families=("jellyfish", "xpander"), planes=(1, 2, 4))
    results = list[ThroughputResult]()

    def noted(network: Network, traffic: TrafficMatrix, **options: Any) -> ThroughputResult:
        result = solve(network, traffic, **options)
        if "routing" not in options:
            results.append(result)
        return result

    def whole(network: Network, traffic: TrafficMatrix, *, enough_below: float = 0, **options: Any) -> ThroughputResult:
        assert enough_below >= 0
        return noted(network, traffic, **options)

    monkeypatch.setattr(search, "solve", noted)
    found, cut_short = find(settings), results.copy()
    results.clear()
    monkeypatch.setattr(search, "solve", whole)
    expected = find(settings)
    front, whole_front = ([(one.candidate, one.gbps_per_host) for one in all_.front] for all_ in (found, expected))
    assert front == whole_front
    assert found.counts == expected.counts
    assert {one.status for one in results} == {"certified"}
    assert sum(one.iterations for one in cut_short) < 0.8 * sum(one.iterations for one in results)
    ended = {one.network["fingerprint"] for one in cut_short if one.status == "bounds"}
    assert ended & {one.network["fingerprint"] for one in cut_short if one.status == "certified"}
    assert all(one.most_gbps_per_host < 40 for one in found.ruled_out if one.why == "solved, it carries too little")


@pytest.mark.parametrize(
    ("parts", "least", "planes"),
    [
        ({"links": 0.2}, 40, (1, 2)),
        ({"ports": "1 port"}, 30, (1, 2)),
        ({"switches": "1 switch", "ports": 0.1}, 20, (4, 8)),
    ],
)
def test_failures_need_more(parts: dict[str, Any], least: float, planes: tuple[int, ...]) -> None:
    keys: dict[str, Any] = {"min_gbps_per_host": least, "families": "leaf-spine", "planes": planes}
    plain = find(requested(**keys))
    failing = find(
        requested(**keys, **{f"fail_{key}": value for key, value in parts.items()}, trials=5, confidence=0.8)
    )
    assert failing.front[0].quote.total_usd > plain.front[0].quote.total_usd
    # Not all draws are solved for it, but what is found is what all of them say.
    for one in failing.front:
        network = one.candidate.network
        draws = failure_trials(network, one.traffic, Failures(**parts), trials=5)
        values = [0.0 if draw.lost_demands else draw.throughput_gbps for draw in draws]
        each = one.traffic.total / network.host_count
        worst = sorted(values)[0] * each
        assert worst * (1 - CLOSE) <= one.gbps_per_host <= worst * (1 + 1e-4)
        assert one.gbps_per_host >= least * (1 - 1e-4)


def test_failures_on_several_processes() -> None:
    settings = requested(min_gbps_per_host=30, families=("jellyfish", "leaf-spine"), planes=1, fail_links=0.1, trials=6)
    one, two = find(settings), find(settings, executor=this_machine(2))
    values = [[(each.candidate, each.gbps_per_host) for each in found.front] for found in (one, two)]
    assert values[0] == values[1]
    assert len(values[0]) > 1
    assert one.counts == two.counts


def test_what_failures_leave_is_known_closely_where_that_decides() -> None:
    def found(least: float) -> list[Survivor]:
        needs = requested(
            min_gbps_per_host=least, families="leaf-spine", planes=(1, 2), fail_links=0.2, trials=5, confidence=0.8
        )
        return list(find(needs).front)

    [first, *_] = found(40)
    draws = failure_trials(first.candidate.network, first.traffic, Failures(links=0.2), trials=5)
    each = first.traffic.total / first.candidate.network.host_count
    worst = min(draw.throughput_gbps for draw in draws) * each
    # A load between what is carried and what a close look shows at least: found all the same, and nothing above it.
    assert found(worst * (1 - 1e-3))[0].candidate == first.candidate
    assert first.candidate not in [one.candidate for one in found(worst * (1 + 1e-3))]


def test_ranks_and_budgets() -> None:
    by_cost = find(requested(min_gbps_per_host=20, planes=(1, 2)))
    most = find(requested(min_gbps_per_host=20, planes=(1, 2), rank="throughput"))
    assert most.front[0].gbps_per_host == max(one.gbps_per_host for one in by_cost.front)
    power = find(requested(min_gbps_per_host=20, planes=(1, 2), rank="power"))
    watts = [one.quote.watts for one in power.front]
    assert watts == sorted(watts)
    budget = by_cost.front[1].quote.total_usd
    poor = find(requested(min_gbps_per_host=20, planes=(1, 2), budget=budget))
    assert [one.candidate for one in poor.front] == [one.candidate for one in by_cost.front[:2]]
    assert poor.counts["it costs more than the budget"] > 0
    first = find(requested(min_gbps_per_host=20, planes=(1, 2), best=2))
    assert [one.candidate for one in first.front] == [one.candidate for one in by_cost.front[:2]]
    assert len(first.front) + len(first.ruled_out) == len(by_cost.front) + len(by_cost.ruled_out)
    assert first.counts["it comes after as many as asked for"] > 0


def test_a_budget_that_is_too_small_is_named() -> None:
    """What the cheapest network without a budget costs is what the message has to name."""
    needs = {"min_gbps_per_host": 50, "planes": 1, "families": "fat-tree"}
    (cheapest, *_) = find(requested(**needs)).front
    price = cheapest.quote.total_usd
    fast = [one for one in candidates(requested(**needs)) if one.access_gbps >= 50]
    with pytest.raises(PnetError) as refused:
        find(requested(**needs, budget=price - 1))
    says = str(refused.value)
    tried = len(list(candidates(requested(**needs))))
    assert says.startswith(
        f"none of {tried} candidates carries 50 Gb/s per host of longest-matching for {price - 1:,.10g} USD; "
    )
    assert f"is {cheapest.candidate.command} for {price:,.0f} USD" in says
    assert says.endswith("allowed: a larger budget, or less traffic")
    with pytest.raises(PnetError, match=rf"USD; {len(fast)} cost more, and the cheapest"):
        find(requested(**needs, budget=1))


def test_a_budget_is_not_to_blame_where_nothing_would_do() -> None:
    """Opposite switches of a torus of so many are too far apart for its cables, as the bounds know."""
    needs = {"hosts": 200, "min_gbps_per_host": 99, "planes": 1, "families": "torus"}
    with pytest.raises(PnetError) as without:
        find(requested(**needs))
    with pytest.raises(PnetError) as poor:
        find(requested(**needs, budget=1))
    assert str(poor.value) == str(without.value)
    assert "; the nearest is torus:" in str(poor.value)
    assert "budget" not in str(poor.value)


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"min_gbps_per_host": 1e6}, PnetError, "none of"),
        ({"hosts": 5000, "radix": 3, "min_gbps_per_host": 1, "families": "complete"}, PnetError, "no family has"),
        ({"min_gbps_per_host": 0}, SpecError, "min_gbps_per_host"),
        ({"min_gbps_per_host": 1, "families": "fat-treee"}, SpecError, "did you mean 'fat-tree'"),
        ({"min_gbps_per_host": 1, "traffic": "nosuch"}, SpecError, "traffic"),
        ({"min_gbps_per_host": 1, "planes": (2, 2)}, SpecError, "planes: a value is given twice"),
        (
            {"min_gbps_per_host": 1, "trials": 3},
            SpecError,
            "trials: has no meaning without fail_links or fail_switches or",
        ),
        ({"min_gbps_per_host": 1, "best": 1, "rank": "throughput"}, SpecError, "best: has no meaning where"),
        (
            {"min_gbps_per_host": 1, "jobs": 2},
            SpecError,
            "executor: has no meaning without fail_links or fail_switches or",
        ),
    ],
)
def test_wrong(given: dict[str, Any], kind: type[PnetError], message: str) -> None:
    jobs = given.pop("jobs", 1)
    with pytest.raises(kind, match=message):
        find(requested(**given), executor=this_machine(jobs))


def test_command(tmp_path: Path) -> None:
    words = "find --hosts 16 --min-gbps-per-host 60 --radix 8 --planes 1..2 --speeds 100"
    table, every, chart = (tmp_path / name for name in ("found.csv", "candidates.csv", "front.svg"))
    done = CliRunner().invoke(
        main, [*words.split(), "--json", "-o", str(table), "--candidates", str(every), "--plot", str(chart)]
    )
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    front = document["front"]
    assert document["candidates"] == len(front) + sum(document["ruled_out"].values())
    assert len(table.read_text().splitlines()) == 1 + len(front)
    assert len(every.read_text().splitlines()) == 1 + document["candidates"]
    assert "Gb/s per host" in chart.read_text()
    # The command that is printed makes the network, and it carries as much.
    again = CliRunner().invoke(
        main, ["throughput", *front[0]["command"].split(), "--traffic", "longest-matching", "--json"]
    )
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["throughput_gbps"] == pytest.approx(front[0]["gbps_per_host"], rel=1e-3)
    text = CliRunner().invoke(main, words.split())
    assert "ruled out" in text.output
    refused = CliRunner().invoke(main, [*words.split(), "--candidates", str(tmp_path / "c.txt")])
    assert refused.exit_code == 2
    assert "c.txt: unknown file format, found '.txt'" in refused.output


def test_every_family_with_sizes_is_a_family() -> None:
    assert set(sizings.names()) <= set(topologies.names())


SMALL = {"hosts": 16, "min_gbps_per_host": 10, "radix": 8, "planes": (1, 2), "families": ("jellyfish", "leaf-spine")}


EXAMINE = search._Finder.examine


def ending_after(monkeypatch: pytest.MonkeyPatch, count: int, error: BaseException) -> None:
    """Have the search end with ``error`` instead of looking at another candidate after ``count``."""
    left = iter(range(count))

    def counted(*arguments: Any) -> Any:
        if next(left, None) is None:
            raise error
        return EXAMINE(*arguments)

    monkeypatch.setattr(search._Finder, "examine", counted)


WORDS = [
    "find",
    "--hosts",
    "16",
    "--min-gbps-per-host",
    "10",
    "--radix",
    "8",
    "--planes",
    "1,2",
    "--families",
    "jellyfish,leaf-spine",
    "--time-limit",
    "1000",
]


@pytest.mark.parametrize(
    ("error", "said", "code"),
    [(KeyboardInterrupt(), "interrupted", 130), (TimeLimitError("the time is over"), "time limit", 3)],
)
def test_what_ends_a_search_leaves_the_front_so_far(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, said: str, code: int
) -> None:
    whole = find(requested(**SMALL))
    ending_after(monkeypatch, 4, error)
    done = CliRunner().invoke(main, [*WORDS, "--json"])
    assert done.exit_code == code, done.output
    document = json.loads(done.stdout)
    assert document["stopped"] == said
    assert f"{said}: the front is that of the candidates examined before" in done.stderr
    assert document["ruled_out"]["the search ended before it was examined"] == document["candidates"] - 4
    commands = [one["command"] for one in document["front"]]
    assert commands == [one.candidate.command for one in whole.front][: len(commands)] != []
    ending_after(monkeypatch, 4, error)
    text = CliRunner().invoke(main, WORDS)
    assert text.exit_code == code
    assert f"{said}: the front is that of the candidates that were examined before" in text.stdout


def test_what_ends_a_search_before_anything_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    ending_after(monkeypatch, 0, KeyboardInterrupt())
    assert CliRunner().invoke(main, WORDS).exit_code == 130
    with pytest.raises(TimeLimitError, match="time_limit_s: 1e-09 s ran out while looking for networks"):
        find(requested(**SMALL, time_limit_s=1e-9))
    ending_after(monkeypatch, 4, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        find(requested(**SMALL))


def test_the_time_limit_ends_what_does_not_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    entered = []

    def endless(*_: Any, **__: Any) -> None:
        entered.append(True)
        begun = time.process_time()
        while time.process_time() < begun + 20.0:
            pass

    monkeypatch.setattr("pnet_lp.design.search.build_traffic", endless)
    arguments = "find --hosts 16 --min-gbps-per-host 1 --radix 8 --families fat-tree --time-limit 0.5"
    done = CliRunner().invoke(main, arguments.split())
    assert done.exit_code == 1
    assert entered
    assert "0.5 s ran out while looking for networks" in done.stderr


def test_a_candidate_that_does_not_fit_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = find(requested(**SMALL))
    gone = whole.front[0].candidate
    build = search.build_traffic

    def refusing(text: str, network: Any, *arguments: Any, **options: Any) -> Any:
        if network.fingerprint == gone.network.fingerprint:
            raise TrafficError(TooLarge("the matrix needs about 9.0 TiB, 1.0 GiB are free"), where="longest-matching")
        return build(text, network, *arguments, **options)

    monkeypatch.setattr(search, "build_traffic", refusing)
    found = find(requested(**SMALL))
    assert gone not in [one.candidate for one in found.front]
    # What is known of a plane is used for all numbers of copies.
    left = [one for one in found.ruled_out if one.lacks]
    assert [one.candidate.topology for one in left] == 2 * [gone.topology]
    assert {one.why for one in left} == {"it does not fit"}
    done = CliRunner().invoke(main, WORDS)
    assert done.exit_code == 0
    sentence = "longest-matching: the matrix needs about 9.0 TiB, 1.0 GiB are free"
    assert f"left out, since it does not fit: {gone.command} ({sentence})" in done.stdout
    document = json.loads(CliRunner().invoke(main, [*WORDS, "--json"]).stdout)
    assert {"command": gone.command, "why": sentence} in document["left_out"]
    assert document["candidates"] == len(document["front"]) + sum(document["ruled_out"].values())

    def broken(*_: Any, **__: Any) -> Any:
        raise TrafficError("not a matrix")

    monkeypatch.setattr(search, "build_traffic", broken)
    with pytest.raises(TrafficError, match="not a matrix"):
        find(requested(**SMALL))


def test_a_chip_has_as_many_ports_as_fit() -> None:
    settings = validate(
        FindSettings, {"hosts": 16, "min_gbps_per_host": 10, "chip": "51.2T", "speeds": (800, 400, 100)}
    )
    assert [settings.ports(gbps) for gbps in settings.speeds] == [64, 128, 512]
    common = {"hosts": 64, "min_gbps_per_host": 10, "planes": 1, "families": "leaf-spine"}
    mixed = list(candidates(validate(FindSettings, {**common, "chip": "1.6T", "speeds": (50, 100)})))
    apart = [
        one
        for gbps, radix in ((50, 32), (100, 16))
        for one in candidates(validate(FindSettings, {**common, "radix": radix, "speeds": gbps}))
    ]
    assert mixed == apart
    found = find(validate(FindSettings, {**common, "chip": 1600, "speeds": (50, 100)}))
    parts = {line.part.name for one in found.front for line in one.quote.lines if line.part.kind == "switch"}
    assert parts <= {"switch-32x50g", "switch-16x100g"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"chip": "51.2X"}, "chip: not a speed, found '51.2X'; allowed: such as 51.2T, 800G, or a number of Gb/s"),
        ({"chip": "51.2T", "radix": 64}, "radix: has no meaning beside chip, found 64"),
        ({"chip": "200G"}, "chip: a chip of 200 Gb/s has 2 ports of 100 Gb/s; allowed: 3 to 4,096 ports"),
        ({"chip": "9999T"}, "chip: a chip of 9.999e+06 Gb/s has 99,990 ports of 100 Gb/s"),
    ],
)
def test_chips_that_no_search_has(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        validate(FindSettings, {"hosts": 16, "min_gbps_per_host": 10, **given})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "family", [name for name in sizings.names() if "seed" in topologies.get(name).params.model_fields]
)
@pytest.mark.parametrize("hosts", [50, 96])
def test_different_planes_have_the_parts_of_copies(family: str, hosts: int) -> None:
    """So a search prices them without building them all."""
    settings = requested(hosts=hosts, radix=12, min_gbps_per_host=1, planes=3, families=family, sizes="fine")
    books = settings.books
    different = [one for one in candidates(settings) if not one.identical_planes]
    assert different
    for one in different[::5]:
        assert one.quote(books, 12).lines == one.exact_quote(books, 12).lines


@pytest.mark.parametrize(("rails", "relay"), [(None, None), (2, "ends"), (2, "none")])
def test_with_servers_nothing_is_missed(rails: int | None, relay: str | None) -> None:
    """Each candidate whose hosts fill servers, built, priced and solved from its own command, against the front."""
    inside = {"server": "single-switch:hosts=2", "server_gbps": 150.0, "rails": rails, "relay": relay}
    given = {"hosts": 8, "planes": (1, 2), "families": ("single-switch", "leaf-spine"), "traffic": "stride:s=2"}
    found = find(requested(**given, **inside, min_gbps_per_host=20, nics=True, scale_up=True))
    books, known = found.settings.books, []
    for one in candidates(found.settings):
        if one.network.host_count % 2 == 0:
            shape = {"planes": one.planes, "variant": one.variant, "hosts_per_switch": one.hosts_per_switch}
            network = pn.build_network(one.topology, link_gbps=one.gbps, **shape, **inside)
            bill = quote_network(network, *books, ports=8, nics=True, scale_up=True)
            result = solve(network, build_traffic("stride:s=2", network, "host"))
            known.append((bill.total_usd, result.throughput_gbps, one.command))
    best, front = 0.0, []
    for usd, gbps, command in sorted(known, key=lambda one: one[0]):
        if gbps >= 20 and gbps > best * 1.0001:
            best = gbps
            front.append((pytest.approx(gbps, rel=1e-4), usd, command))
    assert [(one.gbps_per_host, one.quote.total_usd, one.candidate.command) for one in found.front] == front
    assert all(word in front[0][2] for word in ("--server single-switch:hosts=2", "--server-gbps 150"))
    assert rails is None or all("--planes 2" in command for _, _, command in front)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"server": "complete:n=2"}, "traffic: the default, longest-matching, is about distances between racks"),
        ({"server": "complete:n=3", "rails": 2, "traffic": "all-to-all"}, "rails: servers of 3 cannot be dealt evenly"),
        ({"server": "complete:n=2", "rails": 2, "planes": 1, "traffic": "all-to-all"}, "planes: none of 1 planes can"),
        ({"scale_up": True}, "scale_up: there are no servers; allowed: with server=TOPOLOGY"),
        ({"rails": 2}, "rails"),
    ],
)
def test_servers_that_do_not_fit_are_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(PnetError, match=says):
        find(requested(min_gbps_per_host=1, **given))
