"""Whether what a result file says is true for the instance in it, by linear programs stated here.

Nothing of the proof is looked at, and nothing of the package computes a figure.  What is taken from it is the form of
networks and matrices, and the lists of paths of a routing, which ``test_path_lists.py`` holds against brute force.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.throughput.proofs.store import load_result

from ..splits import split_parts
from ..throughput.reference import Link, Reference, over_any_path, over_parts, over_paths
from .answers import Document
from .mutations import decoded

NEAR = 2e-6
"""How far a linear program may be from a claim, relatively: its own tolerances, on numbers near 1."""


def lies(document: Document, path: Path) -> list[str]:
    """Return what is false of the figures of a document, which is that in the file."""
    with np.errstate(over="ignore"):
        return list(_Judge(document, path).lies())


class _Judge:
    def __init__(self, document: Document, path: Path) -> None:
        stored = load_result(path)
        self.network: Network = stored.network
        self.traffic: TrafficMatrix = stored.traffic
        self.said = document
        self.answer = document.get("answer") or {}

    def lies(self) -> Iterator[str]:
        said, objective = self.said, self.said["objective"].partition(":")[0]
        yield from self._summaries()
        gap = said["relative_gap"]
        match objective:
            case "concurrent":
                yield from self._between("throughput_gbps", self._rate(), gap)
            case "min-max-utilisation":
                rate = self._rate()
                if rate == 0:
                    if said["max_utilisation"] is not None:
                        yield "a matrix that cannot be carried has a utilisation"
                else:
                    yield from self._between("max_utilisation", 1 / rate, gap, attained="upper_bound")
            case "total":
                yield from self._rates()
                unit = said["total_gbps"] or 1.0
                yield from self._between("total_gbps", self._in(unit).total() * unit, gap)
            case "max-min" | "max-min-fill":
                yield from self._rates()
                yield from self._levels(gap)
            case "min-cost":
                yield from self._rates()
                gap = max(gap, 1 - said["carried_gbps"] / said["asked_gbps"])
                yield from self._cost()
            case _:
                yield f"unknown objective {objective}"
        if said["status"] == "certified" and not gap <= said["tolerance"]:
            yield f"certified at a gap of {gap} and a tolerance of {said['tolerance']}"

    def _summaries(self) -> Iterator[str]:
        network, traffic = self.said["network"], self.said["traffic"]
        planes = self.network.planes
        for name, claimed, fact in (
            ("planes", network["planes"], len(planes)),
            ("switches", network["switches"], sum(len(plane.switch_names) for plane in planes)),
            ("links", network["links"], sum(len(plane.cable_u) for plane in planes)),
            ("demands", traffic["demands"], len(self.traffic.demand)),
        ):
            if claimed != fact:
                yield f"{claimed} {name}, not {fact}"
        if not _near(traffic["total"], math.fsum(self.traffic.demand)):
            yield f"{traffic['total']} in total"
        shares = [item["share"] for item in self.said["bottlenecks"]]
        if shares != sorted(shares, reverse=True) or not 0 <= sum(shares) <= 1 + 1e-9:
            yield f"bottlenecks with the shares {shares}"
        for item in self.said["bottlenecks"]:
            if item["kind"] == "core":
                plane = planes[item["plane"]]
                names = plane.switch_names
                found = {(names[u], names[v], float(speed)) for u, v, speed in zip(*plane.arcs, strict=True)}
                if (*item["link"], item["capacity_gbps"]) not in found:
                    yield f"no link {item}"

    def _between(self, key: str, value: float, gap: float, attained: str = "lower_bound") -> Iterator[str]:
        """Compare a figure and its bounds with the true value; one of them is what the figure says."""
        suffix = next((name for name in ("_gbps_links", "_gbps") if key.endswith(name)), "")
        lower, upper = self.said[f"lower_bound{suffix}"], self.said[f"upper_bound{suffix}"]
        if self.said[key] != self.said[f"{attained}{suffix}"]:
            yield f"{key} is {self.said[key]}, and the bounds are {lower} and {upper}"
        if not (lower <= value * (1 + NEAR) and value <= upper * (1 + NEAR)):
            yield f"{key} is between {lower} and {upper}, and in truth {value}"
        if not abs(gap - (1 - lower / upper if upper else 0.0)) <= 1e-8:
            yield f"a gap of {gap} between {lower} and {upper}"

    def _rate(self) -> float:
        """Return K, by a program in which the claimed one is near 1."""
        rate = self.said.get("throughput_gbps") or 1.0
        unit = rate * float(self.traffic.demand.max())
        found = self._in(unit, demand=self.traffic.demand / self.traffic.demand.max()).concurrent()
        return found * unit / float(self.traffic.demand.max())

    def _in(self, unit: float, demand: npt.NDArray[np.float64] | None = None) -> Reference:
        """Return the program in which capacities are counted in ``unit``, and demands too unless given otherwise."""
        found = self._reference
        demand = self.traffic.demand / unit if demand is None else demand
        return replace(found, demand=demand, capacity=found.capacity / unit)

    @cached_property
    def _given(self) -> npt.NDArray[np.float64]:
        return decoded(self.answer["rates_gbps"])

    def _rates(self) -> Iterator[str]:
        """Whether the rates fit together, and are as summed up."""
        rates, said = self._given, self.said["rates_gbps"]
        for key, value in (("min", rates.min()), ("mean", rates.mean()), ("max", rates.max())):
            if not _near(said[key], float(value)):
                yield f"rates_gbps.{key} is {said[key]}, not {value}"
        if np.any(rates > 0):
            unit = float(rates.max())
            if not (most := self._in(unit, demand=rates / unit).concurrent()) >= 1 - NEAR:
                yield f"the rates fit {most} times"
        if self.said["objective"] == "total" and np.any(rates > self.traffic.demand * (1 + NEAR)):
            yield "a rate is above its demand"

    def _levels(self, gap: float) -> Iterator[str]:
        """Whether no demand can get more than its level's bound while others keep what they have below it."""
        rates, demand = self._given, self.traffic.demand
        if not _near(self.said["total_gbps"], math.fsum(rates)):
            yield f"total_gbps is {self.said['total_gbps']}, not {math.fsum(rates)}"
        own = rates / demand
        shown = self.said["levels"]
        wide = [
            (level["rate_gbps"], math.inf if level["upper_bound_gbps"] is None else level["upper_bound_gbps"])
            for level in shown
        ]
        if sum(level["demands"] for level in shown) > len(demand):
            yield "more demands in levels than there are"
        for j in np.flatnonzero(self._connected):
            # The bound on a demand is at most that of its level, which its rate tells, and within the gap.
            mine = [high for low, high in wide if low * (1 - 1e-9) <= own[j] <= high * (1 + 1e-9)]
            upper = min(max(mine, default=math.inf), own[j] / (1 - gap) if gap < 1 else math.inf)
            if not math.isfinite(upper) or not upper > 0:
                if gap < 1:
                    yield f"no bound on demand {j}, and a gap of {gap}"
                continue
            floor = np.minimum(rates, upper * demand)
            # Of what a level was found with, nearly all of it is kept; the gap says how wide that is.
            floor = np.where(own < own[j], np.minimum(rates * (1 + gap), upper * demand), floor)
            alone = np.arange(len(demand)) == j
            unit = upper * float(demand[j])
            one = replace(self._in(unit, demand=np.where(alone, 1.0, demand / unit)))
            most = self._most(one, np.where(alone, 0.0, floor / unit), alone)
            if most > 1 + NEAR:
                yield f"demand {j} can get {most} of its bound {upper}"

    def _most(self, one: Reference, floor: npt.NDArray[np.float64], alone: npt.NDArray[np.bool_]) -> float:
        try:
            return one.level(floor, alone)
        except AssertionError as error:
            if "infeasible" in str(error).lower():  # others cannot keep as much, so nothing is said
                return 0.0
            raise

    @cached_property
    def _connected(self) -> npt.NDArray[np.bool_]:
        found = self._reference
        capacity = np.where(found.capacity > 0, 1.0, 0.0)
        alone = np.eye(len(found.demand), dtype=bool)
        one = replace(found, capacity=capacity, demand=np.ones(len(found.demand)))
        return np.array([one.level(np.zeros(len(alone)), each) > 1e-9 for each in alone])

    def _cost(self) -> Iterator[str]:
        said, demand = self.said, self.traffic.demand
        carried, cost = said["carried_gbps"], said["cost_gbps_links"]
        if not np.allclose(self._given, carried * demand, rtol=1e-8, atol=0.0):
            yield f"{carried} is carried, and the rates are {self._given}"
        if "at=" in said["objective"]:
            at = float(said["objective"].partition("at=")[2].partition(",")[0])
            if at != said["asked_gbps"]:
                yield f"{said['asked_gbps']} was asked"
        if carried > said["asked_gbps"] * (1 + 1e-8):
            yield "more is carried than was asked"
        unit = carried * float(demand.max())
        found = self._in(unit, demand=demand / demand.max())
        scale = max(float(self._link_cost.max()), 1e-300)
        found = replace(found, cost=self._column_cost(found) / scale)
        least = found.min_cost(1.0 - 1e-9) * unit * scale
        yield from self._between("cost_gbps_links", least, said["relative_gap"], attained="upper_bound")
        if not _near(said["mean_links"], cost / (carried * math.fsum(demand))):
            yield f"mean_links is {said['mean_links']}"

    @cached_property
    def _link_cost(self) -> npt.NDArray[np.float64]:
        stored = (self.answer.get("inputs") or {}).get("link_cost")
        arcs = sum(int(np.count_nonzero(plane.arcs[2])) for plane in self.network.planes)
        return np.ones(arcs) if stored is None else decoded(stored)

    def _column_cost(self, found: Reference) -> npt.NDArray[np.float64]:
        place: dict[Link, int] = {}
        for p, plane in enumerate(self.network.planes):
            tail, _, speed = plane.arcs
            used = [a for a in np.argsort(tail, kind="stable").tolist() if speed[a] > 0]
            place |= {("arc", p, a): len(place) + i for i, a in enumerate(used)}
        row = np.array([self._link_cost[place[link]] if link[0] == "arc" else 0.0 for link in found.links])
        return np.asarray(found.load.T @ row)

    @cached_property
    def _reference(self) -> Reference:
        said = self.said
        routing, rule = said["routing"], {"policy": said["plane_policy"], "seed": said["routing_seed"]}
        match routing:
            case "ideal":
                return over_any_path(self.network, self.traffic)
            case "ecmp-split" | "vlb":
                return over_parts(self.traffic, self._parts(routing))
        return over_paths(self.network, self.traffic, routing, **rule)

    def _parts(self, routing: str) -> dict[int, dict[Link, tuple[float, float]]]:
        found = split_parts(self.network, self.traffic, routing, self.said["plane_policy"], self.said["routing_seed"])
        return {j: {link: (speed, float(part)) for link, (speed, part) in used.items()} for j, used in found.items()}


def _near(claimed: float, fact: float) -> bool:
    return abs(claimed - fact) <= 1e-8 * max(abs(claimed), abs(fact))
