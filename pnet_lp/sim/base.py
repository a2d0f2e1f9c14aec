"""The registries of queue disciplines, transports and forwardings, and what their entries are given to work with.

An entry is a model of parameters and a function that returns the core's object for a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from pnet_lp import _core
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Workload
from pnet_lp.model.brief import brief
from pnet_lp.model.paths import Policy
from pnet_lp.registry import Entry, Params, Registry, parse_expression, written
from pnet_lp.sim.outage import Outage
from pnet_lp.sim.ports import Ports

_LARGEST_PACKET = 65535


@dataclass(frozen=True)
class PacketSizes:
    """Bytes on the wire.

    Attributes:
        packet: a full packet, header included.
        header: what a packet with payload has beside it.
        ack: an acknowledgement.
    """

    packet: int = 1500
    header: int = 40
    ack: int = 40

    def __post_init__(self) -> None:
        """Raise SpecError where a size is out of range."""
        for name, value, low in (("packet", self.packet, 1), ("ack", self.ack, 1), ("header", self.header, 0)):
            if not low <= value <= _LARGEST_PACKET:
                raise SpecError(
                    "no size of a packet", where=name, found=value, allowed=f"{low} to {_LARGEST_PACKET} bytes"
                )
        if self.header >= self.packet:
            raise SpecError(
                "the header leaves no room for payload",
                where="header",
                found=self.header,
                allowed=f"less than packet={self.packet}",
            )

    @property
    def payload(self) -> int:
        """Payload of a full packet."""
        return self.packet - self.header


@brief("network", "workload", "sizes", "plane_policy", "seed")
@dataclass(frozen=True)
class SimulationContext:
    """What an entry may look at.

    Attributes:
        network: the network, which has hosts.
        workload: its flows.
        ports: the network as the core knows it.
        sizes: sizes of packets.
        plane_policy: which planes a flow may use.
        seed: the run's seed.
        outages: what fails while the run goes on.
    """

    network: Network
    workload: Workload
    ports: Ports
    sizes: PacketSizes
    plane_policy: Policy
    seed: int
    outages: tuple[Outage, ...] = ()


QueueBuilder: TypeAlias = Callable[[Any, SimulationContext], _core.Queue]
TransportBuilder: TypeAlias = Callable[[Any, SimulationContext], _core.Transport]
ForwardingBuilder: TypeAlias = Callable[[Any, SimulationContext], _core.Forwarding]


class QueueParams(Params):
    """Base of the parameters of queues: what is asked of any queue.

    Class attributes:
        of_hosts: parameters that mean nothing at switches.
        can_mark: whether it marks data where it is long.
    """

    of_hosts: ClassVar[frozenset[str]] = frozenset()
    can_mark: ClassVar[bool] = False

    def most(self, sizes: PacketSizes) -> int | None:
        """Return how many full packets it takes; None: all."""
        del sizes
        return None

    def filled(self, sizes: PacketSizes, *, by_marks: bool) -> int | None:
        """Return how many full packets windows without a bound keep in it; None: they do not settle in this queue.

        ``by_marks`` is whether they shrink by the part of packets that is marked, or else by losses.
        """
        del sizes, by_marks
        return None

    def refuse_of_hosts(self, where: str, idle: str) -> None:
        """Raise SpecError where a parameter of hosts' ports is stated that changes nothing: ``idle`` says why."""
        for name in sorted(self.model_fields_set & self.of_hosts):
            raise SpecError(f"changes nothing {idle}", where=f"{where}: {name}", found=getattr(self, name))

    def held_of_flow(self, sizes: PacketSizes) -> float:
        """Return how many full packets a connection lets wait in its own host's port; 0: no more than elsewhere."""
        del sizes
        return 0.0


class TransportParams(Params):
    """Base of the parameters of transports: what is asked of any transport.

    Class attributes:
        has_windows: whether a window grows until losses or marks shrink it.
        by_marks: whether it shrinks by the part of packets that is marked.
    """

    has_windows: ClassVar[bool] = False
    by_marks: ClassVar[bool] = False

    @property
    def window_bound(self) -> int | None:
        """Packets that are under way at most, whatever the window; None: no bound."""
        return None

    def as_fluid(self) -> dict[str, Any]:
        """Return the settings of a fluid that come closest: what a flow waits for beside its share."""
        return {"correction": "propagation,store-and-forward"}


QUEUES: Registry[QueueBuilder] = Registry(
    "queue", package="pnet_lp.sim.queues", group="pnet_lp.queues", base=QueueParams
)
TRANSPORTS: Registry[TransportBuilder] = Registry(
    "transport", package="pnet_lp.sim.transports", group="pnet_lp.transports", base=TransportParams
)
FORWARDINGS: Registry[ForwardingBuilder] = Registry(
    "forwarding", package="pnet_lp.sim.forwardings", group="pnet_lp.forwardings"
)

T = TypeVar("T")
P = TypeVar("P", bound=Params)


@dataclass(frozen=True)
class Choice(Generic[T, P]):
    """An entry of a registry with its parameters.

    Attributes:
        entry: the entry.
        params: an instance of its model.
    """

    entry: Entry[Callable[[Any, SimulationContext], T]]
    params: P

    def build(self, context: SimulationContext) -> T:
        """Return the core's object for a run."""
        return self.entry.build(self.params, context)

    @property
    def expression(self) -> str:
        """What gives this choice without any preset: the name, and what is no default and changes something."""
        idle = self.params.idle()
        values = [
            f"{name}={written(value, field)}"
            for name, field in type(self.params).model_fields.items()
            if name not in idle and (value := getattr(self.params, name)) != field.default and value is not None
        ]
        return ":".join([self.entry.name, *([",".join(values)] if values else [])])


TransportChoice: TypeAlias = Choice[_core.Transport, TransportParams]
QueueChoice: TypeAlias = Choice[_core.Queue, QueueParams]
ForwardingChoice: TypeAlias = Choice[_core.Forwarding, Params]


def choose(
    registry: Registry[Callable[[Any, SimulationContext], T]], text: str, preset: Mapping[str, Mapping[str, str]]
) -> Choice[T, Any]:
    """Return what ``name`` or ``name:key=value,...`` stands for; ``preset`` has other defaults, by name of the entry.

    Raises:
        SpecError: no such entry or parameter; the message offers the nearest.
    """
    return choose_with(registry, *parse_expression(text, registry), preset)


def choose_with(
    registry: Registry[Callable[[Any, SimulationContext], T]],
    name: str,
    values: Mapping[str, str],
    preset: Mapping[str, Mapping[str, str]],
) -> Choice[T, Any]:
    """Return the entry ``name`` with these parameters; otherwise as :func:`choose`.

    Raises:
        SpecError: also where one of ``values`` changes nothing beside the others and the preset's.
    """
    entry = registry.get(name)
    # What is written wins, over the preset's alternative to it too; the same model checks the preset's values.
    replaced = {key for group in entry.params.alternatives if group & values.keys() for key in group}
    stated = {key: value for key, value in preset.get(name, {}).items() if key not in replaced}
    params = entry.validate({**stated, **values})
    for key, why in params.idle().items():
        if key in values:
            raise SpecError(why, where=f"{name}: {key}", found=values[key])
    return Choice(entry, params)
