"""The results of all models side by side, as one document; times are in microseconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pnet_lp.crosscheck.gaps import explain
from pnet_lp.crosscheck.run import Crosscheck
from pnet_lp.model.arrays import FloatArray
from pnet_lp.sim.figures import by_power, figures, statistics


def compare(found: Crosscheck) -> dict[str, Any]:
    """Return the figures of all models, those of packets over the fluid's, and what explains the gaps.

    Completion times and slowdowns are of the flows that are complete in all simulations.
    """
    runs = found.simulations
    complete = np.all([result.done for result in runs.values()], axis=0)
    times = {name: result.completion_ps[complete] / 1e6 for name, result in runs.items()}
    slowdown = {name: result.slowdown[complete] for name, result in runs.items()}
    bits = found.workload.total_bytes * 8
    all_us = {
        **{f"lp_{name}": one.all_us for name, one in found.linear.items()},
        **{name: result.makespan_ps / 1e6 for name, result in runs.items() if result.makespan_ps is not None},
    }
    fluid = next((name for name in ("fluid", "bare") if name in times), "")
    optimum = {"optimum": _attained(found, all_us, times["packets"])} if not found.fluids else {}
    gaps, small = explain(found, complete)
    return {
        "flows": {
            "flows": found.workload.flow_count,
            "compared": int(complete.sum()),
            "unfinished": {name: result.flow_count - result.completed for name, result in runs.items()},
        },
        "is_job": found.workload.is_job,
        "all_us": all_us,
        "goodput_gbps": {name: bits / us / 1e3 for name, us in all_us.items()},
        "fct_us": {name: statistics(values) for name, values in times.items()},
        "slowdown": {name: statistics(values) for name, values in slowdown.items()},
        "stages": _stages(found),
        **optimum,
        "ratios": _ratios(times["packets"], times.get(fluid), all_us.get("packets"), all_us.get(fluid)),
        "by_size": [
            {
                **bounds,
                "fct_us": {name: statistics(values[chosen]) for name, values in times.items()},
                "slowdown": {name: statistics(values[chosen]) for name, values in slowdown.items()},
                "ratios": _ratios(times["packets"][chosen], times[fluid][chosen] if fluid else None),
            }
            for bounds, chosen in by_power(found.workload.size[complete])
        ],
        "gaps": [gap.to_json() for gap in gaps],
        "small": small,
        "lp": {name: one.to_json() for name, one in found.linear.items()},
        "lp_left_out": found.left_out or None,
        "split_left_out": found.no_split or None,
        "simulations": {name: _timeless(figures([result])) for name, result in runs.items()},
        "seconds": {
            **{f"lp_{name}": sum(one.result.seconds.values()) for name, one in found.linear.items()},
            **{name: result.seconds for name, result in runs.items()},
        },
        "settings": {name: dict(result.settings) for name, result in runs.items()},
        "network": found.packets.network,
        "workload": found.packets.workload,
        "warnings": list(found.packets.warnings),
    }


def _timeless(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "seconds"}


def _attained(found: Crosscheck, all_us: Mapping[str, float], completion_us: FloatArray) -> dict[str, float | None]:
    """Return the least time of the linear program over that of all packets, and over that of a flow on average.

    The latter says nothing of flows that wait for others, as each is a part of what takes that time.
    """
    finished = "packets" in all_us and found.linear
    at_once = finished and not len(found.workload.after)
    least = found.linear["ideal"].at_least_us if finished else 0.0
    return {
        "percent": 100 * least / all_us["packets"] if finished else None,
        "mean_percent": float(np.mean(100 * least / completion_us)) if at_once else None,
    }


def _ratios(
    packets: FloatArray, fluid: FloatArray | None, packets_all: float | None = None, fluid_all: float | None = None
) -> dict[str, float | None]:
    """Return times in packets over those in the fluid, and by how much of them the fluid errs, flow by flow."""
    if fluid is None or not len(packets):
        return dict.fromkeys(("all", "mean_fct", "p50_fct", "p99_fct", "p50_error", "p90_error"))
    one, other = statistics(packets), statistics(fluid)
    error = np.abs(fluid / packets - 1)
    return {
        "all": packets_all / fluid_all if packets_all and fluid_all else None,
        **{f"{key}_fct": (one[key] or 0.0) / (other[key] or 1.0) for key in ("mean", "p50", "p99")},
        **{f"p{share}_error": float(np.percentile(error, share)) for share in (50, 90)},
    }


def _stages(found: Crosscheck) -> list[dict[str, Any]]:
    """Return for each stage of a job how long it takes, and what a task does in it on average."""
    return [
        {
            "stage": name,
            "stage_us": {key: None if whole is None else whole / 1e6 for key, (whole, _) in times.items()},
            "tasks_us": {key: statistics(tasks / 1e6) for key, (_, tasks) in times.items()},
        }
        for stage, name in enumerate(found.workload.stages)
        for times in [{key: result.stage_ps(stage) for key, result in found.simulations.items()}]
    ]
