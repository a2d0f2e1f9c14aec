"""Keys of a question about bounds."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from pnet_lp.errors import naming
from pnet_lp.flags import Flag
from pnet_lp.questions.keys import DemandKeys
from pnet_lp.registry import OneOrMore
from pnet_lp.throughput.bounds import BOUNDS, chosen_bounds
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE


def column_of(name: str) -> str:
    """Return the column of a bound."""
    return f"{name.replace('-', '_')}_gbps"


class BoundsCase(DemandKeys):
    """Compute simple bounds on the throughput, and compare them with it (--solve).

    Each is an upper bound on the throughput of the traffic, except tub: it bounds the throughput of the worst traffic
    in which no endpoint sends or receives more.

    Exit code 3: --solve has not reached the tolerance.
    """

    headline = "tightest_bound_gbps"
    columns = dict.fromkeys(map(column_of, BOUNDS.names()), "")
    example = "torus:dims=4x8 --solve"
    rows = "bound"
    threads = ("solve",)

    bounds: Annotated[
        tuple[str, ...],
        OneOrMore,
        Flag(
            "--bound",
            metavar="NAME",
            several="repeated",
            listed=BOUNDS.names,
            help="{}; may be repeated.  [default: all]",
        ),
    ] = Field((), description="bounds to compute; none stands for all")
    solve: bool = Field(False, description="also solve the throughput, and compare")
    tolerance: Annotated[float, Flag(needs=("solve",))] = Field(
        DEFAULT_TOLERANCE, gt=0, lt=1, description="relative gap between the bounds at which to stop"
    )

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        with naming("bounds"):
            chosen_bounds(self.bounds)
        return self
