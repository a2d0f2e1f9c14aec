"""Demands that are a weight of the source times a weight of the destination."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.demands import Product
from pnet_lp.registry import Params
from pnet_lp.seeds import OwnSeed
from pnet_lp.traffic.base import TrafficContext, traffics
from pnet_lp.traffic.places import hosts_of_endpoints, in_drawn_racks


class GravityParams(Params):
    """Parameters of ``gravity``."""

    weights: Literal["exponential", "hosts"] = Field(
        "exponential",
        description="exponential: weights of sources and of destinations are drawn from an exponential distribution; "
        "hosts: both are the number of hosts of a rack",
    )
    seed: OwnSeed = None


@traffics.register(
    "gravity",
    params=GravityParams,
    summary="between all pairs in proportion to weights of source and destination, 1.0 on average",
    source="Roughan: Simplifying the Synthesis of Internet Traffic Matrices, CCR 2005",
)
def gravity(params: GravityParams, context: TrafficContext) -> TrafficMatrix:
    """Return ``d(s, t) = c T_in(s) T_out(t)`` for all s != t, with ``c`` such that the mean demand is 1.0.

    Raises:
        TrafficError: ``weights=hosts`` where only one rack has hosts.
    """
    if params.weights == "hosts":
        hosts = hosts_of_endpoints(context)
        return _product(hosts, hosts, context)
    drawn = context.random("gravity", params.seed).exponential(size=(2, context.endpoints))
    return _product(drawn[0], drawn[1], context)


class SkewedParams(Params):
    """Parameters of ``skewed``."""

    racks: float = Field(
        0.04, gt=0, lt=1, description="share of the racks that are hot, drawn at random (paper: theta)"
    )
    share: float = Field(0.77, gt=0, le=1, description="share of the traffic at the hot racks (paper: phi)")
    ends: Literal["both", "source"] = Field(
        "both", description="both: hot racks send and receive more; source: they only send more"
    )
    seed: OwnSeed = None


@traffics.register(
    "skewed",
    params=SkewedParams,
    summary="between all pairs, where a share of the racks has most of the traffic; 1.0 on average",
    source="Kassing et al.: Beyond Fat-trees without Antennae, Mirrors, and Disco-balls, SIGCOMM 2017: Skew",
)
def skewed(params: SkewedParams, context: TrafficContext) -> TrafficMatrix:
    """Return the expected demands of flows whose ends are drawn independently: hot with probability ``share``.

    Weights within each class are equal.  The mean demand is 1.0; leaving out the demands of endpoints to themselves
    moves the hot racks' part a little away from ``share``.

    Raises:
        TrafficError: ``share`` is 1 and only one endpoint is hot.
    """
    hot = in_drawn_racks(context, params.racks, context.random("skewed", params.seed))
    weight = np.where(hot, params.share / hot.sum(), (1 - params.share) / max(1, (~hot).sum()))
    return _product(weight, weight if params.ends == "both" else np.ones_like(weight), context)


def _product(source: FloatArray, destination: FloatArray, context: TrafficContext) -> TrafficMatrix:
    rule = Product(source, destination)
    if rule.count == 0:
        raise TrafficError(f"all weight is at one {context.level}", where=context.label, allowed="at least two")
    pairs = context.endpoints * (context.endpoints - 1)
    return context.product(source * (pairs / rule.total), destination)
