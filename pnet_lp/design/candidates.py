"""The candidate networks of a search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

from pnet_lp.cost import Quote, quote_network
from pnet_lp.cost.books import Book
from pnet_lp.design.settings import FindSettings
from pnet_lp.model import Network, Plane
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Variant
from pnet_lp.model.servers import Servers
from pnet_lp.registry import write_expression, written
from pnet_lp.topology import build_network
from pnet_lp.topology.family import topologies
from pnet_lp.topology.sizing import Equipment, Sizing, sizings
from pnet_lp.units import DEFAULT_LINK_GBPS


@brief()
@dataclass(frozen=True, repr=False)
class Hosts:
    """What hosts are, the same for all candidates.

    Attributes:
        servers: what is inside the servers that they are in; None where each is by itself.
        options: what says so on the command line.
        counted: what of them is priced beside switches and cables, as arguments of
            :func:`~pnet_lp.cost.packaging.default_packaging`.
    """

    servers: Servers | None = None
    options: str = ""
    counted: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, settings: FindSettings) -> Hosts:
        """Return what the settings say."""
        said = {"server": settings.server, "server-gbps": settings.server_gbps}
        said |= {"rails": settings.rails, "relay": settings.relay}
        options = [
            f"--{key} {value:g}" if isinstance(value, float) else f"--{key} {value}"
            for key, value in said.items()
            if value is not None
        ]
        return cls(settings.servers(settings.seed), " ".join(options), tuple(settings.of_hosts.items()))


_PLAIN = Hosts()


@brief()
@dataclass(frozen=True, repr=False)
class Candidate:
    """A network that may carry the load.

    Attributes:
        topology: the expression of a plane, but for the speed of its links.
        hosts_per_switch: hosts to attach where the expression has none.
        planes: how many.
        variant: how the planes relate.
        gbps: speed of every link.
        seed: of random choices.
        hosts: what hosts are.
    """

    topology: str
    hosts_per_switch: int
    planes: int
    variant: Variant
    gbps: float
    seed: int
    hosts: Hosts = _PLAIN

    @property
    def access_gbps(self) -> float:
        """What a host can send into all planes together and inside its server, on average."""
        servers = self.hosts.servers
        if servers is None:
            return self.planes * self.gbps
        return self.planes // servers.rails * self.gbps + float(servers.speeds[0].mean())

    @property
    def servers(self) -> Servers | None:
        """What is inside servers, of which there are as many as hosts fill; ports of the other hosts stay empty."""
        servers = self.hosts.servers
        if servers is None:
            return None
        count, spare = divmod(_plane(self.single_plane).host_count, servers.size)
        return replace(servers, count=count) if spare else servers

    @property
    def identical_planes(self) -> bool:
        """Whether the planes are copies: n of them carry n times what one carries."""
        return self.variant != "heterogeneous"

    @property
    def representative(self) -> Candidate:
        """What is bounded and solved in its place: one plane where planes are copies, else itself.

        What is inside servers is there once, however many planes there are.
        """
        return self.single_plane if self.identical_planes and self.hosts.servers is None else self

    @property
    def single_plane(self) -> Candidate:
        """The network of one of its planes, without servers."""
        return Candidate(self.topology, self.hosts_per_switch, 1, "serial", self.gbps, self.seed)

    @cached_property
    def network(self) -> Network:
        """The network itself."""
        if self.identical_planes:
            return Network.from_planes([_plane(self.single_plane)] * self.planes, self.variant, self.servers)
        return build_network(
            self.topology,
            planes=self.planes,
            variant=self.variant,
            hosts_per_switch=self.hosts_per_switch,
            link_gbps=self.gbps,
            seed=self.seed,
            servers=self.servers,
        )

    def quote(self, books: tuple[Book, Book], radix: int) -> Quote:
        """Return its priced parts, every switch with ``radix`` ports.

        Different planes of a family have the same parts, wherever their cables run; so only the first is built.
        """
        if self.identical_planes or self.hosts.servers is not None:
            return self.exact_quote(books, radix)
        first = [_plane(self.single_plane)] * self.planes
        counted = dict(self.hosts.counted)
        return quote_network(Network.from_planes(first), *books, ports=radix, separate=True, **counted)

    def exact_quote(self, books: tuple[Book, Book], radix: int) -> Quote:
        """Return the same of the network itself, all of whose planes are built."""
        return quote_network(self.network, *books, ports=radix, **dict(self.hosts.counted))

    @property
    def command(self) -> str:
        """The arguments that build it on the command line."""
        parts = [self.topology]
        if self.hosts_per_switch:
            parts.append(f"--hosts-per-switch {self.hosts_per_switch}")
        if self.gbps != DEFAULT_LINK_GBPS:
            parts.append(f"--link-gbps {self.gbps:g}")
        if self.planes > 1:
            parts.append(f"--planes {self.planes}")
        if not self.identical_planes:
            parts.append(f"--variant {self.variant}")
        if self.hosts.options:
            parts.append(self.hosts.options)
        if self.servers is not None and self.servers.count is not None:
            parts.append(f"--server-count {self.servers.count}")
        if self.seed:
            parts.append(f"--seed {self.seed}")
        return " ".join(parts)


@lru_cache(maxsize=16)
def _plane(candidate: Candidate) -> Plane:
    """Return the one plane of a candidate; those of other numbers of planes follow soon."""
    (plane,) = build_network(
        candidate.topology, hosts_per_switch=candidate.hosts_per_switch, link_gbps=candidate.gbps, seed=candidate.seed
    ).planes
    return plane


def candidates(settings: FindSettings) -> Iterator[Candidate]:
    """Yield the networks of the chosen families, with every number of planes and every speed, each once."""
    seen: set[Candidate] = set()
    hosts = Hosts.of(settings)
    rails, size = (1, None) if hosts.servers is None else (hosts.servers.rails, hosts.servers.size)
    for name in settings.families or sizings.names():
        entry, seeded = sizings.get(name), "seed" in topologies.get(name).params.model_fields
        # The planes of one size follow each other, whatever their speed: those who look at them may keep the last ones.
        for text, hosts_per_switch, gbps in _sizes(settings, name, entry.build, size):
            for planes in (count for count in settings.planes if count % rails == 0):
                variants: tuple[Variant, ...] = ("serial",) if planes == 1 else ("homogeneous",)
                if planes > 1 and seeded:
                    variants += ("heterogeneous",)
                for variant in variants:
                    found = Candidate(text, hosts_per_switch, planes, variant, gbps, settings.seed, hosts)
                    if found not in seen:
                        seen.add(found)
                        yield found


def _sizes(settings: FindSettings, name: str, sizing: Sizing, size: int | None) -> Iterator[tuple[str, int, float]]:
    """Yield the expressions of a family's sizes, hosts to attach to a switch, and speeds of links.

    They have room for full servers of ``size`` accelerators.
    """
    by_ports: dict[int, list[float]] = {}
    for gbps in settings.speeds:
        by_ports.setdefault(settings.ports(gbps), []).append(gbps)
    least = settings.hosts if size is None else -(-settings.hosts // size) * size
    for ports, speeds in by_ports.items():
        few = Equipment(least, ports)
        kinds = (few, replace(few, fine=True)) if settings.sizes == "fine" else (few,)
        for given in chain.from_iterable(map(sizing, kinds)):
            values = dict(given)
            hosts_per_switch = values.pop("hosts_per_switch", 0)
            for gbps in speeds:
                yield _expression(name, values), hosts_per_switch, gbps


def candidates_between(settings: FindSettings) -> int:
    """Return how many more candidates fine sizes add."""
    fine = settings.model_copy(update={"sizes": "fine"})
    return sum(1 for _ in candidates(fine)) - sum(1 for _ in candidates(settings))


def _expression(name: str, values: Mapping[str, object]) -> str:
    fields = topologies.get(name).params.model_fields
    return write_expression(name, {key: written(value, fields[key]) for key, value in values.items()})
