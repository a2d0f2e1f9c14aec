"""Workloads from the expressions and files that a user gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pnet_lp.errors import SpecError, WorkloadError
from pnet_lp.files import check_readable
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.workload import Workload
from pnet_lp.registry import Entry, Params, parse_expression
from pnet_lp.workload.base import WORKLOADS, WorkloadBuilder, WorkloadContext, WorkloadParams
from pnet_lp.workload.distribution import SizeDistribution, parse_sizes


def build_workload(text: str, network: Network, traffic: TrafficMatrix | None = None, *, seed: int = 0) -> Workload:
    """Return the workload that ``text`` describes on ``network``.

    Args:
        text: an expression such as ``poisson:load=0.5,sizes=pfabric-web-search,flows=10000``, or the path of a file.  A
            registered name is always the workload; write ``./incast`` for a file of that name.
        network: the network, which has hosts.
        traffic: which hosts send to which, between hosts, for workloads that take their pairs from a matrix.
        seed: master seed of workloads that are drawn and have no ``seed`` of their own.

    Raises:
        SpecError: an unknown name or an invalid parameter; a matrix for a workload that takes none, or none for one
            that needs it.
        WorkloadError: the network has no two hosts, the matrix is between racks or empty, or the workload does not fit
            the network; a missing or broken file.
    """
    found = _parsed(text, None if traffic is None else traffic.label)
    context = _context(text, network, traffic, seed)
    if isinstance(found, Path):
        from pnet_lp.workload.io import read_workload  # noqa: PLC0415 - slow to load

        return read_workload(found, network)
    entry, params = found
    return _drawn(entry.build(params, context), params)


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
    return _drawn(entry.build(params, _context(f"{sizes} each", network, traffic, seed)), params)


def _drawn(workload: Workload, params: Params) -> Workload:
    """Return the workload, knowing the mean of the sizes that its own were drawn from, if there are several."""
    sizes = getattr(params, "sizes", None)
    if isinstance(sizes, SizeDistribution) and len(sizes.size) > 1:
        return replace(workload, mean_bytes=sizes.mean_bytes)
    return workload


def check_workload(text: str, traffic: str | None = None) -> None:
    """Raise what :func:`build_workload` would for ``text`` on any network; ``traffic`` is its matrix, in words."""
    found = _parsed(text, traffic)
    if isinstance(found, Path):
        check_readable(found, WorkloadError)


def _parsed(text: str, traffic: str | None) -> tuple[Entry[WorkloadBuilder], WorkloadParams] | Path:
    """Return what ``text`` names: a registered workload with its parameters, or a file."""
    if text.partition(":")[0].strip() not in WORKLOADS and _is_file(text):
        if traffic is not None:
            raise SpecError(f"the file {text} says who sends to whom", where="traffic", found=traffic)
        return Path(text)
    name, values = parse_expression(text, WORKLOADS)
    entry = WORKLOADS.get(name)
    params = entry.validate(values)
    if not isinstance(params, WorkloadParams):
        raise SpecError(f"workload {name!r} has parameters that are not WorkloadParams")
    if params.traffic == "none" and traffic is not None:
        raise SpecError(f"workload {name!r} chooses its pairs itself", where="traffic", found=traffic)
    if params.traffic == "required" and traffic is None:
        raise SpecError(f"workload {name!r} needs a traffic matrix", where="traffic")
    return entry, params


def _is_file(text: str) -> bool:
    from pnet_lp.workload.io import WORKLOAD_FORMATS  # noqa: PLC0415 - slow to load

    return WORKLOAD_FORMATS.is_path(text)


def check_hosts(network: Network, label: str) -> None:
    """Raise WorkloadError where a network has too few hosts for the flows called ``label``."""
    if network.host_count < 2:
        raise WorkloadError(
            f"flows need at least two hosts, the network has {network.host_count}",
            where=label,
            allowed="a topology with hosts, or hosts_per_switch=1",
        )


def _context(label: str, network: Network, traffic: TrafficMatrix | None, seed: int) -> WorkloadContext:
    """Return what a workload may look at, or raise WorkloadError where no flow can be made of it."""
    check_hosts(network, label)
    if traffic is not None:
        if traffic.level != "host":
            raise WorkloadError(f"flows run between hosts, not {traffic.level}s", where=label, allowed="level=host")
        if not traffic.demand_count:
            raise WorkloadError("the traffic matrix has no demand", where=label)
    return WorkloadContext(network, seed, label, traffic)
