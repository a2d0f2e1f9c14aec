"""The registry of workloads and what one is given to work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, ConfigDict, Field

from pnet_lp.errors import WorkloadError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.model.workload import LongArray, Workload
from pnet_lp.registry import Params, Registry
from pnet_lp.seeds import generator
from pnet_lp.workload.distribution import SizeDistribution, parse_sizes

_BYTES_PER_FLOW = 200
_BYTES_PER_WAIT = 70

Use: TypeAlias = Literal["none", "optional", "required"]


class WorkloadParams(Params):
    """Base of the parameters of a workload."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    traffic: ClassVar[Use] = "none"
    """Whether the workload takes its pairs from a traffic matrix."""

    stages: ClassVar[tuple[str, ...]] = ()
    """The stages of its flows, where it has any."""


def _sizes(value: object) -> object:
    return parse_sizes(value) if isinstance(value, str) else value


SizesOf: TypeAlias = Annotated[
    SizeDistribution,
    BeforeValidator(_sizes),
    Field(
        description="flow sizes: 10MB, a name of `pnet-lp list sizes`, a .csv (bytes,share) or .txt (bytes, per cent)"
    ),
]


@brief()
@dataclass(frozen=True)
class WorkloadContext:
    """What a workload may look at.

    Attributes:
        network: the network the flows are for, which has hosts.
        seed: the run's seed; a workload with a ``seed`` parameter prefers its own.
        label: the expression the user gave; becomes the workload's label and the head of messages.
        traffic: the matrix that gives the pairs; default: any host to any other, uniformly.
    """

    network: Network
    seed: int
    label: str
    traffic: TrafficMatrix | None = None

    @property
    def hosts(self) -> int:
        """Number of hosts."""
        return self.network.host_count

    @property
    def server_size(self) -> int:
        """How many accelerators a server has, 0 where hosts are in none."""
        return 0 if self.network.servers is None else self.network.servers.size

    @property
    def access_gbps(self) -> float:
        """What all hosts together can send, over all planes, Gb/s."""
        return float(sum(plane.access_up_gbps.sum() for plane in self.network.planes))

    def check_flows(self, count: int, waits: int = 0) -> None:
        """Raise WorkloadError where ``count`` flows, of which pairs wait ``waits`` times, need too much memory."""
        check_fits(
            count * _BYTES_PER_FLOW + waits * _BYTES_PER_WAIT,
            f"{self.label} with {count:,} flows",
            WorkloadError,
            allowed="fewer flows, or a smaller network",
        )

    def random(self, component: str, seed: int | None) -> np.random.Generator:
        """Return the generator of one component, from the workload's own ``seed`` if it has one."""
        return generator(self.seed if seed is None else seed, f"workload/{component}")

    def draw_pairs(self, count: int, random: np.random.Generator) -> tuple[LongArray, LongArray]:
        """Return ``count`` pairs of different hosts: by demand where there is a matrix, else uniformly."""
        if self.traffic is None:
            src = random.integers(self.hosts, size=count)
            return src, self.draw_others(src, random)
        chosen = random.choice(self.traffic.demand_count, size=count, p=self.traffic.demand / self.traffic.demand.sum())
        return self.traffic.src[chosen].astype(np.int64), self.traffic.dst[chosen].astype(np.int64)

    def draw_others(self, hosts: npt.NDArray[np.int64], random: np.random.Generator) -> LongArray:
        """Return for each of ``hosts`` another one, uniformly."""
        other = random.integers(self.hosts - 1, size=hosts.shape)
        return other + (other >= hosts)

    def draw_partners(self, times: int, random: np.random.Generator) -> LongArray:
        """Return int64 ``[hosts, times]``: the other host of each one's pair, all hosts being in pairs, so many times.

        Raises:
            WorkloadError: an odd number of hosts.
        """
        if self.hosts % 2:
            raise WorkloadError(
                "hosts are in pairs", where=self.label, found=f"{self.hosts} hosts", allowed="an even number"
            )
        partner = np.empty((self.hosts, times), dtype=np.int64)
        for number in range(times):
            one, other = random.permutation(self.hosts).reshape(2, -1)
            partner[one, number], partner[other, number] = other, one
        return partner

    def workload(self, *arguments: Any, **more: Any) -> Workload:
        """Return the checked workload of these flows; see :meth:`Workload.from_flows`."""
        return Workload.from_flows(self.hosts, *arguments, label=self.label, **more)


WorkloadBuilder: TypeAlias = Callable[[Any, WorkloadContext], Workload]
"""``(parameters, context) -> workload``; the parameters are an instance of the entry's model."""

WORKLOADS: Registry[WorkloadBuilder] = Registry("workload", package="pnet_lp.workload.kinds", group="pnet_lp.workloads")
