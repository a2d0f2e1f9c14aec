"""Drawing masks: by seed, by trial, by betweenness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import SpecError, TopologyError
from pnet_lp.failures.betweenness import betweenness
from pnet_lp.failures.groups import members
from pnet_lp.failures.mask import Mask, apply_mask
from pnet_lp.failures.named import ServerParts, named_parts
from pnet_lp.failures.portion import Portion, count_of, in_words, plural, share_of
from pnet_lp.failures.spec import Failures
from pnet_lp.model import Network, Plane
from pnet_lp.model.arrays import BoolArray
from pnet_lp.seeds import derive_seed, generator

_Indices = npt.NDArray[np.int64]


def fail(network: Network, failures: Failures, *, seed: int = 0) -> Network:
    """Return ``network`` with the failures of trial 0 applied.

    Raises:
        SpecError: a plane, a switch or a cable that the network does not have.
        TopologyError: positions of planes that are not identical.
    """
    if not failures:
        return network
    return apply_mask(network, FailureModel(network, failures).draw(seed))


class FailureModel:
    """Failures of one network, to be drawn any number of times.

    Args:
        network: without failures.
        failures: what is to fail.

    Raises:
        SpecError: a plane, a part or more parts than the network has.
        TopologyError: positions of planes that are not identical.
    """

    def __init__(self, network: Network, failures: Failures) -> None:
        failures.check_planes(network.plane_count)
        self.network = network
        self.failures = failures
        self._groups = [
            (
                group.probability,
                *members(network, group),
                named_parts(network, group.parts, f"fail_groups: {group.name}"),
            )
            for group in failures.groups
        ]
        self._named = named_parts(network, failures.names)
        cables, switches = _cable_units(network, failures), _switch_units(network, failures)
        ranks = _ranks(network, failures, cables, switches)
        together = failures.unit == "position"
        self._cables = _Elements("cables", "fail_links", failures, failures.links, cables, ranks[0], together)
        self._switches = _Elements(
            "switches", "fail_switches", failures, failures.switches, switches, ranks[1], together
        )
        ports = [np.arange(plane.host_count) for plane in network.planes]
        self._ports = _Elements("ports", "fail_ports", failures, failures.ports, ports, [])
        nics, of_servers = _nic_units(network, failures), "servers" if failures.unit == "server" else "NICs"
        self._nics = _Elements("nics", "fail_nics", failures, failures.nics, [nics], [], whole=of_servers)
        servers = _servers(network, failures)
        self._servers = _Elements("servers", "fail_servers", failures, failures.servers, [servers], [], whole="servers")

    def draw(self, seed: int = 0, trial: int = 0) -> Mask:
        """Return what is down in a trial: a function of the seed and the trial's number alone.

        With one seed, larger shares fail what smaller ones do, and more.
        """
        drawn = derive_seed(seed, "failures", trial)
        arcs, switches, ports = [], [], []
        for p, plane in enumerate(self.network.planes):
            if self.failures.unit == "direction":
                share = share_of(self.failures.links)
                arcs.append(generator(drawn, "directions", p).random(2 * plane.cable_count) < share)
            else:
                arcs.append(np.repeat(self._cables.lost(drawn, p), 2))
            switches.append(self._switches.lost(drawn, p))
            ports.append(self._ports.lost(drawn, p))
        if (nics := self._nics.lost(drawn, 0)).any():
            ports = [each | nics for each in ports]
        for p in self.failures.planes:
            switches[p][:] = True
        named = self._named
        for i, (probability, in_cables, in_switches, parts) in enumerate(self._groups):
            if generator(drawn, "groups", i).random() < probability:
                for p in range(self.network.plane_count):
                    arcs[p] |= np.repeat(in_cables[p], 2)
                    switches[p] |= in_switches[p]
                named |= parts
        inside = None
        if (lost := self._servers.lost(drawn, 0)).any():
            servers = ServerParts(self.network)
            servers.fail_servers(lost)
            ports, inside = [each | servers.cut for each in ports], servers.links
        return Mask.of(self.network, arcs, switches, ports, inside) | named


def rounded_away(network: Network, failures: Failures) -> tuple[str, ...]:
    """Return a sentence for each share that is less than half of one part in every plane, so that none fails."""
    if failures.mode == "independent" or failures.unit != "cable":
        return ()
    found = []
    for part, portion, totals in (
        ("link", failures.links, [plane.cable_count for plane in network.planes]),
        ("switch", failures.switches, [plane.switch_count for plane in network.planes]),
        ("port", failures.ports, [plane.host_count for plane in network.planes]),
        ("nic", failures.nics, [network.host_count]),
        ("server", failures.servers, [len(_servers(network, failures))]),
    ):
        if portion and not any(count_of(portion, total) for total in totals):
            name = "NIC" if part == "nic" else part
            some = (
                f"{in_words(portion, part)} of {max(totals):,} {plural(name)} is less than half a {name}, so none fails"
            )
            one = f"--fail-{plural(part)} '1 {part}' fails one"
            found.append(f"{some} ({one})" if max(totals) else f"no plane has a {name}, so none fails")
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Elements:
    """The cables, the switches or the access links of all planes, or the NICs or the servers of a network.

    Attributes:
        component: names the stream of random numbers.
        key: the parameter that says how many fail.
        failures: how units are chosen.
        portion: of the units, that fails.
        units: int64 for each plane, the unit that each cable or switch belongs to; of NICs and servers, of all planes.
        ranks: for each plane its units in the order in which they fail; empty where that is random.
        together: whether a unit is of one position in all planes, and drawn once for these.
        whole: what the network has of them, for messages; empty for parts of planes.
    """

    component: str
    key: str
    failures: Failures
    portion: Portion
    units: list[_Indices]
    ranks: list[_Indices]
    together: bool = False
    whole: str = ""

    def __post_init__(self) -> None:
        for p, units in enumerate(self.units):
            total = len(np.unique(units))
            if self.portion and (count := count_of(self.portion, total)) > total:
                fewer = f"the network has fewer {self.whole}" if self.whole else f"plane {p} has fewer {self.component}"
                raise SpecError(fewer, where=self.key, found=count, allowed=f"at most {total:,}")

    def lost(self, seed: int, plane: int) -> BoolArray:
        """Return which elements of a plane fail."""
        units = self.units[plane]
        if not self.portion or not len(units):
            return np.zeros(len(units), dtype=np.bool_)
        count = int(units.max()) + 1
        random = generator(seed, self.component, 0 if self.together else plane)
        if self.failures.mode == "independent":
            lost = random.random(count) < share_of(self.portion)
        else:
            lost = np.zeros(count, dtype=np.bool_)
            order = self.ranks[plane] if self.ranks else random.permutation(count)
            lost[order[: count_of(self.portion, count)]] = True
        return np.asarray(lost[units], dtype=np.bool_)


def _cable_units(network: Network, failures: Failures) -> list[_Indices]:
    first = network.planes[0]
    if failures.links and failures.unit == "position":
        for plane in network.planes:
            if not (
                plane.switch_names == first.switch_names
                and np.array_equal(plane.cable_u, first.cable_u)
                and np.array_equal(plane.cable_v, first.cable_v)
            ):
                raise TopologyError(
                    "the planes are wired differently, so their cables do not correspond",
                    where="fail_unit",
                    found="position",
                    allowed="homogeneous planes",
                )
    return [np.arange(plane.cable_count) for plane in network.planes]


def _switch_units(network: Network, failures: Failures) -> list[_Indices]:
    first = network.planes[0]
    together = failures.switches and failures.unit == "position"
    if together and any(plane.switch_names != first.switch_names for plane in network.planes):
        raise TopologyError(
            "the planes have different switches, so these do not correspond",
            where="fail_unit",
            found="position",
            allowed="planes whose switches have the same names",
        )
    return [_boxes(plane) if failures.unit == "box" else np.arange(plane.switch_count) for plane in network.planes]


def _nic_units(network: Network, failures: Failures) -> _Indices:
    """Return for each host, whose NIC it is, the unit with which that fails."""
    hosts = np.arange(network.host_count)
    if failures.unit != "server" or not failures.nics:
        return hosts
    if network.servers is None:
        raise SpecError(
            "the network has no servers",
            where="fail_unit",
            found="server",
            allowed="a network with --server, or another unit",
        )
    return hosts // network.servers.size


def _servers(network: Network, failures: Failures) -> _Indices:
    """Return the numbers of the servers."""
    if network.servers is not None:
        return np.arange(network.host_count // network.servers.size)
    if failures.servers:
        raise SpecError(
            "the network has no servers",
            where="fail_servers",
            found=in_words(failures.servers, "server"),
            allowed="a network with --server",
        )
    return np.arange(0)


def _boxes(plane: Plane) -> _Indices:
    if plane.box is None:
        return np.arange(plane.switch_count)
    return np.unique(plane.box, return_inverse=True)[1].astype(np.int64).ravel()


def _ranks(
    network: Network, failures: Failures, cables: list[_Indices], switches: list[_Indices]
) -> tuple[list[_Indices], list[_Indices]]:
    """Return the units of each plane by betweenness, largest first, ties by index; nothing if they fail at random."""
    if failures.mode != "betweenness" or not (failures.links or failures.switches):
        return [], []
    # Planes that are one and the same are measured once.
    distinct = {plane.fingerprint: plane for plane in network.planes}
    found = {key: betweenness(plane) for key, plane in distinct.items()}
    measured = [found[plane.fingerprint] for plane in network.planes]
    by_cable = [arcs[0::2] + arcs[1::2] for arcs, _ in measured]
    by_switch = [values for _, values in measured]
    return _order(failures, cables, by_cable), _order(failures, switches, by_switch)


def _order(failures: Failures, units: list[_Indices], values: list[npt.NDArray[np.float64]]) -> list[_Indices]:
    sums = [np.bincount(unit, weights=value) for unit, value in zip(units, values, strict=True)]
    if failures.unit == "position" and len({len(total) for total in sums}) == 1:
        sums = [np.sum(sums, axis=0)] * len(sums)
    # Sums of fractions differ in their last digits, which must not decide.
    return [np.argsort(-np.round(total, 6), kind="stable") for total in sums]
