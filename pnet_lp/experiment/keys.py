"""Keys that cases of several questions have, each with one meaning: that of the option of the same name.

What a key says is parsed when a spec is loaded, so that nothing wrong is found out after hours of solving.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.experiment.case import Case, OneOrMore
from pnet_lp.failures import Failures, Mode, Unit, fail, read_groups
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level, Variant
from pnet_lp.model.paths import Policy
from pnet_lp.routing import parse_routing
from pnet_lp.throughput.objectives import CONCURRENT, parse_objective
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE, check_solver
from pnet_lp.throughput.solvers import AUTO, get_solver
from pnet_lp.topology import build_network, check_topology
from pnet_lp.topology.spec import MOST_PLANES
from pnet_lp.traffic import build_traffic, check_traffic
from pnet_lp.units import DEFAULT_LINK_GBPS


@contextmanager
def refusing(key: str) -> Iterator[None]:
    """Let what the block refuses name the key, in place of the option that a library may name."""
    try:
        yield
    except PnetError as error:
        inner = error.where or ""
        where = key if inner in ("", key) else f"{key}: {inner}"
        raise type(error)(error.problem, where=where, found=error.found, allowed=error.allowed) from None


class PlaneKeys(Case):
    """A network without failures."""

    planes: int = Field(1, ge=1, le=MOST_PLANES, description="planes made from a single topology")
    variant: Variant | None = Field(
        None, description="how the planes relate; homogeneous where there are several"
    )
    link_gbps: float = Field(
        DEFAULT_LINK_GBPS,
        gt=0,
        allow_inf_nan=False,
        description="speed of links to which nothing else gives one",
    )
    hosts_per_switch: int = Field(0, ge=0, description="hosts to attach where a topology names none")


class TopologyKeys(Case):
    """What is built."""

    topology: Annotated[tuple[str, ...], OneOrMore] = Field(
        min_length=1,
        description="an expression, a file or a name of the catalogue; several give one plane each",
    )


class NetworkKeys(PlaneKeys, TopologyKeys):
    """A network, and what of it fails."""

    fail_links: float = Field(0.0, ge=0, le=1, description="share of each plane's cables that fail")
    fail_switches: float = Field(0.0, ge=0, le=1, description="share of each plane's switches that fail")
    fail_planes: Annotated[tuple[int, ...], OneOrMore] = Field((), description="planes that fail as a whole")
    fail_unit: Unit = Field("cable", description="what fails together")
    fail_mode: Mode = Field("random", description="how the failing units are chosen")
    fail_groups: str | None = Field(None, description="file of shared-risk groups")

    @model_validator(mode="after")
    def _check_network(self) -> Self:
        with refusing("topology"):
            for text in self.topology:
                self._warnings += check_topology(text, link_gbps=self.link_gbps)
        _ = self.failures
        if not self.model_fields_set & {"fail_links", "fail_switches"}:
            for key in sorted(self.model_fields_set & {"fail_unit", "fail_mode"}):
                raise SpecError(
                    "has no meaning without fail_links or fail_switches", where=key, found=getattr(self, key)
                )
        return self

    @property
    def failures(self) -> Failures:
        """What is to fail; the file of groups is read each time."""
        with refusing("fail_groups"):
            groups = () if self.fail_groups is None else read_groups(self.fail_groups)
        with refusing("fail_mode"):
            return Failures(
                links=self.fail_links,
                switches=self.fail_switches,
                planes=self.fail_planes,
                unit=self.fail_unit,
                mode=self.fail_mode,
                groups=groups,
            )

    def intact(self, seed: int) -> Network:
        """Return the network without failures."""
        return build_network(
            self.topology,
            planes=self.planes,
            variant=self.variant,
            link_gbps=self.link_gbps,
            hosts_per_switch=self.hosts_per_switch,
            seed=seed,
        )

    def network(self, seed: int) -> Network:
        """Return the network with what fails in it down."""
        return fail(self.intact(seed), self.failures, seed=seed)


class TrafficKeys(Case):
    """Who sends how much to whom."""

    traffic: str = Field(
        "all-to-all", description="a pattern, a file, a name of the catalogue, or a sum of these"
    )
    level: Level | None = Field(None, description="whether demands are between racks or hosts")

    @model_validator(mode="after")
    def _check_traffic(self) -> Self:
        with refusing("traffic"):
            check_traffic(self.traffic)
        return self

    def matrix(self, network: Network, seed: int) -> TrafficMatrix:
        """Return the demands on ``network``."""
        return build_traffic(self.traffic, network, self.level, seed=seed)


class ToleranceKeys(Case):
    """How exact a solve has to be."""

    tolerance: float = Field(
        DEFAULT_TOLERANCE, gt=0, lt=1, description="relative gap between the bounds at which to stop"
    )


class SolverKeys(ToleranceKeys):
    """How to solve, and over which paths."""

    routing: str = Field("ideal", description="allowed paths")
    plane_policy: Policy = Field("any", description="which planes a pair's paths may come from")
    solver: str = Field(AUTO, description="a solver's name, with its parameters")
    time_limit_s: float | None = Field(
        None, gt=0, description="seconds after which to stop with the bounds reached"
    )

    @model_validator(mode="after")
    def _check_solving(self) -> Self:
        with refusing("objective"):
            goal = parse_objective(self.asked)
        with refusing("routing"):
            paths = parse_routing(self.routing, policy=self.plane_policy)
        with refusing("solver"):
            check_solver(self.solver)
            goal.check(paths.form, self.solver)
            if self.solver != AUTO:
                get_solver(self.solver)
        return self

    @property
    def asked(self) -> str:
        """The objective."""
        return CONCURRENT

    def options(self, seed: int, threads: int) -> dict[str, Any]:
        """Return the keyword arguments of :func:`~pnet_lp.throughput.solve` that the keys stand for."""
        return {
            "routing": self.routing,
            "plane_policy": self.plane_policy,
            "seed": seed,
            "solver": self.solver,
            "tolerance": self.tolerance,
            "threads": threads,
            "time_limit_s": math.inf if self.time_limit_s is None else self.time_limit_s,
        }
