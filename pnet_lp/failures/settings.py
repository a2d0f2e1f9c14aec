"""What is to fail: the same settings for options and keys of a spec."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pnet_lp.errors import SpecError, naming
from pnet_lp.failures.groups import read_groups
from pnet_lp.failures.spec import Failures, Mode, Unit
from pnet_lp.registry import OneOrMore, Params


class FailureSettings(Params):
    """What of a network fails; see :class:`~pnet_lp.failures.spec.Failures`."""

    fail_links: float = Field(0.0, ge=0, le=1, description="share of each plane's cables that fail")
    fail_switches: float = Field(0.0, ge=0, le=1, description="share of each plane's switches that fail")
    fail_planes: Annotated[tuple[int, ...], OneOrMore] = Field((), description="planes that fail as a whole")
    fail_unit: Unit = Field(
        "cable",
        description="which parts fail together: both directions of a cable; each direction alone; the switches of a "
        "box; parts of one position in all planes",
    )
    fail_mode: Mode = Field(
        "random",
        description="how failing parts are chosen: random takes exactly the share, rounded; independent takes each "
        "with the share as probability; betweenness takes those with the most shortest paths first",
    )
    fail_groups: str | None = Field(
        None, description="YAML or JSON file of shared-risk groups, each of which fails as a whole"
    )

    def check_shares(self) -> None:
        """Raise SpecError where it is given how a share fails, but no share."""
        if not self.model_fields_set & {"fail_links", "fail_switches"}:
            for key in sorted(self.model_fields_set & {"fail_unit", "fail_mode"}):
                raise SpecError(
                    "has no meaning without fail_links or fail_switches", where=key, found=getattr(self, key)
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
