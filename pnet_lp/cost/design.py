"""What an ARCHITECTURE stands for: a closed-form bill, the packaging behind it, and the network, built on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BeforeValidator, Field

from pnet_lp.cost.bill import Bill, Medium
from pnet_lp.cost.packaging import Packaging, count, default_packaging
from pnet_lp.errors import SpecError, Verbatim
from pnet_lp.failures import FailureModel, Failures, apply_mask
from pnet_lp.files import exists, named_files
from pnet_lp.flags import Flag
from pnet_lp.model import Network
from pnet_lp.model.brief import brief
from pnet_lp.registry import Entry, Params, Registry, nearest, parse_expression, validate
from pnet_lp.topology import PlaneSettings, topologies
from pnet_lp.topology.network import assumptions
from pnet_lp.topology.planes import check_brackets, is_planes
from pnet_lp.units import parse_gbps


@brief("label", "bill", "packaging")
@dataclass(frozen=True, repr=False)
class Design:
    """An architecture with its sizes settled.

    Attributes:
        bill: what it is made of, from closed forms, or counted where there are none.
        bisection_gbps: capacity between two halves of the hosts in each direction, where a closed form gives it.
        packaging: what :func:`~pnet_lp.cost.packaging.count` needs to get the same bill from the network.
        build: returns the explicit network, with what fails in it down; None where there is none.
        label: the expression, and how much is down.
        beta: parameter of that name, if it has one.
        counted: whether the bill was counted from the network rather than computed.
        warnings: what was assumed of the network, one sentence each.
        servers: whether hosts are in servers.
    """

    bill: Bill
    bisection_gbps: float | None
    packaging: Packaging
    build: Callable[[], Network] | None
    label: str = ""
    beta: float | None = None
    counted: bool = False
    warnings: tuple[str, ...] = ()
    servers: bool = False

    @property
    def of_hosts(self) -> dict[str, Any] | None:
        """What is counted of hosts, by the options that say so; None where nothing is said and there are no servers."""
        packed = self.packaging
        if not (self.servers or packed.nics or (self.counted and packed.access != "copper")):
            return None
        return {"nics": packed.nics, "access": packed.access, "scale_up": packed.scale_up}


ChipGbps = Annotated[
    float | None,
    BeforeValidator(lambda value: parse_gbps(value) if isinstance(value, str) else value),
    Flag(metavar="SPEED", parse=parse_gbps),
]
"""What a switch carries, in Gb/s, and as text: 51.2T."""

Architecture: TypeAlias = Callable[[Any], Design]
"""``parameters -> design``; the parameters are an instance of the entry's model."""

Kind: TypeAlias = Literal["architecture", "topology"]

ARCHITECTURES: Registry[Architecture] = Registry(
    "architecture", package="pnet_lp.cost.architectures", group="pnet_lp.architectures"
)


class HostPartSettings(Params):
    """What is counted of hosts beside switches and cables."""

    heading = "Network"

    access: Medium = Field(
        "copper", description="cables from switches of a TOPOLOGY to hosts: copper, or fibres with sr or lr optics"
    )
    nics: bool = Field(
        False, description="also count the network card of each host of a TOPOLOGY, with optics if access is a fibre"
    )
    scale_up: bool = Field(False, description="also count switches and links inside servers")

    @property
    def of_hosts(self) -> dict[str, Any]:
        """The same as arguments of :func:`~pnet_lp.cost.packaging.default_packaging`."""
        return self.model_dump(include=set(HostPartSettings.model_fields))


class _PackedSettings(PlaneSettings):
    """How a TOPOLOGY is packed."""

    heading = "Network"

    ports: Annotated[int | None, Flag(excludes=("chip",))] = Field(
        None,
        ge=1,
        description="ports of every switch of a TOPOLOGY, as fast as its fastest link, slower links broken out; "
        "default: of each speed as many as any switch uses whose links have the same speeds",
    )
    chip: ChipGbps = Field(
        None,
        gt=0,
        description="in place of ports, what every switch of a TOPOLOGY carries, such as 51.2T: as many ports as fit "
        "at the speed of its fastest link",
    )
    separate: bool = Field(False, description="give equal planes of a TOPOLOGY boxes and cables of their own")


class TopologySettings(HostPartSettings, _PackedSettings):
    """How a TOPOLOGY becomes a network and is packed; architectures have parameters for that."""

    heading = "Network"

    @property
    def packed(self) -> dict[str, Any]:
        """How it is packed, as arguments of :func:`~pnet_lp.cost.packaging.default_packaging`."""
        return self.of_hosts | {"ports": self.ports, "separate": self.separate, "chip_gbps": self.chip}


_DEFAULTS = validate(TopologySettings, {})


@dataclass(frozen=True)
class TopologyOptions:
    """What is priced of a TOPOLOGY.

    Attributes:
        settings: how it becomes a network and is packed.
        seed: as of :func:`~pnet_lp.topology.build_network`.
        failures: what is down.  It carries nothing, but has been bought: the bill is that of the whole network.
        given: which of these were given explicitly.  An architecture rejects them, and a name that is both an
            architecture and a topology then means the topology.
    """

    settings: TopologySettings = _DEFAULTS
    seed: int = 0
    failures: Failures = field(default_factory=Failures)
    given: tuple[str, ...] = ()


def design(text: str, options: TopologyOptions | None = None, *, beta: float | None = None) -> Design:
    """Return what ``text`` stands for.

    Args:
        text: an architecture's expression, or a TOPOLOGY, of which the parts are counted.  A name that is both means
            the one that its parameters fit, or says which: ``architecture:jellyfish:k=8``,
            ``topology:jellyfish:k=8``.
        options: for a TOPOLOGY.
        beta: replaces the parameter ``beta``, if the architecture has one.

    Raises:
        SpecError: an unknown name, one that can mean two things, a wrong parameter, sizes that do not fit, or options
            for an architecture.
        TopologyError: as :func:`~pnet_lp.topology.build_network`.
    """
    options = options or TopologyOptions()
    kind, expression = read_architecture(text, options, beta=beta)
    if kind == "topology":
        whole = options.settings.intact([expression], options.seed)
        made = counted(whole, options, text)
        assumed = assumptions(
            whole, [expression], speed="link_gbps" not in options.settings.model_fields_set, level=False
        )
        return replace(made, warnings=(*made.warnings, *assumed))
    name, values = parse_expression(expression, ARCHITECTURES)
    entry = ARCHITECTURES.get(name)
    if options.given:
        raise SpecError(
            f"{text} is an architecture, and this is for a TOPOLOGY",
            where=options.given[0],
            allowed=Verbatim(f"parameters of {name}: {', '.join(entry.params.model_fields)}"),
        )
    stated = {} if beta is None or "beta" not in entry.params.model_fields else {"beta": beta}
    params = entry.validate({**values, **stated})
    return replace(entry.build(params), label=text, beta=getattr(params, "beta", None))


def read_architecture(text: str, options: TopologyOptions, *, beta: float | None = None) -> tuple[Kind, str]:
    """Return what ``text`` stands for, and its expression without the prefix that says so; see :func:`design`.

    Raises:
        SpecError: an unknown name, or one that can mean two things.
    """
    name, _, rest = (part.strip() for part in text.partition(":"))
    for kind in get_args(Kind):
        if rest and name == kind:
            return kind, rest
    if name not in ARCHITECTURES:
        _check_topology_named(text)
        return "topology", text
    entry = ARCHITECTURES.get(name)
    if name not in topologies or (beta is not None and "beta" in entry.params.model_fields and not options.given):
        return "architecture", text
    if options.given:
        return "topology", text
    _, values = parse_expression(text)
    fits = [_fits(entry, values), _fits(topologies.get(name), values)]
    if all(fits):
        raise SpecError(
            f"{name!r} is an architecture and a topology, and the parameters fit both",
            where=text,
            allowed=f"architecture:{text} or topology:{text}",
        )
    return "topology" if fits[1] else "architecture", text


def _fits(entry: Entry[Any], values: Mapping[str, object]) -> bool:
    try:
        entry.validate(values)
    except SpecError:
        return False
    return True


def counted(whole: Network, options: TopologyOptions, label: str = "") -> Design:
    """Return the design whose parts are those of a network.

    Args:
        whole: without failures.
        options: what fails in it, and how it is packed.
        label: what it is called; default: as its planes are.
    """
    label = label or " + ".join(dict.fromkeys(plane.label or "plane" for plane in whole.planes))
    packaging = default_packaging(whole, **options.settings.packed)
    mask = FailureModel(whole, options.failures).draw(options.seed)
    down = [f"{count} {what}" for what, count in mask.counts.items() if count]
    return Design(
        count(whole, packaging),
        None,
        packaging,
        lambda: apply_mask(whole, mask),
        f"{label} ({', '.join(down)} down)" if down else label,
        counted=True,
        warnings=whole.warnings,
        servers=whole.servers is not None,
    )


def _check_topology_named(text: str) -> None:
    """Raise SpecError unless ``text``, which is no architecture, names a TOPOLOGY or looks like a file."""
    name = text.partition(":")[0].strip()
    known = dict.fromkeys([*ARCHITECTURES.names(), *topologies.names(), *named_files("topologies")])
    path = Path(text)
    if is_planes(text) or name in topologies or text in known or "/" in text or path.suffix or exists(text):
        return
    check_brackets(text)
    raise SpecError(
        f"unknown architecture {name!r}{nearest(name, known)}",
        allowed=f"{', '.join(ARCHITECTURES.names())}, or a TOPOLOGY",
    )
