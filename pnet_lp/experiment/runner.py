"""Runs an experiment's cases one after another, each stored as soon as it is done."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

from pnet_lp import __version__
from pnet_lp.experiment.spec import Case, Experiment
from pnet_lp.experiment.store import Record, Store
from pnet_lp.files import json_text
from pnet_lp.model.arrays import fingerprint
from pnet_lp.throughput import Progress, solve
from pnet_lp.throughput.objectives import check_storable
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

Watch: TypeAlias = Callable[[str], AbstractContextManager[Callable[[Progress], None] | None]]
"""Given a case's name, returns a context manager around its solve whose value is the solve's
``on_progress``."""


def _unwatched(_: str) -> AbstractContextManager[None]:
    return nullcontext()


def run_experiment(
    experiment: Experiment, store: Store, *, resume: bool = True, threads: int = 0, watch: Watch = _unwatched
) -> Iterator[Record]:
    """Yield the record of each case, in order.

    A case that the store already holds, for the same settings, network, traffic and version of this
    package, is not solved again.  An interrupted solve is not stored.

    Args:
        experiment: what to run.
        store: where the records go.
        resume: whether to reuse stored records.
        threads: of each solve; 0 for all cores.  Not a setting: results do not depend on it.
        watch: shows the progress of a solve.

    Raises:
        KeyboardInterrupt: the user stopped a solve; the records yielded so far are stored.
        PnetError: a case cannot be built or solved.
    """
    store.write_manifest(experiment.model_dump(mode="json"))
    for name, case in experiment.cases.items():
        yield _run_case(name, case, store, resume=resume, threads=threads, watch=watch)


def _run_case(name: str, case: Case, store: Store, *, resume: bool, threads: int, watch: Watch) -> Record:
    check_storable(case.objective)
    network = build_network(
        case.topology,
        planes=case.planes,
        variant=case.variant,
        link_gbps=case.link_gbps,
        hosts_per_switch=case.hosts_per_switch,
        seed=case.seed,
    )
    traffic = build_traffic(case.traffic, network, case.level, seed=case.seed)
    settings = case.model_dump(mode="json")
    # Network and traffic enter by content, so that a changed topology file counts as a changed case.
    identity = fingerprint(
        ["record/1", __version__, json_text(settings), network.fingerprint, traffic.fingerprint]
    )
    if resume and (record := store.find(name, identity)):
        return record
    with watch(name) as on_progress:
        result = solve(
            network,
            traffic,
            objective=case.objective,
            routing=case.routing,
            solver=case.solver,
            tolerance=case.tolerance,
            threads=threads,
            time_limit_s=math.inf if case.time_limit_s is None else case.time_limit_s,
            on_progress=on_progress,
        )
    if result.interrupted:
        raise KeyboardInterrupt
    return store.add(
        name, fingerprint=identity, settings=settings, network=network, traffic=traffic, result=result
    )
