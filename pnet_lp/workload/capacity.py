"""What the load of flows that arrive at random is a part of."""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import BeforeValidator

from pnet_lp.errors import WorkloadError
from pnet_lp.units import parse_number
from pnet_lp.workload.base import WorkloadContext

CapacityName: TypeAlias = Literal["access", "bisection"]


def _capacity(value: object) -> object:
    if value in get_args(CapacityName):
        return value
    gbps = parse_number(str(value))
    if not 0 < gbps < math.inf:
        raise ValueError("not access, bisection or a number of Gb/s above 0")
    return gbps


Capacity: TypeAlias = Annotated[float | CapacityName, BeforeValidator(_capacity)]
"""A parameter: Gb/s, or what of the network counts."""


def capacity_of(requested: float | CapacityName, context: WorkloadContext) -> tuple[float, str]:
    """Return a capacity in Gb/s and what it is, in words.

    Args:
        requested: Gb/s; ``access`` for what all hosts can send over all planes; ``bisection`` for what the narrowest
            cut between two halves of the hosts carries in its narrower direction, as ``pnet-lp topology`` prints it.
        context: of the workload; its network has two hosts.

    Raises:
        WorkloadError: the network has no such capacity.
    """
    if requested == "access":
        gbps, what = context.access_gbps, "what all hosts can send over all planes"
    elif requested == "bisection":
        # The one look upwards (pyproject.toml): who asks for a cut has it found where cuts are.
        from pnet_lp.throughput.bounds import find_bisection  # noqa: PLC0415

        found = find_bisection(context.network, "host")
        gbps = float(found.gbps) if found else 0.0
        what = f"the bisection ({'proved narrowest' if found and found.proved else 'the narrowest found'})"
    else:
        return float(requested), "as given"
    if gbps <= 0:
        raise WorkloadError(
            f"a load is a fraction of {what}, which is 0 Gb/s",
            where=f"{context.label}: capacity_gbps",
            found=requested,
            allowed="access, bisection or a number, of a network that carries something",
        )
    return gbps, what
