"""The causes of the gaps between the models, each with its figures; a cause is named only where the figures show it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from pnet_lp.crosscheck.run import Crosscheck
from pnet_lp.routing import count_shortest
from pnet_lp.sim import SimulationResult
from pnet_lp.sim.figures import waiting_ps
from pnet_lp.sim.fluid import parse_correction
from pnet_lp.sim.ports import KINDS
from pnet_lp.units import format_us

LEAST = 0.02
"""Smallest relative difference for which a cause is named."""


@dataclass(frozen=True)
class Gap:
    """A cause of a difference, and its size.

    Attributes:
        cause: its name.
        before, after: the models between which it acts.
        figure: the figure that differs.
        factor: ``after`` over ``before``.
        sentence: the same as text.
        signed: whether it is also named where it makes times shorter.
    """

    cause: str
    before: str
    after: str
    figure: str
    factor: float
    sentence: str
    signed: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is large enough to be named."""
        return self.factor >= 1 + LEAST or (self.signed and self.factor <= 1 - LEAST)

    @property
    def is_small(self) -> bool:
        """Whether it makes hardly any difference."""
        return abs(self.factor - 1) < LEAST

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {key: value for key, value in asdict(self).items() if key != "signed"}


def explain(found: Crosscheck, complete: npt.NDArray[np.bool_]) -> tuple[list[Gap], list[str]]:
    """Return the causes that are large enough, in the order of the models, and the names of those that are small.

    ``complete``, bool ``[f]``, are the flows that are complete in all simulations.
    """
    if not (complete.any() and found.fluids):
        return [], []
    gaps = [*_linear(found), *_paths(found, complete), *_waits(found, complete), *_packets(found, complete)]
    return [gap for gap in gaps if gap.counts], [gap.cause for gap in gaps if gap.is_small]


def _linear(found: Crosscheck) -> Iterator[Gap]:
    """Yield the cost of the paths, and of waiting for other flows, relative to all bytes at once."""
    if "paths" not in found.linear:
        return
    ideal, paths = found.linear["ideal"], found.linear["paths"]
    yield Gap(
        "choice of paths",
        "lp_ideal",
        "lp_paths",
        "all_us",
        # Proved: no split over these paths is as good as the one found over any.
        paths.at_least_us / ideal.all_us,
        f"over the paths of {paths.routing} all bytes at once take {format_us(paths.all_us)} at best, over any paths "
        f"{format_us(ideal.all_us)}",
    )
    split = found.fluids.get("split")
    if split is None or split.makespan_ps is None:
        return
    taken, waits = split.makespan_ps / 1e6, bool(len(found.workload.after))
    flows = found.workload
    computes = any(map(np.any, (flows.pause_ps, flows.earliest_ps, flows.start_ps)))
    yield Gap(
        f"waits for other flows{' and computation' if computes else ''}" if waits else "fair shares",
        "lp_paths",
        "split",
        "all_us",
        taken / paths.all_us,
        f"split at best for fair shares{', and begun when what they wait for is done' if waits else ''}, flows "
        f"take {format_us(taken)}; all bytes at once would, at best, take {format_us(paths.all_us)}",
    )


def _paths(found: Crosscheck, complete: npt.NDArray[np.bool_]) -> Iterator[Gap]:
    """Yield the cost of flows that are not split optimally over the paths that they may take."""
    bare = found.fluids["bare"]
    crossed, shortest = _hops(found, bare)
    yield Gap(
        "path length",
        "shortest paths",
        "bare",
        "hops",
        crossed / shortest if shortest else 1.0,
        f"a byte crosses {crossed:.3g} {_what(bare)} on average, on shortest paths {shortest:.3g}",
    )
    if "split" not in found.fluids:
        return
    split = found.fluids["split"]
    alone, together = (float(result.flow["ideal_ps"][complete].mean()) for result in (split, bare))
    yield Gap(
        "few paths",
        "split",
        "bare",
        "ideal_us",
        together / alone,
        f"alone in the network, a flow takes {format_us(together / 1e6)} on average on the paths that it has, and "
        f"{format_us(alone / 1e6)} split over all that it may take",
    )
    best, own = (float(result.slowdown[complete].mean()) for result in (split, bare))
    even = bare.settings["sharing"] == "even"
    yield Gap(
        "even split" if even else "collisions of paths" if found.own_paths else "hash collisions",
        "split",
        "bare",
        "slowdown",
        own / best,
        f"{'split evenly' if even else 'on the paths drawn for them'}, flows take {own:.3g} times as long as alone on "
        f"average; with the best split over all paths that they may take, {best:.3g} times",
    )


def _waits(found: Crosscheck, complete: npt.NDArray[np.bool_]) -> Iterator[Gap]:
    """Yield what the terms of the correction add to a bare fluid."""
    steps = [name for name in ("bare", "distant", "short", "fluid") if name in found.fluids]
    for before, after in pairwise(steps):
        one, other = found.fluids[before], found.fluids[after]
        least, most = (float(result.completion_ps[complete].mean()) / 1e6 for result in (one, other))
        terms = [term for term in _terms(other) if term not in _terms(one)]
        cause = " and ".join([", ".join(terms[:-1]), terms[-1]] if len(terms) > 1 else terms)
        yield Gap(
            cause.replace("-", " "),
            before,
            after,
            "mean_fct_us",
            most / least,
            f"the mean completion time becomes {format_us(most)} from {format_us(least)} in the fluid",
        )


def _packets(found: Crosscheck, complete: npt.NDArray[np.bool_]) -> Iterator[Gap]:
    """Yield what losses add to the fluid, and the rest, which only packets have."""
    fluid, packets = found.fluid, found.packets
    flow = {key: column[complete] for key, column in packets.flow.items()}
    times, expected = packets.completion_ps[complete] / 1e6, fluid.completion_ps[complete] / 1e6
    again = (flow["resent"] > 0) | (flow["timeouts"] > 0)
    late = int((flow["timeouts"] > 0).sum())
    if again.any():
        mean, ideal = float(times[again].mean()), float(expected[again].mean())
        share = float((times - expected)[again].sum() / expected.sum())
        dropped, resent = int(flow["packets_dropped"].sum()), int(flow["resent"].sum())
        yield Gap(
            "loss and retransmission",
            "fluid",
            "packets",
            "mean_fct_us",
            1 + share,
            f"{dropped:,} packets were dropped and {resent:,} retransmitted; "
            f"the {_count(again)} with retransmissions, {late:,} of them after a timeout, took "
            f"{format_us(mean)} on average, in the fluid {format_us(ideal)}: "
            f"{100 * share:+,.{0 if share >= 1 else 1}f} % in the mean of all flows",
            signed=True,
        )
    if (~again).any():
        mean, ideal = float(times[~again].mean()), float(expected[~again].mean())
        waited = waiting_ps(packets)
        each = float(waited.sum()) / max(int(packets.flow["packets_sent"].sum()), 1) / 1e6
        yield Gap(
            "queues and windows",
            "fluid",
            "packets",
            "mean_fct_us",
            mean / ideal,
            f"the {_count(~again)} that sent nothing again took {format_us(mean)} on average, in the fluid "
            f"{format_us(ideal)}; a packet waited {format_us(each)} on its way on average, most of it at "
            f"{KINDS[int(waited.argmax())]}",
            signed=True,
        )


def _hops(found: Crosscheck, bare: SimulationResult) -> tuple[float, float]:
    """Return how many links that routings count a byte crosses on average, and how many shortest paths have."""
    workload, places = found.workload, bare.places
    network = places.network
    crossed = float(bare.port["bytes"][places.counted].sum() / bare.plane_bytes.sum())
    pairs, place = np.unique(np.stack([workload.src, workload.dst + network.receivers]), axis=1, return_inverse=True)
    hops = count_shortest(network.graph, "host", *pairs).hops
    nearest = np.where(hops < 0, np.iinfo(np.int32).max, hops - network.received).min(axis=1)
    sent = bare.plane_bytes.sum(axis=1)
    return crossed, float((nearest[place.ravel()] * sent).sum() / sent.sum())


def _what(result: SimulationResult) -> str:
    """Return what is counted of a path."""
    return "links between switches" if result.places.wiring is None else "links of the graph"


def _terms(result: SimulationResult) -> list[str]:
    return list(parse_correction(str(result.settings["correction"])))


def _count(chosen: npt.NDArray[np.bool_]) -> str:
    number = int(chosen.sum())
    return f"{number:,} {'flow' if number == 1 else 'flows'}"
