"""Simulations to read, as tables and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
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
from pnet_lp.tables import NETWORK_FACT, WARNINGS, Columns, Document, Report, facts, table_of, write_table
from pnet_lp.workload.sentences import drawn_sizes, offered_load
from pnet_lp.writing import check_folder, naming_output, write_json

if TYPE_CHECKING:
    import pyarrow as pa

_FIRST, _MANIFEST = "flows.parquet", "manifest.json"
"""What a run writes first into its folder, and last."""

_FLOWS = (
    "{flows[completed]:,} of {total:,} complete[[several? in {several} runs]]"
    "[[early?; ended at {simulated_us:us} of simulated time: {end}]]"
)
_ONE_JOB = "{job_us[max]:us} from its first start to its last end"
_GOODPUT = (
    "[[goodput_gbps[mean]?{goodput_gbps[mean]:.4g} Gb/s a flow ({goodput_gbps[min]:.4g} to {goodput_gbps[max]:.4g}), "
    "{goodput_gbps[share_of_access]:.3g %} of a host's links; {goodput_gbps[total]:.4g} Gb/s in all]]"
)
_RATES = (
    "{warm_up[mean_rate_gbps]:.4g} Gb/s a flow ({warm_up[min_rate_gbps]:.4g} to {warm_up[max_rate_gbps]:.4g}), "
    "{warm_up[total_gbps]:.4g} Gb/s in all, after a warm-up of {warm_up_us:us}"
)
_NO_RATES = "no flow lasts longer than the warm-up of {warm_up_us:us}"
_PACKETS = (
    "{packets[sent]:,} sent, {packets[dropped]:,} dropped[[packets[lost]? ({packets[lost]:,} on links that were "
    "down)]], {packets[in_flight]:,} in flight; of {packets[data]:,} with data {retransmitted:,} retransmitted "
    "({retransmitted_share:.3g %}), {reordered_share:.3g %} out of order"
)
_LOSSES = (
    "{fast_retransmits:,} fast retransmits, {timeouts:,} timeouts"
    "[[packets[marked]?, {packets[marked]:,} packets marked]]"
)
_WORKLOAD = (
    "{workload[label]}: {workload[flows]:,} flows, {workload[bytes]:,} bytes[[several? in the first run]]{drawn}"
)
_SIMULATED = "{simulated_us:us}, {events:,} events in {seconds:.2f} s ({speed:.3g} M events/s)"
_SHARING = {
    "single": ", one path a flow",
    "even": ", flows split evenly over their paths",
    "best": ", flows split optimally over their paths",
}


def report(document: Document) -> Report:
    """Return a simulation, given as its document, as lines and a table to read."""
    flows, workload, planes = document["flows"], document["workload"], document["network"]["planes"]
    fluid, several, warm_up = document["model"] == "fluid", len(document["runs"]) > 1, document.get("warm_up")
    each = " in the first run" if several else ""
    known = {
        **document,
        "total": flows["completed"] + flows["unfinished"],
        "several": several and len(document["runs"]),
        "early": document["end"] != "complete",
        "simulated_us": document["simulated_s"] * 1e6,
        "speed": document["events"] / max(document["seconds"], 1e-9) / 1e6,
        "each": each,
        "drawn": drawn_sizes(workload),
    }
    if warm_up:
        known["warm_up_us"] = warm_up["simulated_s"] * 1e6
    if not fluid:
        known["retransmitted_share"] = document["retransmitted"] / max(document["packets"]["data"], 1)
    shared = _SHARING.get(document.get("sharing", ""), " among {subflows} subflows of each flow")
    sent_by = [row["transport"] for row in document.get("transports", ())] or [document.get("transport", "")]
    shares = ", ".join(f"{p}: {100 * share:.3g} %" for p, share in enumerate(document["plane_shares"]))
    if "server_share" in document:
        shares += f", inside servers: {100 * document['server_share']:.3g} %"
    grid = facts(
        known,
        ("flows", _FLOWS),
        ("unfinished", [_named(row, several=several) for row in document["stuck"]]),
        ("completion", _spread("fct_us", "us")),
        ("tasks", _spread("tasks_us", "us")),
        ("job", _spread("job_us", "us") if several else f"[[job_us[mean]?{_ONE_JOB}]]"),
        ("slowdown", _spread("slowdown", ".4g")),
        ("goodput", _GOODPUT),
        ("rates", "" if not warm_up else _NO_RATES if warm_up["mean_rate_gbps"] is None else _RATES),
        *([] if fluid else [("packets", _PACKETS), ("losses", _LOSSES)]),
        ("planes", [shares] if planes > 1 else []),
        ("limited by", "" if fluid else "{limited_by}"),
        ("", " "),
        ("network", f"{NETWORK_FACT}; {{link_delay}} a link"),
        ("workload", _WORKLOAD),
        ("load", [offered_load(workload["offered"]) + each] if workload["offered"] else []),
        ("model", f"fluid, max-min fair{shared}, correction {{correction}}" if fluid else ""),
        ("transport", "" if fluid else f"{' and '.join(sent_by)}, packets of {{packet}} B"),
        ("queues", "" if fluid else "{queue}"),
        ("of hosts", "" if fluid or document["host_queue"] == document["queue"] else "{host_queue}"),
        ("paths", "{forwarding}, plane policy {plane_policy}"),
        ("simulated", _SIMULATED),
        WARNINGS,
    )
    parts: Report = [grid]
    if document["stages"]:
        parts += ["", table_of(document["stages"], *_STAGES, texts=("stage",))]
    if "transports" in document:
        parts += ["", table_of(document["transports"], *_TRANSPORTS, texts=("transport",))]
    if len(by_size := document["slowdown"]["by_size"]) > 1:
        parts += ["", table_of(by_size, *_SIZES)]
    if links := document["busiest" if fluid else "queues"]:
        where = ("busiest links" if fluid else "fullest queues", partial(_where, several=planes > 1))
        parts += ["", table_of(links, where, *(_LINKS if fluid else _QUEUES), texts=where[:1])]
    return parts


_STAGES = (
    ("stage", "{stage}"),
    ("in all", "{stage_us[mean]:-|us}"),
    ("tasks complete", "{tasks:,}"),
    ("a task", "{tasks_us[mean]:-|us}"),
    ("median", "{tasks_us[p50]:-|us}"),
    ("99 %", "{tasks_us[p99]:-|us}"),
    ("at most", "{tasks_us[max]:-|us}"),
)
_TRANSPORTS = (
    ("transport", "{transport}"),
    ("flows", "{flows:,}"),
    ("complete", "{completed:,}"),
    ("completion", "{fct_us[mean]:-|us}"),
    ("median", "{fct_us[p50]:-|us}"),
    ("99 %", "{fct_us[p99]:-|us}"),
    ("slowdown", "{slowdown[mean]:-|.4g}"),
    ("goodput, Gb/s", "{goodput_gbps[mean]:-|.4g}"),
)
_SIZES = (
    ("bytes", lambda row: f"{row['from_bytes']:,} to {row['below_bytes'] - 1:,}"),
    ("flows", "{flows:,}"),
    ("slowdown", "{mean:.4g}"),
    ("median", "{p50:.4g}"),
    ("99 %", "{p99:.4g}"),
    ("at most", "{max:.4g}"),
)
_LINKS = (("utilisation", "{utilisation:.3g %}"),)
_QUEUES = (
    ("packets at most", "{longest_packets:,}"),
    ("on average", "{mean_packets:.3g}"),
    ("dropped", "{dropped:,}"),
    ("link busy", "{utilisation:.3g %}"),
)


def _spread(key: str, form: str) -> str:
    """Return a template of the mean, percentiles and maximum of what is called ``key`` in a document."""
    words = {"mean": "{} on average", "p50": "median {}", "p90": "90 % {}", "p99": "99 % {}", "p99_9": "99.9 % {}"}
    shown = [text.format(f"{{{key}[{share}]:{form}}}") for share, text in {**words, "max": "at most {}"}.items()]
    return f"[[{key}[mean]?{', '.join(shown)}]]"


def _named(row: Document, *, several: bool) -> str:
    """Return why flows can never be complete, and the first of them."""
    named = [f"{one['flow']}" + (f" (seed {one['seed']})" if several else "") for one in row["first"]]
    more = ", ..." if row["flows"] > len(named) else ""
    return f"{row['flows']:,} {row['cause']}: flow{'s' if row['flows'] > 1 else ''} {', '.join(named)}{more}"


def _where(row: Document, *, several: bool) -> str:
    return f"{row['link'][0]} -> {row['link'][1]}" + (
        f", plane {row['plane']}" if several and row["plane"] is not None else ""
    )


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
