"""The ports of a network: a queue, a rate and a delay for each direction of every link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import TopologyError
from pnet_lp.extras import load
from pnet_lp.model import Network
from pnet_lp.model.arcs import Arcs
from pnet_lp.model.arrays import FloatArray, IntArray, floats, longs
from pnet_lp.model.brief import brief
from pnet_lp.model.workload import LongArray
from pnet_lp.routing.searches import Searches, prepare
from pnet_lp.sim.wiring import Wiring

if TYPE_CHECKING:
    import pyarrow as pa

_FASTEST_GBPS = 8000.0
"""A byte then takes a picosecond, the simulator's unit of time."""

CORE, FROM_HOST, TO_HOST, INSIDE = 0, 1, 2, 3
KINDS = ("links between switches", "links from hosts", "links to hosts", "links inside servers")
_WORDS = np.array(["core", "access", "access", "server"], dtype=object)


@brief()
@dataclass(frozen=True, eq=False)
class Ports:
    """The ports of a network, in the core's order: links between switches, from hosts, to hosts; plane by plane.

    With servers they are those of a :class:`~pnet_lp.sim.wiring.Wiring`, and ``arcs`` and ``planes`` are of the graph
    on which paths are sought.

    Attributes:
        network: whose.
        arcs: its links between switches.
        planes: the same for the core.
        kind: int32 ``[n]``, index into :data:`KINDS`.
        plane: int32 ``[n]``; the number of planes for links inside servers.
        of_host: bool ``[n]``, whether it is a host's.
        rate: int64 ``[n]``, bit/s.
        connected: bool ``[n]``, whether there is a link behind the port: a host may lack one into a plane.
        delay_ps: int64 ``[n]``, how long a bit travels, -1 where the network does not say.
        wiring: what servers make of them; None where there are none.
    """

    network: Network
    arcs: Arcs
    planes: _core.Planes
    kind: IntArray
    plane: IntArray
    of_host: npt.NDArray[np.bool_]
    rate: LongArray
    connected: npt.NDArray[np.bool_]
    delay_ps: LongArray
    wiring: Wiring | None = None

    @classmethod
    def of(cls, network: Network) -> Ports:
        """Return the ports of ``network``.

        Raises:
            TopologyError: it has no hosts, or a link whose rate the simulator does not know.
        """
        searches = prepare(network.graph, "host", [], [])
        if network.servers is not None:
            return cls._wired(network, searches, Wiring.of(network, network.servers, searches.arcs))
        count = network.plane_count
        up = np.stack([plane.access_up_gbps for plane in network.planes])
        down = np.stack([plane.access_down_gbps for plane in network.planes])
        attached = np.broadcast_to((up > 0) & (down > 0), (2, *up.shape)).ravel()
        arcs = searches.arcs
        gbps = np.concatenate([arcs.capacity, up.ravel(), down.ravel()])
        connected = np.concatenate([np.ones(len(arcs.capacity), dtype=bool), attached])
        access = np.repeat(np.arange(count), network.host_count)
        plane = np.concatenate([np.repeat(np.arange(count), np.diff(arcs.ptr)), access, access])
        kind = np.repeat([CORE, FROM_HOST, TO_HOST], [len(arcs.capacity), len(access), len(access)])
        return cls(
            network,
            arcs,
            searches.planes,
            kind.astype(np.int32),
            plane.astype(np.int32),
            kind == FROM_HOST,
            _rates(gbps, connected),
            connected,
            longs(_delays_ps(network, arcs)),
        )

    @classmethod
    def _wired(cls, network: Network, searches: Searches, wiring: Wiring) -> Ports:
        """Return the ports of a network with servers."""
        hosts, connected = network.host_count, np.ones(len(wiring.part), dtype=bool)
        of_host = wiring.start < hosts
        kind = np.where(of_host, FROM_HOST, np.where(wiring.end < hosts, TO_HOST, CORE))
        kind = np.where(wiring.part == network.plane_count, INSIDE, kind)
        delay = np.rint(1000 * wiring.delay_ns)
        return cls(
            network,
            searches.arcs,
            searches.planes,
            kind.astype(np.int32),
            wiring.part,
            of_host,
            _rates(wiring.gbps, connected),
            connected,
            longs(np.where(np.isnan(delay), -1.0, delay)),
            wiring,
        )

    def __reduce__(self) -> tuple[Callable[[Network], Ports], tuple[Network]]:
        """Return what another process makes the same of."""
        return Ports.of, (self.network,)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Those of :data:`KINDS` that the network can have."""
        return KINDS[: INSIDE + (self.wiring is not None)]

    @property
    def counted(self) -> npt.NDArray[np.bool_]:
        """Bool ``[n]``: the links that routings count, those between switches or all in one graph of servers."""
        if self.wiring is not None and self.network.graph.plane_count <= self.network.plane_count:
            return self.connected
        return np.asarray((self.kind == CORE) | (self.kind == INSIDE))

    @property
    def access_gbps(self) -> FloatArray:
        """float64 ``[hosts]``, what each host can send over all planes, and inside its server."""
        if self.wiring is not None:
            hosts = self.wiring.hosts
            return floats(np.bincount(self.wiring.start, self.rate, hosts)[:hosts] / 1e9)
        up = np.where(self.connected & (self.kind == FROM_HOST), self.rate, 0)[self.kind == FROM_HOST]
        return floats(up.reshape(self.network.plane_count, -1).sum(axis=0) / 1e9)

    @cached_property
    def named(self) -> dict[str, npt.NDArray[Any]]:
        """For each port ``u`` and ``v``, the names of its ends, and ``cable``, as in tables of links.

        An access link has its host's number as its cable's.
        """
        if self.wiring is not None:
            nodes = np.array(self.wiring.names, dtype=object)
            return {"u": nodes[self.wiring.start], "v": nodes[self.wiring.end], "cable": self.wiring.cable}
        network, arcs = self.network, self.arcs
        hosts = np.array(network.host_names, dtype=object)
        u, v, cable = [], [], []
        up = []
        for p, plane in enumerate(network.planes):
            names = np.array(plane.switch_names, dtype=object)
            of_plane = slice(arcs.ptr[p], arcs.ptr[p + 1])
            u.append(names[arcs.tail[of_plane]])
            v.append(names[arcs.head[of_plane]])
            cable.append(arcs.id[of_plane] // 2)
            up.append(names[plane.host_switch])
        numbers = np.tile(np.arange(len(hosts)), 2 * network.plane_count)
        every = [hosts] * network.plane_count
        return {
            "u": np.concatenate([*u, *every, *up]),
            "v": np.concatenate([*v, *up, *every]),
            "cable": np.concatenate([*cable, numbers]),
        }

    def delays_ps(self, otherwise_ps: int) -> LongArray:
        """Return int64 ``[n]``, how long a bit travels, ``otherwise_ps`` where the network does not say."""
        return longs(np.where(self.delay_ps < 0, otherwise_ps, self.delay_ps))

    def table(self, columns: dict[str, LongArray], time_ps: int, delay_ps: int) -> pa.Table:
        """Return one row for each port with a link: where it is, and what the core counted in ``time_ps``."""
        pa = load("pyarrow", "ports")
        there = self.connected
        rate_gbps = self.rate[there] / 1e9
        counted = {name: values[there] for name, values in columns.items()}
        time = max(time_ps, 1)
        # A fluid does not wait.
        queued = {"mean_packets": counted.pop("queued_ps") / time} if "queued_ps" in counted else {}
        named = {name: values[there] for name, values in self.named.items()}
        return pa.table(
            {
                "plane": self.plane[there],
                "u": pa.array(named["u"], pa.string()),
                "v": pa.array(named["v"], pa.string()),
                "kind": pa.array(_WORDS[self.kind[there]], pa.string()),
                "cable": named["cable"].astype(np.int32),
                "rate_gbps": rate_gbps,
                "delay_ps": self.delays_ps(delay_ps)[there],
                **counted,
                **queued,
                "utilisation": counted["bytes"] * 8000 / rate_gbps / time,
            }
        )


def _rates(gbps: npt.NDArray[np.float64], connected: npt.NDArray[np.bool_]) -> LongArray:
    """Return speeds in bit/s, 1 where there is no link; TopologyError where one cannot be simulated."""
    rate = np.where(connected, np.rint(np.minimum(gbps, 1e9) * 1e9), 1)
    if np.any(bad := connected & ((rate < 1) | (gbps > _FASTEST_GBPS))):
        raise TopologyError(
            "a link is too fast or too slow to be simulated",
            where="link_gbps",
            found=float(gbps[bad][0]),
            allowed=f"1e-9 to {_FASTEST_GBPS:g} Gb/s",
        )
    return longs(rate)


def _delays_ps(network: Network, arcs: Arcs) -> npt.NDArray[np.float64]:
    """Return the delays of all ports in their order, -1 where unknown."""
    known, access = zip(*(plane.known_delays for plane in network.planes), strict=True)
    core = [ns[arcs.id[arcs.ptr[p] : arcs.ptr[p + 1]] // 2] for p, ns in enumerate(known)]
    delay_ps: npt.NDArray[np.float64] = np.rint(1000 * np.concatenate([*core, *access, *access]))
    return np.where(np.isnan(delay_ps), -1.0, delay_ps)
