"""What is to fail: the same settings for options and keys of a spec."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pnet_lp.errors import naming
from pnet_lp.failures.groups import read_groups
from pnet_lp.failures.spec import Failures, Mode, Unit
from pnet_lp.flags import Flag
from pnet_lp.registry import OneOrMore, Params

FAILING = ("fail_links", "fail_switches", "fail_planes", "fail_groups")
"""Keys that say what fails."""

_OF_SHARES = Flag(needs=("fail_links", "fail_switches"))


class FailureSettings(Params):
    """What of a network fails; see :class:`~pnet_lp.failures.spec.Failures`."""

    fail_links: float = Field(0.0, ge=0, le=1, description="share of each plane's cables that fail")
    fail_switches: float = Field(0.0, ge=0, le=1, description="share of each plane's switches that fail")
    fail_planes: Annotated[tuple[int, ...], OneOrMore, Flag(metavar="I,J")] = Field(
        (), description="planes that fail as a whole"
    )
    fail_unit: Annotated[Unit, _OF_SHARES] = Field(
        "cable",
        description="which parts fail together: both directions of a cable; each direction alone; the switches of a "
        "box; parts of one position in all planes",
    )
    fail_mode: Annotated[Mode, _OF_SHARES] = Field(
        "random",
        description="how failing parts are chosen: random takes exactly the share, rounded; independent takes each "
        "with the share as probability; betweenness takes those with the most shortest paths first",
    )
    fail_groups: Annotated[str | None, Flag(metavar="FILE")] = Field(
        None, description="YAML or JSON file of shared-risk groups, each of which fails as a whole"
    )

    @property
    def failures(self) -> Failures:
        """What is to fail; the file of groups is read each time."""
        with naming("fail_groups"):
            groups = () if self.fail_groups is None else read_groups(self.fail_groups)
        return Failures(
            links=self.fail_links,
            switches=self.fail_switches,
            planes=self.fail_planes,
            unit=self.fail_unit,
            mode=self.fail_mode,
            groups=groups,
        )
