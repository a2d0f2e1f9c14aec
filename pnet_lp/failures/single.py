"""Single failures: every link, switch, port, NIC, server, scale-up switch, pair of links, or group by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, TypeAlias, cast

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.failures.draw import FailureModel
from pnet_lp.failures.groups import RiskGroup
from pnet_lp.failures.mask import Mask
from pnet_lp.failures.named import ServerParts
from pnet_lp.failures.spec import Failures
from pnet_lp.model import Network
from pnet_lp.model.servers import Inside, Servers

Each: TypeAlias = Literal["link", "switch", "port", "nic", "server", "scale-up", "pair", "group"]

Kind: TypeAlias = Literal["link", "switch", "port", "scale-up"]
"""Of single parts."""

MOST_FAILURES = 100_000
"""Failures that are looked at one by one."""


@dataclass(frozen=True)
class Part:
    """A part of a network that can fail.

    Attributes:
        plane: its plane; the number of planes for scale-up switches.
        kind: what it is.
        index: of the cable, the switch, or the host whose access link it is; of a scale-up switch among those of all.
        name: as ``--fail`` takes it.
    """

    plane: int
    kind: Kind
    index: int
    name: str


@dataclass(frozen=True)
class SingleFailure:
    """What fails at the same time.

    Attributes:
        name: of the parts, joined by a comma, of the host whose NIC they are, or of the server or the group.
        parts: none for a group.
        group: of several parts, that fails as a whole.
    """

    name: str
    parts: tuple[Part, ...] = ()
    group: RiskGroup | None = None

    def mask(self, network: Network) -> Mask:
        """Return what is down."""
        if self.group is not None:
            certain = replace(Failures(), groups=(self.group.model_copy(update={"probability": 1.0}),))
            return FailureModel(network, certain).draw()
        arcs = [np.zeros(2 * plane.cable_count, dtype=np.bool_) for plane in network.planes]
        switches = [np.zeros(plane.switch_count, dtype=np.bool_) for plane in network.planes]
        hosts = [np.zeros(plane.host_count, dtype=np.bool_) for plane in network.planes]
        servers = ServerParts(network)
        for part in self.parts:
            if part.kind == "link":
                arcs[part.plane][2 * part.index : 2 * part.index + 2] = True
            elif part.kind == "scale-up":
                servers.fail(part.name)
            else:
                (switches if part.kind == "switch" else hosts)[part.plane][part.index] = True
        return Mask.of(network, arcs, switches, hosts, servers.links)


def single_failures(network: Network, each: Each, groups: Sequence[RiskGroup] = ()) -> list[SingleFailure]:
    """Return every failure of one kind, in the order of planes and indices; links of capacity 0 are down already.

    A NIC is the ports of a host in all planes; a server fails by those of all of its hosts.

    Raises:
        SpecError: the network has none, or too many.
    """
    if each == "group":
        found = [SingleFailure(group.name, group=group) for group in groups]
    elif each in ("nic", "server"):
        found = _hosts_together(network, each)
    elif each == "pair":
        links = list(_parts(network, "link"))
        _check_number(len(links) * (len(links) - 1) // 2, each)
        found = [SingleFailure(f"{a.name}, {b.name}", (a, b)) for a, b in combinations(links, 2)]
    else:
        found = [SingleFailure(part.name, (part,)) for part in _parts(network, cast("Kind", each))]
    _check_number(len(found), each)
    return found


def _check_number(count: int, each: Each) -> None:
    if not 0 < count <= MOST_FAILURES:
        raise SpecError(
            f"the network has {count:,} failures of this kind",
            where="each",
            found=each,
            allowed=f"1 to {MOST_FAILURES:,}",
        )


def _hosts_together(network: Network, each: Each) -> list[SingleFailure]:
    """Return the ports of each NIC, or those of each server, as one failure."""
    size = _servers(network, each).size if each == "server" else 1
    ports: dict[int, list[Part]] = {}
    for part in _parts(network, "port"):
        ports.setdefault(part.index // size, []).append(part)
    names = network.endpoint_names("host") if ports else ()
    return [
        SingleFailure(names[i] if each == "nic" else f"server {i}", tuple(parts)) for i, parts in sorted(ports.items())
    ]


def _servers(network: Network, each: Each) -> Servers:
    if network.servers is None:
        raise SpecError("the network has no servers", where="each", found=each, allowed="a network with --server")
    return network.servers


def _parts(network: Network, kind: Kind) -> Iterator[Part]:
    if kind == "scale-up":
        names = Inside.of(_servers(network, kind), network.host_count).names
        yield from (Part(network.plane_count, kind, i, name) for i, name in enumerate(names))
        return
    hosts = network.endpoint_names("host") if kind == "port" and network.planes[0].host_count else ()
    for p, plane in enumerate(network.planes):
        within = f"{p}:" if network.plane_count > 1 else ""
        names = plane.switch_names
        if kind == "switch":
            yield from (Part(p, kind, i, within + name) for i, name in enumerate(names))
        elif kind == "port":
            yield from (Part(p, kind, i, within + hosts[i]) for i in np.flatnonzero(plane.host_switch >= 0).tolist())
        else:
            ends = np.sort(np.column_stack([plane.cable_u, plane.cable_v]), axis=1)
            _, which, many = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
            carries = (plane.capacity_uv_gbps > 0) | (plane.capacity_vu_gbps > 0)
            for i in np.flatnonzero(carries).tolist():
                number = f"#{i}" if many[which.ravel()[i]] > 1 else ""
                yield Part(p, kind, i, f"{within}{names[plane.cable_u[i]]}-{names[plane.cable_v[i]]}{number}")
