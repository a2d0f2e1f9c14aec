"""The networks that are tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from pnet_lp.cost import Quote, quote_network
from pnet_lp.cost.books import Book
from pnet_lp.design.settings import FindSettings
from pnet_lp.model import Network
from pnet_lp.model.network import Variant
from pnet_lp.registry import write_expression, written
from pnet_lp.topology import build_network
from pnet_lp.topology.family import topologies
from pnet_lp.topology.sizing import Equipment, sizings
from pnet_lp.units import DEFAULT_LINK_GBPS


@dataclass(frozen=True)
class Candidate:
    """A network that might do.

    Attributes:
        topology: the expression of a plane, but for the speed of its links.
        hosts_per_switch: hosts to attach where the expression has none.
        planes: how many.
        variant: how they relate.
        gbps: speed of every link.
        seed: of what is random.
    """

    topology: str
    hosts_per_switch: int
    planes: int
    variant: Variant
    gbps: float
    seed: int

    @property
    def access_gbps(self) -> float:
        """What a host can send into all planes together."""
        return self.planes * self.gbps

    @property
    def alike(self) -> bool:
        """Whether the planes are copies, which carry as many times what one carries."""
        return self.variant != "heterogeneous"

    @property
    def one(self) -> Candidate:
        """One plane of it."""
        return Candidate(self.topology, self.hosts_per_switch, 1, "serial", self.gbps, self.seed)

    @cached_property
    def network(self) -> Network:
        """The network itself."""
        return build_network(
            self.topology,
            planes=self.planes,
            variant=self.variant,
            hosts_per_switch=self.hosts_per_switch,
            link_gbps=self.gbps,
            seed=self.seed,
        )

    def quote(self, books: tuple[Book, Book], radix: int) -> Quote:
        """Return its priced parts, every switch with ``radix`` ports."""
        return quote_network(self.network, *books, ports=radix)

    @property
    def command(self) -> str:
        """The arguments that make it on the command line."""
        words = [self.topology]
        if self.hosts_per_switch:
            words.append(f"--hosts-per-switch {self.hosts_per_switch}")
        if self.gbps != DEFAULT_LINK_GBPS:
            words.append(f"--link-gbps {self.gbps:g}")
        if self.planes > 1:
            words.append(f"--planes {self.planes}")
        if not self.alike:
            words.append(f"--variant {self.variant}")
        if self.seed:
            words.append(f"--seed {self.seed}")
        return " ".join(words)


def candidates(asked: FindSettings) -> Iterator[Candidate]:
    """Yield the networks of the families asked for, with every number of planes and every speed, each once."""
    wanted = Equipment(asked.hosts, asked.radix)
    kinds = (wanted, replace(wanted, fine=True)) if asked.sizes == "fine" else (wanted,)
    seen: set[Candidate] = set()
    for name in asked.families or sizings.names():
        entry, seeded = sizings.get(name), "seed" in topologies.get(name).params.model_fields
        for given in chain.from_iterable(map(entry.build, kinds)):
            values = dict(given)
            hosts_per_switch = values.pop("hosts_per_switch", 0)
            text = _expression(name, values)
            for gbps in asked.speeds:
                for planes in asked.planes:
                    variants: tuple[Variant, ...] = ("serial",) if planes == 1 else ("homogeneous",)
                    if planes > 1 and seeded:
                        variants += ("heterogeneous",)
                    for variant in variants:
                        found = Candidate(text, hosts_per_switch, planes, variant, gbps, asked.seed)
                        if found not in seen:
                            seen.add(found)
                            yield found


def candidates_between(asked: FindSettings) -> int:
    """Return how many more there would be in fine sizes."""
    fine = asked.model_copy(update={"sizes": "fine"})
    return sum(1 for _ in candidates(fine)) - sum(1 for _ in candidates(asked))


def _expression(name: str, values: Mapping[str, object]) -> str:
    fields = topologies.get(name).params.model_fields
    return write_expression(name, {key: written(value, fields[key]) for key, value in values.items()})
