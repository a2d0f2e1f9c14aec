"""What fails while a run goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.errors import SpecError
from pnet_lp.failures import FAILING, FailureModel, Failures, Mask, apply_mask
from pnet_lp.flags import Flag
from pnet_lp.model import Network
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.quantities import Duration
from pnet_lp.registry import Params
from pnet_lp.sim.ports import FROM_HOST, TO_HOST, Ports
from pnet_lp.units import format_duration


@brief()
@dataclass(frozen=True, eq=False)
class Outage:
    """Links and switches that are down for a time.

    What is down all the time needs none: a network without it says the same.

    Attributes:
        mask: what is down.
        from_ps: from when; paths chosen at 0 avoid what is down then.
        until_ps: when it comes back; None for never.
        reroute_ps: how long paths need to take note of a change; None where those of flows under way never do.  Flows
            that start later then avoid what is down from 0 until it is back, and notice no later failure.
    """

    mask: Mask
    from_ps: int = 0
    until_ps: int | None = None
    reroute_ps: int | None = None

    def ports(self, ports: Ports) -> IntArray:
        """Return the ports that send into something that is down."""
        down = np.zeros(len(ports.rate), dtype=bool)
        for p, plane in enumerate(ports.network.planes):
            of_plane = slice(ports.arcs.ptr[p], ports.arcs.ptr[p + 1])
            down[of_plane] = self.mask.arcs[p][ports.arcs.id[of_plane]]
            cut = self.mask.switches[p][plane.host_switch] | self.mask.hosts[p]
            for kind in (FROM_HOST, TO_HOST):
                down[(ports.kind == kind) & (ports.plane == p)] = cut
        return ints(np.flatnonzero(down & ports.connected))

    def reduced(self, network: Network) -> Network | None:
        """Return ``network`` as paths know it while they know of the failure; None where they never do."""
        if self.from_ps > 0 and self.reroute_ps is None:
            return None
        return apply_mask(network, self.mask)

    def to_json(self) -> dict[str, Any]:
        """Return how much is down, and when, as a JSON object."""
        until, reroute = self.until_ps, self.reroute_ps
        return {
            "link_directions": self.mask.arc_count,
            "switches": self.mask.switch_count,
            "access_links": self.mask.host_count,
            "from": format_duration(self.from_ps),
            "until": None if until is None else format_duration(until),
            "reroute_after": None if reroute is None else format_duration(reroute),
        }


_FAILING = Flag(needs=FAILING)


class OutageSettings(Params):
    """When what fails is down, if it is not down all the time: the same settings for options and keys of a spec."""

    heading = "Failures"

    fail_at: Annotated[Duration | None, _FAILING] = Field(
        None, description="when failures begin; default: at the start"
    )
    fail_until: Annotated[Duration | None, _FAILING] = Field(None, description="when failures end; default: never")
    reroute_after: Annotated[Duration | None, Flag(needs=("fail_at", "fail_until"))] = Field(
        None, description="delay after a failure or repair during the run before paths change; default: they never do"
    )

    @model_validator(mode="after")
    def _check_times(self) -> Self:
        begin, end = self.fail_at or 0, self.fail_until
        if end is not None and end <= begin:
            raise SpecError(
                "what fails would be back before",
                where="fail_until",
                found=format_duration(end),
                allowed=f"more than {format_duration(begin)}",
            )
        return self

    @property
    def is_given(self) -> bool:
        """Whether anything fails or comes back while a run goes on."""
        return self.fail_at is not None or self.fail_until is not None

    def outage(self, network: Network, failures: Failures, seed: int) -> Outage | None:
        """Return what of ``network`` fails for a time only; None where what fails is down all the time."""
        if not self.is_given:
            return None
        mask = FailureModel(network, failures).draw(seed)
        return Outage(mask, self.fail_at or 0, self.fail_until, self.reroute_after)
