"""What an architecture carries for its money: its price next to its bisection and its throughput."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pnet_lp.cost import Design, Quote, switch_hops
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.throughput.bounds import find_bisection
from pnet_lp.throughput.facade import solve
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE, Progress

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


@brief("design", "quote")
@dataclass(frozen=True, repr=False)
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
    bisection = None if design.bisection_gbps is None else BisectionCapacity(design.bisection_gbps, "closed form")
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
    """Return the narrowest split into halves that is found; None with servers, which halves of hosts would divide."""
    if network.servers is not None:
        return None
    found = find_bisection(network)
    if found is None:
        return None
    return BisectionCapacity(found.gbps, "proved" if found.proved else "best cut found")
