"""Keys that several questions share, each with one meaning.

Keys of how to solve are :class:`~pnet_lp.throughput.settings.SolveSettings`, those of one plane's network
:class:`~pnet_lp.topology.settings.PlaneSettings`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Self, get_args

from pydantic import Field, model_validator

from pnet_lp.errors import SpecError, TopologyError, naming
from pnet_lp.failures import FailureSettings, fail, rounded_away
from pnet_lp.flags import Flag
from pnet_lp.model import Network, TrafficMatrix, Workload
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level
from pnet_lp.model.plane import WEIGHTS
from pnet_lp.questions.base import Case
from pnet_lp.registry import AsText, OneOrMore, nearest
from pnet_lp.topology import PlaneSettings, assumptions, build_network, check_topology, topologies
from pnet_lp.topology.links import by_metric
from pnet_lp.topology.planes import leaves
from pnet_lp.traffic import TrafficSettings, check_traffic


@brief()
@dataclass(frozen=True, repr=False)
class Built:
    """What a Python caller passes as a value instead of a name; None where it is built of the case.

    Attributes:
        network: without failures.
        traffic: returns the demands on a network.
        workload: returns the flows on a network.
    """

    network: Network | None = None
    traffic: Callable[[Network], TrafficMatrix] | None = None
    workload: Callable[[Network], Workload] | None = None


NOTHING_BUILT = Built()


class TopologyKeys(Case):
    """The topologies of a network."""

    topology: Annotated[tuple[str, ...], OneOrMore, Flag(argument="TOPOLOGY...")] = Field(
        min_length=1,
        description="an expression, a file, a name of the catalogue, or several of these: 8x[TOPOLOGY]+[TOPOLOGY]",
    )


class NetworkKeys(FailureSettings, PlaneSettings, TopologyKeys):
    """A network and its failures."""

    def check(self) -> None:
        """See the base class."""
        super().check()
        with naming("topology"):
            for text in self.topology:
                self._warnings += check_topology(text, link_gbps=self.link_gbps)
        self.failures.check_planes(self.check_planes(self.topology))

    def whole(self, seed: int, built: Built = NOTHING_BUILT) -> Network:
        """Return the network without failures."""
        if built.network is not None:
            return built.network
        network = self.intact(self.topology, seed)
        found = (
            *assumptions(
                network,
                self.topology,
                speed="link_gbps" not in self.model_fields_set,
                level="level" in type(self).model_fields and getattr(self, "level", None) is None,
            ),
            *rounded_away(network, self.failures),
        )
        first, *others = network.planes
        return (
            replace(network, planes=(replace(first, warnings=(*first.warnings, *found)), *others)) if found else network
        )

    def network(self, seed: int, built: Built = NOTHING_BUILT) -> Network:
        """Return the network with what fails in it down."""
        return fail(self.whole(seed, built), self.failures, seed=seed)

    def check_level(self, level: Level | None) -> None:
        """Raise TopologyError where pairs of ``level`` are not defined on the network."""
        if level is not None:
            with naming("topology"):
                # A file may have been changed since.
                names = (leaf.partition(":")[0].strip() for text in self.topology for leaf in leaves(text))
                lasting = all(name in topologies for name in names)
                refusals = _refusals if lasting else _refusals.__wrapped__
                fault = refusals(self.topology, self.hosts_per_switch).get(level)
            if fault is not None:
                raise fault.at("level")


class MetricKeys(NetworkKeys):
    """A network, its failures, and by what its shortest paths are the shortest."""

    heading = "Routing"

    metric: Annotated[str | None, Flag(metavar="FILE|ATTRIBUTE")] = Field(
        None, description="by what paths are the shortest instead of hops: a number that files give links, or a table"
    )
    server_hops: Annotated[int, Flag(excludes=("metric",))] = Field(
        1,
        ge=0,
        le=1,
        description="hops that a link inside a server counts: 1; with 0 only links of planes decide which paths are "
        "the shortest, and links inside servers among equal ones",
    )

    @property
    def follows_metric(self) -> bool:
        """Whether anything depends on which paths are the shortest."""
        return True

    @model_validator(mode="after")
    def _check_metric(self) -> Self:
        if self.metric is not None and not self.follows_metric:
            raise SpecError("the routing takes any path", where="metric", found=self.metric, allowed="other routings")
        if self.server_hops == 0 and not self.follows_metric:
            raise SpecError("the routing takes any path", where="server_hops", found=0, allowed="other routings")
        return self

    def check(self) -> None:
        """See the base class."""
        super().check()
        if self.metric is not None or self.server_hops == 0:
            self._warnings = self.whole(self.seed).warnings

    def whole(self, seed: int, built: Built = NOTHING_BUILT) -> Network:
        """See the base class."""
        network = super().whole(seed, built)
        if not self.follows_metric:
            # No need to say that shortest paths do not follow them.
            planes = (
                replace(
                    plane, attributes={key: plane.attributes[key] for key in plane.attributes if key not in WEIGHTS}
                )
                for plane in network.planes
            )
            return replace(network, planes=tuple(planes))
        if self.server_hops == 0:
            return network.with_server_hops(0)
        return network if self.metric is None else by_metric(network, self.metric)


@functools.lru_cache(maxsize=256)
def _refusals(texts: tuple[str, ...], hosts_per_switch: int) -> Mapping[Level, TopologyError]:
    """Return by level the error for levels whose pairs are not defined on these planes."""
    network, found = build_network(texts, hosts_per_switch=hosts_per_switch), {}
    for level in get_args(Level):
        try:
            network.check_level(level)
        except TopologyError as error:
            found[level] = error
    return found


class TrafficKeys(TrafficSettings, Case):
    """The demands on a network."""

    def check(self) -> None:
        """See the base class."""
        super().check()
        with naming("traffic"):
            check_traffic(self.traffic)

    def demands(self, network: Network, seed: int, built: Built = NOTHING_BUILT) -> TrafficMatrix:
        """Return the demands on ``network``."""
        return built.traffic(network) if built.traffic else self.matrix(network, seed)


class DemandKeys(TrafficKeys, NetworkKeys):
    """A network and the demands on it."""

    def check(self) -> None:
        """See the base class."""
        super().check()
        self.check_level(self.level)


def find_pair(network: Network, level: Level, pair: tuple[str, str]) -> tuple[int, int]:
    """Return the indices of two endpoints by name, or raise SpecError."""
    names = network.endpoint_names(level)
    for name in pair:
        if name not in names:
            raise SpecError(
                f"no {level} is called {name!r}{nearest(name, names)}",
                where="pair",
                allowed=f"{names[0]} to {names[-1]}",
            )
    if pair[0] == pair[1]:
        raise SpecError("the two ends are the same", where="pair", found=pair[0])
    return names.index(pair[0]), names.index(pair[1])


_Name = Annotated[str, AsText]

PairName = Annotated[tuple[_Name, _Name] | None, Flag(metavar="A B", width=2)]
"""The names of two endpoints."""
