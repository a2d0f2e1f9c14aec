"""The simulation in one call, for whoever has a network and flows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, TrafficMatrix, Workload
from pnet_lp.model.network import check_network
from pnet_lp.registry import one_or_more, validate
from pnet_lp.seeds import check_seed
from pnet_lp.sim.outage import Outage, as_outages
from pnet_lp.sim.result import SimulationResult
from pnet_lp.sim.scenario import OnSimulationProgress
from pnet_lp.sim.settings import SimulationSettings
from pnet_lp.workload import build_workload


def simulate(
    network: Network,
    workload: Workload | str,
    *,
    traffic: TrafficMatrix | None = None,
    trace: str | tuple[str, ...] = (),
    outage: Outage | Sequence[Outage] | None = None,
    seed: int = 0,
    on_progress: OnSimulationProgress | None = None,
    **settings: Any,
) -> SimulationResult:
    """Return the records of ``workload`` on ``network``, simulated packet by packet, or as a fluid.

    Args:
        network: the network, with what fails in it down.
        workload: its flows, or an expression such as ``each:sizes=10MB``.
        traffic: the matrix that gives a workload expression its pairs, where it takes one.
        trace: what to trace: ``queue:FROM->TO``, ``queue:PLANE/FROM->TO``, ``flow:NUMBER``.
        outage: what fails while the run goes on, once or several times.
        seed: all that is drawn is drawn from this.
        on_progress: called now and then.
        settings: fields of :class:`~pnet_lp.sim.settings.SimulationSettings`, as the command line takes them:
            ``preset``, ``model``, ``transport``, ``queue``, ``host_queue``, ``forwarding`` or ``routing``, ``sharing``,
            ``subflows``, ``correction``, ``initial_window``, ``window``, ``threshold``, ``plane_policy``,
            ``link_delay``, ``packet``, ``header``, ``ack``, ``time_limit``, ``event_limit``.

    Ctrl-C does not raise: the result then says ``interrupted`` and holds what was reached.

    Raises:
        SpecError: no network, an unknown name, a wrong parameter, no quantity, or a matrix for flows that are there
            already.
        WorkloadError: the workload does not fit the network, or cannot be simulated.
        RoutingError: two hosts without a path between them, or more paths than fit into memory.
        TopologyError: the network has no hosts, or links that cannot be simulated.
    """
    check_network(network)
    check_seed(seed)
    how = validate(SimulationSettings, settings)
    if isinstance(workload, str):
        workload = build_workload(workload, network, traffic, seed=seed)
    elif traffic is not None:
        raise SpecError(
            "the workload has its pairs already",
            where="traffic",
            found=traffic.label,
            allowed="a workload expression, or no matrix",
        )
    scenario = how.scenario(network, workload, seed, trace=one_or_more(trace), outages=as_outages(outage))
    return scenario.run(on_progress)
