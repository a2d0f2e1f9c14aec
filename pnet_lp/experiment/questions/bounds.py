"""What simple bounds allow a network to carry, without solving."""

from __future__ import annotations

import math
from typing import Annotated, Self

from pydantic import Field, model_validator

from pnet_lp.errors import naming
from pnet_lp.experiment.keys import DemandKeys
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed
from pnet_lp.registry import OneOrMore
from pnet_lp.throughput.bounds import BOUNDS, chosen_bounds, compute_bounds


def _column(name: str) -> str:
    return f"{name.replace('-', '_')}_gbps"


class BoundsCase(DemandKeys):
    """One network under one traffic matrix, as of ``pnet-lp bounds``; a column for each bound."""

    headline = "tightest_bound_gbps"
    columns = tuple(map(_column, BOUNDS.names()))

    bounds: Annotated[tuple[str, ...], OneOrMore] = Field(
        (), description="bounds to compute; none stands for all"
    )

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        with naming("bounds"):
            chosen_bounds(self.bounds)
        return self


@QUESTIONS.register("bounds", params=BoundsCase, summary="upper bounds on the throughput that need no solver")
def bounds(case: BoundsCase, seed: int) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives."""
    network = case.network(seed)
    traffic = case.matrix(network, seed)

    def answer(_: int, __: OnProgress) -> Answer:
        found = compute_bounds(network, traffic, case.bounds)
        tightest = found.tightest
        values = {name: bound.value_gbps for name, bound in found.found.items()}
        return Answer(
            Headline.exact(
                case.headline,
                "gbps",
                "tightest bound",
                None if tightest is None else values[tightest],
                "Gb/s per unit demand",
            ),
            "exact",
            {_column(name): _finite(values.get(name, math.inf)) for name in BOUNDS.names()},
            {
                "bounds": [
                    bound.to_json(name, network, traffic.level) for name, bound in found.found.items()
                ],
                "silent": {name: silent.why for name, silent in found.silent.items()},
                "tightest": tightest,
            },
            limited_by=tightest or "",
        )

    return Posed((network.fingerprint, traffic.fingerprint), answer)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
