"""Over which paths: the same settings for options and keys of a spec."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.model.paths import Policy
from pnet_lp.registry import Params


class RoutingSettings(Params):
    """A routing; see :func:`~pnet_lp.routing.base.parse_routing`."""

    heading = "Routing"

    routing: str = Field("ideal", description="paths that demands may use (`pnet-lp list routings`)")
    plane_policy: Policy = Field("any", description="planes that the paths of a pair may use")
