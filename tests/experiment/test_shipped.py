"""Every shipped experiment runs, at reduced size; the multipath figures say what the paper says, at full size."""

import functools
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from pnet_lp.experiment import Experiment, Record, Store, load_experiment, run_experiment
from pnet_lp.experiment.claims import Verdict
from pnet_lp.questions.base import Case
from pnet_lp.questions.keys import NetworkKeys
from pnet_lp.report.chart import write_chart
from pnet_lp.report.claims import compare_claims
from pnet_lp.report.experiment import compare, draw_table, result_table
from pnet_lp.sim import FlowSettings

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
SHIPPED = sorted(path.parent.name for path in EXPERIMENTS.glob("*/spec.yaml"))


SMALL: dict[str, dict[str, Any]] = {
    "hybrid-speedup": {"servers": 256, "search": 1},
    # Closed forms, whose size costs nothing.
    "hybrid-cost": {},
    "fluid-error": {"topologies": ("fat-tree:k=4",), "flows": 50, "draws": 1},
    "table1-components": {},
    # Its networks are files.
    "pnet-artifact-planes": {"topology": ("jellyfish:k=4",)},
    "packets-concurrent-rpc": {"workload": "rpc:request=10kB,rounds=2,clients=2"},
    "packets-concurrent-rpc-artifact": {"workload": "rpc:response=10kB,rounds=1,clients=2,server=paired"},
    "packets-traces": {"workload": "closed-loop:sizes=10kB,loops=1,rounds=2,warm_up=1"},
    "packets-web-search": {"workload": "closed-loop:sizes=10kB,loops=1,rounds=2,warm_up=1"},
    "packets-web-search-busy": {"workload": "closed-loop:sizes=10kB,loops=1,rounds=2,warm_up=1"},
    # Its flows are files.
    "packets-ns3": {"topology": ("single-switch:hosts=4",), "workload": "incast:senders=2,sizes=10kB"},
    # Their flows are over before they begin to count.
    "packets-hedera": {"warm_up": 0},
    "packets-mptcp": {"warm_up": 0},
    # One of its networks has no radix k.
    "throughput-under-failures": {"topology": ("jellyfish:k=4",), "trials": 2},
    # Its hosts are those of the large network.
    "packets-short-flow": {"workload": "incast:senders=3,sizes=100kB,to=0"},
    "packets-hadoop": {"workload": "hadoop:data=4MB,mappers=4,reducers=4,block=500kB", "event_limit": None},
    "packets-hadoop-artifact": {
        "workload": "hadoop:data=4MB,mappers=4,reducers=4,block=500kB,workers=packed,blocks=hashed,shuffle=in-turn",
        "event_limit": None,
    },
    "packets-hadoop-shuffle": {
        "workload": "hadoop:data=4MB,mappers=4,reducers=4,workers=packed,shuffle=in-turn,turns=free,stage=shuffle",
        "event_limit": None,
    },
}
"""By experiment, keys that make its networks small where these are not of a radix k, or its flows few."""


STUDIES = {
    "mixed-planes": ("4-trees-*",),
    "cluster-deepseek-rails": ("planes-ends-groups-size-64-of-all-to-all",),
    "cluster-ecmp": ("flows-4", "optimum"),
    "cluster-hpn": ("one-segment",),
    "cluster-hyperx": ("hyperx-16384-longest-matching",),
    "cluster-mrc": ("plane-all-to-all", "intact-all-to-all"),
    "cluster-rail-only": ("a100-8-steps", "a100-8-any-to-any"),
    "cluster-spectrum-x": ("planes-worst-0.1",),
    "cluster-twisted-torus": ("torus-4x4x8", "twisted-4x4x8"),
    "multi-plane-2026": ("8-planes-8192-all-to-all",),
    "multi-plane-2026-failures": ("8-planes-permutation-planes-0",),
    "multi-plane-2026-plane-lost": ("mrc-100",),
    "multi-plane-2026-transports": ("8-planes-permutation-nscc-0",),
    "multi-plane-2026-hops": ("3-tiers-links-0.05", "3-tiers"),
    "throughput-per-dollar": ("fat-tree", "leaf-spine"),
}
"""By experiment whose networks are of many families, the quick cases that are run here."""


MANY = 12
"""Cases of which a draw each is enough."""


def shrunk(case: Case, name: str, cases: int) -> Case:
    """Return the case with networks of radix 4, or those of :data:`SMALL`, few small flows, and at most 2 draws."""
    changes = {"draws": min(case.draws, 2 if cases < MANY else 1), **SMALL.get(name, {})}
    if isinstance(case, NetworkKeys) and "topology" not in changes:
        assert all("k=" in text for text in case.topology)
        changes["topology"] = tuple(re.sub(r"\bk=\d+", "k=4", text) for text in case.topology)
    elif getattr(case, "job", False):
        changes = {"search": 1}
    if isinstance(case, FlowSettings):
        flows = case.workload and re.sub(r"\b(flows|rounds)=\d+", r"\1=5", case.workload)
        changes = {"workload": flows, "event_limit": 30_000, **changes, "flow_size": case.flow_size and "100kB"}
    return case.model_copy(update=changes)


@pytest.mark.parametrize("name", [name for name in SHIPPED if name not in STUDIES])
def test_at_reduced_size(name: str, tmp_path: Path) -> None:
    full = load_experiment(EXPERIMENTS / name, size="quick")
    experiment = full.model_copy(
        update={"cases": {key: shrunk(case, name, len(full.cases)) for key, case in full.cases.items()}}
    )
    records = list(run_experiment(experiment, Store(tmp_path)))
    rows = compare(experiment, records)
    assert [row.case for row in rows] == list(experiment.cases)
    assert {row.status for row in rows} <= {"certified", "exact"}
    assert all(row.shown.value > 0 for row in rows)
    assert experiment.baseline is None or all(row.percent is not None and row.percent > 0 for row in rows)
    assert experiment.claimed
    told = [claim for claim in experiment.claimed.claims if claim.missing(experiment.cases) is None]
    assert [item.claim for item in compare_claims(experiment, records)] == told
    write_chart(experiment, rows, compare_claims(experiment, records), tmp_path / "chart.png")
    for table in (result_table(rows), draw_table(experiment, records)):
        assert len({len(column) for column in table.values()}) == 1


@pytest.mark.parametrize("name", STUDIES)
def test_studies_of_our_own(name: str, tmp_path: Path) -> None:
    """They run, are proved and drawn, and nothing is concluded from so few cases."""
    experiment = load_experiment(EXPERIMENTS / name, size="quick").reduced(draws=1, cases=STUDIES[name])
    records = list(run_experiment(experiment, Store(tmp_path)))
    assert {record.status for record in records} <= {"certified", "exact"}
    rows = compare(experiment, records)
    claims = compare_claims(experiment, records)
    assert claims
    assert {claim.judgement.verdict for claim in claims} == {"not comparable"}
    write_chart(experiment, rows, claims, tmp_path / "chart.png")


UNLIKE: dict[str, dict[str, Verdict]] = {
    # Two draws of the paper's program, far from the mean of many.
    "multipath-fat-tree-permutation": {
        "ECMP gains minimally, even with 8 planes": "not comparable",
        "2 planes, worst flow": "differs",
        "4 planes, worst flow": "trend only",
        "8 planes, worst flow": "differs",
    },
    # Whole programs beside their communication.
    "hybrid-speedup": dict.fromkeys(
        ("programs end up to 30 % sooner than on the 1:25 tree", "programs end up to 35 % sooner than on the 1:4 tree"),
        "not comparable",
    ),
    # By the paper's own prices.
    "hybrid-cost": {"6 links a rack cost as much as a 1:25 tree": "differs"},
    # Its paths are not the 8 shortest.
    "multipath-jellyfish-permutation": {
        "8 paths over 2 graphs": "trend only",
        "8 paths do not fill 4 graphs": "trend only",
    },
}
"""Claims that do not agree, by experiment."""


FIGURES = [
    ("hops-under-failures", 3, ["serial-0", "serial-0.2", "*-4x-0.2"]),
    ("hybrid-cost", 1, ["*"]),
    ("hybrid-speedup", 1, ["job-*"]),
    ("multipath-fat-tree-all-to-all", 2, ["*"]),
    ("multipath-fat-tree-permutation", 10, ["*"]),
    ("multipath-fat-tree-saturation", 6, ["1x-ksp-4", "1x-ksp-8"]),
    ("multipath-fat-tree-saturation", 1, ["2x-ksp-8", "2x-ksp-16", "4x-ksp-16", "4x-ksp-32"]),
    ("multipath-jellyfish-all-to-all", 1, ["*"]),
    ("multipath-jellyfish-permutation", 4, ["*x"]),
    ("multipath-jellyfish-saturation", 1, ["1x-ksp-8", "het*-2x-ksp-8", "het*-2x-ksp-16", "het*-4x-ksp-??"]),
    ("pnet-artifact-planes", 1, ["*"]),
    ("table1-components", 1, ["*"]),
]
"""Experiments with draws and cases of theirs, at the size of the paper."""


@functools.cache
def computed(name: str, draws: int, *cases: str) -> tuple[Experiment, list[Record]]:
    """Return some draws and cases of an experiment at the size of the paper, and their records."""
    experiment = load_experiment(EXPERIMENTS / name).reduced(draws=draws, cases=cases)
    with TemporaryDirectory() as folder:
        return experiment, list(run_experiment(experiment, Store(Path(folder))))


@pytest.mark.parametrize(("name", "draws", "cases"), FIGURES)
def test_published_figures(name: str, draws: int, cases: list[str]) -> None:
    experiment, records = computed(name, draws, *cases)
    claims = compare_claims(experiment, records)
    assert claims
    others = {claim.claim.statement: claim.judgement.verdict for claim in claims if not claim.agrees}
    assert others == UNLIKE.get(name, {})


def test_all_to_all_fills_every_access_link() -> None:
    """Figure 8a is fully determined: 10 Gb/s over the 127 other hosts, in each plane."""
    experiment, records = computed("multipath-jellyfish-all-to-all", 1, "*")
    for record in records:
        planes = experiment.cases[record.case].model_dump()["planes"]
        assert record.mean().lower == pytest.approx(planes * 10 / 127, rel=1e-3)
        assert record.mean().upper >= planes * 10 / 127 * (1 - 1e-9)
