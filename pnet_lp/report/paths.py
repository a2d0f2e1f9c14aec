"""Paths to read, and statistics of many."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table

from pnet_lp.model import Network
from pnet_lp.model.paths import PathSet


def path_documents(network: Network, paths: PathSet) -> list[dict[str, Any]]:
    """Return each path as its JSON document: plane, hops and the names of the switches it passes."""
    return [
        {
            "plane": (p := int(paths.plane[i])),
            "hops": int(paths.hops[i]),
            "switches": [network.planes[p].switch_names[u] for u in paths.switches(i)],
        }
        for i in range(paths.path_count)
    ]


def path_table(documents: list[dict[str, Any]]) -> Table:
    """Return paths as a table."""
    table = Table(box=None, pad_edge=False)
    table.add_column("plane", justify="right")
    table.add_column("hops", justify="right")
    table.add_column("switches", overflow="fold")
    for path in documents:
        table.add_row(str(path["plane"]), str(path["hops"]), " ".join(path["switches"]) or "(one switch)")
    return table


def path_statistics(paths: PathSet, planes: int) -> dict[str, Any]:
    """Return what can be said of all paths together, as a JSON document.

    Hops are links between switches.  Pairs without a path are counted and enter no mean.
    """
    per_pair, hops = paths.paths_per_pair, paths.hops
    connected = per_pair > 0
    first = paths.pair_ptr[:-1][connected]
    used = np.bincount(paths.plane, minlength=planes)
    histogram = np.bincount(hops)
    return {
        "pairs": paths.pair_count,
        "disconnected_pairs": int(np.count_nonzero(~connected)),
        "paths": {
            "total": paths.path_count,
            "per_pair_min": int(per_pair[connected].min()) if connected.any() else 0,
            "per_pair_mean": float(per_pair[connected].mean()) if connected.any() else 0.0,
            "per_pair_max": int(per_pair.max(initial=0)),
        },
        "hops": {
            "mean": float(hops.mean()) if len(hops) else None,
            "mean_shortest": float(hops[first].mean()) if len(first) else None,
            "max": int(hops.max(initial=0)),
            "histogram": {str(h): int(n) for h, n in enumerate(histogram) if n},
        },
        "planes": [int(n) for n in used],
    }


def statistics_table(statistics: dict[str, Any]) -> Table:
    """Return statistics as a table of two columns."""
    table = Table(box=None, pad_edge=False, show_header=False)
    paths, hops = statistics["paths"], statistics["hops"]
    table.add_row("pairs", f"{statistics['pairs']:,}, {statistics['disconnected_pairs']:,} without a path")
    table.add_row("paths", f"{paths['total']:,}")
    table.add_row(
        "paths per pair",
        f"{paths['per_pair_mean']:.4g} on average, {paths['per_pair_min']} to {paths['per_pair_max']}",
    )
    if hops["mean"] is not None:
        table.add_row("hops", f"{hops['mean']:.4g} on average, {hops['max']} at most")
        table.add_row("hops of the shortest", f"{hops['mean_shortest']:.4g} on average")
    table.add_row("paths by hops", ", ".join(f"{h}: {n:,}" for h, n in hops["histogram"].items()))
    table.add_row("paths by plane", ", ".join(f"{p}: {n:,}" for p, n in enumerate(statistics["planes"])))
    return table
