"""Each question's numbers, against closed forms, published values and what its command's library function gives."""

from pathlib import Path

import pytest

from pnet_lp.crosscheck import crosscheck
from pnet_lp.errors import PnetError
from pnet_lp.experiment import Record, Store, load_experiment, run_experiment
from pnet_lp.failures import Failures, fail
from pnet_lp.report.experiment import compare, result_table
from pnet_lp.seeds import derive_seed
from pnet_lp.sim import simulate
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic


def records(folder: Path, question: str, cases: str) -> dict[str, Record]:
    (folder / "spec.yaml").write_text(f"title: T\nquestion: {question}\ncases: {cases}\n")
    experiment = load_experiment(folder)
    return {record.case: record for record in run_experiment(experiment, Store(folder / "results"))}


def answer(folder: Path, question: str, case: str) -> dict[str, object]:
    """The cells of a case of one draw."""
    [draw] = records(folder, question, f"{{a: {case}}}")["a"].draws
    return draw.values


def test_the_time_of_a_remote_call(tmp_path: Path) -> None:
    """Neighbours on a ring are a hop and two access links apart, and all are neighbours of three."""
    bare = answer(tmp_path, "hops", "{topology: 'ring:n=3', level: rack}")
    assert bare["mean_rpc_us"] is bare["p99_rpc_us"] is None
    case = "{topology: 'ring:n=3', level: rack, rpc_bytes: 1500, hop_delay_us: 2, link_gbps: 10}"
    found = answer(tmp_path, "hops", case)
    # Four messages cross three links: 1 and 40 bytes, 1,500 and 40.
    assert found["mean_rpc_us"] == pytest.approx(4 * 3 * 2 + 3 * (1 + 40 + 1500 + 40) * 8e-4)
    assert found["p50_rpc_us"] == found["p99_rpc_us"] == found["mean_rpc_us"]


def test_what_fails_is_paid_for_and_carries_nothing(tmp_path: Path) -> None:
    case = "{architecture: 'topology:complete:n=4', traffic: all-to-all, planes: 2, fail_planes: %s}"
    found = {down: answer(tmp_path, "cost", case % down) for down in ("[]", "[0]")}
    assert found["[]"]["total_usd"] == found["[0]"]["total_usd"]
    assert found["[]"]["carried_gbps"] == pytest.approx(2 * found["[0]"]["carried_gbps"], rel=1e-3)  # type: ignore[operator]


def test_throughput_of_what_has_not_failed(tmp_path: Path) -> None:
    """A draw is what the command answers for its seed, failures included."""
    case = "{topology: 'jellyfish:k=4', traffic: permutation, fail_links: 0.1, draws: 2, seed: 3, level: host}"
    for draw in records(tmp_path, "throughput", f"{{a: {case}}}")["a"].draws:
        seed = derive_seed(3, "draw", 1) if draw.index else 3
        network = fail(build_network(["jellyfish:k=4"], seed=seed), Failures(links=0.1), seed=seed)
        expected = solve(network, build_traffic("permutation", network, "host", seed=seed))
        assert draw.answer.headline.value == expected.throughput_gbps
        assert draw.answer.document["network"]["fingerprint"] == network.fingerprint


@pytest.mark.parametrize(("n", "mean", "most"), [(6, 1.8, 3), (7, 2, 3), (4, 4 / 3, 2)])
def test_hops_of_a_ring(tmp_path: Path, n: int, mean: float, most: int) -> None:
    found = answer(tmp_path, "hops", f"{{topology: 'ring:n={n}', fail_links: 0, trials: 3}}")
    assert found["mean_hops"] == pytest.approx(mean, rel=1e-12)
    assert found["max_hops"] == most
    assert (found["connected_share"], found["all_connected_trials"]) == (1, 3)


def test_hops_over_trials(tmp_path: Path) -> None:
    """Of a path of three racks with one of its two cables down, one pair of three is left, at one hop."""
    found = answer(tmp_path, "hops", "{topology: 'path:n=3', fail_links: 0.5, trials: 4}")
    assert (found["mean_hops"], found["connected_share"], found["all_connected_trials"]) == (1, 1 / 3, 0)


def test_failures_leave_what_is_connected(tmp_path: Path) -> None:
    case = "{topology: 'path:n=3', fail_links: 0.5, trials: 4}"
    found = answer(tmp_path, "failures", case)
    assert found["throughput_gbps"] == pytest.approx(100, rel=1e-6)
    assert found["worst_gbps"] == pytest.approx(100, rel=1e-6)
    assert (found["lost_share"], found["lost_demands"]) == (pytest.approx(2 / 3), 4)


def test_failures_of_everything_and_nothing(tmp_path: Path) -> None:
    cases = "{a: {topology: 'ring:n=5', grid: {fail_links: [0, 100%]}, trials: 2, name: 'f{fail_links}'}}"
    cases = cases.replace("{a:", "{plane: {topology: 'ring:n=5', fail_planes: 0}, a:")
    plane, none, everything = records(tmp_path, "failures", cases).values()
    # Ten pairs, both ways, over 10 directions: distances 1 and 2 make 30 link-crossings at K = 1.
    assert none.mean().value == pytest.approx(100 * 10 / 30, rel=1e-4)
    for nothing_left in (plane, everything):
        assert (nothing_left.mean().value, nothing_left.mean("lost_share").value) == (0, 1)


def test_bounds_of_a_torus(tmp_path: Path) -> None:
    """Published closed form of the bound by mean path length of the 4 x 8 torus: 1/24; it is not the tightest."""
    found = answer(tmp_path, "bounds", "{topology: 'torus:dims=4x8', link_gbps: 1, level: rack}")
    assert found["mean_path_gbps"] == pytest.approx(1 / 24)
    # The bisection is what limits: K = 1/32.
    assert found["tightest_bound_gbps"] == found["bisection_gbps"] == pytest.approx(1 / 32)
    only = answer(tmp_path, "bounds", "{topology: 'torus:dims=4x8', link_gbps: 1, level: rack, bounds: mean-path}")
    assert only["tightest_bound_gbps"] == pytest.approx(1 / 24)
    assert only["bisection_gbps"] is None


def test_prices_can_be_an_axis(tmp_path: Path) -> None:
    book = tmp_path / "cheap.yaml"
    book.write_text("entries: {switch-64x10g: 10000}\n")
    axis = f"grid: {{prices: [[hybrid-list], [hybrid-list, '{book}']]}}, name: '{{prices}}'"
    case = f"{{architecture: hybrid, beta: 1, {axis}}}"
    listed, cheaper = records(tmp_path, "cost", f"{{a: {case}}}").values()
    # The paper's price, and 320 ToR switches at 10,000 in place of 30,000.
    assert listed.mean().value == 40_028_050
    assert cheaper.mean().value == 40_028_050 - 320 * 20_000
    assert listed.draws[0].answer.columns["example_prices"] is False
    book.write_text("entries: {switch-64x10g: 20000}\n")
    _, changed = records(tmp_path, "cost", f"{{a: {case}}}").values()
    assert changed.mean().value == 40_028_050 - 320 * 10_000


def test_cost_of_a_topology_and_what_it_carries(tmp_path: Path) -> None:
    case = "{architecture: 'ring:n=8', grid: {planes: [1, 2]}, traffic: all-to-all, name: 'p{planes}'}"
    one, two = records(tmp_path, "cost", f"{{a: {case}}}").values()
    # All-to-all on a ring of 8 racks gives 1/8 of a link to each of 56 pairs.
    assert one.mean("carried_gbps").value == pytest.approx(56 * 100 / 8, rel=1e-4)
    assert two.mean("carried_gbps").value == pytest.approx(2 * 56 * 100 / 8, rel=1e-4)
    assert (one.mean("chips").value, two.mean("chips").value) == (8, 16)


def test_an_architecture_without_network_carries_nothing(tmp_path: Path) -> None:
    with pytest.raises(PnetError) as caught:
        answer(tmp_path, "cost", "{architecture: hybrid, beta: 3, traffic: permutation}")
    assert str(caught.value) == (
        f"{tmp_path}/spec.yaml: cases.a: traffic: has no meaning for 'hybrid', which has no explicit network, "
        "found 'permutation'"
    )


@pytest.mark.parametrize(("scenario", "expected"), [("1", 1.875), ("2", 2.25)])
def test_speed_up_of_the_job(tmp_path: Path, scenario: str, expected: float) -> None:
    """By hand, as in tests/optical/test_speedup.py."""
    found = records(tmp_path, "speed-up", f"{{a: {{job: true, scenario: '{scenario}', tolerance: 1.0e-6}}}}")
    shown = found["a"].mean()
    assert shown.value == pytest.approx(expected, rel=1e-4)
    assert shown.lower <= shown.value <= shown.upper
    assert found["a"].status == "certified"


def test_rounding_is_no_error(tmp_path: Path) -> None:
    """Access links give the same K in every draw, but for the last digits; tables say that nothing varies."""
    (tmp_path / "spec.yaml").write_text(
        "title: T\nbaseline: a\ncases:\n  a: {topology: 'jellyfish:k=4', level: host, draws: 4}\n"
    )
    experiment = load_experiment(tmp_path)
    table = result_table(compare(experiment, list(run_experiment(experiment, Store(tmp_path / "results")))))
    for name in ("standard_error_gbps", "percent_error", "relative_gap"):
        [value] = table[name]
        assert value == 0 or value > 1e-12


def test_a_name_that_is_an_architecture_and_a_topology(tmp_path: Path) -> None:
    """It is written, and chosen by what else is said, as on the command line."""
    cases = """
    {counted: {architecture: 'topology:jellyfish:k=4'}, closed: {architecture: 'architecture:jellyfish:k=4'},
     planes: {architecture: 'jellyfish:k=4', planes: 2}}
    """
    found = records(tmp_path, "cost", cases)
    # 5 k^2 / 4 switches of k ports in each plane.
    assert [found[name].mean("chips").value for name in ("counted", "closed", "planes")] == [20, 20, 40]
    # Only the architecture has a part of 10 Gb/s.
    parts = {
        name: {part["part"] for part in record.draws[0].answer.document["parts"]} for name, record in found.items()
    }
    assert not any("10g" in part.split("-")[-1] and "100g" not in part for part in parts["counted"])
    assert any(part.endswith("10g") for part in parts["closed"])


def test_simulate_says_what_a_run_says(tmp_path: Path) -> None:
    case = (
        "{topology: 'star:n=4', hosts_per_switch: 1, link_gbps: 10, traffic: 'stride:s=1', flow_size: 15kB, "
        "preset: pnet, seed: 4}"
    )
    found = answer(tmp_path, "simulate", case)
    network = build_network("star:n=4", hosts_per_switch=1, link_gbps=10, seed=4)
    traffic = build_traffic("stride:s=1", network, seed=4)
    result = simulate(network, "each:sizes=15kB", traffic=traffic, preset="pnet", seed=4)
    assert found["mean_fct_us"] == pytest.approx(result.completion_ps.mean() / 1e6)
    assert found["mean_rate_gbps"] == pytest.approx(result.goodput_gbps.mean())
    assert found["mean_slowdown"] == pytest.approx(result.slowdown.mean())
    assert (found["unfinished"], found["mean_task_us"]) == (0, None)


def test_simulate_counts_what_has_arrived_of_flows_that_do_not_end(tmp_path: Path) -> None:
    """At 10 Gb/s for 10 ms, of which slow start takes a little."""
    case = (
        "{topology: 'star:n=2', hosts_per_switch: 1, link_gbps: 10, workload: 'incast:senders=1,sizes=1GB,to=0', "
        "preset: pnet, transport: 'tcp:receive_window=50', time_limit: 10ms}"
    )
    found = answer(tmp_path, "simulate", case)
    assert (found["unfinished"], found["p50_fct_us"]) == (1, None)
    assert 9.8 < found["mean_rate_gbps"] < 10  # type: ignore[operator]


RING = "topology: 'ring:n=3', hosts_per_switch: 1, link_gbps: 10, header: 0, preset: pnet"


def test_simulate_leaves_a_warm_up_out_of_rates(tmp_path: Path) -> None:
    """At an even 2 Gb/s, as much is on its way at 1 ms as at 2 ms, so that what arrives between is 2 Gb/s."""
    case = f"{{{RING}, workload: 'incast:senders=1,sizes=1GB,to=0', transport: 'cbr:rate=2Gbps', time_limit: 2ms"
    whole, later = (answer(tmp_path, "simulate", case + more) for more in ("}", ", warm_up: 1ms}"))
    packet = 1500 * 8 / 1e6
    for column in ("mean_rate_gbps", "max_source_gbps", "total_gbps"):
        assert later[column] == pytest.approx(2, abs=1.01 * packet)
        assert whole[column] == pytest.approx(2 * (1 - 3e-6 / 2e-3), abs=1.01 * packet)
    assert later["unfinished"] == whole["unfinished"] == 1


def test_simulate_says_what_a_source_sends(tmp_path: Path) -> None:
    """Two flows of one host share its link: each has half of what the host sends."""
    (tmp_path / "two.csv").write_text("src,dst,bytes,start_s\n0,1,1500000,0\n0,2,1500000,0\n")
    found = answer(tmp_path, "simulate", f"{{{RING}, workload: {tmp_path / 'two.csv'}}}")
    assert found["mean_source_gbps"] == found["min_source_gbps"] == found["max_source_gbps"]
    assert 9 < found["mean_source_gbps"] < 10  # type: ignore[operator]
    assert found["mean_rate_gbps"] < 0.6 * found["mean_source_gbps"]  # type: ignore[operator]


def test_simulate_says_what_was_traced(tmp_path: Path) -> None:
    """In turn over four paths, 500 packets are 125 on each; alone, a packet is sent six times, over six links."""
    ports = ["agg0->core0", "agg0->core1", "agg1->core2", "agg1->core3"]
    case = (
        "{topology: 'fat-tree:k=4', link_gbps: 1, traffic: sopa-one-flow, flow_size: 1500kB, preset: sopa, header: 0, "
        "transport: 'tcp:handshake=false,initial_window=1,receive_window=1,ack_every=1', "
        f"trace: {[f'queue:{port}' for port in ports]}"
    )
    found = answer(tmp_path, "simulate", case + "}")
    assert (found["least_queue_share"], found["greatest_queue_share"], found["uneven_500"]) == (0.25, 0.25, 0)
    # The packet that comes is the only one.
    assert (found["mean_traced_queue"], found["longest_traced_queue"], found["longest_queue"]) == (1, 1, 1)
    assert (found["max_delay_us"], found["retransmitting_flows"]) == (None, 0)
    found = answer(tmp_path, "simulate", case.replace("trace: [", "trace: ['flow:0', ") + "}")
    assert found["min_delay_us"] == found["max_delay_us"] == pytest.approx(6 * (12 + 0.025))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("trace: 'flow:x'", "trace: not something to trace, found 'flow:x'; allowed: queue:FROM->TO"),
        ("trace: 'flow:0', model: fluid", "trace: a fluid has no queues and windows, found 'flow:0'"),
        ("time_limit: 1ms, warm_up: 1ms", "warm_up: no time is left; allowed: less than time_limit"),
    ],
)
def test_simulate_checks_what_is_counted(keys: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(PnetError, match=message):
        answer(tmp_path, "simulate", f"{{topology: 'fat-tree:k=4', traffic: permutation, flow_size: 1kB, {keys}}}")


def test_crosscheck_says_what_the_function_says(tmp_path: Path) -> None:
    case = "{topology: 'fat-tree:k=4', link_gbps: 10, traffic: permutation, flow_size: 15kB, seed: 4, preset: pnet}"
    found = answer(tmp_path, "crosscheck", case)
    network = build_network(["fat-tree:k=4"], link_gbps=10)
    traffic = build_traffic("permutation", network, "host", seed=4)
    result = crosscheck(network, "each:sizes=15kB", traffic=traffic, preset="pnet", seed=4)
    times = {name: one.completion_ps.mean() / 1e6 for name, one in result.simulations.items()}
    assert found["packets_over_fluid"] == pytest.approx(times["packets"] / times["fluid"])
    assert found["mean_bare_fct_us"] == pytest.approx(times["bare"])
    assert found["all_lp_paths_us"] == result.linear["paths"].all_us
    assert found["unfinished"] == 0
    with pytest.raises(PnetError, match="a: unknown parameter 'model'"):
        answer(tmp_path, "crosscheck", case.replace("preset: pnet", "model: fluid"))


def test_simulate_refuses_what_the_command_refuses(tmp_path: Path) -> None:
    with pytest.raises(PnetError, match=r"cases\.a: no flows; allowed: traffic=T and flow_size=S, or workload=W"):
        answer(tmp_path, "simulate", "{topology: 'star:n=4', hosts_per_switch: 1}")
