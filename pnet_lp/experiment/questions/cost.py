"""What an architecture carries for its money: its price next to its bisection and its throughput."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Self, TypeAlias

from pydantic import Field, model_validator

from pnet_lp.cost import (
    ARCHITECTURES,
    BookSettings,
    Design,
    Quote,
    TopologyOptions,
    TopologySettings,
    design,
    quote,
    switch_hops,
)
from pnet_lp.cost.design import read_architecture
from pnet_lp.errors import SpecError, naming
from pnet_lp.experiment.case import Case
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed
from pnet_lp.failures import FailureSettings
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.registry import parse_expression
from pnet_lp.throughput import solve
from pnet_lp.throughput.bounds import find_bisection
from pnet_lp.throughput.settings import ToleranceSettings
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE, Progress
from pnet_lp.topology import check_topology
from pnet_lp.traffic import build_traffic, check_traffic

Basis: TypeAlias = Literal["closed form", "proved", "best cut found"]

LARGEST_GRAPH = 20_000
"""Most chips of a network that is built only to look for its bisection."""


@dataclass(frozen=True)
class BisectionCapacity:
    """Capacity between two halves of the hosts, or of the racks where there are no hosts.

    Attributes:
        gbps: Gb/s in the narrower direction.
        basis: ``closed form`` of the architecture; of the network, ``proved`` narrowest, or the ``best cut found``,
            which may be wider than the narrowest.
    """

    gbps: float
    basis: Basis


@dataclass(frozen=True)
class Appraisal:
    """An architecture with its price and what it carries.

    Attributes:
        design: what it is.
        quote: what it costs.
        switch_hops: as of its bill, or as measured.
        bisection: None where it was not asked for, is not known or the network is too large to look for it.
        traffic: the matrix that was solved, if one was.
        result: its throughput.
    """

    design: Design
    quote: Quote
    switch_hops: int | None
    bisection: BisectionCapacity | None
    traffic: TrafficMatrix | None = None
    result: ThroughputResult | None = None

    @property
    def throughput_gbps(self) -> float | None:
        """Gb/s that all demands of the matrix get together: K times their sum."""
        if self.result is None or self.traffic is None:
            return None
        return self.result.throughput_gbps * self.traffic.total

    @property
    def capacity_gbps(self) -> float | None:
        """The throughput if there is one, else the bisection."""
        if self.throughput_gbps is not None:
            return self.throughput_gbps
        return self.bisection.gbps if self.bisection else None


def appraise(
    design: Design,
    quote: Quote,
    traffic: Callable[[Network], TrafficMatrix] | None = None,
    *,
    measure: bool = True,
    tolerance: float = DEFAULT_TOLERANCE,
    threads: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
) -> Appraisal:
    """Return what ``design`` carries next to what it costs.

    Args:
        design: the architecture.
        quote: its price.
        traffic: returns the matrix to solve on a network; None solves nothing.
        measure: whether to build the network where no closed form gives its bisection; its longest path is then
            measured too.
        tolerance: as of :func:`~pnet_lp.throughput.solve`.
        threads: as of :func:`~pnet_lp.throughput.solve`.
        on_progress: as of :func:`~pnet_lp.throughput.solve`.

    Raises:
        SpecError: traffic for an architecture that has no explicit network.
    """
    hops = design.bill.switch_hops
    bisection = (
        None if design.bisection_gbps is None else BisectionCapacity(design.bisection_gbps, "closed form")
    )
    look = measure and bisection is None and design.bill.chips <= LARGEST_GRAPH
    if traffic is None and not (look and design.build):
        return Appraisal(design, quote, hops, bisection)
    if design.build is None:
        raise SpecError("there is no explicit network to send traffic over", where=design.label)
    network = design.build()
    if look:
        hops = switch_hops(network) if hops is None else hops
        bisection = _bisection(network)
    if traffic is None:
        return Appraisal(design, quote, hops, bisection)
    matrix = traffic(network)
    result = solve(network, matrix, tolerance=tolerance, threads=threads, on_progress=on_progress)
    return Appraisal(design, quote, hops, bisection, matrix, result)


def _bisection(network: Network) -> BisectionCapacity | None:
    """Return the narrowest split into halves that is found."""
    found = find_bisection(network)
    if found is None:
        return None
    return BisectionCapacity(found.gbps, "proved" if found.proved else "best cut found")


class ArchitectureKeys(Case):
    """What is priced."""

    architecture: str = Field(description="an architecture, or a TOPOLOGY")
    beta: float | None = Field(None, ge=1, description="the architecture's parameter of that name")


class CostCase(BookSettings, ToleranceSettings, FailureSettings, TopologySettings, ArchitectureKeys):
    """One architecture, as of ``pnet-lp cost``.

    The keys of planes and failures, ``ports`` and ``separate`` are for a TOPOLOGY, whose parts are counted.
    """

    headline = "total_usd"
    columns = (
        "watts",
        "hosts",
        "tiers",
        "switch_hops",
        "chips",
        "boxes",
        "links",
        "bisection_gbps",
        "carried_gbps",
        "example_prices",
    )

    bisection: bool = Field(False, description="whether to look for a bisection that has no closed form")
    traffic: str | None = Field(None, description="demands whose throughput is solved too")
    level: Level | None = Field(None, description="whether these demands are between racks or hosts")

    @model_validator(mode="after")
    def _check_design(self) -> Self:
        with naming("traffic"):
            if self.traffic is not None:
                check_traffic(self.traffic)
        for key in ("level", "tolerance") if self.traffic is None else ():
            self._refuse(key, "a cost without traffic")
        with naming("architecture"):
            kind, expression = read_architecture(self.architecture, self._options(), beta=self.beta)
            if kind == "topology":
                check_topology(expression, link_gbps=self.link_gbps)
        if kind == "topology":
            self.failures.check_planes(self.check([expression]))
            self.check_shares()
            for key in FailureSettings.model_fields if self.traffic is None and not self.bisection else ():
                self._refuse(key, "a cost without traffic or bisection: what fails is paid for, too")
            self._refuse("beta", repr(self.architecture))
            return self
        made = self._check_architecture(expression)
        quote(made.bill, *self.books)
        if made.build is None:
            self._refuse("traffic", f"{self.architecture!r}, which has no explicit network")
        return self

    def _check_architecture(self, expression: str) -> Design:
        name, values = parse_expression(expression)
        for key in _OF_TOPOLOGIES:
            self._refuse(key, f"the architecture {self.architecture!r}")
        with naming("architecture"):
            known = ARCHITECTURES.get(name).params.model_fields
        if "beta" not in known:
            self._refuse("beta", repr(self.architecture))
        if self.beta is not None and "beta" in values:
            raise SpecError(f"{self.architecture!r} says it already", where="beta", found=self.beta)
        with naming("architecture"):
            return design(self.architecture, beta=self.beta)

    def _refuse(self, key: str, what: str) -> None:
        """Raise SpecError if the key has another value than its default."""
        if self._says(key):
            raise SpecError(f"has no meaning for {what}", where=key, found=getattr(self, key))

    def _says(self, key: str) -> bool:
        return bool(getattr(self, key) != CostCase.model_fields[key].default)

    def _options(self, seed: int = 0) -> TopologyOptions:
        return TopologyOptions(self, seed, self.failures, tuple(filter(self._says, _OF_TOPOLOGIES)))

    def design(self, seed: int) -> Design:
        """Return the architecture with its sizes settled."""
        return design(self.architecture, self._options(seed), beta=self.beta)


_OF_TOPOLOGIES = (*TopologySettings.model_fields, *FailureSettings.model_fields)
"""Keys for which architectures have parameters of their own, or no use."""


@QUESTIONS.register(
    "cost", params=CostCase, summary="price, power and parts of an architecture, next to what it carries"
)
def cost(case: CostCase, seed: int) -> Posed:
    """Pose the case at the prices that its books hold now."""
    made = case.design(seed)
    if made.build:
        made = replace(made, build=functools.cache(made.build))
    prices, powers = case.books
    text = case.traffic

    def matrix(network: Network) -> TrafficMatrix:
        return build_traffic(text or "", network, case.level, seed=seed)

    def answer(threads: int, on_progress: OnProgress) -> Answer:
        found = appraise(
            made,
            quote(made.bill, prices, powers),
            matrix if text else None,
            measure=case.bisection,
            tolerance=case.tolerance,
            threads=threads,
            on_progress=on_progress,
        )
        return _answer(found)

    inputs = [prices.content, powers.content]
    if made.build and (made.counted or text):
        inputs.append(made.build().fingerprint)
    if made.build and text:
        inputs.append(matrix(made.build()).fingerprint)
    return Posed(tuple(inputs), answer)


def _answer(found: Appraisal) -> Answer:
    bill, quoted = found.design.bill, found.quote
    columns = {
        "watts": quoted.watts,
        "hosts": bill.hosts,
        "tiers": bill.tiers,
        "switch_hops": found.switch_hops,
        "chips": bill.chips,
        "boxes": bill.box_count,
        "links": bill.links,
        "bisection_gbps": found.bisection.gbps if found.bisection else None,
        "carried_gbps": found.throughput_gbps,
        "example_prices": any(line.price.example for line in quoted.lines),
    }
    parts = [
        {"part": line.part.name, "count": line.count, "unit_usd": line.unit_usd, "usd": line.usd}
        for line in quoted.lines
    ]
    return Answer(
        Headline.exact(CostCase.headline, "usd", "price", quoted.total_usd, "USD"),
        # The price is exact; what it is compared with may not be.
        "bounds" if found.result and found.result.status == "bounds" else "exact",
        columns,
        {"total_usd": quoted.total_usd, **columns, "parts": parts},
    )
