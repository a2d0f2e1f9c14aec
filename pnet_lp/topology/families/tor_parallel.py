"""Parallel fabrics that meet in the ToR switch: the data centers of Facebook and LinkedIn."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import HostParams, check_size, topologies


class TorParallel(HostParams):
    """Parameters of ``tor-parallel``."""

    pods: int = Field(ge=1, description="number of pods")
    tors: int = Field(ge=1, description="ToR switches of a pod (Facebook: 48), which are the racks")
    fabrics: int = Field(4, ge=1, description="number of parallel fabrics (Facebook: spine planes)")
    spines: int = Field(ge=1, description="spine switches of each fabric (Facebook: up to 48)")
    hosts_per_tor: int = Field(0, ge=0, description="hosts on each ToR switch")


@topologies.register(
    "tor-parallel",
    params=TorParallel,
    example="pods=2,tors=3,fabrics=2,spines=2",
    summary="hosts on one ToR switch, ToRs on N disjoint fabrics of one fabric switch in each pod",
    source="Andreyev: Introducing data center fabric, the next-generation Facebook data center network, Facebook "
    "Engineering 2014",
)
def tor_parallel(params: TorParallel) -> Plane:
    """Return a fabric that is parallel above the ToR switches.

    In every pod, fabric f has one fabric switch, with a cable to each ToR of the pod and one to each of the spine
    switches of f.  Fabrics have no switch in common, but the ToR switches and access links are those of all: a host
    reaches every fabric over its one access link, and traffic is divided among the fabrics by the ToR.  So the
    whole is one plane, where the host-level P-Net has a plane, with an access link of its own, for each fabric.
    """
    pods, tors, fabrics, spines = params.pods, params.tors, params.fabrics, params.spines
    racks = pods * tors
    hosts = racks * params.hosts_per_tor
    check_size(
        "tor-parallel",
        switches=racks + pods * fabrics + fabrics * spines,
        cables=pods * fabrics * (tors + spines),
        hosts=hosts,
    )
    first_spine = racks + pods * fabrics
    pod, tor, fabric = np.indices((pods, tors, fabrics)).reshape(3, -1)
    pod_above, fabric_above, spine = np.indices((pods, fabrics, spines)).reshape(3, -1)
    names = [f"tor{p}.{t}" for p in range(pods) for t in range(tors)]
    names += [f"fabric{f}.pod{p}" for p in range(pods) for f in range(fabrics)]
    names += [f"fabric{f}.spine{s}" for f in range(fabrics) for s in range(spines)]
    return Plane.from_cables(
        names,
        np.concatenate([pod * tors + tor, racks + pod_above * fabrics + fabric_above]),
        np.concatenate([racks + pod * fabrics + fabric, first_spine + fabric_above * spines + spine]),
        params.link_gbps,
        racks=np.arange(racks),
        host_switch=np.arange(hosts) // max(params.hosts_per_tor, 1),
        access_gbps=params.access_gbps,
        tier=np.repeat([0, 1, 2], [racks, pods * fabrics, fabrics * spines]),
    )
