"""Which paths a routing allows: those of a pair, or statistics of all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from pnet_lp.model import Network
from pnet_lp.model.network import Level
from pnet_lp.model.paths import PathSet
from pnet_lp.model.summary import summarise_network
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.keys import NOTHING_BUILT, Built, find_pair
from pnet_lp.questions.paths.case import PathsCase
from pnet_lp.routing import parse_routing, path_statistics
from pnet_lp.tables import attributes


@dataclass(frozen=True, eq=False, repr=False)
class PathsAnswer(Answer):
    """The paths of a pair, or statistics of all.

    Attributes:
        case: what was requested.
        network: the network, with what fails in it down.
        level: whether pairs are of racks or of hosts.
        paths: of the pair, shortest first; None where statistics were requested.
        statistics: of all pairs; empty where the paths of a pair were requested.
    """

    case: PathsCase
    network: Network
    level: Level
    paths: PathSet | None
    statistics: Mapping[str, Any]

    def summary(self) -> Summary:
        """See the base class."""
        if self.paths is None:
            paths, hops = self.statistics["paths"], self.statistics["hops"]
            count, per_pair, mean, most = paths["total"], paths["per_pair_mean"], hops["mean"], hops["max"]
            disconnected = self.statistics["disconnected_pairs"]
        else:
            found = (self.paths.hops - self.network.received).tolist()
            count = per_pair = len(found)
            mean, most, disconnected = fmean(found) if found else None, max(found, default=None), int(not found)
        columns = {"paths": count, "mean_hops": mean, "max_hops": most, "disconnected_pairs": disconnected}
        return Summary(Headline.exact(PathsCase.headline, "", "paths per pair", per_pair), columns)

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        head = {
            **attributes(self.case, "routing", "plane_policy"),
            "level": self.level,
            "network": summarise_network(self.network),
            "warnings": list(self.network.warnings),
        }
        if self.paths is None:
            return {**head, **self.statistics}
        hops = self.paths.hops - self.network.received
        rows = [
            {"plane": plane, "hops": count, "switches": self.network.named(plane, self.paths.switches(i).tolist())}
            for i, (plane, count) in enumerate(zip(self.paths.plane.tolist(), hops.tolist(), strict=True))
        ]
        return {**head, "pair": list(self.case.pair or ()), "paths": rows}


@QUESTIONS.register("paths", params=PathsCase, summary="the paths that a routing allows, or their statistics")
def paths(case: PathsCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network that ``seed`` gives; it breaks ties, too."""
    routing = parse_routing(case.routing, policy=case.plane_policy, seed=seed)
    network = case.network(seed, built)
    level = network.settled_level(case.level)
    ends = find_pair(network, level, case.pair) if case.pair else None

    def answer(run: Run) -> Answer:
        if ends is None:
            found = path_statistics(network, level, routing, threads=run.threads)
            return PathsAnswer(case, network, level, None, found)
        source, target = ends
        to = target + network.receivers
        listed = routing.paths(network.graph, level, [source], [to], threads=run.threads)
        return PathsAnswer(case, network, level, listed, {})

    return Posed((network.fingerprint,), answer, network.warnings)
