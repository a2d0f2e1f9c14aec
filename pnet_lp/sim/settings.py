"""How to simulate: the same settings for options, keys of a spec and arguments of functions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from pnet_lp.errors import SpecError, naming
from pnet_lp.flags import Flag
from pnet_lp.model import Network, Workload
from pnet_lp.model.paths import Policy
from pnet_lp.quantities import ByteCount, Duration
from pnet_lp.registry import Params
from pnet_lp.routing import parse_routing
from pnet_lp.sim.base import (
    FORWARDINGS,
    QUEUES,
    TRANSPORTS,
    ForwardingChoice,
    PacketSizes,
    QueueChoice,
    TransportChoice,
    choose,
    choose_with,
)
from pnet_lp.sim.fluid import OF_WINDOWS, SHORT_FLOWS, TERMS, FluidScenario, SharingName, parse_correction
from pnet_lp.sim.fluid_terms import terms_of
from pnet_lp.sim.outage import Outage
from pnet_lp.sim.packets import PacketScenario
from pnet_lp.sim.preset import get_preset, plain
from pnet_lp.sim.scenario import SimulationScenario
from pnet_lp.units import DELAYS, are_delays, format_duration

FLUID_ONLY = ("sharing", "subflows", "correction", "initial_window", "window", "threshold")
PACKETS_ONLY = ("transport", "queue", "host_queue")
"""SimulationSettings of one model alone."""

SAME = "same"
"""Stands for the queues of switches where those of hosts are named."""

_EXPR = Flag(metavar="EXPR")
_FLUID = Flag(heading="Fluid")

_MOST_EVENTS = 2**64 - 1
"""That the core counts to."""


def _delay(delay_ps: int, info: ValidationInfo) -> int:
    """Return the delay of a link, or raise SpecError as files of networks do."""
    if not are_delays(delay_ps / 1000):
        raise SpecError("invalid delay", where=info.field_name, found=format_duration(delay_ps), allowed=DELAYS)
    return delay_ps


class PresetSettings(Params):
    """Whose values."""

    heading = "Simulation"

    preset: Annotated[str | None, Flag(metavar="NAME")] = Field(
        None, description="settings of a paper (`pnet-lp list presets`); other options override them"
    )

    @classmethod
    def stated(cls, given: Mapping[str, Any]) -> Collection[str]:
        """See :meth:`~pnet_lp.questions.base.Case.stated`."""
        return get_preset(given.get("preset")).settings.keys()


class ModelSettings(PresetSettings):
    """What is simulated."""

    heading = "Simulation"

    model: Literal["packets", "fluid"] = Field(
        "packets", description="what to simulate: packets, or a fluid of flows with max-min fair rates"
    )


class EveryModelSettings(PresetSettings):
    """Everything about simulations of either model that is neither network nor workload.

    What is not given is the preset's, where it has it, or else the default.
    """

    heading = "Simulation"

    transport: Annotated[str, _EXPR] = Field("tcp", description="how hosts send (`pnet-lp list transports`)")
    queue: Annotated[str, _EXPR] = Field("drop-tail", description="queue discipline of ports (`pnet-lp list queues`)")
    host_queue: Annotated[str, _EXPR] = Field(
        "unbounded", description=f"queue discipline of hosts' own ports; {SAME}: that of switches"
    )
    forwarding: Annotated[str, _EXPR] = Field(
        "ecmp", description="how packets get their path (`pnet-lp list forwardings`)"
    )
    routing: Annotated[str | None, Flag(metavar="EXPR", excludes=("forwarding",))] = Field(
        None, description="routing (`pnet-lp list routings`) whose paths flows take, in place of a forwarding"
    )
    sharing: Annotated[SharingName | None, _FLUID] = Field(
        None,
        description="fluid: how a flow uses several paths: single takes one, even splits it evenly, best splits it for "
        "max-min fairness, subflows has several; default: even if the forwarding spreads packets, else single",
    )
    subflows: Annotated[int, _FLUID] = Field(
        8, ge=1, le=1024, description="fluid: subflows of a flow, with sharing=subflows"
    )
    correction: Annotated[str, _FLUID] = Field(
        "short-flows",
        description="fluid: delays added to the times of flows: none, short-flows (the first four), or some of "
        + ",".join(TERMS),
    )
    initial_window: Annotated[int, _FLUID] = Field(
        10, ge=1, lt=1 << 31, description="fluid: initial window of slow start, in packets"
    )
    window: Annotated[int | None, _FLUID] = Field(
        None, ge=1, lt=1 << 31, description="fluid: largest window of a flow, in packets; default: what fills its path"
    )
    threshold: Annotated[int, _FLUID] = Field(
        65, ge=1, lt=1 << 31, description="fluid: queue in packets above which packets are marked"
    )
    plane_policy: Policy = Field("any", description="planes that a flow may use")
    link_delay: Annotated[Duration, AfterValidator(_delay)] = Field(
        10**6, description="propagation delay of links without one of their own"
    )
    packet: ByteCount = Field(1500, description="size of a full packet on the wire, header included")
    header: ByteCount = Field(40, description="bytes of a packet that are not payload")
    ack: ByteCount = Field(40, description="size of an acknowledgement")
    time_limit: Duration | None = Field(None, gt=0, description="simulated time at which to stop; default: none")
    event_limit: int | None = Field(
        None, ge=1, le=_MOST_EVENTS, description="events after which to stop; default: none"
    )
    fast_forward: bool = Field(
        False, description="packets: skip time in which all flows get on at constant rates, to a good approximation"
    )

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, given: Any) -> Any:
        """Return what is given, and below it what the preset states."""
        if not isinstance(given, dict):
            return given
        meaningless = cls.meaningless(given)
        for name, why in meaningless.items():
            if given.get(name) is not None:
                raise SpecError(why, where=name, found=str(given[name]))
        if not isinstance(given.get("preset"), str):
            return given
        with naming("preset"):
            stated = {name: one.value for name, one in get_preset(given["preset"]).settings.items()}
        if given.get("routing") is not None:
            stated.pop("forwarding", None)
        return {**{name: value for name, value in stated.items() if name not in meaningless}, **given}

    @classmethod
    def formerly(cls, ran: Mapping[str, Any]) -> dict[str, Any]:
        """See :meth:`~pnet_lp.questions.base.Case.formerly`."""
        if "host_queue" in ran:
            return {}
        # The preset pnet-tcp was called pnet until that was the authors' program.
        named = {"preset": "pnet-tcp"} if ran.get("preset") == "pnet" else {}
        return named if ran.get("model") == "fluid" else {**named, "host_queue": SAME}

    @classmethod
    def meaningless(cls, given: Mapping[str, Any]) -> dict[str, str]:
        """Return the settings that change nothing beside those that are given, and why."""
        found: dict[str, str] = {}
        if given.get("sharing") != "subflows":
            found["subflows"] = "changes nothing without sharing=subflows"
        correction = given.get("correction")
        terms = parse_correction(correction) if isinstance(correction, str) else SHORT_FLOWS
        if "slow-start" not in terms:
            found["initial_window"] = "changes nothing without slow-start in the correction"
        if not set(OF_WINDOWS) & set(terms):
            why = "changes nothing without queueing or convergence in the correction"
            found |= dict.fromkeys(("window", "threshold"), why)
        return found

    @model_validator(mode="after")
    def _check_simulating(self) -> Self:
        if self.routing is not None and "forwarding" in self.model_fields_set:
            raise SpecError("flows take a routing's paths or find their own", where="forwarding", found=self.forwarding)
        stated = get_preset(self.preset).settings.get("fast_forward")
        if self.fast_forward and stated is not None:
            raise SpecError(f"not with the preset {self.preset}: {stated.source}", where="fast_forward")
        _ = self.sizes, self.chosen_transport, self.chosen_forwarding, self.terms
        if self.host_queue != SAME:
            self.chosen_queue.params.refuse_of_hosts("queue", "at switches")
        return self

    @property
    def sizes(self) -> PacketSizes:
        """Sizes of packets."""
        return PacketSizes(packet=self.packet, header=self.header, ack=self.ack)

    @property
    def terms(self) -> tuple[str, ...]:
        """What is added to the times of a fluid."""
        return parse_correction(self.correction)

    @property
    def chosen_transport(self) -> TransportChoice:
        """The transport with its parameters."""
        with naming("transport"):
            return choose(TRANSPORTS, self.transport, plain(get_preset(self.preset).transports))

    @property
    def chosen_queue(self) -> QueueChoice:
        """The queue discipline with its parameters."""
        with naming("queue"):
            return choose(QUEUES, self.queue, plain(get_preset(self.preset).queues))

    @property
    def chosen_host_queue(self) -> QueueChoice:
        """The same of the ports of hosts."""
        if self.host_queue == SAME:
            return self.chosen_queue
        with naming("host_queue"):
            return choose(QUEUES, self.host_queue, plain(get_preset(self.preset).queues))

    @property
    def chosen_forwarding(self) -> ForwardingChoice:
        """The forwarding with its parameters; that of given paths, where there is a routing."""
        stated = plain(get_preset(self.preset).forwardings)
        if self.routing is None:
            with naming("forwarding"):
                return choose(FORWARDINGS, self.forwarding, stated)
        with naming("routing"):
            parse_routing(self.routing, policy=self.plane_policy)
        return choose_with(FORWARDINGS, "given", {"routing": self.routing}, stated)


class SimulationSettings(EveryModelSettings, ModelSettings):
    """Everything about a simulation that is neither network nor workload."""

    @classmethod
    def meaningless(cls, given: Mapping[str, Any]) -> dict[str, str]:
        """Return the settings that change nothing beside those that are given, and why."""
        if given.get("model") != "fluid":
            return dict.fromkeys(FLUID_ONLY, "only model=fluid has this setting")
        found = super().meaningless(given) | {"fast_forward": "a fluid takes no time for constant rates anyway"}
        if given.get("transport") is None:
            found |= dict.fromkeys(PACKETS_ONLY, "changes nothing in a fluid without a transport")
        else:
            of_terms = ("correction", "initial_window", "window", "threshold")
            found |= dict.fromkeys(of_terms, "a fluid with a transport has that one's terms")
        correction = given.get("correction")
        if isinstance(correction, str) and not parse_correction(correction):
            found |= dict.fromkeys(("link_delay", "ack"), "changes nothing without a correction")
        return found

    def _check_transport_used(self, workload: Workload) -> None:
        """Raise SpecError where a transport is stated that no flow has."""
        preset = get_preset(self.preset).settings.get("transport")
        stated = "transport" in self.model_fields_set and (preset is None or preset.value != self.transport)
        if stated and (workload.transport >= 0).all():
            raise SpecError("all flows have a transport of their own", where="transport", found=self.transport)

    def scenario(
        self,
        network: Network,
        workload: Workload,
        seed: int = 0,
        *,
        trace: tuple[str, ...] = (),
        outages: tuple[Outage, ...] = (),
    ) -> SimulationScenario:
        """Return the scenario of ``workload`` on ``network``.

        Args:
            network: the network, with what fails in it down.
            workload: its flows.
            seed: all that is drawn is drawn from this.
            trace: what to trace: ``queue:FROM->TO``, ``queue:PLANE/FROM->TO``, ``flow:NUMBER``.
            outages: what fails while the run goes on.

        Raises:
            WorkloadError: the workload is for another network, or cannot be simulated.
        """
        common: dict[str, Any] = {
            "network": network,
            "workload": workload,
            "forwarding": self.chosen_forwarding,
            "plane_policy": self.plane_policy,
            "link_delay_ps": self.link_delay,
            "sizes": self.sizes,
            "seed": seed,
            "time_limit_ps": self.time_limit,
            "event_limit": self.event_limit,
            "preset": self.preset,
            "outages": outages,
        }
        with naming(f"{workload.label or 'workload'}: transport"):
            stated = plain(get_preset(self.preset).transports)
            others = tuple(choose(TRANSPORTS, text, stated) for text in workload.transports)
        if self.model == "packets":
            self._check_transport_used(workload)
            return PacketScenario(
                **common,
                others=others,
                transport=self.chosen_transport,
                queue=self.chosen_queue,
                host_queue=self.chosen_host_queue,
                trace=trace,
                fast_forward=self.fast_forward,
            )
        if others:
            raise SpecError(
                "a fluid has the terms of one transport",
                where=f"{workload.label or 'workload'}: transport",
                found=workload.transports[0],
                allowed="model=packets, or flows without transports of their own",
            )
        if trace:
            raise SpecError("a fluid has no queues and windows", where="trace", found=trace[0])
        own: dict[str, Any] = {
            "subflows": self.subflows,
            "terms": self.terms,
            "initial_window": self.initial_window,
            "window": self.window,
            "threshold": self.threshold,
        }
        if "transport" in self.model_fields_set:
            queues = (self.chosen_queue, self.chosen_host_queue)
            own |= terms_of(self.chosen_transport, queues, self.sizes, network, self.link_delay)
        return FluidScenario(**common, **{"sharing": self.sharing, **own})
