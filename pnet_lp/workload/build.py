"""Workloads from the expressions and files that a user gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pnet_lp.errors import SpecError, Verbatim, WorkloadError
from pnet_lp.files import check_readable, exists
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.workload import Workload
from pnet_lp.registry import Entry, Params, parse_expression, parse_values, validate
from pnet_lp.sums import split_sum
from pnet_lp.workload.base import WORKLOADS, Use, WorkloadBuilder, WorkloadContext, WorkloadParams
from pnet_lp.workload.distribution import SizeDistribution, parse_sizes
from pnet_lp.workload.joined import joined


def build_workload(text: str, network: Network, traffic: TrafficMatrix | None = None, *, seed: int = 0) -> Workload:
    """Return the workload that ``text`` describes on ``network``.

    Args:
        text: an expression such as ``poisson:load=0.5,sizes=pfabric-web-search,flows=10000``, the path of a file, of a
            trace with parameters behind it (``run.0.et:all_reduce=tree``), or the sum of several, which run at the
            same time.  A registered name is always the workload; write ``./incast`` for a file of that name.
        network: the network, which has hosts.
        traffic: which hosts send to which, between hosts, for workloads that take their pairs from a matrix.
        seed: master seed of workloads that are drawn and have no ``seed`` of their own.

    Raises:
        SpecError: an unknown name or an invalid parameter; a matrix for a workload that takes none, or none for one
            that needs it.
        WorkloadError: the network has no two hosts, the matrix is between racks or empty, or the workload does not fit
            the network; a missing or broken file.
    """
    recipes = parse_workload(text, None if traffic is None else traffic.label)
    context = _context(text, network, traffic, seed)
    if len(recipes) == 1:
        return recipes[0].build(context)
    # Each draws what it draws alone: twice the same term is twice the same flows.
    parts = [recipe.build(replace(context, label=recipe.text)) for recipe in recipes]
    return joined(parts, network.host_count, text)


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


@dataclass(frozen=True)
class WorkloadRecipe:
    """A workload that is not built yet: of an entry, or a file.

    Attributes:
        text: the expression or the file.
        entry: what it names; None for a file.
        params: parameters of the entry.
        file: what the file is called, without parameters.
        trace: returns the flows of a trace with parameters.
    """

    text: str
    entry: Entry[WorkloadBuilder] | None = None
    params: WorkloadParams | None = None
    file: str = ""
    trace: Callable[[WorkloadContext], Workload] | None = None

    @property
    def traffic(self) -> Use:
        """Whether it takes its pairs from a matrix."""
        return "none" if self.params is None else self.params.traffic

    def build(self, context: WorkloadContext) -> Workload:
        """Return the workload, or raise WorkloadError: it does not fit the network, the file is missing or broken."""
        if self.entry is None or self.params is None:
            from pnet_lp.workload.io import read_workload  # noqa: PLC0415 - slow to load

            return self.trace(context) if self.trace else read_workload(Path(self.file), context.network)
        return _drawn(self.entry.build(self.params, context), self.params)


def check_workload(text: str, traffic: str | None = None) -> None:
    """Raise what :func:`build_workload` would for ``text`` on any network; ``traffic`` is its matrix, in words."""
    for recipe in parse_workload(text, traffic):
        if recipe.entry is None:
            check_readable(Path(recipe.file), WorkloadError)


def parse_workload(text: str, traffic: str | None = None) -> list[WorkloadRecipe]:
    """Return the terms of a sum of workloads.

    Args:
        text: see :func:`build_workload`.
        traffic: the matrix that there is, in words.

    Raises:
        SpecError: an unknown name or an invalid parameter; a matrix that no term takes, or none for one that needs it.
    """
    recipes = terms_of(text)
    if traffic is not None and all(recipe.traffic == "none" for recipe in recipes):
        entry = recipes[0].entry
        if entry is None:
            raise SpecError(f"the file {text} says who sends to whom", where="traffic", found=traffic)
        raise SpecError(f"workload {entry.name!r} chooses its pairs itself", where="traffic", found=traffic)
    for recipe in recipes:
        if recipe.traffic == "required" and traffic is None:
            raise SpecError(f"workload {recipe.text.partition(':')[0]!r} needs a traffic matrix", where="traffic")
    return recipes


def terms_of(text: str) -> list[WorkloadRecipe]:
    """Return the terms of a sum of workloads, whatever matrix there is, or raise SpecError for what is none."""
    # A file may have a plus in its name.
    file = text.partition(":")[0]
    terms = [text] if exists(text) or ("+" in file and exists(file)) else split_sum(text)
    return [_recipe(term.strip()) for term in terms]


def _recipe(text: str) -> WorkloadRecipe:
    if _is_file(text):
        file, _, behind = text.partition(":")
        if not behind or exists(text):
            return WorkloadRecipe(text, file=text)
        from pnet_lp.workload.io import read_trace  # noqa: PLC0415 - slow to load
        from pnet_lp.workload.traces import TraceParams  # noqa: PLC0415

        stated = validate(TraceParams, parse_values(behind, file), file, names=Verbatim)
        return WorkloadRecipe(text, file=file, trace=partial(read_trace, Path(file), stated))
    name, values = parse_expression(text, WORKLOADS)
    entry = WORKLOADS.get(name)
    params = entry.validate(values)
    if not isinstance(params, WorkloadParams):
        raise SpecError(f"workload {name!r} has parameters that are not WorkloadParams")
    return WorkloadRecipe(text, entry, params)


def _is_file(text: str) -> bool:
    if text.partition(":")[0].strip() in WORKLOADS:
        return False
    from pnet_lp.workload.io import WORKLOAD_FORMATS  # noqa: PLC0415 - slow to load

    return WORKLOAD_FORMATS.is_path(text) or WORKLOAD_FORMATS.is_path(text.partition(":")[0])


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
