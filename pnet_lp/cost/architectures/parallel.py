"""Several equal trees of chips whose ports are broken out."""

from __future__ import annotations

from pydantic import Field, model_validator

from pnet_lp.cost.design import ARCHITECTURES, Design
from pnet_lp.cost.folded import Folded, folded_planes
from pnet_lp.cost.packaging import Packaging
from pnet_lp.registry import Params


class Parallel(Params):
    """Parameters of ``parallel``."""

    hosts: int = Field(8192, ge=1, description="number of hosts (paper: 8,192)")
    radix: int = Field(16, ge=2, multiple_of=2, description="ports of a chip before they are broken out, even")
    planes: int = Field(8, ge=1, description="planes, into which every port is broken out (paper: N)")
    link_gbps: float = Field(
        800,
        gt=0,
        description="speed of a host over all planes, and of a port before it is broken out, Gb/s in each direction",
    )
    share: bool = Field(
        True, description="whether the chips of one position in all planes share a box, and their cables a bundle"
    )
    channels: int | None = Field(
        None, ge=1, description="planes that share a cable, where planes share boxes; default: all"
    )

    @model_validator(mode="after")
    def _fits(self) -> Parallel:
        _ = self.tree
        if self.channels is not None and (not self.share or self.planes % self.channels):
            raise ValueError(
                f"cables of {self.channels} channels do not bundle {self.planes if self.share else 'separate'} planes"
            )
        return self

    @property
    def tree(self) -> Folded:
        """The sizes of a plane."""
        return Folded.of(self.hosts, self.radix * self.planes)

    @property
    def packaging(self) -> Packaging:
        """How the planes are packed."""
        if not self.share:
            return Packaging(ports=self.radix * self.planes)
        channels = self.channels or self.planes
        return Packaging(
            ports=self.radix * self.planes,
            planes_per_box=self.planes,
            planes_per_cable=channels,
            cables_per_bundle=self.planes // channels,
        )


@ARCHITECTURES.register(
    "parallel",
    params=Parallel,
    example="hosts=128,radix=4,planes=4",
    summary="N equal fat trees of chips with N times the ports at 1/N of the speed",
    source="P-Net (CoNEXT 2022), sections 3.1 and 6.1, table 1",
)
def parallel(params: Parallel) -> Design:
    """Return N planes, each a folded Clos network of chips with N times as many ports, 1/N as fast.

    The N chips of one position share a box, and the N cables of one position are one cable of N channels, or several of
    fewer, pulled as one link; with ``share=false`` everything is separate, as is P-Net's default for the ToRs.
    """
    return folded_planes(params.tree, params.planes, params.link_gbps, params.packaging)
