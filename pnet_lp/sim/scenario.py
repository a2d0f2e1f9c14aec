"""A scenario: all that a run depends on, checked; and the run itself, in the core.

What it simulates, packets or a fluid, is a subclass.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import RoutingError, SimulationError, SpecError, WorkloadError
from pnet_lp.model import Network, Workload
from pnet_lp.model.arrays import IntArray, ints, longs
from pnet_lp.model.brief import brief
from pnet_lp.model.paths import Policy
from pnet_lp.model.summary import summarise_network
from pnet_lp.routing import count_shortest
from pnet_lp.seeds import derive_seed
from pnet_lp.sim.base import ForwardingChoice, PacketSizes, SimulationContext
from pnet_lp.sim.outage import Outage, one_delay, outages_json
from pnet_lp.sim.ports import Ports
from pnet_lp.sim.result import SimulationResult
from pnet_lp.sim.traces import ROWS
from pnet_lp.units import format_duration

_MOST_SEGMENTS = 1 << 31
_FLOW_CHECKED = 1 << 18
_OF_FLOWS = (
    *("hosts", "src", "dst", "size", "start_ps"),
    *("after_ptr", "after", "acknowledged", "pause_ps", "earliest_ps", "enough", "connection", "connects"),
)
"""What the core is told of flows."""


@dataclass(frozen=True)
class SimulationProgress:
    """The state of a run.

    Attributes:
        time_ps: simulated time.
        events: what has happened so far.
        completed: complete flows.
        flows: how many there are.
        arrived: the part of all data that has arrived, packets that were sent twice included.
        time_limit_ps: when the run ends at the latest, if that is known.
        seconds: since the run began, on a clock.
    """

    time_ps: int
    events: int
    completed: int
    flows: int
    arrived: float
    time_limit_ps: int | None
    seconds: float

    @property
    def share(self) -> float:
        """How much is done, as far as flows, data and the time limit tell."""
        share = max(self.completed / self.flows, min(self.arrived, 1.0))
        return max(share, self.time_ps / self.time_limit_ps) if self.time_limit_ps else share

    @property
    def seconds_left(self) -> float | None:
        """An estimate of what is left, if there is any ground for one."""
        return self.seconds * (1 - self.share) / self.share if self.share > 0 else None

    def __str__(self) -> str:
        left = self.seconds_left
        rest = "" if left is None else f", about {left:.0f} s left"
        return (
            f"{self.time_ps / 1e9:,.4g} ms simulated, {self.completed:,} of {self.flows:,} flows complete, "
            f"{self.events / max(self.seconds, 1e-9) / 1e6:.3g} M events/s, {self.seconds:.0f} s{rest}"
        )


OnSimulationProgress: TypeAlias = Callable[[SimulationProgress], None]


@brief("network", "workload", "seed")
@dataclass(frozen=True, kw_only=True)
class SimulationScenario(ABC):
    """All that a run depends on.  Expressions become one in :class:`~pnet_lp.sim.settings.SimulationSettings`.

    Class attributes:
        model: what it simulates.

    Attributes:
        network: the network, with what fails in it down.
        workload: its flows.
        forwarding: with its parameters.
        plane_policy: which planes a flow may use.
        link_delay_ps: how long a bit travels on links of which the network does not say.
        sizes: sizes of packets.
        seed: all that is drawn is drawn from this.
        time_limit_ps: simulated time at which to stop.
        event_limit: number of events at which to stop.
        preset: its name, if there is one.
        outages: what fails while the run goes on.
    """

    model: ClassVar[str]

    network: Network
    workload: Workload
    forwarding: ForwardingChoice
    plane_policy: Policy = "any"
    link_delay_ps: int = 10**6
    sizes: PacketSizes = field(default_factory=PacketSizes)
    seed: int = 0
    time_limit_ps: int | None = None
    event_limit: int | None = None
    preset: str | None = None
    outages: tuple[Outage, ...] = ()

    def __post_init__(self) -> None:
        """Raise the errors of :meth:`run` that need no run."""
        if self.workload.hosts != self.network.host_count:
            raise WorkloadError(
                f"the workload is for {self.workload.hosts} hosts, the network has {self.network.host_count}",
                where=self.workload.label or "workload",
            )
        if not self.workload.flow_count:
            raise WorkloadError("nothing is sent between hosts", where=self.workload.label or "workload")
        most = int(self.workload.size.max())
        if most > _MOST_SEGMENTS * self.sizes.payload:
            raise WorkloadError(
                "a flow has too many packets",
                where=f"{self.workload.label or 'workload'}: flow {int(self.workload.size.argmax())}",
                found=most,
                allowed=f"up to {_MOST_SEGMENTS * self.sizes.payload} bytes in packets of {self.sizes.packet}",
            )

    def run(self, on_progress: OnSimulationProgress | None = None, *, jobs: int = 1, runs: int = 1) -> SimulationResult:
        """Return the records of the run; the same scenario gives the same ones.

        Ctrl-C does not raise: the result then says ``interrupted`` and holds what was reached.

        Args:
            on_progress: called now and then.
            jobs: how many such runs there are at the same time, all of which must fit into memory.
            runs: whose records are kept.

        Raises:
            RoutingError: two hosts without a path between them, or more paths than fit into memory or are
                listed.
            TopologyError: the network has no hosts, or links that cannot be simulated.
            SpecError: a queue that no packet fits, something to trace that is not there, or what else the core refuses.
            WorkloadError: more than fits into memory.
            SimulationError: the core cannot go on.
        """
        began = time.perf_counter()
        workload, ports = self.workload, Ports.of(self.network)
        self._check_connected()
        context = SimulationContext(
            self.network, workload, ports, self.sizes, self.plane_policy, self.seed, self.outages
        )
        forwarding = self.forwarding.build(context)
        whole = self._completed(forwarding)
        whole._check_memory(context, forwarding, jobs=jobs, runs=runs)
        # On the wire, so that what has arrived can be compared with it.
        total = workload.total_bytes * self.sizes.packet / self.sizes.payload

        def tell(time_ps: int, events: int, completed: int, arrived_bytes: int) -> bool:
            if on_progress is not None:
                on_progress(
                    SimulationProgress(
                        time_ps,
                        events,
                        completed,
                        workload.flow_count,
                        arrived_bytes / total,
                        self.time_limit_ps,
                        time.perf_counter() - began,
                    )
                )
            return True

        try:
            outcome = whole._simulate(context, self._run(ports, forwarding, tell))
        except _core.ManyPathsError as error:
            src, dst, most = error.args
            names = self.network.host_names
            raise RoutingError(
                f"more than {most:,} shortest paths lead from {names[src]!r} to {names[dst]!r}",
                where="forwarding",
                found=whole.forwarding.expression,
                allowed="another forwarding, or a routing such as ksp:8",
            ) from None
        except _core.InvalidError as error:
            if error.place == "flows":
                raise WorkloadError(
                    error.problem, where=workload.label or "workload", found=error.found, allowed=error.allowed
                ) from None
            raise SpecError(error.problem, where=error.place, found=error.found, allowed=error.allowed) from None
        except _core.CoreError as error:
            raise SimulationError(str(error)) from None
        seconds = time.perf_counter() - began
        return whole._result(outcome, ports, seconds, whole._warnings(context))

    def _completed(self, forwarding: _core.Forwarding) -> SimulationScenario:
        """Return the scenario with what was left to its forwarding."""
        del forwarding
        return self

    def _warnings(self, context: SimulationContext) -> tuple[str, ...]:
        """Return what is accepted, but will hardly be meant, one sentence each."""
        del context
        return ()

    def _observed(self, outcome: _core.Outcome, ports: Ports) -> tuple[str, ...]:
        """Return what a run has shown that is worth a warning, one sentence each."""
        del outcome, ports
        return ()

    @abstractmethod
    def _check_memory(self, context: SimulationContext, forwarding: _core.Forwarding, *, jobs: int, runs: int) -> None:
        """Raise WorkloadError where a run needs more memory than is free."""

    @abstractmethod
    def _simulate(self, context: SimulationContext, run: Mapping[str, Any]) -> _core.Outcome:
        """Return what the core makes of it; ``run`` are arguments that both models take."""

    def _run(
        self, ports: Ports, forwarding: _core.Forwarding, tell: Callable[[int, int, int, int], bool]
    ) -> dict[str, Any]:
        """Return the arguments that both models take."""
        workload, outages = self.workload, self.outages
        down = [of for outage in outages for of in [outage.ports(ports)] * outage.times]
        windows = [window for outage in outages for window in outage.windows]
        times = [(since, -1 if until is None else until) for since, until in windows]
        return {
            "planes": ports.planes,
            "wiring": None if ports.wiring is None else ports.wiring.to_core(),
            "rate": ports.rate,
            "delay_ps": ports.delays_ps(self.link_delay_ps),
            "flows": {name: getattr(workload, name) for name in _OF_FLOWS},
            "forwarding": forwarding,
            "seed": derive_seed(self.seed, "simulate"),
            "time_limit_ps": self.time_limit_ps,
            "event_limit": self.event_limit,
            "outage_ports": ints(np.concatenate([*down, []])),
            "outage_ps": longs(np.repeat(np.reshape(times, (-1, 2)), [len(of) for of in down], axis=0)),
            "reroute_ps": one_delay(outages),
            "on_progress": tell,
        }

    def to_json(self) -> dict[str, Any]:
        """Return what the run depends on beside network and workload; the expressions hold without the preset too."""
        limit = self.time_limit_ps
        return {
            "model": self.model,
            "preset": self.preset,
            **self._own_settings(),
            "forwarding": self.forwarding.expression,
            "plane_policy": self.plane_policy,
            "link_delay": format_duration(self.link_delay_ps),
            "packet": self.sizes.packet,
            "header": self.sizes.header,
            "ack": self.sizes.ack,
            "seed": self.seed,
            "time_limit": None if limit is None else format_duration(limit),
            "event_limit": self.event_limit,
            "outage": outages_json(self.outages),
        }

    @abstractmethod
    def _own_settings(self) -> dict[str, Any]:
        """Return what the model's own settings are, as :meth:`to_json` does."""

    def _transports(self) -> tuple[tuple[str, ...], IntArray]:
        """Return the transports that flows have, and int32 ``[f]``, which of these each has; empty of a fluid."""
        return (), ints(np.zeros(self.workload.flow_count))

    def _check_connected(self) -> None:
        """Raise RoutingError where two hosts of a flow have no path in any plane."""
        pairs = np.unique(np.stack([self.workload.src, self.workload.dst]), axis=1)
        for first in range(0, pairs.shape[1], _FLOW_CHECKED):
            src, dst = pairs[:, first : first + _FLOW_CHECKED]
            hops = count_shortest(self.network.graph, "host", src, dst + self.network.receivers).hops
            cut = np.flatnonzero((hops < 0).all(axis=1))
            if len(cut):
                names = self.network.host_names
                raise RoutingError(
                    f"no path leads from {names[src[cut[0]]]!r} to {names[dst[cut[0]]]!r}",
                    where=self.workload.label or "workload",
                )

    def _result(
        self, outcome: _core.Outcome, ports: Ports, seconds: float, warnings: tuple[str, ...]
    ) -> SimulationResult:
        # In the order of the workload, not of starts.
        order = np.argsort(outcome.flows["flow"], kind="stable")
        flow = {name: values[order] for name, values in outcome.flows.items()}
        # Without a limit of time it was the clock's own.
        clock = outcome.end == "time limit" and self.time_limit_ps is None
        full = any(len(rows["time_ps"]) >= ROWS for rows in outcome.traces.values())
        workload, (transports, transport) = self.workload, self._transports()
        return SimulationResult(
            end="end of clock" if clock else outcome.end,
            time_ps=outcome.time_ps,
            events=outcome.events,
            packet_hops=outcome.packet_hops,
            traces=outcome.traces,
            seconds=seconds,
            seed=self.seed,
            flow=flow,
            plane_bytes=outcome.plane_bytes[order],
            subflow_bytes=outcome.subflow_bytes[order],
            task=workload.task,
            stage=workload.stage,
            stages=workload.stages,
            transport=transport,
            transports=transports,
            is_job=workload.is_job,
            port=outcome.ports,
            places=ports,
            link_delay_ps=self.link_delay_ps,
            settings=self.to_json(),
            network=summarise_network(self.network),
            workload={
                "label": workload.label,
                "flows": workload.flow_count,
                "tasks": int(workload.task.max()) + 1,
                "bytes": workload.total_bytes,
                "fingerprint": workload.fingerprint,
                "distribution_mean_bytes": workload.mean_bytes,
                "offered": None if workload.offered is None else workload.offered.to_json(),
            },
            warnings=(
                *self.network.warnings,
                *warnings,
                *self._observed(outcome, ports),
                *((f"traces end after {ROWS:,} rows each",) if full else ()),
            ),
        )
