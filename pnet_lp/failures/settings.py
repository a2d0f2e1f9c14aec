"""What is to fail: the same settings for options and keys of a spec."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from pnet_lp.errors import naming
from pnet_lp.failures.groups import read_groups
from pnet_lp.failures.portion import Portion, portion_of
from pnet_lp.failures.spec import Failures, Mode, Unit
from pnet_lp.flags import Flag
from pnet_lp.registry import AsText, OneOrMore, Params

DRAWN = ("fail_links", "fail_switches", "fail_ports", "fail_nics")
"""Keys that say how many fail of the parts that hosts can do without."""

FAILING = (*DRAWN, "fail_servers", "fail_planes", "fail_groups", "fail")
"""Keys that say what fails."""

_OF_UNITS = Flag(needs=("fail_links", "fail_switches", "fail_nics"))
_OF_SHARES = Flag(needs=(*DRAWN, "fail_servers"))


class DrawnFailureSettings(Params):
    """How many parts fail that hosts can do without; see :class:`~pnet_lp.failures.spec.Failures`."""

    fail_links: Annotated[Portion, *portion_of("link")] = Field(
        0.0, description="cables of each plane that fail: a share (0.01, 1%), or a number of them (3, '1 link')"
    )
    fail_switches: Annotated[Portion, *portion_of("switch")] = Field(
        0.0, description="switches of each plane that fail: a share, or a number of them ('1 switch')"
    )
    fail_ports: Annotated[Portion, *portion_of("port")] = Field(
        0.0, description="access links of hosts in each plane that fail: a share, or a number of them ('1 port')"
    )
    fail_nics: Annotated[Portion, *portion_of("nic")] = Field(
        0.0,
        description="network cards that fail, which are the access links of a host in all planes: a share, or a number "
        "of them ('1 nic')",
    )

    @property
    def failures(self) -> Failures:
        """What is to fail."""
        return Failures(links=self.fail_links, switches=self.fail_switches, ports=self.fail_ports, nics=self.fail_nics)


class FailureSettings(DrawnFailureSettings):
    """What of a network fails; see :class:`~pnet_lp.failures.spec.Failures`."""

    heading = "Failures"

    fail_servers: Annotated[Portion, *portion_of("server")] = Field(
        0.0, description="servers that fail with all that is in them: a share, or a number of them ('1 server')"
    )
    fail_planes: Annotated[tuple[int, ...], OneOrMore, Flag(metavar="I,J")] = Field(
        (), description="planes that fail as a whole"
    )
    fail: Annotated[tuple[Annotated[str, AsText], ...], OneOrMore, Flag(metavar="[PLANE:]NAME", several="repeated")] = (
        Field(
            (),
            description="a switch, a host, a server (s0), or a link u-v that fails, in every plane that has it, or in "
            "one",
        )
    )
    fail_unit: Annotated[Unit, _OF_UNITS] = Field(
        "cable",
        description="which parts fail together: both directions of a cable; each direction alone; the switches of a "
        "box; parts of one position in all planes; all NICs of a server",
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
        return replace(
            super().failures,
            servers=self.fail_servers,
            planes=self.fail_planes,
            unit=self.fail_unit,
            mode=self.fail_mode,
            groups=groups,
            names=self.fail,
        )
