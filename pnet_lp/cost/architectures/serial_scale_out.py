"""One tree of single-chip switches."""

from __future__ import annotations

from pydantic import Field, model_validator

from pnet_lp.cost.design import ARCHITECTURES, Design
from pnet_lp.cost.folded import Folded, folded_planes
from pnet_lp.cost.packaging import Packaging
from pnet_lp.registry import Params


class SerialScaleOut(Params):
    """Parameters of ``serial-scale-out``."""

    hosts: int = Field(8192, ge=1, description="number of hosts (paper: 8,192)")
    radix: int = Field(16, ge=4, multiple_of=2, description="ports of a chip (paper: 16), even")
    link_gbps: float = Field(800, gt=0, description="speed of hosts and cables, Gb/s in each direction")

    @model_validator(mode="after")
    def _fits(self) -> SerialScaleOut:
        _ = self.tree
        return self

    @property
    def tree(self) -> Folded:
        """The sizes of the tree."""
        return Folded.of(self.hosts, self.radix)


@ARCHITECTURES.register(
    "serial-scale-out",
    params=SerialScaleOut,
    example="hosts=64,radix=8",
    summary="one fat tree of single-chip switches, with as many tiers as the radix needs",
    source="P-Net (CoNEXT 2022), section 2.1, table 1",
)
def serial_scale_out(params: SerialScaleOut) -> Design:
    """Return a folded Clos network in which every chip is a box, and every cable carries a chip port's full speed."""
    return folded_planes(params.tree, 1, params.link_gbps, Packaging(ports=params.radix))
