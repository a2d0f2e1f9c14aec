"""The figures of one run or of several: what a table, a document or a sentence says of their records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pnet_lp.sim.ports import INSIDE, KINDS
from pnet_lp.sim.result import SimulationResult

_PERCENTILES = {"p10": 10.0, "p25": 25.0, "p50": 50.0, "p75": 75.0, "p90": 90.0, "p99": 99.0, "p99_9": 99.9}
_FULLEST = 5
_NAMED = 5
_ALONE = 1.1
"""Slowdown up to which a flow counts as undisturbed."""


def figures(results: Sequence[SimulationResult]) -> dict[str, Any]:
    """Return what the records of runs of one scenario say together, as a JSON object; times are in microseconds.

    A percentile is the least value that so many per cent do not exceed.  Flows that are not complete are in no time,
    slowdown or goodput.
    """
    done = _joined(results, lambda result: result.done)
    flow = {key: _joined(results, lambda result, key=key: result.flow[key]) for key in results[0].flow}
    total = {key: int(flow[key].sum()) for key in flow}
    fct_us = _joined(results, lambda result: result.completion_ps)[done] / 1e6
    slowdown = _joined(results, lambda result: result.slowdown)[done]
    goodput = _joined(results, lambda result: result.goodput_gbps)[done]
    access = _joined(results, lambda result: result.places.access_gbps[result.flow["src"]])[done]
    tasks_us = _joined(results, lambda result: result.task_ps) / 1e6
    fluid = results[0].packet_hops is None
    lost = 0 if fluid else int(sum(result.port["lost"].sum() for result in results))
    simulated_ps = sum(result.time_ps for result in results)
    sent = np.sum([result.plane_bytes.sum(axis=0) for result in results], axis=0)
    shares = (sent / max(sent.sum(), 1)).tolist()
    within = {} if results[0].places.wiring is None else {"server_share": shares.pop()}
    found = {
        "flows": {"completed": int(done.sum()), "unfinished": int((~done).sum())},
        "stuck": _stuck(results),
        "fct_us": statistics(fct_us),
        "tasks_us": statistics(tasks_us) if len(results[0].task) > results[0].task.max() + 1 else None,
        "job_us": statistics(_jobs_us(results)) if results[0].is_job else None,
        "stages": _stages(results),
        **({"transports": _transports(results)} if results[0].is_mixed else {}),
        "slowdown": {**statistics(slowdown), "by_size": _by_size(flow["bytes"][done], slowdown)},
        "goodput_gbps": {
            **_extremes(goodput),
            "share_of_access": _mean(goodput / access),
            "total": total["received_bytes"] * 8000 / max(simulated_ps, 1),
        },
        **({} if fluid else _packet_figures(total, lost)),
        "plane_shares": shares,
        **within,
        **_waits(results, fluid=fluid),
        "events": sum(result.events for result in results),
        **({} if fluid else {"packet_hops": sum(result.packet_hops or 0 for result in results)}),
        "simulated_s": simulated_ps / 1e12,
        "seconds": sum(result.seconds for result in results),
    }
    if fluid:
        return found
    return {**found, "limited_by": _limit(results, found, int((flow["timeouts"] > 0).sum()))}


def _stuck(results: Sequence[SimulationResult]) -> list[dict[str, Any]]:
    """Return the flows that can never be complete, in runs that end for that: by cause, how many and the first."""
    fluid = results[0].packet_hops is None
    never, after = "never started, without a usable path", "never started, after flows that are not complete"
    halted = "stopped at a link that is down" if fluid else "lost packets that nobody sends again"
    cut = "cut off, as all their paths stay down"
    found: dict[str, list[dict[str, int]]] = {cause: [] for cause in (never, halted, cut, after)}
    for result in results:
        if result.end not in ("no events left", "cut off"):
            continue
        waits, pathless = result.flow["start_ps"] < 0, result.flow["links"] == 0
        started = cut if result.end == "cut off" else halted
        for flow in np.flatnonzero(~result.done).tolist():
            cause = after if waits[flow] else never if pathless[flow] else started
            found[cause].append({"seed": result.seed, "flow": flow})
    return [{"cause": cause, "flows": len(flows), "first": flows[:_NAMED]} for cause, flows in found.items() if flows]


def _jobs_us(results: Sequence[SimulationResult]) -> npt.NDArray[np.float64]:
    return np.array([result.job_ps / 1e6 for result in results if result.job_ps is not None])


def _stages(results: Sequence[SimulationResult]) -> list[dict[str, Any]]:
    """Return for each stage how long it took, run by run, and what tasks did in it."""
    found = []
    for stage, name in enumerate(results[0].stages):
        whole, tasks = zip(*(result.stage_ps(stage) for result in results), strict=True)
        complete = np.array([time / 1e6 for time in whole if time is not None])
        tasks_us = np.concatenate(tasks) / 1e6
        found.append(
            {"stage": name, "stage_us": statistics(complete), "tasks": len(tasks_us), "tasks_us": statistics(tasks_us)}
        )
    return found


def _transports(results: Sequence[SimulationResult]) -> list[dict[str, Any]]:
    """Return what the flows of each transport took."""
    done = _joined(results, lambda result: result.done)
    of_flow = _joined(results, lambda result: result.transport)
    fct_us = _joined(results, lambda result: result.completion_ps) / 1e6
    slowdown = _joined(results, lambda result: result.slowdown)
    goodput = _joined(results, lambda result: result.goodput_gbps)
    return [
        {
            "transport": name,
            "flows": int((of_flow == number).sum()),
            "completed": int(chosen.sum()),
            "fct_us": statistics(fct_us[chosen]),
            "slowdown": statistics(slowdown[chosen]),
            "goodput_gbps": _extremes(goodput[chosen]),
        }
        for number, name in enumerate(results[0].transports)
        for chosen in [done & (of_flow == number)]
    ]


def _packet_figures(total: Mapping[str, int], lost: int) -> dict[str, Any]:
    """Return what only packets have; ``total`` sums columns of flows, ``lost`` is what links took that were down."""
    sent, arrived, dropped = (total[f"packets_{key}"] for key in ("sent", "delivered", "dropped"))
    return {
        "packets": {
            "sent": sent,
            "delivered": arrived,
            "dropped": dropped,
            "lost": lost,
            "in_flight": sent - arrived - dropped,
            "data": total["data_packets"],
            "marked": total["marked"],
        },
        "packets_sent": sent,
        "retransmitted": total["resent"],
        "fast_retransmits": total["fast_retransmits"],
        "timeouts": total["timeouts"],
        "reordered_share": total["out_of_order"] / max(total["data_packets"], 1),
    }


def _waits(results: Sequence[SimulationResult], *, fluid: bool) -> dict[str, Any]:
    """Return where packets waited, or, as a fluid does not, which links it fills."""
    if fluid:
        return {"busiest": busiest(results)}
    shares = dict(zip(results[0].places.kinds, _waiting(results).tolist(), strict=True))
    return {"queues": fullest(results), "waiting_shares": shares}


def statistics(values: npt.NDArray[np.float64]) -> dict[str, float | None]:
    """Return mean, percentiles and extremes; None where there is nothing."""
    found = {
        name: float(np.percentile(values, share, method="inverted_cdf")) if len(values) else None
        for name, share in _PERCENTILES.items()
    }
    return {"mean": _mean(values), **found, "max": float(values.max()) if len(values) else None}


def fullest(results: Sequence[SimulationResult]) -> list[dict[str, Any]]:
    """Return the ports with the longest queues, the longest first."""
    rows: list[dict[str, Any]] = []
    for result in results:
        longest, dropped = result.port["longest_packets"], result.port["dropped"]
        waited = result.port["queued_ps"]
        order = np.lexsort((-waited, -dropped, -longest))[:_FULLEST]
        rows += [
            {
                **_place(result, port),
                "longest_packets": int(longest[port]),
                "mean_packets": float(waited[port] / max(result.time_ps, 1)),
                "dropped": int(dropped[port]),
                "utilisation": float(_utilisation(result)[port]),
            }
            for port in order
            if longest[port] > 0
        ]
    rows.sort(key=lambda row: (-row["longest_packets"], -row["dropped"], -row["mean_packets"]))
    return rows[:_FULLEST]


def busiest(results: Sequence[SimulationResult]) -> list[dict[str, Any]]:
    """Return the ports that sent the most for what they can, the busiest first."""
    rows = [
        {**_place(result, port), "utilisation": float(busy[port])}
        for result in results
        for busy in [_utilisation(result)]
        for port in np.argsort(-busy, kind="stable")[:_FULLEST]
        if busy[port] > 0
    ]
    rows.sort(key=lambda row: -row["utilisation"])
    return rows[:_FULLEST]


def _utilisation(result: SimulationResult) -> npt.NDArray[np.float64]:
    """Return float64 ``[ports]``: what each sent, as a part of what it could have sent in the time of the run."""
    busy: npt.NDArray[np.float64] = result.port["bytes"] * 8e12 / result.places.rate / max(result.time_ps, 1)
    return busy


def _place(result: SimulationResult, port: int) -> dict[str, Any]:
    named, places = result.places.named, result.places
    return {
        "seed": result.seed,
        "plane": None if places.kind[port] == INSIDE else int(places.plane[port]),
        "link": [str(named["u"][port]), str(named["v"][port])],
        "kind": KINDS[places.kind[port]],
    }


def _joined(results: Sequence[SimulationResult], column: Any) -> npt.NDArray[Any]:
    return np.concatenate([column(result) for result in results])


def _mean(values: npt.NDArray[np.float64]) -> float | None:
    return float(values.mean()) if len(values) else None


def _extremes(values: npt.NDArray[np.float64]) -> dict[str, float | None]:
    if not len(values):
        return dict.fromkeys(("mean", "min", "max"))
    return {"mean": _mean(values), "min": float(values.min()), "max": float(values.max())}


def _by_size(size: npt.NDArray[np.int64], slowdown: npt.NDArray[np.float64]) -> list[dict[str, Any]]:
    """Return the slowdown of flows by power of ten of their bytes."""
    return [{**bounds, **statistics(slowdown[chosen])} for bounds, chosen in by_power(size)]


def by_power(size: npt.NDArray[np.int64]) -> Iterator[tuple[dict[str, int], npt.NDArray[np.bool_]]]:
    """Yield the bounds of each power of ten that there are sizes of, with their number, and which ones they are."""
    power = np.floor(np.log10(size)).astype(int)
    for p in np.unique(power).tolist():
        chosen = power == p
        yield {"from_bytes": 10**p, "below_bytes": 10 ** (p + 1), "flows": int(chosen.sum())}, chosen


def _waiting(results: Sequence[SimulationResult]) -> npt.NDArray[np.float64]:
    """Return the share of each kind of port in the time that packets waited to be sent."""
    waited = np.sum([waiting_ps(result) for result in results], axis=0)
    shares: npt.NDArray[np.float64] = waited / max(float(waited.sum()), 1.0)
    return shares


def waiting_ps(result: SimulationResult) -> npt.NDArray[np.float64]:
    """Return float64 ``[kinds of ports]``: how long packets waited to be sent, all of them together."""
    sending = result.port["bytes"] * 8e12 / result.places.rate
    waited = np.maximum(result.port["queued_ps"] - sending, 0)
    of_kind: npt.NDArray[np.float64] = np.bincount(
        result.places.kind, waited, minlength=len(result.places.kinds)
    ).astype(float)
    return of_kind


def _limit(results: Sequence[SimulationResult], found: dict[str, Any], late: int) -> str:
    """Return one sentence on what kept flows from ending when they would have alone."""
    if not found["flows"]["completed"]:
        return "no flow was complete, so nothing can be said"
    worst, lost = found["slowdown"]["max"], found["packets"]["lost"]
    dropped = found["packets"]["dropped"] - lost
    if worst <= _ALONE and not dropped and not lost:
        return f"nothing: every flow took at most {worst:.3g} times as long as alone in the network"
    shares = found["waiting_shares"]
    kind = max(shares, key=shares.__getitem__)
    of_kind = np.zeros(len(results[0].places.kinds))
    for result in results:
        of_kind += np.bincount(result.places.kind, result.port["dropped"], minlength=len(of_kind))
    parts = [f"queues of {kind}: {100 * shares[kind]:.3g} % of the time that packets waited"]
    if dropped:
        most = int(of_kind.argmax())
        parts.append(f"{dropped:,} packets dropped, {100 * of_kind[most] / dropped:.3g} % of them at {KINDS[most]}")
    if lost:
        parts.append(f"{lost:,} {'packet' if lost == 1 else 'packets'} lost on links that were down")
    if late:
        parts.append(f"{late:,} {'flow' if late == 1 else 'flows'} waited for a timeout")
    return "; ".join(parts)
