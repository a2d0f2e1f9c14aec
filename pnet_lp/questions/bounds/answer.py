"""What simple bounds allow a network to carry, next to what it carries where that is solved too."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pnet_lp.model import ThroughputResult
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.bounds.case import BoundsCase, column_of
from pnet_lp.questions.bounds.summary import summary
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.questions.throughput.answer import solved
from pnet_lp.throughput.bounds import BOUNDS, Bounds, compute_bounds

_SOLVED = (
    "throughput_gbps", "lower_bound_gbps", "upper_bound_gbps", "relative_gap", "tolerance", "status", "interrupted",
    "solver", "binding", "bottlenecks", "warnings",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class BoundsAnswer(Answer):
    """Bounds on the throughput of a matrix.

    Attributes:
        bounds: the bounds, smallest first.
        solved: the throughput, if it was solved too.
    """

    bounds: Bounds
    solved: ThroughputResult | None = None

    def summary(self) -> Summary:
        """See the base class: bounds are exact, what is compared with them may not be."""
        found, tightest = self.bounds.found, self.bounds.tightest
        value = None if tightest is None else found[tightest].value_gbps
        values = {name: found[name].value_gbps if name in found else math.inf for name in BOUNDS.names()}
        return Summary(
            Headline.exact(BoundsCase.headline, "gbps", "tightest bound", value, "Gb/s per unit demand"),
            {column_of(name): value if math.isfinite(value) else None for name, value in values.items()},
            "bounds" if self.solved and self.solved.status == "bounds" else "exact",
            tightest or "",
        )

    def to_json(self) -> dict[str, Any]:
        """Return the bounds, smallest first, and the solved throughput if there is one.

        ``ratio`` is a bound over the throughput that is attained; null without one, or where that is 0.
        """
        instance = self.bounds.instance
        k = self.solved.throughput_gbps if self.solved else 0.0
        full = self.solved.to_json() if self.solved else {}
        document = {
            "bounds": [
                {
                    **bound.to_json(name, instance.network, instance.level),
                    "ratio": bound.value_gbps / k if k > 0 else None,
                }
                for name, bound in self.bounds.found.items()
            ],
            "silent": [{"name": name, "why": silent.why} for name, silent in self.bounds.silent.items()],
            "tightest": self.bounds.tightest,
            "level": instance.level,
            "network": summarise_network(instance.given),
            "traffic": summarise_traffic(instance.traffic),
            "throughput": {key: full[key] for key in _SOLVED} if self.solved else None,
            "warnings": list(instance.given.warnings),
        }
        return {**document, "summary": summary(document)}


@QUESTIONS.register("bounds", params=BoundsCase, summary="upper bounds on the throughput that need no solver")
def bounds(case: BoundsCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives."""
    network = case.network(seed, built)
    traffic = case.demands(network, seed, built)

    def answer(run: Run) -> Answer:
        found = compute_bounds(network, traffic, case.bounds)
        if not case.solve:
            return BoundsAnswer(found)
        options = {"tolerance": case.tolerance, "threads": run.threads}
        return BoundsAnswer(found, solved(run, network, traffic, **options))

    return Posed((network.fingerprint, traffic.fingerprint), answer, network.warnings)
