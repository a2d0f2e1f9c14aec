"""A scenario of packets: queues, transports, and what is traced of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SpecError, WorkloadError
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.sim.base import QueueChoice, SimulationContext, TransportChoice
from pnet_lp.sim.footprint import check_memory
from pnet_lp.sim.ports import Ports
from pnet_lp.sim.scenario import SimulationScenario
from pnet_lp.sim.traces import ROWS, parse_traces

_STORM = 0.5
"""Part of a run for which a port is paused that a warning tells of."""


@brief("network", "workload", "seed")
@dataclass(frozen=True, kw_only=True, repr=False)
class PacketScenario(SimulationScenario):
    """Flows are cut into packets.

    Attributes:
        transport, queue, host_queue: with their parameters; the last is that of the ports of hosts.
        others: the transports that flows of the workload name, in its order.
        trace: what to trace, as expressions.
        fast_forward: whether time jumps where flows get on at constant rates.
    """

    model: ClassVar[str] = "packets"

    transport: TransportChoice
    queue: QueueChoice
    host_queue: QueueChoice
    others: tuple[TransportChoice, ...] = ()
    trace: tuple[str, ...] = ()
    fast_forward: bool = False

    def __post_init__(self) -> None:
        """Raise the errors of :meth:`run` that need no run."""
        super().__post_init__()
        if self.workload.is_weighted:
            raise WorkloadError(
                "packets have no weights",
                where=f"{self.workload.label or 'workload'}: flow {int(np.argmax(self.workload.weight != 1))}",
                allowed="with model=fluid, or without weights",
            )

    @cached_property
    def sent_by(self) -> tuple[tuple[TransportChoice, ...], IntArray]:
        """The transports that flows have, each once, and int32 ``[f]``, which of these a flow has."""
        every = (*self.others, self.transport)
        # The last one, -1, is the run's.
        used = np.unique(self.workload.transport % len(every)).tolist()
        names = list(dict.fromkeys(every[number].expression for number in used))
        index = np.zeros(len(every), dtype=np.int32)
        index[used] = [names.index(every[number].expression) for number in used]
        chosen = {every[number].expression: every[number] for number in used}
        return tuple(chosen[name] for name in names), ints(index[self.workload.transport])

    def _check_memory(self, context: SimulationContext, forwarding: _core.Forwarding, *, jobs: int, runs: int) -> None:
        choices, _ = self.sent_by
        subflows = math.lcm(*(int(getattr(choice.params, "subflows", 1)) for choice in choices))
        # As if all flows had any of them.
        for choice in choices:
            check_memory(
                context,
                forwarding,
                queue=self.queue.params,
                host_queue=self.host_queue.params,
                transport=choice.params,
                built=choice.build(context),
                subflows=subflows,
                traces=len(self.trace),
                jobs=jobs,
                runs=runs,
            )

    def _simulate(self, context: SimulationContext, run: Mapping[str, Any]) -> _core.Outcome:
        choices, of_flow = self.sent_by
        transports = [choice.build(context) for choice in choices]
        queue, host_queue = self.queue.build(context), self.host_queue.build(context)
        for where, choice, built in (("queue", self.queue, queue), ("host_queue", self.host_queue, host_queue)):
            if built.trims and not all(transport.takes_trimmed for transport in transports):
                raise SpecError(
                    "the queue cuts payload off packets, and the transport makes nothing of the rest",
                    where=where,
                    found=choice.expression,
                    allowed="with a transport that makes use of them, such as ndp or swift",
                )
        watched = parse_traces(self.trace, context.ports, self.workload.flow_count)
        if not any(transport.waits_for_room for transport in transports):
            names = " and ".join(choice.entry.name for choice in choices)
            self.host_queue.params.refuse_of_hosts("host_queue", f"with transport {names}")
        return _core.simulate_packets(
            run,
            queues=(queue, None if self.host_queue.expression == self.queue.expression else host_queue),
            transports=(transports, of_flow),
            watched=(watched.ports, watched.flows, ROWS if self.trace else 0),
            fast_forward=self.fast_forward,
        )

    def _warnings(self, context: SimulationContext) -> tuple[str, ...]:
        if self.queue.build(context).marks:
            return ()
        return tuple(
            f"the queues {self.queue.expression} never mark a packet, so {choice.entry.name} only reacts to losses"
            for choice in self.sent_by[0]
            if choice.build(context).reacts_to_marks
        )

    def _observed(self, outcome: _core.Outcome, ports: Ports) -> tuple[str, ...]:
        if "pauses" not in outcome.ports or not outcome.time_ps:
            return ()
        paused, found = outcome.ports["paused_ps"] / outcome.time_ps, []
        stuck = np.flatnonzero(outcome.ports["deadlocked"])
        if len(stuck):
            found.append(
                f"deadlock: {len(stuck)} ports are paused and wait for each other, one of them {_link(ports, stuck[0])}"
            )
        storm = np.flatnonzero(paused > _STORM)
        if len(storm):
            most = int(paused.argmax())
            found.append(
                f"pause storm: {len(storm)} of {int(ports.connected.sum())} ports were paused for more than "
                f"{100 * _STORM:.0f} % of the run, {_link(ports, most)} for {100 * paused[most]:.3g} %"
            )
        return tuple(found)

    def _own_settings(self) -> dict[str, Any]:
        expressions, _ = self._transports()
        return {
            "transport": expressions[0] if len(expressions) == 1 else list(expressions),
            **{name: getattr(self, name).expression for name in ("queue", "host_queue")},
            **({"fast_forward": True} if self.fast_forward else {}),
        }

    def _transports(self) -> tuple[tuple[str, ...], IntArray]:
        choices, of_flow = self.sent_by
        return tuple(choice.expression for choice in choices), of_flow


def _link(ports: Ports, port: int) -> str:
    """Return the link behind a port, as its ends are called."""
    return f"{ports.named['u'][port]}->{ports.named['v'][port]}"
