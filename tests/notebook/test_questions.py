"""Every question in one call: of each kind of network, demands and flows, with a table and the command's document."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import pnet_lp as pn
from pnet_lp.cli.app import main
from pnet_lp.errors import PnetError
from pnet_lp.model import Plane
from pnet_lp.notebook import ask
from pnet_lp.questions.base import QUESTIONS, Answer
from pnet_lp.topology import build_network, write_network
from pnet_lp.traffic import build_traffic, write_traffic
from pnet_lp.workload import build_workload, write_workload
from tests.questions.test_one_document import COMMANDS, timeless

RING = build_network("ring:n=4", link_gbps=10, hosts_per_switch=1)
GRAPH: nx.Graph[Any] = nx.cycle_graph(4)
nx.set_edge_attributes(GRAPH, 10.0, "capacity_gbps")
CABLES = pd.DataFrame({"u": range(4), "v": [1, 2, 3, 0], "capacity_gbps": 10.0})
STRIDE = np.roll(np.eye(4), 1, axis=1)
ENDS = [list(RING.host_names), [RING.host_names[(i + 1) % 4] for i in range(4)]]

NETWORKS: dict[str, tuple[Any, dict[str, Any]]] = {
    "expression": ("ring:n=4", {"link_gbps": 10, "hosts_per_switch": 1}),
    "network": (RING, {}),
    "plane": (RING.planes[0], {}),
    "planes": ([RING.planes[0]], {}),
    "graph": (GRAPH, {"hosts_per_switch": 1, "link_gbps": 10}),
    "array": (10 * nx.to_numpy_array(GRAPH, weight=None), {"hosts_per_switch": 1, "link_gbps": 10}),
    "table": (
        pd.DataFrame({"u": range(4), "v": [1, 2, 3, 0], "capacity_gbps": 10.0}),
        {"hosts_per_switch": 1, "link_gbps": 10},
    ),
}
DEMANDS: dict[str, Any] = {
    "expression": "stride:s=1",
    "matrix": build_traffic("stride:s=1", RING),
    "array": STRIDE,
    "table": pd.DataFrame({"src": ENDS[0], "dst": ENDS[1], "demand": 1.0}),
    "square": pd.DataFrame(STRIDE, index=RING.host_names, columns=RING.host_names),
}
FLOWS = build_workload("each:sizes=10kB", RING, DEMANDS["matrix"])
TABLE = pd.DataFrame({"src": ENDS[0], "dst": ENDS[1], "bytes": 1e4, "start_s": 0.0})
WORKLOADS: dict[str, Any] = {
    "workload": FLOWS,
    "table": TABLE,
    "numbers": pd.DataFrame({"src": range(4), "dst": [1, 2, 3, 0], "bytes": 10_000, "start_s": 0, "task": np.nan}),
}
FIND = {"hosts": 12, "min_gbps_per_host": 20, "radix": 8, "families": "leaf-spine"}
MIXES = {"topologies": "fat-tree:k=4", "traffics": "stride:s=1", "arrivals": "poisson", "flow_sizes": "10kB"}
KEYS: dict[str, dict[str, Any]] = {
    "bounds": {"traffic": "stride:s=1"},
    "cost": {"traffic": "stride:s=1"},
    "crosscheck": {"traffic": "stride:s=1", "flow_size": "10kB"},
    "failures": {"traffic": "stride:s=1", "each": "link"},
    "find": FIND,
    "fluid-error": {**MIXES, "load": (0.3, 0.5), "flows": 40},
    "hops": {},
    "paths": {"stats": True},
    "price-performance": {"traffic": "stride:s=1"},
    "simulate": {"traffic": "stride:s=1", "flow_size": "10kB"},
    "speed-up": {"oversubscription": 2, "servers": 32, "servers_per_rack": 4, "links": 2, "search": 1},
    "step-time": {"traffic": "stride:s=1"},
    "throughput": {"traffic": "stride:s=1"},
}
"""A small case of each question, without its network."""

OF_NETWORKS = [name for name in KEYS if name not in {"find", "fluid-error", "speed-up"}]
OF_DEMANDS = [name for name in OF_NETWORKS if "traffic" in KEYS[name]]


def answer_to(name: str, network: str = "expression", **keys: Any) -> Answer:
    topology, options = NETWORKS[network] if name in OF_NETWORKS else (None, {})
    first = [] if topology is None else [topology]
    answer = getattr(ask, name.replace("-", "_"))(*first, **{**options, **KEYS[name], **keys})
    assert isinstance(answer, Answer)
    return answer


def figures(answer: Answer) -> Any:
    shown = answer.headline
    return pytest.approx((shown.value, shown.lower, shown.upper), rel=1e-9), answer.status, answer.to_frame().shape


def told(answer: Answer) -> Any:
    shown = answer.headline
    return (shown.value, shown.lower, shown.upper), answer.status, answer.to_frame().shape


def test_there_is_a_case_of_every_question() -> None:
    own = {entry.name for entry in QUESTIONS if entry.build.__module__.startswith("pnet_lp.")}
    assert set(KEYS) == own


@pytest.mark.parametrize("name", KEYS)
def test_each_answer_has_a_table_and_is_short_to_read(name: str) -> None:
    answer = answer_to(name)
    assert len(answer.to_frame())
    assert "<pre" in answer._repr_html_() or "<table" in answer._repr_html_()
    assert repr(answer).startswith("<")
    assert len(repr(answer)) < 160


@pytest.mark.parametrize("name", OF_NETWORKS)
def test_networks_of_each_kind(name: str, tmp_path: Path) -> None:
    first = figures(answer_to(name))
    for kind in NETWORKS:
        assert told(answer_to(name, kind)) == first, kind
    write_network(RING, tmp_path / "ring.json")
    call = getattr(ask, name.replace("-", "_"))
    for path in (tmp_path / "ring.json", str(tmp_path / "ring.json")):
        assert told(call(path, **KEYS[name])) == first


@pytest.mark.parametrize("name", OF_DEMANDS)
def test_demands_of_each_kind(name: str, tmp_path: Path) -> None:
    write_traffic(DEMANDS["matrix"], RING, tmp_path / "stride.csv")
    first = figures(answer_to(name))
    for network in ("expression", "network"):
        for traffic in (*DEMANDS.values(), tmp_path / "stride.csv"):
            assert told(answer_to(name, network, traffic=traffic)) == first


def test_demands_of_a_speed_up() -> None:
    ring = np.roll(np.eye(32), 1, axis=1)
    assert told(answer_to("speed-up", traffic=ring)) == figures(answer_to("speed-up", traffic="stride:s=1"))


@pytest.mark.parametrize("name", ["simulate", "crosscheck"])
def test_flows_of_each_kind(name: str, tmp_path: Path) -> None:
    first = figures(answer_to(name))
    write_workload(FLOWS, RING, tmp_path / "flows.csv")
    for workload in (*WORKLOADS.values(), tmp_path / "flows.csv"):
        given = answer_to(name, "network", workload=workload, traffic=None, flow_size=None)
        assert told(given)[0] == first[0]
        assert len(given.to_frame()) == 4


@pytest.mark.parametrize("name", [name for name in OF_NETWORKS if name != "find"])
def test_the_document_and_the_table_are_those_of_the_command(name: str, tmp_path: Path) -> None:
    words = [f"--{key.replace('_', '-')}" + ("" if value is True else f" {value}") for key, value in KEYS[name].items()]
    line = ["ring:n=4", "--link-gbps 10", "--hosts-per-switch 1", *words, "--json", f"--out {tmp_path / 'rows.csv'}"]
    done = CliRunner().invoke(main, [*COMMANDS[name].split(), *shlex.split(" ".join(line))])
    assert done.exit_code == 0, done.output
    answer = answer_to(name)
    assert timeless(json.loads(done.stdout)) == timeless(answer.to_json())
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert (list(answer.to_frame().columns), len(answer.to_frame())) == (header, len(rows))


WRONG = [
    (lambda: pn.simulate(RING, workload=7), "workload: not a kind of workload, found 'int'"),  # type: ignore[arg-type]
    (
        lambda: pn.simulate("fat-tree:k=4", workload=WORKLOADS["workload"]),
        "workload: the flows are for another network",
    ),
    (
        lambda: pn.simulate(RING, traffic=STRIDE, workload=WORKLOADS["table"]),
        "traffic: the flows say who sends to whom",
    ),
    (lambda: pn.simulate(RING, workload=WORKLOADS["table"][["src", "dst"]]), "workload: invalid columns"),
    (lambda: pn.simulate(RING, workload=WORKLOADS["table"].assign(dst="x")), "workload: row 0: "),
    (lambda: pn.cost(7), "architecture: not a kind of topology, found 'int'"),  # type: ignore[arg-type]
    (lambda: pn.cost(RING, planes=2), "planes: the network is built already"),
    (lambda: pn.cost(RING, beta=2), "beta: has no meaning for"),
    (lambda: pn.find(**FIND, traffic=STRIDE), "traffic: "),  # type: ignore[arg-type]
    (lambda: pn.price_performance(Plane, traffic="stride:s=1"), "topology: not a kind of topology"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "text"), WRONG, ids=[text for _, text in WRONG])
def test_bad_input_is_named_in_one_sentence(call: Any, text: str) -> None:
    with pytest.raises(PnetError) as caught:
        call()
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)
