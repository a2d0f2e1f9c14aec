"""Planes and networks from the expressions and files that a user gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.model.graphs import DEFAULT_SPEED
from pnet_lp.model.network import MOST_PLANES, VARIANTS, Variant
from pnet_lp.model.servers import Servers
from pnet_lp.topology.hosts import attach_hosts
from pnet_lp.topology.planes import leaves
from pnet_lp.topology.source import NetworkSource, PlaneRecipe, resolve
from pnet_lp.units import DEFAULT_LINK_GBPS

T = TypeVar("T")


def build_plane(text: str, *, link_gbps: float = DEFAULT_LINK_GBPS, seed: int | None = None) -> Plane:
    """Return the plane that ``text`` names.

    Args:
        text: an expression (``jellyfish:k=8,seed=1``), the path of a file, or a name of the catalogue.  A registered
            family's name is always the family; write ``./ring`` for a file of that name.
        link_gbps: speed of links to which neither expression nor file gives one, Gb/s in each direction.
        seed: seed of a random family where the expression gives none.

    Raises:
        SpecError: an unknown name, an invalid parameter, or a spec of several planes.
        TopologyError: a missing or broken file, or parameters that no network fits.
    """
    source = resolve(text, link_gbps=link_gbps, seed=seed)
    count = max(len(source.members), source.planes)
    if count > 1:
        raise SpecError(f"expected one plane, found {count}", where=text)
    return source.expanded(1, "serial")[0]


def check_topology(text: str, *, link_gbps: float = DEFAULT_LINK_GBPS) -> tuple[str, ...]:
    """Raise what :func:`build_plane` would for ``text``, without building; return the warnings about files.

    Raises:
        SpecError: an unknown name or an invalid parameter.
        TopologyError: a missing or broken file.
    """
    warnings: list[str] = []
    for member in resolve(text, link_gbps=link_gbps, seed=None).distinct:
        if isinstance(member, PlaneRecipe):
            member.entry.validate(member.values)
        else:
            warnings += member.assumptions
    return tuple(warnings)


def build_network(
    texts: str | Plane | Sequence[str | Plane | NetworkSource],
    *,
    planes: int = 1,
    variant: Variant | None = None,
    link_gbps: float = DEFAULT_LINK_GBPS,
    hosts_per_switch: int = 0,
    servers: Servers | None = None,
    seed: int = 0,
) -> Network:
    """Return the network that the TOPOLOGY arguments and options of a command describe.

    Args:
        texts: one topology or several, with one plane each: expressions, files or names (see :func:`build_plane`),
            expressions for several planes (:mod:`pnet_lp.topology.planes`), specs of these, what these stand for, or
            planes.
        planes: number of planes to make from a single topology of one plane.
        variant: how these planes relate; default ``serial`` for one, ``homogeneous`` for more.  ``serial`` is one
            plane; ``serial-high`` is one plane with every link ``planes`` times as fast, access links included.  Plane
            i > 0 of ``heterogeneous`` gets the seed derived from ``(seed, "plane", i)``.  For several topologies,
            ``homogeneous`` claims that they are identical.
        link_gbps: speed of links for which neither expression nor file gives one, Gb/s in each direction.
        hosts_per_switch: hosts to attach to each rack of planes without hosts, at ``link_gbps``; there must be such a
            plane.
        servers: what is inside the servers that the hosts are in.
        seed: seed of random families whose expression gives none.

    Raises:
        SpecError: an unknown name, an invalid parameter, or options that contradict each other.
        TopologyError: a missing or broken file, parameters that no network fits, planes that share neither hosts
            nor racks, or servers that do not fit.
    """
    parts, variant = _settled(texts, planes, variant, link_gbps, seed)
    attached = False

    def with_hosts(plane: Plane) -> Plane:
        nonlocal attached
        attached |= plane.host_count == 0
        return attach_hosts(plane, hosts_per_switch, link_gbps)

    made = [plane for part in parts for plane in part.source.expanded(part.planes, part.variant, with_hosts)]
    if hosts_per_switch and not attached:
        raise SpecError("the network already has hosts", where="hosts_per_switch", found=hosts_per_switch)
    network = Network.from_planes(made, variant)
    if variant == "homogeneous" and len({plane.fingerprint for plane in network.planes}) > 1:
        raise SpecError("the given planes are not identical", where="variant", found=variant)
    # By rails, planes that are identical are attached to by others.
    return network if servers is None else network.with_servers(servers)


def check_network(
    texts: str | Sequence[str], *, planes: int = 1, variant: Variant | None = None, link_gbps: float = DEFAULT_LINK_GBPS
) -> int:
    """Return how many planes :func:`build_network` would make, or raise what it says before it builds any."""
    parts, _ = _settled(texts, planes, variant, link_gbps, 0)
    return sum(part.source.count(part.planes, part.variant) for part in parts)


def inside_of(sources: Sequence[NetworkSource], link_gbps: float) -> Plane | None:
    """Return the scale-up network of the servers that files say hosts are in, None where they say none.

    Args:
        sources: what TOPOLOGY arguments stand for.
        link_gbps: speed of the links inside servers to which a file gives none.

    Raises:
        SpecError: files have different servers.
        TopologyError: what is inside cannot be said.
    """
    found = [plane for source in sources for read in source.inside if (plane := read(link_gbps)) is not None]
    other = next((plane for plane in found if plane.fingerprint != found[0].fingerprint), None)
    if other is not None:
        raise SpecError(
            f"{found[0].label} and {other.label} differ", where="server", allowed="server=TOPOLOGY, or server=none"
        )
    return found[0] if found else None


def speed_is_open(text: str) -> bool:
    """Whether what ``text`` stands for has links of the speed ``link_gbps``, or states that of every link itself."""

    def content(link_gbps: float) -> list[object]:
        members = resolve(text, link_gbps=link_gbps, seed=1).distinct
        return [one.fingerprint if isinstance(one, Plane) else one for one in members]

    return content(1.0) != content(2.0)


def assumptions(network: Network, texts: Sequence[str], *, speed: bool, level: bool) -> tuple[str, ...]:
    """Return what was assumed of the files among ``texts``, which ``network`` was built of, a sentence each.

    Args:
        network: the network.
        texts: the TOPOLOGY arguments.
        speed: whether the speed of links without one is the default.
        level: whether the level of demands is.
    """
    found = []
    for text in (leaf for each in texts for leaf in leaves(each)):
        planes = [one for one in resolve(text, link_gbps=DEFAULT_LINK_GBPS, seed=1).members if isinstance(one, Plane)]
        if speed and any((plane.arcs[2] == DEFAULT_LINK_GBPS).any() for plane in planes):
            others = [one for one in resolve(text, link_gbps=1.0, seed=1).members if isinstance(one, Plane)]
            for plane, other in zip(planes, others, strict=True):
                bare = int((plane.arcs[2] != other.arcs[2]).sum()) // 2
                if bare and not any(DEFAULT_SPEED in warning for warning in plane.warnings):
                    some = "no link has a speed, and all" if bare == plane.cable_count else f"{bare} links"
                    found.append(f"{plane.label}: {some} get {DEFAULT_LINK_GBPS:g} Gb/s, {DEFAULT_SPEED}")
        if level and planes and network.host_count == 0:
            found.append(
                f"{text}: names no hosts, so demands are between its {network.rack_count} racks (--level rack says so, "
                "--hosts-per-switch attaches hosts)"
            )
    return tuple(found)


class _Part(NamedTuple):
    """A TOPOLOGY with the number of its planes, and how these relate."""

    source: NetworkSource
    planes: int
    variant: Variant | None


def _settled(
    texts: str | Plane | Sequence[str | Plane | NetworkSource],
    planes: int,
    variant: Variant | None,
    link_gbps: float,
    seed: int,
) -> tuple[list[_Part], Variant | None]:
    """Return the parts of a network and how its planes relate; arguments and errors as of :func:`build_network`."""
    if not texts:
        raise SpecError("a network needs at least one topology")
    if planes < 1:
        raise SpecError("a network has at least one plane", where="planes", found=planes)
    for count in (planes, 1 if isinstance(texts, str | Plane) else len(texts)):
        if count > MOST_PLANES:
            raise SpecError("too many planes", where="planes", found=count, allowed=f"at most {MOST_PLANES}")
    if variant is not None and variant not in VARIANTS:
        raise SpecError("unknown variant", where="variant", found=variant, allowed=", ".join(VARIANTS))
    if not (math.isfinite(link_gbps) and link_gbps > 0):
        raise SpecError("not a valid link speed", where="link_gbps", found=link_gbps, allowed="finite Gb/s > 0")
    sources = [
        NetworkSource(text.label or "plane", (text,))
        if isinstance(text, Plane)
        else text
        if isinstance(text, NetworkSource)
        else resolve(text, link_gbps=link_gbps, seed=seed)
        for text in ((texts,) if isinstance(texts, str | Plane) else texts)
    ]
    if len(sources) == 1:
        (source,) = sources
        variant = _agreed("variant", variant, source.variant, None, source.text)
        if len(source.members) == 1:
            count = _agreed("planes", planes, source.planes, 1, source.text)
            return [_Part(source, count, variant)], variant
    if planes > 1:
        raise SpecError("several planes are given, and only a single one can be repeated", where="planes", found=planes)
    if variant in {"serial", "serial-high"}:
        raise SpecError(
            "several planes are given",
            where="variant",
            found=variant,
            allowed="homogeneous, heterogeneous, or a single TOPOLOGY",
        )
    return [_Part(source, source.planes, source.variant) for source in sources], variant


def _agreed(name: str, given: T, stated: T, default: T, text: str) -> T:
    """Return the value of a parameter or of a spec, whichever is not the default; both must not differ."""
    if given != default and stated not in (default, given):
        raise SpecError(f"{text} says {stated}", where=name, found=given)
    return stated if given == default else given
