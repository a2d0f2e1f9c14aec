"""What a preset is: the values of one paper or program, each with where it is from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from pnet_lp.registry import NoParams, Registry


@dataclass(frozen=True)
class Stated:
    """A value and its source.

    Attributes:
        value: as one would write it.
        source: where it is from: a section, a program, or a choice of ours.
    """

    value: str
    source: str


Values: TypeAlias = Mapping[str, Mapping[str, Stated]]
"""Parameters by name of an entry."""


@dataclass(frozen=True)
class Preset:
    """A bundle of values; what is given beside it overrides them.

    Attributes:
        settings: by name of a setting of :class:`~pnet_lp.sim.settings.SimulationSettings`; of transport, queue and
            forwarding these are names alone.
        transports, queues, forwardings: parameters of these, whichever is used.
    """

    settings: Mapping[str, Stated] = field(default_factory=dict)
    transports: Values = field(default_factory=dict)
    queues: Values = field(default_factory=dict)
    forwardings: Values = field(default_factory=dict)

    def rows(self) -> list[tuple[str, str, str]]:
        """Return ``(name, value, source)`` of all values; a parameter's name is ``tcp: rto_min``."""
        entries = {**self.transports, **self.queues, **self.forwardings}
        return [
            *((name, stated.value, stated.source) for name, stated in self.settings.items()),
            *(
                (f"{entry}: {name}", stated.value, stated.source)
                for entry, values in entries.items()
                for name, stated in values.items()
            ),
        ]


PresetBuilder: TypeAlias = Callable[[NoParams], Preset]

PRESETS: Registry[PresetBuilder] = Registry("preset", package="pnet_lp.sim.presets", group="pnet_lp.presets")


def plain(values: Values) -> dict[str, dict[str, str]]:
    """Return parameters without their sources."""
    return {entry: {name: stated.value for name, stated in parameters.items()} for entry, parameters in values.items()}


def get_preset(name: str | None) -> Preset:
    """Return the preset of that name, an empty one for None."""
    return Preset() if name is None else PRESETS.get(name).build(NoParams())
