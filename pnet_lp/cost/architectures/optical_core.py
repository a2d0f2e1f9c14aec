"""Planes of ToR switches that meet in optics instead of in further tiers of switches."""

from __future__ import annotations

from pydantic import Field, model_validator

from pnet_lp.cost.bill import Bill, Boxes, Cables, Medium
from pnet_lp.cost.design import ARCHITECTURES, Design
from pnet_lp.cost.packaging import OPTICAL_PORT, Core, Packaging
from pnet_lp.registry import Params
from pnet_lp.seeds import Seed
from pnet_lp.topology import build_network


class OpticalCore(Params):
    """Parameters of ``ocs-core`` and ``patch-panel-core``."""

    hosts: int = Field(8192, ge=1, description="number of hosts, half a chip's broken-out ports on each ToR")
    radix: int = Field(16, ge=2, multiple_of=2, description="ports of a chip before they are broken out, even")
    planes: int = Field(8, ge=1, description="planes, into which every port is broken out (paper: N)")
    link_gbps: float = Field(
        800,
        gt=0,
        description="speed of a host over all planes, and of a port before it is broken out, Gb/s in each direction",
    )
    beta: float = Field(1.0, ge=1, description="hosts of a ToR over its cables to the core, these rounded down")
    access: Medium = Field("copper", description="what the cables to hosts are")
    seed: Seed = Field(0, description="which random circuits")

    @model_validator(mode="after")
    def _fits(self) -> OpticalCore:
        half = self.radix * self.planes // 2
        if self.hosts % half:
            raise ValueError(f"ToRs have {half} hosts, and {self.hosts} do not fill theirs")
        if not 1 <= self.uplinks < self.tors:
            raise ValueError(
                f"{self.tors} ToRs of {half} hosts can have 1 to {self.tors - 1} cables to the core, not {self.uplinks}"
            )
        return self

    @property
    def tors(self) -> int:
        """ToR switches of a plane."""
        return 2 * self.hosts // (self.radix * self.planes)

    @property
    def uplinks(self) -> int:
        """Cables of a ToR to the core."""
        return int(self.radix * self.planes / 2 / self.beta)


def _optical_core(params: OpticalCore, core: Core) -> Design:
    planes, tors = params.planes, params.tors
    gbps, ports = params.link_gbps / planes, params.radix * planes
    # A circuit has two ends, so an odd port is left over.
    lines = tors * params.uplinks // 2 * 2
    bill = Bill(
        hosts=params.hosts,
        tiers=1,
        switch_hops=None,
        boxes=[Boxes.of(planes, ports, gbps, tors)],
        cables=[
            Cables("access", params.access, params.link_gbps, params.hosts, 1),
            Cables("top", "lr", params.link_gbps, lines, 1),
        ],
        links=lines,
        ports_used=planes * (params.hosts + lines),
        optical=((OPTICAL_PORT[core], planes * lines),),
    )
    packing = Packaging(ports=ports, planes_per_box=planes, planes_per_cable=planes, access=params.access, core=core)
    switches = f"switches={tors},ports={ports // 2 + params.uplinks},hosts={params.hosts}"
    text = f"jellyfish:{switches},seed={params.seed},link_gbps={gbps!r}"
    return Design(
        bill,
        None,
        packing,
        lambda: build_network([text], planes=planes, variant="heterogeneous" if planes > 1 else None),
    )


@ARCHITECTURES.register(
    "ocs-core",
    params=OpticalCore,
    example="hosts=96,radix=4,planes=2,beta=2",
    summary="N planes of ToR switches joined by optical circuit switches, without transceivers in the core",
    source="P-Net (CoNEXT 2022), section 6.1",
)
def ocs_core(params: OpticalCore) -> Design:
    """Return planes of ToRs whose uplinks end in optical circuit switches.

    A cable of N channels runs from each ToR box to the core, where it is split, and each channel has a port.  There
    is one transceiver, at the ToR: light goes through the core to that of another ToR.  The network is one setting of
    the circuits: a random graph in every plane, each another one.
    """
    return _optical_core(params, "ocs")


@ARCHITECTURES.register(
    "patch-panel-core",
    params=OpticalCore,
    example="hosts=96,radix=4,planes=2,access=sr",
    summary="N planes of ToR switches joined at passive patch panels into fixed random graphs",
    source="P-Net (CoNEXT 2022), sections 6.1 and 6.2",
)
def patch_panel_core(params: OpticalCore) -> Design:
    """Return ``ocs-core`` with panels: the same cables and transceivers, and circuits that only hands can change."""
    return _optical_core(params, "patch-panel")
