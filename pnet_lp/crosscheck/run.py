"""The cross-check: the same flows by linear program, as a fluid and in packets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pnet_lp.crosscheck.linear import Linear, bytes_matrix, solve_apart, solve_bytes, why_not
from pnet_lp.crosscheck.settings import CrosscheckSettings
from pnet_lp.errors import RoutingError, SpecError, WorkloadError
from pnet_lp.model import Network, TrafficMatrix, Workload
from pnet_lp.model.brief import brief
from pnet_lp.registry import validate
from pnet_lp.routing import parse_routing
from pnet_lp.routing.rule import PathKind
from pnet_lp.sim import FORWARDINGS, Outage, SimulationResult
from pnet_lp.sim.base import choose
from pnet_lp.sim.fluid import SHORT_FLOWS, TERMS, FluidScenario
from pnet_lp.sim.outage import as_outages
from pnet_lp.sim.scenario import OnSimulationProgress, SimulationScenario
from pnet_lp.workload import build_workload

_DISTANCE = ("propagation", "store-and-forward")
"""Terms of the correction that no transport avoids."""

_PATIENCE_S = 60.0
"""Least time limit of the best split."""

OnStep = Callable[[str], OnSimulationProgress | None]
"""Given the name of a model, returns the progress callback of its run."""


@brief("linear", "fluids", "packets")
@dataclass(frozen=True, repr=False)
class Crosscheck:
    """The results of all models for the same flows.

    Attributes:
        workload: the flows.
        linear: ``ideal``, all bytes at once over any paths, and ``paths``, over those that flows may take; empty where
            no linear program applies.
        left_out: why none applies.
        own_paths: the routing whose paths flows take; empty where these are among the shortest.
        no_split: why there is no best split; empty where there is one.
        fluids: ``split``, every flow split over the paths that it may take for the best fair rates; ``bare``, on the
            flows' own paths; ``distant``, with the delays of links; ``short``, with what short flows wait for;
            ``fluid``, with the whole correction; empty where packets are compared with the optimum alone.
        packets: the flows in packets.
    """

    workload: Workload
    linear: Mapping[str, Linear]
    left_out: str
    own_paths: str
    no_split: str
    fluids: Mapping[str, SimulationResult]
    packets: SimulationResult

    @property
    def simulations(self) -> Mapping[str, SimulationResult]:
        """All simulations by name, packets last."""
        return {**self.fluids, "packets": self.packets}

    @property
    def fluid(self) -> SimulationResult:
        """The fluid with its correction, if it has any."""
        return self.fluids.get("fluid", self.fluids["bare"])

    @property
    def is_partial(self) -> bool:
        """Whether a flow is unfinished in any of them."""
        return any(result.completed < result.flow_count for result in self.simulations.values())


def run(
    settings: CrosscheckSettings,
    network: Network,
    workload: Workload,
    *,
    outages: tuple[Outage, ...] = (),
    seed: int = 0,
    on_step: OnStep = lambda _: None,
) -> Crosscheck:
    """Run all models of ``workload`` on ``network``.

    Args:
        settings: how to simulate.
        network: the network, with what fails in it down.
        workload: its flows.
        outages: what fails during the run.
        seed: of all random choices.
        on_step: called with the name of each model before its run.

    Raises:
        KeyboardInterrupt: the user stopped a simulation.
    """
    packets = settings.packets.scenario(network, workload, seed, outages=outages)
    fluids: dict[str, SimulationResult] = {}
    no_split, routings = "", {"ideal": "ideal"}
    if settings.against == "all":
        fluid = settings.fluid.scenario(network, workload, seed, outages=outages)
        assert isinstance(fluid, FluidScenario)
        fluids = {"bare": _complete(replace(fluid, terms=()), "bare fluid", on_step)}
        split, no_split = _split(fluid, fluids["bare"], on_step)
        fluids = {**split, **fluids, **dict(_corrected(fluid, on_step))}
        routings["paths"] = _routing(packets) or "ecmp-lp"
    simulated = _complete(packets, "packets", on_step)
    linear: dict[str, Linear] = {}
    if not (left_out := why_not(workload, outages)):
        matrix = bytes_matrix(workload, packets.sizes)
        for name, routing in routings.items():
            on_step(f"linear program, {routing}")
            linear[name] = _solved(network, matrix, routing, packets, seed)
    return Crosscheck(workload, linear, left_out, _routing(packets), no_split, fluids, simulated)


def crosscheck(
    network: Network,
    workload: Workload | str,
    *,
    traffic: TrafficMatrix | None = None,
    outage: Outage | Sequence[Outage] | None = None,
    seed: int = 0,
    **settings: Any,
) -> Crosscheck:
    """Run the linear program, the fluid and the packets of ``workload`` on ``network``.

    Args:
        network: the network, with what fails in it down.
        workload: its flows, or an expression such as ``each:sizes=10MB``.
        traffic: the matrix that gives the pairs of a workload expression that takes one.
        outage: what fails during the run, once or several times.
        seed: of all random choices.
        settings: fields of :class:`CrosscheckSettings`, as the command line takes them: those of
            :func:`~pnet_lp.sim.simulate` but for ``model``.

    Raises:
        KeyboardInterrupt: the user stopped it.
        PnetError: as :func:`~pnet_lp.sim.simulate` and :func:`~pnet_lp.throughput.solve`.
    """
    validated = validate(CrosscheckSettings, settings)
    if isinstance(workload, str):
        workload = build_workload(workload, network, traffic, seed=seed)
    elif traffic is not None:
        raise SpecError("the workload has its pairs already", where="traffic", found=traffic.label)
    return run(validated, network, workload, outages=as_outages(outage), seed=seed)


def _solved(network: Network, matrix: TrafficMatrix, routing: str, packets: SimulationScenario, seed: int) -> Linear:
    apart = network.servers is not None and network.servers.relay == "none"
    # A plane that is drawn may be the scale-up network or not.
    if apart and routing == "ecmp-lp" and not _routing(packets) and packets.plane_policy != "single":
        return solve_apart(network, matrix, packets.plane_policy, seed)
    return solve_bytes(network, matrix, routing, packets.plane_policy, seed)


def _complete(scenario: SimulationScenario, name: str, on_step: OnStep) -> SimulationResult:
    result = scenario.run(on_step(name))
    if result.end == "interrupted":
        raise KeyboardInterrupt
    return result


def _split(fluid: FluidScenario, bare: SimulationResult, on_step: OnStep) -> tuple[dict[str, SimulationResult], str]:
    """Return the result of flows that are split optimally over all paths that they may take, or why there is none."""
    if bare.settings["sharing"] == "best":
        return {}, "flows are split at best anyway"
    split = replace(fluid, terms=(), sharing="best", patience_s=_PATIENCE_S)
    if not _routing(fluid):
        split = replace(split, forwarding=choose(FORWARDINGS, "sopa", {}))
    try:
        return {"split": _complete(split, "fluid, best split", on_step)}, ""
    except WorkloadError as error:
        # On single paths the same flows fit into memory and time.
        return {}, str(error)
    except RoutingError as error:
        # These paths are not the user's choice.
        return {}, error.problem


def _corrected(fluid: FluidScenario, on_step: OnStep) -> Iterator[tuple[str, SimulationResult]]:
    """Yield the results of the fluid with more and more terms of its correction, where they differ."""
    terms: tuple[str, ...] = ()
    for name, kept in (("distant", _DISTANCE), ("short", SHORT_FLOWS), ("fluid", TERMS)):
        more = tuple(term for term in fluid.terms if term in kept)
        # The run with all terms is the last one.
        if more != terms and (name == "fluid" or more != fluid.terms):
            yield name, _complete(replace(fluid, terms=more), f"fluid, {name}", on_step)
            terms = more


def _routing(scenario: SimulationScenario) -> str:
    """Return the routing whose paths flows take; empty where these are among the shortest."""
    text: str = getattr(scenario.forwarding.params, "routing", "")
    return "" if not text or parse_routing(text).kind == PathKind.EqualCost else text
