"""What a speed-up is of: the same settings for options and keys of a spec."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from pnet_lp.flags import Flag
from pnet_lp.layouts import whole
from pnet_lp.optical.scenario import SCENARIOS, TESTBEDS, HybridScenario
from pnet_lp.optical.speedup import DEFAULT_SOLVES, RECONFIGURATION_S
from pnet_lp.registry import AsText, Params

_SIZES = ("oversubscription", "links", "servers", "servers_per_rack")


def _half_of_ports(text: str) -> int:
    ports = whole(text) or 0
    if ports < 2 or ports % 2:
        raise ValueError(f"found {text}; allowed: an even number, half of them for servers")
    return ports // 2


class SpeedUpSettings(Params):
    """Two networks, and how circuits are chosen and set; see :func:`~pnet_lp.optical.speedup.speedup`."""

    scenario: Annotated[Literal["1", "2"], AsText] = Field(
        "1", description="pair of networks of the paper: 1:25 tree and 6 optical links per ToR, or 1:4 tree and 20"
    )
    job: Annotated[bool, Flag(excludes=_SIZES)] = Field(
        False, description="the paper's job on four racks in place of the whole cluster"
    )
    oversubscription: float | None = Field(
        None, ge=1, description="oversubscription of the tree; default: the scenario's"
    )
    links: int | None = Field(None, ge=1, description="optical links per ToR; default: the scenario's")
    servers: int | None = Field(None, ge=1, description="number of hosts; default: the scenario's")
    servers_per_rack: Annotated[
        int | None,
        Flag("--ports", help="Ports of a ToR, half of which are for servers.  [default: 64]", parse=_half_of_ports),
    ] = Field(None, ge=1, description="hosts per rack; default: the scenario's")
    scattered: bool = Field(False, description="place racks in the tree at random")
    search: int = Field(DEFAULT_SOLVES, ge=1, description="limit on the throughputs solved in the search for circuits")
    delay_s: Annotated[float, Flag("--delay")] = Field(
        RECONFIGURATION_S, ge=0, description="seconds to set the circuits"
    )

    @property
    def _sizes(self) -> dict[str, float]:
        return {key: getattr(self, key) for key in _SIZES if getattr(self, key) is not None}

    @property
    def cluster(self) -> HybridScenario:
        """The two networks of the whole cluster."""
        return replace(SCENARIOS[self.scenario], **self._sizes)  # type: ignore[arg-type]

    @property
    def networks(self) -> HybridScenario:
        """The two networks."""
        return TESTBEDS[self.scenario] if self.job else self.cluster

    def options(self) -> dict[str, Any]:
        """Return the keyword arguments of :func:`~pnet_lp.optical.speedup.speedup` that the settings stand for."""
        return {"scattered": self.scattered, "delay_s": self.delay_s, "solves": self.search}
