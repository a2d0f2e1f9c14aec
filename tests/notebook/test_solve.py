"""``pnet_lp.throughput``: what it takes, and that it says the same as the functions below it."""

from __future__ import annotations

import copy
import itertools
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import pnet_lp as pn
from pnet_lp.errors import PnetError, SpecError, TopologyError, TrafficError
from pnet_lp.files import json_text
from pnet_lp.model import Network
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network, build_plane
from pnet_lp.traffic import build_traffic

RING = 2 / 9
"""K of all-to-all between the 6 switches of a ring of 1 Gb/s: 18 pairs of 1.8 hops on average load 12 links."""


def ring_graph(**data: float) -> nx.Graph:
    graph = nx.cycle_graph(6)
    nx.set_edge_attributes(graph, {edge: dict(data) for edge in graph.edges})
    return graph


def test_words_are_those_of_the_command() -> None:
    found = pn.throughput(
        "jellyfish:k=4", planes=2, variant="heterogeneous", traffic="permutation", routing="ksp:4", seed=3
    )
    network = build_network("jellyfish:k=4", planes=2, variant="heterogeneous", seed=3)
    expected = solve(network, build_traffic("permutation", network, seed=3), routing="ksp:4", seed=3)
    assert (found.lower, found.upper, found.network.fingerprint) == (
        expected.interval.lower,
        expected.interval.upper,
        network.fingerprint,
    )
    assert found.certified
    assert found.gap <= 1e-4
    assert found.value == found.throughput_gbps == found.lower


TOPOLOGIES = [
    ring_graph(capacity_gbps=1.0),
    ring_graph(capacity=1.0),
    nx.to_numpy_array(nx.cycle_graph(6)),
    nx.to_pandas_edgelist(ring_graph(capacity_gbps=1.0), source="u", target="v"),
    build_plane("ring:n=6", link_gbps=1),
    build_network("ring:n=6", link_gbps=1),
    [build_plane("ring:n=6", link_gbps=1)],
]
IDS = ["graph", "graph-capacity", "matrix", "table", "plane", "network", "list"]


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=IDS)
def test_topologies(topology: Any) -> None:
    assert pn.throughput(topology).value == pytest.approx(RING, rel=1e-4)


def test_planes_of_a_graph_and_of_several_kinds() -> None:
    assert pn.throughput(ring_graph(capacity_gbps=1.0), planes=3).value == pytest.approx(3 * RING, rel=1e-4)
    fast = pn.throughput(ring_graph(capacity_gbps=1.0), planes=3, variant="serial-high")
    assert (fast.value, fast.network.plane_count) == (pytest.approx(3 * RING, rel=1e-4), 1)
    mixed = pn.throughput([ring_graph(capacity_gbps=1.0), "ring:n=6"], link_gbps=1, level="rack")
    assert mixed.network.plane_count == 2
    assert mixed.value == pytest.approx(2 * RING, rel=1e-4)


def test_a_speed_is_never_made_up() -> None:
    with pytest.raises(TopologyError, match=re.escape("links have no speed")):
        pn.throughput(ring_graph())
    with pytest.raises(TopologyError, match=re.escape("links have no speed")):
        pn.throughput(ring_graph(weight=3.0))
    assert pn.throughput(ring_graph(), link_gbps=1).value == pytest.approx(RING, rel=1e-4)
    assert pn.throughput(ring_graph(weight=3.0), capacity="weight").value == pytest.approx(3 * RING, rel=1e-4)


def test_a_table_without_speeds() -> None:
    # All-to-all on a path of three: each link of 3 Gb/s carries 2 of the demands each way.
    cables = pd.DataFrame({"u": ["a", "b"], "v": ["b", "c"]})
    assert pn.throughput(cables, link_gbps=3).value == pytest.approx(1.5, rel=1e-4)
    with pytest.raises(TopologyError, match="links have no speed"):
        pn.throughput(cables)


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=IDS)
def test_networks_and_drawings_of_the_same(topology: Any, tmp_path: Path) -> None:
    ring = build_network("ring:n=6", link_gbps=1)
    network = pn.build_network(topology)
    assert [*network.planes[0].capacity_uv_gbps] == [*ring.planes[0].capacity_uv_gbps]
    ones = np.ones((6, 6)) - np.eye(6)
    assert pn.build_traffic(ones, network).total == 30
    drawn = pn.draw(topology, tmp_path / "ring.svg", cut="bisection", traffic=ones)
    assert drawn.document["cut"]["capacity_gbps"] == 2
    assert drawn.document["network"]["links"] == 6


def test_a_drawing_of_a_name() -> None:
    drawn = pn.draw("ring:n=6", planes=2, link_gbps=1, cut="bisection")
    assert drawn.document["cut"]["capacity_gbps"] == 4
    with pytest.raises(SpecError, match="cut: no such cut, found 'foo'; allowed: bisection, sparsest"):
        pn.draw("ring:n=6", cut="foo")  # type: ignore[arg-type]


def test_traffic() -> None:
    names = [str(i) for i in range(6)]
    ones = np.ones((6, 6)) - np.eye(6)
    square = pd.DataFrame(ones, index=names, columns=names)
    long = square.stack().rename_axis(["src", "dst"]).rename("demand").reset_index()
    for traffic in (ones, ones.astype(int), square, long[long["demand"] > 0]):
        assert pn.throughput("ring:n=6", link_gbps=1, traffic=traffic).value == pytest.approx(RING, rel=1e-4)
    by_index = pd.DataFrame({"src": [0], "dst": [3], "demand": [1.0]})
    assert pn.throughput("ring:n=6", link_gbps=1, traffic=by_index).value == pytest.approx(2, rel=1e-4)
    matrix = build_traffic("stride:s=1", build_network("ring:n=6"))
    assert pn.throughput("ring:n=6", link_gbps=1, traffic=matrix).traffic is matrix


ROTATED = np.roll(np.eye(4), 1, axis=1)
"""Demands between the switches of a ring of four."""

WRONG: list[tuple[Callable[[], object], type[PnetError], str]] = [
    (lambda: pn.throughput(7), SpecError, "topology: not a kind of topology, found 'int'"),  # type: ignore[arg-type]
    (lambda: pn.throughput("ring:n=6", traffic=7), SpecError, "traffic: not a kind of traffic, found 'int'"),  # type: ignore[arg-type]
    (lambda: pn.throughput("ring:n=6", planes=0), SpecError, "planes"),
    (lambda: pn.throughput("ring:n=6", tolerance=2.0), SpecError, "tolerance"),
    (lambda: pn.throughput("ring:n=6", routing="kps:8"), SpecError, "did you mean 'ksp'"),
    (lambda: pn.throughput("ring:n=6", capacity="x"), SpecError, "capacity: no graph or table is given"),
    (lambda: pn.throughput(build_network("ring:n=6"), planes=2), SpecError, "planes: the network is built already"),
    (lambda: pn.throughput(np.ones((2, 3))), TopologyError, "not a square matrix of Gb/s"),
    (lambda: pn.throughput(np.ones((2, 2))), TopologyError, "a switch has a link to itself"),
    (lambda: pn.throughput(np.ones((2, 2)) - np.eye(2), link_gbps=1), SpecError, "gives the capacity of every link"),
    (
        lambda: pn.throughput(pd.DataFrame({"a": [1]})),
        TopologyError,
        "a table of cables has columns u and v, found 'a'",
    ),
    (lambda: pn.throughput("ring:n=6", traffic=np.ones((6, 5))), TrafficError, "not a square matrix"),
    (lambda: pn.throughput("ring:n=6", traffic=np.ones((5, 5)) - np.eye(5)), TrafficError, "smaller than the network"),
    (lambda: pn.throughput("ring:n=6", traffic=pd.DataFrame({"a": [1]})), TrafficError, "not a table of demands"),
    (
        lambda: pn.throughput("ring:n=6", traffic=pd.DataFrame({"src": ["0"], "dst": ["x"], "demand": [1]})),
        TrafficError,
        "traffic: row 0",
    ),
    (lambda: pn.throughput("ring:n=6", fail_planes=3), SpecError, "3"),
    (lambda: pn.paths("ring:n=4", pair=(0, True)), SpecError, "input should be a valid string, found True"),
    (lambda: pn.speed_up(traffic="mpi-fft", scenario=3), SpecError, "scenario: input should be '1' or '2', found '3'"),
    *(
        (call, SpecError, f"{key}: has no meaning without fail_links or fail_switches or {last}, found {value!r}")
        for key, last, value in (
            ("fail_unit", "fail_nics", "box"),
            ("fail_mode", "fail_ports or fail_nics or fail_servers", "betweenness"),
        )
        for call in (
            lambda key=key, value=value: pn.throughput("fat-tree:k=4", **{key: value}),
            lambda key=key, value=value: pn.throughput("fat-tree:k=4", planes=2, fail_planes=1, **{key: value}),
        )
    ),
    *(
        (call, SpecError, f"threads: out of range, found {threads!r}; allowed: whole numbers, 0 to 1024")
        for threads in (-1, 10**9, 1.5)
        for call in (
            lambda threads=threads: pn.throughput("ring:n=4", threads=threads),
            lambda threads=threads: pn.draw("ring:n=4", traffic="all-to-all", threads=threads),
            lambda threads=threads: pn.sweep("ring:n=4", vary={"planes": [1]}, threads=threads),
            lambda threads=threads: pn.find(hosts=16, min_gbps_per_host=10, threads=threads),
        )
    ),
    *(
        (call, SpecError, f"seed: {problem}, found {seed!r}")
        for seed, problem in (
            (-1, "input should be greater than or equal to 0"),
            (1.5, "input should be a valid integer, got a number with a fractional part"),
            (1 << 64, "input should be less than or equal to 18446744073709551615"),
        )
        for call in (
            lambda seed=seed: pn.throughput("ring:n=4", seed=seed),
            lambda seed=seed: pn.simulate("fat-tree:k=4", workload="incast:senders=3,sizes=1kB", seed=seed),
        )
    ),
    *(
        (call, SpecError, f"seed: out of range, found {seed!r}; allowed: whole numbers, 0 to 2^64 - 1")
        for seed in (-1, 1.5, 1 << 64)
        for call in (
            lambda seed=seed: pn.throughput(build_network("ring:n=4"), traffic=ROTATED, seed=seed),
            lambda seed=seed: pn.draw("ring:n=4", seed=seed),
            lambda seed=seed: pn.build_network("ring:n=4", seed=seed),
            lambda seed=seed: pn.build_traffic("permutation", build_network("ring:n=4"), seed=seed),
        )
    ),
    (lambda: pn.sweep("ring:n=4", vary={"planes": [1]}, seed=1.5), SpecError, "seed: "),  # type: ignore[arg-type]
    (lambda: pn.sweep("ring:n=4", vary={"planes": [1]}, jobs=0), SpecError, "jobs: out of range, found 0"),
    (lambda: pn.find(hosts=16, min_gbps_per_host=10, jobs=0), SpecError, "jobs: out of range, found 0"),
    (lambda: pn.build_network(7), SpecError, "topology: not a kind of topology, found 'int'"),  # type: ignore[arg-type]
    (lambda: pn.build_traffic("all-to-all", "ring:n=4"), SpecError, "network: not a network, found 'str'"),  # type: ignore[arg-type]
    (lambda: pn.simulate(7, workload="incast"), SpecError, "topology: not a kind of topology, found 'int'"),  # type: ignore[arg-type]
    *(
        (call, SpecError, f"level: input should be 'rack' or 'host', found {level!r}")
        for level in ("Host", "foo", "")
        for call in (
            lambda level=level: pn.throughput("fat-tree:k=4", level=level),
            lambda level=level: pn.throughput("fat-tree:k=4", level=level, traffic=np.ones((16, 16)) - np.eye(16)),
            lambda level=level: pn.hops("fat-tree:k=4", level=level),
        )
    ),
    *(
        (call, SpecError, f"level: no such level, found {level!r}; allowed: rack, host")
        for level in ("Host", "foo", "")
        for call in (
            lambda level=level: pn.build_traffic("permutation", pn.build_network("fat-tree:k=4"), level),
            lambda level=level: pn.draw(pn.build_network("fat-tree:k=4"), cut="bisection", level=level),
            lambda level=level: pn.build_network("fat-tree:k=4").endpoint_names(level),
        )
    ),
]


@pytest.mark.parametrize(
    ("call", "kind", "message"), WRONG, ids=[f"{i}-{message}" for i, (*_, message) in enumerate(WRONG)]
)
def test_wrong(call: Callable[[], object], kind: type[PnetError], message: str) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        call()


@pytest.mark.parametrize("down", [1, [1], np.int64(1), np.array([1])])
def test_failures(down: Any) -> None:
    found = pn.throughput("ring:n=6", planes=2, link_gbps=1, fail_planes=down, level="rack")
    assert found.value == pytest.approx(RING, rel=1e-4)


def test_numbers_may_stand_for_texts() -> None:
    by_index, by_name = (pn.paths("ring:n=4", pair=pair, level="rack") for pair in ((0, np.int64(2)), ("0", "2")))
    assert by_index.to_json() == by_name.to_json()
    sized, written = (
        pn.simulate("fat-tree:k=4", traffic="permutation", flow_size=size, seed=1) for size in (1e5, "100kB")
    )
    assert sized.headline == written.headline
    assert (
        pn.speed_up(traffic="mpi-fft", job=True, scenario=2).case
        == pn.speed_up(traffic="mpi-fft", job=True, scenario="2").case
    )


def test_progress_is_shown_and_gone(capsys: pytest.CaptureFixture[str]) -> None:
    pn.throughput("jellyfish:k=6", level="rack", solver="structured", tolerance=1e-6, progress=True)
    shown = capsys.readouterr().err
    assert "<= K <=" in shown
    assert shown.endswith("\r")
    pn.throughput("ring:n=6")
    assert capsys.readouterr().err == ""


def test_values_that_an_answer_gives(tmp_path: Path) -> None:
    found = pn.throughput("fat-tree:k=4", planes=2, link_gbps=10, traffic="stride:s=4")
    links = found.links
    assert len(links) == 2 * (2 * 32 + 2 * 16)
    assert links["utilisation"].max() == pytest.approx(1, rel=1e-3)
    assert found.rates["rate_gbps"].tolist() == pytest.approx([20.0] * 16, rel=1e-3)
    graph = found.graph(1)
    assert graph.number_of_nodes() == 20 + 16
    assert {"capacity_gbps", "load_gbps", "utilisation", "length"} <= set(next(iter(graph.edges(data=True)))[2])
    for plane in (2, -1, "x", 1.0):
        with pytest.raises(SpecError, match=f"plane: no such plane, found {plane!r}; allowed: 0 to 1"):
            found.graph(plane)  # type: ignore[arg-type]
    found.save(tmp_path / "answer.json")
    assert found.verify().interval.lower == pytest.approx(found.lower)
    found.plot(tmp_path / "chart.svg")
    assert "utilisation" in (tmp_path / "chart.svg").read_text()
    assert found.draw().document["colours"] == "utilisation"
    assert repr(found).startswith("<throughput 20")
    html = found._repr_html_()
    assert "at least" in html
    assert "<svg role='img'" in html


@pytest.mark.parametrize(
    ("topology", "options"),
    [
        ("jellyfish:k=4", {"planes": 2, "variant": "heterogeneous", "solver": "structured"}),
        ("jellyfish:k=4", {"routing": "ksp:4", "level": "rack"}),
        ("fat-tree:k=4", {"traffic": "stride:s=3"}),
        ("torus:dims=3x3", {"objective": "max-min", "traffic": "permutation"}),
        ("fat-tree:k=4", {"routing": "ecmp", "traffic": "permutation", "planes": 2}),
        ("fat-tree:k=4", {"routing": "ecmp", "level": "rack", "objective": "max-min", "seed": 2}),
        ("fat-tree:k=4", {"routing": "hedera", "traffic": "permutation", "seed": 1}),
        ("torus:dims=3x3", {"routing": "ecmp", "objective": "total", "plane_policy": "single", "planes": 2}),
    ],
)
def test_paths_carry_the_rates_over_the_links(topology: str, options: dict[str, Any]) -> None:
    """What paths carry adds up to what demands get, and, link by link, to the loads."""
    found = pn.throughput(topology, **options)
    paths = found.paths
    assert paths["rate_gbps"].sum() == pytest.approx(found.rates["rate_gbps"].sum())
    load: dict[tuple[int, str, str], float] = {}
    for plane, switches, rate in zip(paths["plane"], paths["switches"], paths["rate_gbps"], strict=True):
        passed = switches.split(" ")
        for ends in itertools.pairwise(passed):
            load[plane, *ends] = load.get((plane, *ends), 0.0) + rate
    core = found.links[found.links["kind"] == "core"]
    for row in core.itertuples():
        assert load.get((row.plane, row.u, row.v), 0.0) == pytest.approx(row.load_gbps, abs=1e-6)


@pytest.mark.parametrize("routing", ["ecmp", "hedera"])
def test_a_routing_that_does_not_split_has_a_path_for_each_demand(routing: str) -> None:
    found = pn.throughput("fat-tree:k=4", traffic="permutation", routing=routing, seed=3)
    paths = found.paths
    assert paths[["src", "dst"]].to_numpy().tolist() == found.rates[["src", "dst"]].to_numpy().tolist()
    assert paths["rate_gbps"].tolist() == pytest.approx([found.throughput_gbps] * 16)


def test_paths_that_are_none() -> None:
    with pytest.raises(SpecError, match="splits demands at every switch"):
        _ = pn.throughput("fat-tree:k=4", routing="vlb").paths


def test_nothing_is_left_out_of_arrays() -> None:
    """Neither masks nor numbers beyond 2^63 of NumPy's arrays pass for something else."""
    heavy = np.zeros((3, 3), dtype=np.uint64)
    heavy[0, 1] = heavy[1, 0] = 2**63
    with pytest.raises(TopologyError, match="cable '0' - '1': invalid speed, found 9"):
        pn.throughput(heavy, traffic="all-to-all")
    small = np.array([[0, -128], [-128, 0]], dtype=np.int8)
    with pytest.raises(TopologyError, match="invalid speed, found -128"):
        pn.throughput(small, traffic="all-to-all")
    masked = np.ma.array(np.ones((3, 3)) - np.eye(3), mask=np.eye(3)[::-1])
    with pytest.raises(TopologyError, match="topology: values are masked out; allowed: an array without a mask"):
        pn.throughput(masked, traffic="all-to-all")
    with pytest.raises(TrafficError, match="values are masked out"):
        pn.throughput("ring:n=3", traffic=masked)


@pytest.mark.parametrize("empty", [None, float("nan"), pd.NA])
def test_empty_fields_of_a_table_are_no_names(empty: object) -> None:
    table = pd.DataFrame({"u": ["a", "b"], "v": ["b", empty], "capacity_gbps": [1.0, 1.0]})
    with pytest.raises(TopologyError, match="topology: row 1: v is empty"):
        pn.throughput(table, traffic="all-to-all")
    for column in ("src", "demand"):
        demands = pd.DataFrame({"src": ["0", "1"], "dst": ["1", "2"], "demand": [1.0, 2.0]}).astype(object)
        demands.loc[1, column] = empty
        with pytest.raises(TrafficError, match=f"traffic: row 1: {column} is empty"):
            pn.throughput("ring:n=3", traffic=demands)
    square = pd.DataFrame(np.ones((2, 2)) - np.eye(2), index=["0", "1"], columns=["0", "1"]).astype(object)
    square.iloc[0, 1] = empty
    with pytest.raises(TrafficError, match="traffic: row 0: 1 is empty"):
        pn.throughput("ring:n=3", traffic=square)


def test_a_graph_of_nodes_without_a_name() -> None:
    graph = nx.Graph()
    graph.add_edge("a", float("nan"), capacity_gbps=1.0)
    with pytest.raises(TopologyError, match="a switch has no name"):
        pn.throughput(graph, traffic="all-to-all")


def test_too_many_planes_as_a_list() -> None:
    with pytest.raises(SpecError, match="planes: too many planes, found 5000; allowed: at most 4096"):
        pn.throughput(["ring:n=3"] * 5000, traffic="all-to-all")
    with pytest.raises(TopologyError, match="too many planes, found 5000; allowed: at most 4096"):
        Network.from_planes([build_plane("ring:n=3")] * 5000)


def test_answers_cannot_be_changed() -> None:
    found = pn.throughput("ring:n=4", traffic="all-to-all", objective="max-min")
    before = json_text(found.to_json())
    result = found.result
    changes: list[Callable[[], object]] = [
        lambda: result.figures.update(total_gbps=1.0),
        lambda: result.figures.__setitem__("total_gbps", 1.0),
        result.figures["rates_gbps"].clear,
        lambda: result.figures["levels"].append(1),
        lambda: result.figures["levels"][0].pop("rate_gbps"),
        lambda: result.network.setdefault("x", 1),
        result.traffic.popitem,
        lambda: result.seconds.__delitem__("solve"),
        lambda: found.verify().figures.update(total_gbps=1.0),
    ]
    for change in changes:
        with pytest.raises((TypeError, AttributeError)):
            change()
    document = found.to_json()
    document["levels"].clear()
    document["network"].clear()
    assert json_text(found.to_json()) == before
    for again in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert again.to_json() == result.to_json()
        with pytest.raises(TypeError, match="cannot be changed"):
            again.figures["total_gbps"] = 1.0


@pytest.mark.parametrize(("planes", "lines"), [(7, 8), (8, 2)])
def test_a_chart_has_at_most_eight_lines(planes: int, lines: int) -> None:
    figure = pn.throughput("fat-tree:k=4", planes=planes, traffic="stride:s=8").plot()
    drawn = figure.axes[0].get_lines()
    assert len(drawn) == lines
    assert len({line.get_color() for line in drawn}) == lines
    assert drawn[0].get_label() == ("plane 0" if planes == 7 else "all 8 planes")
