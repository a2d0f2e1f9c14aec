"""``ideal``: what no routing can beat."""

from __future__ import annotations

from pnet_lp.errors import SpecError
from pnet_lp.model.paths import Policy
from pnet_lp.registry import Params
from pnet_lp.routing.base import ROUTINGS, Routing


@ROUTINGS.register("ideal", summary="any path in any plane, split optimally")
class Ideal(Routing):
    """No restriction."""

    form = "arc"

    def __init__(self, params: Params, policy: Policy = "any", seed: int = 0, expression: str = "") -> None:
        if policy != "any":
            raise SpecError(
                "a plane policy has no meaning for ideal routing, which uses every plane",
                where="plane_policy",
                found=policy,
                allowed="any, or a routing with paths such as ksp:8",
            )
        super().__init__(params, policy, seed, expression)
