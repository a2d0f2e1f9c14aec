"""The simulation in one call, for whoever has a network and flows."""

from __future__ import annotations

from pnet_lp.model import Network, TrafficMatrix, Workload
from pnet_lp.model.paths import Policy
from pnet_lp.sim.outage import Outage
from pnet_lp.sim.result import SimulationResult
from pnet_lp.sim.scenario import OnProgress
from pnet_lp.sim.settings import Settings
from pnet_lp.workload import build_workload


def simulate(
    network: Network,
    workload: Workload | str,
    *,
    traffic: TrafficMatrix | None = None,
    preset: str | None = None,
    transport: str | None = None,
    queue: str | None = None,
    forwarding: str | None = None,
    routing: str | None = None,
    plane_policy: Policy = "any",
    link_delay: str | None = None,
    packet: str | None = None,
    header: str | None = None,
    ack: str | None = None,
    time_limit: str | None = None,
    event_limit: int | None = None,
    trace: tuple[str, ...] = (),
    outage: Outage | None = None,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> SimulationResult:
    """Return the records of ``workload`` on ``network``, simulated packet by packet.

    Args:
        network: the network, with what fails in it down.
        workload: its flows, or an expression such as ``each:sizes=10MB``.
        traffic: the matrix that gives a workload in words its pairs, where it takes one.
        preset: the parameters of a paper or program; the other arguments override it.
        transport: how flows are cut into packets, and when these are sent.
        queue: what ports do with packets that cannot be sent at once.
        forwarding: how packets find their ways.
        routing: a routing whose paths flows take, in place of a forwarding.
        plane_policy: which planes a flow may use.
        link_delay: how long a bit travels on links of which the network does not say.
        packet: size of a full packet on the wire, header included.
        header: bytes of a packet that are not payload.
        ack: size of an acknowledgement.
        time_limit: simulated time at which to stop.
        event_limit: number of events at which to stop.
        trace: what to trace, see :class:`~pnet_lp.sim.settings.Settings`.
        outage: what fails while the run goes on.
        seed: all that is drawn is drawn from this.
        on_progress: called now and then.

    Ctrl-C does not raise: the result then says ``interrupted`` and holds what was reached.

    Raises:
        SpecError: an unknown name, a wrong parameter or no quantity.
        WorkloadError: the workload does not fit the network, or cannot be simulated.
        RoutingError: two hosts without a path between them, or more paths than fit into memory.
        TopologyError: the network has no hosts, or links that cannot be simulated.
    """
    if isinstance(workload, str):
        workload = build_workload(workload, network, traffic, seed=seed)
    settings = Settings(
        preset=preset,
        transport=transport,
        queue=queue,
        forwarding=forwarding,
        routing=routing,
        plane_policy=plane_policy,
        link_delay=link_delay,
        packet=packet,
        header=header,
        ack=ack,
        time_limit=time_limit,
        event_limit=event_limit,
        trace=trace,
    )
    return settings.scenario(network, workload, seed, outage=outage).run(on_progress)
