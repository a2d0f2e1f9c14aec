"""Keys of a question about failures."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from pnet_lp.errors import SpecError
from pnet_lp.failures import FAILING, Each
from pnet_lp.flags import Flag
from pnet_lp.questions.keys import DemandKeys, MetricKeys
from pnet_lp.seeds import MOST_DRAWS
from pnet_lp.throughput.objectives import parse_objective
from pnet_lp.throughput.settings import ObjectiveSettings

_NOT_EACH = ("trials", *(key for key in FAILING if key != "fail_groups"))


class FailuresCase(ObjectiveSettings, MetricKeys, DemandKeys):
    """Compute the throughput of connected pairs over many draws of failures, or with every single failure (--each).

    Pairs that a draw disconnects are left out of its solve, and counted.  The result is the mean, with quantiles; with
    --each it is that of the worst failure.

    Exit code 3: the bounds of a draw have not met within the tolerance; they hold all the same.
    """

    columns = {  # noqa: RUF012 - of a model, which is frozen
        "worst_gbps": "quantiles_gbps.min", "lost_share": "", "lost_demands": ""
    }  # fmt: skip
    example = "fat-tree:k=4 --traffic permutation --fail-links 0.1 --trials 5"
    rows = "draw"
    plot = "the distribution of the throughput over draws"
    jobs = ()

    each: Annotated[Each | None, Flag(excludes=_NOT_EACH)] = Field(
        None,
        description="fail every link, switch, port, NIC, server (all of its NICs), scale-up switch, pair of links, or "
        "group of --fail-groups alone, in place of draws",
    )
    trials: int = Field(
        10, ge=1, le=MOST_DRAWS, description="number of draws of the failures, of one network, each solved"
    )

    @model_validator(mode="after")
    def _check_failures(self) -> Self:
        parse_objective(self.objective).check_comparable()
        if self.each is not None:
            if (self.each == "group") != (self.fail_groups is not None):
                allowed = "each=group, and fail_groups with it"
                raise SpecError(
                    "groups fail by themselves or not at all", where="each", found=self.each, allowed=allowed
                )
            return self
        if self.model_fields_set.isdisjoint(FAILING):
            where = "trials" if "trials" in self.model_fields_set else None
            raise SpecError("nothing fails", where=where, allowed=" or ".join(["each", *FAILING]))
        # In a sweep over shares that fail, one of them may be 0.
        if self.failures:
            self._check_trials()
        return self

    @property
    def distinct_trials(self) -> int:
        """Draws to solve: as many as requested; by default a single one where all are the same."""
        given = "trials" in self.model_fields_set
        return self.trials if given or self.failures.random else 1

    def check_alone(self) -> None:
        """See the base class."""
        super().check_alone()
        self._check_trials()

    def _check_trials(self) -> None:
        if "trials" in self.model_fields_set and self.trials > 1 and not self.failures.random:
            raise SpecError("has no meaning where failures are not random", where="trials", found=self.trials)
