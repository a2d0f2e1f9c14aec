"""What a bound is: a function of an instance, registered by name, that returns a value and what shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from pnet_lp.errors import SpecError, TrafficError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.arrays import IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.distances import Sites, find_sites
from pnet_lp.model.network import Level
from pnet_lp.model.servers import Relay
from pnet_lp.registry import Entry, Registry
from pnet_lp.seeds import generator
from pnet_lp.throughput.bounds.graph import SiteGraph, Wiring
from pnet_lp.throughput.bounds.search import Counts, Order, halves, spectral_orders
from pnet_lp.throughput.bounds.witness import Witness
from pnet_lp.throughput.problems import FlowProblem, build_problem

_SPECTRAL_ORDERS = 4
_RANDOM_ORDERS = 4

Of: TypeAlias = Literal["matrix", "worst-case"]
"""Whose K a bound bounds: that of the matrix given, or of the worst one with the same totals at every endpoint."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Bound:
    """An upper bound on K.

    Attributes:
        value_gbps: Gb/s per unit demand; ``inf`` where it limits nothing.
        exact: whether the value is the minimum that its definition asks for; a heuristic's is larger, or that minimum
            without a proof.  It bounds K in either case.
        of: whose K.
        witness: what to compute the value from; None where the value is ``inf``.
        facts: further numbers by name, for the JSON document.
    """

    value_gbps: float
    exact: bool
    of: Of = "matrix"
    witness: Witness | None = None
    facts: Mapping[str, float] = field(default_factory=dict)

    def to_json(self, name: str, network: Network, level: Level) -> dict[str, Any]:
        """Return the bound's entry in the document of ``pnet-lp bounds``."""
        return {
            "name": name,
            "value_gbps": self.value_gbps,
            "exact": self.exact,
            "of": self.of,
            **self.facts,
            "witness": self.witness.to_json(network, level) if self.witness else None,
        }


class Silent(Exception):  # noqa: N818 - no error: other bounds are defined
    """Raised by a bound that is not defined for an instance.

    Attributes:
        why: a clause that says why.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Instance:
    """A network and its traffic, with what several bounds derive from them.

    Attributes:
        network: the network; with servers the graph in which accelerators of any server forward, or of which none does:
            what bounds K there bounds it where fewer paths are allowed.
        traffic: the demands.
        given: the network that was given.
    """

    network: Network
    traffic: TrafficMatrix
    given: Network

    @classmethod
    def of(cls, network: Network, traffic: TrafficMatrix) -> Instance:
        """Return the instance of a network with or without servers."""
        servers, graph = network.servers, network
        if servers is not None:
            relay: Relay = "none" if servers.relay == "none" else "any"
            graph = replace(network, servers=replace(servers, relay=relay)).graph
            graph = replace(graph, planes=tuple(map(_with_limits, graph.planes)))
        return cls(graph, traffic, network)

    @property
    def level(self) -> Level:
        """The level of the demands."""
        return self.traffic.level

    @cached_property
    def problem(self) -> FlowProblem:
        """The flow problem whose K is bounded."""
        return build_problem(self.network, self.traffic)

    @cached_property
    def sites(self) -> Sites:
        """The places of the racks or hosts, those without a demand included."""
        return find_sites(self.network, self.level)

    @cached_property
    def wiring(self) -> Wiring:
        """The switches and links of the planes that differ."""
        return Wiring.of(self.network)

    @cached_property
    def graph(self) -> SiteGraph:
        """Sites and switches as one graph, and the demands between sites."""
        problem, site = self.problem, self.class_site
        return SiteGraph.of(self.wiring, self.sites, site[problem.src], site[problem.dst], problem.demand)

    @cached_property
    def orders(self) -> list[Order]:
        """Orders of the graph's nodes along which cuts are searched."""
        random = generator(0, "bounds/orders")
        nodes = self.graph.nodes
        return [
            np.arange(nodes),
            *spectral_orders(self.graph.capacity, _SPECTRAL_ORDERS),
            *(random.permutation(nodes) for _ in range(_RANDOM_ORDERS)),
        ]

    @cached_property
    def halves(self) -> list[Counts]:
        """Splits of the endpoints into halves: int64 ``[sites]`` each, members of each site in one of them."""
        count, graph = self.sites.count, self.graph
        size = np.zeros(graph.nodes, dtype=np.int64)
        size[:count] = self.sites.sizes
        return [halves(order, size, graph.capacity)[:count] for order in self.orders]

    @cached_property
    def class_site(self) -> IntArray:
        """int32 ``[E]``, the site of each endpoint of the problem."""
        classes = self.problem.endpoint_class
        used = np.flatnonzero(classes >= 0)
        site = np.zeros(self.problem.attach.shape[1])
        site[classes[used]] = self.sites.of[used]
        return ints(site)


def _with_limits(plane: Plane) -> Plane:
    """Return a plane whose access links without a limit are as fast as all links of a switch, and limit nothing."""
    if not np.isinf(plane.access_up_gbps).any():
        return plane
    tail, head, capacity = plane.arcs
    out, into = (np.bincount(end, capacity, plane.switch_count)[plane.host_switch] for end in (tail, head))
    return replace(plane, access_up_gbps=floats(out), access_down_gbps=floats(into))


Evaluate: TypeAlias = Callable[[Instance], Bound]

BOUNDS: Registry[Evaluate] = Registry("bound", package="pnet_lp.throughput.bounds", group="pnet_lp.bounds")


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Bounds:
    """The bounds of one instance.

    Attributes:
        instance: what they bound.
        found: by name, smallest value first.
        silent: by name, those that are not defined for the instance.
    """

    instance: Instance
    found: Mapping[str, Bound]
    silent: Mapping[str, Silent]

    @property
    def tightest(self) -> str | None:
        """Name of the smallest bound on the K of the matrix itself; None if none limits it."""
        own = [name for name, bound in self.found.items() if bound.of == "matrix"]
        return own[0] if own and np.isfinite(self.found[own[0]].value_gbps) else None


def chosen_bounds(names: Iterable[str] = ()) -> list[Entry[Evaluate]]:
    """Return the entries called ``names``, by default all.

    Raises:
        SpecError: no bound of that name, or one named twice.
    """
    chosen = [BOUNDS.get(name) for name in names or BOUNDS.names()]
    for i, entry in enumerate(chosen):
        if entry in chosen[:i]:
            raise SpecError("a bound is named twice", found=entry.name)
    return chosen


def compute_bounds(network: Network, traffic: TrafficMatrix, names: Iterable[str] = ()) -> Bounds:
    """Return the bounds called ``names``, by default all, on the K of ``traffic`` on ``network``.

    Raises:
        SpecError: as :func:`chosen_bounds`.
        TrafficError: the matrix is empty, or is for another number of endpoints; a bound that is named needs each
            pair, and these do not fit into memory.
        TopologyError: demands of the matrix's level mean nothing on the network.
    """
    named = tuple(names)
    chosen = chosen_bounds(named)
    instance = Instance.of(network, traffic)
    _ = instance.problem  # a matrix that does not fit is reported before anything is computed
    found: dict[str, Bound] = {}
    silent: dict[str, Silent] = {}
    for entry in chosen:
        try:
            found[entry.name] = entry.build(instance)
        except Silent as reason:
            silent[entry.name] = reason
        except TrafficError as error:
            # Demands that are a rule can be more pairs than fit into memory, and some bounds need each pair.
            if named:
                raise error.at(entry.name) from None
            silent[entry.name] = Silent(str(error))
    order = sorted(found, key=lambda name: (found[name].value_gbps, name))
    return Bounds(instance, {name: found[name] for name in order}, silent)
