"""Everything about a simulation that is neither network nor workload, in words."""

from __future__ import annotations

from dataclasses import dataclass

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Workload
from pnet_lp.model.paths import Policy
from pnet_lp.routing import POLICIES
from pnet_lp.sim.base import FORWARDINGS, QUEUES, TRANSPORTS, PacketSizes, choose
from pnet_lp.sim.outage import Outage
from pnet_lp.sim.preset import Preset, get_preset, plain
from pnet_lp.sim.scenario import Scenario, check_limits
from pnet_lp.units import parse_bytes, parse_duration

DEFAULTS = {
    "transport": "tcp",
    "queue": "drop-tail",
    "forwarding": "ecmp",
    "link_delay": "1us",
    "packet": "1500",
    "header": "40",
    "ack": "40",
}
"""What holds where neither the user nor a preset says otherwise."""


@dataclass(frozen=True)
class Settings:
    """What the user wrote; None where that is nothing, so that the preset's value or the default holds.

    Attributes:
        preset: a name of :data:`~pnet_lp.sim.preset.PRESETS`.
        transport, queue, forwarding: a registered name, ``name:key=value,...``.
        routing: a routing whose paths flows take, short for ``forwarding="given:routing=..."``.
        plane_policy: which planes a flow may use.
        link_delay: how long a bit travels on links of which the network does not say, such as ``1us``.
        packet, header, ack: bytes of a full packet, of the header in it, of an acknowledgement.
        time_limit: simulated time at which to stop, such as ``10ms``.
        event_limit: number of events at which to stop.
        trace: what to trace: ``queue:FROM->TO``, ``queue:PLANE/FROM->TO``, ``flow:NUMBER``.
    """

    preset: str | None = None
    transport: str | None = None
    queue: str | None = None
    forwarding: str | None = None
    routing: str | None = None
    plane_policy: Policy = "any"
    link_delay: str | None = None
    packet: str | None = None
    header: str | None = None
    ack: str | None = None
    time_limit: str | None = None
    event_limit: int | None = None
    trace: tuple[str, ...] = ()

    def scenario(
        self, network: Network, workload: Workload, seed: int = 0, *, outage: Outage | None = None
    ) -> Scenario:
        """Return the scenario of ``workload`` on ``network``, of which ``outage`` may fail.

        Raises:
            SpecError: an unknown name, a wrong parameter, no quantity, both a forwarding and a routing, or a seed out
                of range.
            WorkloadError: the workload is for another network, or cannot be simulated.
        """
        preset = get_preset(self.preset)
        if self.forwarding is not None and self.routing is not None:
            raise SpecError(
                "flows take a routing's paths or find their own", where="forwarding", found=self.forwarding
            )
        if self.plane_policy not in POLICIES:
            raise SpecError(
                "no such policy", where="plane_policy", found=self.plane_policy, allowed=", ".join(POLICIES)
            )
        forwarding = self.forwarding if self.routing is None else f"given:routing={self.routing}"
        limit = None if self.time_limit is None else parse_duration(self.time_limit, "time_limit")
        check_limits(limit, self.event_limit)
        return Scenario(
            network=network,
            workload=workload,
            transport=choose(TRANSPORTS, self._word("transport", preset), plain(preset.transports)),
            queue=choose(QUEUES, self._word("queue", preset), plain(preset.queues)),
            forwarding=choose(
                FORWARDINGS, forwarding or self._word("forwarding", preset), plain(preset.forwardings)
            ),
            plane_policy=self.plane_policy,
            link_delay_ps=parse_duration(self._word("link_delay", preset), "link_delay"),
            sizes=PacketSizes(
                **{name: parse_bytes(self._word(name, preset), name) for name in ("packet", "header", "ack")}
            ),
            seed=seed,
            time_limit_ps=limit,
            event_limit=self.event_limit,
            preset=self.preset,
            trace=self.trace,
            outage=outage,
        )

    def _word(self, name: str, preset: Preset) -> str:
        """Return what holds: the user's word, the preset's, the default."""
        given: str | None = getattr(self, name)
        if given is not None:
            return given
        stated = preset.settings.get(name)
        return DEFAULTS[name] if stated is None else stated.value
