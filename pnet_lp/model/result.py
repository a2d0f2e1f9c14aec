"""What a throughput query returns: an interval that is proved, the proof, and what binds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, TypeAlias

from pnet_lp.model.arrays import FloatArray, IntArray, MostlyZero, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.certificates import Certificate
from pnet_lp.model.flow import Lengths
from pnet_lp.model.frozen import freeze, thawed
from pnet_lp.model.network import Level
from pnet_lp.model.paths import Policy
from pnet_lp.model.servers import LinkKind
from pnet_lp.units import format_gbps, format_short

Status: TypeAlias = Literal["certified", "bounds"]

_NO_LINKS = MostlyZero.of(floats([]))


@brief()
@dataclass(frozen=True, repr=False)
class Interval:
    """A proved interval for K, in Gb/s per unit demand, or for the value of another objective."""

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """``(upper - lower) / upper``; 0 where both are 0."""
        return (self.upper - self.lower) / self.upper if self.upper > 0 else 0.0


@dataclass(frozen=True)
class Bottleneck:
    """A link with positive length, and its share of the sum of capacity times length.

    Attributes:
        plane: index of the plane; the number of planes for links inside servers.
        link: names of the tail and the head.
        kind: ``core``, or ``access-up`` (host to switch), ``access-down`` or ``server`` (of a scale-up network).
        share: its part of ``sum c_a l_a``, in (0, 1].
        capacity_gbps: its capacity.
        equivalent: links of this kind, capacity and share, this one included.
    """

    plane: int
    link: tuple[str, str]
    kind: LinkKind
    share: float
    capacity_gbps: float
    equivalent: int = 1


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class FairLevel:
    """A step of max-min fairness: the demands that can get no more, given what those of earlier levels get.

    Attributes:
        rate: Gb/s per unit demand that they get, attained.
        upper: what none of them can get more than, as long as every other demand keeps what it gets, or ``upper``
            where that is less.
        demands: int32, indices of the demands, in the order of the problem.
        priced: the lengths that prove it, of arcs and of access links up and down; of no links where full links do.
            There can be many levels, and most lengths are 0.
    """

    rate: float
    upper: float
    demands: IntArray
    priced: tuple[MostlyZero, MostlyZero, MostlyZero] = field(default=(_NO_LINKS, _NO_LINKS, _NO_LINKS), repr=False)

    @property
    def length(self) -> FloatArray:
        """Lengths of arcs, float64 ``[arcs]``, or ``[0]``."""
        return self.priced[0].array()

    @property
    def up_length(self) -> FloatArray:
        """Lengths of access links from endpoints, float64 ``[planes, endpoints]``, or ``[0]``."""
        return self.priced[1].array()

    @property
    def down_length(self) -> FloatArray:
        """Lengths of those to endpoints."""
        return self.priced[2].array()

    @property
    def lengths(self) -> Lengths:
        """All three."""
        return self.length, self.up_length, self.down_length

    def by(self, length: FloatArray, up_length: FloatArray, down_length: FloatArray) -> Self:
        """Return the same level, proved by these lengths."""
        return replace(self, priced=(MostlyZero.of(length), MostlyZero.of(up_length), MostlyZero.of(down_length)))

    @property
    def gap(self) -> float:
        """``(upper - rate) / upper``."""
        return Interval(self.rate, self.upper).gap if self.upper < math.inf else 1.0


@dataclass(frozen=True)
class ValueKey:
    """How the value that an objective asks for is called.

    Attributes:
        quantity: what it is.
        suffix: its unit, as names of keys end; empty for a share.
        unit: in words.
        bounded: whether it is between two bounds, of which one is attained; otherwise only its parts have bounds.
    """

    quantity: str
    suffix: str
    unit: str
    bounded: bool = True

    @property
    def key(self) -> str:
        """Its key in the document."""
        return self.named(self.quantity)

    @property
    def bounds(self) -> tuple[str, str]:
        """The keys of its lower and its upper bound, where it has any."""
        return self.named("lower_bound"), self.named("upper_bound")

    def named(self, name: str) -> str:
        """Return the key of another figure in the same unit: ``intact_gbps``."""
        return f"{name}_{self.suffix}" if self.suffix else name

    def number(self, value: float | None, *, short: bool = False) -> str:
        """Return a value to read, without its unit, a share as a percentage; ``-`` for None.

        Args:
            value: the value.
            short: whether no proof stands behind its last digits.
        """
        if value is None:
            return "-"
        written = format_short if short else format_gbps
        return written(value) if self.suffix else f"{written(100 * value)} %"


@brief("interval", "status", "objective", "routing", "level", "solver", "binding")
@dataclass(frozen=True, eq=False, repr=False)
class ThroughputResult:
    """The answer to a throughput query, with its proof.

    Attributes:
        figures: the first keys of the JSON document: the value, its bounds, and other figures of the objective.
        headline: which of the figures is the value.
        interval: the proved bounds on the value, one of which is attained; for ``max-min`` those of its first level.
        status: ``certified`` if the gap is at most the tolerance, else ``bounds``.
        tolerance: the relative gap asked for.
        binding: what limits K: ``access link``, ``core link`` (one link), ``cut`` (several), or ``disconnected``.
        bottlenecks: the links with the largest shares, largest first.
        seconds: wall time of ``build``, ``solve`` and ``certify``.
        network, traffic: summaries, as in the JSON document.
        plane_policy: which planes the paths of a pair may use.
        routing_seed: the seed that broke ties and drew paths.
        link_load: float64 ``[arcs]``, Gb/s on each core link, where demands get their rates.
        access_load: float64 ``[2, planes, endpoints]``, the same for access links up and down; None at rack level.
        warnings: one sentence each.
        certificate: the proof; None only if K = 0 because a pair is disconnected.
        interrupted: whether the user stopped the solve.
        rates_gbps: float64 ``[demands of the matrix]``, the rate of each demand, if the objective sets rates.
        part: the part of what it asks that every demand gets, if the objective sets none.
        levels: the levels of ``max-min``; demands without a path are not numbered.
        least_load: where the flow of least total load was looked for, bounds on that load, Gb/s times links.
        inputs: what the objective read in addition to network and traffic, by name.
    """

    figures: Mapping[str, Any]
    headline: ValueKey
    interval: Interval
    status: Status
    tolerance: float
    objective: str
    routing: str
    level: Level
    solver: str
    iterations: int
    binding: str
    bottlenecks: tuple[Bottleneck, ...]
    seconds: Mapping[str, float]
    network: Mapping[str, Any]
    traffic: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    certificate: Certificate | None = None
    interrupted: bool = False
    plane_policy: Policy = "any"
    routing_seed: int = 0
    link_load: FloatArray | None = field(default=None, repr=False)
    access_load: FloatArray | None = field(default=None, repr=False)
    rates_gbps: FloatArray | None = field(default=None, repr=False)
    part: float = field(default=0.0, repr=False)
    levels: tuple[FairLevel, ...] = field(default=(), repr=False)
    least_load: Interval | None = None
    inputs: Mapping[str, FloatArray] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        freeze(self, "figures", "seconds", "network", "traffic", "inputs")

    @property
    def value(self) -> float | None:
        """The value of the objective, in ``headline.unit``; None if it has no number."""
        found: float | None = self.figures[self.headline.key]
        return found

    @property
    def throughput_gbps(self) -> float:
        """K in Gb/s per unit demand, attained by the certificate's flow.

        Raises:
            AttributeError: the objective has no throughput.
        """
        if "throughput_gbps" not in self.figures:
            raise AttributeError(
                f"a result of the objective {self.objective!r} has no throughput; its value is {self.headline.key}"
            )
        return float(self.figures["throughput_gbps"] or 0.0)

    def to_json(self) -> dict[str, Any]:
        """Return the document of ``pnet-lp throughput --json``."""
        return {
            **thawed(self.figures),
            "tolerance": self.tolerance,
            "status": self.status,
            "interrupted": self.interrupted,
            "objective": self.objective,
            "routing": self.routing,
            "plane_policy": self.plane_policy,
            "routing_seed": self.routing_seed,
            "level": self.level,
            "solver": self.solver,
            "iterations": self.iterations,
            "seconds": thawed(self.seconds),
            "network": thawed(self.network),
            "traffic": thawed(self.traffic),
            "binding": self.binding,
            "bottlenecks": [{**vars(item), "link": list(item.link)} for item in self.bottlenecks],
            "warnings": list(self.warnings),
            **({} if self.least_load is None else {"least_load": _load(self.least_load)}),
        }


def _load(bounds: Interval) -> dict[str, float]:
    keys = ("total_gbps_links", "lower_bound_gbps_links", "relative_gap")
    return dict(zip(keys, (bounds.upper, bounds.lower, bounds.gap), strict=True))
