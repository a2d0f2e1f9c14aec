"""From what the user wrote to a workload."""

from __future__ import annotations

from pnet_lp.errors import SpecError, WorkloadError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.workload import Workload
from pnet_lp.registry import Entry, parse_expression
from pnet_lp.workload.base import WORKLOADS, Builder, Context, WorkloadParams


def build_workload(
    text: str, network: Network, traffic: TrafficMatrix | None = None, *, seed: int = 0
) -> Workload:
    """Return the workload that ``text`` describes on ``network``.

    Args:
        text: an expression such as ``poisson:load=0.5,sizes=pfabric-web-search,flows=10000``.
        network: the network, which has hosts.
        traffic: which hosts send to which, between hosts, for workloads that take their pairs from a matrix.
        seed: master seed of workloads that are drawn and have no ``seed`` of their own.

    Raises:
        SpecError: an unknown name or a wrong parameter; a matrix for a workload that takes none, or none for one that
            needs it.
        WorkloadError: the network has no two hosts, the matrix is between racks or empty, or the workload does not fit
            the network.
    """
    entry, params = _parsed(text)
    if params.traffic == "none" and traffic is not None:
        raise SpecError(
            f"workload {entry.name!r} chooses its pairs itself", where="traffic", found=traffic.label
        )
    if params.traffic == "required" and traffic is None:
        raise SpecError(f"workload {entry.name!r} needs a traffic matrix", where="traffic")
    if network.host_count < 2:
        raise WorkloadError(
            f"flows need at least two hosts, the network has {network.host_count}",
            where=text,
            allowed="a topology with hosts, or hosts_per_switch=1",
        )
    if traffic is not None:
        if traffic.level != "host":
            raise WorkloadError(
                f"flows run between hosts, not {traffic.level}s", where=text, allowed="level=host"
            )
        if not traffic.demand_count:
            raise WorkloadError("the traffic matrix has no demand", where=text)
    return entry.build(params, Context(network, seed, text, traffic))


def check_workload(text: str) -> None:
    """Raise SpecError where ``text`` is no workload or has a wrong parameter, without building it."""
    _parsed(text)


def _parsed(text: str) -> tuple[Entry[Builder], WorkloadParams]:
    name, values = parse_expression(text)
    entry = WORKLOADS.get(name)
    params = entry.validate(values)
    if not isinstance(params, WorkloadParams):
        raise SpecError(f"workload {name!r} has parameters that are not WorkloadParams")
    return entry, params
