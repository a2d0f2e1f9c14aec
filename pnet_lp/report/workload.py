"""What a workload is, as a document and as lines to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pnet_lp.model import Network, Workload
from pnet_lp.model.summary import summarise_network
from pnet_lp.tables import fact_grid
from pnet_lp.units import format_us
from pnet_lp.workload.sentences import drawn_sizes, offered_load

if TYPE_CHECKING:
    from rich.table import Table

_SHARES = {"p50": 50, "p99": 99}


def workload_document(network: Network, workload: Workload) -> dict[str, Any]:
    """Return the document of ``pnet-lp workload --json``; times are in microseconds; short where nothing is sent."""
    if not workload.flow_count:
        return {"label": workload.label, "flows": 0, "bytes": 0, "network": summarise_network(network)}
    waits = np.diff(workload.after_ptr)
    free = workload.start_ps[waits == 0]
    tasks = np.bincount(workload.task)
    own = np.arange(workload.flow_count)
    return {
        "label": workload.label,
        "flows": workload.flow_count,
        "bytes": workload.total_bytes,
        "fingerprint": workload.fingerprint,
        "distribution_mean_bytes": workload.mean_bytes,
        "offered": None if workload.offered is None else workload.offered.to_json(),
        "size_bytes": {
            "min": int(workload.size.min()),
            "mean": workload.total_bytes / workload.flow_count,
            **{key: float(np.percentile(workload.size, share)) for key, share in _SHARES.items()},
            "max": int(workload.size.max()),
        },
        "hosts": {"sending": _different(workload.src), "receiving": _different(workload.dst)},
        "start_us": {"first": int(free.min()) / 1e6, "last": int(free.max()) / 1e6, "flows": len(free)},
        "waits": {
            "flows": int(np.sum(waits > 0)),
            "waits": len(workload.after),
            "acknowledged": int(workload.acknowledged.sum()),
            "longest_delay_us": int((np.repeat(workload.start_ps, waits) + workload.pause_ps).max(initial=0)) / 1e6,
        },
        "tasks": {"tasks": len(tasks), "most_flows": int(tasks.max())},
        "stages": [
            {"stage": name, "flows": int(chosen.sum()), "bytes": int(workload.size[chosen].sum())}
            for stage, name in enumerate(workload.stages)
            for chosen in [workload.stage == stage]
        ],
        "transports": [
            {"transport": name, "flows": int(np.sum(workload.transport == number))}
            for number, name in enumerate(workload.transports)
        ],
        "weights": {"min": float(workload.weight.min()), "max": float(workload.weight.max())},
        "connections": {
            "connections": _different(workload.connection),
            "handshakes": int(workload.connects.sum()),
            "shared": int(np.sum(workload.connection != own)),
        },
        "network": summarise_network(network),
    }


def workload_report(document: Mapping[str, Any]) -> Table:
    """Return a workload, given as its document, as lines to read."""
    grid = fact_grid()
    if not document["flows"]:
        grid.add_row("workload", document["label"])
        grid.add_row("flows", "none: nothing is sent between hosts")
        return grid
    size, start, waits = document["size_bytes"], document["start_us"], document["waits"]
    tasks, connections, hosts = document["tasks"], document["connections"], document["hosts"]
    grid.add_row("workload", document["label"])
    grid.add_row(
        "flows",
        f"{document['flows']:,} from {hosts['sending']:,} to {hosts['receiving']:,} of "
        f"{document['network']['hosts']:,} hosts, {document['bytes']:,} bytes in all",
    )
    grid.add_row(
        "sizes",
        f"{size['min']:,} to {size['max']:,} bytes (mean {size['mean']:,.0f}, median {size['p50']:,.0f}, "
        f"99 % {size['p99']:,.0f})" + drawn_sizes(document),
    )
    if document["offered"]:
        grid.add_row("load", offered_load(document["offered"]))
    grid.add_row("starts", f"{start['flows']:,} flows from {format_us(start['first'])} to {format_us(start['last'])}")
    if waits["flows"]:
        longest = waits["longest_delay_us"]
        grid.add_row(
            "waits",
            f"{waits['flows']:,} flows start after others, {waits['waits']:,} waits in all"
            + (f", up to {format_us(longest)} later" if longest else ""),
        )
    if tasks["most_flows"] > 1:
        grid.add_row("tasks", f"{tasks['tasks']:,} of up to {tasks['most_flows']:,} flows")
    if document["stages"]:
        shown = (f"{row['stage']}: {row['flows']:,} flows, {row['bytes']:,} bytes" for row in document["stages"])
        grid.add_row("stages", "; ".join(shown))
    if document["transports"]:
        shown = (f"{row['flows']:,} flows by {row['transport']}" for row in document["transports"])
        grid.add_row("transports", "; ".join(shown))
    weights = document["weights"]
    if weights != {"min": 1, "max": 1}:
        grid.add_row("weights", f"{weights['min']:g} to {weights['max']:g}")
    if connections["shared"] or connections["handshakes"] < document["flows"]:
        grid.add_row(
            "connections", f"{connections['connections']:,}, {connections['handshakes']:,} flows begin with a handshake"
        )
    return grid


def _different(values: np.typing.NDArray[np.int32]) -> int:
    return len(np.unique(values))
