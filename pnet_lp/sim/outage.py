"""What fails while a run goes on: one or several outages, each with what is down, from when and until when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.errors import SpecError, naming
from pnet_lp.failures import FAILING, FailureModel, Failures, FailureSettings, Mask, apply_mask
from pnet_lp.flags import Flag
from pnet_lp.model import Network
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.quantities import Duration
from pnet_lp.registry import AsText, OneOrMore, Params, parse_values, validate
from pnet_lp.sim.ports import FROM_HOST, TO_HOST, Ports
from pnet_lp.sim.wiring import Wiring
from pnet_lp.units import format_duration


@brief()
@dataclass(frozen=True, eq=False)
class Outage:
    """Links and switches that are down for a time, or again and again, as a port that flaps.

    What is down all the time needs none: a network without it says the same.

    Attributes:
        mask: what is down.
        from_ps: from when; paths chosen at 0 avoid what is down then.
        until_ps: when it comes back; None for never.
        reroute_ps: how long paths need to take note of a change; None where those of flows under way never do.  Flows
            that start later then avoid what is down from 0 until it is back, and notice no later failure.
        every_ps: from one failure to the next, more than one lasts; None where there is one.
        times: how often it fails.
    """

    mask: Mask
    from_ps: int = 0
    until_ps: int | None = None
    reroute_ps: int | None = None
    every_ps: int | None = None
    times: int = 1

    @property
    def windows(self) -> list[tuple[int, int | None]]:
        """From when until when it is down, time by time."""
        later = [turn * (self.every_ps or 0) for turn in range(self.times)]
        return [(self.from_ps + by, None if self.until_ps is None else self.until_ps + by) for by in later]

    def ports(self, ports: Ports) -> IntArray:
        """Return the ports that send into something that is down."""
        if ports.wiring is not None:
            return _without(ports, ports.wiring, self.mask)
        down = np.zeros(len(ports.rate), dtype=bool)
        for p, plane in enumerate(ports.network.planes):
            of_plane = slice(ports.arcs.ptr[p], ports.arcs.ptr[p + 1])
            down[of_plane] = self.mask.arcs[p][ports.arcs.id[of_plane]]
            cut = self.mask.switches[p][plane.host_switch] | self.mask.hosts[p]
            for kind in (FROM_HOST, TO_HOST):
                down[(ports.kind == kind) & (ports.plane == p)] = cut
        return ints(np.flatnonzero(down & ports.connected))

    def lasts(self, time_ps: int) -> bool:
        """Whether anything is down at a time."""
        if self.every_ps is not None and time_ps > self.from_ps:
            time_ps -= min((time_ps - self.from_ps) // self.every_ps, self.times - 1) * self.every_ps
        return self.from_ps <= time_ps and (self.until_ps is None or time_ps < self.until_ps)

    def to_json(self) -> dict[str, Any]:
        """Return how much is down, and when, as a JSON object."""
        until, reroute = self.until_ps, self.reroute_ps
        return {
            "link_directions": self.mask.arc_count,
            "switches": self.mask.switch_count,
            "access_links": self.mask.host_count,
            **({"links_inside_servers": int(self.mask.inside.sum())} if len(self.mask.inside) else {}),
            "from": format_duration(self.from_ps),
            "until": None if until is None else format_duration(until),
            **({} if self.every_ps is None else {"every": format_duration(self.every_ps), "times": self.times}),
            "reroute_after": None if reroute is None else format_duration(reroute),
        }


def _without(ports: Ports, wiring: Wiring, mask: Mask) -> IntArray:
    """Return the ports of a network with servers that a mask takes down.

    Graphs of a network number links in the same way, whatever is down: that has no capacity.
    """
    left, arcs = apply_mask(ports.network, mask).graph.planes, ports.arcs
    lost = [plane.arcs[2][arcs.id[arcs.ptr[p] : arcs.ptr[p + 1]]] == 0 for p, plane in enumerate(left)]
    cut = [plane.host_switch < 0 for plane in left]
    return ints(np.unique(wiring.port[np.concatenate([*lost, *cut, *cut]) & (wiring.port >= 0)]))


def known_masks(outages: Sequence[Outage]) -> list[tuple[int, Mask]]:
    """Return what paths take for down from a time on, time by time from 0; empty where they never learn of anything.

    Paths that take note of changes know of each as much later.  Otherwise those of later flows avoid what has been down
    since 0 without a break.
    """
    late = one_delay(outages)
    if not outages or (late is None and all(outage.from_ps for outage in outages)):
        return []
    changes = {time for outage in outages for window in outage.windows for time in window if time}
    found = [(0, _down(outages, 0))]
    for time in sorted(changes):
        mask = _down(outages, time)
        found.append((time, found[-1][1] & mask) if late is None else (time + late, mask))
    return found


def _down(outages: Sequence[Outage], time_ps: int) -> Mask:
    """Return all that is down at a time."""
    mask = outages[0].mask.nothing
    for outage in outages:
        if outage.lasts(time_ps):
            mask |= outage.mask
    return mask


def as_outages(outage: Outage | Sequence[Outage] | None) -> tuple[Outage, ...]:
    """Return what fails as a tuple, of none where nothing does."""
    return () if outage is None else (outage,) if isinstance(outage, Outage) else tuple(outage)


def outages_json(outages: Sequence[Outage]) -> Any:
    """Return None, a JSON object or a list of them: as many as there are."""
    found = [outage.to_json() for outage in outages]
    return found[0] if len(found) == 1 else found or None


def one_delay(outages: Sequence[Outage]) -> int | None:
    """Return how long paths need to take note of changes, or raise SpecError where outages do not agree."""
    delays = {outage.reroute_ps for outage in outages}
    if len(delays) > 1:
        raise SpecError("paths take note of all failures of a run after one delay", where="reroute_after")
    return delays.pop() if delays else None


_FAILING = Flag(needs=FAILING)

_MOST_TIMES = 1000

#: As late as any time that can be stated, in picoseconds.
_LATEST_PS = 10**18


def _check_times(begin_ps: int, end_ps: int | None) -> None:
    """Raise SpecError where an outage would end before it begins."""
    if end_ps is not None and end_ps <= begin_ps:
        raise SpecError(
            "what fails would be back before",
            where="fail_until",
            found=format_duration(end_ps),
            allowed=f"more than {format_duration(begin_ps)}",
        )


class OneOutage(FailureSettings):
    """What an expression of an outage says: what fails, and when, in the words of the options."""

    fail_at: Duration = Field(0, description="when it fails")
    fail_until: Duration | None = Field(None, description="when it is back; default: never")
    fail_every: Duration | None = Field(None, description="from one failure to the next")
    fail_times: int = Field(1, ge=1, le=_MOST_TIMES, description="how often it fails, with fail_every")

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_times(self.fail_at, self.fail_until)
        self._check_every()
        if not self.failures:
            raise SpecError("nothing fails", allowed=f"one of {', '.join(FAILING)}")
        return self

    def _check_every(self) -> None:
        """Raise SpecError where what fails again has not come back, or is not said how often or when to fail again."""
        if (self.fail_every is None) != (self.fail_times == 1):
            missing = "fail_times" if self.fail_times == 1 else "fail_every"
            raise SpecError("what fails again and again needs fail_every and fail_times, 2 or more", where=missing)
        if self.fail_every is None:
            return
        if self.fail_until is None:
            raise SpecError("what fails again comes back before", where="fail_until", allowed="a time after fail_at")
        if self.fail_every <= self.fail_until - self.fail_at:
            raise SpecError(
                "what fails again would not be back before",
                where="fail_every",
                found=format_duration(self.fail_every),
                allowed=f"more than {format_duration(self.fail_until - self.fail_at)}",
            )
        last = self.fail_until + (self.fail_times - 1) * self.fail_every
        if last > _LATEST_PS:
            raise SpecError(
                "what fails again would be back too late the last time",
                where="fail_every",
                found=format_duration(last),
                allowed=f"at most {format_duration(_LATEST_PS)}",
            )

    @classmethod
    def parse(cls, text: str) -> OneOutage:
        """Return what ``key=value,...`` stands for."""
        return validate(cls, parse_values(text))


class OutageSettings(Params):
    """When what fails is down, if it is not down all the time: the same settings for options and keys of a spec."""

    heading = "Failures"

    fail_at: Annotated[Duration | None, _FAILING] = Field(
        None, description="when failures begin; default: at the start"
    )
    fail_until: Annotated[Duration | None, _FAILING] = Field(None, description="when failures end; default: never")
    outage: Annotated[
        tuple[Annotated[str, AsText], ...], OneOrMore, Flag(metavar="fail=NAME,fail_at=T,...", several="repeated")
    ] = Field(
        (),
        description="failures of their own time: what fails, in words of the options above (fail, fail_links, ...), "
        "fail_at and fail_until, fail_every and fail_times where it fails again; may be repeated",
    )
    reroute_after: Annotated[Duration | None, Flag(needs=("fail_at", "fail_until", "outage"))] = Field(
        None, description="delay after a failure or repair during the run before paths change; default: they never do"
    )

    @model_validator(mode="after")
    def _check_outages(self) -> Self:
        _check_times(self.fail_at or 0, self.fail_until)
        _ = self._own_outages
        return self

    @property
    def _own_outages(self) -> list[OneOutage]:
        with naming("outage"):
            return [OneOutage.parse(text) for text in self.outage]

    @property
    def for_a_time(self) -> bool:
        """Whether what the options of failures name is down for a time only."""
        return self.fail_at is not None or self.fail_until is not None

    def outages(self, network: Network, failures: Failures, seed: int) -> tuple[Outage, ...]:
        """Return what of ``network`` fails for a time only: ``failures``, unless down all the time, and the others."""
        found = []
        if self.for_a_time:
            mask = FailureModel(network, failures).draw(seed)
            found.append(Outage(mask, self.fail_at or 0, self.fail_until, self.reroute_after))
        with naming("outage"):
            for number, own in enumerate(self._own_outages, 1):
                # Each is a trial of its own: two of one link each fail two links.
                mask = FailureModel(network, own.failures).draw(seed, number)
                when = own.fail_at, own.fail_until, self.reroute_after, own.fail_every, own.fail_times
                found.append(Outage(mask, *when))
        return tuple(found)
