"""Completion times of ns-3, of packets and of the fluid, for the same flows on trees with one path between two hosts.

``--ns3 PYTHON MIX ...`` builds ``ns3.cpp`` against the wheel of that Python (``pip install --no-deps ns3==3.44.post0``,
and g++) and writes the flows to the experiment ``packets-ns3`` and what ns-3 takes for each to ``ns3/``; without names
for all mixes.  With ``--moved N`` it writes the percentiles of N + 1 runs to ``ns3/moved.csv``: with starts as they are
and with each moved by up to a microsecond in N ways, as one run says little where queues and timeouts decide.
Without ``--ns3``, packets and fluid run the same flows, and medians over these runs are compared with those of ns-3.
``--claims`` prints what one run of ns-3 has as claims of the experiment.  Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Column, Table

from pnet_lp import _core
from pnet_lp.manifest import environment
from pnet_lp.model import Network, Workload
from pnet_lp.seeds import generator
from pnet_lp.sim import simulate
from pnet_lp.topology import build_network
from pnet_lp.workload import build_workload
from pnet_lp.workload.io import read_workload, write_workload
from pnet_lp.writing import output_file, write_json

FOLDER = Path(__file__).with_name("ns3")
MOVED = FOLDER / "moved.csv"
FLOWS = Path(__file__).parents[1] / "experiments" / "packets-ns3" / "flows"
OUT = Path(__file__).parents[1] / "results" / "published" / "benchmarks"
MODELS = ("packets", "fluid")
WIDTH = 170
FEW = 20
"""Flows of a size below which no percentile is given."""

CLASSES = {"below 10 kB": 10**4, "to 100 kB": 10**5, "to 1 MB": 10**6, "above": 10**18}
HELD_OUT = 26
"""Number of the first mix with a claim that was written with receivers as they are now."""
MODULES = ("core", "network", "internet", "point-to-point", "traffic-control", "stats", "bridge")

LARGEST = 2 * 10**6
"""Bytes of the largest flows that are kept: ns-3's wheel has a processor for 20,000 packets a second over a link."""

CAUSE = "the fluid takes queues at their mean, and windows as at their fair share: docs/fluid.md"
SMALL_QUEUE = 128 * 1024
"""Bytes that a connection leaves in its host's port, without headers, as ns-3 counts them."""
RACKS, PER_RACK = 4, 8
BURST, BURSTS, APART_PS = 24, 40, 5 * 10**9


@dataclass(frozen=True)
class Mix:
    """Flows on a tree of 32 hosts below 4 switches below one.

    Attributes:
        transport: ``dctcp`` or ``tcp``.
        sizes: a distribution of flow sizes, or the bytes of every flow of an incast.
        load: of the hosts' links, or of the links above racks where these are slower; 0: bursts of 24 hosts to one.
        oversubscription: 1 or 4.
        delay_us: of each link.
        host_queue: ``unbounded`` or ``same``.
        flows: how many.
        seed: of the draw.
    """

    transport: str
    sizes: str
    load: float
    oversubscription: int
    delay_us: int
    host_queue: str
    flows: int
    seed: int

    @property
    def topology(self) -> str:
        """The network."""
        return (
            f"folded-clos:children={PER_RACK}x{RACKS},parents=1,uplink_gbps={80 // self.oversubscription},host_gbps=10"
        )

    @property
    def settings(self) -> dict[str, Any]:
        """How packets are simulated; sizes of headers are those of ns-3's point-to-point links."""
        dctcp = self.transport == "dctcp"
        return {
            "transport": f"{self.transport}:rto_initial=10ms,rto_min=10ms,syn=46",
            "queue": "ecn:threshold=65,packets=10000" if dctcp else "drop-tail:packets=500",
            # As many packets as in ns-3.
            "host_queue": self.host_queue
            + f":small_queue={-(-SMALL_QUEUE * 1502 // 1460)}" * (self.host_queue != "same"),
            "link_delay": f"{self.delay_us}us",
            "packet": 1502,
            "header": 42,
            "ack": 42,
        }

    def build(self) -> tuple[Network, Workload]:
        """Return the network and the flows."""
        network = build_network(self.topology, link_gbps=10)
        hosts = network.host_count
        if self.load == 0:
            return network, self._bursts(hosts)
        # Of the flows to random hosts, 24 in 31 leave their rack.
        capacity = 10 * hosts if self.oversubscription == 1 else 80 * RACKS / self.oversubscription * 31 / 24
        text = f"poisson:sizes={self.sizes},load={self.load},flows={self.flows},capacity_gbps={capacity}"
        drawn = build_workload(text, network, seed=self.seed)
        kept = np.flatnonzero(drawn.size <= LARGEST)[: self.flows]
        # They come in the time that makes the load of their bytes the one stated.
        start, size = drawn.start_ps[kept].astype(float), drawn.size[kept]
        start *= size.sum() * 8000 / (self.load * capacity) / start.max()
        return network, Workload.from_flows(
            hosts, drawn.src[kept], drawn.dst[kept], size, np.rint(start).astype(np.int64)
        )

    def _bursts(self, hosts: int) -> Workload:
        random = generator(self.seed, "incast")
        drawn = [random.permutation(hosts)[: BURST + 1] for _ in range(BURSTS)]
        src, dst = np.concatenate([one[1:] for one in drawn]), np.repeat([one[0] for one in drawn], BURST)
        start = np.repeat(np.arange(BURSTS) * APART_PS, BURST)
        return Workload.from_flows(hosts, src, dst, np.full(len(src), int(self.sizes)), start, label="incast")


MIXES = {  # The first four are those that the constants of the fluid were chosen by.
    "dctcp-web-50": Mix("dctcp", "facebook-web-server", 0.5, 1, 1, "unbounded", 1200, 1),
    "dctcp-web-70-4to1": Mix("dctcp", "facebook-web-server", 0.7, 4, 1, "unbounded", 1200, 2),
    "dctcp-cache-50-4to1-10us": Mix("dctcp", "facebook-cache", 0.5, 4, 10, "unbounded", 350, 3),
    "tcp-web-50": Mix("tcp", "facebook-web-server", 0.5, 1, 1, "unbounded", 1200, 4),
    "dctcp-web-30-10us": Mix("dctcp", "facebook-web-server", 0.3, 1, 10, "unbounded", 1200, 5),
    "dctcp-web-80-same": Mix("dctcp", "facebook-web-server", 0.8, 1, 1, "same", 1200, 6),
    "dctcp-cache-50-same": Mix("dctcp", "facebook-cache", 0.5, 1, 1, "same", 350, 7),
    "dctcp-cache-70-4to1": Mix("dctcp", "facebook-cache", 0.7, 4, 1, "unbounded", 350, 8),
    "dctcp-hadoop-50": Mix("dctcp", "facebook-hadoop", 0.5, 1, 1, "unbounded", 3000, 15),
    "tcp-cache-50": Mix("tcp", "facebook-cache", 0.5, 1, 1, "unbounded", 350, 12),
    "tcp-hadoop-30": Mix("tcp", "facebook-hadoop", 0.3, 1, 1, "unbounded", 3000, 8),
    "tcp-web-50-4to1-same": Mix("tcp", "facebook-web-server", 0.5, 4, 1, "same", 1200, 14),
    "dctcp-incast": Mix("dctcp", "32000", 0.0, 1, 1, "unbounded", BURST * BURSTS, 15),
    "tcp-incast": Mix("tcp", "32000", 0.0, 1, 1, "unbounded", BURST * BURSTS, 16),
    # From here on claims were written before packets and fluid ran them.
    "dctcp-web-60": Mix("dctcp", "facebook-web-server", 0.6, 1, 1, "unbounded", 1200, 21),
    "dctcp-web-40-4to1-10us": Mix("dctcp", "facebook-web-server", 0.4, 4, 10, "unbounded", 1200, 22),
    "dctcp-cache-30": Mix("dctcp", "facebook-cache", 0.3, 1, 1, "unbounded", 350, 23),
    "dctcp-cache-60-4to1": Mix("dctcp", "facebook-cache", 0.6, 4, 1, "unbounded", 350, 24),
    "dctcp-hadoop-30-4to1": Mix("dctcp", "facebook-hadoop", 0.3, 4, 1, "unbounded", 3000, 25),
    "dctcp-hadoop-70-10us": Mix("dctcp", "facebook-hadoop", 0.7, 1, 10, "unbounded", 3000, 26),
    "tcp-web-30-10us": Mix("tcp", "facebook-web-server", 0.3, 1, 10, "unbounded", 1200, 27),
    "tcp-web-80-4to1": Mix("tcp", "facebook-web-server", 0.8, 4, 1, "unbounded", 1200, 28),
    "tcp-cache-40-4to1": Mix("tcp", "facebook-cache", 0.4, 4, 1, "unbounded", 350, 29),
    "tcp-hadoop-50-4to1-10us": Mix("tcp", "facebook-hadoop", 0.5, 4, 10, "unbounded", 3000, 30),
    "dctcp-incast-10us": Mix("dctcp", "64000", 0.0, 1, 10, "unbounded", BURST * BURSTS, 31),
    "tcp-incast-10us": Mix("tcp", "16000", 0.0, 1, 10, "unbounded", BURST * BURSTS, 32),
    # And from here on with receivers that keep their ends open.
    "tcp-web-60-4to1": Mix("tcp", "facebook-web-server", 0.6, 4, 1, "unbounded", 1200, 41),
    "tcp-web-70": Mix("tcp", "facebook-web-server", 0.7, 1, 1, "unbounded", 1200, 42),
    "tcp-cache-60-4to1": Mix("tcp", "facebook-cache", 0.6, 4, 1, "unbounded", 1000, 43),
    "tcp-cache-30-10us": Mix("tcp", "facebook-cache", 0.3, 1, 10, "unbounded", 1000, 44),
    "tcp-hadoop-70-4to1": Mix("tcp", "facebook-hadoop", 0.7, 4, 1, "unbounded", 3000, 45),
    "tcp-hadoop-40-same": Mix("tcp", "facebook-hadoop", 0.4, 1, 1, "same", 3000, 46),
    "dctcp-web-80-4to1": Mix("dctcp", "facebook-web-server", 0.8, 4, 1, "unbounded", 1200, 47),
    "dctcp-web-60-4to1-10us-same": Mix("dctcp", "facebook-web-server", 0.6, 4, 10, "same", 1200, 48),
    "dctcp-cache-70": Mix("dctcp", "facebook-cache", 0.7, 1, 1, "unbounded", 1000, 49),
    "dctcp-cache-40-10us": Mix("dctcp", "facebook-cache", 0.4, 1, 10, "unbounded", 1000, 50),
    "dctcp-hadoop-60-same": Mix("dctcp", "facebook-hadoop", 0.6, 1, 1, "same", 3000, 51),
    "dctcp-hadoop-80-4to1": Mix("dctcp", "facebook-hadoop", 0.8, 4, 1, "unbounded", 3000, 52),
}

OTHERS = {  # Chosen before anything ran them.
    "dctcp-web-45": Mix("dctcp", "facebook-web-server", 0.45, 1, 1, "unbounded", 1200, 1001),
    "dctcp-web-65-4to1": Mix("dctcp", "facebook-web-server", 0.65, 4, 1, "unbounded", 1200, 1002),
    "dctcp-web-55-10us": Mix("dctcp", "facebook-web-server", 0.55, 1, 10, "unbounded", 1200, 1003),
    "dctcp-cache-45": Mix("dctcp", "facebook-cache", 0.45, 1, 1, "unbounded", 1000, 1004),
    "dctcp-cache-55-4to1": Mix("dctcp", "facebook-cache", 0.55, 4, 1, "unbounded", 1000, 1005),
    "dctcp-hadoop-40": Mix("dctcp", "facebook-hadoop", 0.4, 1, 1, "unbounded", 3000, 1006),
    "dctcp-hadoop-65-4to1": Mix("dctcp", "facebook-hadoop", 0.65, 4, 1, "unbounded", 3000, 1007),
    "dctcp-web-50-same": Mix("dctcp", "facebook-web-server", 0.5, 1, 1, "same", 1200, 1008),
    "tcp-web-40": Mix("tcp", "facebook-web-server", 0.4, 1, 1, "unbounded", 1200, 1009),
    "tcp-web-50-4to1": Mix("tcp", "facebook-web-server", 0.5, 4, 1, "unbounded", 1200, 1010),
    "tcp-cache-30": Mix("tcp", "facebook-cache", 0.3, 1, 1, "unbounded", 1000, 1011),
    "tcp-cache-50-10us": Mix("tcp", "facebook-cache", 0.5, 1, 10, "unbounded", 1000, 1012),
    "tcp-hadoop-45": Mix("tcp", "facebook-hadoop", 0.45, 1, 1, "unbounded", 3000, 1013),
    "tcp-hadoop-60-4to1-10us": Mix("tcp", "facebook-hadoop", 0.6, 4, 10, "unbounded", 3000, 1014),
    "tcp-web-60-same": Mix("tcp", "facebook-web-server", 0.6, 1, 1, "same", 1200, 1015),
    "dctcp-incast-48k": Mix("dctcp", "48000", 0.0, 1, 1, "unbounded", BURST * BURSTS, 1016),
    # From here on chosen before anything ran them, after windows grew and room was counted as they are now.
    "dctcp-web-75-4to1": Mix("dctcp", "facebook-web-server", 0.75, 4, 1, "unbounded", 1200, 2002),
    "dctcp-web-65-10us": Mix("dctcp", "facebook-web-server", 0.65, 1, 10, "unbounded", 1200, 2003),
    "dctcp-cache-60": Mix("dctcp", "facebook-cache", 0.6, 1, 1, "unbounded", 1000, 2004),
    "dctcp-cache-45-4to1": Mix("dctcp", "facebook-cache", 0.45, 4, 1, "unbounded", 1000, 2005),
    "dctcp-hadoop-60": Mix("dctcp", "facebook-hadoop", 0.6, 1, 1, "unbounded", 3000, 2006),
    "dctcp-hadoop-55-4to1-10us": Mix("dctcp", "facebook-hadoop", 0.55, 4, 10, "unbounded", 3000, 2007),
    "dctcp-web-55-4to1-same": Mix("dctcp", "facebook-web-server", 0.55, 4, 1, "same", 1200, 2008),
    "tcp-web-55": Mix("tcp", "facebook-web-server", 0.55, 1, 1, "unbounded", 1200, 2009),
    "tcp-web-45-4to1-10us": Mix("tcp", "facebook-web-server", 0.45, 4, 10, "unbounded", 1200, 2010),
    "tcp-cache-40": Mix("tcp", "facebook-cache", 0.4, 1, 1, "unbounded", 1000, 2011),
    "tcp-hadoop-55": Mix("tcp", "facebook-hadoop", 0.55, 1, 1, "unbounded", 3000, 2012),
    "tcp-incast-20k": Mix("tcp", "20000", 0.0, 1, 1, "unbounded", BURST * BURSTS, 2013),
}


ALL = MIXES | OTHERS


def compile_ns3(python: str, folder: Path) -> Path:
    """Return the program, built against the wheel of this Python."""
    find = "import importlib.util; print(importlib.util.find_spec('ns').submodule_search_locations[0])"
    found = subprocess.run([python, "-c", find], check=True, stdout=subprocess.PIPE, text=True).stdout
    wheel, program = Path(found.strip()).parent / "ns3", folder / "ns3"
    library = wheel / "lib64"
    linked = [f"-l:{next(library.glob(f'libns3*-{name}.so')).name}" for name in MODULES]
    flags = ["-O2", "-std=c++20", f"-I{wheel / 'include'}", f"-L{library}", f"-Wl,-rpath,{library}"]
    source = str(Path(__file__).with_suffix(".cpp"))
    command = ["g++", *flags, source, *linked, "-Wl,--allow-shlib-undefined", "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def ends_in_ns3(mix: Mix, network: Network, flows: Workload, program: Path, likeness: int = 0) -> tuple[Any, str]:
    """Return when each flow ends in ns-3, in picoseconds, and what the program says of itself."""
    plane, hosts, delay = network.planes[0], network.host_count, mix.delay_us * 10**6
    access = ((h, hosts + int(plane.host_switch[h]), plane.access_up_gbps[h]) for h in range(hosts))
    cables = zip(plane.cable_u + hosts, plane.cable_v + hosts, plane.capacity_uv_gbps, strict=True)
    links = [f"{int(u)} {int(v)} {round(gbps * 1e9)} {delay}" for u, v, gbps in (*access, *cables)]
    columns = np.stack([flows.src, flows.dst, flows.size, flows.start_ps], axis=1).tolist()
    lines = [f"{hosts + plane.switch_count} {hosts} {len(links)} {len(columns)}", *links]
    lines += [" ".join(map(str, row)) for row in columns]
    queue = ("10000", "65") if mix.transport == "dctcp" else ("500", "0")
    small = str(SMALL_QUEUE if mix.host_queue == "unbounded" else 0)
    command = [str(program), mix.transport, mix.host_queue, *queue, "10000", small, str(likeness)]
    done = subprocess.run(command, input="\n".join(lines), check=True, stdout=subprocess.PIPE, text=True)
    *ends, about = done.stdout.splitlines()
    return np.array(ends, dtype=np.int64), about


def run_ns3(name: str, program: Path) -> str:
    """Write the flows of a mix and what ns-3 takes for each; return what the program says of itself."""
    network, flows = MIXES[name].build()
    ends, about = ends_in_ns3(MIXES[name], network, flows, program)
    write_workload(flows, network, FLOWS / f"{name}.csv")
    rows = "\n".join(map(str, ends - flows.start_ps))
    (FOLDER / f"{name}.csv").write_text(f"# {about}\nfct_ps\n{rows}\n", encoding="utf-8")
    return about


def run_moved(name: str, program: Path, draws: int, likeness: int) -> Iterator[dict[str, float]]:
    """Yield the percentiles of ns-3 with starts as they are and moved in so many ways."""
    mix = ALL[name]
    network, flows = mix.build()
    ideal = simulate(network, flows, model="fluid", seed=1, **mix.settings).flow["ideal_ps"]
    for draw in range(draws + 1):
        moved = with_moved_starts(flows, mix, draw)
        ends, _ = ends_in_ns3(mix, network, moved, program, likeness)
        yield percentiles(flows.size, (ends - moved.start_ps) / ideal)


def with_moved_starts(flows: Workload, mix: Mix, draw: int) -> Workload:
    """Return the flows, each of which starts up to a microsecond later; those of draw 0 as they are."""
    if draw == 0:
        return flows
    start = flows.start_ps + generator(mix.seed, "shift", draw - 1).integers(10**6, size=len(flows.size))
    return Workload.from_flows(RACKS * PER_RACK, flows.src, flows.dst, flows.size, start)


def stored_runs() -> dict[str, list[dict[str, float]]]:
    """Return the percentiles of ns-3's runs of each mix."""
    runs: dict[str, list[dict[str, float]]] = {}
    with MOVED.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            values = {label: float(value) for label, value in row.items() if label not in ("mix", "draw") and value}
            runs.setdefault(row["mix"], []).append(values)
    return runs


def store_runs(runs: dict[str, list[dict[str, float]]]) -> None:
    """Write them."""
    labels = ["mix", "draw", *labels_of_classes()]
    with MOVED.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, labels, lineterminator="\n")
        writer.writeheader()
        for name in (name for name in ALL if name in runs):
            for draw, run in enumerate(runs[name]):
                writer.writerow({"mix": name, "draw": draw} | {label: f"{value:.4g}" for label, value in run.items()})


def claims(names: list[str]) -> Iterator[str]:
    """Yield a line of ``claims.yaml`` for each figure that ns-3 has."""
    for name in names:
        network = build_network(MIXES[name].topology, link_gbps=10)
        flows = read_workload(FLOWS / f"{name}.csv", network)
        taken = np.loadtxt(FOLDER / f"{name}.csv", dtype=np.int64, skiprows=2)
        ideal = simulate(network, flows, model="fluid", seed=1, **MIXES[name].settings).flow["ideal_ps"]
        for model, percent, tolerance in (("packets", 50, 5), ("packets", 99, 5), ("fluid", 50, 10), ("fluid", 99, 20)):
            value = percentile(taken / ideal, percent)
            of = "median" if percent == 50 else "99th percentile"
            cause = f', cause: "{CAUSE}"' if model == "fluid" else ""
            yield (
                f"  - {{column: p{percent}_slowdown, case: {name}-{model}, value: {value:.4g}, "
                f"tolerance_percent: {tolerance}, origin: ours, late: true, "
                f'statement: "{name}, {model}: {of} of ns-3"{cause}}}'
            )


@dataclass(frozen=True)
class Compared:
    """One mix: percentiles of slowdowns in each run of ns-3 and of packets, and those of the fluid, and seconds."""

    name: str
    flows: int
    ns3: list[dict[str, float]]
    packets: list[dict[str, float]]
    fluid: list[dict[str, float]]
    seconds: dict[str, float]

    def median(self, model: str, label: str) -> float:
        """Return the median over the runs of ns-3 or of a model."""
        return float(np.median([run[label] for run in getattr(self, model)]))

    def off(self, model: str, label: str) -> float:
        """Return by how many per cent a model is above ns-3, both in the median of their runs."""
        return 100 * (self.median(model, label) / self.median("ns3", label) - 1)

    def within(self, model: str, label: str) -> str:
        """Return the least and the greatest of the runs."""
        values = [run[label] for run in getattr(self, model)]
        return f"{min(values):.1f} - {max(values):.1f}"

    def document(self) -> dict[str, Any]:
        """Return what is published of it."""
        labels = list(self.ns3[0])
        return {
            "mix": self.name,
            "flows": self.flows,
            "ns-3": {label: self.median("ns3", label) for label in labels},
            "off_percent": {model: {label: round(self.off(model, label), 1) for label in labels} for model in MODELS},
            "p99_of_each_run": {model: [run["p99"] for run in getattr(self, model)] for model in ("ns3", "packets")},
            "seconds": self.seconds,
        }


def percentile(slowdown: Any, percent: float) -> float:
    """Return the least value that so many per cent do not exceed."""
    return float(np.percentile(slowdown, percent, method="inverted_cdf"))


def labels_of_classes() -> dict[str, tuple[int, int, int]]:
    """Return the percentiles that are compared: of flows from and below which size, and how many per cent."""
    labels, least = {"p50": (0, 10**18, 50), "p99": (0, 10**18, 99)}, 0
    for label, most in CLASSES.items():
        labels |= {f"{label}: p50": (least, most, 50), f"{label}: p99": (least, most, 99)}
        least = most
    return labels


def percentiles(size: Any, slowdown: Any) -> dict[str, float]:
    """Return the percentiles of slowdowns, also by size where there are enough flows."""
    found = {}
    for label, (least, most, percent) in labels_of_classes().items():
        among = (size >= least) & (size < most)
        if among.sum() >= FEW:
            found[label] = percentile(slowdown[among], percent)
    return found


def seconds_of_ns3(name: str) -> float:
    """Return what the stored run of a mix took."""
    return float((FOLDER / f"{name}.csv").read_text(encoding="utf-8").split()[1])


def compare(name: str, ns3: list[dict[str, float]]) -> Compared:
    """Run packets and fluid on the flows of a mix, packets with starts moved as in these runs of ns-3."""
    mix = ALL[name]
    network, flows = mix.build()
    seconds = {"ns-3": seconds_of_ns3(name)} if name in MIXES else {}
    runs: dict[str, list[dict[str, float]]] = {}
    for model, draws in (("packets", len(ns3)), ("fluid", 1)):
        runs[model], before = [], time.process_time()
        for draw in range(draws):
            result = simulate(network, with_moved_starts(flows, mix, draw), model=model, seed=1, **mix.settings)
            runs[model].append(percentiles(flows.size, result.completion_ps / result.flow["ideal_ps"]))
        seconds[model] = (time.process_time() - before) / draws
    return Compared(name, len(flows.size), ns3, runs["packets"], runs["fluid"], seconds)


def tables(compared: list[Compared]) -> list[Table]:
    """Return what the mixes say, and what all of them say by size."""
    by_mix = Table(
        Column("mix", no_wrap=True),
        "flows",
        "ns-3 p50",
        "p99",
        *(f"{model} {of}, %" for model in MODELS for of in ("p50", "p99")),
        "p99 of each run: ns-3",
        "packets",
        "s",
    )
    for one in compared:
        off = [f"{one.off(model, of):+.0f}" for model in MODELS for of in ("p50", "p99")]
        seconds = " / ".join(f"{value:.2g}" for value in one.seconds.values())
        runs = (one.within(model, "p99") for model in ("ns3", "packets"))
        medians = f"{one.median('ns3', 'p50'):.2f}", f"{one.median('ns3', 'p99'):.1f}"
        by_mix.add_row(one.name, str(one.flows), *medians, *off, *runs, seconds)
    each = [label for label in labels_of_classes() if label.endswith("p99")]
    by_both = Table(Column("mix, error of p99, %", no_wrap=True), *each)
    for one in compared:
        cells = (
            " / ".join(f"{one.off(model, label):+.0f}" for model in MODELS) if label in one.ns3[0] else ""
            for label in each
        )
        by_both.add_row(one.name, *cells)
    return [by_mix, by_both, *(by_size(part, title) for title, part in groups(compared).items() if part)]


def groups(compared: list[Compared]) -> dict[str, list[Compared]]:
    """Return the mixes of the experiment together, those of which claims were written first, and the others."""
    places = {name: place for place, name in enumerate(MIXES)}
    stored = [one for one in compared if one.name in MIXES]
    return {
        "mixes of the experiment": stored,
        "the last, with claims before they were run": [one for one in stored if places[one.name] >= HELD_OUT],
        "sixteen other mixes": [one for one in compared if one.name in list(OTHERS)[:16]],
        "twelve chosen after these": [one for one in compared if one.name in list(OTHERS)[16:]],
    }


def by_size(compared: list[Compared], title: str) -> Table:
    """Return the errors over mixes, by size of flows."""
    by_size = Table(
        title,
        *(f"{model}: {of}" for model in MODELS for of in ("median of mixes, %", "of their sizes", "size at 90 %")),
    )
    for label in labels_of_classes():
        cells = []
        for model in MODELS:
            values = [one.off(model, label) for one in compared if label in one.ns3[0]]
            sizes = np.abs(values)
            cells += [f"{np.median(values):+.0f}", f"{np.median(sizes):.0f}", f"{percentile(sizes, 90):.0f}"]
        by_size.add_row(label, *cells)
    return by_size


def publish(compared: list[Compared]) -> None:
    """Print the comparison, and write it to where the others are."""
    document = {
        "command": "benchmarks/ns3.py",
        "environment": environment(),
        "mixes": [one.document() for one in compared],
    }
    write_json(OUT / "ns3.json", document)
    with output_file(OUT / "ns3.txt") as file, file.open("w", encoding="utf-8") as stream:
        for console in (Console(width=WIDTH), Console(file=stream, width=WIDTH)):
            console.print(*tables(compared))


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", metavar="PYTHON", help="a Python that has ns-3: run it, and write its times")
    parser.add_argument("--moved", type=int, metavar="N", help="with --ns3: percentiles, with starts moved in N ways")
    parser.add_argument("--linux", action="store_true", help="the same with windows that grow as Linux', not written")
    parser.add_argument("--claims", action="store_true", help="print claims of the experiment")
    parser.add_argument("mixes", nargs="*", help="which mixes; default: all")
    arguments = parser.parse_args()
    if _core.build_profile != "release":
        sys.exit("ns3.py: the extension is a debug build; run make bench")
    if arguments.claims:
        sys.stdout.writelines(f"{line}\n" for line in claims(arguments.mixes or list(MIXES)))
        return
    runs = stored_runs()
    if not arguments.ns3:
        publish([compare(name, runs[name]) for name in arguments.mixes or ALL if name in runs])
        return
    with TemporaryDirectory() as folder:
        program = compile_ns3(arguments.ns3, Path(folder))
        if arguments.moved is None:
            for name in arguments.mixes or MIXES:
                print(name, run_ns3(name, program), flush=True)
            return
        for name in arguments.mixes or ALL:
            found = list(run_moved(name, program, arguments.moved, int(arguments.linux)))
            if not arguments.linux:
                runs[name] = found
                store_runs(runs)
            for of in ("p50", "p99"):
                print(name, of, *(f"{run[of]:.4g}" for run in found), flush=True)


if __name__ == "__main__":
    main()
