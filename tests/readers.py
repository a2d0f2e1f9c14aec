"""Every reader of the package with valid files for it: those of formats and registries are found there."""

from __future__ import annotations

import atexit
import contextlib
import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from pydantic.fields import FieldInfo

from pnet_lp.charts.kinds import CHART_KINDS, parse_chart
from pnet_lp.collectives.base import ALGORITHMS, parse_algorithm
from pnet_lp.cost.books import read_book, shipped_books
from pnet_lp.cost.design import ARCHITECTURES, TopologyOptions, read_architecture
from pnet_lp.errors import PnetError
from pnet_lp.executors.base import EXECUTORS, parse_executor
from pnet_lp.experiment import load_experiment
from pnet_lp.failures import read_groups
from pnet_lp.questions.base import DEFAULT_QUESTION, QUESTIONS
from pnet_lp.registry import Entry, Registry
from pnet_lp.registry import written as value_text
from pnet_lp.routing import parse_routing
from pnet_lp.routing.base import ROUTINGS
from pnet_lp.sim import FORWARDINGS, PRESETS, QUEUES, TRANSPORTS
from pnet_lp.sim.base import choose
from pnet_lp.sim.ports import Ports
from pnet_lp.sim.preset import get_preset
from pnet_lp.sim.traces import parse_traces
from pnet_lp.throughput import solve
from pnet_lp.throughput.bounds import BOUNDS, chosen_bounds
from pnet_lp.throughput.objectives import parse_objective
from pnet_lp.throughput.objectives.base import OBJECTIVES
from pnet_lp.throughput.objectives.link_costs import read_link_costs
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.solve import check_solver
from pnet_lp.throughput.solvers.base import SOLVERS
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network, check_topology
from pnet_lp.topology.family import topologies
from pnet_lp.topology.io import NETWORK_FORMATS, parse_plane
from pnet_lp.topology.sizing import sizings
from pnet_lp.topology.spec import parse_spec
from pnet_lp.traffic import build_traffic, check_traffic
from pnet_lp.traffic.base import traffics
from pnet_lp.traffic.io import MATRIX_FORMATS
from pnet_lp.traffic.spec import read_spec
from pnet_lp.units import TIME, quantity_of
from pnet_lp.workload import SIZES, WORKLOADS, check_workload, parse_sizes
from pnet_lp.workload.io import WORKLOAD_FORMATS
from pnet_lp.workload.traces import TRACE_FORMATS, TraceParams
from pnet_lp.workload.traces.expand import expanded
from pnet_lp.workload.traces.trace import Trace

from .fuzz import HOSTS, SPECS, network_seeds, traffic_seeds, workload_seeds, written
from .traces import TRACES

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
_FOLDER = TemporaryDirectory()
atexit.register(_FOLDER.cleanup)


@dataclass(frozen=True)
class Reader:
    """Valid contents of files, or expressions, and what reads them."""

    seeds: tuple[bytes, ...]
    read: Callable[[bytes], object]


def _file(read: Callable[[Path], object], name: str = "f") -> Callable[[bytes], object]:
    """Return what reads contents from a file of that name."""

    def call(data: bytes) -> object:
        path = Path(_FOLDER.name) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return read(path)

    return call


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "surrogateescape").replace("\0", ""))


def _expressions(kind: Registry[Entry[object]], also: Iterable[str] = ()) -> tuple[bytes, ...]:
    """Return an expression for each entry of a registry, with all its parameters."""
    found = [
        f"{entry.name}:" + ",".join(f"{key}={_value(field)}" for key, field in entry.params.model_fields.items())
        if entry.params.model_fields
        else entry.name
        for entry in kind
    ]
    return tuple(text.encode() for text in (*found, *also))


def _value(field: FieldInfo) -> str:
    """Return a parameter's default, or 4 of whatever it counts."""
    if field.default is not None and not field.is_required():
        return value_text(field.default, field)
    quantity = quantity_of(field.annotation, field.metadata)
    return "4" if quantity is None else quantity.format(4)


def readers() -> dict[str, Reader]:
    """Return all readers by name."""
    ring = build_network("ring:n=4")
    found = {"network spec": Reader(tuple(SPECS), _text(lambda text: parse_spec(text, "f")))}
    for known in NETWORK_FORMATS.formats:
        found[f"network {known.name}"] = Reader(
            tuple(network_seeds(known)), lambda data, known=known: _any_network(data, "".join(known.suffixes[:1]))
        )
    for each in MATRIX_FORMATS.formats:
        seeds = traffic_seeds(each)
        found[f"matrix {each.name}"] = Reader(
            tuple(data for data, _ in seeds),
            functools.partial(_any_traffic, suffix="".join(each.suffixes[:1]), network=seeds[0][1]),
        )
    for one in WORKLOAD_FORMATS.formats:
        found[f"workload {one.name}"] = Reader(
            tuple(workload_seeds(one)),
            lambda data, one=one: WORKLOAD_FORMATS.parse(data, f"f{''.join(one.suffixes[:1])}", HOSTS),
        )
    for form in TRACE_FORMATS.formats:
        found[f"trace {form.name}"] = Reader(tuple(TRACES[form.name]), functools.partial(_any_trace, read=form.read))
    found["traffic spec"] = Reader(
        (b"pattern: stride:s=1\nlevel: rack\n", b"description: a\nfile: a.csv\nsha256: ab\n"), _file(read_spec)
    )
    specs = [path.read_bytes() for path in sorted(EXPERIMENTS.glob("*/spec.yaml"))]
    for question in QUESTIONS:
        named = f"\nquestion: {question.name}\n".encode()
        asking = [
            data
            for data in specs
            if named in data or (b"\nquestion:" not in data and question.name == DEFAULT_QUESTION)
        ]
        own = f"title: a\nquestion: {question.name}\ncases:\n  a: {{topology: 'ring:n=4', seed: 1}}\n".encode()
        found[f"experiment {question.name}"] = Reader((own, *asking[:2]), _file(load_experiment, "spec.yaml"))
    claims = tuple(path.read_bytes() for path in sorted(EXPERIMENTS.glob("*/claims.yaml")))[:2]
    claims += (
        b"source: a\nclaims:\n  - {case: serial, value: 25.0, range: [20, 30], statement: b}\n"
        b"  - {kind: bound, case: serial, at_least: 2, statement: c}\n"
        b"  - {kind: ordering, cases: [serial, serial], margin_percent: 1, statement: d}\n"
        b"  - {kind: trend, cases: [serial, serial], direction: stays, by_percent: 1, statement: e}\n",
    )
    found["claims"] = Reader(claims, _file(_claims, "claimed/claims.yaml"))
    for quantity in ("price", "power"):
        found[f"{quantity} book"] = Reader(
            tuple(path.read_bytes() for path in shipped_books(quantity).values()),
            _file(functools.partial(read_book, quantity=quantity)),
        )
    groups = b"groups:\n  row: {switches: ['0'], cables: [['1', '2']], probability: 0.5, planes: [0]}\n"
    found["failure groups"] = Reader((groups, b'{"groups": {"a": {"switches": ["1"]}}}'), _file(read_groups))
    found["link costs"] = Reader(
        (b"plane,u,v,cost\n0,0,1,3\n0,1,2,0.5\n",), _file(lambda path: read_link_costs(path, ring))
    )
    found["result"] = Reader(tuple(_result(*query) for query in _SAVED), _file(verify_file))
    options = TopologyOptions()
    for registry, read in (
        (topologies, check_topology),
        (traffics, check_traffic),
        (ROUTINGS, parse_routing),
        (OBJECTIVES, parse_objective),
        (SOLVERS, check_solver),
        (BOUNDS, lambda text: chosen_bounds([text])),
        (ARCHITECTURES, lambda text: read_architecture(text, options)),
        (WORKLOADS, check_workload),
        (SIZES, parse_sizes),
        (ALGORITHMS, parse_algorithm),
        (PRESETS, get_preset),
        (sizings, sizings.get),
        (CHART_KINDS, parse_chart),
        # With a number of processes no cluster is asked for.
        (EXECUTORS, lambda text: parse_executor(text, 1)),
        *((kind, lambda text, kind=kind: choose(kind, text, {})) for kind in (QUEUES, TRANSPORTS, FORWARDINGS)),
    ):
        also = ("2*stride:s=1+0.5*all-to-all",) if registry is traffics else ()
        found[f"{registry.kind} expression"] = Reader(_expressions(registry, also), _text(read))
    found["sizes file"] = Reader(
        (b"bytes,share\n1000,0.2\n3e4,1\n",), _file(lambda path: parse_sizes(str(path)), "f.csv")
    )
    found["percentiles file"] = Reader(
        (b"0 0\n10000 15\n30000 100\n",), _file(lambda path: parse_sizes(str(path)), "f.txt")
    )
    found["duration"] = Reader((b"25ns", b"1.5e3us"), _text(lambda text: TIME.parse(text, "f")))
    ports = Ports.of(build_network("ring:n=4", hosts_per_switch=1))
    found["trace"] = Reader((b"queue:0/h0->0", b"flow:1"), _text(lambda text: parse_traces([text], ports, 9)))
    return found


def _any_network(data: bytes, suffix: str) -> object:
    plane = parse_plane(data, f"f{suffix}")
    if plane.cable_count < 10_000:  # not a feast of 10 MB
        for known in NETWORK_FORMATS.formats:
            # What was read is written in every format, or it is said why not.
            if known.write is not None:
                with contextlib.suppress(PnetError):
                    written(known, plane)
    return plane


def _any_traffic(data: bytes, suffix: str, network: object) -> object:
    return MATRIX_FORMATS.parse(data, f"f{suffix}", network, "rack")


def _any_trace(data: bytes, read: Callable[..., Trace]) -> object:
    trace = read(data, "f", HOSTS.host_count)
    place = np.arange(trace.check_ranks(HOSTS.host_count))
    stated = TraceParams.model_validate({"size": 1000} if trace.parts else {})
    return expanded(trace, stated.expansion(), HOSTS.host_count, place, "f")


def _claims(path: Path) -> object:
    (path.parent / "spec.yaml").write_text("title: a\ncases: {serial: {topology: 'ring:n=4'}}\n")
    return load_experiment(path.parent)


_SAVED = (
    ("concurrent", "ideal", "auto"),
    ("concurrent", "ksp:2", "auto"),
    ("concurrent", "ecmp-split", "auto"),
    ("concurrent", "vlb", "auto"),
    ("concurrent", "ideal", "symmetric"),
    ("min-max-utilisation", "ecmp", "auto"),
    ("max-min", "ideal", "auto"),
    ("max-min", "ksp:2", "auto"),
    ("max-min-fill", "ecmp", "auto"),
    ("total", "ideal", "auto"),
    ("min-cost:fraction=0.9", "ksp:2", "auto"),
)
"""Results of every kind of certificate and answer."""


def _result(objective: str, routing: str, solver: str) -> bytes:
    network = build_network("ring:n=4", planes=2, hosts_per_switch=1 + (routing == "ideal"))
    traffic = build_traffic("all-to-all" if solver == "symmetric" else "stride:s=1", network)
    path = Path(_FOLDER.name) / "result.json"
    save_result(path, network, traffic, solve(network, traffic, objective=objective, routing=routing, solver=solver))
    return path.read_bytes()
