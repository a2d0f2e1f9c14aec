"""What an ARCHITECTURE stands for: a closed-form bill, the packaging behind it, and the network, if one wants it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from pnet_lp.cost.bill import Bill
from pnet_lp.cost.packaging import Packaging, count, default_packaging
from pnet_lp.errors import SpecError
from pnet_lp.model import Network
from pnet_lp.model.network import Variant
from pnet_lp.registry import Registry, nearest, parse_expression
from pnet_lp.topology import build_network, topologies
from pnet_lp.topology.catalogue import catalogue
from pnet_lp.units import DEFAULT_LINK_GBPS


@dataclass(frozen=True)
class Design:
    """An architecture with its sizes settled.

    Attributes:
        bill: what it is made of, from closed forms, or counted where there are none.
        bisection_gbps: capacity between two halves of the hosts in each direction, where a closed form gives it.
        packaging: what :func:`~pnet_lp.cost.packaging.count` needs to get the same bill from the network.
        build: returns the explicit network; None where there is none.
        label: the expression.
        beta: parameter of that name, if it has one.
        counted: whether the bill was counted from the network rather than computed.
    """

    bill: Bill
    bisection_gbps: float | None
    packaging: Packaging
    build: Callable[[], Network] | None
    label: str = ""
    beta: float | None = None
    counted: bool = False


Architecture: TypeAlias = Callable[[Any], Design]
"""``parameters -> design``; the parameters are an instance of the entry's model."""

architectures: Registry[Architecture] = Registry(
    "architecture", package="pnet_lp.cost.architectures", group="pnet_lp.architectures"
)


@dataclass(frozen=True)
class TopologyOptions:
    """How a TOPOLOGY becomes a network and is packed; architectures have parameters for that.

    Attributes:
        planes, variant, link_gbps, hosts_per_switch, seed: as of :func:`~pnet_lp.topology.build_network`.
        ports: of every switch; None: as many as the one with most cables uses.
        separate: whether planes that are alike have boxes and cables of their own.
    """

    planes: int = 1
    variant: Variant | None = None
    link_gbps: float = DEFAULT_LINK_GBPS
    hosts_per_switch: int = 0
    seed: int = 0
    ports: int | None = None
    separate: bool = False


def design(text: str, options: TopologyOptions | None = None, *, beta: float | None = None) -> Design:
    """Return what ``text`` stands for.

    Args:
        text: an architecture's expression, or a TOPOLOGY, of which the parts are counted.
        options: for a TOPOLOGY.
        beta: replaces the parameter ``beta``, if the architecture has one.

    Raises:
        SpecError: an unknown name, a wrong parameter, sizes that do not fit.
        TopologyError: as :func:`~pnet_lp.topology.build_network`.
    """
    name = text.partition(":")[0].strip()
    if name in architectures:
        entry = architectures.get(name)
        values: dict[str, object] = dict(parse_expression(text)[1])
        if beta is not None and "beta" in entry.params.model_fields:
            values["beta"] = beta
        params = entry.validate(values)
        return replace(entry.build(params), label=text, beta=getattr(params, "beta", None))
    check_topology_named(text)
    options = options or TopologyOptions()
    network = build_network(
        [text],
        planes=options.planes,
        variant=options.variant,
        link_gbps=options.link_gbps,
        hosts_per_switch=options.hosts_per_switch,
        seed=options.seed,
    )
    packaging = replace(Packaging() if options.separate else default_packaging(network), ports=options.ports)
    return Design(count(network, packaging), None, packaging, lambda: network, text, counted=True)


def check_topology_named(text: str) -> None:
    """Raise SpecError unless ``text``, which is no architecture, names a TOPOLOGY or looks like a file."""
    name = text.partition(":")[0].strip()
    known = {**dict.fromkeys(architectures.names()), **dict.fromkeys(topologies.names()), **catalogue()}
    path = Path(text)
    if name in topologies or text in known or "/" in text or path.suffix or path.is_file():
        return
    raise SpecError(
        f"unknown architecture {name!r}{nearest(name, known)}",
        allowed=f"{', '.join(architectures.names())}, or a TOPOLOGY",
    )
