"""A scenario of a fluid: flows share links max-min fairly at every moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias

from pnet_lp import _core
from pnet_lp.errors import SpecError
from pnet_lp.model.brief import brief
from pnet_lp.sim.base import SimulationContext
from pnet_lp.sim.footprint import check_fluid_memory, check_split_time
from pnet_lp.sim.scenario import SimulationScenario

SharingName: TypeAlias = Literal["single", "even", "subflows", "best"]
"""What a flow does with several paths: it takes one; its rate is split over all in fixed parts; each of some subflows
takes part in the sharing; its rate is split over all so that what flows get altogether is max-min fair."""

SHORT_FLOWS = ("handshake", "propagation", "store-and-forward", "slow-start")
OF_WINDOWS = ("queueing", "convergence")
TERMS = (*SHORT_FLOWS, *OF_WINDOWS)
"""What can be added to the times of the fluid, see docs/fluid.md."""

_SHORT, _NONE = "short-flows", "none"


def parse_correction(text: str) -> tuple[str, ...]:
    """Return the terms that ``none``, or some of them, parted by commas, stand for; ``short-flows`` stands for four.

    Raises:
        SpecError: something else.
    """
    if text.strip() == _NONE:
        return ()
    named = [term for one in text.split(",") for term in (SHORT_FLOWS if one.strip() == _SHORT else [one.strip()])]
    if unknown := [one for one in named if one not in TERMS]:
        raise SpecError(
            "no such term",
            where="correction",
            found=unknown[0],
            allowed=f"{_NONE}, {_SHORT}, or some of {', '.join(TERMS)}",
        )
    if len(set(named)) < len(named):
        raise SpecError("a term stands there twice", where="correction", found=text)
    return tuple(term for term in TERMS if term in named)


def _written(terms: tuple[str, ...]) -> str:
    """Return what :func:`parse_correction` makes these terms of."""
    if terms[: len(SHORT_FLOWS)] == SHORT_FLOWS:
        terms = (_SHORT, *terms[len(SHORT_FLOWS) :])
    return ",".join(terms) or _NONE


@brief("network", "workload", "seed")
@dataclass(frozen=True, kw_only=True, repr=False)
class FluidScenario(SimulationScenario):
    """Flows have no packets, and their fair rates at once, in proportion to the weights of the workload.

    Attributes:
        sharing: what a flow does with several paths; None for what its forwarding is made for.
        subflows: how many each flow has, where these share.
        terms: what is added to the fluid's times, some of :data:`TERMS`.
        initial_window: first window of slow start, in packets.
        window: largest window, in packets; None for what fills a flow's path.
        threshold: packets in a queue from which on others are marked.
        growing: whether windows grow from the initial one; otherwise flows have all of theirs at once.
        hosts_hold: whether ports of hosts hold all that windows leave to them.
        transport: the transport whose terms these are; None where they were chosen by hand.
        patience_s: how long the best split may take at least; what takes longer is refused.
        incremental: whether only what a change reaches is solved again; otherwise everything is, for comparison.
    """

    model: ClassVar[str] = "fluid"

    sharing: SharingName | None = None
    subflows: int = 8
    terms: tuple[str, ...] = SHORT_FLOWS
    initial_window: int = 10
    window: int | None = None
    threshold: int = 65
    growing: bool = False
    hosts_hold: bool = False
    transport: str | None = None
    patience_s: float = 86400.0
    incremental: bool = True

    def _completed(self, forwarding: _core.Forwarding) -> FluidScenario:
        if forwarding.no_fluid is not None:
            raise SpecError(
                forwarding.no_fluid,
                where="forwarding",
                found=self.forwarding.expression,
                allowed="another forwarding, or packets alone",
            )
        fitting: tuple[SharingName, ...]
        if forwarding.spreads:
            why, fitting = "the forwarding spreads what a flow sends over its paths", ("even", "best")
        elif forwarding.makes_tables:
            why, fitting = "the forwarding has no paths to split a flow over", ("single", "subflows")
        else:
            why, fitting = "a routing says no fixed parts", ("single", "subflows", "best")
        chosen: SharingName = self.sharing or ("even" if forwarding.spreads else "single")
        if chosen not in fitting:
            raise SpecError(why, where="sharing", found=chosen, allowed=f"{', '.join(fitting)}, or another forwarding")
        if self.transport is not None and (chosen != "single" or self.workload.is_weighted):
            # Queues are found on one path, by windows that share equally.
            return replace(self, sharing=chosen, terms=tuple(term for term in self.terms if term not in OF_WINDOWS))
        if chosen != "single" and (wrong := [term for term in OF_WINDOWS if term in self.terms]):
            raise SpecError(
                f"flows with sharing={chosen} have several paths, and find queues on none",
                where="correction",
                found=wrong[0],
                allowed="with sharing=single",
            )
        if self.workload.is_weighted and (wrong := [term for term in OF_WINDOWS if term in self.terms]):
            raise SpecError(
                "flows with weights have no windows that share equally",
                where="correction",
                found=wrong[0],
                allowed=f"{_NONE}, or some of {', '.join(SHORT_FLOWS)}",
            )
        return replace(self, sharing=chosen)

    def _check_memory(self, context: SimulationContext, forwarding: _core.Forwarding, *, jobs: int, runs: int) -> None:
        subflows = {"subflows": self.subflows, "best": forwarding.most_paths}.get(self.sharing or "", 1)
        check_fluid_memory(context, forwarding, subflows=subflows, jobs=jobs, runs=runs)
        if self.sharing == "best":
            check_split_time(context, forwarding.most_paths, self.event_limit, self.patience_s)

    def _simulate(self, context: SimulationContext, run: Mapping[str, Any]) -> _core.Outcome:
        del context
        added = {term.replace("-", "_"): term in self.terms for term in TERMS}
        windows = {term: added.pop(term) for term in OF_WINDOWS}
        return _core.simulate_fluid(
            run,
            sharing=self.sharing,
            subflows=self.subflows if self.sharing == "subflows" else None,
            correction={
                **added,
                "slow_start": self.initial_window if added["slow_start"] else None,
                "windows": {
                    **windows,
                    "packets": self.window,
                    "threshold": self.threshold,
                    "first": self.initial_window if self.growing else None,
                    "hosts_hold": self.hosts_hold,
                }
                if any(windows.values())
                else None,
            },
            sizes=vars(self.sizes),
            weights=self.workload.weight if self.workload.is_weighted else None,
            method="incremental" if self.incremental else "from-scratch",
        )

    def _own_settings(self) -> dict[str, Any]:
        found: dict[str, Any] = {"sharing": self.sharing}
        if self.sharing == "subflows":
            found["subflows"] = self.subflows
        if self.transport is not None:
            found["transport"] = self.transport
        found["correction"] = _written(self.terms)
        if "slow-start" in self.terms:
            found["initial_window"] = self.initial_window
        if set(OF_WINDOWS) & set(self.terms):
            found |= {"window": self.window, "threshold": self.threshold}
        return found
