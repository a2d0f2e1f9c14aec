"""From what the user wrote to a workload."""

from __future__ import annotations

from pnet_lp.errors import SpecError, WorkloadError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.workload import Workload
from pnet_lp.registry import Entry, parse_expression
from pnet_lp.workload.base import WORKLOADS, Builder, Context, WorkloadParams
from pnet_lp.workload.distribution import parse_sizes


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
    entry, params = _parsed(text, None if traffic is None else traffic.label)
    return entry.build(params, _context(text, network, traffic, seed))


def flows_of_size(sizes: str, network: Network, traffic: TrafficMatrix, *, seed: int = 0) -> Workload:
    """Return one flow for each demand of ``traffic``, all from the start: the workload ``each:sizes=SIZES``.

    Args:
        sizes: see :func:`~pnet_lp.workload.distribution.parse_sizes`.
        network: the network, which has hosts.
        traffic: which hosts send to which.
        seed: what sizes are drawn from.

    Raises:
        SpecError, WorkloadError: as of :func:`build_workload`.
    """
    entry = WORKLOADS.get("each")
    params = entry.validate({"sizes": parse_sizes(sizes, "flow_size")})
    return entry.build(params, _context(f"{sizes} each", network, traffic, seed))


def check_workload(text: str, traffic: str | None = None) -> None:
    """Raise what :func:`build_workload` says against ``text`` on any network.

    Args:
        text: an expression.
        traffic: the matrix it would get, in words.
    """
    _parsed(text, traffic)


def _parsed(text: str, traffic: str | None) -> tuple[Entry[Builder], WorkloadParams]:
    name, values = parse_expression(text)
    entry = WORKLOADS.get(name)
    params = entry.validate(values)
    if not isinstance(params, WorkloadParams):
        raise SpecError(f"workload {name!r} has parameters that are not WorkloadParams")
    if params.traffic == "none" and traffic is not None:
        raise SpecError(f"workload {name!r} chooses its pairs itself", where="traffic", found=traffic)
    if params.traffic == "required" and traffic is None:
        raise SpecError(f"workload {name!r} needs a traffic matrix", where="traffic")
    return entry, params


def _context(label: str, network: Network, traffic: TrafficMatrix | None, seed: int) -> Context:
    """Return what a workload may look at, or raise WorkloadError where no flow can be made of it."""
    if network.host_count < 2:
        raise WorkloadError(
            f"flows need at least two hosts, the network has {network.host_count}",
            where=label,
            allowed="a topology with hosts, or hosts_per_switch=1",
        )
    if traffic is not None:
        if traffic.level != "host":
            raise WorkloadError(
                f"flows run between hosts, not {traffic.level}s", where=label, allowed="level=host"
            )
        if not traffic.demand_count:
            raise WorkloadError("the traffic matrix has no demand", where=label)
    return Context(network, seed, label, traffic)
