"""Keys that cases of several questions have, each with one meaning: that of the option of the same name.

What a key says is parsed when a spec is loaded, so that nothing wrong is found out after hours of solving.  Keys of
how to solve are :class:`~pnet_lp.throughput.settings.SolveSettings`, those of one plane's network
:class:`~pnet_lp.topology.settings.PlaneSettings`.
"""

from __future__ import annotations

import functools
from typing import Annotated, Self, get_args

from pydantic import Field, model_validator

from pnet_lp.errors import TopologyError, naming
from pnet_lp.experiment.case import Case
from pnet_lp.failures import FailureSettings, fail
from pnet_lp.model import Network
from pnet_lp.model.network import Level
from pnet_lp.registry import OneOrMore
from pnet_lp.topology import PlaneSettings, build_network, check_topology, topologies
from pnet_lp.traffic import TrafficSettings, check_traffic


class TopologyKeys(Case):
    """What is built."""

    topology: Annotated[tuple[str, ...], OneOrMore] = Field(
        min_length=1,
        description="an expression, a file or a name of the catalogue; several give one plane each",
    )


class NetworkKeys(FailureSettings, PlaneSettings, TopologyKeys):
    """A network, and what of it fails."""

    @model_validator(mode="after")
    def _check_network(self) -> Self:
        with naming("topology"):
            for text in self.topology:
                self._warnings += check_topology(text, link_gbps=self.link_gbps)
        self.failures.check_planes(self.check(self.topology))
        self.check_shares()
        return self

    def network(self, seed: int) -> Network:
        """Return the network with what fails in it down."""
        return fail(self.intact(self.topology, seed), self.failures, seed=seed)

    def check_level(self, level: Level | None) -> None:
        """Raise TopologyError where pairs of ``level`` mean nothing on the network."""
        if level is not None:
            with naming("topology"):
                # A file may have been changed since.
                lasting = all(text.partition(":")[0].strip() in topologies for text in self.topology)
                refusals = _refusals if lasting else _refusals.__wrapped__
                fault = refusals(self.topology, self.hosts_per_switch).get(level)
            if fault is not None:
                raise fault.at("level")


@functools.lru_cache(maxsize=256)
def _refusals(texts: tuple[str, ...], hosts_per_switch: int) -> dict[Level, TopologyError]:
    """Return why pairs of a level mean nothing, where they do, on planes so made; those made from one text agree."""
    network, found = build_network(texts, hosts_per_switch=hosts_per_switch), {}
    for level in get_args(Level):
        try:
            network.check_level(level)
        except TopologyError as error:
            found[level] = error
    return found


class TrafficKeys(TrafficSettings, Case):
    """Who sends how much to whom."""

    @model_validator(mode="after")
    def _check_traffic(self) -> Self:
        with naming("traffic"):
            check_traffic(self.traffic)
        return self


class DemandKeys(TrafficKeys, NetworkKeys):
    """A network and the demands on it."""

    @model_validator(mode="after")
    def _check_level(self) -> Self:
        self.check_level(self.level)
        return self
