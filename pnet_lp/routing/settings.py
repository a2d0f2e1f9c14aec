"""Over which paths: the same settings for options and keys of a spec."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.model.paths import Policy
from pnet_lp.registry import Params


class RoutingSettings(Params):
    """A routing; see :func:`~pnet_lp.routing.base.parse_routing`."""

    routing: str = Field("ideal", description="allowed paths (`pnet-lp list routings`)")
    plane_policy: Policy = Field("any", description="which planes a pair's paths may come from")
