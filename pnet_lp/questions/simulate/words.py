"""Simulations to read, as tables and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pnet_lp.errors import OutputError
from pnet_lp.extras import need
from pnet_lp.manifest import environment
from pnet_lp.questions.simulate.answer import SimulateAnswer
from pnet_lp.questions.simulate.case import SimulateCase
from pnet_lp.questions.simulate.fct import write_fct  # noqa: F401 - looked up by name
from pnet_lp.questions.simulate.plot import write_plot  # noqa: F401 - looked up by name
from pnet_lp.sim import SimulationResult
from pnet_lp.tables import Columns, Document, Report, fact_grid, table_of, write_table
from pnet_lp.units import format_us
from pnet_lp.workload.sentences import drawn_sizes, offered_load
from pnet_lp.writing import check_folder, naming_output, write_json

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

_FIRST, _MANIFEST = "flows.parquet", "manifest.json"
"""What a run writes first into its folder, and last."""

_TIMES = ("mean", "p50", "p90", "p99", "p99_9", "max")


def report(document: Document) -> Report:
    """Return a simulation, given as its document, as lines and a table to read."""
    grid = fact_grid()
    flows, network = document["flows"], document["network"]
    total = flows["completed"] + flows["unfinished"]
    several = len(document["runs"]) > 1
    runs = f" in {len(document['runs'])} runs" if several else ""
    grid.add_row("flows", f"{flows['completed']:,} of {total:,} complete{runs}{_ended(document)}")
    for row in document["stuck"]:
        grid.add_row("unfinished", _named(row, several=several))
    for key, label in (("fct_us", "completion"), ("tasks_us", "tasks"), ("job_us", "job"), ("slowdown", "slowdown")):
        if document[key] and document[key]["mean"] is not None:
            alone = key == "job_us" and not several
            shown = f"{format_us(document[key]['max'])} from its first start to its last end" if alone else ""
            grid.add_row(label, shown or _spread(document[key], "" if key == "slowdown" else "time"))
    goodput = document["goodput_gbps"]
    if goodput["mean"] is not None:
        grid.add_row(
            "goodput",
            f"{goodput['mean']:.4g} Gb/s a flow ({goodput['min']:.4g} to {goodput['max']:.4g}), "
            f"{_percent(goodput['share_of_access'])} of a host's links; {goodput['total']:.4g} Gb/s in all",
        )
    if warm_up := document.get("warm_up"):
        grid.add_row("rates", _after_warm_up(warm_up))
    fluid = document["model"] == "fluid"
    if not fluid:
        _add_packets(grid, document)
    if len(document["plane_shares"]) > 1:
        grid.add_row("planes", ", ".join(f"{p}: {_percent(s)}" for p, s in enumerate(document["plane_shares"])))
    if not fluid:
        grid.add_row("limited by", document["limited_by"])
    grid.add_row("", "")
    grid.add_row(
        "network",
        f"{network['planes']} {'plane' if network['planes'] == 1 else 'planes'} ({network['variant']}), "
        f"{network['switches']:,} switches, {network['hosts']:,} hosts; {document['link_delay']} a link",
    )
    workload = document["workload"]
    each = " in the first run" if several else ""
    grid.add_row(
        "workload",
        f"{workload['label']}: {workload['flows']:,} flows, {workload['bytes']:,} bytes{each}" + drawn_sizes(workload),
    )
    if workload["offered"]:
        grid.add_row("load", offered_load(workload["offered"]) + each)
    if fluid:
        grid.add_row("model", f"{_shared(document)}, correction {document['correction']}")
    else:
        grid.add_row("transport", f"{document['transport']}, packets of {document['packet']} B")
        grid.add_row("queues", document["queue"])
    grid.add_row("paths", f"{document['forwarding']}, plane policy {document['plane_policy']}")
    seconds = document["seconds"]
    grid.add_row(
        "simulated",
        f"{format_us(document['simulated_s'] * 1e6)}, {document['events']:,} events in {seconds:.2f} s "
        f"({document['events'] / max(seconds, 1e-9) / 1e6:.3g} M events/s)",
    )
    for warning in document["warnings"]:
        grid.add_row("warning", warning)
    parts: Report = [grid]
    if document["stages"]:
        parts += ["", _stage_table(document["stages"])]
    if len(document["slowdown"]["by_size"]) > 1:
        parts += ["", _size_table(document["slowdown"]["by_size"])]
    if fluid and document["busiest"]:
        parts += [
            "",
            table_of(
                document["busiest"],
                ("busiest links", lambda row: _where(row, network["planes"])),
                ("utilisation", lambda row: _percent(row["utilisation"])),
                texts=("busiest links",),
            ),
        ]
    if not fluid and document["queues"]:
        parts += ["", _queue_table(document["queues"], planes=network["planes"])]
    return parts


def _add_packets(grid: Table, document: Document) -> None:
    packets = document["packets"]
    lost = f" ({packets['lost']:,} on links that were down)" if packets["lost"] else ""
    grid.add_row(
        "packets",
        f"{packets['sent']:,} sent, {packets['dropped']:,} dropped{lost}, {packets['in_flight']:,} in flight; "
        f"of {packets['data']:,} with data {document['retransmitted']:,} retransmitted "
        f"({_percent(document['retransmitted'] / max(packets['data'], 1))}), "
        f"{_percent(document['reordered_share'])} out of order",
    )
    marked = f", {packets['marked']:,} packets marked" if packets["marked"] else ""
    grid.add_row(
        "losses", f"{document['fast_retransmits']:,} fast retransmits, {document['timeouts']:,} timeouts{marked}"
    )


def _shared(document: Document) -> str:
    """Return how flows of a fluid share links."""
    return {
        "single": "fluid, max-min fair, one path a flow",
        "even": "fluid, max-min fair, flows split evenly over their paths",
        "best": "fluid, max-min fair, flows split optimally over their paths",
        "subflows": f"fluid, max-min fair among {document.get('subflows')} subflows of each flow",
    }[document["sharing"]]


def table(answer: SimulateAnswer) -> Columns:
    """Return one row for each flow; those of several runs begin with the run's number and seed."""
    return _columns([result.flows for result in answer.results], answer.results)


def check_places(_: SimulateCase, places: Mapping[str, Path]) -> None:
    """Raise PnetError where what writes a file is not installed, or where records could not be told from others."""
    for key in ("records", "out"):
        if key in places:
            need("pyarrow", key)
    if "records" in places:
        check_records(places["records"])


def check_records(folder: Path) -> None:
    """Raise OutputError where records of another run lie in ``folder``: of two runs nobody could tell what is whose."""
    for name in (_MANIFEST, _FIRST):
        if (folder / name).exists():
            raise OutputError(f"holds {name} of another run", where=str(folder), allowed="an empty or a new folder")


def write_records(answer: SimulateAnswer, folder: Path) -> None:
    """Write flows, ports and traces as Parquet and a manifest into a folder, which is made where it is missing.

    The manifest is written last, and tells what the records depend on: settings, code, versions, machine.

    Raises:
        OutputError: they cannot be written, or would mix with those of another run.
    """
    results = answer.results
    check_folder(folder)
    check_records(folder)
    with naming_output(folder):
        folder.mkdir(parents=True, exist_ok=True)
    tables = {
        "flows": [result.flows for result in results],
        "ports": [result.ports for result in results],
        **{
            sort: [result.trace(sort) for result in results]
            for sort in results[0].traces
            if any(len(result.traces[sort]["time_ps"]) for result in results)
        },
    }
    for name, found in tables.items():
        write_table(_columns(found, results), folder / f"{name}.parquet")
    manifest = {**environment(), "simulation": answer.to_json(), "files": [f"{name}.parquet" for name in tables]}
    write_json(folder / _MANIFEST, manifest)


def _columns(tables: Sequence[pa.Table], results: Sequence[SimulationResult]) -> Columns:
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    table = pa.concat_tables(tables)
    columns = {name: table.column(name) for name in table.column_names}
    if len(results) == 1:
        return columns
    rows = [found.num_rows for found in tables]
    runs = np.repeat(np.arange(len(results)), rows)
    return {"run": runs, "seed": np.repeat([result.seed for result in results], rows), **columns}


def _ended(document: Document) -> str:
    if document["end"] == "complete":
        return ""
    at = format_us(document["simulated_s"] * 1e6)
    return f"; ended at {at} of simulated time: {document['end']}"


def _named(row: Document, *, several: bool) -> str:
    """Return why flows can never be complete, and the first of them."""
    named = [f"{one['flow']}" + (f" (seed {one['seed']})" if several else "") for one in row["first"]]
    more = ", ..." if row["flows"] > len(named) else ""
    return f"{row['flows']:,} {row['cause']}: flow{'s' if row['flows'] > 1 else ''} {', '.join(named)}{more}"


def _spread(values: Mapping[str, float], unit: str) -> str:
    shown = {key: format_us(values[key]) if unit else f"{values[key]:.4g}" for key in _TIMES}
    return (
        f"{shown['mean']} on average, median {shown['p50']}, 90 % {shown['p90']}, 99 % {shown['p99']}, "
        f"99.9 % {shown['p99_9']}, at most {shown['max']}"
    )


def _stage_table(stages: Sequence[Document]) -> Table:
    def time(us: float | None) -> str:
        return "-" if us is None else format_us(us)

    return table_of(
        stages,
        ("stage", "{stage}"),
        ("in all", lambda row: time(row["stage_us"]["mean"])),
        ("tasks complete", "{tasks:,}"),
        ("a task", lambda row: time(row["tasks_us"]["mean"])),
        ("median", lambda row: time(row["tasks_us"]["p50"])),
        ("99 %", lambda row: time(row["tasks_us"]["p99"])),
        ("at most", lambda row: time(row["tasks_us"]["max"])),
        texts=("stage",),
    )


def _size_table(classes: Sequence[Document]) -> Table:
    return table_of(
        classes,
        ("bytes", lambda row: f"{row['from_bytes']:,} to {row['below_bytes'] - 1:,}"),
        ("flows", "{flows:,}"),
        ("slowdown", "{mean:.4g}"),
        ("median", "{p50:.4g}"),
        ("99 %", "{p99:.4g}"),
        ("at most", "{max:.4g}"),
    )


def _queue_table(queues: Sequence[Document], *, planes: int) -> Table:
    return table_of(
        queues,
        ("fullest queues", lambda row: _where(row, planes)),
        ("packets at most", "{longest_packets:,}"),
        ("on average", "{mean_packets:.3g}"),
        ("dropped", "{dropped:,}"),
        ("link busy", lambda row: _percent(row["utilisation"])),
        texts=("fullest queues",),
    )


def _where(row: Document, planes: int) -> str:
    return f"{row['link'][0]} -> {row['link'][1]}" + (f", plane {row['plane']}" if planes > 1 else "")


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _after_warm_up(rates: Document) -> str:
    warm_up = format_us(rates["simulated_s"] * 1e6)
    if rates["mean_rate_gbps"] is None:
        return f"no flow lasts longer than the warm-up of {warm_up}"
    spread = f"{rates['min_rate_gbps']:.4g} to {rates['max_rate_gbps']:.4g}"
    return (
        f"{rates['mean_rate_gbps']:.4g} Gb/s a flow ({spread}), {rates['total_gbps']:.4g} Gb/s in all, "
        f"after a warm-up of {warm_up}"
    )
