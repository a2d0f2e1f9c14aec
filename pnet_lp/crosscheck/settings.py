"""How to simulate in both models: the same settings for options, keys of a spec and arguments of functions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from pnet_lp.sim import SimulationSettings
from pnet_lp.sim.settings import FLUID_ONLY, PACKETS_ONLY, EveryModelSettings


class CrosscheckSettings(EveryModelSettings):
    """Everything about simulations that is neither network nor workload; what is not given is as of ``simulate``.

    The fluid is by default that of the transport: with its handshake, its first window and its subflows.
    """

    against: Literal["all", "optimum"] = Field(
        "all",
        description="what packets are compared with: all models, or the optimum alone, the linear program over any "
        "paths, which takes less time",
    )

    @classmethod
    def meaningless(cls, given: Mapping[str, Any]) -> dict[str, str]:
        """Return the settings that change nothing beside those that are given, and why."""
        if given.get("against") == "optimum":
            return dict.fromkeys(FLUID_ONLY, "changes nothing with against=optimum, which has no fluid")
        return super().meaningless(given)

    @cached_property
    def packets(self) -> SimulationSettings:
        """The settings of the packets."""
        return SimulationSettings(model="packets", **self._given_but(FLUID_ONLY))

    @cached_property
    def fluid(self) -> SimulationSettings:
        """The settings of the fluid."""
        given = self._given_but(PACKETS_ONLY)
        settings = {**self.chosen_transport.params.as_fluid(), **given}
        if "sharing" in given:
            settings["subflows"] = given.get("subflows", self.subflows)
        idle = SimulationSettings.meaningless({**settings, "model": "fluid"})
        return SimulationSettings(model="fluid", **{key: value for key, value in settings.items() if key not in idle})

    def _given_but(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Return what was given, or stated by a preset, but for ``names``."""
        return {
            key: value
            for key in EveryModelSettings.model_fields
            if key in self.model_fields_set - set(names) and (value := getattr(self, key)) is not None
        }
