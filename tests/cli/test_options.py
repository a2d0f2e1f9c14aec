"""No option is accepted and ignored: each changes what is printed as JSON, or is refused in a sentence."""

import functools
import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from pnet_lp.cli import main
from pnet_lp.cli.command import Command, CommandFamily
from pnet_lp.cli.commands import commands
from pnet_lp.sim.settings import EveryModelSettings
from pnet_lp.topology import PlaneSettings

Run = Callable[..., Result]

RANDOM = "jellyfish:switches=6,ports=4,hosts=6"
"""A random network with hosts, whose planes can differ."""

STATED = "fat-tree:k=4,link_gbps=40"
"""A network that leaves nothing to draw, and no speed open."""

CUT = "leaf-spine:leaves=4,spines=2,hosts_per_leaf=2,link_gbps=40"
"""The same where a bisection is looked for, which takes less time in it."""


@dataclass(frozen=True)
class Example:
    """An option with a value that changes the answer, and a place where it means nothing.

    Attributes:
        given: the option and its value.
        beside: options with which it is left out and given.
        base: arguments in place of the command's own.
        idle: arguments with which it is refused; empty where it always means something.
        says: part of the sentence that refuses it.
    """

    given: str
    beside: str = ""
    base: str = ""
    idle: str = ""
    says: str = ""


PRESENTATION = {
    *("as_json", "debug", "executor", "file", "jobs", "labels", "out", "plot", "progress", "style", "threads"),
    "verify full",  # of a proof on a quotient from many destinations
    *("step-time save", "throughput save", "throughput links", "throughput paths", "throughput write_lp"),
    *(f"{name} time_limit_s" for name in ("throughput", "draw", "failures", "price-performance", "verify", "find")),
    "step-time time_limit_s",
    "find candidates",
    *(
        "cite form",
        "cost speedup circuits",
        "cost speedup job",
        "sweep results",
        "sweep resume",
        *("sweep every", "sweep shard", "sweep budget", "sweep dry_run"),
        *(
            "report language",
            "sweep chart",
            "sweep rows",
            "sweep tables",
            "sweep facet",
            "sweep unit",
            "sweep write_spec",
        ),
        *("report every", "report size", "report results", "report settings", "report to"),
        "simulate fct",
        "simulate records",
        "simulate trace",
    ),
}
"""What changes where something is written, how it looks or how soon it comes; tested with what it writes.  Without
``--job`` a network is too large for a test to compare with; ``--scenario`` is compared with it."""

RING = ((0, 0, 1), (1, 1, 2), (2, 2, 0))
"""Numbers and ends of the cables of ring:n=3."""

NETWORK = {
    "planes": Example("--planes 2"),
    "variant": Example(
        "--variant serial-high", "--planes 2", idle="--variant heterogeneous", says="a single plane cannot"
    ),
    "link_gbps": Example("--link-gbps 7"),
    "hosts_per_switch": Example("--hosts-per-switch 3", base="ring:n=6"),
    "seed": Example("--seed 5"),
    "fail_links": Example("--fail-links 0.2"),
    "fail_switches": Example("--fail-switches 0.2"),
    "fail_ports": Example("--fail-ports 1port"),
    "fail_nics": Example("--fail-nics 1nic"),
    "fail": Example("--fail 0", idle="--fail nowhere", says="no switch, host or link is called 'nowhere'"),
    "fail_planes": Example("--fail-planes 1", "--planes 2 --variant heterogeneous"),
    "fail_unit": Example(
        "--fail-unit direction", "--fail-links 0.2", idle="--fail-unit box", says="needs --fail-links"
    ),
    "fail_mode": Example(
        "--fail-mode betweenness", "--fail-links 0.2", idle="--fail-mode independent", says="needs --fail-links"
    ),
    "fail_groups": Example("--fail-groups groups.yaml", idle="--fail-groups gone.yaml", says="gone.yaml: cannot read"),
}
SERVERS = {
    name: Example(given, beside)
    for name, given, beside in (
        ("server", "--server complete:n=2", ""),
        ("server_gbps", "--server-gbps 7", "--server complete:n=2"),
        ("rails", "--rails 2", "--planes 2 --server complete:n=2"),
        ("relay", "--relay none", "--planes 2 --rails 2 --server complete:n=2"),
        ("server_count", "--server-count 2", "--server complete:n=2"),
        ("fail_servers", "--fail-servers 1server", "--server complete:n=2"),
    )
}
"""Of commands that can do with servers."""
METRIC = {
    "metric": Example("--metric metric.csv", idle="--metric gone.csv", says="have no such number"),
    "server_hops": Example(
        "--server-hops 0", "--server complete:n=2", idle="--server-hops 0", says="there are no servers"
    ),
}
SERVED = {
    **SERVERS,
    "relay": Example("--relay none", "--planes 2 --server complete:n=2"),
    "fail_servers": Example("--fail-servers 1server --fail-at 5us --fail-until 10us", "--server complete:n=2"),
    "server_hops": METRIC["server_hops"],
}
"""The same of simulations, whose flows need a path."""

PRESENTATION |= {f"{command} {name}" for command in ("traffic", "workload") for name in SERVERS}
# Of servers a matrix and flows have the names of hosts alone.
LEVEL = {"level": Example("--level rack")}
METRICS = "plane,u,v,metric\n" + "".join(f"0,{u},{v},9\n" for u, v in ((0, 1), (1, 0), (0, 2), (3, 5), (5, 3), (4, 1)))
"""Of links of :data:`RANDOM`."""
TRAFFIC = {**LEVEL, "traffic": Example("--traffic permutation")}
POLICY = {"plane_policy": Example("--plane-policy single", "--planes 2 --variant heterogeneous --routing ksp:2")}


def on(base: str, examples: dict[str, Example]) -> dict[str, Example]:
    """Return the examples with ``base`` as arguments, a TOPOLOGY of their own at ``{}``."""
    return {name: replace(one, base=base.format(one.base or RANDOM)) for name, one in examples.items()}


COST = {
    **on("topology:{}", NETWORK),
    **on("topology:{} --traffic all-to-all", SERVERS),
    **on(f"topology:{RANDOM} --traffic random:flows=2", {**LEVEL, "seed": NETWORK["seed"]}),
    "traffic": Example("--traffic permutation"),
    "tolerance": Example("--tolerance 0.2", base="topology:jellyfish:k=4 --traffic all-to-all"),
    "ports": Example("--ports 8"),
    "chip": Example("--chip 1.6T"),
    "separate": Example("--separate", "--planes 2"),
    "access": Example("--access sr"),
    "nics": Example("--nics"),
    "scale_up": Example("--scale-up", "--server complete:n=2", idle="--scale-up", says="the network has no servers"),
    "beta": Example("--beta 2", base="hybrid", idle="--beta 2 --planes 2", says="has no meaning for"),
    "bisection": Example("--no-measure"),
    "prices": Example("--prices mine.yaml"),
    "powers": Example("--power mine.yaml"),
}
SIMULATED = f"{RANDOM} --traffic pairs.csv --flow-size 100kB"
SIMULATION = {
    **on("{} --traffic pairs.csv --flow-size 100kB", NETWORK),
    # Matrices in files name hosts without servers.
    **on("{} --traffic permutation --flow-size 100kB", SERVED),
    "hosts_per_switch": Example(
        "--hosts-per-switch 3", base="ring:n=6 --traffic stride:s=1 --flow-size 1kB --hosts-per-switch 1"
    ),
    **{
        name: replace(one, base=SIMULATED, beside=f"{one.beside} --planes 2")
        for name, one in NETWORK.items()
        if name in {"fail_switches", "fail_ports", "fail_nics", "fail_planes"}
    },
    **on(SIMULATED, POLICY | {"metric": METRIC["metric"]}),
    "fail_at": Example(
        "--fail-at 10us --reroute-after 1us", "--fail-links 0.4", idle="--fail-at 10us", says="needs --fail-links"
    ),
    "fail_until": Example("--fail-until 10us", "--fail-links 0.4", idle="--fail-until 10us", says="needs --fail-links"),
    "outage": Example("--outage fail_links=0.4,fail_at=10us,fail_until=20us"),
    "reroute_after": Example(
        "--reroute-after 1us",
        "--fail-links 0.4 --fail-at 10us",
        idle="--fail-links 0.4 --reroute-after 1us",
        says="needs --fail-at or --fail-until or --outage",
    ),
    "traffic": Example("--traffic stride:s=1"),
    "flow_size": Example("--flow-size 50kB"),
    "workload": Example(
        "--workload incast:senders=2,sizes=1kB",
        base=f"{RANDOM} --workload incast:senders=3,sizes=1kB",
        idle="--traffic permutation --flow-size 1kB",
        says="give either --workload or --flow-size",
    ),
    "preset": Example("--preset pnet"),
    "transport": Example("--transport tcp:initial_window=2"),
    "queue": Example("--queue drop-tail:packets=3"),
    "host_queue": Example("--host-queue drop-tail:packets=3"),
    "forwarding": Example("--forwarding given:routing=ksp:2"),
    "routing": Example(
        "--routing ksp:2", idle="--routing ksp:2 --forwarding ecmp", says="give either --routing or --forwarding"
    ),
    "link_delay": Example("--link-delay 2us"),
    "packet": Example("--packet 9000"),
    "header": Example("--header 100"),
    "ack": Example("--ack 64"),
    "time_limit": Example("--time-limit 10s"),
    "event_limit": Example("--event-limit 1000000"),
    "fast_forward": Example("--fast-forward"),
}
"""Of the commands that simulate, in whatever model."""

FAILING = f"{RANDOM} --fail-links 0.2 --trials 2"
GROUPS = f"{RANDOM} --fail-groups groups.yaml --trials 2"
FOUND = "--hosts 12 --min-gbps-per-host 20 --radix 8 --planes 2 --families leaf-spine,single-switch"
MIX = (
    "--topologies fat-tree:k=4 --traffics permutation --arrivals poisson --flow-sizes 10kB --load 0.3,0.5 --flows 50 "
    "--link-gbps 10"
)

FLUID = {
    "sharing": Example("--sharing subflows", "--routing ksp:4"),
    "subflows": Example(
        "--subflows 2",
        "--routing ksp:4 --sharing subflows",
        idle="--subflows 2",
        says="changes nothing without --sharing subflows",
    ),
    "correction": Example("--correction none"),
    "initial_window": Example(
        "--initial-window 2", idle="--correction none --initial-window 2", says="changes nothing without slow-start"
    ),
    "window": Example(
        "--window 4", "--correction queueing", idle="--window 4", says="changes nothing without queueing or convergence"
    ),
    "threshold": Example(
        "--threshold 1",
        "--correction queueing --window 20",
        idle="--threshold 4",
        says="changes nothing without queueing or convergence",
    ),
}
"""Of commands that ask for both models."""

VARIED = "fat-tree:k=4 --vary planes=1,2"

CASES: dict[str, tuple[str, dict[str, Example]]] = {
    "throughput": (
        RANDOM,
        {
            **NETWORK,
            **SERVERS,
            **TRAFFIC,
            **POLICY,
            **on("{} --routing ksp:2", METRIC),
            "routing": Example("--routing ksp:2"),
            "objective": Example("--objective total"),
            "min_share": Example("--min-share 0.3"),
            "max_paths": Example("--max-paths 1"),
            "demand_size": Example("--demand-size 64MB"),
            "least_load": Example("--least-load", idle="--least-load --routing ecmp", says="leaves no flow to choose"),
            "solver": Example("--solver highs-ipx"),
            "tolerance": Example("--tolerance 0.2"),
            "trials": Example("--trials 3", "--fail-links 0.2", idle="--trials 3", says="nothing fails"),
        },
    ),
    "failures": (
        FAILING,
        {
            **on(f"{{}} {FAILING.partition(' ')[2]}", NETWORK),
            **on("{} --fail-ports 1port --trials 2", SERVERS),
            **TRAFFIC,
            **POLICY,
            **on(f"{{}} {FAILING.partition(' ')[2]} --routing ksp:2", METRIC),
            "each": Example("--each link", base=RANDOM, idle="--each group", says="groups fail by themselves"),
            "fail_links": Example("--fail-links 0.3", base=f"{RANDOM} --fail-switches 0.2 --trials 2"),
            "fail_planes": replace(NETWORK["fail_planes"], base=FAILING),
            "fail_unit": Example(
                "--fail-unit direction",
                "--fail-links 0.2",
                base=GROUPS,
                idle="--fail-unit box",
                says="needs --fail-links",
            ),
            "fail_mode": Example(
                "--fail-mode independent",
                "--fail-links 0.2",
                base=GROUPS,
                idle="--fail-mode betweenness",
                says="needs --fail-links",
            ),
            "routing": Example("--routing ksp:2"),
            "objective": Example("--objective total"),
            "solver": Example("--solver highs-ipx"),
            "tolerance": Example("--tolerance 0.2"),
            "trials": Example(
                "--trials 3",
                "--fail-links 0.2",
                base=RANDOM,
                idle="--planes 2 --variant heterogeneous --fail-planes 1 --trials 3",
                says="where failures are not random",
            ),
        },
    ),
    "step-time": (
        RANDOM,
        {
            **NETWORK,
            **SERVERS,
            **TRAFFIC,
            **POLICY,
            **on("{} --routing ksp:2", METRIC),
            "routing": Example("--routing ksp:2"),
            "demand_size": Example("--demand-size 64MB"),
            "in_turn": Example("--in-turn", "--traffic permutation+all-to-all"),
            "workload": Example("--workload all-reduce:size=1MB", base="fat-tree:k=4"),
            "solver": Example("--solver highs-ipx"),
            "tolerance": Example("--tolerance 0.2"),
        },
    ),
    "price-performance": (
        RANDOM,
        {
            **NETWORK,
            **SERVERS,
            **TRAFFIC,
            **POLICY,
            **on("{} --routing ksp:2", METRIC),
            "routing": Example("--routing ksp:2"),
            "solver": Example("--solver highs-ipx"),
            "tolerance": Example("--tolerance 0.2"),
            **{
                name: COST[name]
                for name in ("ports", "chip", "separate", "access", "nics", "scale_up", "prices", "powers")
            },
        },
    ),
    "fluid-error": (
        MIX,
        {
            **{
                name: replace(one, base=MIX, beside=one.beside.replace("heterogeneous", "homogeneous"))
                for name, one in {**NETWORK, **SIMULATION}.items()
                if name in {"seed", *PlaneSettings.model_fields, *EveryModelSettings.model_fields}
            },
            **FLUID,
            "topologies": Example("--topologies leaf-spine:leaves=4,spines=2,hosts_per_leaf=4"),
            "hosts_per_switch": Example(
                "--hosts-per-switch 3", base=f"{MIX.replace('fat-tree:k=4', 'ring:n=6')} --hosts-per-switch 1"
            ),
            "traffics": Example("--traffics stride:s=1"),
            "arrivals": Example("--arrivals log-normal:sigma=2"),
            "flow_sizes": Example("--flow-sizes 20kB"),
            "flows": Example("--flows 60"),
            "load": Example("--load 0.1,0.2", idle="--load 0.5,0.2", says="not a range of loads"),
            "plain": Example("--plain propagation"),
        },
    ),
    "bounds": (
        f"{RANDOM} --bound mean-path",
        {
            **on("{} --bound mean-path", NETWORK | SERVERS),
            **TRAFFIC,
            "bounds": Example("--bound nic"),
            "solve": Example("--solve"),
            "tolerance": Example(
                "--tolerance 0.2", "--solve", idle="--tolerance 0.2", says="--tolerance needs --solve"
            ),
        },
    ),
    "topology": (RANDOM, {**NETWORK, **SERVERS, "ports": Example("--ports 9")}),
    "draw": (
        f"{RANDOM} -o net.svg",
        {
            **on("{} -o net.svg", NETWORK),
            **on("{} -o net.svg", SERVERS),
            "cut": Example("--cut sparsest", "--level rack --cut bisection"),
            **on("{} -o net.svg --traffic permutation --routing ecmp", METRIC),
            "level": Example("--level rack", "--cut bisection", idle="--level rack", says="needs --traffic or --cut"),
            "lengths": Example(
                "--lengths", "--traffic permutation", idle="--lengths", says="needs --load or --traffic"
            ),
            "layers": Example("--layers"),
            "least_load": Example("--least-load", "--traffic permutation", idle="--least-load", says="needs --traffic"),
            "load": Example(
                "--load loads.csv",
                base="ring:n=3 -o net.svg",
                idle="--load loads.csv --traffic permutation",
                says="give either --load or --traffic",
            ),
            "traffic": Example("--traffic permutation"),
            **{
                name: Example(
                    given,
                    f"{POLICY['plane_policy'].beside.split(' --routing')[0]} --traffic permutation {beside}",
                    idle=given,
                    says="needs --traffic",
                )
                for name, given, beside in (
                    ("routing", "--routing ecmp", ""),
                    ("plane_policy", "--plane-policy single", "--routing ksp:2"),
                    ("objective", "--objective total", ""),
                    ("solver", "--solver highs-ipx", ""),
                    ("tolerance", "--tolerance 0.2", ""),
                )
            },
        },
    ),
    "traffic": (
        f"permutation --on {RANDOM}",
        {
            **on("permutation --on {}", NETWORK),
            **LEVEL,
            "topology": Example("--on ring:n=6", base="permutation"),
            "to_racks": Example("--to-racks"),
        },
    ),
    "workload": (
        f"incast:senders=3,sizes=9kB --on {RANDOM}",
        {
            **on("incast:senders=3,sizes=9kB --on {}", NETWORK),
            "topology": Example("--on fat-tree:k=6", base="incast:senders=3,sizes=9kB"),
            "traffic": Example("--traffic stride:s=2", base=f"each:sizes=9kB --on {RANDOM} --traffic permutation"),
            "drop_tasks": Example("--drop-tasks"),
            "drop_connections": Example("--drop-connections", base=f"rpc:rounds=2 --on {RANDOM}"),
            "round_starts": Example("--round-starts", base=f"poisson:sizes=9kB,load=0.3,flows=20 --on {RANDOM}"),
        },
    ),
    "paths": (
        RANDOM,
        {
            **on("{} --stats", NETWORK | SERVERS | METRIC),
            **on(RANDOM + " --stats", LEVEL | POLICY),
            "routing": Example("--routing ksp:2", base=RANDOM + " --stats"),
            "pair": Example("--pair h0 h5", idle="--stats --pair h0 h5", says="give either --stats or --pair"),
            "stats": Example("--stats", idle="--stats --pair h0 h5", says="give either --stats or --pair"),
        },
    ),
    "hops": (
        RANDOM,
        {
            **NETWORK,
            **SERVERS,
            **METRIC,
            **LEVEL,
            "trials": Example("--trials 2", "--fail-links 0.2", idle="--trials 2", says="--trials needs --fail-links"),
            "axis_fail_links": Example(
                "--sweep 0,0.1", idle="--sweep 0 --fail-links 0.1", says="--sweep or --fail-links"
            ),
            "pair": Example("--pair h0 h5", idle="--sweep 0 --pair h0 h5", says="give either --sweep or --pair"),
            "rpc_bytes": Example("--rpc-bytes 1500"),
            "rate_gbps": Example("--rate 10", "--rpc-bytes 9", idle="--rate 10", says="--rate needs --rpc-bytes"),
            "hop_delay_us": Example("--hop-delay 2", "--rpc-bytes 9", idle="--hop-delay 2", says="needs --rpc-bytes"),
        },
    ),
    "simulate": (
        SIMULATED,
        {
            **SIMULATION,
            "model": Example("--model fluid"),
            "sharing": Example(
                "--sharing subflows",
                "--model fluid --routing ksp:4",
                idle="--sharing subflows",
                says="only --model fluid has this setting",
            ),
            "subflows": Example(
                "--subflows 2",
                "--model fluid --routing ksp:4 --sharing subflows",
                idle="--model fluid --subflows 2",
                says="changes nothing without --sharing subflows",
            ),
            "correction": Example(
                "--correction none",
                "--model fluid",
                idle="--correction none",
                says="only --model fluid has this setting",
            ),
            "initial_window": Example(
                "--initial-window 2",
                "--model fluid",
                idle="--model fluid --correction none --initial-window 2",
                says="changes nothing without slow-start",
            ),
            "window": Example(
                "--window 4",
                "--model fluid --correction queueing",
                idle="--model fluid --window 4",
                says="changes nothing without queueing or convergence",
            ),
            "threshold": Example(
                "--threshold 1",
                "--model fluid --correction queueing --window 20",
                idle="--model fluid --threshold 4",
                says="changes nothing without queueing or convergence",
            ),
            "draws": Example("--draws 2"),
            "warm_up": Example("--warm-up 1us"),
        },
    ),
    "crosscheck": (SIMULATED, {**SIMULATION, **FLUID, "against": Example("--against optimum")}),
    "cost": (f"topology:{RANDOM}", COST),
    "cost compare": (f"topology:{RANDOM}", COST),
    "cost curve": (
        f"topology:{RANDOM} --beta 1",
        {
            **{name: replace(one, beside=f"{one.beside} --beta 1") for name, one in COST.items() if name != "beta"},
            **{
                name: replace(
                    one,
                    beside=f"{one.beside} --beta 1 --measure",
                    idle=f"{one.beside} {one.given}",
                    says="has no meaning for a cost without traffic or bisection",
                )
                for name, one in COST.items()
                if name in {"fail_links", "fail_switches", "fail_ports", "fail_nics", "fail_planes", "fail"}
            },
            **{
                name: replace(one, beside=f"{one.beside} --beta 1 --measure")
                for name, one in COST.items()
                if name in {"fail_unit", "fail_mode", "fail_groups"}
            },
            "axis_beta": Example("--beta 2"),
            "bisection": Example("--measure", "--beta 1"),
        },
    ),
    "cost equal": (
        "25",
        {"links": Example("--links 4"), "servers": Example("--servers 640"), "prices": Example("--prices mine.yaml")},
    ),
    "cost speedup": (
        "--oversubscription 1 --servers 32 --ports 8 --links 2 --search 1",
        {
            "scenario": Example("--scenario 2", base="--job --search 1"),
            "oversubscription": Example("--oversubscription 2"),
            "links": Example("--links 3"),
            "servers": Example("--servers 64"),
            "servers_per_rack": Example("--ports 16"),
            "axis_traffic": Example("--traffic mpi-mg"),
            "level": Example("--level rack", "--traffic all-to-all"),
            "scattered": Example("--scattered", "--oversubscription 4 --traffic permutation"),
            "search": Example("--search 9", "--traffic permutation"),
            "delay_s": Example("--delay 3"),
            "volume": Example("--volume 1e12"),
            "tolerance": Example("--tolerance 0.2", "--traffic random:flows=3"),
            "seed": Example("--seed 5", "--traffic permutation"),
            "prices": Example("--prices mine.yaml"),
        },
    ),
    "find": (
        "--hosts 12 --min-gbps-per-host 20 --radix 8 --planes 1 --families leaf-spine,jellyfish",
        {
            "hosts": Example("--hosts 20"),
            "min_gbps_per_host": Example("--min-gbps-per-host 90"),
            "traffic": Example("--traffic stride:s=3"),
            "radix": Example("--radix 12"),
            "chip": Example("--chip 1.2T", base="--hosts 12 --min-gbps-per-host 20 --planes 1 --families leaf-spine"),
            "speeds": Example("--speeds 400"),
            "planes": Example("--planes 1..2"),
            "families": Example("--families fat-tree"),
            "budget": Example("--budget 20000"),
            "sizes": Example("--sizes fine"),
            "best": Example("--best 1", idle="--best 1 --rank throughput", says="where throughput ranks"),
            "rank": Example("--rank power"),
            "min_gain": Example("--min-gain 0.2"),
            "fail_links": Example("--fail-links 0.1"),
            "fail_switches": Example("--fail-switches 1switch", base=FOUND.replace("--planes 2", "--planes 4")),
            "fail_ports": Example("--fail-ports 1port", base=FOUND.replace("--planes 2", "--planes 4")),
            "fail_nics": Example("--fail-nics 1nic", "--server complete:n=4 --traffic all-to-all", base=FOUND),
            "confidence": Example(
                "--confidence 0.5", "--fail-links 0.1 --trials 2", idle="--confidence 0.5", says="needs --fail-links"
            ),
            "trials": Example("--trials 2", "--fail-links 0.1", idle="--trials 2", says="needs --fail-links"),
            "prices": Example("--prices mine.yaml"),
            "powers": Example("--power mine.yaml"),
            "tolerance": Example("--tolerance 0.01"),
            "seed": Example("--seed 5"),
            **{
                name: Example(given, beside, base=f"{FOUND} --traffic stride:s=3", idle=idle, says=says)
                for name, given, beside, idle, says in (
                    ("server", "--server complete:n=2", "", "", ""),
                    ("server_gbps", "--server-gbps 7", "--server complete:n=2", "--server-gbps 7", "without servers"),
                    ("rails", "--rails 2", "--server complete:n=2", "--rails 2", "without servers"),
                    ("relay", "--relay none", "--server complete:n=2", "--relay none", "without servers"),
                    ("access", "--access sr", "", "", ""),
                    ("nics", "--nics", "", "", ""),
                    ("scale_up", "--scale-up", "--server complete:n=2", "--scale-up", "there are no servers"),
                )
            },
        },
    ),
    "verify": ("proof.json", {}),
    "report": ("trial", {}),
    "cite": (
        "ksp",
        {
            **{
                name: Example(f"--{name} {value}")
                for name, value in {
                    "topology": "jellyfish",
                    "traffic": "kodialam",
                    "routing": "vlb",
                    "objective": "max-min",
                    "bound": "tub",
                    "workload": "each",
                    "size": "pfabric-web-search",
                    "collective": "two-level",
                    "transport": "dctcp",
                    "queue": "ecn",
                    "forwarding": "flowlet",
                    "preset": "pnet",
                    "architecture": "hybrid",
                }.items()
            }
        },
    ),
    "list": ("routings", {}),
    "sweep": (
        "trial",
        {
            "size": Example("--size quick"),
            "settings": Example("--set planes=4"),
            "cases": Example("--case two"),
            "draws": Example("--draws 2"),
            "seed": Example("--seed 5"),
            "vary": Example("--vary level=rack,host", base=VARIED, idle="--size quick --vary level=rack", says="or"),
            "question": Example("--question bounds", base=VARIED, idle="--question speed-up", says="'planes'"),
            "baseline": Example("--baseline planes=2", base=VARIED, idle="--baseline level=rack", says="does not vary"),
            "column": Example("--column nic_gbps", base=f"{VARIED} --question bounds"),
            "spread": Example("--spread standard-deviation", "--draws 2", base=f"{VARIED} --traffic permutation"),
        },
    ),
}
"""For every command its arguments, and an example for every option."""


def every_command() -> Iterator[tuple[str, Command]]:
    """Return every command, those beside others too, by what one types."""
    for name in commands():
        command = main.get_command(None, name)  # type: ignore[arg-type]
        assert isinstance(command, Command)
        yield name, command
        if isinstance(command, CommandFamily):
            yield from ((f"{name} {other}", command.load(other)) for other in command.others)


EXAMPLES = [
    pytest.param(command, one.base or base, one, id=f"{command} {name}")
    for command, (base, found) in CASES.items()
    for name, one in found.items()
]


@pytest.fixture(autouse=True)
def _files(here: Path) -> None:
    (here / "groups.yaml").write_text("groups: {row: {switches: ['0', '2']}}\n")
    # None of them on a switch of the group.
    (here / "metric.csv").write_text(METRICS)
    (here / "pairs.csv").write_text("src,dst,demand\nh1,h4,1\nh3,h5,1\n")
    (here / "mine.yaml").write_text("over: example\nentries: {switch: 1, ocs-port: 1}\n")
    (here / "loads.csv").write_text(
        "plane,u,v,kind,cable,capacity_gbps,load_gbps,utilisation,length\n"
        + "".join(f"0,{u},{v},core,{i},100,50,0.5,0\n" for i, u, v in RING for u, v in ((u, v), (v, u)))
    )
    (here / "trial").mkdir()
    (here / "trial" / "spec.yaml").write_text(
        "title: A trial\nbaseline: one\nquick: {cases: [two]}\ncommon: {topology: 'ring:n=6', traffic: permutation}\n"
        "cases:\n  one: {}\n  two: {planes: 2}\n  three: {planes: 3}\n"
    )


def answer(*arguments: str) -> Any:
    """Return the exit code, and the document on stdout but for its timings."""
    result = CliRunner().invoke(main, [*arguments, "--json"], prog_name="pnet-lp")
    assert result.exit_code in {0, 2, 3}, result.output
    return result.exit_code, timeless(json.loads(result.stdout)) if result.stdout else None


@functools.cache
def without(*arguments: str) -> Any:
    """Return the document without an option, the same for many of them: all tests have the same files."""
    return answer(*arguments)[1]


def timeless(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: timeless(value) for key, value in document.items() if key != "seconds"}
    return [timeless(item) for item in document] if isinstance(document, list) else document


def test_every_option_has_an_example() -> None:
    for name, command in every_command():
        options = {str(param.name) for param in command.params if isinstance(param, click.Option)}
        expected = {option for option in options if not {option, f"{name} {option}"} & PRESENTATION}
        assert set(CASES[name][1]) == expected, name


@pytest.mark.parametrize(("command", "base", "example"), EXAMPLES)
def test_every_option_changes_the_answer(command: str, base: str, example: Example) -> None:
    arguments = shlex.split(f"{command} {base} {example.beside}")
    code, changed = answer(*arguments, *shlex.split(example.given))
    assert code == 0
    assert changed != without(*arguments)


FAMILIES = [
    *(
        f"--routing {one}"
        for one in ("ideal", "ecmp", "ecmp-lp", "ecmp-split", "ksp:1", "ksp:2", "edge-disjoint:2", "vlb")
    ),
    *(f"--objective {one}" for one in ("total", "max-min", "min-max-utilisation", "min-cost:fraction=0.5")),
    "--objective total --routing ecmp",
    "--objective max-min --routing ecmp-split",
    "--objective max-min-fill --routing ecmp",
    "--objective max-min-fill --routing ksp:1",
    "--objective min-cost:fraction=0.5 --routing vlb",
    "--objective min-max-utilisation --routing ksp:2",
]
"""A routing of every family; an objective of every family, where it leaves something to solve and where not."""

BESIDE = {
    "throughput": [f"{RANDOM} --traffic permutation {family}" for family in FAMILIES]
    + [f"{STATED} --traffic stride:s=1 {family}" for family in FAMILIES[:3]],
    "bounds": [RANDOM, CUT, f"{RANDOM} --solve", f"{RANDOM} --bound tub --traffic stride:s=1"],
    "topology": [RANDOM, CUT, "ring:n=6"],
    "traffic": [
        f"{one} --on {net}" for one in ("permutation", "stride:s=1", "longest-matching") for net in (RANDOM, STATED)
    ],
    "paths": [f"{RANDOM} --stats {family}" for family in FAMILIES[1:7]] + [f"{STATED} --pair h0 h5 --routing ksp:2"],
    "hops": [RANDOM, STATED, f"{RANDOM} --fail-links 0.3", f"{RANDOM} --sweep 0,0.2", f"{STATED} --rpc-bytes 9"],
    "cost": [f"topology:{RANDOM}", f"topology:{CUT}", f"topology:{RANDOM} --traffic permutation"],
}
"""For every command that builds a network, arguments of all kinds beside which its options are given."""

SETTLING = {"seed", "plane_policy", "variant", "tolerance", "time_limit_s"}
"""Options that are accepted where there is nothing to settle: nothing drawn, one plane, nothing solved."""

# Identical planes are equally near, and a small network can lose links without a loss.
MAY_COINCIDE = {"hops": {"fail_planes", "fail_links", "trials"}}
"""Options that need not change the numbers of networks so small."""

ECHOED = {"objective", "plane_policy", "routing", "routing_seed", "seed", "tolerance"}
"""Keys of a document that repeat what was asked."""


def heard(document: Any) -> Any:
    """Return a document without what only repeats the options."""
    if isinstance(document, dict):
        return {key: heard(value) for key, value in document.items() if key not in ECHOED}
    return [heard(item) for item in document] if isinstance(document, list) else document


PLANES = ["", "--planes 2", "--planes 2 --variant serial-high"]
WALK = [
    (command, base, planes)
    for command, bases in BESIDE.items()
    for number, base in enumerate(bases)
    # Of several planes more is left open than of one: a command's first base is enough for the others.
    for planes in (PLANES if number == 0 else PLANES[1:2])
]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "base", "planes"), WALK)
def test_every_option_means_something_beside_all_others(command: str, base: str, planes: str) -> None:
    without = shlex.split(f"{command} {base} {planes}")
    code, plain = answer(*without)
    assert code == 0
    for name, one in CASES[command][1].items():
        flag = one.given.split()[0]
        if flag in without:
            continue
        result = CliRunner().invoke(main, [*without, *shlex.split(one.given), "--json"], prog_name="pnet-lp")
        if name == "solver":
            nothing_to_solve = plain["solver"] == "closed-form"
            assert (result.exit_code == 2) == nothing_to_solve, (name, result.output)
        elif result.exit_code == 2:
            assert result.stdout == ""
            assert result.stderr.count("\n") <= 4, result.stderr
        else:
            assert result.exit_code == 0, (name, result.output)
            changed = heard(timeless(json.loads(result.stdout)))
            may_coincide = SETTLING | MAY_COINCIDE.get(command, set())
            assert name in may_coincide or changed != heard(plain), f"{one.given} is ignored"


@pytest.mark.parametrize(("command", "base", "example"), [one for one in EXAMPLES if one.values[2].idle])
def test_what_has_no_meaning_is_refused(run: Run, command: str, base: str, example: Example) -> None:
    refused = run(*shlex.split(f"{command} {base} {example.idle}"), code=2)
    assert refused.stdout == ""
    assert example.says in refused.stderr


@pytest.mark.parametrize("name", [*NETWORK, "ports", "separate"])
def test_an_architecture_takes_no_options_of_a_topology(run: Run, name: str) -> None:
    one = COST[name]
    refused = run(*shlex.split(f"cost hybrid {one.given} {one.beside}"), code=2).stderr
    assert any(text in refused for text in ("the architecture 'hybrid'", "nothing is drawn"))


@pytest.mark.parametrize("options", ["--routing ecmp", "--routing ecmp --objective max-min-fill"])
def test_a_solver_for_what_needs_none_is_refused(run: Run, options: str) -> None:
    refused = run(*shlex.split(f"throughput {RANDOM} --solver highs-ipx {options}"), code=2)
    assert "--solver" in refused.stderr
